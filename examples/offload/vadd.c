/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * z = x + y through LLVM Offload: load an image, launch a kernel, read the result.
 * The header is LLVM's (Debian: liboffload-22-dev).
 *
 *	cc -I/usr/lib/llvm-22/include vadd.c -o vadd $(pkg-config --libs LLVMOffload)
 *	GPURUN_DEVICE=cpu ./vadd ../cuda/vadd.fatbin
 *
 * Without GPURUN_DEVICE it takes a GPU. Linked with LLVM's own library, or with any
 * other of the name, it runs on this one nonetheless when LD_LIBRARY_PATH says so:
 *
 *	LD_LIBRARY_PATH=PREFIX/lib/gpurun/offload ./vadd ../cuda/vadd.cubin
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <offload/OffloadAPI.h>

enum { COUNT = 1024, BLOCK = 128, BYTES = COUNT * sizeof(float) };

/* The kernel's parameters, as they lie in memory. */
struct arguments {
	float *x, *y, *z;
	int count;
};

struct devices {
	ol_device_handle_t gpu, host;
};

/* Ends the program with the library's own words when a call has failed. */
static void try(ol_result_t result)
{
	if (!result)
		return;
	fprintf(stderr, "vadd: error %d: %s\n", result->Code, result->Details);
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
	struct arguments arguments = { gx, gy, gz, COUNT };

	try(olLaunchKernel(queue, on->gpu, kernel, &arguments, sizeof(arguments), &size));
	try(olMemcpy(queue, z, on->host, gz, on->gpu, BYTES));
	try(olSyncQueue(queue));
	try(olMemFree(gx));
	try(olMemFree(gy));
	try(olMemFree(gz));
}

int main(int argc, char **argv)
{
	static float x[COUNT], y[COUNT], z[COUNT];
	struct devices on = { NULL, NULL };
	ol_queue_handle_t queue;
	ol_program_handle_t program;
	ol_symbol_handle_t kernel;
	int wrong = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: vadd IMAGE\n");
		return 2;
	}
	for (int i = 0; i < COUNT; i++) {
		x[i] = i;
		y[i] = 2 * i;
	}

	try(olInit());
	try(olIterateDevices(note_device, &on));
	if (!on.gpu) {
		fprintf(stderr, "vadd: no GPU; GPURUN_DEVICE=cpu takes the CPU device\n");
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
