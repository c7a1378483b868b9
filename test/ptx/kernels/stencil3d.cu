// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat in three dimensions: a plane in shared memory, its neighbours in registers.

constexpr int TX = 16, TY = 8;

template <typename T>
__device__ void heat(const T *__restrict__ in, T *__restrict__ out, int nx, int ny, int nz,
		     T centre, T side)
{
	__shared__ T plane[TY + 2][TX + 2];
	int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1, layer = nx * ny;
	bool inside = x < nx && y < ny;
	auto at = [&](int i, int j, int k) {
		return i >= 0 && i < nx && j >= 0 && j < ny && k < nz ?
			       in[k * layer + j * nx + i] : T(0);
	};
	T below = 0, here = at(x, y, 0), above;

	for (int z = 0; z < nz; z++) {
		above = at(x, y, z + 1);
		plane[ty][tx] = here;
		if (tx == 1)
			plane[ty][0] = at(x - 1, y, z);
		if (tx == TX)
			plane[ty][TX + 1] = at(x + 1, y, z);
		if (ty == 1)
			plane[0][tx] = at(x, y - 1, z);
		if (ty == TY)
			plane[TY + 1][tx] = at(x, y + 1, z);
		__syncthreads();
		if (inside)
			out[z * layer + y * nx + x] =
				centre * here +
				side * (below + above + plane[ty][tx - 1] + plane[ty][tx + 1] +
					plane[ty - 1][tx] + plane[ty + 1][tx]);
		__syncthreads();
		below = here;
		here = above;
	}
}

extern "C" __global__ void heat_f32(const float *in, float *out, int nx, int ny, int nz)
{
	heat<float>(in, out, nx, ny, nz, -6.0f, 1.0f);
}

extern "C" __global__ void heat_f64(const double *in, double *out, int nx, int ny, int nz)
{
	heat<double>(in, out, nx, ny, nz, 0.25, 0.125);
}
