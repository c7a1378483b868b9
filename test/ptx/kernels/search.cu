// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a word occurs in a text; each thread tries one place.

__constant__ char word[8] = "abra";

extern "C" __global__ void search(const char *text, int n, int *hits, unsigned char *at)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

	if (i >= n)
		return;
	while (word[k] && i + k < n && text[i + k] == word[k])
		k++;
	at[i] = !word[k];
	if (!word[k])
		atomicAdd(hits, 1);
}
