/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries and their kernels; what modules and functions tell of themselves; images in files. */
#include <unistd.h>

#include "cuda_kernels.h"

#define MANAGED PTX_HEAD ".visible .global .attribute(.managed) .align 4 .u32 shared = 3;\n" \
			 PTX_NOTHING

static CUlibrary library_new(const char *text)
{
	CUlibrary library = NULL;

	OK_CU(cu.cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
	return library;
}

static CUkernel library_kernel(CUlibrary library, const char *name)
{
	CUkernel kernel = NULL;

	OK_CU(cu.cuLibraryGetKernel(&kernel, library, name));
	return kernel;
}

/* A library is loaded where no context is current. */
static void test_without_context(void)
{
	CUlibrary library;
	CUcontext context;
	const char *name = NULL;
	CUkernel kernel;
	unsigned count = 0;

	OK_CU(cu.cuCtxPopCurrent(&context));
	library = library_new(PTX_ALL);
	kernel = library_kernel(library, "step");
	OK_CU(cu.cuLibraryGetKernelCount(&count, library));
	CHECK_INT(count, 10);
	OK_CU(cu.cuKernelGetName(&name, kernel));
	CHECK_STR(name, "step");
	OK_CU(cu.cuCtxPushCurrent(context));
	OK_CU(cu.cuLibraryUnload(library));
}

static unsigned launch_step(CUfunction function)
{
	CUdeviceptr address = 0;
	unsigned word = 1, k = 4;
	void *params[] = { &address, &k };

	OK_CU(cu.cuMemAlloc(&address, sizeof(word)));
	OK_CU(cu.cuMemcpyHtoD(address, &word, sizeof(word)));
	OK_CU(cuda_launch1(function, NULL, params));
	OK_CU(cu.cuMemcpyDtoH(&word, address, sizeof(word)));
	OK_CU(cu.cuMemFree(address));
	return word;
}

/* A kernel is launched as it is, and as the function that it is in the context. */
static void test_launch(void)
{
	CUlibrary library = library_new(PTX_ALL), owner = NULL;
	CUkernel kernel = library_kernel(library, "step");
	CUfunction function = NULL;

	CHECK_INT(launch_step((CUfunction)kernel), 35);
	OK_CU(cu.cuKernelGetFunction(&function, kernel));
	CHECK_INT(launch_step(function), 35);
	OK_CU(cu.cuKernelGetLibrary(&owner, kernel));
	CHECK(owner == library);
	OK_CU(cu.cuLibraryUnload(library));
}

static void test_kernel_attributes(void)
{
	CUlibrary library = library_new(PTX_ALL);
	CUkernel kernel = library_kernel(library, "vadd");
	size_t offset = 99, size = 99;
	int value = 0;

	OK_CU(cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
	CHECK(value >= 1 && value <= 1024);
	OK_CU(cu.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000,
				      kernel, 0));
	OK_CU(cu.cuKernelGetParamInfo(kernel, 3, &offset, &size));
	CHECK_INT(offset, 24);
	CHECK_INT(size, 4);
	CHECK_CU(cu.cuKernelGetParamInfo(kernel, 4, &offset, &size), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
	OK_CU(cu.cuLibraryUnload(library));
}

static void test_enumerate(void)
{
	CUlibrary library = library_new(PTX_ALL);
	CUkernel kernels[16] = { NULL };
	const char *name = NULL;
	bool found = false;

	OK_CU(cu.cuLibraryEnumerateKernels(kernels, 10, library));
	for (int i = 0; i < 10; i++) {
		OK_CU(cu.cuKernelGetName(&name, kernels[i]));
		found |= name && !strcmp(name, "nothing");
	}
	CHECK(found && !kernels[10]);
	OK_CU(cu.cuLibraryUnload(library));
}

/* A library's variables are those of its module in the context. */
static void test_variables(void)
{
	CUlibrary library = library_new(PTX_ALL);
	CUdeviceptr one = 0, two = 0;
	size_t size = 0;
	CUmodule module = NULL;

	OK_CU(cu.cuLibraryGetGlobal(&one, &size, library, "table"));
	CHECK_INT(size, 12);
	OK_CU(cu.cuLibraryGetModule(&module, library));
	OK_CU(cu.cuModuleGetGlobal(&two, NULL, module, "table"));
	CHECK(one && one == two);
	CHECK_CU(cu.cuLibraryGetGlobal(&one, &size, library, "nosuch"), CUDA_ERROR_NOT_FOUND);
	CHECK_CU(cu.cuLibraryGetManaged(&one, &size, library, "table"), CUDA_ERROR_NOT_FOUND);
	OK_CU(cu.cuLibraryUnload(library));
}

static void test_managed(void)
{
	CUlibrary library = library_new(MANAGED);
	CUdeviceptr address = 0;
	size_t size = 0;

	OK_CU(cu.cuLibraryGetManaged(&address, &size, library, "shared"));
	CHECK_INT(size, 4);
	REQUIRE(address);
	CHECK_INT(*(unsigned *)(uintptr_t)address, 3);
	OK_CU(cu.cuLibraryUnload(library));
}

/* What a library may be given beside an image: hints, of which there are two. */
static void test_options(void)
{
	CUlibraryOption options[] = { CU_LIBRARY_BINARY_IS_PRESERVED };
	void *values[] = { (void *)1 };
	CUlibrary library = NULL;

	OK_CU(cu.cuLibraryLoadData(&library, PTX_ALL, NULL, NULL, 0, options, values, 1));
	OK_CU(cu.cuLibraryUnload(library));
	options[0] = (CUlibraryOption)99;
	CHECK_CU(cu.cuLibraryLoadData(&library, PTX_ALL, NULL, NULL, 0, options, values, 1),
		 CUDA_ERROR_INVALID_VALUE);
	/* NVIDIA's driver reads what is not there. */
	if (cu.gpurunCpuReport)
		CHECK_CU(cu.cuLibraryLoadData(&library, PTX_ALL, NULL, NULL, 0, NULL, values, 1),
			 CUDA_ERROR_INVALID_VALUE);
}

static void test_refused(void)
{
	static const char broken[] = ".version 7.0\n.target sm_52\n.entry (";
	CUlibrary library = NULL;
	CUmodule module = NULL;
	CUkernel kernel = NULL;
	void *function;

	/* A driver may look at the text no sooner than it has to. */
	CHECK(cu.cuLibraryLoadData(&library, broken, NULL, NULL, 0, NULL, NULL, 0) ||
	      cu.cuLibraryGetModule(&module, library));
	CHECK_CU(cu.cuLibraryLoadFromFile(&library, "/nonexistent", NULL, NULL, 0, NULL, NULL, 0),
		 CUDA_ERROR_FILE_NOT_FOUND);
	library = library_new(PTX_ALL);
	CHECK_CU(cu.cuLibraryGetKernel(&kernel, library, "nosuch"), CUDA_ERROR_NOT_FOUND);
	/* No device here has unified functions. */
	CHECK_CU(cu.cuLibraryGetUnifiedFunction(&function, library, "step"),
		 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuLibraryUnload(library));
}

/* ---- Modules ------------------------------------------------------------------ */

static void test_functions_of_module(void)
{
	CUmodule module = cuda_kernels(), owner = NULL;
	CUfunction functions[16] = { NULL };
	unsigned count = 0;
	const char *name = NULL;
	CUfunctionLoadingState state;

	OK_CU(cu.cuModuleGetFunctionCount(&count, module));
	CHECK_INT(count, 10);
	OK_CU(cu.cuModuleEnumerateFunctions(functions, 10, module));
	for (int i = 0; i < 10; i++) {
		OK_CU(cu.cuFuncGetName(&name, functions[i]));
		OK_CU(cu.cuFuncGetModule(&owner, functions[i]));
		CHECK(owner == module);
		CHECK(cuda_function(module, name) == functions[i]);
		OK_CU(cu.cuFuncLoad(functions[i]));
		OK_CU(cu.cuFuncIsLoaded(&state, functions[i]));
		CHECK_INT(state, CU_FUNCTION_LOADING_STATE_LOADED);
	}
	OK_CU(cu.cuFuncSetCacheConfig(functions[0], CU_FUNC_CACHE_PREFER_SHARED));
	OK_CU(cu.cuModuleUnload(module));
}

static void test_file(void)
{
	char path[] = "/tmp/cuda_library_XXXXXX";
	int fd = mkstemp(path);
	CUlibrary library = NULL;
	CUmodule module = NULL;

	REQUIRE(fd >= 0);
	CHECK(write(fd, PTX_ALL, sizeof(PTX_ALL) - 1) == sizeof(PTX_ALL) - 1);
	close(fd);
	OK_CU(cu.cuModuleLoad(&module, path));
	CHECK_INT(launch_step(cuda_function(module, "step")), 35);
	OK_CU(cu.cuModuleUnload(module));
	OK_CU(cu.cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
	CHECK_INT(launch_step((CUfunction)library_kernel(library, "step")), 35);
	OK_CU(cu.cuLibraryUnload(library));
	unlink(path);
	CHECK_CU(cu.cuModuleLoad(&module, path), CUDA_ERROR_FILE_NOT_FOUND);
}

static void test_loading_mode(void)
{
	CUmoduleLoadingMode mode = 0;

	OK_CU(cu.cuModuleGetLoadingMode(&mode));
	CHECK(mode == CU_MODULE_EAGER_LOADING || mode == CU_MODULE_LAZY_LOADING);
	if (cu.gpurunCpuReport) /* a GPU's driver may follow the pointer without looking */
		CHECK_CU(cu.cuModuleGetLoadingMode(NULL), CUDA_ERROR_INVALID_VALUE);
}

/* The time that it took is told in the place of the option's value. */
static void test_wall_time(void)
{
	CUjit_option options[] = { CU_JIT_WALL_TIME };
	void *values[] = { (void *)-1 };
	CUmodule module = NULL;
	float ms;

	OK_CU(cu.cuModuleLoadDataEx(&module, PTX_ALL, 1, options, values));
	memcpy(&ms, values, sizeof(ms));
	CHECK(ms >= 0 && ms < 60000);
	OK_CU(cu.cuModuleUnload(module));
}

int main(void)
{
	cuda_start();
	RUN(test_without_context);
	RUN(test_launch);
	RUN(test_kernel_attributes);
	RUN(test_enumerate);
	RUN(test_variables);
	RUN(test_managed);
	RUN(test_options);
	RUN(test_refused);
	RUN(test_functions_of_module);
	RUN(test_file);
	RUN(test_loading_mode);
	RUN(test_wall_time);
	return tap_end();
}
