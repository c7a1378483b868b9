/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * vadd.c in the form of LLVM 23.1. This differs and nothing else: main() tells olInit() the
 * platforms, and add() gives olLaunchKernel() a pointer and a size for each argument, not a
 * structure of all of them. The header is LLVM's (Debian: liboffload-23-dev).
 *
 *	cc -I/usr/lib/llvm-23/include vadd23.c -o vadd23 $(pkg-config --libs LLVMOffload23)
 *	GPURUN_DEVICE=cpu ./vadd23 ../cuda/vadd.fatbin
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <offload/OffloadAPI.h>

enum { COUNT = 1024, BLOCK = 128, BYTES = COUNT * sizeof(float) };

struct devices {
	ol_device_handle_t gpu, host;
};

/* Ends the program with the library's own words when a call has failed. */
static void try(ol_result_t result)
{
	if (!result)
		return;
	fprintf(stderr, "vadd23: error %d: %s\n", result->Code, result->Details);
	exit(1);
}

/* Notes the first GPU, and the host. */
static bool note_device(ol_device_handle_t device, void *data)
{
	struct devices *devices = data;
	ol_device_type_t type;

	try(olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type), &type));
	if (type == OL_DEVICE_TYPE_GPU && !devices->gpu)
		devices->gpu = device;
	if (type == OL_DEVICE_TYPE_HOST)
		devices->host = device;
	return true;
}

static ol_program_handle_t load(ol_device_handle_t device, const char *path)
{
	enum { LIMIT = 1 << 24 };
	ol_program_handle_t program;
	FILE *file = fopen(path, "rb");
	char *data = malloc(LIMIT);

	if (!file || !data) {
		perror(path);
		exit(1);
	}
	try(olCreateProgram(device, data, fread(data, 1, LIMIT, file), &program));
	fclose(file);
	free(data); /* the program has its own copy */
	return program;
}

static float *upload(const struct devices *on, ol_queue_handle_t queue, const float *values)
{
	void *address;

	try(olMemAlloc(on->gpu, OL_ALLOC_TYPE_DEVICE, BYTES, &address));
	try(olMemcpy(queue, address, on->gpu, values, on->host, BYTES));
	return address;
}

/* Launches z = x + y, and waits for z. */
static void add(const struct devices *on, ol_queue_handle_t queue, ol_symbol_handle_t kernel,
		const float *x, const float *y, float *z)
{
	const ol_kernel_launch_size_args_t size = {
		.Dimensions = 1,
		.NumGroups = { COUNT / BLOCK, 1, 1 },
		.GroupSize = { BLOCK, 1, 1 },
	};
	float *gx = upload(on, queue, x), *gy = upload(on, queue, y), *gz = upload(on, queue, z);
	int count = COUNT;
	void *arguments[] = { &gx, &gy, &gz, &count };
	const size_t sizes[] = { sizeof(gx), sizeof(gy), sizeof(gz), sizeof(count) };

	try(olLaunchKernel(queue, on->gpu, kernel, &size, NULL, 4, arguments, sizes));
	try(olMemcpy(queue, z, on->host, gz, on->gpu, BYTES));
	try(olSyncQueue(queue));
	try(olMemFree(gx));
	try(olMemFree(gy));
	try(olMemFree(gz));
}

int main(int argc, char **argv)
{
	static float x[COUNT], y[COUNT], z[COUNT];
	const ol_platform_backend_t cuda = OL_PLATFORM_BACKEND_CUDA;
	const ol_init_args_t platforms = { sizeof(platforms), 1, &cuda };
	struct devices on = { NULL, NULL };
	ol_queue_handle_t queue;
	ol_program_handle_t program;
	ol_symbol_handle_t kernel;
	int wrong = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: vadd23 IMAGE\n");
		return 2;
	}
	for (int i = 0; i < COUNT; i++) {
		x[i] = i;
		y[i] = 2 * i;
	}

	try(olInit(&platforms));
	try(olIterateDevices(note_device, &on));
	if (!on.gpu) {
		fprintf(stderr, "vadd23: no GPU; GPURUN_DEVICE=cpu takes the CPU device\n");
		return 77;
	}
	try(olCreateQueue(on.gpu, &queue));
	program = load(on.gpu, argv[1]);
	try(olGetSymbol(program, "vadd", OL_SYMBOL_KIND_KERNEL, &kernel));
	add(&on, queue, kernel, x, y, z);

	for (int i = 0; i < COUNT; i++)
		wrong += z[i] != 3 * i;
	printf("%d of %d right\n", COUNT - wrong, COUNT);

	try(olDestroyProgram(program));
	try(olDestroyQueue(queue));
	try(olShutDown());
	return wrong ? 1 : 0;
}
