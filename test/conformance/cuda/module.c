/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules: loading, what is refused and how, functions, variables, unloading. */
#include "cuda_kernels.h"

static void test_load(void)
{
	CUmodule module = NULL;
	CUfunction function = NULL, again = NULL;

	OK_CU(cu.cuModuleLoadData(&module, PTX_ALL));
	OK_CU(cu.cuModuleGetFunction(&function, module, "vadd"));
	OK_CU(cu.cuModuleGetFunction(&again, module, "vadd"));
	CHECK(function && function == again);
	CHECK_CU(cu.cuModuleGetFunction(&function, module, "absent"), CUDA_ERROR_NOT_FOUND);
	OK_CU(cu.cuModuleUnload(module));
}

static void test_malformed(void)
{
	CUmodule module = NULL;

	CHECK_CU(cu.cuModuleLoadData(&module, PTX_HEAD "nonsense here;\n"),
		 CUDA_ERROR_INVALID_PTX);
	CHECK_CU(cu.cuModuleLoadData(&module, PTX_HEAD ".visible .entry k() { bra $nowhere; }\n"),
		 CUDA_ERROR_INVALID_PTX);
	CHECK_CU(cu.cuModuleLoadData(&module,
				     PTX_HEAD ".visible .entry k() { add.u32 %r1, %r2, %r3; }\n"),
		 CUDA_ERROR_INVALID_PTX);
	CHECK_CU(cu.cuModuleLoadData(&module,
				     ".version 99.0\n.target sm_52\n.address_size 64\n"),
		 CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
	CHECK_CU(cu.cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
	CHECK_CU(cu.cuModuleLoadData(&module, "no PTX at all"), CUDA_ERROR_INVALID_IMAGE);
	CHECK_CU(cu.cuModuleLoadData(&module, ".version 7.0\n.target sm_103\n"
					      ".address_size 64\n"),
		 CUDA_ERROR_INVALID_PTX);
	CHECK_CU(cu.cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(cu.cuModuleLoadData(NULL, PTX_ALL), CUDA_ERROR_INVALID_VALUE);
}

/* The image may go, or change, as soon as the call is over. */
static void test_copied(void)
{
	char *text = strdup(PTX_ALL);
	CUfunction function = NULL;
	CUmodule module = NULL;

	OK_CU(cu.cuModuleLoadData(&module, text));
	memset(text, 'x', strlen(text));
	free(text);
	OK_CU(cu.cuModuleGetFunction(&function, module, "step"));
	OK_CU(cu.cuModuleUnload(module));
}

static void test_log(void)
{
	char error[4096] = "x", info[64] = "y";
	CUjit_option options[] = {
		CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
		CU_JIT_INFO_LOG_BUFFER,	 CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
		CU_JIT_OPTIMIZATION_LEVEL,
	};
	void *values[] = { error, (void *)sizeof(error), info, (void *)sizeof(info), (void *)2 };
	CUmodule module = NULL;

	CHECK_CU(cu.cuModuleLoadDataEx(&module, PTX_HEAD "nonsense here;\n", 5, options, values),
		 CUDA_ERROR_INVALID_PTX);
	CHECK(strlen(error) > 10);
	CHECK_HAS(error, "line");
	if (cu.gpurunCpuReport) /* with its end; CUDA's manual says how much, not of what */
		CHECK_INT((uintptr_t)values[1], strlen(error) + 1);
	values[1] = (void *)sizeof(error);
	values[3] = (void *)sizeof(info);
	OK_CU(cu.cuModuleLoadDataEx(&module, PTX_ALL, 5, options, values));
	OK_CU(cu.cuModuleUnload(module));
	OK_CU(cu.cuModuleLoadDataEx(&module, PTX_ALL, 0, NULL, NULL));
	OK_CU(cu.cuModuleUnload(module));
}

/* A log that does not fit is cut, never written past its buffer. */
static void test_short_log(void)
{
	char error[16];
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { error, (void *)8 };
	CUmodule module = NULL;

	memset(error, '#', sizeof(error));
	CHECK_CU(cu.cuModuleLoadDataEx(&module, PTX_HEAD "nonsense here;\n", 2, options, values),
		 CUDA_ERROR_INVALID_PTX);
	CHECK(memchr(error, '\0', 8) && error[8] == '#');
}

static void test_globals(void)
{
	CUmodule module = cuda_kernels();
	CUdeviceptr address = 0;
	unsigned table[3] = { 0 }, value = 0;
	size_t size = 0;

	OK_CU(cu.cuModuleGetGlobal(&address, &size, module, "table"));
	CHECK_INT(size, 12);
	OK_CU(cu.cuMemcpyDtoH(table, address, 12));
	CHECK(table[0] == 7 && table[1] == 8 && table[2] == 9);
	OK_CU(cu.cuModuleGetGlobal(&address, &size, module, "factor"));
	CHECK_INT(size, 4);
	OK_CU(cu.cuMemcpyDtoH(&value, address, 4));
	CHECK_INT(value, 5);
	OK_CU(cu.cuModuleGetGlobal(NULL, &size, module, "counter"));
	CHECK_CU(cu.cuModuleGetGlobal(&address, &size, module, "absent"),
		 CUDA_ERROR_NOT_FOUND);
	OK_CU(cu.cuModuleUnload(module));
}

static unsigned count_once(CUmodule module)
{
	CUdeviceptr address = 0;
	unsigned value = 0;
	void *params[] = { &address };

	OK_CU(cu.cuMemAlloc(&address, 4));
	OK_CU(cuda_launch1(cuda_function(module, "count"), NULL, params));
	OK_CU(cu.cuMemcpyDtoH(&value, address, 4));
	OK_CU(cu.cuMemFree(address));
	return value;
}

/* Every load has variables of its own. */
static void test_own_variables(void)
{
	CUmodule one = cuda_kernels(), two = cuda_kernels();

	CHECK_INT(count_once(one), 1);
	CHECK_INT(count_once(one), 2);
	CHECK_INT(count_once(two), 1);
	OK_CU(cu.cuModuleUnload(one));
	CHECK_INT(count_once(two), 2);
	OK_CU(cu.cuModuleUnload(two));
}

#define PTX_CONSTANT                                                                            \
	PTX_HEAD ".visible .const .align 4 .u32 c[2] = {5, 6};\n"                                 \
		 ".visible .entry set(.param .u64 p, .param .u32 v) {\n"                          \
		 ".reg .b64 %p; .reg .b32 %v;\n"                                                  \
		 "ld.param.u64 %p, [p]; ld.param.u32 %v, [v]; st.global.u32 [%p], %v; ret; }\n"   \
		 ".visible .entry add(.param .u64 p, .param .u32 v) {\n"                          \
		 ".reg .b64 %p; .reg .b32 %v;\n"                                                  \
		 "ld.param.u64 %p, [p]; ld.param.u32 %v, [v]; red.add.u32 [%p], %v; ret; }\n"     \
		 ".visible .entry get(.param .u64 p) {\n"                                         \
		 ".reg .b64 %p; .reg .b32 %v<2>;\n"                                               \
		 "ld.param.u64 %p, [p]; ld.const.v2.u32 {%v0, %v1}, [c];\n"                       \
		 "add.u32 %v0, %v0, %v1; st.global.u32 [%p], %v0; ret; }\n"

static unsigned read_constants(CUmodule module)
{
	CUdeviceptr out = 0;
	void *params[] = { &out };
	unsigned sum = 0;

	OK_CU(cu.cuMemAlloc(&out, 4));
	OK_CU(cuda_launch1(cuda_function(module, "get"), NULL, params));
	OK_CU(cu.cuMemcpyDtoH(&sum, out, 4));
	OK_CU(cu.cuMemFree(out));
	return sum;
}

/* By the address that the host has a kernel writes a constant; later kernels read what it wrote. */
static void test_written_constant(void)
{
	CUdeviceptr address = 0;
	CUmodule module = NULL;
	unsigned value = 100;
	void *params[] = { &address, &value };

	OK_CU(cu.cuModuleLoadData(&module, PTX_CONSTANT));
	OK_CU(cu.cuModuleGetGlobal(&address, NULL, module, "c"));
	CHECK_INT(read_constants(module), 11);
	OK_CU(cuda_launch1(cuda_function(module, "set"), NULL, params));
	CHECK_INT(read_constants(module), 106);
	address += 4;
	OK_CU(cuda_launch1(cuda_function(module, "add"), NULL, params));
	CHECK_INT(read_constants(module), 206);
	OK_CU(cu.cuModuleUnload(module));
}

static void test_attributes(void)
{
	CUmodule module = cuda_kernels();
	CUfunction function = cuda_function(module, "vadd");
	size_t offset = 0, size = 0;
	int value = -1;

	OK_CU(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
	CHECK_INT(value, 1024);
	OK_CU(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
	CHECK_INT(value, 0);
	OK_CU(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				    function));
	CHECK_INT(value, 48 << 10);
	OK_CU(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
	CHECK(value > 0);
	CHECK_CU(cu.cuFuncGetAttribute(&value, (CUfunction_attribute)999, function),
		 CUDA_ERROR_INVALID_VALUE);
	if (cu.cuFuncGetParamInfo) {
		OK_CU(cu.cuFuncGetParamInfo(function, 3, &offset, &size));
		CHECK(offset == 24 && size == 4);
		CHECK_CU(cu.cuFuncGetParamInfo(function, 4, &offset, &size),
			 CUDA_ERROR_INVALID_VALUE);
	}
	OK_CU(cu.cuModuleUnload(module));
}

/* A kernel that holds 64 values at once. */
static const char *crowded(void)
{
	static char text[8192];
	size_t at = (size_t)sprintf(text, PTX_HEAD ".visible .entry k(.param .u64 p) {\n"
				    ".reg .b64 %%p, %%t; .reg .b32 %%v<64>;\n"
				    "ld.param.u64 %%p, [p]; mov.u32 %%v0, %%tid.x;\n"
				    "mul.wide.u32 %%t, %%v0, 256; add.u64 %%p, %%p, %%t;\n");

	for (unsigned i = 0; i < 64; i++)
		at += (size_t)sprintf(text + at, "ld.global.u32 %%v%u, [%%p+%u];\n", i, 4 * i);
	at += (size_t)sprintf(text + at, "bar.sync 0;\n");
	for (unsigned i = 0; i < 64; i++)
		at += (size_t)sprintf(text + at, "st.global.u32 [%%p+%u], %%v%u;\n", 4 * i, 63 - i);
	sprintf(text + at, "ret; }\n");
	return text;
}

/* The registers of crowded() when it is loaded with a limit of @most. */
static int registers_with(unsigned most)
{
	CUjit_option option = CU_JIT_MAX_REGISTERS;
	void *limit = (void *)(uintptr_t)most;
	CUmodule module = NULL;
	int value = -1;

	OK_CU(cu.cuModuleLoadDataEx(&module, crowded(), 1, &option, &limit));
	OK_CU(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS,
				    cuda_function(module, "k")));
	OK_CU(cu.cuModuleUnload(module));
	return value;
}

/* The same, where the linker gets the limit, or with 0 none. */
static int registers_linked(unsigned most)
{
	CUjit_option option = CU_JIT_MAX_REGISTERS;
	void *limit = (void *)(uintptr_t)most, *image = NULL;
	CUlinkState state = NULL;
	CUmodule module = NULL;
	size_t size;
	int value = -1;

	OK_CU(cu.cuLinkCreate(most != 0, &option, &limit, &state));
	OK_CU(cu.cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)crowded(),
			       strlen(crowded()) + 1, "crowded", 0, NULL, NULL));
	OK_CU(cu.cuLinkComplete(state, &image, &size));
	OK_CU(cu.cuModuleLoadData(&module, image));
	OK_CU(cu.cuLinkDestroy(state));
	OK_CU(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS,
				    cuda_function(module, "k")));
	OK_CU(cu.cuModuleUnload(module));
	return value;
}

static void test_register_limit(void)
{
	CHECK(registers_with(32) <= 32);
	CHECK(registers_with(40) <= 40 && registers_with(40) > 32);
	CHECK_INT(registers_with(8), 24); /* no kernel has less room */
	CHECK(registers_with(200) >= 64); /* as many as a block of 1024 threads has room for */
	CHECK(registers_linked(40) <= 40 && registers_linked(40) > 32);
	CHECK(registers_linked(0) >= 64);
}

/*
 * CUB, Thrust and others choose what to launch by the target of the image, so its .version must
 * not be taken for it. The rows are an H100's answers, but for binary versions: it has sm_90 alone.
 */
static void test_targets(void)
{
	static const struct {
		const char *version, *target;
		int answer;
	} rows[] = {
		{ "6.3", "sm_70", 70 }, { "7.0", "sm_80", 80 }, { "7.8", "sm_75", 75 },
		{ "8.0", "sm_90", 90 }, { "8.0", "sm_52", 52 }, { "8.3", "sm_80", 80 },
		{ "8.0", "sm_90a", 90 }, { "9.0", "sm_75", 75 }, { "9.0", "sm_80", 80 },
		{ "9.0", "sm_90", 90 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CUmodule module = NULL;
		char text[160];
		int answer = -1;

		snprintf(text, sizeof(text),
			 ".version %s\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n",
			 rows[i].version, rows[i].target);
		OK_CU(cu.cuModuleLoadData(&module, text));
		OK_CU(cu.cuFuncGetAttribute(&answer, CU_FUNC_ATTRIBUTE_PTX_VERSION,
					    cuda_function(module, "k")));
		CHECK_INT(answer, rows[i].answer);
		OK_CU(cu.cuModuleUnload(module));
	}
}

int main(void)
{
	cuda_start();
	RUN(test_load);
	RUN(test_malformed);
	RUN(test_copied);
	RUN(test_log);
	RUN(test_short_log);
	RUN(test_globals);
	RUN(test_own_variables);
	RUN(test_written_constant);
	RUN(test_attributes);
	RUN(test_register_limit);
	RUN(test_targets);
	return tap_end();
}
