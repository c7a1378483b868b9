/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies: of every direction, with and without a queue, whatever is said of devices. */
#include "ol_blocked.h"

enum { SIZE = 1000 };

/* A place to copy from or to: plain host memory, or what olMemAlloc() gives. */
enum place { PLAIN, PINNED, MANAGED, DEVICE, PLACES };

static void *make(enum place place)
{
	static const ol_alloc_type_t types[] = {
		[PINNED] = OL_ALLOC_TYPE_HOST,
		[MANAGED] = OL_ALLOC_TYPE_MANAGED,
		[DEVICE] = OL_ALLOC_TYPE_DEVICE,
	};

	return place == PLAIN ? malloc(SIZE) : alloc(types[place], SIZE);
}

static void drop(enum place place, void *memory)
{
	if (place == PLAIN)
		free(memory);
	else
		CHECK_OK(olMemFree(memory));
}

static void make_bytes(uint8_t *bytes, unsigned seed)
{
	for (unsigned i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256 + seed);
}

/* The device that is named for memory at @place. */
static ol_device_handle_t device_of(enum place place)
{
	return place == PLAIN ? host : gpu;
}

static void settle(ol_queue_handle_t queue)
{
	if (queue)
		CHECK_OK(olSyncQueue(queue));
}

/* Copies what is at @from to @to by way of them, there and back; host to host is for
 * those who have no queue. */
static void check_copy(ol_queue_handle_t queue, enum place from, enum place to)
{
	uint8_t *a = make(from), *b = make(to), want[SIZE], back[SIZE] = { 0 };

	make_bytes(want, (unsigned)(from * PLACES + to));
	CHECK_OK(olMemcpy(NULL, a, device_of(from), want, host, SIZE));
	CHECK_OK(olMemcpy(queue, b, device_of(to), a, device_of(from), SIZE));
	settle(queue);
	CHECK_OK(olMemcpy(NULL, back, host, b, device_of(to), SIZE));
	if (!CHECK(!memcmp(back, want, SIZE)))
		printf("#   from %d to %d\n", from, to);
	drop(from, a);
	drop(to, b);
}

static void test_waiting(void)
{
	for (int from = 0; from < PLACES; from++)
		for (int to = 0; to < PLACES; to++)
			check_copy(NULL, (enum place)from, (enum place)to);
}

static void test_on_queue(void)
{
	ol_queue_handle_t queue = new_queue();

	for (int from = 0; from < PLACES; from++)
		for (int to = from == PLAIN; to < PLACES; to++)
			check_copy(queue, (enum place)from, (enum place)to);
}

/* Any offset and size, and nothing beside it. */
static void test_pieces(void)
{
	static const struct {
		unsigned to, from, size;
	} pieces[] = { { 0, 0, 1 }, { 1, 0, 3 }, { 3, 1, 64 }, { 999, 0, 1 }, { 17, 500, 255 } };
	uint8_t *device = make(DEVICE), bytes[SIZE], want[SIZE], back[SIZE];

	make_bytes(bytes, 1);
	for (unsigned i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		memset(want, 0xee, SIZE);
		CHECK_OK(olMemcpy(NULL, device, gpu, want, host, SIZE));
		CHECK_OK(olMemcpy(NULL, device + pieces[i].to, gpu, bytes + pieces[i].from, host,
				  pieces[i].size));
		CHECK_OK(olMemcpy(NULL, back, host, device, gpu, SIZE));
		memcpy(want + pieces[i].to, bytes + pieces[i].from, pieces[i].size);
		CHECK(!memcmp(back, want, SIZE));
	}
	drop(DEVICE, device);
}

static void test_large(void)
{
	const size_t size = ((size_t)5 << 20) + 3;
	uint8_t *bytes = malloc(size), *back = calloc(1, size);
	void *a = alloc(OL_ALLOC_TYPE_DEVICE, size), *b = alloc(OL_ALLOC_TYPE_DEVICE, size);
	ol_queue_handle_t queue = new_queue();

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 31 >> 3);
	CHECK_OK(olMemcpy(queue, a, gpu, bytes, host, size));
	CHECK_OK(olMemcpy(queue, b, gpu, a, gpu, size));
	CHECK_OK(olMemcpy(queue, back, host, b, gpu, size));
	CHECK_OK(olSyncQueue(queue));
	CHECK(!memcmp(back, bytes, size));
	CHECK_OK(olMemFree(a));
	CHECK_OK(olMemFree(b));
	free(bytes);
	free(back);
}

/* Copies of a queue come one after the other. */
static void test_order(void)
{
	ol_queue_handle_t queue = new_queue();
	uint32_t *device = alloc(OL_ALLOC_TYPE_DEVICE, 64 * sizeof(*device));
	uint32_t *values = alloc(OL_ALLOC_TYPE_HOST, 64 * sizeof(*values)), back = 0;

	for (unsigned i = 0; i < 64; i++)
		values[i] = i + 1;
	CHECK_OK(olMemcpy(queue, device, gpu, values, gpu, 64 * sizeof(*values)));
	for (unsigned i = 1; i < 64; i++)
		CHECK_OK(olMemcpy(queue, &device[i], gpu, &device[i - 1], gpu, sizeof(back)));
	CHECK_OK(olMemcpy(queue, &back, host, &device[63], gpu, sizeof(back)));
	CHECK_OK(olSyncQueue(queue));
	CHECK_INT(back, 1);
	CHECK_OK(olMemFree(device));
	CHECK_OK(olMemFree(values));
}

/* ---- What is said of devices -------------------------------------------------------- */

static void test_host_to_host(void)
{
	char from[] = "from here", to[] = "to there.";

	CHECK_OK(olMemcpy(NULL, to, host, from, host, sizeof(from)));
	CHECK_STR(to, "from here");
}

/* A queue is for work with a device, even if there is none to do. */
static void test_host_to_host_on_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	char from[] = "from", to[] = "gone";

	CHECK_CODE(olMemcpy(queue, to, host, from, host, sizeof(from)), INVALID_ARGUMENT);
	CHECK_CODE(olMemcpy(queue, to, host, from, host, 0), INVALID_ARGUMENT);
	CHECK_STR(to, "gone");
}

/* Managed and pinned memory may be said to be the host's. */
static void test_as_host(void)
{
	const enum place places[] = { PINNED, MANAGED };
	ol_queue_handle_t queue = new_queue();
	uint8_t *device = make(DEVICE), back[SIZE];

	for (int i = 0; i < 2; i++) {
		uint8_t *memory = make(places[i]);

		make_bytes(memory, 5);
		CHECK_OK(olMemcpy(queue, device, gpu, memory, host, SIZE));
		CHECK_OK(olSyncQueue(queue));
		memset(memory, 0, SIZE);
		CHECK_OK(olMemcpy(queue, memory, host, device, gpu, SIZE));
		CHECK_OK(olSyncQueue(queue));
		CHECK_OK(olMemcpy(NULL, back, host, memory, host, SIZE));
		make_bytes(memory, 5);
		CHECK(!memcmp(back, memory, SIZE));
		drop(places[i], memory);
	}
	drop(DEVICE, device);
}

/* Memory of a device that is said to be the host's is still the device's. */
static void test_device_as_host(void)
{
	uint8_t *device = make(DEVICE), bytes[SIZE], back[SIZE] = { 0 };

	make_bytes(bytes, 9);
	CHECK_OK(olMemcpy(NULL, device, host, bytes, host, SIZE));
	CHECK_OK(olMemcpy(NULL, back, host, device, host, SIZE));
	CHECK(!memcmp(back, bytes, SIZE));
	drop(DEVICE, device);
}

/* Plain memory that is said to be the device's. */
static void test_host_as_device(void)
{
	uint8_t *device = make(DEVICE), bytes[SIZE], back[SIZE] = { 0 };

	make_bytes(bytes, 11);
	CHECK_OK(olMemcpy(NULL, device, gpu, bytes, gpu, SIZE));
	CHECK_OK(olMemcpy(NULL, back, gpu, device, gpu, SIZE));
	CHECK(!memcmp(back, bytes, SIZE));
	drop(DEVICE, device);
}

/* From one device to another and on to the host, as told by the devices. */
static void check_peers(ol_queue_handle_t queue)
{
	uint8_t bytes[SIZE], back[SIZE] = { 0 };
	void *here = make(DEVICE), *there = NULL;

	make_bytes(bytes, 13);
	CHECK_OK(olMemAlloc(other_gpu, OL_ALLOC_TYPE_DEVICE, SIZE, &there));
	CHECK_OK(olMemcpy(queue, here, gpu, bytes, host, SIZE));
	CHECK_OK(olMemcpy(queue, there, other_gpu, here, gpu, SIZE));
	settle(queue);
	memset(bytes, 0, SIZE);
	CHECK_OK(olMemcpy(queue, here, gpu, bytes, host, SIZE));
	CHECK_OK(olMemcpy(queue, here, gpu, there, other_gpu, SIZE));
	CHECK_OK(olMemcpy(queue, back, host, here, gpu, SIZE));
	settle(queue);
	make_bytes(bytes, 13);
	CHECK(!memcmp(back, bytes, SIZE));
	CHECK_OK(olMemFree(here));
	CHECK_OK(olMemFree(there));
}

/* Each with each: the queue may be of a device that has nothing to do with the copy. */
static void check_two_devices(void)
{
	ol_queue_handle_t queue = NULL;

	check_peers(NULL);
	check_peers(new_queue());
	CHECK_OK(olCreateQueue(other_gpu, &queue));
	check_peers(queue);
	for (int to = DEVICE - 1; to <= DEVICE; to++)
		check_copy(queue, DEVICE, (enum place)to);
}

/* The stub driver can have two devices. */
static void scene_two_devices(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	REQUIRE(other_gpu);
	check_two_devices();
	CHECK_OK(olShutDown());
}

static void test_two_devices(void)
{
	if (other_gpu)
		check_two_devices();
	else if (executes())
		SKIP("needs a GPU and another one");
	else
		CHECK_PLAY("scene_two_devices", "GPURUN_STUB_DEVICES=2", NULL);
}

/* ---- What is refused ------------------------------------------------------------------ */

static void test_nothing(void)
{
	ol_queue_handle_t queue = new_queue();
	char *device = make(DEVICE), local = 1;

	CHECK_OK(olMemcpy(NULL, device, gpu, &local, host, 0));
	CHECK_OK(olMemcpy(queue, device, gpu, &local, host, 0));
	CHECK_OK(olMemcpy(queue, &local, host, device, gpu, 0));
	CHECK_OK(olMemcpy(queue, device, gpu, device, gpu, 0));
	CHECK_OK(olMemcpy(NULL, &local, host, &local, host, 0));
	CHECK_INT(local, 1);
	drop(DEVICE, device);
}

static void test_order_of_checks(void)
{
	char local;

	CHECK_TELLS(olMemcpy(NULL, NULL, NULL, NULL, NULL, 1), INVALID_NULL_HANDLE,
		    "validation failure: NULL == DstDevice");
	CHECK_TELLS(olMemcpy(NULL, NULL, host, NULL, NULL, 1), INVALID_NULL_HANDLE,
		    "validation failure: NULL == SrcDevice");
	CHECK_TELLS(olMemcpy(NULL, NULL, host, NULL, host, 1), INVALID_NULL_POINTER,
		    "validation failure: NULL == DstPtr");
	CHECK_TELLS(olMemcpy(NULL, &local, host, NULL, host, 0), INVALID_NULL_POINTER,
		    "validation failure: NULL == SrcPtr");
}

static void test_stale_queue(void)
{
	ol_queue_handle_t queue = new_queue();
	char *device = make(DEVICE), local = 1;

	CHECK_OK(olDestroyQueue(queue));
	CHECK_CODE(olMemcpy(queue, device, gpu, &local, host, 1), INVALID_QUEUE);
	CHECK_CODE(olMemcpy(queue, device, gpu, &local, host, 0), INVALID_QUEUE);
	drop(DEVICE, device);
}

static void test_wrong_kinds(void)
{
	ol_queue_handle_t queue = new_queue();
	char *device = make(DEVICE), local = 1;
	ol_device_handle_t odd = (ol_device_handle_t)(void *)queue;

	CHECK_CODE(olMemcpy((ol_queue_handle_t)(void *)gpu, device, gpu, &local, host, 1),
		   INVALID_QUEUE);
	CHECK_CODE(olMemcpy((ol_queue_handle_t)(void *)device, device, gpu, &local, host, 1),
		   INVALID_QUEUE);
	CHECK_CODE(olMemcpy(NULL, device, odd, &local, host, 1), INVALID_DEVICE);
	CHECK_CODE(olMemcpy(NULL, device, gpu, &local, odd, 1), INVALID_DEVICE);
	CHECK_CODE(olMemcpy(NULL, &local, host, &local, (ol_device_handle_t)(void *)&local, 1),
		   INVALID_DEVICE);
	drop(DEVICE, device);
}

/* ---- Queues that stand still ------------------------------------------------------------ */

/* What needs no host memory that can move is enqueued; other queues' copies are made. */
static void test_blocked(void)
{
	ol_queue_handle_t queue, other = new_queue();
	uint8_t *a = make(DEVICE), *b = make(DEVICE), *pinned = make(PINNED);
	uint8_t bytes[SIZE], back[SIZE] = { 0 };

	make_bytes(bytes, 17);
	CHECK_OK(olMemcpy(NULL, a, gpu, bytes, host, SIZE));
	queue = blocked_queue();
	CHECK_OK(olMemcpy(queue, b, gpu, a, gpu, SIZE));
	CHECK_OK(olMemcpy(queue, pinned, host, b, gpu, SIZE));
	CHECK_OK(olMemcpy(other, back, host, a, gpu, SIZE));
	CHECK_OK(olSyncQueue(other));
	CHECK(!memcmp(back, bytes, SIZE));
	memset(back, 0, SIZE);
	CHECK_OK(olMemcpy(NULL, back, host, a, gpu, SIZE));
	CHECK(!memcmp(back, bytes, SIZE));
	CHECK_BLOCKED();
	CHECK_OK(olSyncQueue(queue));
	CHECK(!memcmp(pinned, bytes, SIZE));
	drop(DEVICE, a);
	drop(DEVICE, b);
	drop(PINNED, pinned);
}

static void test_twin(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	char from[] = "from", to[] = "to..";

	CHECK_OK(olMemcpyWithCodeLoc(NULL, to, host, from, host, sizeof(from), &here));
	CHECK_STR(to, "from");
}

static const struct ol_case cases[] = {
	OL_CASE(test_waiting),
	OL_CASE(test_on_queue),
	OL_CASE(test_pieces),
	OL_CASE(test_large),
	OL_CASE(test_order),
	OL_CASE(test_host_to_host),
	OL_CASE(test_host_to_host_on_queue),
	OL_CASE(test_as_host),
	OL_CASE(test_device_as_host),
	OL_CASE(test_host_as_device),
	OL_SCENE(scene_two_devices),
	OL_CASE(test_two_devices),
	OL_CASE(test_nothing),
	OL_CASE(test_order_of_checks),
	OL_CASE(test_stale_queue),
	OL_CASE(test_wrong_kinds),
	OL_CASE(test_blocked),
	OL_CASE(test_twin),
};
OL_MAIN(cases)
