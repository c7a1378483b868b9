// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of a kernel: structs by value, large ones, references that are captured, and many.
#include "check.h"

struct large {
	int head;
	double values[100];
	char tail;
};

struct view {
	int *data;
	int n;
	__device__ int &at(int i) const { return data[i]; }
};

__global__ void run(large l, view v, char c, short s, long long x, float f, bool b)
{
	v.at(0) = l.head + (int)l.values[99] + l.tail;
	v.at(1) = c + s;
	v.at(2) = (int)(x >> 32);
	v.at(3) = (int)(f * 4) + b;
	v.at(4) = v.n;
}

int main()
{
	int *data = zeroed<int>(5), *got;
	large l = {};

	l.head = 1;
	l.values[99] = 20;
	l.tail = 'a';
	run<<<1, 1>>>(l, view{ data, 5 }, 'b', -3, 77ll << 32, 2.5f, true);
	got = fetched(data, 5);
	SAME(1 + 20 + 'a', got[0]);
	SAME('b' - 3, got[1]);
	SAME(77, got[2]);
	SAME(11, got[3]);
	SAME(5, got[4]);
	return ok();
}
