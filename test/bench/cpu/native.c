/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The work of kernels.cu in C, one thread: plain loops, lanes beside each other where a
 * compiler then makes vectors of them. Compiled twice: as anything is, for the results that
 * are expected; and for this processor (NATIVE=native_fast), as a side of its own.
 */
#include <math.h>
#include <string.h>

#include "work.h"

#ifndef NATIVE
#define NATIVE native_plain
#endif

enum { LANES = 32 };

static void saxpy(const struct work *work, void *const buffers[])
{
	const float *restrict x = buffers[0];
	float *restrict y = buffers[1], a;

	memcpy(&a, &work->scalars[1], sizeof(a));
	for (uint32_t i = 0; i < work->scalars[0]; i++)
		y[i] = a * x[i] + y[i];
}

static void inthash(const struct work *work, void *const buffers[])
{
	uint32_t *out = buffers[0];

	for (uint32_t first = 0; first < work->buffers[0].words; first += LANES) {
		uint32_t x[LANES], sum[LANES] = { 0 };

		for (uint32_t l = 0; l < LANES; l++)
			x[l] = (first + l) * 2654435761u + 1;
		for (uint32_t k = 0; k < work->scalars[0]; k++) {
			for (uint32_t l = 0; l < LANES; l++) {
				x[l] ^= x[l] << 13;
				x[l] ^= x[l] >> 17;
				x[l] ^= x[l] << 5;
				sum[l] += x[l] * 1664525u + 1013904223u;
				sum[l] ^= (sum[l] >> 7) & x[l];
			}
		}
		memcpy(out + first, sum, sizeof(sum));
	}
}

/* All lanes go on until the last one has come to its end. */
static void collatz(const struct work *work, void *const buffers[])
{
	uint32_t *out = buffers[0];

	for (uint32_t first = 0; first < work->scalars[0]; first += LANES) {
		uint32_t x[LANES], steps[LANES] = { 0 }, going;

		for (uint32_t l = 0; l < LANES; l++)
			x[l] = first + l + 1;
		do {
			going = 0;
			for (uint32_t l = 0; l < LANES; l++) {
				uint32_t goes = (x[l] != 1) & (steps[l] <= 400), odd = x[l] & 1;
				uint32_t next = odd ? 3 * x[l] + 1 : x[l] >> 1;

				steps[l] += goes ? 1 + odd : 0;
				x[l] = goes ? next : x[l];
				going |= goes;
			}
		} while (going);
		memcpy(out + first, steps, sizeof(steps));
	}
}

static void gemm(const struct work *work, void *const buffers[])
{
	const float *restrict a = buffers[0], *restrict b = buffers[1];
	const uint32_t n = work->scalars[0];
	float *restrict c = buffers[2];

	memset(c, 0, n * n * sizeof(*c));
	for (uint32_t i = 0; i < n * n; i += n) {
		for (uint32_t k = 0; k < n; k++) {
			const float *restrict from = b + k * n, factor = a[i + k];
			float *restrict to = c + i;

			for (uint32_t j = 0; j < n; j++)
				to[j] += factor * from[j];
		}
	}
}

static void reduce(const struct work *work, void *const buffers[])
{
	const uint32_t width = work->block[0], stride = work->grid[0] * width;
	const float *in = buffers[0];
	float *out = buffers[1];

	for (uint32_t block = 0; block < work->grid[0]; block++) {
		float sum[LANES] = { 0 }, all = 0;

		for (uint32_t at = block * width; at < work->scalars[0]; at += stride)
			for (uint32_t t = 0; t < width; t += LANES)
				for (uint32_t l = 0; l < LANES; l++)
					sum[l] += in[at + t + l];
		for (uint32_t l = 0; l < LANES; l++)
			all += sum[l];
		out[block] = all;
	}
}

static void stencil(const struct work *work, void *const buffers[])
{
	const uint32_t width = work->scalars[0], height = work->scalars[1];
	const float *restrict in = buffers[0];
	float *restrict out = buffers[1];

	for (uint32_t y = 1; y < height - 1; y++) {
		const float *above = in + (y - 1) * width, *here = above + width;
		const float *below = here + width;

		for (uint32_t x = 1; x < width - 1; x++) {
			float sides = here[x - 1] + here[x + 1] + above[x] + below[x];
			float corners = above[x - 1] + above[x + 1] + below[x - 1] + below[x + 1];

			out[y * width + x] = 0.25f * here[x] + 0.125f * sides + 0.0625f * corners;
		}
	}
}

static void softmax(const struct work *work, void *const buffers[])
{
	const uint32_t n = work->scalars[0], end = work->buffers[0].words;

	for (uint32_t row = 0; row < end; row += n) {
		const float *restrict in = (const float *)buffers[0] + row;
		float *restrict out = (float *)buffers[1] + row, most = -1e30f, sum = 0;

		for (uint32_t k = 0; k < n; k++)
			most = in[k] > most ? in[k] : most;
		for (uint32_t k = 0; k < n; k++) {
			out[k] = expf(in[k] - most);
			sum += out[k];
		}
		for (uint32_t k = 0; k < n; k++)
			out[k] /= sum;
	}
}

static void scan(const struct work *work, void *const buffers[])
{
	const uint32_t *in = buffers[0];
	uint32_t *out = buffers[1], sum = 0;

	for (uint32_t i = 0; i < work->buffers[0].words; i++) {
		sum = (i % 256 ? sum : 0) + in[i];
		out[i] = sum;
	}
}

static void radix(const struct work *work, void *const buffers[])
{
	const uint32_t *keys = buffers[0], *begin = buffers[1], n = work->scalars[0];
	uint32_t *taken = buffers[2], *out = buffers[3], places[16];

	for (uint32_t d = 0; d < 16; d++)
		places[d] = begin[d] + taken[d];
	for (uint32_t i = 0; i < n; i++)
		out[places[keys[i] >> work->scalars[1] & 15]++ & (n - 1)] = keys[i];
	for (uint32_t d = 0; d < 16; d++)
		taken[d] = places[d] - begin[d];
}

/* Stages of butterflies in one transform: half as many points are @apart each time. */
static void transform(const float *restrict roots, float *restrict re, float *restrict im)
{
	for (uint32_t apart = 256; apart > 0; apart /= 2) {
		for (uint32_t first = 0; first < 512; first += 2 * apart) {
			for (uint32_t k = 0; k < apart; k++) {
				const float *root = roots + 2 * k * (256 / apart);
				uint32_t i = first + k, j = i + apart;
				float dr = re[i] - re[j], di = im[i] - im[j];

				re[i] += re[j];
				im[i] += im[j];
				re[j] = dr * root[0] - di * root[1];
				im[j] = dr * root[1] + di * root[0];
			}
		}
	}
}

static void fft(const struct work *work, void *const buffers[])
{
	const float *in = buffers[1];
	float *out = buffers[2], re[512], im[512];

	for (uint32_t at = 0; at < work->buffers[1].words; at += 1024) {
		for (uint32_t k = 0; k < 512; k++) {
			re[k] = in[at + 2 * k];
			im[k] = in[at + 2 * k + 1];
		}
		transform(buffers[0], re, im);
		for (uint32_t k = 0; k < 512; k++) {
			out[at + 2 * k] = re[k];
			out[at + 2 * k + 1] = im[k];
		}
	}
}

static void nbody(const struct work *work, void *const buffers[])
{
	enum { MOST = 1024 };
	static float x[MOST], y[MOST], z[MOST], mass[MOST];
	const uint32_t n = work->scalars[0] < MOST ? work->scalars[0] : MOST;
	const float *bodies = buffers[0];
	float *out = buffers[1];

	for (uint32_t i = 0; i < n; i++) {
		x[i] = bodies[4 * i];
		y[i] = bodies[4 * i + 1];
		z[i] = bodies[4 * i + 2];
		mass[i] = bodies[4 * i + 3];
	}
	for (uint32_t i = 0; i < n; i++) {
		float ax = 0, ay = 0, az = 0, potential = 0;

		for (uint32_t j = 0; j < n; j++) {
			float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
			float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.0625f);
			float share = mass[j] * inverse, pull = share * inverse * inverse;

			ax += pull * dx;
			ay += pull * dy;
			az += pull * dz;
			potential -= share;
		}
		memcpy(out + 4 * i, (float[]){ ax, ay, az, potential }, 16);
	}
}

/* LANES points in a row, from (@column, @row) on. */
static void mandel_lanes(const struct work *work, uint32_t column, uint32_t row, uint32_t *counts)
{
	const float step = 3.0f / (float)work->scalars[0];
	const float cy = fmaf(step, (float)row, -1.5f);
	float cx[LANES], x[LANES] = { 0 }, y[LANES] = { 0 };
	uint32_t going = 1;

	for (uint32_t l = 0; l < LANES; l++) {
		cx[l] = fmaf(step, (float)(column + l), -2.0f);
		counts[l] = 0;
	}
	for (uint32_t k = 0; k < work->scalars[1] && going; k++) {
		going = 0;
		for (uint32_t l = 0; l < LANES; l++) {
			uint32_t goes = fmaf(x[l], x[l], y[l] * y[l]) < 4.0f;
			float next = fmaf(x[l], x[l], fmaf(-y[l], y[l], cx[l]));
			float beside = fmaf(x[l] + x[l], y[l], cy);

			x[l] = goes ? next : x[l];
			y[l] = goes ? beside : y[l];
			counts[l] += goes;
			going |= goes;
		}
	}
}

static void mandel(const struct work *work, void *const buffers[])
{
	const uint32_t n = work->scalars[0];
	uint32_t *out = buffers[0];

	for (uint32_t row = 0; row < n; row++)
		for (uint32_t column = 0; column < n; column += LANES)
			mandel_lanes(work, column, row, out + row * n + column);
}

/* As many steps for all lanes: each time half of what is left is behind a lane, or is not. */
static void lower(const struct work *work, void *const buffers[])
{
	const uint32_t *table = buffers[0], *wanted = buffers[1];
	uint32_t *out = buffers[2];

	for (uint32_t first = 0; first < work->buffers[1].words; first += LANES) {
		uint32_t at[LANES] = { 0 };

		for (uint32_t left = work->scalars[0], half; left > 1; left -= half) {
			half = left / 2;
			for (uint32_t l = 0; l < LANES; l++)
				at[l] += half * (table[at[l] + half - 1] < wanted[first + l]);
		}
		for (uint32_t l = 0; l < LANES; l++)
			out[first + l] = at[l] + (table[at[l]] < wanted[first + l]);
	}
}

static void bfs(const struct work *work, void *const buffers[])
{
	const uint32_t *rows = buffers[0], *edges = buffers[1], level = work->scalars[1];
	uint32_t *levels = buffers[2];

	for (uint32_t node = 0; node < work->scalars[0]; node++) {
		if (levels[node] != level)
			continue;
		for (uint32_t e = rows[node]; e < rows[node + 1]; e++)
			if (levels[edges[e]] > level + 1)
				levels[edges[e]] = level + 1;
	}
}

static void spmv(const struct work *work, void *const buffers[])
{
	const uint32_t *rows = buffers[0], *columns = buffers[1];
	const float *values = buffers[2], *x = buffers[3];
	float *y = buffers[4];

	for (uint32_t row = 0; row < work->scalars[0]; row++) {
		float sum = 0;

		for (uint32_t e = rows[row]; e < rows[row + 1]; e++)
			sum += values[e] * x[columns[e]];
		y[row] = sum;
	}
}

static void hist(const struct work *work, void *const buffers[])
{
	const uint8_t *in = buffers[0];
	uint32_t *bins = buffers[1];

	for (uint32_t i = 0; i < 4 * work->scalars[0]; i++)
		bins[in[i]]++;
}

static void transpose(const struct work *work, void *const buffers[])
{
	const uint32_t *restrict in = buffers[0], n = work->scalars[0];
	uint32_t *restrict out = buffers[1];

	for (uint32_t y = 0; y < n; y += LANES)
		for (uint32_t x = 0; x < n; x += LANES)
			for (uint32_t i = 0; i < LANES; i++)
				for (uint32_t j = 0; j < LANES; j++)
					out[(x + i) * n + y + j] = in[(y + j) * n + x + i];
}

static void gather(const struct work *work, void *const buffers[])
{
	const uint32_t *restrict from = buffers[0], *restrict index = buffers[1];
	uint32_t *restrict out = buffers[2];

	for (uint32_t i = 0; i < work->buffers[1].words; i++)
		out[i] = from[index[i]];
}

static void blacks(const struct work *work, void *const buffers[])
{
	const float *restrict spot = buffers[0], *restrict strike = buffers[1];
	const float *restrict years = buffers[2];
	float *restrict calls = buffers[3], *restrict puts = calls + work->scalars[0];

	for (uint32_t i = 0; i < work->scalars[0]; i++) {
		float s = spot[i], k = strike[i], t = years[i], width = 0.25f * sqrtf(t);
		float d1 = (logf(s / k) + 0.06125f * t) / width, d2 = d1 - width;
		float n1 = 1.0f / (1.0f + expf(-d1 * (1.5976f + 0.07056f * d1 * d1)));
		float n2 = 1.0f / (1.0f + expf(-d2 * (1.5976f + 0.07056f * d2 * d2)));
		float later = k * expf(-0.03f * t), call = s * n1 - later * n2;

		calls[i] = call;
		puts[i] = call - s + later;
	}
}

/* Of halves that are 0 or normal: a float's exponent is 112 more. No products with powers of
 * two, which -ffast-math multiplies with each other first. */
static float from_half(uint16_t half)
{
	uint32_t bits = half & 0x7fffu;
	float value;

	bits = bits ? (bits << 13) + (112u << 23) : 0;
	bits |= (half & 0x8000u) << 16;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Of 0 and the floats that a normal half holds exactly. */
static uint16_t to_half(float value)
{
	uint32_t bits, rest;

	memcpy(&bits, &value, sizeof(bits));
	rest = bits & 0x7fffffffu;
	return (uint16_t)((rest ? (rest - (112u << 23)) >> 13 : 0) | (bits >> 16 & 0x8000u));
}

static void haxpy(const struct work *work, void *const buffers[])
{
	const uint16_t *restrict x = buffers[0], *restrict y = buffers[1];
	uint16_t *restrict out = buffers[2];

	for (uint32_t i = 0; i < 2 * work->buffers[0].words; i++)
		out[i] = to_half(0.5f * from_half(x[i]) + from_half(y[i]));
}

static void wmma16(const struct work *work, void *const buffers[])
{
	const uint16_t *a = buffers[0], *b = buffers[1];
	const uint32_t n = work->scalars[0];
	float *c = buffers[2];

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < n; j++) {
			const uint16_t *row = a + i * n, *column = b + j * n;
			float sum = 0;

			for (uint32_t k = 0; k < n; k++)
				sum += from_half(row[k]) * from_half(column[k]);
			c[i * n + j] = sum;
		}
	}
}

native_work *NATIVE(const char *kernel)
{
	static const struct {
		const char *kernel;
		native_work *work;
	} table[] = {
		{ "saxpy", saxpy }, { "inthash", inthash }, { "collatz", collatz }, { "gemm", gemm },
		{ "reduce", reduce }, { "matmul16", gemm }, { "matmul8", gemm }, { "matmul32", gemm },
		{ "stencil", stencil }, { "softmax", softmax }, { "scan", scan }, { "radix", radix },
		{ "fft", fft }, { "nbody", nbody }, { "mandel", mandel }, { "lower", lower },
		{ "bfs", bfs }, { "spmv", spmv }, { "hist", hist }, { "transpose", transpose },
		{ "gather", gather }, { "blacks", blacks }, { "haxpy", haxpy }, { "wmma16", wmma16 },
	};

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].kernel, kernel))
			return table[i].work;
	work_fail(kernel, "native.c does not have this kernel");
}
