/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs about memory, and about order: queues, events, host functions. */
#include "ol_calls.h"

enum { BYTES = 64 };

static void memory_info(const char *pointer)
{
	char value[16];
	size_t size;

	for (int i = 0; i < OL_MEM_INFO_LAST; i++) {
		STEP(olGetMemInfoSize(pointer, (ol_mem_info_t)i, &size));
		STEP(olGetMemInfo(pointer, (ol_mem_info_t)i, size, value));
	}
}

/* Every direction, on @queue or at once. */
static void copy_around(ol_queue_handle_t queue, char *device, char *managed, char *pinned)
{
	static char mine[BYTES];

	STEP(olMemcpy(queue, device, ol_gpu, mine, ol_host, BYTES));
	STEP(olMemcpy(queue, managed, ol_gpu, device, ol_gpu, BYTES));
	STEP(olMemcpy(queue, pinned, ol_host, managed, ol_gpu, BYTES));
	STEP(olMemcpy(queue, mine, ol_host, device, ol_gpu, BYTES));
	STEP(olMemcpy(NULL, mine, ol_host, pinned, ol_host, BYTES));
}

/* Twice, so that the second time is another use of the first. */
static void pin(void)
{
	static char mine[4096];
	void *pinned;

	STEP(ol_register(ol_gpu, mine, sizeof(mine), 0, &pinned));
	STEP(ol_register(ol_gpu, mine, BYTES, 0, &pinned));
	STEP(ol_unregister(ol_gpu, mine));
	STEP(ol_unregister(ol_gpu, mine));
	STEP(ol_register(ol_gpu, mine, sizeof(mine), 0, &pinned));
}

void ol_memory(void)
{
	void *device, *managed, *pinned, *left;
	ol_queue_handle_t queue;

	STEP(olCreateQueue(ol_gpu, &queue));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_DEVICE, BYTES, &device));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_MANAGED, BYTES, &managed));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_HOST, BYTES, &pinned));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_DEVICE, 2 * BYTES, &left));
	PART(memory_info((char *)device + 1));
	PART(pin());
	PART(copy_around(queue, device, managed, pinned));
	PART(copy_around(NULL, device, managed, pinned));
	STEP(olSyncQueue(queue));
	STEP(olMemFree(device));
	STEP(olMemFree(managed));
	STEP(olMemFree(pinned));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_DEVICE, BYTES, &device));
}

static void fill_with_sizes(ol_queue_handle_t queue, void *memory)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 12, 16, 40 };
	static const char pattern[40] = "0123456789012345678901234567890123456789";

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		STEP(olMemFill(queue, memory, sizes[i], pattern, 3 * sizes[i]));
}

/* Patterns of any size, of which some repeat themselves. */
void ol_fills(void)
{
	static const char same[16] = "aaaaaaaaaaaaaaaa";
	ol_queue_handle_t queue;
	void *memory;

	STEP(olCreateQueue(ol_gpu, &queue));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_DEVICE, 120, &memory));
	PART(fill_with_sizes(queue, memory));
	PART(fill_with_sizes(NULL, memory));
	STEP(olMemFill(queue, memory, 16, same, 48));
	STEP(olSyncQueue(queue));
}

static void count_up(void *data)
{
	++*(int *)data;
}

/* The first waits for nothing, the others each for the one before. */
static void chain(ol_symbol_handle_t kernel, ol_queue_handle_t *queues,
		  ol_event_handle_t *events)
{
	for (int i = 0; i < 3; i++) {
		STEP(olCreateQueue(ol_gpu, &queues[i]));
		if (i)
			STEP(olWaitEvents(queues[i], events, (size_t)i));
		STEP(ol_launch_one(queues[i], ol_gpu, kernel));
		STEP(ol_create_event(queues[i], &events[i]));
	}
}

static void ask(ol_queue_handle_t queue, ol_event_handle_t event)
{
	char value[16];
	size_t size;

	for (int i = 0; i < OL_QUEUE_INFO_LAST; i++) {
		STEP(olGetQueueInfoSize(queue, (ol_queue_info_t)i, &size));
		STEP(olGetQueueInfo(queue, (ol_queue_info_t)i, size, value));
	}
	for (int i = 0; i < OL_EVENT_INFO_LAST; i++) {
		STEP(olGetEventInfoSize(event, (ol_event_info_t)i, &size));
		STEP(olGetEventInfo(event, (ol_event_info_t)i, size, value));
	}
}

/* Events outlive their queues; one queue and one event are left. */
static void wait_and_go(ol_queue_handle_t *queues, ol_event_handle_t *events)
{
	static int calls;

	STEP(olLaunchHostFunction(queues[2], count_up, &calls));
	PART(ask(queues[0], events[0]));
	STEP(olDestroyQueue(queues[0]));
	STEP(olWaitEvents(queues[1], events, 1));
	STEP(olSyncEvent(events[0]));
	STEP(olSyncEvent(events[2]));
	STEP(olSyncQueue(queues[2]));
	STEP(olDestroyEvent(events[0]));
	STEP(olDestroyEvent(events[1]));
	STEP(olDestroyQueue(queues[1]));
}

void ol_order(void)
{
	ol_event_handle_t events[3] = { NULL };
	ol_queue_handle_t queues[3] = { NULL };
	ol_program_handle_t program;
	ol_symbol_handle_t kernel;

	STEP(olCreateProgram(ol_gpu, ol_ptx, ol_ptx_size, &program));
	STEP(olGetSymbol(program, "work", OL_SYMBOL_KIND_KERNEL, &kernel));
	PART(chain(kernel, queues, events));
	wait_and_go(queues, events);
}

/* From one device to the other, with a queue of either and without one. */
void ol_two_devices(void)
{
	ol_queue_handle_t queue, other;
	void *here, *there;

	STEP(olCreateQueue(ol_gpu, &queue));
	STEP(olCreateQueue(ol_second_gpu, &other));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_DEVICE, BYTES, &here));
	STEP(olMemAlloc(ol_second_gpu, OL_ALLOC_TYPE_DEVICE, BYTES, &there));
	STEP(olMemcpy(queue, there, ol_second_gpu, here, ol_gpu, BYTES));
	STEP(olMemcpy(other, here, ol_gpu, there, ol_second_gpu, BYTES));
	STEP(olMemcpy(NULL, there, ol_second_gpu, here, ol_gpu, BYTES));
	STEP(olSyncQueue(queue));
	STEP(olSyncQueue(other));
	STEP(olMemFree(there));
}
