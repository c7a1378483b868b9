// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A switch with many cases, and one inside a loop: a small machine.

extern "C" __global__ void machine(const unsigned char *code, const int *in, int *out)
{
	int a = in[threadIdx.x], b = threadIdx.x;

	for (int pc = 0; pc < 64; pc++)
		switch (code[pc]) {
		case 0: out[threadIdx.x] = a; return;
		case 1: a += b; break;
		case 2: a -= 7; break;
		case 3: a *= 3; break;
		case 4: b ^= a; break;
		case 5: a = a < 0 ? -a : a; break;
		case 6: if (a & 1) pc++; break;
		case 7: a = a % 1000 + b; break;
		case 8: b = __popc(a); break;
		default: a = ~a; break;
		}
	out[threadIdx.x] = -1;
}

extern "C" __global__ void choose(const int *in, int *out)
{
	int x = in[threadIdx.x], y;

	switch (x) {
	case 0: y = 10; break;
	case 1: y = x * 7; break;
	case 2: y = 31; break;
	case 3: y = x - 100; break;
	case 4: y = 5; break;
	case 9: y = 99; break;
	case 1000: y = 1; break;
	default: y = -x; break;
	}
	out[threadIdx.x] = y;
}
