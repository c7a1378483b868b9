/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What olInit() is given: read by the one that brings the library up, by no other. */
#include "ol.h"

static int gpus, hosts;

static bool count(ol_device_handle_t device, void *data)
{
	ol_device_type_t type = OL_DEVICE_TYPE_ALL;

	(void)data;
	CHECK_OK(olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type), &type));
	*(type == OL_DEVICE_TYPE_HOST ? &hosts : &gpus) += 1;
	return true;
}

/* Comes up with @platforms and has GPUs, or none; the host in any case. */
static void check_up(const ol_platform_backend_t *platforms, uint32_t number, bool has_gpus)
{
	const ol_init_args_t args = { sizeof(args), number, platforms };

	gpus = hosts = 0;
	REQUIRE_OK(olInit(&args));
	CHECK_OK(olIterateDevices(count, NULL));
	CHECK_INT(gpus > 0, has_gpus);
	CHECK_INT(hosts, 1);
	CHECK_OK(olShutDown());
}

static void check_refused(const ol_init_args_t *args, ol_errc_t code, const char *part)
{
	ol_check(olInit(args), code, part, __LINE__, __FILE__, "olInit(args)");
	CHECK_CODE(olSyncQueue(NULL), UNINITIALIZED);
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

static void test_null(void)
{
	REQUIRE_OK(olInit(NULL));
	look_up();
	CHECK(gpu && host);
	CHECK_OK(olShutDown());
}

static void test_initialiser(void)
{
	const ol_init_args_t args = OL_INIT_ARGS_INIT;

	REQUIRE_OK(olInit(&args));
	look_up();
	CHECK(gpu && host);
	CHECK_OK(olShutDown());
}

static void test_none_named(void)
{
	const ol_platform_backend_t host_alone[] = { OL_PLATFORM_BACKEND_HOST };

	check_up(NULL, 0, true);
	check_up(host_alone, 0, true);
}

static void test_cuda(void)
{
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_CUDA }, 1, true);
}

/* The host is there whether it is named or not. */
static void test_host(void)
{
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_HOST }, 1, false);
}

static void test_both(void)
{
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_HOST,
					    OL_PLATFORM_BACKEND_CUDA }, 2, true);
}

static void test_others(void)
{
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_AMDGPU }, 1, false);
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_LEVEL_ZERO,
					    OL_PLATFORM_BACKEND_UNKNOWN }, 2, false);
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_AMDGPU,
					    OL_PLATFORM_BACKEND_CUDA }, 2, true);
}

static void test_unknown(void)
{
	const ol_platform_backend_t odd = (ol_platform_backend_t)77;

	check_up(&odd, 1, false);
	check_up((ol_platform_backend_t[]){ odd, OL_PLATFORM_BACKEND_CUDA, odd }, 3, true);
}

static void test_repeated(void)
{
	ol_platform_backend_t many[1000];

	for (int i = 0; i < 1000; i++)
		many[i] = i == 999 ? OL_PLATFORM_BACKEND_CUDA : OL_PLATFORM_BACKEND_HOST;
	check_up(many, 999, false);
	check_up(many, 1000, true);
}

static void test_too_short(void)
{
	for (size_t size = 0; size < sizeof(ol_init_args_t); size += 8)
		check_refused(&(ol_init_args_t){ size, 0, NULL }, OL_ERRC_INVALID_SIZE,
			      "expected 24");
	check_refused(&(ol_init_args_t){ 23, 1, NULL }, OL_ERRC_INVALID_SIZE, "is 23");
}

/* A later header may have a longer one. */
static void test_longer(void)
{
	struct {
		ol_init_args_t args;
		char more[40];
	} longer = { { sizeof(longer), 0, NULL }, "" };

	REQUIRE_OK(olInit(&longer.args));
	CHECK_OK(olShutDown());
}

static void test_no_list(void)
{
	check_refused(&(ol_init_args_t){ sizeof(ol_init_args_t), 1, NULL },
		      OL_ERRC_INVALID_NULL_POINTER, "Platforms is NULL");
	check_refused(&(ol_init_args_t){ sizeof(ol_init_args_t), UINT32_MAX, NULL },
		      OL_ERRC_INVALID_NULL_POINTER, "4294967295");
}

/* The size comes first. */
static void test_order(void)
{
	check_refused(&(ol_init_args_t){ 0, 5, NULL }, OL_ERRC_INVALID_SIZE, NULL);
}

/* A call that only counts looks at nothing. */
static void test_later(void)
{
	const ol_platform_backend_t host_alone = OL_PLATFORM_BACKEND_HOST;

	REQUIRE_OK(olInit(NULL));
	CHECK_OK(olInit(&(ol_init_args_t){ 0, 0, NULL }));
	CHECK_OK(olInit(&(ol_init_args_t){ 24, 3, NULL }));
	CHECK_OK(olInit(&(ol_init_args_t){ 24, 1, &host_alone }));
	look_up();
	CHECK(gpu != NULL);
	for (int i = 0; i < 4; i++)
		CHECK_OK(olShutDown());
}

/* What was refused leaves nothing: the next begins anew. */
static void test_after_refusal(void)
{
	check_refused(&(ol_init_args_t){ 0, 0, NULL }, OL_ERRC_INVALID_SIZE, NULL);
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_HOST }, 1, false);
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_CUDA }, 1, true);
	check_up((ol_platform_backend_t[]){ OL_PLATFORM_BACKEND_HOST }, 1, false);
}

/* Without platform CUDA no handle of it is taken for anything. */
static void test_host_alone_answers(void)
{
	const ol_platform_backend_t host_alone = OL_PLATFORM_BACKEND_HOST;
	ol_queue_handle_t queue;
	ol_device_handle_t device = NULL;

	REQUIRE_OK(olInit(NULL));
	look_up();
	device = gpu;
	CHECK_OK(olShutDown());
	REQUIRE_OK(olInit(&(ol_init_args_t){ 24, 1, &host_alone }));
	CHECK_TELLS(olCreateQueue(device, &queue), INVALID_DEVICE, "was not asked for platform CUDA");
	CHECK_CODE(olSyncQueue((ol_queue_handle_t)device), INVALID_QUEUE);
	CHECK_OK(olMemcpy(NULL, &queue, host, &device, host, sizeof(device)));
	CHECK_OK(olShutDown());
}

/* A driver that is not wanted is not looked for, wherever it should be. */
static void without_driver(void)
{
	const ol_platform_backend_t host_alone = OL_PLATFORM_BACKEND_HOST;

	CHECK(olInit(NULL) != NULL);
	CHECK_OK(olInit(&(ol_init_args_t){ 24, 1, &host_alone }));
	CHECK_OK(olShutDown());
}

static void test_no_driver_wanted(void)
{
	CHECK_PLAY("without_driver", "GPURUN_DEVICE=gpu GPURUN_DRIVER=/nowhere/libcuda.so.1", NULL);
}

static void test_twin(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };

	CHECK_CODE(olInitWithCodeLoc(&(ol_init_args_t){ 8, 0, NULL }, &here), INVALID_SIZE);
	CHECK_OK(olInitWithCodeLoc(&(ol_init_args_t)OL_INIT_ARGS_INIT, &here));
	CHECK_OK(olShutDownWithCodeLoc(&here));
}

static void traced(void)
{
	const ol_platform_backend_t host_alone = OL_PLATFORM_BACKEND_HOST;

	olInit(&(ol_init_args_t){ 8, 2, &host_alone });
	olInit(&(ol_init_args_t){ 24, 1, &host_alone });
	olShutDown();
}

static void test_trace(void)
{
	struct ending ending = play("traced", "OFFLOAD_TRACE=1");

	CHECK_INT(ending.status, 0);
	CHECK_HAS(ending.said, "---> olInit(.InitArgs = 0x");
	CHECK_HAS(ending.said, "OL_ERRC_INVALID_SIZE");
	CHECK_HAS(ending.said, " ((struct ol_init_args_t){.Size = 24, .NumPlatforms = 1, "
			       ".Platforms = 0x");
}

static const struct ol_case cases[] = {
	OL_BARE(test_null),        OL_BARE(test_initialiser),
	OL_BARE(test_none_named),  OL_BARE(test_cuda),
	OL_BARE(test_host),        OL_BARE(test_both),
	OL_BARE(test_others),      OL_BARE(test_unknown),
	OL_BARE(test_repeated),    OL_BARE(test_too_short),
	OL_BARE(test_longer),      OL_BARE(test_no_list),
	OL_BARE(test_order),       OL_BARE(test_later),
	OL_BARE(test_after_refusal), OL_BARE(test_host_alone_answers),
	OL_BARE(test_no_driver_wanted), OL_BARE(test_twin),
	OL_BARE(test_trace),       OL_SCENE(traced),
	OL_SCENE(without_driver),
};
OL_MAIN(cases)
