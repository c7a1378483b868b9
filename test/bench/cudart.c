/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a kernel launch costs through a runtime library:
 *
 *	cudart IMAGE COUNT LIBRARY...
 *
 * opens each LIBRARY (a libcudart.so), registers IMAGE with it as a compiler's code does and
 * launches the kernel "empty" once. Then it launches COUNT times 1000 of them through each
 * library in turn, and prints the median nanoseconds of a launch with their quartiles, and
 * the ratio to the last LIBRARY. COUNT may be 0: the process is then one to measure from
 * outside.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "times.h"

enum { MOST_LIBRARIES = 4, MOST = 1000, BURST = 1000, WARM_UP = 3 };

typedef struct {
	unsigned x, y, z;
} dim3;

/* What nvcc puts before an image. */
static struct {
	int magic, version;
	const void *image, *more;
} wrapper = { 0x466243b1, 1, NULL, NULL };

struct library {
	const char *path;
	char kernel; /* its address is what a program calls the kernel by */
	int (*launch)(const void *, dim3, dim3, void **, size_t, void *);
	int (*synchronize)(void);
	double times[MOST];
};

static struct library libraries[MOST_LIBRARIES];

static void *symbol(void *dl, const char *name)
{
	void *found = dlsym(dl, name);

	if (found)
		return found;
	fprintf(stderr, "cudart: %s\n", dlerror());
	exit(1);
}

static void try(int error, const struct library *of, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "cudart: %s: %s: error %d\n", of->path, what, error);
	exit(1);
}

static void *read_file(const char *path)
{
	enum { LIMIT = 1 << 20 };
	FILE *file = fopen(path, "rb");
	char *data = calloc(1, LIMIT);

	if (!file || !data || !fread(data, 1, LIMIT, file)) {
		fprintf(stderr, "cudart: cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
	return data;
}

static void launch(struct library *library, int count)
{
	static const dim3 one = { 1, 1, 1 };

	for (int i = 0; i < count; i++)
		try(library->launch(&library->kernel, one, one, NULL, 0, NULL), library, "launch");
}

static void start(struct library *library, const char *path)
{
	void *dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void **(*register_image)(void *);
	void (*register_end)(void **);
	void (*register_kernel)(void **, const void *, const char *, const char *, int, void *,
				void *, void *, void *, int *);
	void **handle;

	if (!dl) {
		fprintf(stderr, "cudart: %s\n", dlerror());
		exit(1);
	}
	library->path = path;
	*(void **)&library->launch = symbol(dl, "cudaLaunchKernel");
	*(void **)&library->synchronize = symbol(dl, "cudaDeviceSynchronize");
	*(void **)&register_image = symbol(dl, "__cudaRegisterFatBinary");
	*(void **)&register_end = symbol(dl, "__cudaRegisterFatBinaryEnd");
	*(void **)&register_kernel = symbol(dl, "__cudaRegisterFunction");

	handle = register_image(&wrapper);
	register_kernel(handle, &library->kernel, "empty", "empty", -1, NULL, NULL, NULL, NULL,
			NULL);
	register_end(handle);
	launch(library, 1);
	try(library->synchronize(), library, "first kernel");
}

/* The nanoseconds of one of a burst of launches. */
static double burst(struct library *library)
{
	double begin = now(), end;

	launch(library, BURST);
	end = now();
	try(library->synchronize(), library, "kernels");
	return (end - begin) / BURST;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : -1, others = argc - 3;
	const double *last;

	if (count < 0 || count > MOST || others < 1 || others > MOST_LIBRARIES) {
		fprintf(stderr, "usage: cudart IMAGE COUNT LIBRARY...\n");
		return 2;
	}
	wrapper.image = read_file(argv[1]);
	for (int i = 0; i < others; i++)
		start(&libraries[i], argv[3 + i]);
	if (!count)
		return 0;

	for (int run = -WARM_UP; run < count; run++) {
		for (int i = 0; i < others; i++) {
			double time = burst(&libraries[i]);

			if (run >= 0)
				libraries[i].times[run] = time;
		}
	}
	for (int i = 0; i < others; i++)
		sort_times(libraries[i].times, count);
	last = libraries[others - 1].times;
	for (int i = 0; i < others; i++) {
		const double *times = libraries[i].times;

		printf("cudaLaunchKernel: %.0f ns (%.0f-%.0f), ratio %.3f, %s\n", times[count / 2],
		       times[count / 4], times[count * 3 / 4], times[count / 2] / last[count / 2],
		       libraries[i].path);
	}
	return 0;
}
