/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A cubin: GPU machine code in an ELF file of NVIDIA's own kind. Both forms
 * are read: ABI 7 of CUDA 11 and 12, ABI 8 of CUDA 13. The layout is in
 * cubin.c.
 */
#ifndef LIB_CUBIN_H
#define LIB_CUBIN_H

#include "bytes.h"
#include "err.h"
#include "kernel_info.h"
#include "variable_info.h"

struct cubin_head {
	unsigned arch;    /* SM number */
	char suffix;      /* 'a', 'f' or 0 */
	bool relocatable; /* needs a device link: cannot be loaded */
	bool lines;    /* has line info */
	bool empty;    /* has neither kernels nor variables: what nvcc's own link adds */
	uint64_t size; /* bytes of the cubin; more may follow it */
};

/* Tells whether @bytes begins like a cubin. */
bool cubin_sniff(struct bytes bytes);

/* Reads what the cubin at the beginning of @bytes is for. GPURUN_FORMAT. Like all functions
 * below, its time is in proportion to @bytes, whatever they hold. */
int cubin_head(struct bytes bytes, struct cubin_head *head, struct err *e);

/*
 * Describes the kernels of the cubin. *@kernels is an array of *@count elements
 * owned by the caller (kernel_info_free). GPURUN_FORMAT, GPURUN_NO_MEMORY.
 */
int cubin_kernels(struct bytes bytes, struct kernel_info **kernels, size_t *count,
		  struct err *e);

/*
 * Calls @visit for each variable that the cubin defines. A section of variables
 * is reported as one without a name, besides those that symbols name in it.
 * GPURUN_FORMAT when it is no ELF file, or names in it overlap too much.
 */
int cubin_variables(struct bytes bytes, variable_visitor *visit, void *data,
		    struct err *e);

/* A name that other translation units may use, or that this one needs of them. */
struct cubin_symbol {
	const char *name; /* borrowed from the cubin */
	bool defined;     /* here; else it is needed */
	bool kernel;
};

/* Returns what ends the visits: 0 to go on. */
typedef int cubin_symbol_visitor(const struct cubin_symbol *symbol, void *data, struct err *e);

/* Calls @visit for each symbol of the cubin that is not local. GPURUN_FORMAT when it is no ELF
 * file, or names in it overlap too much; else what @visit returns. */
int cubin_symbols(struct bytes bytes, cubin_symbol_visitor *visit, void *data, struct err *e);

/* The PTX that a cubin was made of, in its line info: of each translation unit one text. */
struct cubin_texts {
	struct bytes *items; /* owned, as each; a NUL follows, which its size does not count */
	uint64_t *ids;       /* owned: cubin_text_id() of their sections */
	size_t count;
};

/*
 * Copies the PTX that the line info of the cubin holds (nvcc -lineinfo or -G), whatever bytes are
 * there: whether it is PTX, and whole, the caller has to check. None is no failure. The caller
 * releases *@texts after a failure too: GPURUN_FORMAT when it is no ELF file, GPURUN_NO_MEMORY.
 */
int cubin_texts(struct bytes bytes, struct cubin_texts *texts, struct err *e);

/* The number of the section of PTX called @name, which may have a NUL at its end: 0 when it has
 * none; UINT64_MAX when it is no such section or has another ending. */
uint64_t cubin_text_id(struct bytes name);

/*
 * Adds to @texts, which are those of the cubin, what it knows of the source: a .loc in an empty
 * line before the instructions that it applies to, without a column, and the .file lines at the
 * end. No other line changes, nor its number. What the cubin does not know, or contradicts, is
 * left out. After a failure @texts are what they were: GPURUN_NO_MEMORY, GPURUN_FORMAT when it is
 * no ELF file, GPURUN_UNSUPPORTED when the line info takes more than its budget (line_budget.h).
 */
int cubin_add_lines(struct bytes bytes, struct cubin_texts *texts, struct err *e);

/* Accepts a zeroed one. */
void cubin_texts_release(struct cubin_texts *texts);

#endif
