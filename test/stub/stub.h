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
 *	GPURUN_STUB_LEAKS=FILE           at exit, what was not released, and how many
 *	GPURUN_STUB_DEVICES=N            how many devices there are (1)
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

enum thing_kind { CONTEXT, MODULE, FUNCTION, STREAM, EVENT, MEMORY, THING_KINDS };

struct thing {
	enum thing_kind kind;
	unsigned id;         /* counts the things of a kind, from 1 */
	bool live;
	struct thing *owner; /* the context; of a function, the module */
	struct thing *next;
	char *data;          /* module: image; function: name; memory: the bytes */
	size_t size;         /* bytes of data */
	unsigned references; /* of a context */
	bool recorded;       /* of an event */
	bool registered;     /* memory that is the caller's */
};

/* Makes a thing; it is kept for ever, so that a stale pointer is told as one. */
struct thing *thing_new(enum thing_kind kind, struct thing *owner);

/*
 * Checks that @pointer is a live thing of @kind. CUDA_ERROR_INVALID_HANDLE when
 * it is nothing, CUDA_ERROR_CONTEXT_IS_DESTROYED when it is something else, as
 * the real driver has it.
 */
CUresult thing_find(const void *pointer, enum thing_kind kind, struct thing **out);

/* Finds the live block that holds @address, or NULL. */
struct thing *thing_at(CUdeviceptr address);

/* Finds the block, freed or not, that was made last of those that start at @address. */
struct thing *thing_freed_at(CUdeviceptr address);

/* Writes what is live into @out and returns how many that are. */
unsigned things_left(FILE *out);

/* Writes the stable name of @pointer ("stream#1"), or "?". */
void thing_name(const void *pointer, char *text, size_t size);

/* ---- The state of the driver (state.c) ------------------------------------- */

/* Takes and drops the lock that each call holds. */
void stub_lock(void);
void stub_unlock(void);

/* Tells what call number @row, @name, has to answer before it does anything; 0: do it. */
CUresult stub_begin(unsigned row, const char *name);

/* Ends the sticky error of a context that is gone. */
void stub_recover(void);

/* Notes that cuInit succeeded: registers the exit handler once. */
void stub_started(void);

/* How many devices there are. */
int stub_devices(void);

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

/* Begins a line, adds an argument whose value is at @value, ends the line. */
void trace_begin(const char *name);
void trace_argument(enum trace_kind kind, const void *value, CUresult result);
void trace_end(CUresult result);

#endif
