/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trace of a run: what its processes called of the driver, in one file that they share. The
 * word trace=PATH of GPURUN_EXEC (exec_share.h) names it; who reads it (cmd/trace) made it.
 *
 * It is a row of chunks of TRACE_CHUNK bytes. The first has struct trace_head, each other one
 * struct trace_chunk and the records of the process that took it. A record is complete once its
 * size is there, and a size of 0 is the end: what a process that was killed has written can be
 * read. All of it is hostile to its reader: any program can write there.
 *
 * A record costs no call of the system, but for one in some hundred: chunks are mapped. When the
 * file has TRACE_MOST bytes, further records are counted and dropped. Thread-safe; a child of
 * fork() takes chunks of its own.
 */
#ifndef LIB_TRACE_FILE_H
#define LIB_TRACE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "asserts.h"

enum { TRACE_CHUNK = 256 << 10 };
#define TRACE_MOST ((uint64_t)2 << 30)

enum trace_kind {
#define TRACE_KIND(id, name, category) TRACE_##id,
#include "trace_kinds.def"
	TRACE_KINDS
};

struct trace_head {
	_Atomic uint64_t chunks;  /* that were taken, this one included */
	_Atomic uint64_t dropped; /* records, for which there was no room */
	_Atomic uint64_t untimed; /* launches whose times were asked for and could not be had */
};

struct trace_chunk {
	uint64_t process;
};

enum trace_flag {
	TRACE_COOPERATIVE = 1, /* LAUNCH */
	TRACE_CLOCK = 2,       /* RAN: its times are signed, on the process's clock @handle */
};

/* Sizes in bytes, times in nanoseconds of CLOCK_MONOTONIC, handles as the driver has them. */
struct trace_record {
	_Atomic uint32_t size; /* of the record, with what follows: a multiple of 8 */
	uint16_t kind;         /* enum trace_kind */
	uint16_t flags;        /* enum trace_flag */
	int32_t result;        /* CUresult of the call */
	uint32_t thread;       /* of the system */
	uint64_t id;           /* of the call in its process, from 1; RAN, COUNTED, which a struct
				* counted follows: of the call it is of */
	uint64_t begin, end;   /* of the call; RAN: of its work on the device, an end of 0: it has
				* begun, and another record may have when it ended */
	uint64_t stream;       /* handle; 0: the NULL stream, or none */
	uint64_t handle;       /* event, module, executable graph; LAUNCH, FUNCTION: the
				* function's number */
	uint64_t address;      /* of memory; COPY: to where */
	uint64_t source;       /* COPY: from where; FILL: the value */
	uint64_t bytes;
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared;       /* dynamic shared memory of a block */
	uint16_t name_size;    /* of the text that follows, its NUL included: the name of the call,
				* with that of its error after a blank; or of the function */
	uint16_t param_count;  /* FUNCTION, TYPES: struct trace_param follow, at a multiple of 8 */
	uint32_t args_size;    /* LAUNCH: bytes of parameters that follow likewise; 0: not known */
};

struct trace_param {
	uint32_t offset, size;
	char type[8]; /* "f32", "u64" as PTX spells it; "": not known, or no number */
};

static_assert(sizeof(struct trace_record) % 8 == 0 && sizeof(struct trace_param) == 16,
	      "records stand at multiples of 8");
static_assert(sizeof(struct trace_head) <= TRACE_CHUNK, "the first chunk has it");

/* The most bytes of parameters, and the most parameters, that records have: more are left out. */
enum { TRACE_ARGS_MOST = 4096, TRACE_PARAMS_MOST = 512, TRACE_NAME_MOST = 4096 };

/* Whether records are wanted: set by trace_open() alone. */
extern atomic_bool trace_wanted;

/* Counts @count launches as untimed. */
void trace_untimed(uint64_t count);

/* Begins to write, if GPURUN_EXEC has the word. Any number of calls. */
void trace_open(void);

/*
 * Appends @record, with its name, NUL-terminated, and @more of @more_size bytes. The sizes are
 * filled in, and the thread. No lock of the caller's matters.
 */
void trace_write(struct trace_record *record, const char *name, const void *more, size_t more_size);

#endif
