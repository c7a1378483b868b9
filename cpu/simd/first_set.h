/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is done lane by lane gains nothing from wider vectors: the first instruction set that is
 * built has such rows for all sets. Included after alu.h, by files with mostly such rows.
 */
#ifndef SIMD_FIRST
#undef LANE1
#define LANE1(...)
#undef LANE2
#define LANE2(...)
#undef LANE3
#define LANE3(...)
#endif
