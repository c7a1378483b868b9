/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is done lane by lane gains nothing from wider vectors: the first instruction set that is
 * built has such rows for all. Included behind alu.h, by those whose rows are mostly such.
 */
#ifndef SIMD_FIRST
#undef LANE1
#define LANE1(...)
#undef LANE2
#define LANE2(...)
#undef LANE3
#define LANE3(...)
#endif
