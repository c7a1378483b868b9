/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exit.h"

static const struct {
	int first, last;
	const char *name;
	const char *meaning;
} table[] = {
	{ EXIT_OK, EXIT_OK, "ok", "everything ran, every check passed" },
	{ EXIT_MAIN, 109, "main", "reserved for the status of a GPU program" },
	{ EXIT_USAGE, EXIT_USAGE, "usage",
	  "wrong option, value, or argument count, size or type" },
	{ EXIT_FILE, EXIT_FILE, "file",
	  "a host file cannot be read or written; bad npy" },
	{ EXIT_IMAGE, EXIT_IMAGE, "image",
	  "unknown or damaged file, or no code in it for this device" },
	{ EXIT_KERNEL, EXIT_KERNEL, "kernel", "no such kernel or symbol" },
	{ EXIT_DEVICE, EXIT_DEVICE, "device",
	  "no such device, none at all, or no driver (see --no-device-exit)" },
	{ EXIT_CUDA, EXIT_CUDA, "cuda", "any other failure of the driver, or of memory" },
	{ EXIT_LAUNCH, EXIT_LAUNCH, "launch",
	  "the device or driver refused the launch: geometry, resources" },
	{ EXIT_FAULT, EXIT_FAULT, "fault", "a kernel trapped: assert, illegal access" },
	{ EXIT_MISMATCH, EXIT_MISMATCH, "mismatch",
	  "a buffer is not what --expect says" },
	{ EXIT_CHECK, EXIT_CHECK, "check", "a finding of --check" },
	{ EXIT_TIMEOUT, EXIT_TIMEOUT, "timeout", "--timeout expired" },
	{ EXIT_INTERNAL, EXIT_INTERNAL, "internal",
	  "a bug in gpurun, or a crash of the driver" },
	{ EXIT_SIGNAL + 1, EXIT_SIGNAL + 64, "signal", "128+N: ended by signal N" },
};

int exit_of_status(enum gpurun_status status)
{
	switch (status) {
	case GPURUN_OK:
		return EXIT_OK;
	case GPURUN_INVALID:
		return EXIT_USAGE;
	case GPURUN_IO:
		return EXIT_FILE;
	case GPURUN_FORMAT:
	case GPURUN_NO_IMAGE:
		return EXIT_IMAGE;
	case GPURUN_NOT_FOUND:
		return EXIT_KERNEL;
	case GPURUN_NO_DEVICE:
		return EXIT_DEVICE;
	case GPURUN_LAUNCH:
		return EXIT_LAUNCH;
	case GPURUN_FAULT:
		return EXIT_FAULT;
	case GPURUN_HANDLE:
	case GPURUN_UNINITIALIZED:
	case GPURUN_ENDED:
	case GPURUN_FORKED:
	case GPURUN_NO_MEMORY:
	case GPURUN_DRIVER:
	case GPURUN_NOT_READY:
	case GPURUN_UNSUPPORTED:
		return EXIT_CUDA;
	case GPURUN_INTERNAL:
		return EXIT_INTERNAL;
	}
	return EXIT_INTERNAL;
}

const char *exit_name(int code)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (code >= table[i].first && code <= table[i].last)
			return table[i].name;
	}
	return "main";
}

void exit_print_table(FILE *to)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char range[32];

		if (table[i].first == table[i].last)
			snprintf(range, sizeof(range), "%d", table[i].first);
		else
			snprintf(range, sizeof(range), "%d-%d", table[i].first,
				 table[i].last);
		fprintf(to, "%-8s %-9s %s\n", range, table[i].name, table[i].meaning);
	}
}
