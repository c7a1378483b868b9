/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that knows the CUDA driver alone, and opens it when it runs: computes saxpy of four
 * numbers by the PTX that it is given, and prints the device and the result. It needs no header
 * and no library of a toolkit.
 *
 *	cc driver.c -o driver -ldl && gpurun -d cpu --exec ./driver saxpy.ptx
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "%s: %d\n", what, failed);
	exit(1);
}

/* The driver's function of that name. */
static void *find(const char *name)
{
	static void *driver;
	void *function;

	if (!driver)
		driver = dlopen("libcuda.so.1", RTLD_NOW);
	check(!driver, "dlopen of libcuda.so.1");
	function = dlsym(driver, name);
	check(!function, name);
	return function;
}

/* Calls one: of which types its arguments are, the call says. */
#define CALL(name, types, ...) check(((int (*) types)find(name))(__VA_ARGS__), name)

/* Reads a file of at most 64 KiB; it ends with a NUL, as PTX has to. */
static char *read_ptx(const char *path)
{
	char *text = calloc(1, 65537);
	FILE *file = fopen(path, "r");

	if (!text || !file || !fread(text, 1, 65536, file)) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	float a = 2, x[4] = { 0, 1, 2, 3 }, y[4] = { 1, 1, 1, 1 };
	unsigned long long on_device[2];
	void *context, *module, *saxpy;
	int device, n = 4;
	void *args[] = { &a, &on_device[0], &on_device[1], &n };
	char name[64], *ptx;

	if (argc != 2) {
		fprintf(stderr, "usage: driver FILE.ptx\n");
		return 2;
	}
	ptx = read_ptx(argv[1]);
	CALL("cuInit", (unsigned), 0);
	CALL("cuDeviceGet", (int *, int), &device, 0);
	CALL("cuDeviceGetName", (char *, int, int), name, sizeof(name), device);
	CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, device);
	CALL("cuCtxSetCurrent", (void *), context);
	CALL("cuModuleLoadData", (void **, const void *), &module, ptx);
	CALL("cuModuleGetFunction", (void **, void *, const char *), &saxpy, module, "saxpy");
	for (int i = 0; i < 2; i++)
		CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &on_device[i], sizeof(x));
	CALL("cuMemcpyHtoD_v2", (unsigned long long, const void *, size_t), on_device[0], x,
	     sizeof(x));
	CALL("cuMemcpyHtoD_v2", (unsigned long long, const void *, size_t), on_device[1], y,
	     sizeof(y));
	CALL("cuLaunchKernel", (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				unsigned, void *, void **, void **),
	     saxpy, 1, 1, 1, 4, 1, 1, 0, NULL, args, NULL);
	CALL("cuMemcpyDtoH_v2", (void *, unsigned long long, size_t), y, on_device[1], sizeof(y));
	for (int i = 0; i < 2; i++)
		CALL("cuMemFree_v2", (unsigned long long), on_device[i]);
	CALL("cuModuleUnload", (void *), module);
	printf("%s: %g %g %g %g\n", name, y[0], y[1], y[2], y[3]);
	free(ptx);
	return 0;
}
