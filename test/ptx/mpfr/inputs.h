/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands to try an instruction with. */
#ifndef MPFR_INPUTS_H
#define MPFR_INPUTS_H

#include <stddef.h>

#include "insn.h"

/*
 * Fills registers[0] and on, one buffer of @count registers per source, always
 * with the same values: corners against each other first, then numbers of
 * moderate size, of any size, and such as nearly cancel. A single operand of up to 16
 * bits takes each value if there is room.
 */
void inputs_fill(const struct insn *insn, size_t count, uint8_t *registers[]);

#endif
