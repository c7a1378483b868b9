/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is said of kernels, and what of it can be set. */
#ifndef CONFORMANCE_ANSWERS_FUNCTION_H
#define CONFORMANCE_ANSWERS_FUNCTION_H

#include "answers_image.h"

#define HEAD_90 ".version 8.0\n.target sm_90\n.address_size 64\n"
#define RETURNS "\n{\n	ret;\n}\n"
#define STORES(name)                                   \
	"\n{\n	.reg .b64 %d<2>;\n	.reg .b32 %r<2>;\n" \
	"	ld.param.u64 %d1, [p];\n"              \
	"	mov.u32 %r1, " name ";\n"              \
	"	st.global.u32 [%d1], %r1;\n	ret;\n}\n"
/* The thread's index leads into @size bytes of local memory. */
#define LOCAL(size)                                                                 \
	"\n{\n	.local .align 4 .b8 depot[" size "];\n	.reg .b64 %d<4>;\n"           \
	"	.reg .b32 %r<4>;\n	ld.param.u64 %d1, [p];\n	mov.u32 %r1, %tid.x;\n" \
	"	and.b32 %r1, %r1, 3;\n	mul.wide.u32 %d2, %r1, 4;\n"                \
	"	mov.u64 %d3, depot;\n	add.u64 %d2, %d3, %d2;\n"                     \
	"	st.local.u32 [depot], 1;\n	st.local.u32 [depot+4], 2;\n"         \
	"	st.local.u32 [depot+8], 3;\n	st.local.u32 [depot+12], 5;\n"       \
	"	ld.local.u32 %r2, [%d2];\n	st.global.u32 [%d1], %r2;\n	ret;\n}\n"

#define ENTRY(name) ".visible .entry " name "(.param .u64 p)"

static const char kernels_ptx[] =
	HEAD_90
	".extern .shared .align 16 .b8 more[];\n"
	ENTRY("plain") RETURNS
	".visible .entry empty()" RETURNS
	ENTRY("uniform")
	"\n{\n	.reg .b64 %d<2>;\n	ld.param.u64 %d1, [p];\n	st.global.u32 [%d1], 1;\n"
	"	ret;\n}\n"
	ENTRY("threads") "\n.maxntid 128" RETURNS
	ENTRY("threads3") "\n.maxntid 10, 5, 2" RETURNS
	ENTRY("required") "\n.reqntid 64" RETURNS
	ENTRY("required3") "\n.reqntid 8, 4, 3" RETURNS
	ENTRY("blocks") "\n.maxntid 256\n.minnctapersm 4" RETURNS
	ENTRY("registers") "\n.maxnreg 32" RETURNS
	ENTRY("shared1") "\n{\n	.shared .b8 room[1];\n	.reg .b64 %d<2>;\n	.reg .b32 %r<2>;\n"
	"	ld.param.u64 %d1, [p];\n	mov.u32 %r1, %tid.x;\n	st.shared.u8 [room], %r1;\n"
	"	bar.sync 0;\n	ld.shared.u8 %r1, [room];\n	st.global.u32 [%d1], %r1;\n	ret;\n}\n"
	ENTRY("shared100") "\n{\n	.shared .align 4 .b8 room[100];\n	.reg .b64 %d<2>;\n"
	"	.reg .b32 %r<2>;\n	ld.param.u64 %d1, [p];\n	mov.u32 %r1, %tid.x;\n"
	"	st.shared.u32 [room], %r1;\n	bar.sync 0;\n	ld.shared.u32 %r1, [room+4];\n"
	"	st.global.u32 [%d1], %r1;\n	ret;\n}\n"
	ENTRY("shared48k") "\n{\n	.shared .align 4 .b8 room[49152];\n	.reg .b64 %d<2>;\n"
	"	.reg .b32 %r<2>;\n	ld.param.u64 %d1, [p];\n	mov.u32 %r1, %tid.x;\n"
	"	st.shared.u32 [room], %r1;\n	bar.sync 0;\n	ld.shared.u32 %r1, [room+4];\n"
	"	st.global.u32 [%d1], %r1;\n	ret;\n}\n"
	ENTRY("dynamic") STORES("more")
	ENTRY("both") "\n{\n	.shared .align 4 .b8 room[64];\n	.reg .b64 %d<2>;\n"
	"	.reg .b32 %r<3>;\n	ld.param.u64 %d1, [p];\n	mov.u32 %r1, %tid.x;\n"
	"	st.shared.u32 [room], %r1;\n	st.shared.u32 [more], %r1;\n	bar.sync 0;\n"
	"	ld.shared.u32 %r1, [room+4];\n	st.global.u32 [%d1], %r1;\n	ret;\n}\n"
	ENTRY("local16") LOCAL("16")
	ENTRY("local100") LOCAL("100")
	ENTRY("local3000") LOCAL("3000")
	ENTRY("cluster2") "\n.reqnctapercluster 2" RETURNS
	ENTRY("cluster221") "\n.reqnctapercluster 2, 2, 1" RETURNS
	ENTRY("explicit") "\n.explicitcluster" RETURNS
	ENTRY("rank4") "\n.maxclusterrank 4" RETURNS
	".visible .entry params(.param .u8 a, .param .u16 b, .param .u32 c, .param .u64 d,\n"
	"	.param .f32 e, .param .f64 f, .param .align 16 .b8 g[20], .param .align 1 .b8 h[3],\n"
	"	.param .u32 i)" RETURNS
	".visible .entry large(.param .align 4 .b8 a[4000], .param .u64 b)" RETURNS;

static const char *const kernel_names[] = {
	"plain",    "empty",     "uniform",    "threads",  "threads3", "required",
	"required3", "blocks",   "registers",  "shared1",  "shared100", "shared48k",
	"dynamic",  "both",      "local16",    "local100", "local3000", "cluster2",
	"cluster221", "explicit", "rank4",     "params",   "large",
};

/* The same kernel beside constants, of which it uses none, and one that uses them. */
static const char constants_ptx[] =
	HEAD_90
	".visible .const .align 4 .b8 bank[400];\n"
	ENTRY("without") RETURNS
	ENTRY("with") "\n{\n	.reg .b64 %d<2>;\n	.reg .b32 %r<2>;\n	ld.param.u64 %d1, [p];\n"
	"	ld.const.u32 %r1, [bank+8];\n	st.global.u32 [%d1], %r1;\n	ret;\n}\n";

/* Where parameters and constants are elsewhere. */
static const char old_ptx[] =
	".version 6.3\n.target sm_52\n.address_size 64\n"
	".visible .const .align 4 .b8 bank[400];\n"
	ENTRY("old")
	"\n{\n	.reg .b64 %d<2>;\n	ld.param.u64 %d1, [p];\n	st.global.u32 [%d1], 1;\n"
	"	ret;\n}\n";

static CUfunction function_of(CUmodule module, const char *name)
{
	CUfunction function = NULL;
	CUresult result = cu.cuModuleGetFunction(&function, module, name);

	if (result)
		answer("kernel %s is found: %d", name, result);
	return function;
}

/* Registers and constants are of machine code: they have rows of their own. */
static void ask_attributes(CUmodule module, const char *name)
{
	struct words words = { .length = 0 }, parameters = { .length = 0 };
	CUfunction function = function_of(module, name);
	CUresult result = CUDA_SUCCESS;
	size_t offset, size;

	for (int i = 0; i < FUNCTION_ATTRIBUTES; i++)
		if (i != CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES && i != CU_FUNC_ATTRIBUTE_NUM_REGS)
			say(&words, " %d", attribute_of(function, i));
	answer("attributes of %s:%s", name, words.text);
	answer("constants of %s: %d", name,
	       attribute_of(function, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
	answer("registers of %s: %d", name, attribute_of(function, CU_FUNC_ATTRIBUTE_NUM_REGS));
	for (size_t i = 0; !result; i++) {
		offset = size = 77;
		result = cu.cuFuncGetParamInfo(function, i, &offset, &size);
		say(&parameters, " %zu,%zu,%d", offset, size, result);
	}
	answer("parameters of %s:%s", name, parameters.text);
}

/* ---- Occupancy ----------------------------------------------------------------- */

static void ask_blocks(CUfunction function, const char *name, size_t shared)
{
	static const int sizes[] = { -1, 0, 1, 32, 33, 64, 96, 128, 256, 512, 768, 1000, 1024, 1025 };
	struct words words = { .length = 0 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		int blocks = UNWRITTEN;
		CUresult result = cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, function, sizes[i], shared);

		say(&words, result ? " e%d" : " %d", result ? (int)result : blocks);
	}
	answer("occupancy of %s with %zu bytes:%s", name, shared, words.text);
}

static void ask_available(CUfunction function, const char *name)
{
	static const int tries[][2] = { { 1, 32 }, { 2, 128 }, { 4, 128 }, { 8, 256 }, { 9, 256 },
					{ 16, 64 }, { 32, 32 }, { 33, 32 }, { 0, 32 }, { 1, 1024 } };
	struct words words = { .length = 0 };

	for (size_t i = 0; i < COUNT(tries); i++) {
		size_t shared = 77;
		CUresult result = cu.cuOccupancyAvailableDynamicSMemPerBlock(
			&shared, function, tries[i][0], tries[i][1]);

		say(&words, " %d*%d:%d,%zu", tries[i][0], tries[i][1], result, shared);
	}
	answer("available to blocks of %s:%s", name, words.text);
}

static size_t grows(int block)
{
	return (size_t)block * 100;
}

/* The grid by the number of multiprocessors. */
static void ask_potential(CUfunction function, const char *name, CUoccupancyB2DSize shared,
			  int processors)
{
	static const int limits[] = { 0, 32, 100, 256, 1024, 2000, -1 };
	struct words words = { .length = 0 };

	for (size_t i = 0; i < COUNT(limits); i++) {
		int grid = UNWRITTEN, block = UNWRITTEN;
		CUresult result = cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, function,
								      shared, 0, limits[i]);

		say(&words, " %d:%d,%d,%d", limits[i], result, block,
		    grid > 0 ? grid / processors : grid);
	}
	answer("best block of %s%s:%s", name, shared ? ", 100 bytes a thread" : "", words.text);
}

static void ask_occupancy(CUmodule module)
{
	static const char *const names[] = { "plain", "threads", "required", "blocks", "registers",
					     "shared100", "shared48k", "dynamic", "cluster2" };
	static const size_t bytes[] = { 0, 1, 1024, 16384, 49152, 49153, 101376, 232448, 232449 };
	int processors = 1;

	OK_CU(cu.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	for (size_t i = 0; i < COUNT(names); i++) {
		CUfunction function = function_of(module, names[i]);

		for (size_t j = 0; j < COUNT(bytes); j++)
			ask_blocks(function, names[i], bytes[j]);
		ask_available(function, names[i]);
		ask_potential(function, names[i], NULL, processors);
		ask_potential(function, names[i], grows, processors);
	}
}

/* How many are at once depends on the chip. */
static void ask_cluster(CUfunction function, const char *name)
{
	static const unsigned sizes[] = { 0, 1, 2, 3, 4, 8, 16, 17 };
	struct words words = { .length = 0 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
		CUlaunchConfig how = { 48, 16, 1, 128, 1, 1, 0, NULL, &attribute, sizes[i] != 0 };
		int size = UNWRITTEN, most = UNWRITTEN;
		CUresult first, second;

		attribute.value.clusterDim.x = sizes[i];
		attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
		first = cu.cuOccupancyMaxPotentialClusterSize(&size, function, &how);
		second = cu.cuOccupancyMaxActiveClusters(&most, function, &how);
		say(&words, " %u:%d,%d,%d,%s", sizes[i], first, size, second,
		    most > 0 ? "some" : !most ? "none" : "unwritten");
	}
	answer("clusters of %s:%s", name, words.text);
}

static void ask_clusters(CUmodule module)
{
	static const char *const names[] = { "plain", "cluster2", "cluster221", "explicit",
					     "rank4" };

	for (size_t i = 0; i < COUNT(names); i++)
		ask_cluster(function_of(module, names[i]), names[i]);
}

/* ---- What is set is read ---------------------------------------------------------- */

static void set_attributes(CUmodule module, const char *name)
{
	CUfunction function = function_of(module, name);
	struct words cache = { .length = 0 };

	for (int i = 0; i < FUNCTION_ATTRIBUTES; i++) {
		const int before = attribute_of(function, i);
		struct words words = { .length = 0 };

		for (size_t j = 0; j < COUNT(set_values); j++) {
			CUresult result = cu.cuFuncSetAttribute(
				function, (CUfunction_attribute)i, set_values[j]);

			say(&words, " %d:%d,%d", set_values[j], result,
			    i == CU_FUNC_ATTRIBUTE_NUM_REGS ? 0 : attribute_of(function, i));
		}
		answer("set %s of %s:%s", function_attributes[i], name, words.text);
		cu.cuFuncSetAttribute(function, (CUfunction_attribute)i, before);
	}
	for (int i = -1; i < 5; i++)
		say(&cache, " %d:%d,%d,%d", i, cu.cuFuncSetCacheConfig(function, (CUfunc_cache)i),
		    cu.cuFuncSetSharedMemConfig(function, (CUsharedconfig)i),
		    attribute_of(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT));
	answer("set cache and banks of %s, its carveout:%s", name, cache.text);
}

static void set_attribute_of_kernel(CUkernel kernel, int attribute)
{
	struct words words = { .length = 0 };

	for (size_t j = 0; j < COUNT(set_values); j++) {
		int value = UNWRITTEN;
		CUresult set = cu.cuKernelSetAttribute((CUfunction_attribute)attribute,
						       set_values[j], kernel, 0), get;

		get = cu.cuKernelGetAttribute(&value, (CUfunction_attribute)attribute, kernel, 0);
		say(&words, " %d:%d,%d,%d", set_values[j], set, get,
		    attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 0 : value);
	}
	answer("set %s of a library's kernel:%s", function_attributes[attribute], words.text);
}

/* The attributes of a library's kernel, and those of its function afterwards. */
static void set_kernel(void)
{
	struct words words = { .length = 0 }, cache = { .length = 0 };
	CUlibrary library = NULL;
	CUfunction function = NULL;
	CUkernel kernel = NULL;

	OK_CU(cu.cuLibraryLoadData(&library, kernels_ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK_CU(cu.cuLibraryGetKernel(&kernel, library, "dynamic"));
	for (int i = 0; i < FUNCTION_ATTRIBUTES; i++)
		set_attribute_of_kernel(kernel, i);
	for (int i = -1; i < 5; i++)
		say(&cache, " %d:%d", i, cu.cuKernelSetCacheConfig(kernel, (CUfunc_cache)i, 0));
	answer("set cache of a library's kernel:%s", cache.text);
	OK_CU(cu.cuKernelGetFunction(&function, kernel));
	for (int i = 0; i < FUNCTION_ATTRIBUTES; i++)
		if (i != CU_FUNC_ATTRIBUTE_NUM_REGS)
			say(&words, " %d", attribute_of(function, i));
	answer("the function of the library's kernel:%s", words.text);
	OK_CU(cu.cuLibraryUnload(library));
}

static void ask_kernels(void)
{
	CUmodule module = NULL, constants = NULL, old = NULL;

	OK_CU(cu.cuModuleLoadData(&module, kernels_ptx));
	OK_CU(cu.cuModuleLoadData(&constants, constants_ptx));
	OK_CU(cu.cuModuleLoadData(&old, old_ptx));
	for (size_t i = 0; i < COUNT(kernel_names); i++)
		ask_attributes(module, kernel_names[i]);
	ask_attributes(constants, "without");
	ask_attributes(constants, "with");
	ask_attributes(old, "old");
	ask_occupancy(module);
	ask_clusters(module);
	set_attributes(module, "plain");
	set_attributes(module, "shared100");
	set_attributes(module, "cluster2");
	set_kernel();
}

#endif
