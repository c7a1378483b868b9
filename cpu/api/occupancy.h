/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many blocks are resident on the device at a time. */
#ifndef CPU_OCCUPANCY_H
#define CPU_OCCUPANCY_H

#include <stdint.h>

struct function;
struct launch;

/* Blocks of @launch's size that are resident at a time; @function: the launched one. */
uint64_t occupancy_resident(const struct function *function, const struct launch *launch);

#endif
