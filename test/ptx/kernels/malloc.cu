// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory by the program: lists in a hash table, a tree per thread, new and delete.
#include <new>

struct Node {
	Node *next;
	int key, count;
};

__device__ Node *bucket[16];

__device__ void count(int key)
{
	Node **head = &bucket[key & 15], *mine = nullptr, *seen = nullptr;

	for (;;) {
		Node *first = *(Node *volatile *)head;

		__threadfence();
		for (Node *p = first; p != seen; p = p->next)
			if (p->key == key) {
				atomicAdd(&p->count, 1);
				free(mine);
				return;
			}
		seen = first;
		if (!mine) {
			mine = (Node *)malloc(sizeof(Node));
			if (!mine)
				return;
			mine->key = key;
			mine->count = 1;
		}
		mine->next = first;
		__threadfence();
		if (atomicCAS((unsigned long long *)head, (unsigned long long)first,
			      (unsigned long long)mine) == (unsigned long long)first)
			return;
	}
}

// How often each key occurs: nodes are pushed in front of their bucket's list.
extern "C" __global__ void count_words(const int *keys, int n, int *distinct, int *total)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		count(keys[i]);
	__syncthreads();
	if (threadIdx.x >= 16)
		return;
	for (Node *p = bucket[threadIdx.x], *next; p; p = next) {
		next = p->next;
		atomicAdd(distinct, 1);
		total[p->key] = p->count;
		free(p);
	}
	bucket[threadIdx.x] = nullptr;
}

struct Tree {
	Tree *less = nullptr, *more = nullptr;
	int value;

	__device__ Tree(int v) : value(v) {}
	__device__ ~Tree()
	{
		delete less;
		delete more;
	}
	__device__ void insert(int v)
	{
		Tree *at = this;

		for (Tree **to;; at = *to) {
			to = v < at->value ? &at->less : &at->more;
			if (!*to) {
				*to = new Tree(v);
				return;
			}
		}
	}
	__device__ void walk(int *&out) const
	{
		if (less)
			less->walk(out);
		*out++ = value;
		if (more)
			more->walk(out);
	}
};

// Sorts a row per thread by a search tree.
extern "C" __global__ void treesort(int *rows, int width)
{
	int *row = rows + (blockIdx.x * blockDim.x + threadIdx.x) * width, *out = row;
	Tree *root = new Tree(row[0]);

	for (int i = 1; i < width; i++)
		root->insert(row[i]);
	root->walk(out);
	delete root;
}

// A buffer per block, allocated by one thread and used by all.
extern "C" __global__ void reverse(const int *in, int *out, int n)
{
	__shared__ int *room;

	if (threadIdx.x == 0)
		room = (int *)malloc(n * sizeof(int));
	__syncthreads();
	if (!room)
		return;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		room[n - 1 - i] = in[blockIdx.x * n + i];
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		out[blockIdx.x * n + i] = room[i];
	__syncthreads();
	if (threadIdx.x == 0)
		free(room);
}
