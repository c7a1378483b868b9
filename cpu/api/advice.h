/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a program has advised about managed memory, page by page. Host and device see the same
 * memory here, so that it is stored and changes nothing. Its flags are those of block_flags.h; an
 * allocation of which all pages have the same needs no more than its own.
 *
 * The caller holds the driver's lock.
 */
#ifndef CPU_ADVICE_H
#define CPU_ADVICE_H

#include <stdint.h>

#include "arena.h"
#include "cuda_abi.h"

/* Clears and then sets flags of the pages that have some of the @size bytes at @address, which are
 * in @block. 2: no memory. */
CUresult advice_change(const struct block *block, uint64_t address, uint64_t size,
		       uint32_t cleared, uint32_t set);

/* The flags that all those pages have. */
uint32_t advice_of(const struct block *block, uint64_t address, uint64_t size);

#endif
