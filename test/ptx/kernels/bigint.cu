// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 512 bits: Montgomery's product and a modular power, by carry chains.

constexpr int WORDS = 16;

struct Number {
	unsigned w[WORDS];
};

// t += a * b, t one word longer than a; the word above is the result.
__device__ unsigned multiply_add(unsigned *t, const unsigned *a, unsigned b)
{
	unsigned top;

	asm volatile("mad.lo.cc.u32 %0, %1, %2, %0;" : "+r"(t[0]) : "r"(a[0]), "r"(b));
#pragma unroll
	for (int i = 1; i < WORDS; i++)
		asm volatile("madc.lo.cc.u32 %0, %1, %2, %0;" : "+r"(t[i]) : "r"(a[i]), "r"(b));
	asm volatile("addc.u32 %0, 0, 0;" : "=r"(top));
	asm volatile("mad.hi.cc.u32 %0, %1, %2, %0;" : "+r"(t[1]) : "r"(a[0]), "r"(b));
#pragma unroll
	for (int i = 1; i < WORDS - 1; i++)
		asm volatile("madc.hi.cc.u32 %0, %1, %2, %0;"
			     : "+r"(t[i + 1]) : "r"(a[i]), "r"(b));
	asm volatile("madc.hi.cc.u32 %0, %1, %2, %3;"
		     : "=r"(top) : "r"(a[WORDS - 1]), "r"(b), "r"(top));
	unsigned carry;
	asm volatile("addc.u32 %0, 0, 0;" : "=r"(carry));
	asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(t[WORDS]) : "r"(top));
	asm volatile("addc.u32 %0, %0, 0;" : "+r"(carry));
	return carry;
}

__device__ bool subtract(unsigned *d, const unsigned *a, const unsigned *b)
{
	unsigned borrow;

	asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(d[0]) : "r"(a[0]), "r"(b[0]));
#pragma unroll
	for (int i = 1; i < WORDS; i++)
		asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(d[i]) : "r"(a[i]), "r"(b[i]));
	asm volatile("subc.u32 %0, 0, 0;" : "=r"(borrow));
	return borrow;
}

// a * b / 2^512 modulo m; inverse is -1/m modulo 2^32.
__device__ __noinline__ void montgomery(Number &r, const Number &a, const Number &b, const Number &m,
			   unsigned inverse)
{
	unsigned t[WORDS + 1] = {}, less[WORDS];

#pragma unroll 1
	for (int i = 0; i < WORDS; i++) {
		unsigned over = multiply_add(t, a.w, b.w[i]);

		over += multiply_add(t, m.w, t[0] * inverse);
#pragma unroll
		for (int j = 0; j < WORDS; j++)
			t[j] = t[j + 1];
		t[WORDS] = over;
	}
	bool smaller = subtract(less, t, m.w) && !t[WORDS];
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		r.w[i] = smaller ? t[i] : less[i];
}

// base^exponent modulo m for each thread; square is 2^1024 there.
extern "C" __global__ void power(const Number *base, const unsigned *exponent,
				 const Number *modulus, const Number *square, Number *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	Number m = *modulus, x = base[t], r = { 1 }, result;
	unsigned inverse = 1;

	for (int i = 0; i < 5; i++)
		inverse *= 2 - m.w[0] * inverse;
	inverse = -inverse;
	montgomery(x, x, *square, m, inverse);
	montgomery(result, r, *square, m, inverse);
	for (unsigned e = exponent[t]; e; e >>= 1) {
		if (e & 1)
			montgomery(result, result, x, m, inverse);
		montgomery(x, x, x, m, inverse);
	}
	montgomery(out[t], result, r, m, inverse);
}

// Fibonacci's numbers by 64-bit words of the compiler's own carries.
extern "C" __global__ void fibonacci(const int *index, ulonglong4 *out)
{
	unsigned long long a[4] = {}, b[4] = { 1 };

	for (int n = index[threadIdx.x]; n > 0; n--) {
		unsigned __int128 carry = 0;

		for (int i = 0; i < 4; i++) {
			carry += (unsigned __int128)a[i] + b[i];
			a[i] = b[i];
			b[i] = (unsigned long long)carry;
			carry >>= 64;
		}
	}
	out[threadIdx.x] = make_ulonglong4(a[0], a[1], a[2], a[3]);
}
