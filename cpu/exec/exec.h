/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Execution of PTX: a program (one loaded module), its kernels, and the CTAs
 * of a launch. Knows nothing of contexts, streams or threads of the driver:
 * a worker thread creates a CTA and runs it in slices.
 *
 * A program lives from program_load to program_free; its kernels and variables
 * live as long. A launch is borrowed by its CTAs.
 */
#ifndef CPU_EXEC_H
#define CPU_EXEC_H

#include "bytes.h"
#include "cuda_abi.h"
#include "err.h"
#include "kernel.h"
#include "launch.h"

struct program;
struct cta;

/*
 * Parses and checks the whole of @text (copied), allocates its variables in
 * the arena and initialises them. Malformed text, undeclared names and what
 * the device cannot address fail here: GPURUN_FORMAT, with the line; a
 * .version that is too new is GPURUN_UNSUPPORTED. @e->text is the JIT's log.
 */
int program_load(struct bytes text, struct program **out, struct err *e);

/* NULL: nothing. No CTA of it may be running. */
void program_free(struct program *program);

/* Returns the name of entry @index of those with a body, in the order of the text; false after the
 * last one. The name lives as long as the program. */
bool program_entry(const struct program *program, size_t index, const char **name);

/* Sets *@function to the number of entry @name, below program_functions(); false when there is no
 * such entry. Names of one entry have one number. */
bool program_find_entry(const struct program *program, const char *name, size_t *function);

/* The entries and functions of the module. */
size_t program_functions(const struct program *program);

/* Tells whether a program has a variable @name that was declared as managed. */
bool program_is_managed(const struct program *program, const char *name);

/*
 * Finds a module-level .global or .const variable; of linked texts, also the first one of this name
 * that is private to its text. GPURUN_NOT_FOUND; GPURUN_INVALID for the name of a function.
 */
int program_variable(const struct program *program, const char *name, uint64_t *address,
		     uint64_t *size);

/*
 * Finds entry @name and lowers it at the first call. GPURUN_NOT_FOUND, or
 * GPURUN_UNSUPPORTED when it uses an instruction that is not executed ("line
 * 40: tcgen05.mma... is not executed by the CPU device"). Thread-safe.
 */
int program_kernel(struct program *program, const char *name, const struct kernel **out,
		   struct err *e);

/*
 * Makes the CTA with linear index @index (x fastest) of @launch, all threads at
 * the entry's first instruction; with clusters, all CTAs of that cluster, which
 * are one object from then on. GPURUN_NO_MEMORY. Memory is recycled per thread: the
 * same thread calls cta_new, cta_run and cta_free.
 */
int cta_new(const struct launch *launch, uint64_t index, uint32_t worker,
	    struct cta **out, struct err *e);

/* Runs @cta for about @slice back-edges and groups of instructions, then returns. */
enum cta_state cta_run(struct cta *cta, uint32_t slice);

/* NULL: nothing. */
void cta_free(struct cta *cta);

/* Releases what the calling thread keeps for recycling. */
void cta_thread_end(void);

#endif
