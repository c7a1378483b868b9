// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Connected components: edges hook roots under smaller ones; and labels of image regions.

// Others change the parents at the same time, and only ever to smaller ones.
__device__ int load(const int *p)
{
	return *(const volatile int *)p;
}

__device__ int find(int *parent, int v)
{
	int p = load(&parent[v]);

	while (p != v) {
		int g = load(&parent[p]);

		if (g != p)
			atomicMin(&parent[v], g); // halves the path
		v = p;
		p = g;
	}
	return v;
}

__device__ void unite(int *parent, int a, int b)
{
	for (;;) {
		a = find(parent, a);
		b = find(parent, b);
		if (a == b)
			return;
		int high = max(a, b), low = min(a, b);

		if (atomicCAS(&parent[high], high, low) == high)
			return;
	}
}

extern "C" __global__ void components(const int2 *edges, int count, int *parent, int vertices,
				      int *left)
{
	int t = threadIdx.x;

	for (int v = t; v < vertices; v += blockDim.x)
		parent[v] = v;
	__syncthreads();
	for (int e = t; e < count; e += blockDim.x)
		unite(parent, edges[e].x, edges[e].y);
	__syncthreads();
	for (int v = t; v < vertices; v += blockDim.x) {
		int root = find(parent, v);

		atomicExch(&parent[v], root);
		if (root == v)
			atomicAdd(left, 1);
	}
}

// Regions of equal colour, four neighbours; the label is the first pixel's place.
extern "C" __global__ void regions(const unsigned char *image, int w, int h, int *label)
{
	int n = w * h;

	for (int i = threadIdx.x; i < n; i += blockDim.x)
		label[i] = i;
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		if (i % w + 1 < w && image[i] == image[i + 1])
			unite(label, i, i + 1);
		if (i + w < n && image[i] == image[i + w])
			unite(label, i, i + w);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		atomicExch(&label[i], find(label, i));
}
