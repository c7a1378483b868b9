// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256: a message of any length per thread; and a search for a nonce by a whole grid.

__constant__ unsigned K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

struct Sha {
	unsigned h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	__device__ static unsigned rotate(unsigned x, int n)
	{
		return __funnelshift_r(x, x, n);
	}

	__device__ __noinline__ void block(unsigned w[16])
	{
		unsigned a = h[0], b = h[1], c = h[2], d = h[3];
		unsigned e = h[4], f = h[5], g = h[6], t = h[7];

#pragma unroll 16
		for (int i = 0; i < 64; i++) {
			if (i >= 16) {
				unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];

				w[i & 15] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) +
					     w[(i + 9) & 15] +
					     (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
			}
			unsigned t1 = t + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
				      ((e & f) ^ (~e & g)) + K[i] + w[i & 15];
			unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
				      ((a & b) ^ (a & c) ^ (b & c));

			t = g, g = f, f = e, e = d + t1;
			d = c, c = b, b = a, a = t1 + t2;
		}
		h[0] += a, h[1] += b, h[2] += c, h[3] += d;
		h[4] += e, h[5] += f, h[6] += g, h[7] += t;
	}
};

__device__ unsigned swap(unsigned x)
{
	return __byte_perm(x, 0, 0x0123);
}

// Message number t is text[start[t]] up to text[start[t + 1]].
extern "C" __global__ void sha256(const unsigned char *text, const int *start, int count,
				  unsigned *digest)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	if (t >= count)
		return;
	const unsigned char *p = text + start[t];
	int size = start[t + 1] - start[t], blocks = (size + 8) / 64 + 1;
	Sha sha;

	for (int b = 0; b < blocks; b++) {
		unsigned w[16];

		for (int i = 0; i < 16; i++) {
			w[i] = 0;
			for (int k = 0; k < 4; k++) {
				int at = b * 64 + i * 4 + k;
				unsigned char c = at < size ? p[at] : at == size ? 0x80 : 0;

				w[i] = w[i] << 8 | c;
			}
		}
		if (b == blocks - 1)
			w[15] = size * 8;
		sha.block(w);
	}
	for (int i = 0; i < 8; i++)
		digest[t * 8 + i] = swap(sha.h[i]);
}

// The smallest nonce whose hash of (prefix, nonce) begins with zero bits.
extern "C" __global__ void mine(unsigned prefix, int zeros, unsigned *found)
{
	unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned w[16] = { prefix, nonce, 0x80000000 };
	Sha sha;

	w[15] = 64;
	sha.block(w);
	if (__clz(sha.h[0]) >= zeros)
		atomicMin(found, nonce);
}
