// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cholesky's decomposition in shared memory, a column at a time, and a solve with it.

constexpr int MOST = 24;

extern "C" __global__ void cholesky(const double *matrix, const double *right, double *lower,
				    double *x, int n, int *failed)
{
	__shared__ double a[MOST][MOST + 1], b[MOST];
	int t = threadIdx.x, system = blockIdx.x;

	for (int i = t; i < n * n; i += blockDim.x)
		a[i / n][i % n] = matrix[system * n * n + i];
	if (t < n)
		b[t] = right[system * n + t];
	__syncthreads();
	for (int k = 0; k < n; k++) {
		if (__syncthreads_or(!(a[k][k] > 0))) {
			if (t == 0)
				failed[system] = k + 1;
			return;
		}
		double pivot = sqrt(a[k][k]);
		__syncthreads();
		if (t == k)
			a[k][k] = pivot;
		if (t > k && t < n)
			a[t][k] /= pivot;
		__syncthreads();
		if (t > k && t < n)
			for (int j = k + 1; j <= t; j++)
				a[t][j] -= a[t][k] * a[j][k];
		__syncthreads();
	}
	for (int k = 0; k < n; k++) {
		if (t == k)
			b[k] /= a[k][k];
		__syncthreads();
		if (t > k && t < n)
			b[t] -= a[t][k] * b[k];
		__syncthreads();
	}
	for (int k = n - 1; k >= 0; k--) {
		if (t == k)
			b[k] /= a[k][k];
		__syncthreads();
		if (t < k)
			b[t] -= a[k][t] * b[k];
		__syncthreads();
	}
	for (int i = t; i < n * n; i += blockDim.x)
		lower[system * n * n + i] = i % n <= i / n ? a[i / n][i % n] : 0;
	if (t < n)
		x[system * n + t] = b[t];
	if (t == 0)
		failed[system] = 0;
}
