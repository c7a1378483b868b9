/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From the image that a program passes, whose size nobody tells, to a loaded
 * program; and the log buffers that cuModuleLoadDataEx names.
 */
#ifndef DRIVER_JIT_H
#define DRIVER_JIT_H

#include <stddef.h>

#include "cuda_abi.h"
#include "err.h"

struct program;

/*
 * Loads PTX text, which ends at its NUL, or the best PTX of the fatbin at
 * @image. 209 for machine code alone, 218 for malformed PTX, 222 for one too
 * new; @e->text is then the log. Needs no lock.
 */
CUresult jit_load(const void *image, struct program **out, struct err *e);

/* A caller's log buffers. */
struct jit_log {
	char *error;
	size_t error_size;
	void **error_used, **info_used; /* where their used sizes go, or NULL */
};

/* Reads the options of cuModuleLoadDataEx and empties the buffers. */
struct jit_log jit_log(unsigned count, const CUjit_option *options, void **values);

/* Writes @e->text to the error log. @log may be NULL. */
void jit_log_error(const struct jit_log *log, const struct err *e);

#endif
