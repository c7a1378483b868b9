/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of libgpurun(3): steps.h has its commands. */
#include <gpurun.h>

#include "kernels.h"
#include "steps.h"

static struct gpurun_device device;
static struct gpurun_module module;
static struct gpurun_stream stream;
static uint64_t memory;

static void init(const char *what)
{
	told("init", gpurun_init(*what ? what : NULL));
	told("device", gpurun_device_get(-1, &device));
	told("stream", gpurun_stream_create(device, &stream));
	told("load", gpurun_module_load(device, ptx, sizeof(ptx), &module));
	told("alloc", gpurun_memory_alloc(device, 64, GPURUN_MEMORY_DEVICE, &memory));
}

static void shut_down(const char *what)
{
	(void)what;
	told("shutdown", gpurun_shutdown());
}

static void launch(const char *what)
{
	const struct shape s = shape(what);
	struct gpurun_kernel kernel;

	told("kernel", gpurun_module_kernel(module, s.kernel, &kernel));
	told("launch", gpurun_launch(kernel,
				     &(struct gpurun_launch){ .grid = { s.grid },
							      .block = { s.block },
							      .shared = s.shared,
							      .stream = stream },
				     (void *[]){ &memory }));
}

static void synchronize(const char *what)
{
	(void)what;
	told("sync", gpurun_stream_synchronize(stream));
}

/* What the program asks of the last call; it prints nothing of it. */
static void ask_text(const char *what)
{
	(void)what;
	gpurun_error_text();
}

static void ask_log(const char *what)
{
	(void)what;
	gpurun_error_log();
}

static void ask_driver(const char *what)
{
	(void)what;
	gpurun_error_driver();
}

static void ask_report(const char *what)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };

	(void)what;
	told("report", gpurun_report_get(GPURUN_REPORT_FAULT, &report));
}

static const struct step steps[] = {
	{ "init", init }, { "shut_down", shut_down }, { "launch", launch },
	{ "sync", synchronize }, { "text", ask_text }, { "log", ask_log },
	{ "driver", ask_driver }, { "report", ask_report }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_program(steps, argc, argv);
}
