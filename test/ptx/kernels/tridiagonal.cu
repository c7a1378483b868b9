// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tridiagonal systems: by parallel cyclic reduction, and by elimination per thread.

extern "C" __global__ void cyclic(const double *lower, const double *diagonal,
				  const double *upper, const double *right, double *x, int n)
{
	extern __shared__ double room[];
	double *a = room, *b = a + n, *c = b + n, *d = c + n;
	int i = threadIdx.x, at = blockIdx.x * n + i;

	if (i < n) {
		a[i] = i ? lower[at] : 0;
		b[i] = diagonal[at];
		c[i] = i < n - 1 ? upper[at] : 0;
		d[i] = right[at];
	}
	for (int step = 1; step < n; step *= 2) {
		double na = 0, nb = 1, nc = 0, nd = 0;

		__syncthreads();
		if (i < n) {
			int p = i - step, q = i + step;
			double k = p >= 0 ? a[i] / b[p] : 0, l = q < n ? c[i] / b[q] : 0;

			na = p >= 0 ? -a[p] * k : 0;
			nc = q < n ? -c[q] * l : 0;
			nb = b[i] - (p >= 0 ? c[p] * k : 0) - (q < n ? a[q] * l : 0);
			nd = d[i] - (p >= 0 ? d[p] * k : 0) - (q < n ? d[q] * l : 0);
		}
		__syncthreads();
		if (i < n)
			a[i] = na, b[i] = nb, c[i] = nc, d[i] = nd;
	}
	if (i < n)
		x[at] = d[i] / b[i];
}

// Interleaved systems, so that neighbours read neighbours; the same matrix in each.
extern "C" __global__ void thomas(const float *lower, const float *diagonal,
				  const float *upper, const float *right, float *x, int n,
				  int systems)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float c[32], before = 0;

	if (t >= systems)
		return;
	for (int i = 0; i < n; i++) {
		float a = i ? lower[i] : 0, m = 1.0f / (diagonal[i] - a * (i ? c[i - 1] : 0));

		c[i] = upper[i] * m;
		before = (right[i * systems + t] - a * before) * m;
		x[i * systems + t] = before;
	}
	for (int i = n - 2; i >= 0; i--)
		x[i * systems + t] = before = x[i * systems + t] - c[i] * before;
}
