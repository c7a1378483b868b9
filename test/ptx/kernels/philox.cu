// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counter-based random numbers (Philox 4x32-10): shuffles, normals, and an option's price.

struct Philox {
	uint4 counter;
	uint2 key;

	__device__ static uint4 round(uint4 c, uint2 k)
	{
		unsigned h0 = __umulhi(0xd2511f53, c.x), l0 = 0xd2511f53 * c.x;
		unsigned h1 = __umulhi(0xcd9e8d57, c.z), l1 = 0xcd9e8d57 * c.z;

		return make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
	}

	__device__ uint4 next()
	{
		uint4 c = counter;
		uint2 k = key;

		for (int i = 0; i < 10; i++, k.x += 0x9e3779b9, k.y += 0xbb67ae85)
			c = round(c, k);
		if (++counter.x == 0)
			++counter.y;
		return c;
	}
};

extern "C" __global__ void philox(uint4 *out, unsigned seed, int each)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	Philox p = { make_uint4(0, 0, t, 0), make_uint2(seed, ~seed) };

	for (int i = 0; i < each; i++)
		out[t * each + i] = p.next();
}

// A permutation per block: every thread exchanges its element in turn (Fisher and Yates).
extern "C" __global__ void shuffle(unsigned char *out, unsigned seed)
{
	__shared__ unsigned char room[64];
	__shared__ unsigned random[64];
	int t = threadIdx.x;
	Philox p = { make_uint4(t, 0, blockIdx.x, 1), make_uint2(seed, 0) };

	room[t] = t;
	random[t] = p.next().x;
	__syncthreads();
	for (int i = blockDim.x - 1; i > 0; i--) {
		if (t == i) {
			int j = __umulhi(random[i], i + 1);
			unsigned char x = room[i];

			room[i] = room[j];
			room[j] = x;
		}
		__syncthreads();
	}
	out[blockIdx.x * blockDim.x + t] = room[t];
}

// Box and Muller's pairs.
extern "C" __global__ void normals(double2 *out, unsigned seed)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	Philox p = { make_uint4(0, 0, t, 2), make_uint2(seed, 0) };
	uint4 r = p.next();
	double u = ((double)r.x + 1) / 4294967296.0, v = (double)r.y / 4294967296.0, s, c;

	sincospi(2 * v, &s, &c);
	double radius = sqrt(-2 * log(u));
	out[t] = make_double2(radius * c, radius * s);
}

// Black and Scholes, with erfc for the normal distribution.
extern "C" __global__ void price(const float *spot, const float *strike, const float *years,
				 float *call, float *put, int n, float rate, float volatility)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float root = volatility * sqrtf(years[i]), discount = expf(-rate * years[i]);
	float d1 = (logf(spot[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) /
		   root;
	float n1 = normcdff(d1), n2 = normcdff(d1 - root);

	call[i] = spot[i] * n1 - strike[i] * discount * n2;
	put[i] = strike[i] * discount * (1 - n2) - spot[i] * (1 - n1);
}
