/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Types of the parameters of kernels without a C++ signature, of which a GPU's driver has the sizes
 * alone: PTX has them, if there is any beside the machine code.
 */
#ifndef CMD_TRACE_TYPES_H
#define CMD_TRACE_TYPES_H

#include "kernel_info.h"
#include "trace.h"

/* Fills in what @kernel, as PTX has it, is as a record's parameters; of @params there is room for
 * TRACE_PARAMS_MOST. Returns how many; 0: none, or more than records have. */
size_t trace_types_of(const struct kernel_info *kernel, struct trace_param *params);

/* Gives @function the types of @params, its @count parameters by the same places and sizes; else
 * it stays as it is. */
void trace_types_give(struct traced_function *function, const struct trace_param *params,
		      size_t count);

/* Gives the functions of @trace the types that PTX in the file @path has, if any of them has none.
 * What cannot be read there is left out. */
void trace_types_read(struct trace *trace, const char *path);

#endif
