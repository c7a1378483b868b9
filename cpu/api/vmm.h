/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Virtual memory, for other calls. */
#ifndef CPU_VMM_H
#define CPU_VMM_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the range that cuMemAddressReserve returned and that has @address. With the lock. */
bool vmm_reserved(uint64_t address, uint64_t *base, uint64_t *size);

#endif
