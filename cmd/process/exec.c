/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exec.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "environment.h"
#include "host_program.h"
#include "library.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "program.h"
#include "signals.h"

/* ---- the program ---- */

/* Why what is there is not run: by errno, where stat() or access() give no reason. */
static int cannot_run(const char *path, int reason, struct err *e)
{
	err_set(e, GPURUN_IO, "%s: cannot run: %s", path, strerror(reason));
	if (reason == ENOEXEC)
		return err_hint(e, "a script begins with #!; gpurun FILE --launch KERNEL "
				   "runs a file of kernels");
	return GPURUN_IO;
}

static int check_program(const char *path, struct err *e)
{
	struct stat status;

	if (stat(path, &status))
		return cannot_run(path, errno, e);
	if (S_ISDIR(status.st_mode))
		return cannot_run(path, EISDIR, e);
	return host_program_may_run(path) ? 0 : cannot_run(path, EACCES, e);
}

static int search(const char *name, char path[PATH_MAX], struct err *e)
{
	if (host_program_find(name, path))
		return 0;
	err_set(e, GPURUN_IO, "%s: cannot run: not found in PATH", name);
	if (host_program_may_run(name))
		return err_hint(e, "the one in this folder is ./%s", name);
	return GPURUN_IO;
}

static int find_program(const char *name, char path[PATH_MAX], struct err *e)
{
	if (!*name)
		return err_set(e, GPURUN_INVALID, "--exec: the name of the program is empty");
	if (!strchr(name, '/'))
		return search(name, path, e);
	if ((size_t)snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
		return cannot_run(name, ENAMETOOLONG, e);
	return check_program(path, e);
}

/* ---- the whole ---- */

/* Opens and closes the device before the program does; nothing of it is kept. */
static int find_device(struct run *run, struct err *e)
{
	char text[160];

	TRY(device_open(run->plan, &run->device, e));
	run->has_device = true;
	message_verbose("device: %s", device_describe(&run->device, text));
	return library_status(gpurun_shutdown(), e);
}

/* What a program does on a GPU is between it and the driver. */
static int check_device(const struct run *run, const struct options *options, struct err *e)
{
	const char *option = options->expect_fault		    ? "expect-fault" :
			     options->given[OPTION_REQUIRE_LAUNCH] ? "require-launch" : NULL;

	if (!option || run->device.info.kind == GPURUN_DEVICE_CPU)
		return 0;
	err_set(e, GPURUN_INVALID, "--%s: the program runs on %s, which reports no launches and "
		"faults to us", option, run->device.info.name);
	return err_hint(e, "-d cpu runs it on the CPU device");
}

static int become(const char *path, const struct options *options, struct err *e)
{
	size_t count = options->exec_args.count;
	CLEANUP(free_pointer) const char **argv = calloc(count + 2, sizeof(*argv));

	if (!argv)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the program's arguments");
	argv[0] = options->exec;
	if (count)
		memcpy(argv + 1, options->exec_args.at, count * sizeof(*argv));
	fflush(NULL);
	signals_restore();
	execv(path, (char **)argv);
	return cannot_run(path, errno, e);
}

int exec_program(struct plan *plan, struct run *run, const struct options *options, struct err *e)
{
	char path[PATH_MAX];

	run->stage = "exec";
	TRY(find_program(options->exec, path, e));
	program_note(options);
	run->stage = "device";
	TRY(plan_choose_device(plan, e));
	TRY(find_device(run, e));
	run->stage = "exec";
	TRY(check_device(run, options, e));
	if (run->device.info.kind == GPURUN_DEVICE_CPU && host_program_is_sealed(path))
		message_note("%s is linked with -static: the CPU device does not reach it; link "
			     "it without", options->exec);
	run->stage = "lock";
	TRY(device_take_turn(plan, &run->device, true, e));
	run->stage = "exec";
	TRY(environment_set(run, path, options->expect_fault, e));
	TRY(output_send_parent(&run->device.info, sizeof(run->device.info), e));
	return become(path, options, e);
}

void exec_take_device(struct run *run, struct bytes sent)
{
	struct gpurun_device_info info;
	struct bytes device;

	/* Both ends are one program. */
	if (!output_find(sent, OUTPUT_DEVICE, &device) ||
	    !bytes_read(device, 0, &info, sizeof(info)))
		return;
	run->device.info = info;
	run->has_device = true;
}
