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

struct image;
struct image_file;
struct program;

/* The size of an image whose size is unknown. */
#define JIT_UNSIZED SIZE_MAX

/*
 * Finds the PTX in @image: text, which ends at its NUL, the best PTX of a fatbin, or that of a
 * cubin's line info. *@text is a copy that ends with NUL; the caller frees its data. 209 for
 * machine code alone, 218 for line info that cannot be linked, 200 for what is no image; @e->text
 * is then the log. Needs no lock.
 */
CUresult jit_text(struct bytes image, struct bytes *text, struct err *e);

/* Tells whether *@image is a file of images, not text; if @objects, an archive is one too. A
 * wrapper of a host compiler becomes the fatbin that it points to. Needs no lock. */
bool jit_is_file(struct bytes *image, bool objects);

/*
 * Opens such a file and sets its size, if it is not known; that of an object file or an archive
 * has to be. *@file is owned by the caller. 209 for a file of host code unless @objects, 200 for
 * what is damaged; @e->text is then the log. Needs no lock.
 */
CUresult jit_open(struct bytes *image, bool objects, const char *name, struct image_file **file,
		  struct err *e);

/* The text of @image of @file, PTX or a cubin with PTX in its line info, as jit_text() has it. */
CUresult jit_image_text(const struct image_file *file, const struct image *image,
			struct bytes *text, struct err *e);

/* 209: @bytes, as which @file was opened, has no PTX for this device. It is reported, unless it is
 * for a device linker: that may not be needed. */
CUresult jit_refuse(struct image_file *file, struct bytes bytes, struct err *e);

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
