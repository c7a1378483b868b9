/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fills: memory set to copies of a pattern, of any size, in stream order. */
#ifndef RUNTIME_MEMORY_FILL_H
#define RUNTIME_MEMORY_FILL_H

#include "err.h"

int fill_elements(uint64_t address, uint32_t pattern, unsigned width, uint64_t count,
		  struct gpurun_stream stream, struct err *e);
int fill_pattern(uint64_t address, const void *pattern, uint64_t size, uint64_t count,
		 struct gpurun_stream stream, struct err *e);

#endif
