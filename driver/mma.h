/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Matrix instructions: what lowering tells their handlers. */
#ifndef DRIVER_MMA_H
#define DRIVER_MMA_H

#include "handler.h"

enum { MOST_FRAGMENTS = 136, FRAGMENT_SLOT = 1 };

/* ldmatrix, stmatrix: op.c */
enum { MATRIX_COUNT = 7, MATRIX_TRANS = 8, MATRIX_SHARED = 16 };

/*
 * Fragment @i of @ip: offset in the row file of a row; of a slot, which has the
 * value of every lane, when FRAGMENT_SLOT is set in it.
 */
static inline int32_t fragment_at(const struct op *ip, unsigned i)
{
	const struct op *holder = ip + 1 + i / 4;
	const int32_t at[] = { holder->d, holder->a, holder->b, holder->c };

	return at[i % 4];
}

/* The op behind @ip and its @count fragments. */
static inline const struct op *fragments_end(const struct op *ip, unsigned count)
{
	return ip + 1 + (count + 3) / 4;
}

#endif
