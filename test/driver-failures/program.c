/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* program SCENARIO: runs a scenario over gpurun.h for the fault injection. */
#include "program.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char program_ptx[] =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .global .align 4 .u32 counter;\n"
	".visible .entry work() { ret; }\n"
	".visible .entry more() { ret; }\n";

struct gpurun_device program_device;

static atomic_bool bad; /* a failure was told */

bool told(int status)
{
	const char *log = gpurun_error_log();

	if (!status)
		return false;
	fprintf(stderr, "error: %s\n", gpurun_error_text());
	for (size_t length; *log; log += length + !!log[length]) {
		length = strcspn(log, "\n");
		fprintf(stderr, "log: %.*s\n", (int)length, log);
	}
	bad = true;
	return true;
}

bool program_failed(void)
{
	return bad;
}

bool program_start(void)
{
	return !told(gpurun_init(NULL)) && !told(gpurun_device_get(-1, &program_device));
}

void program_stop(void)
{
	told(gpurun_shutdown());
}

int program_launch(struct gpurun_module module, const char *name,
		   struct gpurun_stream stream)
{
	struct gpurun_launch launch = { .stream = stream };
	struct gpurun_kernel kernel;
	int status = gpurun_module_kernel(module, name, &kernel);

	return status ? status : gpurun_launch(kernel, &launch, NULL);
}

static void ended(int status, void *data)
{
	(void)data;
	told(status);
}

/* Registered before the library's hook, so called after it: the last word on the
 * status. exit() goes on with what is still registered. */
static void verdict(void)
{
	if (bad)
		exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} rows[] = {
		{ "plain", scenario_plain },       { "leave", scenario_leave },
		{ "modules", scenario_modules },   { "streams", scenario_streams },
		{ "pools", scenario_pools },       { "again", scenario_again },
		{ "memory", scenario_memory },     { "launches", scenario_launches },
		{ "interop", scenario_interop },   { "devices", scenario_devices },
		{ "threads", scenario_threads },
		{ "structors", scenario_structors }, { "profile", scenario_profile },
		{ "on-device", scenario_on_device },
		{ "link", scenario_link },
		{ "careless", scenario_careless }, { "loud", scenario_loud },
		{ "vague", scenario_vague },       { "fragile", scenario_fragile },
		{ "stuck", scenario_stuck },       { "leaky", scenario_leaky },   { "freed", scenario_freed },
	};

	atexit(verdict);
	if (gpurun_on_end(ended, NULL))
		return EXIT_FAILURE;
	for (size_t i = 0; argc == 2 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, argv[1])) {
			rows[i].run();
			return bad ? EXIT_FAILURE : EXIT_SUCCESS;
		}
	fprintf(stderr, "program: no such scenario\n");
	return 2;
}
