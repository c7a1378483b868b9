/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Why the calling thread's last call of the driver failed, in words: "2048 threads in a block, at
 * most 1024". Set where a call is refused; what reports failed calls reads it. Thread-local.
 */
#ifndef CPU_CAUSE_H
#define CPU_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"

/* Where the call that the thread is in returns to, in the program; NULL: nowhere. */
extern _Thread_local const void *cause_caller;

/* Sets the cause, and returns @result. */
CUresult cause_set(CUresult result, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sets what was to be launched, unless @result is 0, which it returns. */
CUresult cause_launch(CUresult result, const char *kernel, const uint32_t grid[3],
		      const uint32_t block[3]);

/* Makes the failure one that is no fault of the program, and returns @result. */
CUresult cause_harmless(CUresult result);
bool cause_is_harmless(void);

/* Forgets the cause: a call begins. */
void cause_clear(void);

struct cause_launch {
	bool counted;      /* the device has counted a launch that failed */
	char kernel[1024]; /* "": the call was no launch, or of no kernel */
	uint32_t grid[3], block[3];
};

/* The cause, "" if there is none, and what was to be launched. Valid until the next call. */
const char *cause_text(void);
const struct cause_launch *cause_launched(void);

#endif
