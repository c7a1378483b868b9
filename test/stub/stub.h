/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The stub driver: a library that answers like a CUDA driver, executes no
 * kernel, and can be told to misbehave. Memory is host memory, so that copies
 * work; a kernel is found when its name stands in the image's bytes. What the
 * environment asks of it:
 *
 *	GPURUN_STUB_TRACE=FILE           appends one line per call, with names that
 *	                                 are the same in every run (stream#1)
 *	GPURUN_STUB_FAIL=CALL[:N]=CODE,...  the N-th use of CALL (every one without
 *	                                 N) answers CODE; a fault's code sticks, as
 *	                                 with a real context
 *	GPURUN_STUB_CRASH=CALL[:N]       the N-th use (the first without N) aborts
 *	GPURUN_STUB_HANG=CALL[:N]        the N-th use (the first without N) never returns
 *	GPURUN_STUB_GONE=CALL[:N]        from that use on the driver is gone, as it
 *	                                 is at exit
 *	GPURUN_STUB_LEAKS=FILE           at exit, what was not released ("left:") or
 *	                                 could not be, because its release was made
 *	                                 to fail ("refused:", a line each time), and
 *	                                 "N left"
 *	GPURUN_STUB_COUNTS=FILE          at exit, one line "CALL COUNT" per call used
 *	GPURUN_STUB_DEVICES=N            how many devices there are (1)
 *	GPURUN_STUB_PARAMETERS=N         each kernel takes N of 8 bytes; with SIZE,SIZE,...
 *	                                 one of each size; without it, the driver is one that cannot tell (and LLVM's
 *	                                 libLLVMOffload finds no kernel)
 *	GPURUN_STUB_VARIABLE=N           each variable has N bytes, if the image has (as
 *	                                 many as its name has characters)
 *	GPURUN_STUB_BUSY=N               a launch keeps its stream from being ready
 *	                                 for N queries, or until it is waited for (0)
 *
 * An event's time is how many launches there were before it, in milliseconds. A stream can be
 * captured; the graph that this makes is launched as one kernel (calls_graph.c).
 *
 * GPURUN_STUB_FAIL may change at any time, the others are read at the first call
 * and at each cuInit. A call that no row of the table names aborts the program.
 *
 * Its own exit handler, registered by the first cuInit, ends it: afterwards
 * every call answers CUDA_ERROR_DEINITIALIZED.
 */
#ifndef STUB_H
#define STUB_H

#include <stdbool.h>
#include <stdio.h>

#include "cuda_abi.h"

/* ---- Things: what the driver's pointers point to (things.c) ---------------- */

enum thing_kind {
	CONTEXT, MODULE, FUNCTION, STREAM, EVENT, MEMORY, LIBRARY, POOL, LINK, GRAPH, THING_KINDS
};

/* Whether a stream captures what it is given into a graph, and how. */
enum capture { NO_CAPTURE, CAPTURE_RELAXED, CAPTURE_UNSAFE };

struct thing {
	enum thing_kind kind;
	unsigned id;         /* counts the things of a kind, from 1 */
	bool live;
	bool recorded;       /* of an event */
	bool registered;     /* memory that is the caller's */
	unsigned refused;    /* how often its release was made to fail */
	unsigned references; /* of a context */
	unsigned life;       /* of a context: how often it was given up; else, the one it is of */
	struct thing *owner; /* the context; of a function, the module; of a context, a library or a pool, NULL */
	struct thing *next;  /* among the dead; of a live module or function, the next function */
	char *data;          /* module, library: image; link: its inputs; function: name; memory: the bytes */
	size_t size;         /* bytes of data; of a context, bytes allocated */
	CUresult fault;      /* of a context: the error that sticks to it */
	unsigned stream;     /* of an event: where it was recorded, as work_add() has it */
	unsigned long mark;  /* of an event: when it was recorded */
	unsigned long time;  /* of an event: work_time() then */
	enum capture capture; /* of a stream */
};

/* Makes a thing. */
struct thing *thing_new(enum thing_kind kind, struct thing *owner);

/* Ends a thing's life. Its pointer is told as stale until thousands more have ended. */
void thing_end(struct thing *thing);

/* Ends all things of @context, as a reset of its device does. */
void things_end_of(struct thing *context);

/* The context that @thing belongs to, or is; of what belongs to none, the outermost thing. */
struct thing *thing_context(struct thing *thing);

/*
 * Checks that @pointer is a live thing of @kind. CUDA_ERROR_INVALID_HANDLE when
 * it is nothing, CUDA_ERROR_CONTEXT_IS_DESTROYED when it is something else, as
 * the real driver has it, or when its context was given up.
 */
CUresult thing_find(const void *pointer, enum thing_kind kind, struct thing **out);

/* Notes that a release of what is at @pointer was made to fail. */
void thing_refuse(const void *pointer);

/* Writes what is live into @out and returns how many that are, less the refused. */
unsigned things_left(FILE *out);

/* Writes the stable name of @pointer ("stream#1"), or "?". */
void thing_name(const void *pointer, char *text, size_t size);

/* ---- Memory by address (blocks.c) ------------------------------------------- */

/* Obtains @size bytes at a multiple of 256 and of no larger power of two, whatever the
 * allocator answers: a caller that wants more makes the same calls with and without a
 * sanitizer. block_free() frees them. Never NULL. */
char *block_memory(size_t size);
void block_free(char *memory);

/* Enters @block; false when it overlaps one there is. */
bool block_enter(struct thing *block);
void block_leave(struct thing *block);

/* Finds the live block that holds @address, or NULL. */
struct thing *thing_at(CUdeviceptr address);

/* Finds a block freed lately that started at @address, or NULL. */
struct thing *thing_freed_at(CUdeviceptr address);

/* ---- Busy streams (work.c) ---------------------------------------------------- */

#define WORK_ALL_STREAMS (~0u)

/* Makes @stream of @context, an id, busy; the other one for a launch. */
void work_add(struct thing *context, unsigned stream);
void work_launch(struct thing *context, unsigned stream);

/* What is added from now on has a greater mark. */
unsigned long work_mark(void);

/* Milliseconds on the device's clock: each launch takes one, those of all streams one after the
 * other. */
unsigned long work_time(void);

/* Asks whether work up to @mark is unfinished; each time it is asked, it comes nearer. */
bool work_is_busy(const struct thing *context, unsigned stream, unsigned long mark);

/* Waits for work up to @mark. */
void work_wait(const struct thing *context, unsigned stream, unsigned long mark);

/* ---- The state of the driver (state.c) ------------------------------------- */

/* Takes and drops the lock that each call holds. */
void stub_lock(void);
void stub_unlock(void);

/*
 * Tells what a use of call number @row has to answer before it does anything;
 * 0: do it. @first is its first argument: a thing, when the call releases one.
 */
CUresult stub_begin(unsigned row, uint64_t first);

/* Notes that cuInit succeeded: registers the exit handler once. */
void stub_started(void);

/* How many devices there are; queries that a launch keeps a stream busy for. */
int stub_devices(void);
unsigned stub_busy(void);

/* ---- The trace (trace.c) ----------------------------------------------------- */

/* How an argument is written; the order of the cases of TRACE_KIND. */
enum trace_kind {
	TRACE_INT,     /* int */
	TRACE_UNSIGNED,
	TRACE_U8,
	TRACE_U16,
	TRACE_SIZE,
	TRACE_ADDRESS, /* device address, by the block it is in */
	TRACE_HANDLE,  /* pointer to a thing */
	TRACE_HOST,    /* host pointer */
	TRACE_STRING,
	TRACE_OUT_HANDLE,
	TRACE_OUT_ADDRESS,
	TRACE_OUT_SIZE,
	TRACE_OUT_INT,
	TRACE_CONFIG,  /* CUlaunchConfig */
	TRACE_OTHER,   /* not worth telling: "..." */
};

/* Opens @path for the trace unless it is open; NULL: no trace. */
void trace_open(const char *path);

/* Begins a line, adds an argument whose value is at @value, ends the line. False from
 * trace_begin(): there is no trace, and nothing to add. */
bool trace_begin(const char *name);
void trace_argument(enum trace_kind kind, const void *value, CUresult result);
void trace_end(CUresult result);

/* Adds a line that says that call @name does not return. */
void trace_hang(const char *name);

#endif
