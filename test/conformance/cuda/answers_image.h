/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is said of images of each target and version of PTX. */
#ifndef CONFORMANCE_ANSWERS_IMAGE_H
#define CONFORMANCE_ANSWERS_IMAGE_H

#include "answers.h"

#define FUNCTION_ATTRIBUTES 17 /* one more than CUDA 13 has */

/* What is set of each, in order. */
static const int set_values[] TAP_UNUSED = { -2, -1, 0, 1, 2, 3, 4, 8, 50, 100, 101, 49151, 49152,
					     49153, 232448, 232449 };

static const char *const function_attributes[] TAP_UNUSED = {
	"MAX_THREADS_PER_BLOCK",
	"SHARED_SIZE_BYTES",
	"CONST_SIZE_BYTES",
	"LOCAL_SIZE_BYTES",
	"NUM_REGS",
	"PTX_VERSION",
	"BINARY_VERSION",
	"CACHE_MODE_CA",
	"MAX_DYNAMIC_SHARED_SIZE_BYTES",
	"PREFERRED_SHARED_MEMORY_CARVEOUT",
	"CLUSTER_SIZE_MUST_BE_SET",
	"REQUIRED_CLUSTER_WIDTH",
	"REQUIRED_CLUSTER_HEIGHT",
	"REQUIRED_CLUSTER_DEPTH",
	"NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
	"CLUSTER_SCHEDULING_POLICY_PREFERENCE",
	"16",
};

static const char *const versions[] = { "6.3", "6.4", "6.5", "7.0", "7.1", "7.2", "7.3",
					"7.4", "7.5", "7.6", "7.7", "7.8", "8.0", "8.1",
					"8.2", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8",
					"9.0" };
static const char *const targets[] = { "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70",
				       "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88",
				       "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100f",
				       "sm_120a" };

static int attribute_of(CUfunction function, int which)
{
	int value = UNWRITTEN;
	CUresult result = cu.cuFuncGetAttribute(&value, (CUfunction_attribute)which, function);

	return result ? -1000 - (int)result : value;
}

/* Registers and constants are of machine code: they are asked of other kernels. */
static void ask_image(const char *version, const char *target)
{
	struct words words = { .length = 0 };
	CUfunction function = NULL;
	CUmodule module = NULL;
	CUresult result;
	char ptx[512];

	snprintf(ptx, sizeof(ptx),
		 ".version %s\n.target %s\n.address_size 64\n"
		 ".visible .entry k(.param .u64 p)\n{\n	ret;\n}\n",
		 version, target);
	result = cu.cuModuleLoadData(&module, ptx);
	if (!result)
		result = cu.cuModuleGetFunction(&function, module, "k");
	say(&words, "%d", result);
	for (int i = 0; !result && i < FUNCTION_ATTRIBUTES; i++)
		if (i != CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES && i != CU_FUNC_ATTRIBUTE_NUM_REGS)
			say(&words, " %d", attribute_of(function, i));
	answer("image .version %s .target %s: %s", version, target, words.text);
	if (module)
		cu.cuModuleUnload(module);
}

static void ask_images(void)
{
	CUmoduleLoadingMode mode = (CUmoduleLoadingMode)UNWRITTEN;
	CUresult result = cu.cuModuleGetLoadingMode(&mode);

	answer("loading mode: %d, %d", result, mode);
	for (size_t i = 0; i < COUNT(versions); i++)
		for (size_t j = 0; j < COUNT(targets); j++)
			ask_image(versions[i], targets[j]);
}

#endif
