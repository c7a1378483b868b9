/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The kernels that the CPU device is measured with, in CUDA C and in OpenCL C
 * (language.h); native.c has the same work in C, works.c their sizes and inputs.
 * kernels.ptx is what nvcc makes of them: nvcc -ptx -arch=compute_75 kernels.cu
 */
#include "language.h"

KERNEL saxpy(int n, float a, GLOBAL const float *restrict x, GLOBAL float *restrict y)
{
	int stride = NX * GX;

	for (int i = BX * NX + TX; i < n; i += stride)
		y[i] = a * x[i] + y[i];
}

KERNEL inthash(uint rounds, GLOBAL uint *out)
{
	uint t = BX * NX + TX;
	uint x = t * 2654435761u + 1u, sum = 0;

	ROLLED
	for (uint k = 0; k < rounds; k++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		sum += x * 1664525u + 1013904223u;
		sum ^= (sum >> 7) & x;
	}
	out[t] = sum;
}

/* Lanes leave the loop at very different times. */
KERNEL collatz(uint n, GLOBAL uint *out)
{
	uint t = BX * NX + TX;
	uint x = t + 1, steps = 0;

	if (t >= n)
		return;
	ROLLED
	while (x != 1) {
		if (x & 1) {
			x = 3 * x + 1;
			steps += 2;
		} else {
			x >>= 1;
			steps += 1;
		}
		if (steps > 400)
			break;
	}
	out[t] = steps;
}

KERNEL gemm(int n, GLOBAL const float *restrict a, GLOBAL const float *restrict b,
	    GLOBAL float *c)
{
	int j = BX * NX + TX, i = BY * NY + TY;
	float sum = 0;

	if (i >= n || j >= n)
		return;
	ROLLED
	for (int k = 0; k < n; k++)
		sum += a[i * n + k] * b[k * n + j];
	c[i * n + j] = sum;
}

KERNEL reduce(int n, GLOBAL const float *restrict x, GLOBAL float *out)
{
	SHARED float part[256];
	float sum = 0;

	for (int i = BX * NX + TX; i < n; i += GX * NX)
		sum += x[i];
	part[TX] = sum;
	BARRIER;
	ROLLED
	for (int width = 128; width > 0; width >>= 1) {
		if (TX < width)
			part[TX] += part[TX + width];
		BARRIER;
	}
	if (TX == 0)
		out[BX] = part[0];
}

/* C = A B in tiles of T by T; n is a multiple of T. Warps are rows of a tile, one or several. */
#define MATMUL(T)                                                                          \
	KERNEL matmul##T(int n, GLOBAL const float *restrict a,                            \
			 GLOBAL const float *restrict b, GLOBAL float *c)                  \
	{                                                                                  \
		SHARED float sa[T][T], sb[T][T];                                           \
		int u = TX, v = TY;                                                        \
		int j = BX * T + u, i = BY * T + v;                                        \
		float sum = 0;                                                             \
                                                                                           \
		for (int t = 0; t < n; t += T) {                                           \
			sa[v][u] = a[i * n + t + u];                                       \
			sb[v][u] = b[(t + v) * n + j];                                     \
			BARRIER;                                                           \
			for (int k = 0; k < T; k++)                                        \
				sum += sa[v][k] * sb[k][u];                                \
			BARRIER;                                                           \
		}                                                                          \
		c[i * n + j] = sum;                                                        \
	}
MATMUL(16)
MATMUL(8)
MATMUL(32)

/* The nine points around each one inside, in rows of @width. */
KERNEL stencil(int width, int height, GLOBAL const float *restrict in, GLOBAL float *restrict out)
{
	int x = BX * NX + TX, y = BY * NY + TY, at = y * width + x;
	float sides, corners;

	if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
		return;
	sides = in[at - 1] + in[at + 1] + in[at - width] + in[at + width];
	corners = in[at - width - 1] + in[at - width + 1] + in[at + width - 1] + in[at + width + 1];
	out[at] = 0.25f * in[at] + 0.125f * sides + 0.0625f * corners;
}

/* A warp a row of n: the maximum and the sum in one go, then both of all lanes. */
KERNEL softmax(int n, GLOBAL const float *restrict in, GLOBAL float *restrict out)
{
	EXCHANGE;
	int row = (BY * NY + TY) * n;
	float most = -1e30f, sum = 0;

	ROLLED
	for (int k = TX; k < n; k += 32) {
		float value = in[row + k], top = MAXIMUM(most, value);

		sum = sum * EXP(most - top) + EXP(value - top);
		most = top;
	}
	for (int mask = 16; mask > 0; mask >>= 1) {
		float other = LANE_XOR(most, mask), more = LANE_XOR(sum, mask);
		float top = MAXIMUM(most, other);

		sum = sum * EXP(most - top) + more * EXP(other - top);
		most = top;
	}
	ROLLED
	for (int k = TX; k < n; k += 32)
		out[row + k] = EXP(in[row + k] - most) / sum;
}

/* Sums of all up to each one, in blocks of 256. */
KERNEL scan(GLOBAL const uint *restrict in, GLOBAL uint *restrict out)
{
	SHARED uint sums[256];
	int t = TX;

	sums[t] = in[BX * 256 + t];
	BARRIER;
	ROLLED
	for (int distance = 1; distance < 256; distance <<= 1) {
		uint before = t >= distance ? sums[t - distance] : 0;

		BARRIER;
		sums[t] += before;
		BARRIER;
	}
	out[BX * 256 + t] = sums[t];
}

/*
 * A pass of a radix sort: keys to where those of their four bits begin (@first), as many
 * places on as blocks have @taken. Blocks and threads come in any order. Launched again, it
 * goes round in the n places of @out, a power of two.
 */
KERNEL radix(uint n, uint shift, GLOBAL const uint *restrict keys,
	     GLOBAL const uint *restrict first, GLOBAL uint *taken, GLOBAL uint *out)
{
	SHARED uint counts[16], places[16];
	uint key = keys[BX * NX + TX], digit = key >> shift & 15, rank;

	if (TX < 16)
		counts[TX] = 0;
	BARRIER;
	rank = COUNT(&counts[digit], 1u);
	BARRIER;
	if (TX < 16)
		places[TX] = first[TX] + COUNT(&taken[TX], counts[TX]);
	BARRIER;
	out[(places[digit] + rank) & (n - 1)] = key;
}

/* Transforms of 512 complex points each, the result in the order of reversed bits. */
KERNEL fft(GLOBAL const float *restrict roots, GLOBAL const float *restrict in,
	   GLOBAL float *restrict out)
{
	SHARED float re[512], im[512];
	int base = BX * 1024;

	for (int k = TX; k < 512; k += 256) {
		re[k] = in[base + 2 * k];
		im[k] = in[base + 2 * k + 1];
	}
	ROLLED
	for (int half_size = 256; half_size > 0; half_size >>= 1) {
		int k = TX & (half_size - 1), i = 2 * TX - k, j = i + half_size;
		int root = 2 * k * (256 / half_size);
		float wr = roots[root], wi = roots[root + 1], dr, di;

		BARRIER;
		dr = re[i] - re[j];
		di = im[i] - im[j];
		re[i] += re[j];
		im[i] += im[j];
		re[j] = dr * wr - di * wi;
		im[j] = dr * wi + di * wr;
	}
	BARRIER;
	for (int k = TX; k < 512; k += 256) {
		out[base + 2 * k] = re[k];
		out[base + 2 * k + 1] = im[k];
	}
}

/* Of n bodies (x, y, z, mass), what pulls at each one, and the potential there. */
KERNEL nbody(int n, GLOBAL const float4 *restrict bodies, GLOBAL float4 *restrict out)
{
	SHARED float4 tile[128];
	float4 me = bodies[BX * 128 + TX];
	float x = 0, y = 0, z = 0, potential = 0;

	for (int t = 0; t < n; t += 128) {
		tile[TX] = bodies[t + TX];
		BARRIER;
		for (int k = 0; k < 128; k++) {
			float4 other = tile[k];
			float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
			float inverse = INVERSE_ROOT(dx * dx + dy * dy + dz * dz + 0.0625f);
			float share = other.w * inverse, pull = share * inverse * inverse;

			x += pull * dx;
			y += pull * dy;
			z += pull * dz;
			potential -= share;
		}
		BARRIER;
	}
	out[BX * 128 + TX] = FLOAT4(x, y, z, potential);
}

/* n by n points of the plane, from -2-1.5i on; no two operations that a compiler may join. */
KERNEL mandel(int n, uint most, GLOBAL uint *out)
{
	int column = BX * NX + TX, row = BY * NY + TY;
	float step = 3.0f / n, cx = FMA(step, (float)column, -2.0f);
	float cy = FMA(step, (float)row, -1.5f), x = 0, y = 0;
	uint k = 0;

	ROLLED
	while (k < most && FMA(x, x, y * y) < 4.0f) {
		float next = FMA(x, x, FMA(-y, y, cx));

		y = FMA(x + x, y, cy);
		x = next;
		k++;
	}
	out[row * n + column] = k;
}

/* Where in a sorted table of n each of the wanted begins. */
KERNEL lower(uint n, GLOBAL const uint *restrict table, GLOBAL const uint *restrict wanted,
	     GLOBAL uint *restrict out)
{
	uint i = BX * NX + TX, want = wanted[i], low = 0, high = n;

	while (low < high) {
		uint middle = low + (high - low) / 2;

		if (table[middle] < want)
			low = middle + 1;
		else
			high = middle;
	}
	out[i] = low;
}

/* What is next to nodes of @level and was not reached yet is of the next level. */
KERNEL bfs(uint n, uint level, GLOBAL const uint *restrict rows,
	   GLOBAL const uint *restrict edges, GLOBAL uint *levels)
{
	uint node = BX * NX + TX;

	if (node >= n || levels[node] != level)
		return;
	for (uint e = rows[node]; e < rows[node + 1]; e++)
		if (levels[edges[e]] > level + 1)
			levels[edges[e]] = level + 1;
}

/* A sparse matrix, compressed by rows, times a vector. */
KERNEL spmv(uint n, GLOBAL const uint *restrict rows, GLOBAL const uint *restrict columns,
	    GLOBAL const float *restrict values, GLOBAL const float *restrict x,
	    GLOBAL float *restrict y)
{
	uint row = BX * NX + TX, end;
	float sum = 0;

	if (row >= n)
		return;
	end = rows[row + 1];
	for (uint e = rows[row]; e < end; e++)
		sum += values[e] * x[columns[e]];
	y[row] = sum;
}

/* How often each byte occurs in n words. */
KERNEL hist(uint n, GLOBAL const uint *restrict in, GLOBAL uint *bins)
{
	SHARED uint mine[256];

	mine[TX] = 0;
	BARRIER;
	for (uint i = BX * 256 + TX; i < n; i += GX * 256)
		for (uint word = in[i], k = 0; k < 4; k++, word >>= 8)
			COUNT(&mine[word & 255], 1u);
	BARRIER;
	COUNT(&bins[TX], mine[TX]);
}

/* n by n, in tiles of 32 by 32 with 8 rows of threads. */
KERNEL transpose(int n, GLOBAL const float *restrict in, GLOBAL float *restrict out)
{
	SHARED float tile[32][33];

	for (int k = TY; k < 32; k += 8)
		tile[k][TX] = in[(BY * 32 + k) * n + BX * 32 + TX];
	BARRIER;
	for (int k = TY; k < 32; k += 8)
		out[(BX * 32 + k) * n + BY * 32 + TX] = tile[TX][k];
}

KERNEL gather(GLOBAL const uint *restrict from, GLOBAL const uint *restrict index,
	      GLOBAL uint *restrict out)
{
	uint i = BX * NX + TX;

	out[i] = from[index[i]];
}

/* Prices of n calls, then of the puts, after Black and Scholes; the normal distribution as a
 * logistic function (Page). Rates are 3 %, the volatility is 25 %. */
KERNEL blacks(uint n, GLOBAL const float *restrict spot, GLOBAL const float *restrict strike,
	      GLOBAL const float *restrict years, GLOBAL float *restrict out)
{
	uint i = BX * NX + TX;
	float s = spot[i], k = strike[i], t = years[i], width = 0.25f * ROOT(t);
	float d1 = (LOG(s / k) + 0.06125f * t) / width, d2 = d1 - width;
	float n1 = 1.0f / (1.0f + EXP(-d1 * (1.5976f + 0.07056f * d1 * d1)));
	float n2 = 1.0f / (1.0f + EXP(-d2 * (1.5976f + 0.07056f * d2 * d2)));
	float later = k * EXP(-0.03f * t), call = s * n1 - later * n2;

	out[i] = call;
	out[n + i] = call - s + later;
}

#ifdef __OPENCL_VERSION__
/* Memory has halves, arithmetic need not have: two at once, rounded when they are stored. */
KERNEL haxpy(GLOBAL const half *restrict x, GLOBAL const half *restrict y, GLOBAL half *restrict out)
{
	uint i = BX * NX + TX;

	vstore_half2(0.5f * vload_half2(i, x) + vload_half2(i, y), i, out);
}
#else
KERNEL haxpy(const __half2 *restrict x, const __half2 *restrict y, __half2 *restrict out)
{
	uint i = BX * NX + TX;

	out[i] = __hfma2(__float2half2_rn(0.5f), x[i], y[i]);
}

/* C = A B of halves, n by n, sums in floats: a warp a tile of 16 by 16; B by columns. OpenCL C
 * has nothing like it. */
KERNEL wmma16(int n, const __half *restrict a, const __half *restrict b, float *restrict c)
{
	nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major> fa;
	nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __half, nvcuda::wmma::col_major> fb;
	nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
	int i = (BY * NY + TY) * 16, j = BX * 16;

	nvcuda::wmma::fill_fragment(sum, 0.0f);
	ROLLED
	for (int k = 0; k < n; k += 16) {
		nvcuda::wmma::load_matrix_sync(fa, a + i * n + k, n);
		nvcuda::wmma::load_matrix_sync(fb, b + j * n + k, n);
		nvcuda::wmma::mma_sync(sum, fa, fb, sum);
	}
	nvcuda::wmma::store_matrix_sync(c + i * n + j, sum, n, nvcuda::wmma::mem_row_major);
}
#endif
