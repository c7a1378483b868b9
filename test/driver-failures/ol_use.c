/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that use everything once, and end in different ways; programs of the
 * device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ol_calls.h"

enum { BYTES = 64 };

/* One of each, as a program makes them. */
struct things {
	ol_program_handle_t program;
	ol_symbol_handle_t kernel, counter;
	ol_queue_handle_t queue;
	ol_event_handle_t event;
	void *memory;
};

/* Loads, launches, records, waits and copies; nothing is released. */
static void use(struct things *t)
{
	char bytes[BYTES] = "sixty-four bytes", back[BYTES];

	STEP(olCreateProgram(ol_gpu, ol_ptx, ol_ptx_size, &t->program));
	STEP(olGetSymbol(t->program, "work", OL_SYMBOL_KIND_KERNEL, &t->kernel));
	STEP(olGetSymbol(t->program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &t->counter));
	STEP(olCreateQueue(ol_gpu, &t->queue));
	STEP(olMemAlloc(ol_gpu, OL_ALLOC_TYPE_DEVICE, BYTES, &t->memory));
	STEP(olMemcpy(t->queue, t->memory, ol_gpu, bytes, ol_host, BYTES));
	STEP(ol_launch_one(t->queue, ol_gpu, t->kernel));
	STEP(ol_create_event(t->queue, &t->event));
	STEP(olMemcpy(t->queue, back, ol_host, t->memory, ol_gpu, BYTES));
	STEP(olSyncEvent(t->event));
	STEP(olSyncQueue(t->queue));
}

/* What was made before a failure is there to be released after it. */
static void release(const struct things *t)
{
	if (t->event)
		ol_told(olDestroyEvent(t->event));
	if (t->memory)
		ol_told(olMemFree(t->memory));
	if (t->queue)
		ol_told(olDestroyQueue(t->queue));
	if (t->program)
		ol_told(olDestroyProgram(t->program));
}

void ol_plain(void)
{
	struct things things = { 0 };

	use(&things);
	release(&things);
}

void ol_plain_left(void)
{
	struct things things = { 0 };

	use(&things);
}

/* Up and down several times, once nested, and left up at the end. */
void ol_again(void)
{
	for (int i = 0; i < 3; i++) {
		struct things things = { 0 };

		PART(use(&things));
		STEP(ol_init());
		STEP(olShutDown());
		STEP(olShutDown());
		STEP(ol_init());
		STEP(ol_find_devices());
	}
}

/* One is destroyed while the other runs; a third is left without a launch. */
static void two_programs(ol_program_handle_t first, ol_program_handle_t second)
{
	ol_symbol_handle_t work, more;
	ol_queue_handle_t queue;

	STEP(olCreateQueue(ol_gpu, &queue));
	STEP(olGetSymbol(first, "work", OL_SYMBOL_KIND_KERNEL, &work));
	STEP(olGetSymbol(second, "more", OL_SYMBOL_KIND_KERNEL, &more));
	STEP(ol_launch_one(queue, ol_gpu, work));
	STEP(ol_launch_one(queue, ol_gpu, more));
	STEP(olDestroyProgram(first));
	STEP(ol_launch_one(queue, ol_gpu, more));
	STEP(ol_launch_one(NULL, ol_gpu, more));
	STEP(olDestroyProgram(second));
}

void ol_programs(void)
{
	ol_program_handle_t first, second, idle;

	STEP(olCreateProgram(ol_gpu, ol_ptx, ol_ptx_size, &first));
	STEP(olCreateProgram(ol_gpu, ol_ptx, ol_ptx_size, &second));
	STEP(olCreateProgram(ol_gpu, ol_ptx, ol_ptx_size, &idle));
	two_programs(first, second);
}

/* The image at @path; its size is 0, and that told, when it cannot be read. */
static size_t read_image(const char *path, char *image, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(image, 1, room, file) : 0;

	if (file)
		fclose(file);
	if (!size)
		fprintf(stderr, "error: cannot read %s\n", path);
	return size;
}

/* One is destroyed, with what it has to do then; the other is left for the end. */
static void load_twice(const char *path)
{
	static char image[1 << 20];
	size_t size = read_image(path, image, sizeof(image));
	ol_program_handle_t first, second;

	if (!size)
		return;
	STEP(olCreateProgram(ol_gpu, image, size, &first));
	STEP(olCreateProgram(ol_gpu, image, size, &second));
	STEP(olDestroyProgram(first));
}

void ol_structors(void)
{
	load_twice("test/data/images/structors.ptx");
}

void ol_profile(void)
{
	load_twice("test/data/images/profiled.ptx");
}

/* ---- Questions ----------------------------------------------------------------------- */

static void device_info(ol_device_handle_t device)
{
	ol_platform_handle_t platform;
	char value[256];
	size_t size;

	for (int i = 0; i < OL_DEVICE_INFO_LAST; i++) {
		STEP(olGetDeviceInfoSize(device, (ol_device_info_t)i, &size));
		STEP(olGetDeviceInfo(device, (ol_device_info_t)i, size, value));
	}
	STEP(olGetDeviceInfo(device, OL_DEVICE_INFO_PLATFORM, sizeof(platform), &platform));
	for (int i = 0; i < OL_PLATFORM_INFO_LAST; i++) {
		STEP(olGetPlatformInfoSize(platform, (ol_platform_info_t)i, &size));
		STEP(olGetPlatformInfo(platform, (ol_platform_info_t)i, size, value));
	}
}

static void symbol_info(ol_program_handle_t program)
{
	ol_symbol_handle_t kernel, counter;
	size_t size, group;
	char value[8];

	STEP(olGetSymbol(program, "work", OL_SYMBOL_KIND_KERNEL, &kernel));
	STEP(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	for (int i = 0; i < OL_SYMBOL_INFO_LAST; i++) {
		STEP(olGetSymbolInfoSize(counter, (ol_symbol_info_t)i, &size));
		STEP(olGetSymbolInfo(counter, (ol_symbol_info_t)i, size, value));
	}
	STEP(olCalculateOptimalOccupancy(ol_gpu, kernel, 1024, &group));
}

void ol_info(void)
{
	ol_program_handle_t program;
	bool valid;

	PART(device_info(ol_gpu));
	PART(device_info(ol_host));
	STEP(olIsValidBinary(ol_gpu, ol_ptx, ol_ptx_size, &valid));
	STEP(olCreateProgram(ol_gpu, ol_ptx, ol_ptx_size, &program));
	symbol_info(program);
}

/* Where there is no GPU, and none is asked for. */
void ol_host_alone(void)
{
	char from[BYTES] = "host", to[BYTES];
	bool valid;

	PART(device_info(ol_host));
	STEP(olMemcpy(NULL, to, ol_host, from, ol_host, BYTES));
	STEP(olIsValidBinary(ol_host, ol_ptx, ol_ptx_size, &valid));
}
