/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * z = x + y through gpurun.h: load an image, launch a kernel, record an event after it and wait for
 * that, read the result.
 *
 *	cc $(pkg-config --cflags gpurun) vadd.c -o vadd $(pkg-config --libs gpurun)
 *	GPURUN_DEVICE=auto ./vadd ../cuda/vadd.fatbin
 */
#include <gpurun.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024, BLOCK = 128 };

/* Ends the program with the library's own words when a call has failed. */
static void try(int status)
{
	if (!status)
		return;
	fprintf(stderr, "vadd: %s\n", gpurun_error_text());
	if (*gpurun_error_hint())
		fprintf(stderr, "hint: %s\n", gpurun_error_hint());
	exit(1);
}

static char *read_image(const char *path, size_t *size)
{
	enum { LIMIT = 1 << 24 };
	FILE *file = fopen(path, "rb");
	char *data = malloc(LIMIT);

	if (!file || !data) {
		perror(path);
		exit(1);
	}
	*size = fread(data, 1, LIMIT, file);
	fclose(file);
	return data;
}

static uint64_t upload(struct gpurun_device device, struct gpurun_stream stream,
		       const float *values)
{
	uint64_t address;

	try(gpurun_memory_alloc(device, COUNT * sizeof(*values), GPURUN_MEMORY_DEVICE, &address));
	try(gpurun_memory_copy(address, (uintptr_t)values, COUNT * sizeof(*values), stream));
	return address;
}

int main(int argc, char **argv)
{
	static float x[COUNT], y[COUNT], z[COUNT];
	struct gpurun_device device;
	struct gpurun_stream stream;
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_event launched;
	uint64_t at_x, at_y, at_z;
	int count = COUNT, wrong = 0;
	size_t size;
	char *image;

	if (argc != 2) {
		fprintf(stderr, "usage: vadd vadd.fatbin\n");
		return 2;
	}
	for (int i = 0; i < COUNT; i++) {
		x[i] = i;
		y[i] = 2 * i;
	}

	image = read_image(argv[1], &size);
	try(gpurun_init(NULL));
	try(gpurun_device_get(-1, &device));
	try(gpurun_stream_create(device, &stream));
	try(gpurun_module_load(device, image, size, &module));
	free(image); /* the module has its own copy */
	try(gpurun_module_kernel(module, "vadd", &kernel));

	at_x = upload(device, stream, x);
	at_y = upload(device, stream, y);
	at_z = upload(device, stream, z);
	try(gpurun_launch(kernel,
			  &(struct gpurun_launch){ .grid = { COUNT / BLOCK },
						   .block = { BLOCK },
						   .stream = stream },
			  (void *[]){ &at_x, &at_y, &at_z, &count }));
	/* The event is done when all is that is on the stream by now: here the copies and the
	 * launch. What comes after it does not hold up those that wait for it: this thread, or
	 * another stream by gpurun_stream_wait_event(). */
	try(gpurun_event_create(device, 0, &launched));
	try(gpurun_event_record(launched, stream));
	try(gpurun_event_synchronize(launched));

	try(gpurun_memory_copy((uintptr_t)z, at_z, sizeof(z), stream));
	try(gpurun_stream_synchronize(stream));

	for (int i = 0; i < COUNT; i++)
		wrong += z[i] != 3 * i;
	printf("%d of %d right\n", COUNT - wrong, COUNT);
	try(gpurun_memory_free(at_x));
	try(gpurun_memory_free(at_y));
	try(gpurun_memory_free(at_z));
	try(gpurun_event_destroy(launched));
	try(gpurun_module_unload(module));
	try(gpurun_stream_destroy(stream));
	try(gpurun_shutdown());
	return wrong ? 1 : 0;
}
