// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts how often its blocks run.
unsigned out[4];

__attribute__((noinline)) void inner(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		out[i & 3] += i;
}

__attribute__((nvptx_kernel)) void work(unsigned n)
{
	inner(n);
}
