// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-32 of a buffer by pieces: a table per block, and the pieces' sums put together.

constexpr unsigned POLYNOMIAL = 0xedb88320;

// The product of two polynomials modulo the CRC's, bits reflected.
__device__ unsigned multiply(unsigned a, unsigned b)
{
	unsigned product = 0;

	for (unsigned bit = 0x80000000; bit; bit >>= 1) {
		if (a & bit)
			product ^= b;
		b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
	}
	return product;
}

// x to the 8n-th power: what n bytes of zeros do to a CRC.
__device__ unsigned shift(unsigned n)
{
	unsigned result = 0x80000000, power = 0x00800000;

	for (; n; n >>= 1, power = multiply(power, power))
		if (n & 1)
			result = multiply(result, power);
	return result;
}

extern "C" __global__ void crc32(const unsigned char *data, unsigned size, unsigned piece,
				 unsigned *sum)
{
	__shared__ unsigned table[256], total;
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned from = min(t * piece, size), to = min(from + piece, size), crc = 0;

	if (threadIdx.x == 0)
		total = 0;
	for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
		unsigned c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
		table[i] = c;
	}
	__syncthreads();
	// The first piece starts from ones and the last sum is inverted.
	if (t == 0)
		crc = ~0u;
	for (unsigned i = from; i < to; i++)
		crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
	atomicXor(&total, multiply(crc, shift(size - to)));
	__syncthreads();
	if (threadIdx.x == 0)
		atomicXor(sum, total);
}
