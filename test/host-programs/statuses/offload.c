/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of LLVM Offload's interface, of 22.1: steps.h has its commands. */
#include "kernels.h"
#include "ol_abi.h"
#include "steps.h"

static ol_device_handle_t gpu;
static ol_queue_handle_t queue;
static ol_program_handle_t program;
static void *memory;

static int code(ol_result_t result)
{
	return result ? (int)result->Code : 0;
}

static bool note_gpu(ol_device_handle_t device, void *unused)
{
	ol_device_type_t type;

	(void)unused;
	if (!olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type), &type) &&
	    type == OL_DEVICE_TYPE_GPU && !gpu)
		gpu = device;
	return true;
}

static void init(const char *what)
{
	(void)what;
	told("init", code(olInit()));
	told("iterate", code(olIterateDevices(note_gpu, NULL)));
	told("queue", code(olCreateQueue(gpu, &queue)));
}

static void shut_down(const char *what)
{
	(void)what;
	told("shut_down", code(olShutDown()));
}

static void load(const char *what)
{
	size_t size;
	const void *image = image_of(what, &size);

	told("load", code(olCreateProgram(gpu, image, size, &program)));
}

static void unload(const char *what)
{
	(void)what;
	told("unload", code(olDestroyProgram(program)));
	told("queue", code(olDestroyQueue(queue)));
}

static void launch(const char *what)
{
	const struct shape s = shape(what);
	const ol_kernel_launch_size_args_t size = {
		1, { s.grid, 1, 1 }, { s.block, 1, 1 }, s.shared
	};
	ol_symbol_handle_t kernel = NULL;

	told("symbol", code(olGetSymbol(program, s.kernel, OL_SYMBOL_KIND_KERNEL, &kernel)));
	told("launch", code(olLaunchKernel(queue, gpu, kernel, &memory, sizeof(memory), &size)));
}

static void synchronize(const char *what)
{
	(void)what;
	told("sync", code(olSyncQueue(queue)));
}

static void allocate(const char *what)
{
	told("alloc", code(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE,
				      *what ? strtoull(what, NULL, 0) : 64, &memory)));
}

static void release(const char *what)
{
	told("free", code(olMemFree(*what ? (void *)0x77 : memory)));
}

static const struct step steps[] = {
	{ "init", init }, { "shut_down", shut_down }, { "load", load }, { "unload", unload },
	{ "launch", launch }, { "sync", synchronize }, { "alloc", allocate }, { "free", release },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_program(steps, argc, argv);
}
