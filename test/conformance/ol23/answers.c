/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The properties of devices that came with 23.1, its host device, and the callback of RPC. */
#include "ol.h"

static bool has(ol_device_handle_t device, ol_device_info_t property)
{
	unsigned char value = 0xee;

	CHECK_OK(olGetDeviceInfo(device, property, 1, &value));
	CHECK(value <= 1);
	return value == 1;
}

static void test_single(void)
{
	CHECK(has(gpu, OL_DEVICE_INFO_SINGLE_FP_SUPPORT));
	CHECK(has(host, OL_DEVICE_INFO_SINGLE_FP_SUPPORT));
}

static void test_double(void)
{
	CHECK(has(gpu, OL_DEVICE_INFO_DOUBLE_FP_SUPPORT));
	CHECK(has(host, OL_DEVICE_INFO_DOUBLE_FP_SUPPORT));
}

static void test_half(void)
{
	CHECK(has(gpu, OL_DEVICE_INFO_HALF_FP_SUPPORT));
	CHECK(!has(host, OL_DEVICE_INFO_HALF_FP_SUPPORT));
}

static void test_cooperative(void)
{
	CHECK(has(gpu, OL_DEVICE_INFO_COOPERATIVE_LAUNCH_SUPPORT));
}

static void test_host_launches_nothing(void)
{
	size_t size = 0;
	bool value;

	CHECK_CODE(olGetDeviceInfo(host, OL_DEVICE_INFO_COOPERATIVE_LAUNCH_SUPPORT, 1, &value),
		   UNIMPLEMENTED);
	CHECK_CODE(olGetDeviceInfoSize(host, OL_DEVICE_INFO_COOPERATIVE_LAUNCH_SUPPORT, &size),
		   UNIMPLEMENTED);
}

static void test_sizes(void)
{
	for (int i = OL_DEVICE_INFO_SINGLE_FP_SUPPORT; i < OL_DEVICE_INFO_LAST; i++) {
		size_t size = 0;
		bool value[2];

		CHECK_OK(olGetDeviceInfoSize(gpu, (ol_device_info_t)i, &size));
		CHECK_INT((long long)size, 1);
		CHECK_CODE(olGetDeviceInfo(gpu, (ol_device_info_t)i, 0, value), INVALID_SIZE);
		CHECK_OK(olGetDeviceInfo(gpu, (ol_device_info_t)i, 2, value));
	}
}

static void test_last(void)
{
	char value[64];
	size_t size;

	CHECK_INT(OL_DEVICE_INFO_LAST, 33);
	for (int i = OL_DEVICE_INFO_LAST; i < OL_DEVICE_INFO_LAST + 3; i++) {
		CHECK_CODE(olGetDeviceInfo(gpu, (ol_device_info_t)i, sizeof(value), value),
			   INVALID_ENUMERATION);
		CHECK_CODE(olGetDeviceInfoSize(host, (ol_device_info_t)i, &size),
			   INVALID_ENUMERATION);
	}
}

/* A handle is looked at before the property. */
static void test_no_device(void)
{
	bool value;

	CHECK_CODE(olGetDeviceInfo((ol_device_handle_t)8,
				   OL_DEVICE_INFO_COOPERATIVE_LAUNCH_SUPPORT, 1, &value),
		   INVALID_DEVICE);
}

static void asked(void)
{
	bool value;

	olInit(NULL);
	look_up();
	olGetDeviceInfo(gpu, OL_DEVICE_INFO_HALF_FP_SUPPORT, 1, &value);
}

static void test_trace(void)
{
	CHECK_HAS(play("asked", "OFFLOAD_TRACE=1").said,
		  ".PropName = OL_DEVICE_INFO_HALF_FP_SUPPORT, .PropSize = 1");
}

/* ---- olPlatformRegisterRPCCallback() ----------------------------------------------------- */

static unsigned answer(void *port, unsigned lanes)
{
	(void)port;
	return lanes;
}

static void test_callback(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };

	CHECK_OK(olPlatformRegisterRPCCallback(cuda, answer));
	CHECK_OK(olPlatformRegisterRPCCallback(cuda, answer));
	CHECK_OK(olPlatformRegisterRPCCallback(host_platform, answer));
	CHECK_OK(olPlatformRegisterRPCCallbackWithCodeLoc(cuda, answer, &here));
}

static void test_callback_checks(void)
{
	CHECK_TELLS(olPlatformRegisterRPCCallback(NULL, NULL), INVALID_NULL_HANDLE,
		    "NULL == Platform");
	CHECK_TELLS(olPlatformRegisterRPCCallback(cuda, NULL), INVALID_NULL_POINTER,
		    "NULL == Callback");
	CHECK_CODE(olPlatformRegisterRPCCallback((ol_platform_handle_t)gpu, answer),
		   INVALID_PLATFORM);
}

/* What waits for answers is refused, callback or not. */
static void test_no_server(void)
{
	ol_program_handle_t program = NULL;
	struct image image = image_of("rpc");

	CHECK_OK(olPlatformRegisterRPCCallback(cuda, answer));
	CHECK_CODE(olCreateProgram(gpu, image.data, image.size, &program), UNSUPPORTED);
	CHECK(!program);
	free(image.data);
}

static const struct ol_case cases[] = {
	OL_CASE(test_single),     OL_CASE(test_double),
	OL_CASE(test_half),       OL_CASE(test_cooperative),
	OL_CASE(test_host_launches_nothing), OL_CASE(test_sizes),
	OL_CASE(test_last),       OL_CASE(test_no_device),
	OL_BARE(test_trace),      OL_CASE(test_callback),
	OL_CASE(test_callback_checks), OL_CASE(test_no_server),
	OL_SCENE(asked),
};
OL_MAIN(cases)
