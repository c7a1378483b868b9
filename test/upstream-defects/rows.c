/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * rows ROW: does what a row of the table in docs/offload.md is about, on whichever
 * libLLVMOffload it is given, and prints what came of it; test/upstream-defects/defects says
 * how each is run. It knows ol_abi.h alone.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ol_abi.h"

enum { THREADS = 8 };

static ol_device_handle_t gpus[2], host;
static unsigned gpu_count;

/* ---- Telling ------------------------------------------------------------------------- */

static const char *code_name(ol_result_t result)
{
	static const char *const names[] = {
#define OL_ERRC(name, value) [value] = #name,
#include "ol_enum.def"
	};

	return names[result ? result->Code : OL_ERRC_SUCCESS];
}

static void tell(const char *what, ol_result_t result)
{
	static bool told;

	printf("%s%s: %s", told ? ", " : "", what, code_name(result));
	fflush(stdout);
	told = true;
}

/* What is no row's matter has to work. */
static void must(ol_result_t result, const char *what)
{
	if (!result)
		return;
	printf("%s: %s: %s\n", what, code_name(result), result->Details);
	exit(3);
}
#define MUST(call) must(call, #call)

/* ---- What rows are made of -------------------------------------------------------------- */

static bool note(ol_device_handle_t device, void *data)
{
	ol_device_type_t type;

	(void)data;
	MUST(olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type), &type));
	if (type == OL_DEVICE_TYPE_HOST)
		host = device;
	else if (gpu_count < 2)
		gpus[gpu_count++] = device;
	return true;
}

static void come_up(void)
{
	MUST(olInit());
	gpu_count = 0;
	MUST(olIterateDevices(note, NULL));
}

struct image {
	char data[65536];
	size_t size;
};

static const struct image *read_image(const char *path)
{
	static struct image image;
	FILE *file = fopen(path, "rb");

	image.size = file ? fread(image.data, 1, sizeof(image.data), file) : 0;
	if (file)
		fclose(file);
	if (!image.size) {
		printf("cannot read %s\n", path);
		exit(3);
	}
	return &image;
}

/* Without a kernel in it that a driver would have to compile anew. */
static const struct image *cubin(void)
{
	return read_image("test/data/images/offload.90.cubin");
}

static ol_program_handle_t load(ol_device_handle_t gpu, const struct image *image)
{
	ol_program_handle_t program = NULL;

	MUST(olCreateProgram(gpu, image->data, image->size, &program));
	return program;
}

/* Calls @work in eight threads that begin together. */
static pthread_barrier_t together;

static void in_threads(unsigned count, void *(*work)(void *))
{
	pthread_t threads[THREADS];
	uintptr_t numbers[THREADS];

	pthread_barrier_init(&together, NULL, count);
	for (uintptr_t i = 0; i < count; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* ---- The rows ------------------------------------------------------------------------------ */

static void two_unloads_fail(void)
{
	ol_result_t result;
	unsigned told = 0;

	come_up();
	load(gpus[0], cubin());
	load(gpus[1], cubin());
	result = olShutDown();
	for (const char *at = result ? result->Details : ""; (at = strstr(at, "cuModuleUnload"));
	     at++)
		told++;
	printf("olShutDown tells of %u", told);
}

static void one_unload_fails(void)
{
	void *memory;

	come_up();
	load(gpus[0], cubin());
	load(gpus[0], cubin());
	MUST(olMemAlloc(gpus[0], OL_ALLOC_TYPE_HOST, 64, &memory));
	tell("olShutDown", olShutDown());
}

static void ptx(void)
{
	const struct image *image = read_image("test/data/images/offload.ptx");

	come_up();
	tell("olDestroyProgram", olDestroyProgram(load(gpus[0], image)));
	tell("olShutDown", olShutDown());
}

static bool late; /* static destructors have a part */

__attribute__((destructor)) static void shut_down_late(void)
{
	if (!late)
		return;
	tell("olMemFree", olMemFree(NULL));
	tell("olShutDown", olShutDown());
}

static void static_destructor(void)
{
	come_up();
	tell("olMemFree", olMemFree(NULL));
	late = true;
}

static void *fail_differently(void *data)
{
	unsigned number = *(uintptr_t *)data;
	char room[8];

	pthread_barrier_wait(&together);
	for (unsigned i = 0; i < 2000; i++)
		olGetDeviceInfo(host, (ol_device_info_t)(1000 + i * THREADS + number),
				sizeof(room), room);
	return NULL;
}

static void failures_of_threads(void)
{
	come_up();
	in_threads(THREADS, fail_differently);
	tell("olShutDown", olShutDown());
}

static unsigned went_down; /* threads whose olShutDown() succeeded */

static void *shut_down(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&together);
	if (!olShutDown())
		__atomic_fetch_add(&went_down, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void eight_shut_down(void)
{
	for (unsigned i = 0; i < 300; i++) {
		come_up();
		in_threads(THREADS, shut_down);
	}
	printf("%u of 2400 succeed", went_down);
}

static const struct image *shared_image;
static unsigned failures;

static void *create_and_destroy(void *unused)
{
	ol_program_handle_t programs[32] = { NULL };
	unsigned failed = 0;

	(void)unused;
	pthread_barrier_wait(&together);
	for (unsigned i = 0; i < 500; i++) {
		ol_program_handle_t *program = &programs[i * 7 % 32];

		failed += *program && olDestroyProgram(*program);
		failed += olCreateProgram(gpus[0], shared_image->data, shared_image->size,
					  program) != OL_SUCCESS;
	}
	__atomic_fetch_add(&failures, failed, __ATOMIC_RELAXED);
	return NULL;
}

static void programs_of_threads(void)
{
	come_up();
	shared_image = read_image("test/data/images/vadd.90.cubin"); /* the smallest */
	in_threads(THREADS, create_and_destroy);
	printf("%u failures, ", failures);
	tell("olShutDown", olShutDown());
}

static void fill_without_queue(void)
{
	const char pattern = 1;
	void *memory;

	come_up();
	MUST(olMemAlloc(gpus[0], OL_ALLOC_TYPE_DEVICE, 64, &memory));
	tell("olMemFill", olMemFill(NULL, memory, 1, &pattern, 64));
}

static void fill_with_nothing(void)
{
	ol_queue_handle_t queue;
	const char pattern = 1;
	void *memory;

	come_up();
	MUST(olCreateQueue(gpus[0], &queue));
	MUST(olMemAlloc(gpus[0], OL_ALLOC_TYPE_DEVICE, 64, &memory));
	tell("olMemFill", olMemFill(queue, memory, 0, &pattern, 64));
}

static void queue_of_host(void)
{
	ol_queue_handle_t queue;

	come_up();
	tell("olCreateQueue", olCreateQueue(host, &queue));
}

static ol_queue_handle_t launch_queue;
static ol_symbol_handle_t launched;

static void *launch(void *unused)
{
	const ol_kernel_launch_size_args_t one = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 0 };

	(void)unused;
	tell("olLaunchKernel", olLaunchKernel(launch_queue, gpus[0], launched, NULL, 0, &one));
	return NULL;
}

static void fresh_thread(void)
{
	come_up();
	MUST(olCreateQueue(gpus[0], &launch_queue));
	MUST(olGetSymbol(load(gpus[0], cubin()), "nothing", OL_SYMBOL_KIND_KERNEL, &launched));
	in_threads(1, launch);
}

static void rpc(void)
{
	const struct image *image = read_image("test/data/images/rpc.90.cubin");
	ol_program_handle_t program;

	come_up();
	tell("olCreateProgram", olCreateProgram(gpus[0], image->data, image->size, &program));
	tell("olCreateProgram", olCreateProgram(gpus[0], image->data, image->size, &program));
	MUST(olShutDown());
}

static void copy_between_devices(void)
{
	void *from, *to;

	come_up();
	MUST(olMemAlloc(gpus[0], OL_ALLOC_TYPE_DEVICE, 64, &from));
	MUST(olMemAlloc(gpus[1], OL_ALLOC_TYPE_DEVICE, 64, &to));
	tell("olMemcpy", olMemcpy(NULL, to, gpus[1], from, gpus[0], 64));
}

static void init_fails(void)
{
	tell("olInit", olInit());
	tell("olInit", olInit());
}

static void stale_device(void)
{
	ol_queue_handle_t queue;

	come_up();
	MUST(olShutDown());
	MUST(olInit());
	tell("olCreateQueue", olCreateQueue(gpus[0], &queue));
}

static void wrong_kind(void)
{
	ol_queue_handle_t queue;
	ol_event_handle_t event;

	come_up();
	MUST(olCreateQueue(gpus[0], &queue));
	MUST(olCreateEvent(queue, &event));
	tell("olSyncQueue", olSyncQueue((ol_queue_handle_t)event));
}

static void out_of_memory(void)
{
	void *memory;

	come_up();
	tell("olMemAlloc", olMemAlloc(gpus[0], OL_ALLOC_TYPE_DEVICE, (size_t)1 << 55, &memory));
}

static const struct row {
	const char *name;
	void (*run)(void);
} rows[] = {
	{ "1", two_unloads_fail },
	{ "2", one_unload_fails },
	{ "3", ptx },
	{ "4", static_destructor },
	{ "5", failures_of_threads },
	{ "6", eight_shut_down },
	{ "7", programs_of_threads },
	{ "8a", fill_without_queue },
	{ "8b", fill_with_nothing },
	{ "8c", queue_of_host },
	{ "9", fresh_thread },
	{ "10", rpc },
	{ "11", copy_between_devices },
	{ "13", init_fails },
	{ "14", stale_device },
	{ "15", wrong_kind },
	{ "16", out_of_memory },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(argv[1], rows[i].name)) {
			rows[i].run();
			return 0;
		}
	fprintf(stderr, "usage: rows ROW\n");
	return 2;
}
