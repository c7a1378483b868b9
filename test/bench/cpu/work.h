/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every side of the comparison of CPU devices does: the kernels with their
 * sizes and inputs, the check of their results against the same work in C, and the loop in
 * which a side takes orders. A side is a process of its own:
 *
 *	order:   "KERNEL REPEATS\n", both numbers
 *	answer:  "CPU WALL\n": nanoseconds of the launches and of waiting for them
 *
 * Results are checked after the first launch. Most inputs are such that every order of
 * evaluation gives the same bits; where they are not, the table says how far off is right.
 * All of it ends the process when it fails.
 */
#ifndef BENCH_CPU_WORK_H
#define BENCH_CPU_WORK_H

#include <stdint.h>

enum { WORDS = 1 << 20, MOST_BUFFERS = 5, MOST_WORKS = 32 };

/* Which comparisons a row takes part in. */
enum {
	IN_GATE = 1,    /* one build of the CPU device beside another */
	IN_OPENCL = 2,  /* OpenCL C can say it, too */
	IN_FEW = 4,     /* enough for threads and checks */
	IN_SMALL = 8,   /* for devices that simulate */
};

/* What words of a buffer are, word number i of them (see works.c); @of is its parameter. */
enum fill {
	STEPS,    /* i times @of */
	INTEGERS, /* floats, whole numbers from 0 to 12 */
	PARTS,    /* floats from @of to @of + 1 */
	HALVES,   /* two halves each, whole numbers from 0 to 12 */
	HASHES,   /* any numbers below @of, or with 0 any */
	DIGITS,   /* the sixteen numbers of eight equal hexadecimal digits, equally often */
	ROWS,     /* where rows of @of elements on average, and at least one, begin */
	LEVELS,   /* @of for one in eight, for others what is not reached yet */
	ROOTS,    /* real and imaginary parts of the roots of unity, @of in a circle */
};

struct buffer {
	uint32_t words;  /* 32 bits each */
	enum fill fill;
	uint32_t of;
};

struct work {
	const char *name, *kernel;
	unsigned sets;         /* IN_... */
	uint32_t scalars[2];
	unsigned scalar_count;
	unsigned grid[2], block[2];
	float tolerance;       /* of |difference| / (1 + |expected|), results being floats; 0: bits */
	unsigned buffer_count;
	struct buffer buffers[MOST_BUFFERS];  /* the last one is the result */
};

extern const struct work works[];
extern const unsigned work_count;

/* The rows of the set that @name names ("gate", "opencl", "few", "small"; "full": all but small
 * ones), into @indices, and returns how many. 0: there is no such set. */
unsigned work_set(const char *name, unsigned indices[MOST_WORKS]);

/* The same work in C, one thread; result and inputs are @buffers. */
typedef void native_work(const struct work *work, void *const buffers[]);

/* What does the work of @kernel. Of native.c, compiled as anything is, and for this processor. */
native_work *native_plain(const char *kernel);
native_work *native_fast(const char *kernel);

/* How a side runs kernels. */
struct side {
	const char *name;
	void *(*buffer)(const void *data, uint32_t words);
	void (*read)(void *buffer, void *data, uint32_t words);
	void (*prepare)(const struct work *work, void *buffers[]);
	void (*launch)(const struct work *work);  /* what was prepared last; may not wait */
	void (*wait)(void);
};

/* Takes orders from standard input until it ends. */
int work_serve(const struct side *side);

/* Makes the inputs of @work in @in, which work_drop() frees. */
void work_inputs(const struct work *work, void *in[MOST_BUFFERS]);
void work_drop(void *in[MOST_BUFFERS]);

/*
 * Compares the result at @got, by one launch on @in, which it changes to what the same work in
 * C makes of it. Says that it was @side's where it differs.
 */
void work_check(const char *side, const struct work *work, void *const in[], const void *got);

/* Nanoseconds of processor time of the process. A thread is charged when it goes to sleep:
 * call work_settle() before. */
double work_cpu_time(void);
void work_settle(void);

/* Prints "NAME: WHAT" and ends the process with 1. */
_Noreturn void work_fail(const char *name, const char *what);

/* Memory of @size bytes, zeroed; never NULL. The caller frees it. */
void *work_memory(const char *name, uint64_t size);

/* The text of @path; the caller frees it. */
char *work_read(const char *name, const char *path);

#endif
