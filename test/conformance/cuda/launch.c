/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches: arguments in both forms, geometry and its limits, shared memory. */
#include "cuda_kernels.h"

#define COUNT 1000

static CUmodule module;

static CUdeviceptr upload(const float *values)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, COUNT * sizeof(float)));
	OK_CU(cu.cuMemcpyHtoD(address, values, COUNT * sizeof(float)));
	return address;
}

struct vadd {
	CUdeviceptr a, b, c;
	unsigned n;
};

static struct vadd vadd_new(void)
{
	struct vadd v = { .n = COUNT };
	float a[COUNT], b[COUNT];

	for (int i = 0; i < COUNT; i++) {
		a[i] = (float)i;
		b[i] = (float)i * 0.5f;
	}
	v.a = upload(a);
	v.b = upload(b);
	OK_CU(cu.cuMemAlloc(&v.c, COUNT * sizeof(float)));
	OK_CU(cu.cuMemsetD8(v.c, 0, COUNT * sizeof(float)));
	return v;
}

static void vadd_check(const struct vadd *v)
{
	float c[COUNT];
	int wrong = 0;

	OK_CU(cu.cuMemcpyDtoH(c, v->c, sizeof(c)));
	for (int i = 0; i < COUNT; i++)
		wrong += c[i] != (float)i * 1.5f;
	CHECK_INT(wrong, 0);
	OK_CU(cu.cuMemFree(v->a));
	OK_CU(cu.cuMemFree(v->b));
	OK_CU(cu.cuMemFree(v->c));
}

/* The arguments are taken at the call: they may change afterwards. */
static void test_params(void)
{
	struct vadd v = vadd_new(), copy = v;
	void *params[] = { &copy.a, &copy.b, &copy.c, &copy.n };

	OK_CU(cu.cuLaunchKernel(cuda_function(module, "vadd"), 8, 1, 1, 128, 1, 1, 0, NULL, params,
				NULL));
	memset(&copy, 0, sizeof(copy));
	vadd_check(&v);
}

static void test_extra(void)
{
	struct vadd v = vadd_new(), copy = v;
	size_t size = offsetof(struct vadd, n) + sizeof(copy.n);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &copy, CU_LAUNCH_PARAM_BUFFER_SIZE,
			  &size, CU_LAUNCH_PARAM_END };

	OK_CU(cu.cuLaunchKernel(cuda_function(module, "vadd"), 8, 1, 1, 128, 1, 1, 0, NULL, NULL,
				extra));
	memset(&copy, 0, sizeof(copy));
	vadd_check(&v);
}

/* Where there are no arguments there may be no buffer; else there has to be one. */
static void test_extra_empty(void)
{
	CUfunction nothing = cuda_function(module, "nothing");
	CUfunction store = cuda_function(module, "store");
	size_t size = 0;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE,
			  &size, CU_LAUNCH_PARAM_END };

	OK_CU(cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
	CHECK_CU(cu.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuCtxSynchronize());
}

static void test_launch_ex(void)
{
	struct vadd v = vadd_new();
	void *params[] = { &v.a, &v.b, &v.c, &v.n };
	CUlaunchConfig config = {
		.gridDimX = 16, .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = 64, .blockDimY = 1, .blockDimZ = 1,
	};

	if (!cu.cuLaunchKernelEx)
		return;
	OK_CU(cu.cuLaunchKernelEx(&config, cuda_function(module, "vadd"), params, NULL));
	vadd_check(&v);
}

static CUresult launch(CUfunction f, const unsigned grid[3], const unsigned block[3],
		       unsigned shared)
{
	CUdeviceptr address = 0;
	unsigned value = 0;
	void *params[] = { &address, &value };

	return cu.cuLaunchKernel(f, grid[0], grid[1], grid[2], block[0], block[1], block[2],
				 shared, NULL, params, NULL);
}

static void test_geometry(void)
{
	static const unsigned one[3] = { 1, 1, 1 };
	static const struct {
		unsigned grid[3], block[3];
	} bad[] = {
		{ { 0, 1, 1 }, { 1, 1, 1 } },	  { { 1, 0, 1 }, { 1, 1, 1 } },
		{ { 1, 1, 0 }, { 1, 1, 1 } },	  { { 1, 1, 1 }, { 0, 1, 1 } },
		{ { 1, 1, 1 }, { 1025, 1, 1 } },  { { 1, 1, 1 }, { 32, 33, 1 } },
		{ { 1, 1, 1 }, { 1, 1, 65 } },	  { { 1, 65536, 1 }, { 1, 1, 1 } },
		{ { 1, 1, 65536 }, { 1, 1, 1 } }, { { 0x80000000u, 1, 1 }, { 1, 1, 1 } },
		{ { 1, 1, 1 }, { 1, 1, 0 } },
	};
	CUfunction f = cuda_function(module, "store");

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_CU(launch(f, bad[i].grid, bad[i].block, 0), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(launch(f, one, one, (48 << 10) + 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(launch(NULL, one, one, 0), CUDA_ERROR_INVALID_HANDLE);
	OK_CU(cu.cuCtxSynchronize());
}

static void check_shared(CUfunction f, unsigned threads, unsigned bytes)
{
	CUdeviceptr address = 0;
	unsigned out[1024] = { 0 };
	void *params[] = { &address };

	OK_CU(cu.cuMemAlloc(&address, sizeof(out)));
	OK_CU(cu.cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, bytes, NULL, params, NULL));
	OK_CU(cu.cuMemcpyDtoH(out, address, threads * 4));
	for (unsigned i = 0; i < threads; i++)
		CHECK_INT(out[i], threads - 1 - i);
	OK_CU(cu.cuMemFree(address));
}

static void test_shared(void)
{
	CUfunction f = cuda_function(module, "shared");
	int most = 0, value = 0;

	check_shared(f, 256, 1024);
	check_shared(f, 33, 132);
	OK_CU(cu.cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
				      0));
	CHECK_CU(cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				       most + 1),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most));
	OK_CU(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
	CHECK_INT(value, most);
	check_shared(f, 1024, (unsigned)most);
}

/* CTAs that wait for a later one of their grid: all of them have to be begun. */
static void test_last(void)
{
	CUfunction f = cuda_function(module, "last");
	CUdeviceptr address = 0;
	unsigned value = 0;
	void *params[] = { &address };

	OK_CU(cu.cuMemAlloc(&address, 4));
	OK_CU(cu.cuMemsetD32(address, 0, 1));
	OK_CU(cu.cuLaunchKernel(f, 200, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	OK_CU(cu.cuMemcpyDtoH(&value, address, 4));
	CHECK_INT(value, 200);
	OK_CU(cu.cuMemFree(address));
}

/* Enough CTAs for every worker, many times over. */
static void test_many(void)
{
	CUfunction f = cuda_function(module, "vadd");
	const unsigned count = 1 << 20;
	struct vadd v = { .n = count };
	void *params[] = { &v.a, &v.b, &v.c, &v.n };
	float *host = malloc(count * sizeof(*host));
	unsigned wrong = 0;

	OK_CU(cu.cuMemAlloc(&v.a, count * sizeof(*host)));
	OK_CU(cu.cuMemAlloc(&v.b, count * sizeof(*host)));
	OK_CU(cu.cuMemAlloc(&v.c, count * sizeof(*host)));
	OK_CU(cu.cuMemsetD32(v.a, 0x3f800000, count));
	OK_CU(cu.cuMemsetD32(v.b, 0x40000000, count));
	OK_CU(cu.cuLaunchKernel(f, count / 64, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
	OK_CU(cu.cuMemcpyDtoH(host, v.c, count * sizeof(*host)));
	for (unsigned i = 0; i < count; i++)
		wrong += host[i] != 3.0f;
	CHECK_INT(wrong, 0);
	OK_CU(cu.cuMemFree(v.a));
	OK_CU(cu.cuMemFree(v.b));
	OK_CU(cu.cuMemFree(v.c));
	free(host);
}

/* More threads in a block, more shared memory: beyond 768 no block fits by default. */
static size_t shared_of(int block)
{
	return (size_t)block * 64;
}

static void test_occupancy(void)
{
	CUfunction f = cuda_function(module, "vadd");
	int grid = 0, block = 0, units = 0, least = 0;

	OK_CU(cu.cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	OK_CU(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
	CHECK(block >= 32 && block <= 1024 && block % 32 == 0);
	CHECK(grid >= units && grid % units == 0);
	OK_CU(cu.cuOccupancyMaxPotentialBlockSize(&least, &block, f, NULL, 48 << 10, 0));
	CHECK(block >= 32 && least <= grid && least >= units);
	OK_CU(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 100));
	CHECK(block >= 32 && block <= 100 && grid >= units);
	CHECK(block % 32 == 0 || block == 100);
	OK_CU(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, f, shared_of, 0, 0));
	CHECK(block >= 32 && block <= 768 && grid >= units);
}

/* A kernel of which each thread has @count values at once. */
static char *many_values(int count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out,
		PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .u64 %%p, %%i;\n"
			 ".reg .u32 %%t, %%r<%d>;\nld.param.u64 %%p, [p];\nmov.u32 %%t, %%tid.x;\n"
			 "mul.wide.u32 %%i, %%t, 4096;\nadd.u64 %%p, %%p, %%i;\n",
		count);
	for (int i = 0; i < count; i++)
		fprintf(out, "ld.volatile.global.u32 %%r%d, [%%p+%d];\n", i, 4 * i);
	for (int i = 0; i < count; i++)
		fprintf(out, "st.volatile.global.u32 [%%p+%d], %%r%d;\n", 4 * i, count - 1 - i);
	fprintf(out, "ret;\n}\n");
	fclose(out);
	return text;
}

/* The largest block that a kernel says that it takes has registers enough. */
static void test_registers(void)
{
	static const int counts[] = { 8, 80, 200, 400 };
	int threads = 0, registers = 0, most = 0;
	CUmodule crowded = NULL;
	CUfunction function;

	OK_CU(cu.cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 0));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		char *text = many_values(counts[i]);

		OK_CU(cu.cuModuleLoadData(&crowded, text));
		free(text);
		function = cuda_function(crowded, "k");
		OK_CU(cu.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
					    function));
		OK_CU(cu.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
		CHECK(registers > 0 && threads > 0 && threads * registers <= most);
		OK_CU(cu.cuModuleUnload(crowded));
	}
}

int main(void)
{
	cuda_start();
	module = cuda_kernels();
	RUN(test_params);
	RUN(test_extra);
	RUN(test_extra_empty);
	RUN(test_launch_ex);
	RUN(test_geometry);
	RUN(test_shared);
	RUN(test_occupancy);
	RUN(test_registers);
	RUN(test_last);
	RUN(test_many);
	return tap_end();
}
