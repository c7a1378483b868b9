// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth-first search: one block with queues in shared memory, and a level per launch.

constexpr int ROOM = 512;

struct Graph {
	const int *start; // of each vertex in targets; one more than vertices
	const int *target;
	int vertices;
};

extern "C" __global__ void bfs(const int *start, const int *target, int vertices, int source,
			       int *level)
{
	__shared__ int queue[2][ROOM], length[2];
	Graph g = { start, target, vertices };

	for (int v = threadIdx.x; v < g.vertices; v += blockDim.x)
		level[v] = v == source ? 0 : -1;
	if (threadIdx.x == 0) {
		queue[0][0] = source;
		length[0] = 1;
		length[1] = 0;
	}
	__syncthreads();
	for (int depth = 1, now = 0; length[now]; depth++, now ^= 1) {
		// A warp per vertex, a lane per edge.
		for (int i = threadIdx.x / 32; i < length[now]; i += blockDim.x / 32) {
			int v = queue[now][i];

			for (int e = g.start[v] + threadIdx.x % 32; e < g.start[v + 1]; e += 32)
				if (atomicCAS(&level[g.target[e]], -1, depth) == -1)
					queue[now ^ 1][atomicAdd(&length[now ^ 1], 1)] =
						g.target[e];
		}
		__syncthreads();
		if (threadIdx.x == 0)
			length[now] = 0;
		__syncthreads();
	}
}

// One step from below: a vertex without a level takes one from a neighbour that has it.
extern "C" __global__ void pull(const int *start, const int *target, int vertices, int depth,
				volatile int *level, int *changed)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	bool found = false;

	if (v < vertices && level[v] < 0)
		for (int e = start[v]; e < start[v + 1] && !found; e++)
			found = level[target[e]] == depth - 1;
	if (found)
		level[v] = depth;
	int n = __syncthreads_count(found);
	if (threadIdx.x == 0 && n)
		atomicAdd(changed, n);
}
