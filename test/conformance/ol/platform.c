/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Platforms: what they tell, in which sizes, and what is no platform. */
#include "ol.h"

/* Asks for a string with the room that the library says it takes. */
static void check_string(ol_platform_handle_t platform, ol_platform_info_t property,
			 const char *want)
{
	char text[64] = "";
	size_t size = 0;

	CHECK_OK(olGetPlatformInfoSize(platform, property, &size));
	CHECK_INT((long long)size, (long long)strlen(want) + 1);
	CHECK_OK(olGetPlatformInfo(platform, property, strlen(want) + 1, text));
	CHECK_STR(text, want);
}

static void test_names(void)
{
	check_string(cuda, OL_PLATFORM_INFO_NAME, "CUDA");
	check_string(host_platform, OL_PLATFORM_INFO_NAME, FORM_HOST_PLATFORM);
}

static void test_vendor(void)
{
	check_string(cuda, OL_PLATFORM_INFO_VENDOR_NAME, "Unknown platform vendor");
	check_string(host_platform, OL_PLATFORM_INFO_VENDOR_NAME, "Unknown platform vendor");
}

static void test_version(void)
{
	check_string(cuda, OL_PLATFORM_INFO_VERSION, "v0.0.1");
	check_string(host_platform, OL_PLATFORM_INFO_VERSION, "v0.0.1");
}

static void check_backend(ol_platform_handle_t platform, ol_platform_backend_t want)
{
	ol_platform_backend_t backend = OL_PLATFORM_BACKEND_LAST;
	size_t size = 0;

	CHECK_OK(olGetPlatformInfoSize(platform, OL_PLATFORM_INFO_BACKEND, &size));
	CHECK_INT((long long)size, sizeof(backend));
	CHECK_OK(olGetPlatformInfo(platform, OL_PLATFORM_INFO_BACKEND, size, &backend));
	CHECK_INT(backend, want);
}

static void test_backends(void)
{
	check_backend(cuda, OL_PLATFORM_BACKEND_CUDA);
	check_backend(host_platform, OL_PLATFORM_BACKEND_HOST);
	CHECK(cuda != host_platform);
}

/* llvm-offload-device-info has room for so much, and no more. */
static void test_strings_fit_the_tool(void)
{
	for (int i = OL_PLATFORM_INFO_NAME; i <= OL_PLATFORM_INFO_VERSION; i++) {
		char text[24];

		CHECK_OK(olGetPlatformInfo(cuda, (ol_platform_info_t)i, sizeof(text), text));
		CHECK_OK(olGetPlatformInfo(host_platform, (ol_platform_info_t)i, sizeof(text),
					   text));
	}
}

/* What lies behind the value stays as it is. */
static void test_room_to_spare(void)
{
	char text[16];

	memset(text, '#', sizeof(text));
	CHECK_OK(olGetPlatformInfo(cuda, OL_PLATFORM_INFO_NAME, sizeof(text), text));
	CHECK(!memcmp(text, "CUDA\0##", 7));
}

static void test_too_short(void)
{
	ol_platform_backend_t backend = OL_PLATFORM_BACKEND_LAST;
	char text[8] = "as is";

	CHECK_CODE(olGetPlatformInfo(cuda, OL_PLATFORM_INFO_NAME, 4, text), INVALID_SIZE);
	CHECK_CODE(olGetPlatformInfo(cuda, OL_PLATFORM_INFO_BACKEND, sizeof(backend) - 1, &backend),
		   INVALID_SIZE);
	CHECK_STR(text, "as is");
	CHECK_INT(backend, OL_PLATFORM_BACKEND_LAST);
}

static void test_size_zero(void)
{
	char text[8];

	CHECK_CODE(olGetPlatformInfo(cuda, OL_PLATFORM_INFO_NAME, 0, text), INVALID_SIZE);
	CHECK_CODE(olGetPlatformInfo(cuda, OL_PLATFORM_INFO_LAST, 0, text), INVALID_SIZE);
}

/* The size is looked at first, then handles, then pointers. */
static void test_null(void)
{
	char text[8];
	size_t size;

	CHECK_CODE(olGetPlatformInfo(NULL, OL_PLATFORM_INFO_NAME, 0, NULL), INVALID_SIZE);
	CHECK_TELLS(olGetPlatformInfo(NULL, OL_PLATFORM_INFO_NAME, 8, NULL), INVALID_NULL_HANDLE,
		    "validation failure: NULL == Platform");
	CHECK_TELLS(olGetPlatformInfo(cuda, OL_PLATFORM_INFO_NAME, 8, NULL),
		    INVALID_NULL_POINTER, "validation failure: NULL == PropValue");
	CHECK_TELLS(olGetPlatformInfoSize(NULL, OL_PLATFORM_INFO_NAME, NULL),
		    INVALID_NULL_HANDLE, "validation failure: NULL == Platform");
	CHECK_TELLS(olGetPlatformInfoSize(cuda, OL_PLATFORM_INFO_NAME, NULL),
		    INVALID_NULL_POINTER, "validation failure: NULL == PropSizeRet");
	CHECK_CODE(olGetPlatformInfo(NULL, OL_PLATFORM_INFO_NAME, 8, text), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetPlatformInfoSize(NULL, OL_PLATFORM_INFO_NAME, &size),
		   INVALID_NULL_HANDLE);
}

static void test_bad_enum(void)
{
	const int bad[] = { OL_PLATFORM_INFO_LAST, OL_PLATFORM_INFO_LAST + 1, -1, INT32_MAX };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[64];
		size_t size = 77;

		CHECK_CODE(olGetPlatformInfo(cuda, (ol_platform_info_t)bad[i], sizeof(text), text),
			   INVALID_ENUMERATION);
		CHECK_CODE(olGetPlatformInfoSize(cuda, (ol_platform_info_t)bad[i], &size),
			   INVALID_ENUMERATION);
		CHECK_INT((long long)size, 77);
	}
}

/* Neither a device nor a number is a platform. */
static void test_no_platform(void)
{
	ol_platform_handle_t wrong[] = { (ol_platform_handle_t)gpu, (ol_platform_handle_t)host,
					 (ol_platform_handle_t)(uintptr_t)0x4242,
					 (ol_platform_handle_t)UINTPTR_MAX };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[64];
		size_t size;

		CHECK_CODE(olGetPlatformInfo(wrong[i], OL_PLATFORM_INFO_NAME, sizeof(text), text),
			   INVALID_PLATFORM);
		CHECK_CODE(olGetPlatformInfoSize(wrong[i], OL_PLATFORM_INFO_NAME, &size),
			   INVALID_PLATFORM);
	}
}

/* All devices of a kind have one and the same. */
static void shared_by_devices(void)
{
	ol_platform_handle_t platform = NULL;

	CHECK_OK(ol_init());
	look_up();
	REQUIRE(other_gpu);
	CHECK_OK(olGetDeviceInfo(other_gpu, OL_DEVICE_INFO_PLATFORM, sizeof(platform), &platform));
	CHECK(platform == cuda);
	CHECK_OK(olShutDown());
}

static void test_shared_by_devices(void)
{
	if (executes() && !other_gpu)
		SKIP("needs a GPU beside the first");
	CHECK_PLAY("shared_by_devices", "GPURUN_STUB_DEVICES=2", NULL);
}

static const struct ol_case cases[] = {
	OL_CASE(test_names),
	OL_CASE(test_vendor),
	OL_CASE(test_version),
	OL_CASE(test_backends),
	OL_CASE(test_strings_fit_the_tool),
	OL_CASE(test_room_to_spare),
	OL_CASE(test_too_short),
	OL_CASE(test_size_zero),
	OL_CASE(test_null),
	OL_CASE(test_bad_enum),
	OL_CASE(test_no_platform),
	OL_CASE(test_shared_by_devices),
	OL_SCENE(shared_by_devices),
};
OL_MAIN(cases)
