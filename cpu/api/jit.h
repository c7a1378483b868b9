/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From the image that a program passes, without a size, to a loaded program; and the
 * options of cuModuleLoadDataEx and its like.
 */
#ifndef CPU_JIT_H
#define CPU_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "cuda_abi.h"
#include "err.h"

struct program;

/* The size of an image whose size is unknown. */
#define JIT_UNSIZED SIZE_MAX

/*
 * Finds the PTX in @image: text, which ends at its NUL, the best PTX of a fatbin, or that of a
 * cubin's line info; of an object file or an archive, whose size has to be known, only if @objects.
 * *@text is a copy that ends with NUL; the caller frees its data. 209 for machine code alone, 218
 * for line info that cannot be linked, 200 for what is no image; @e->text is then the log. Needs no
 * lock.
 */
CUresult jit_text(struct bytes image, bool objects, struct bytes *text, struct err *e);

/* Loads PTX text. 218 when it is malformed, 222 when too new; @e->text is then the log. Needs no
 * lock. */
CUresult jit_load(struct bytes text, struct program **out, struct err *e);

/* Reads the file at @path as an image of its size; the caller frees its data. 301 when there is
 * none. Needs no lock. */
CUresult jit_read(const char *path, struct bytes *image, struct err *e);

/* What a caller's options ask for: log buffers, the time it took, a limit of registers. */
struct jit_log {
	char *error;
	size_t error_size;
	void **error_used, **info_used; /* for their used sizes, or NULL */
	void **wall;                    /* for the time, as a float in ms, or NULL */
	uint64_t start;
	unsigned registers;             /* limit for each kernel, at least 24; 0: none */
};

/* Reads options, empties the buffers and starts the clock. */
struct jit_log jit_log(unsigned count, const CUjit_option *options, void **values);

/* Stores the time since jit_log(). @log may be NULL. */
void jit_log_time(const struct jit_log *log);

/* Writes @e->text to the error log. @log may be NULL. */
void jit_log_error(const struct jit_log *log, const struct err *e);

#endif
