/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The initialisers of module-level variables. */
#ifndef CPU_VARIABLE_H
#define CPU_VARIABLE_H

#include "program.h"

/* Checks the initial value of @variable and writes it to its bytes at @to. GPURUN_FORMAT. */
int variable_initialise(const struct program *program, const struct ptx_variable *variable,
			uint8_t *to, struct err *e);

#endif
