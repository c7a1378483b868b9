/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of a process that has closed libgpurun.so, or a library that uses it.
 * This program is not linked with either.
 */
#include "beside.h"
#include "ending.h"

#define LIBRARY "../../lib/libgpurun.so.0"
#define OFFLOAD "../../lib/gpurun/offload/libLLVMOffload.so.22.1"

/* Comes up by way of a library that is only opened. */
static void come_up(void *library)
{
	int (*init)(const char *) = dlsym(library, "gpurun_init");
	int (*get)(int, struct gpurun_device *) = dlsym(library, "gpurun_device_get");
	int (*create)(struct gpurun_device, struct gpurun_stream *) =
		dlsym(library, "gpurun_stream_create");
	struct gpurun_stream stream;

	if (!init || init(NULL) || !get || get(0, &device) || !create ||
	    create(device, &stream))
		_exit(56);
}

static void leave_closed(void)
{
	void *library = open_beside(LIBRARY);

	come_up(library);
	wrong += dlclose(library) != 0;
}

/* Its state has outlived the dlclose(). */
static void leave_reopened(void)
{
	void *library = open_beside(LIBRARY);
	int (*shut)(void);

	come_up(library);
	dlclose(library);
	library = open_beside(LIBRARY);
	shut = dlsym(library, "gpurun_shutdown");
	wrong += !shut || shut() != GPURUN_OK || shut() != GPURUN_UNINITIALIZED;
	come_up(library);
	dlclose(library);
}

static void *start_user(void)
{
	void *user = open_beside("library/libuser.so");
	void (*start)(void) = dlsym(user, "user_start");

	if (!start)
		_exit(57);
	start();
	return user;
}

static void leave_user_closed(void)
{
	for (int i = 0; i < 3; i++)
		wrong += dlclose(start_user()) != 0;
}

static void leave_user_open(void)
{
	start_user();
}

/* With both: the library that came up is closed while the other one is at work. */
static void leave_one_closed(void)
{
	void *library = open_beside(LIBRARY);

	start_user();
	come_up(library);
	wrong += dlclose(library) != 0;
}

/* Its results are pointers, NULL for success. */
static const void *call_offload(void *library, const char *name)
{
	const void *(*function)(void) = dlsym(library, name);

	return function ? function() : "nothing to call";
}

static void leave_offload_closed(void)
{
	void *library = open_beside(OFFLOAD);

	wrong += call_offload(library, "olInit") != NULL;
	wrong += dlclose(library) != 0;
}

/* It is still up, and goes down once. */
static void leave_offload_reopened(void)
{
	void *library;

	leave_offload_closed();
	library = open_beside(OFFLOAD);
	wrong += call_offload(library, "olShutDown") != NULL;
	wrong += call_offload(library, "olShutDown") == NULL;
	wrong += call_offload(library, "olInit") != NULL;
	wrong += dlclose(library) != 0;
}

/* Loaded by a path that leads to another place after chdir(): the CPU device is found beside
 * the library all the same. */
static void leave_elsewhere(void)
{
	char program[PATH_MAX] = "";
	int (*init)(const char *);
	void *library;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0 ||
	    chdir(dirname(program)) || chdir("../../lib"))
		_exit(54);
	library = dlopen("./libgpurun.so.0", RTLD_NOW | RTLD_LOCAL);
	init = library ? dlsym(library, "gpurun_init") : NULL;
	if (!init || chdir("/"))
		_exit(55);
	wrong += init("cpu") != GPURUN_OK;
}

static const struct ending endings[] = {
	{ "elsewhere", leave_elsewhere },
	{ "closed", leave_closed },
	{ "reopened", leave_reopened },
	{ "user-closed", leave_user_closed },
	{ "user-open", leave_user_open },
	{ "one-closed", leave_one_closed },
	{ "offload-closed", leave_offload_closed },
	{ "offload-reopened", leave_offload_reopened },
};

static void test_closed(void)
{
	ends_with("closed", 0);
	ends_with("reopened", 0);
}

static void test_user(void)
{
	ends_with("user-closed", 0);
	ends_with("user-open", 0);
	ends_with("one-closed", 0);
}

static void test_offload(void)
{
	ends_with("offload-closed", 0);
	ends_with("offload-reopened", 0);
}

static void test_relative(void)
{
	ends_with("elsewhere", 0);
}

int main(int argc, char **argv)
{
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_closed);
	RUN(test_relative);
	RUN(test_user);
	RUN(test_offload);
	return tap_end();
}
