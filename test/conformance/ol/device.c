/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Devices: how they are iterated, every property in its size, and what is no device. */
#include <ctype.h>

#include "ol.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- Iteration --------------------------------------------------------------------- */

struct seen {
	ol_device_handle_t devices[64];
	int count, stop_at; /* 0: at no device */
};

static bool note(ol_device_handle_t device, void *data)
{
	struct seen *seen = data;

	if (seen->count < 64)
		seen->devices[seen->count++] = device;
	return seen->count != seen->stop_at;
}

static void test_iterate_host_last(void)
{
	struct seen seen = { .count = 0 };

	CHECK_OK(olIterateDevices(note, &seen));
	REQUIRE(seen.count >= 2);
	CHECK(seen.devices[0] == gpu);
	CHECK(seen.devices[seen.count - 1] == host);
	for (int i = 0; i < seen.count - 1; i++)
		CHECK(seen.devices[i] != host);
}

static void test_iterate_stops(void)
{
	struct seen seen = { .stop_at = 1 };

	CHECK_OK(olIterateDevices(note, &seen));
	CHECK_INT(seen.count, 1);
}

static void test_iterate_same_each_time(void)
{
	struct seen first = { .count = 0 }, second = { .count = 0 };

	CHECK_OK(olIterateDevices(note, &first));
	CHECK_OK(olIterateDevicesWithCodeLoc(note, &second, NULL));
	CHECK_INT(second.count, first.count);
	CHECK(!memcmp(first.devices, second.devices, sizeof(first.devices)));
}

static bool note_null(ol_device_handle_t device, void *data)
{
	CHECK(device && !data);
	return true;
}

static void test_iterate_no_data(void)
{
	CHECK_OK(olIterateDevices(note_null, NULL));
}

static bool iterate_again(ol_device_handle_t device, void *data)
{
	(void)device;
	CHECK_OK(olIterateDevices(note, data));
	return false;
}

static void test_iterate_within(void)
{
	struct seen seen = { .count = 0 };

	CHECK_OK(olIterateDevices(iterate_again, &seen));
	CHECK(seen.count >= 2);
}

static void test_iterate_null(void)
{
	CHECK_TELLS(olIterateDevices(NULL, NULL), INVALID_NULL_POINTER, "NULL == Callback");
}

/* ---- Values ------------------------------------------------------------------------ */

static void check_text(ol_device_handle_t device, ol_device_info_t property, const char *want)
{
	char text[256] = "";
	size_t size = 0;

	CHECK_OK(olGetDeviceInfoSize(device, property, &size));
	REQUIRE(size <= sizeof(text));
	CHECK_OK(olGetDeviceInfo(device, property, size, text));
	CHECK_INT((long long)size, (long long)strlen(text) + 1);
	if (want)
		CHECK_STR(text, want);
	else
		CHECK(text[0]);
}

static uint64_t u64_of(ol_device_handle_t device, ol_device_info_t property)
{
	uint64_t value = 0xdead;

	CHECK_OK(olGetDeviceInfo(device, property, sizeof(value), &value));
	return value;
}

static uint32_t u32_of(ol_device_handle_t device, ol_device_info_t property)
{
	uint32_t value = 0xdead;

	CHECK_OK(olGetDeviceInfo(device, property, sizeof(value), &value));
	return value;
}

static void check_dimensions(ol_device_handle_t device, ol_device_info_t property,
			     ol_dimensions_t want)
{
	ol_dimensions_t got = { 0, 0, 0 };

	CHECK_OK(olGetDeviceInfo(device, property, sizeof(got), &got));
	CHECK_INT(got.x, want.x);
	CHECK_INT(got.y, want.y);
	CHECK_INT(got.z, want.z);
}

static void test_types(void)
{
	CHECK_INT(u32_of(gpu, OL_DEVICE_INFO_TYPE), OL_DEVICE_TYPE_GPU);
	CHECK_INT(u32_of(host, OL_DEVICE_INFO_TYPE), OL_DEVICE_TYPE_HOST);
}

static void test_platforms(void)
{
	CHECK(u64_of(gpu, OL_DEVICE_INFO_PLATFORM) == (uintptr_t)cuda);
	CHECK(u64_of(host, OL_DEVICE_INFO_PLATFORM) == (uintptr_t)host_platform);
	CHECK(cuda != host_platform);
}

static void test_host_strings(void)
{
	check_text(host, OL_DEVICE_INFO_NAME, FORM_HOST_NAME);
	check_text(host, OL_DEVICE_INFO_PRODUCT_NAME, FORM_HOST_PRODUCT);
	check_text(host, OL_DEVICE_INFO_UID, FORM_HOST_UID);
	check_text(host, OL_DEVICE_INFO_VENDOR, FORM_HOST_VENDOR);
	check_text(host, OL_DEVICE_INFO_DRIVER_VERSION, FORM_HOST_VERSION);
}

/* Properties of 4 bytes, in their order. 127: all of IEEE 754 with fma, no software. */
static const struct number {
	ol_device_info_t property;
	uint32_t host;
	int64_t gpu; /* AT_LEAST_1: it depends */
} numbers[] = {
#define AT_LEAST_1 (-1)
	{ OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE, 1, AT_LEAST_1 },
	{ OL_DEVICE_INFO_MAX_WORK_SIZE, UINT32_MAX, UINT32_MAX },
	{ OL_DEVICE_INFO_VENDOR_ID, FORM_HOST_VENDOR_ID, 4318 },
	{ OL_DEVICE_INFO_NUM_COMPUTE_UNITS, 1, AT_LEAST_1 },
	{ OL_DEVICE_INFO_MAX_CLOCK_FREQUENCY, 64, AT_LEAST_1 },
	{ OL_DEVICE_INFO_MEMORY_CLOCK_RATE, 64, AT_LEAST_1 },
	{ OL_DEVICE_INFO_ADDRESS_BITS, 64, 64 },
	{ OL_DEVICE_INFO_SINGLE_FP_CONFIG, 127, 127 },
	{ OL_DEVICE_INFO_DOUBLE_FP_CONFIG, 127, 127 },
	{ OL_DEVICE_INFO_HALF_FP_CONFIG, 0, 0 },
	{ OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR, 1, 1 },
	{ OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT, 1, 1 },
	{ OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT, 1, 1 },
	{ OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG, 1, 1 },
	{ OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT, 1, 1 },
	{ OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE, 1, 1 },
	{ OL_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF, 0, 0 },
};

static void test_host_numbers(void)
{
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (!CHECK_INT(u32_of(host, numbers[i].property), numbers[i].host))
			printf("#   of property %d\n", (int)numbers[i].property);
}

static void test_gpu_numbers(void)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint32_t got = u32_of(gpu, numbers[i].property);
		bool good = numbers[i].gpu == AT_LEAST_1 ? got >= 1 : got == numbers[i].gpu;

		if (!CHECK(good))
			printf("#   property %d is %u\n", (int)numbers[i].property, got);
	}
}

static void test_host_sizes(void)
{
	const ol_dimensions_t most = { UINT32_MAX, UINT32_MAX, UINT32_MAX }, one = { 1, 1, 1 };

	check_dimensions(host, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE_PER_DIMENSION, one);
	check_dimensions(host, OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION, most);
	CHECK_INT((long long)u64_of(host, OL_DEVICE_INFO_MAX_MEM_ALLOC_SIZE), FORM_HOST_MEMORY);
	CHECK_INT((long long)u64_of(host, OL_DEVICE_INFO_GLOBAL_MEM_SIZE), FORM_HOST_MEMORY);
	CHECK_INT((long long)u64_of(host, OL_DEVICE_INFO_WORK_GROUP_LOCAL_MEM_SIZE),
		  FORM_HOST_MEMORY);
}

static void test_gpu_strings(void)
{
	char version[64] = "", *end;

	check_text(gpu, OL_DEVICE_INFO_NAME, gpu_name);
	check_text(gpu, OL_DEVICE_INFO_PRODUCT_NAME, gpu_name);
	check_text(gpu, OL_DEVICE_INFO_VENDOR, "NVIDIA");
	check_text(gpu, OL_DEVICE_INFO_DRIVER_VERSION, NULL);
	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_DRIVER_VERSION, sizeof(version), version));
	CHECK(strtol(version, &end, 10) >= 11000 && !*end);
}

static void test_gpu_uid(void)
{
	char uid[64] = "";

	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_UID, sizeof(uid), uid));
	CHECK(!strncmp(uid, "CUDA-", 5));
	for (const char *digit = uid + 5; *digit; digit++)
		CHECK(isdigit((unsigned char)*digit) || (*digit >= 'a' && *digit <= 'f'));
}

/* All 16 bytes of the UUID, those behind a zero too. */
static void test_gpu_uid_is_whole(void)
{
	size_t size = 0;

	CHECK_OK(olGetDeviceInfoSize(gpu, OL_DEVICE_INFO_UID, &size));
	CHECK_INT((long long)size, (long long)strlen("CUDA-") + 32 + 1);
}

static void test_gpu_sizes(void)
{
	ol_dimensions_t group = { 0, 0, 0 }, work = { 0, 0, 0 };
	uint32_t threads = u32_of(gpu, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE);

	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE_PER_DIMENSION,
				 sizeof(group), &group));
	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION, sizeof(work),
				 &work));
	CHECK(group.x == threads && group.y == threads && group.z && group.z <= threads);
	CHECK(work.x >= 65535 && work.y >= 65535 && work.z >= 65535);
	CHECK(u64_of(gpu, OL_DEVICE_INFO_GLOBAL_MEM_SIZE) >= 1 << 20);
	CHECK(u64_of(gpu, OL_DEVICE_INFO_MAX_MEM_ALLOC_SIZE) ==
	      u64_of(gpu, OL_DEVICE_INFO_GLOBAL_MEM_SIZE));
}

static void test_gpu_shared_memory(void)
{
	uint64_t shared = u64_of(gpu, OL_DEVICE_INFO_WORK_GROUP_LOCAL_MEM_SIZE);

	CHECK(shared >= 48 << 10 && shared <= 1 << 20);
}

/* ---- Sizes ------------------------------------------------------------------------- */

/* Bytes of what ol_enum.def says that a property is; 0: of its string. */
static const size_t sizes[OL_DEVICE_INFO_LAST] = {
#define SIZE_OF_STRING 0
#define SIZE_OF_BOOL sizeof(bool)
#define SIZE_OF_U32 4
#define SIZE_OF_U64 8
#define SIZE_OF_HANDLE sizeof(void *)
#define SIZE_OF_DIMENSIONS sizeof(ol_dimensions_t)
#define SIZE_OF_DEVICE_TYPE sizeof(ol_device_type_t)
#define OL_DEVICE_INFO(name, value, type) [value] = SIZE_OF_##type,
#include "ol_enum.def"
};

static void check_size(ol_device_handle_t device, ol_device_info_t property)
{
	unsigned char room[256], as_before[256];
	size_t size = 0;

	memset(room, '#', sizeof(room));
	memset(as_before, '#', sizeof(as_before));
	CHECK_OK(olGetDeviceInfoSize(device, property, &size));
	if (sizes[property] && !CHECK_INT((long long)size, (long long)sizes[property]))
		printf("#   of property %d\n", (int)property);
	REQUIRE(size && size < sizeof(room));
	CHECK_CODE(olGetDeviceInfo(device, property, size - 1, room), INVALID_SIZE);
	CHECK(!memcmp(room, as_before, sizeof(room)));
	CHECK_OK(olGetDeviceInfo(device, property, size + 1, room));
	CHECK(!memcmp(room + size, as_before, sizeof(room) - size));
	CHECK(sizes[property] || room[size - 1] == '\0');
}

static void test_sizes_of_gpu(void)
{
	for (int i = 0; i < OL_DEVICE_INFO_LAST; i++)
		check_size(gpu, (ol_device_info_t)i);
}

static void test_sizes_of_host(void)
{
	for (int i = 0; i < FORM_HOST_INFOS; i++)
		check_size(host, (ol_device_info_t)i);
}

static void test_size_zero(void)
{
	char text[8];

	CHECK_CODE(olGetDeviceInfo(gpu, OL_DEVICE_INFO_NAME, 0, text), INVALID_SIZE);
	CHECK_CODE(olGetDeviceInfo(NULL, OL_DEVICE_INFO_LAST, 0, NULL), INVALID_SIZE);
}

static void test_null(void)
{
	char text[8];
	size_t size;

	CHECK_TELLS(olGetDeviceInfo(NULL, OL_DEVICE_INFO_NAME, 8, NULL), INVALID_NULL_HANDLE,
		    "validation failure: NULL == Device");
	CHECK_TELLS(olGetDeviceInfo(gpu, OL_DEVICE_INFO_NAME, 8, NULL), INVALID_NULL_POINTER,
		    "validation failure: NULL == PropValue");
	CHECK_CODE(olGetDeviceInfo(NULL, OL_DEVICE_INFO_NAME, 8, text), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetDeviceInfoSize(NULL, OL_DEVICE_INFO_NAME, &size), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetDeviceInfoSize(gpu, OL_DEVICE_INFO_NAME, NULL), INVALID_NULL_POINTER);
}

static void check_enums(ol_device_handle_t device)
{
	const int bad[] = { OL_DEVICE_INFO_LAST, OL_DEVICE_INFO_LAST + 1, -1, INT32_MAX };

	for (size_t i = 0; i < COUNT(bad); i++) {
		char text[64];
		size_t size = 77;

		CHECK_CODE(olGetDeviceInfo(device, (ol_device_info_t)bad[i], sizeof(text), text),
			   INVALID_ENUMERATION);
		CHECK_CODE(olGetDeviceInfoSize(device, (ol_device_info_t)bad[i], &size),
			   INVALID_ENUMERATION);
		CHECK_INT((long long)size, 77);
	}
}

static void test_bad_enum(void)
{
	check_enums(gpu);
}

static void test_bad_enum_of_host(void)
{
	check_enums(host);
}

/* ---- What is no device, or not the one that is needed ---------------------------------- */

static void check_refused(ol_device_handle_t device)
{
	ol_queue_handle_t queue = NULL;
	void *address = NULL;
	char text[256];
	size_t size;
	bool valid;

	CHECK_CODE(olGetDeviceInfo(device, OL_DEVICE_INFO_NAME, sizeof(text), text),
		   INVALID_DEVICE);
	CHECK_CODE(olGetDeviceInfoSize(device, OL_DEVICE_INFO_NAME, &size), INVALID_DEVICE);
	CHECK_CODE(olCreateQueue(device, &queue), INVALID_DEVICE);
	CHECK_CODE(olMemAlloc(device, OL_ALLOC_TYPE_DEVICE, 64, &address), INVALID_DEVICE);
	CHECK_CODE(olIsValidBinary(device, "image", 5, &valid), INVALID_DEVICE);
}

static void test_made_up(void)
{
	check_refused((ol_device_handle_t)(uintptr_t)0x4242);
	check_refused((ol_device_handle_t)UINTPTR_MAX);
	check_refused((ol_device_handle_t)(void *)sizes);
}

static void test_platform_as_device(void)
{
	check_refused((ol_device_handle_t)cuda);
	check_refused((ol_device_handle_t)host_platform);
}

static void test_queue_as_device(void)
{
	ol_queue_handle_t queue = new_queue();

	check_refused((ol_device_handle_t)queue);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_stale_after_reinit(void)
{
	ol_device_handle_t stale = gpu;

	REQUIRE_OK(olShutDown());
	REQUIRE_OK(ol_init());
	check_refused(stale);
	look_up();
}

static void test_host_after_reinit(void)
{
	REQUIRE_OK(olShutDown());
	REQUIRE_OK(ol_init());
	look_up();
	check_text(host, OL_DEVICE_INFO_UID, FORM_HOST_UID);
}

static void test_host_has_no_memory(void)
{
	void *address = &address;

	CHECK_CODE(olMemAlloc(host, OL_ALLOC_TYPE_HOST, 64, &address), INVALID_DEVICE);
}

static void test_host_has_no_queues(void)
{
	ol_queue_handle_t queue = NULL;

	CHECK_CODE(olCreateQueue(host, &queue), INVALID_DEVICE);
	CHECK(!queue);
}

static void test_host_has_no_programs(void)
{
	ol_program_handle_t program = NULL;
	struct image image = image_of("offload");

	CHECK_CODE(olCreateProgram(host, image.data, image.size, &program), INVALID_DEVICE);
	CHECK(!program);
	free(image.data);
}

static void test_host_runs_no_binary(void)
{
	struct image image = image_of("offload");
	bool valid = true;

	CHECK_OK(olIsValidBinary(host, image.data, image.size, &valid));
	CHECK(!valid);
	free(image.data);
}

static void test_twins(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	char text[256] = "";
	size_t size = 0;

	CHECK_OK(olGetDeviceInfoWithCodeLoc(gpu, OL_DEVICE_INFO_NAME, sizeof(text), text, &here));
	CHECK_STR(text, gpu_name);
	CHECK_OK(olGetDeviceInfoSizeWithCodeLoc(gpu, OL_DEVICE_INFO_NAME, &size, &here));
	CHECK_INT((long long)size, (long long)strlen(gpu_name) + 1);
}

static const struct ol_case cases[] = {
	OL_CASE(test_iterate_host_last),
	OL_CASE(test_iterate_stops),
	OL_CASE(test_iterate_same_each_time),
	OL_CASE(test_iterate_no_data),
	OL_CASE(test_iterate_within),
	OL_CASE(test_iterate_null),
	OL_CASE(test_types),
	OL_CASE(test_platforms),
	OL_CASE(test_host_strings),
	OL_CASE(test_host_numbers),
	OL_CASE(test_host_sizes),
	OL_CASE(test_gpu_strings),
	OL_CASE(test_gpu_uid),
	OL_CASE(test_gpu_uid_is_whole),
	OL_CASE(test_gpu_numbers),
	OL_CASE(test_gpu_sizes),
	OL_CASE(test_gpu_shared_memory),
	OL_CASE(test_sizes_of_gpu),
	OL_CASE(test_sizes_of_host),
	OL_CASE(test_size_zero),
	OL_CASE(test_null),
	OL_CASE(test_bad_enum),
	OL_CASE(test_bad_enum_of_host),
	OL_CASE(test_made_up),
	OL_CASE(test_platform_as_device),
	OL_CASE(test_queue_as_device),
	OL_CASE(test_stale_after_reinit),
	OL_CASE(test_host_after_reinit),
	OL_CASE(test_host_has_no_memory),
	OL_CASE(test_host_has_no_queues),
	OL_CASE(test_host_has_no_programs),
	OL_CASE(test_host_runs_no_binary),
	OL_CASE(test_twins),
};
OL_MAIN(cases)
