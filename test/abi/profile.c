/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* profile IMAGE: runs kernel "work" of IMAGE three times, with 7 rounds, and leaves the
 * program to olShutDown(). */
#include <stdio.h>
#include <stdlib.h>

#include "ol_abi.h"

static void must(ol_result_t result)
{
	if (!result)
		return;
	fprintf(stderr, "profile: %s\n", result->Details);
	exit(1);
}

static bool take_first(ol_device_handle_t device, void *data)
{
	*(ol_device_handle_t *)data = device;
	return false;
}

/* Loads the kernel, on the first device. */
static ol_symbol_handle_t load(const char *path, ol_device_handle_t device)
{
	static char image[1 << 16];
	ol_program_handle_t program;
	ol_symbol_handle_t kernel;
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(image, 1, sizeof(image), file) : 0;

	if (file)
		fclose(file);
	must(olCreateProgram(device, image, size, &program));
	must(olGetSymbol(program, "work", OL_SYMBOL_KIND_KERNEL, &kernel));
	return kernel;
}

int main(int argc, char **argv)
{
	const ol_kernel_launch_size_args_t one = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 0 };
	unsigned rounds = 7;
	ol_device_handle_t device;
	ol_symbol_handle_t kernel;
	ol_queue_handle_t queue;

	must(olInit());
	must(olIterateDevices(take_first, &device));
	kernel = load(argc > 1 ? argv[1] : "", device);
	must(olCreateQueue(device, &queue));
	for (int i = 0; i < 3; i++)
		must(olLaunchKernel(queue, device, kernel, &rounds, sizeof(rounds), &one));
	must(olShutDown());
	return 0;
}
