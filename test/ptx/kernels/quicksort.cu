// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quicksort: a row per thread, recursive and with a stack of its own.

__device__ void swap(float &a, float &b)
{
	float t = a;

	a = b;
	b = t;
}

__device__ int partition(float *a, int low, int high)
{
	float pivot = a[(low + high) / 2];
	int i = low - 1, j = high + 1;

	for (;;) {
		do
			i++;
		while (a[i] < pivot);
		do
			j--;
		while (a[j] > pivot);
		if (i >= j)
			return j;
		swap(a[i], a[j]);
	}
}

__device__ __noinline__ void sort(float *a, int low, int high)
{
	if (low >= high)
		return;
	int middle = partition(a, low, high);

	sort(a, low, middle);
	sort(a, middle + 1, high);
}

extern "C" __global__ void recursive(float *rows, int width)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	sort(rows + t * width, 0, width - 1);
}

extern "C" __global__ void iterative(float *rows, int width, int *deepest)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, depth = 0, most = 0;
	float *a = rows + t * width;
	short2 stack[16];

	stack[depth++] = make_short2(0, width - 1);
	while (depth) {
		short2 part = stack[--depth];

		while (part.x < part.y) {
			int middle = partition(a, part.x, part.y);
			short2 left = make_short2(part.x, middle);
			short2 right = make_short2(middle + 1, part.y);
			bool smaller = left.y - left.x < right.y - right.x;

			// The larger part waits, so that the stack stays low.
			stack[depth++] = smaller ? right : left;
			part = smaller ? left : right;
			most = max(most, depth);
		}
	}
	if (most > 16)
		atomicMax(deepest, most);
}
