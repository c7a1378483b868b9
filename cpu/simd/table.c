/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The handler table of one instruction set, in the order of enum handler. Only the first set
 * has all of them: the others have NULL for those that gain nothing from them, and the set
 * before them is used.
 */
#include "handler.h"
#include "simd.h"

#ifdef SIMD_FIRST
#define WEAK
#else
#define WEAK __attribute__((weak))
#endif

#define ENTRY(name) WEAK op_fn SIMD_NAME(handle_##name);
#include "handler_list.def"

op_fn *const SIMD_NAME(handlers)[HANDLER_COUNT] = {
#define ENTRY(name) [HANDLER_##name] = SIMD_NAME(handle_##name),
#include "handler_list.def"
};
