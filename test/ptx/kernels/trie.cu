// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prefix tree that all threads build at once: a child is claimed by compare-and-swap.

constexpr int LETTERS = 26, NONE = -1;

struct Node {
	int child[LETTERS];
	int words; // that end here
	int below; // that pass through
};

__device__ int walk(Node *nodes, int at, int letter, int *used)
{
	int *slot = &nodes[at].child[letter];
	int seen = *(volatile int *)slot;

	if (seen == NONE) {
		int mine = atomicAdd(used, 1);

		seen = atomicCAS(slot, NONE, mine);
		if (seen == NONE)
			seen = mine; // else the node stays unused
	}
	return seen;
}

__device__ void insert(Node *nodes, const char *word, int *used)
{
	int at = 0;

	for (; *word; word++) {
		at = walk(nodes, at, *word - 'a', used);
		atomicAdd(&nodes[at].below, 1);
	}
	atomicAdd(&nodes[at].words, 1);
}

// One block: builds the tree, then answers how many words equal and begin with a query.
// Words lie behind one another and end with 0; the nodes' memory is all ones.
extern "C" __global__ void lookup(const char *text, const short *start, int count,
				  const char *query, const short *from, int queries,
				  Node *nodes, int *used, short2 *answer)
{
	for (int t = threadIdx.x; t < count; t += blockDim.x)
		insert(nodes, text + start[t], used);
	__syncthreads();
	for (int t = threadIdx.x; t < queries; t += blockDim.x) {
		int at = 0;

		for (const char *p = query + from[t]; *p && at != NONE; p++)
			at = nodes[at].child[*p - 'a'];
		answer[t] = at == NONE ? make_short2(0, 0) :
					 make_short2(nodes[at].words + 1, nodes[at].below + 1);
	}
}
