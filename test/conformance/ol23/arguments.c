/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches with arguments one by one, and with properties. */
#include "ol.h"

static const ol_kernel_launch_size_args_t one = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 0 };
static ol_program_handle_t program;
static uint64_t *out; /* memory that both reach */

static void begin(void)
{
	program = load();
	out = alloc(OL_ALLOC_TYPE_HOST, 64);
	memset(out, 0, 64);
}

static void end(void)
{
	CHECK_OK(olMemFree(out));
	CHECK_OK(olDestroyProgram(program));
}

/* Launches @name on no queue with arguments of @sizes. */
static ol_result_t launch(const char *name, size_t count, void **pointers, const size_t *sizes)
{
	return olLaunchKernel(NULL, gpu, kernel_of(program, name), &one, NULL, count, pointers,
			      sizes);
}

/* Tells whether the driver tells what a kernel takes. */
static bool is_told(void)
{
	return launch("bump", 0, NULL, NULL) != NULL;
}

static void test_none(void)
{
	begin();
	CHECK_OK(launch("nothing", 0, NULL, NULL));
	end();
}

/* Lists of no elements may be there. */
static void test_empty_lists(void)
{
	void *pointers[1] = { NULL };
	size_t sizes[1] = { 0 };

	begin();
	CHECK_OK(launch("nothing", 0, pointers, sizes));
	end();
}

static void test_one(void)
{
	void *pointers[] = { &out };
	const size_t sizes[] = { sizeof(out) };

	begin();
	for (int i = 0; i < 3; i++)
		CHECK_OK(launch("bump", 1, pointers, sizes));
	if (executes())
		CHECK_INT((uint32_t)*out, 43);
	end();
}

static void test_three(void)
{
	uint64_t a = 1000;
	uint16_t b = 7;
	void *pointers[] = { &out, &a, &b };
	const size_t sizes[] = { 8, 8, 2 };

	begin();
	CHECK_OK(launch("tail", 3, pointers, sizes));
	if (executes())
		CHECK_INT((long long)*out, 1007);
	end();
}

/* The values are read before the call is back. */
static void test_copied_at_once(void)
{
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t tail;
	uint64_t a = 1;
	uint16_t b = 1;
	uint64_t *to;
	void *pointers[] = { &to, &a, &b };
	size_t sizes[] = { 8, 8, 2 };

	begin();
	tail = kernel_of(program, "tail");
	for (int i = 0; i < 8; i++) {
		to = out + i;
		a = (uint64_t)i * 10;
		CHECK_OK(olLaunchKernel(queue, gpu, tail, &one, NULL, 3, pointers, sizes));
		a = b = 1;
		to = NULL;
	}
	CHECK_OK(olSyncQueue(queue));
	for (int i = 0; executes() && i < 8; i++)
		CHECK_INT((long long)out[i], i * 10 + 1);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

static void test_too_few(void)
{
	uint64_t a = 0;
	void *pointers[] = { &out, &a };
	const size_t sizes[] = { 8, 8 };

	begin();
	if (is_told()) {
		CHECK_TELLS(launch("tail", 2, pointers, sizes), INVALID_ARGUMENT,
			    "kernel 'tail' takes 3 arguments, 2 were given");
		CHECK_TELLS(launch("bump", 0, NULL, NULL), INVALID_ARGUMENT, "takes 1 arguments");
	}
	CHECK_INT((long long)*out, 0);
	end();
}

static void test_too_many(void)
{
	void *pointers[] = { &out, &out };
	const size_t sizes[] = { 8, 8 };

	begin();
	if (is_told()) {
		CHECK_TELLS(launch("bump", 2, pointers, sizes), INVALID_ARGUMENT,
			    "kernel 'bump' takes 1 arguments, 2 were given");
		CHECK_TELLS(launch("nothing", 1, pointers, sizes), INVALID_ARGUMENT,
			    "takes 0 arguments, 1 were given");
	}
	end();
}

static void test_wrong_size(void)
{
	uint64_t a = 0;
	uint64_t b = 0;
	void *pointers[] = { &out, &a, &b };
	const size_t shorter[] = { 8, 4, 2 }, longer[] = { 8, 8, 8 }, none[] = { 0, 8, 2 };

	begin();
	if (is_told()) {
		CHECK_TELLS(launch("tail", 3, pointers, shorter), INVALID_ARGUMENT,
			    "argument 1 of 3 has 8 bytes, 4 were given");
		CHECK_TELLS(launch("tail", 3, pointers, longer), INVALID_ARGUMENT,
			    "argument 2 of 3 has 2 bytes, 8 were given");
		CHECK_TELLS(launch("tail", 3, pointers, none), INVALID_ARGUMENT,
			    "argument 0 of 3 has 8 bytes, 0 were given");
	}
	end();
}

/* What fitted once is remembered: another list of the same kernel is looked at. */
static void test_wrong_after_right(void)
{
	void *pointers[] = { &out, &out };
	const size_t right[] = { 8, 8 }, wrong[] = { 4 };

	begin();
	if (is_told())
		for (int i = 0; i < 3; i++) {
			CHECK_OK(launch("bump", 1, pointers, right));
			CHECK_CODE(launch("bump", 1, pointers, wrong), INVALID_ARGUMENT);
			CHECK_CODE(launch("bump", 2, pointers, right), INVALID_ARGUMENT);
			CHECK_CODE(launch("nothing", 1, pointers, right), INVALID_ARGUMENT);
			CHECK_OK(launch("nothing", 0, NULL, NULL));
		}
	end();
}

static void test_null_element(void)
{
	void *pointers[] = { NULL };
	const size_t sizes[] = { 8 };

	begin();
	if (is_told())
		CHECK_CODE(launch("bump", 1, pointers, sizes), INVALID_ARGUMENT);
	end();
}

/* Both lists or none, before everything else; then handles, then the geometry. */
static void test_checks(void)
{
	ol_symbol_handle_t kernel;
	void *pointers[] = { &out };
	const size_t sizes[] = { 8 };

	begin();
	kernel = kernel_of(program, "bump");
	CHECK_TELLS(olLaunchKernel(NULL, NULL, NULL, NULL, NULL, 1, pointers, NULL),
		    INVALID_ARGUMENT, "(ArgPtrs == NULL) != (ArgSizes == NULL)");
	CHECK_TELLS(olLaunchKernel(NULL, NULL, NULL, NULL, NULL, 0, NULL, sizes),
		    INVALID_ARGUMENT, "(ArgPtrs == NULL) != (ArgSizes == NULL)");
	CHECK_TELLS(olLaunchKernel(NULL, NULL, NULL, NULL, NULL, 2, NULL, NULL),
		    INVALID_ARGUMENT, "NumArgs > 0 && ArgPtrs == NULL");
	CHECK_TELLS(olLaunchKernel(NULL, NULL, kernel, NULL, NULL, 1, pointers, sizes),
		    INVALID_NULL_HANDLE, "NULL == Device");
	CHECK_TELLS(olLaunchKernel(NULL, gpu, NULL, NULL, NULL, 1, pointers, sizes),
		    INVALID_NULL_HANDLE, "NULL == Kernel");
	CHECK_TELLS(olLaunchKernel(NULL, gpu, kernel, NULL, NULL, 1, pointers, sizes),
		    INVALID_NULL_POINTER, "NULL == LaunchSizeArgs");
	end();
}

static void scene_unchecked(void)
{
	void *pointers[] = { &out };

	REQUIRE_OK(olInit(NULL));
	look_up();
	begin();
	CHECK_CODE(launch("bump", 1, NULL, NULL), INVALID_ARGUMENT);
	CHECK_CODE(launch("bump", 1, pointers, NULL), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

static void test_unchecked(void)
{
	CHECK_PLAY("scene_unchecked", "OFFLOAD_DISABLE_VALIDATION=1", NULL);
}

static void test_variable(void)
{
	ol_symbol_handle_t counter = NULL;
	void *pointers[] = { &out };
	const size_t sizes[] = { 8 };

	begin();
	CHECK_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	CHECK_CODE(olLaunchKernel(NULL, gpu, counter, &one, NULL, 1, pointers, sizes),
		   SYMBOL_KIND);
	end();
}

static void test_stale(void)
{
	void *pointers[] = { &out };
	const size_t sizes[] = { 8 };
	ol_symbol_handle_t kernel;

	begin();
	kernel = kernel_of(program, "bump");
	CHECK_OK(olLaunchKernel(NULL, gpu, kernel, &one, NULL, 1, pointers, sizes));
	end();
	CHECK_CODE(olLaunchKernel(NULL, gpu, kernel, &one, NULL, 1, pointers, sizes),
		   INVALID_ARGUMENT);
}

/* ---- Properties ------------------------------------------------------------------------ */

static ol_result_t launch_so(const ol_kernel_launch_prop_t *how,
			     const ol_kernel_launch_size_args_t *size)
{
	return olLaunchKernel(NULL, gpu, kernel_of(program, "nothing"), size, how, 0, NULL, NULL);
}

static void test_no_properties(void)
{
	const ol_kernel_launch_prop_t none = { OL_KERNEL_LAUNCH_PROP_TYPE_NONE, NULL };

	begin();
	CHECK_OK(launch_so(&none, &one));
	end();
}

static void test_cooperative(void)
{
	bool yes = true, no = false;
	const ol_kernel_launch_prop_t how[] = {
		{ OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE, &yes },
		{ OL_KERNEL_LAUNCH_PROP_TYPE_NONE, NULL },
	}, not_so[] = {
		{ OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE, &no },
		{ OL_KERNEL_LAUNCH_PROP_TYPE_NONE, NULL },
	};

	begin();
	CHECK_OK(launch_so(how, &one));
	CHECK_OK(launch_so(not_so, &one));
	end();
}

static void test_unknown_property(void)
{
	bool yes = true;
	const ol_kernel_launch_prop_t odd[] = {
		{ OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE, &yes },
		{ (ol_kernel_launch_prop_type_t)2, NULL },
	};

	begin();
	CHECK_TELLS(launch_so(odd, &one), INVALID_ENUMERATION, "'2'");
	CHECK_CODE(launch_so(odd + 1, &one), INVALID_ENUMERATION);
	end();
}

static void test_property_without_data(void)
{
	const ol_kernel_launch_prop_t how[] = {
		{ OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE, NULL },
		{ OL_KERNEL_LAUNCH_PROP_TYPE_NONE, NULL },
	};

	begin();
	CHECK_CODE(launch_so(how, &one), INVALID_NULL_POINTER);
	end();
}

/* As many groups as run at once can be launched, one more cannot. */
static void test_most_cooperative(void)
{
	ol_kernel_launch_size_args_t size = { 1, { 1, 1, 1 }, { 64, 1, 1 }, 0 };
	bool yes = true;
	const ol_kernel_launch_prop_t how[] = {
		{ OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE, &yes },
		{ OL_KERNEL_LAUNCH_PROP_TYPE_NONE, NULL },
	};
	uint32_t most = 0;

	begin();
	CHECK_OK(olGetKernelMaxCooperativeGroupCount(gpu, kernel_of(program, "nothing"), &size,
						     &most));
	CHECK(most >= 1);
	size.NumGroups.x = most;
	CHECK_OK(launch_so(how, &size));
	size.NumGroups.x = most + 1;
	if (executes())
		CHECK_CODE(launch_so(how, &size), INVALID_SIZE);
	CHECK_OK(launch_so(NULL, &size));
	end();
}

static void test_group_count_checks(void)
{
	const ol_kernel_launch_size_args_t large = { 1, { 1, 1, 1 }, { 4096, 1, 1 }, 0 };
	const ol_kernel_launch_size_args_t zero = { 1, { 1, 1, 1 }, { 0, 1, 1 }, 0 };
	ol_symbol_handle_t kernel, counter = NULL;
	uint32_t most = 9;

	begin();
	kernel = kernel_of(program, "nothing");
	CHECK_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	CHECK_TELLS(olGetKernelMaxCooperativeGroupCount(NULL, NULL, NULL, NULL),
		    INVALID_NULL_HANDLE, "NULL == Device");
	CHECK_TELLS(olGetKernelMaxCooperativeGroupCount(gpu, NULL, NULL, NULL),
		    INVALID_NULL_HANDLE, "NULL == Kernel");
	CHECK_TELLS(olGetKernelMaxCooperativeGroupCount(gpu, kernel, NULL, NULL),
		    INVALID_NULL_POINTER, "NULL == LaunchSizeArgs");
	CHECK_TELLS(olGetKernelMaxCooperativeGroupCount(gpu, kernel, &one, NULL),
		    INVALID_NULL_POINTER, "NULL == MaxGroupCount");
	CHECK_CODE(olGetKernelMaxCooperativeGroupCount(gpu, kernel, &large, &most), INVALID_SIZE);
	CHECK_CODE(olGetKernelMaxCooperativeGroupCount(gpu, kernel, &zero, &most), INVALID_SIZE);
	CHECK_CODE(olGetKernelMaxCooperativeGroupCount(gpu, counter, &one, &most), SYMBOL_KIND);
	CHECK_CODE(olGetKernelMaxCooperativeGroupCount(host, kernel, &one, &most),
		   INVALID_DEVICE);
	CHECK_INT(most, 0);
	end();
}

/* Shared memory takes room that groups could have. */
static void test_group_count_shared(void)
{
	ol_kernel_launch_size_args_t size = { 1, { 1, 1, 1 }, { 32, 1, 1 }, 0 };
	ol_symbol_handle_t kernel;
	uint32_t without = 0, with = 0;

	begin();
	kernel = kernel_of(program, "shared");
	CHECK_OK(olGetKernelMaxCooperativeGroupCount(gpu, kernel, &size, &without));
	size.DynSharedMemory = 60000;
	CHECK_OK(olGetKernelMaxCooperativeGroupCount(gpu, kernel, &size, &with));
	CHECK(with >= 1 && with <= without);
	size.DynSharedMemory = 100 << 20;
	CHECK_CODE(olGetKernelMaxCooperativeGroupCount(gpu, kernel, &size, &with), INVALID_SIZE);
	size.DynSharedMemory = (size_t)1 << 32;
	CHECK_CODE(olGetKernelMaxCooperativeGroupCount(gpu, kernel, &size, &with), INVALID_SIZE);
	end();
}

/* More than 48 KiB, up to what the device has. */
static void test_much_shared(void)
{
	ol_kernel_launch_size_args_t size = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 60000 };
	void *pointers[] = { &out };
	const size_t sizes[] = { 8 };

	begin();
	CHECK_OK(olLaunchKernel(NULL, gpu, kernel_of(program, "shared"), &size, NULL, 1, pointers,
				sizes));
	if (executes())
		CHECK_INT((uint32_t)*out, 60000);
	size.DynSharedMemory = 100 << 20;
	CHECK_CODE(olLaunchKernel(NULL, gpu, kernel_of(program, "shared"), &size, NULL, 1,
				  pointers, sizes), INVALID_SIZE);
	end();
}

static void test_twins(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	uint32_t most = 0;

	begin();
	CHECK_OK(olLaunchKernelWithCodeLoc(NULL, gpu, kernel_of(program, "nothing"), &one, NULL,
					   0, NULL, NULL, &here));
	CHECK_OK(olGetKernelMaxCooperativeGroupCountWithCodeLoc(
		gpu, kernel_of(program, "nothing"), &one, &most, &here));
	CHECK(most >= 1);
	end();
}

static const struct ol_case cases[] = {
	OL_CASE(test_none),           OL_CASE(test_empty_lists),
	OL_CASE(test_one),            OL_CASE(test_three),
	OL_CASE(test_copied_at_once), OL_CASE(test_too_few),
	OL_CASE(test_too_many),       OL_CASE(test_wrong_size),
	OL_CASE(test_wrong_after_right), OL_CASE(test_null_element),
	OL_CASE(test_checks),         OL_BARE(test_unchecked),
	OL_CASE(test_variable),       OL_CASE(test_stale),
	OL_CASE(test_no_properties),  OL_CASE(test_cooperative),
	OL_CASE(test_unknown_property), OL_CASE(test_property_without_data),
	OL_CASE(test_most_cooperative), OL_CASE(test_group_count_checks),
	OL_CASE(test_group_count_shared), OL_CASE(test_much_shared),
	OL_CASE(test_twins),          OL_SCENE(scene_unchecked),
};
OL_MAIN(cases)
