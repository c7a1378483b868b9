// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AES-128 in counter mode: the S-box is computed by the block, rounds work on bytes.

__device__ unsigned char twice(unsigned char x)
{
	return x << 1 ^ (x >> 7) * 0x1b;
}

__device__ unsigned char multiply(unsigned char a, unsigned char b)
{
	unsigned char r = 0;

	for (; b; b >>= 1, a = twice(a))
		r ^= b & 1 ? a : 0;
	return r;
}

// The inverse in GF(2^8) is the 254th power; the affine map follows.
__device__ unsigned char substitute(unsigned char x)
{
	unsigned char inverse = 1, power = x;

	for (int bit = 1; bit < 8; bit++) {
		power = multiply(power, power);
		inverse = multiply(inverse, power);
	}
	unsigned v = inverse * 0x101u;
	return inverse ^ v >> 4 ^ v >> 5 ^ v >> 6 ^ v >> 7 ^ 0x63;
}

__device__ void expand(const unsigned char *sbox, const unsigned char *key,
		       unsigned char schedule[176])
{
	unsigned char rcon = 1;

	for (int i = 0; i < 16; i++)
		schedule[i] = key[i];
	for (int i = 16; i < 176; i += 4) {
		uchar4 t = *(uchar4 *)(schedule + i - 4);

		if (i % 16 == 0) {
			t = make_uchar4(sbox[t.y] ^ rcon, sbox[t.z], sbox[t.w], sbox[t.x]);
			rcon = twice(rcon);
		}
		schedule[i] = schedule[i - 16] ^ t.x;
		schedule[i + 1] = schedule[i - 15] ^ t.y;
		schedule[i + 2] = schedule[i - 14] ^ t.z;
		schedule[i + 3] = schedule[i - 13] ^ t.w;
	}
}

__device__ void encrypt(const unsigned char *sbox, const unsigned char *schedule,
			unsigned char s[16])
{
	for (int i = 0; i < 16; i++)
		s[i] ^= schedule[i];
	for (int round = 1; round <= 10; round++) {
		unsigned char t[16];

		for (int i = 0; i < 16; i++)
			t[i] = sbox[s[(i + i % 4 * 4) % 16]];
		for (int c = 0; c < 16; c += 4) {
			unsigned char all = t[c] ^ t[c + 1] ^ t[c + 2] ^ t[c + 3];

			for (int i = 0; i < 4; i++) {
				unsigned char mix = t[c + i] ^ t[c + (i + 1) % 4];

				s[c + i] = round == 10 ? t[c + i] :
							 t[c + i] ^ all ^ twice(mix);
			}
		}
		for (int i = 0; i < 16; i++)
			s[i] ^= schedule[round * 16 + i];
	}
}

extern "C" __global__ void aes_ctr(const unsigned char *key, const uint2 *nonce,
				   const unsigned char *in, unsigned char *out, int size)
{
	__shared__ unsigned char sbox[256];
	__shared__ __align__(4) unsigned char schedule[176];

	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		sbox[i] = substitute(i);
	__syncthreads();
	if (threadIdx.x == 0)
		expand(sbox, key, schedule);
	__syncthreads();

	unsigned counter = blockIdx.x * blockDim.x + threadIdx.x;
	union {
		uint4 words;
		unsigned char bytes[16];
	} state = { make_uint4(nonce->x, nonce->y, 0, __byte_perm(counter, 0, 0x0123)) };

	encrypt(sbox, schedule, state.bytes);
	for (int i = 0; i < 16; i++)
		if (counter * 16 + i < size)
			out[counter * 16 + i] = in[counter * 16 + i] ^ state.bytes[i];
}
