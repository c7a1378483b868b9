/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A host program as anyone would write it, who has heard of the driver API and
 * of nothing else: loads the PTX file that it is given, runs saxpy on four
 * numbers, prints the device and the result. How the driver's functions are
 * reached is what the programs beside this file differ in.
 */
#ifndef TEST_EXEC_SAXPY_H
#define TEST_EXEC_SAXPY_H

#include <stdio.h>
#include <stdlib.h>

#include "find.h"

struct driver {
	int (*init)(unsigned flags);
	int (*device_get)(int *device, int ordinal);
	int (*device_name)(char *name, int size, int device);
	int (*retain)(void **context, int device);
	int (*set_current)(void *context);
	int (*load)(void **module, const void *image);
	int (*get_function)(void **function, void *module, const char *name);
	int (*unload)(void *module);
	int (*alloc)(unsigned long long *address, size_t size);
	int (*free)(unsigned long long address);
	int (*to_device)(unsigned long long to, const void *from, size_t size);
	int (*to_host)(void *to, unsigned long long from, size_t size);
	int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		      unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
		      void **extra);
	int (*synchronize)(void);
};

#define CHECK(driver, call) check((driver)->call, #call)

/* Reads the file at @path; it ends with a NUL, as PTX has to. */
static inline char *read_ptx(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *file = path ? fopen(path, "r") : NULL;

	if (!text || !file || !fread(text, 1, 65535, file)) {
		fprintf(stderr, "cannot read %s\n", path ? path : "nothing");
		exit(2);
	}
	fclose(file);
	return text;
}

static inline int run_saxpy(const struct driver *driver, const char *path)
{
	float a = 2, x[4] = { 0, 1, 2, 3 }, y[4] = { 1, 1, 1, 1 };
	unsigned long long on_device[2];
	char *ptx = read_ptx(path), name[64];
	void *context, *module, *function;
	int device, n = 4;
	void *args[] = { &a, &on_device[0], &on_device[1], &n };

	CHECK(driver, init(0));
	CHECK(driver, device_get(&device, 0));
	CHECK(driver, device_name(name, sizeof(name), device));
	CHECK(driver, retain(&context, device));
	CHECK(driver, set_current(context));
	CHECK(driver, load(&module, ptx));
	CHECK(driver, get_function(&function, module, "saxpy"));
	CHECK(driver, alloc(&on_device[0], sizeof(x)));
	CHECK(driver, alloc(&on_device[1], sizeof(y)));
	CHECK(driver, to_device(on_device[0], x, sizeof(x)));
	CHECK(driver, to_device(on_device[1], y, sizeof(y)));
	CHECK(driver, launch(function, 1, 1, 1, 4, 1, 1, 0, NULL, args, NULL));
	CHECK(driver, synchronize());
	CHECK(driver, to_host(y, on_device[1], sizeof(y)));
	CHECK(driver, free(on_device[0]));
	CHECK(driver, free(on_device[1]));
	CHECK(driver, unload(module));
	printf("%s: %g %g %g %g\n", name, y[0], y[1], y[2], y[3]);
	free(ptx);
	return 0;
}

#endif
