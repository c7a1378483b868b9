/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The comparison of libLLVMOffload with upstream's and with the bare driver: the
 * same work done by three sides, each in processes of its own, since two runtimes
 * in one process would share the primary context, on which upstream's sets flags.
 *
 *	bare      the driver calls that every side needs
 *	upstream  LLVM's own libLLVMOffload
 *	ours      gpurun's
 *
 * A side that launches counts up a number on the device, which tells afterwards that all
 * launches have run.
 */
#ifndef BENCH_SIDES_H
#define BENCH_SIDES_H

#include <stddef.h>
#include <stdint.h>

enum { SMALL = 64, LARGE = 1 << 20 };

enum operation {
	/* Calls, measured many in a row. Bare, in brackets where it is not the same. */
	ENQUEUE,        /* launch; finish() is not measured */
	LAUNCH_SYNC,    /* launch, wait for the queue */
	QUEUE_CYCLE,    /* create a queue, launch, wait, destroy it (launch, wait) */
	EVENT_CYCLE,    /* launch, create an event, wait, destroy it (launch, record, wait) */
	EVENT_IDLE,     /* the same without a launch (record, wait) */
	ALLOC_ALONE,    /* allocate and free 1 MiB, the only memory there is */
	PROGRAM,        /* create and destroy a program (load and unload a module) */
	/* From here on a side may keep what is freed: memory is never alone again. */
	ALLOC_LARGE,    /* the same beside other memory, which the driver adds it to */
	ALLOC_SMALL,    /* 64 bytes */
	CALLS,

	/* What happens twice in the life of a process. */
	INIT = CALLS,
	RESULT,         /* from before that until a kernel has run */
	SHUT_DOWN,      /* with nothing left */
	INIT_AGAIN,
	RESULT_AGAIN,
	SHUT_DOWN_AGAIN,
	PROCESS,        /* all of it, and loading the library, and the exit */
	OPERATIONS,
};

enum side { BARE, UPSTREAM, OURS, SIDES };

struct side_calls {
	void (*open)(const char *library);
	void (*init)(void);
	void (*set_up)(void);             /* counter, program, kernel, queue */
	void (*operations[CALLS])(void);
	void (*finish)(void);             /* waits for what ENQUEUE has launched */
	unsigned (*counted)(void);        /* launches, says the device */
	void (*new_counter)(void);        /* of 1 MiB, which no side keeps when it is freed */
	void (*free_counter)(void);
	void (*tear_down)(void);
	void (*shut_down)(void);
};

extern const struct side_calls side_bare, side_library;

/* The image with the kernel "count", and its arguments, packed. */
struct work {
	void *image;
	size_t image_size;
	struct arguments {
		uint64_t out; /* device address of the counter */
		uint32_t step, limit;
	} arguments;
};

extern struct work work;

/* What the parent asks of a process of calls. */
struct order {
	enum operation operation;
	int count;
};

/*
 * Does the orders that come from @from and answers nanoseconds per operation to @to; to
 * CALLS, how many launches the device has counted, as there were. Ends the process then.
 */
void serve(const struct side_calls *side, const char *library, int from, int to);

/* Lives, twice, and tells the times of it, from INIT to SHUT_DOWN_AGAIN, to @to. */
void live(const struct side_calls *side, const char *library, int to);

/* Ends the process with one line that tells @what, and @why unless that is NULL. */
void fail(const char *what, const char *why) __attribute__((noreturn));

#endif
