// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps with swizzles of 32, 64 and 128 bytes: one thread has a bulk copy put a box of
// 16 rows of f32 in shared memory, each thread reads its row where the swizzle has put it,
// adds the number of the column there, and a bulk copy takes the box back to another tensor,
// which is wider than the source by a box: the place is beside it. Prints the sum of the
// elements, each times one more than its place modulo 31.
