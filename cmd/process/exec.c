/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exec.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asserts.h"
#include "cleanup.h"
#include "exec_share.h"
#include "host_program.h"
#include "library.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "program.h"
#include "signals.h"
#include "words.h"

/* Where the CPU device is, and the runtime of programs of CUDA on it, seen from the library. */
#define CPU_FOLDER    "gpurun/cpu"
#define CUDART_FOLDER "gpurun/cudart"

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

/* ---- its environment ---- */

static int set(const char *name, const char *value, struct err *e)
{
	if (setenv(name, value, 1))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	message_verbose("%s=%s", name, value);
	return 0;
}

/* The folder of the libraries: the one that libgpurun.so came from. */
static int library_folder(char folder[PATH_MAX], struct err *e)
{
	Dl_info self;

	if (!dladdr((void *)gpurun_init, &self) || !realpath(self.dli_fname, folder))
		return err_set(e, GPURUN_INTERNAL, "cannot find out where libgpurun.so is");
	*strrchr(folder, '/') = '\0';
	return 0;
}

/* Tells whether the @length bytes at @text name the folder @same. */
static bool is_folder(const char *text, size_t length, const char *same)
{
	char path[PATH_MAX], real[PATH_MAX];

	return length && snprintf(path, PATH_MAX, "%.*s", (int)length, text) < PATH_MAX &&
	       realpath(path, real) && !strcmp(real, same);
}

/*
 * Ours first; a GPU's program finds neither the CPU device nor our runtime, even if they were
 * put there: it keeps its own.
 */
static int set_library_path(bool cpu, struct err *e)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	CLEANUP(free_pointer) char *text = NULL;
	char folder[PATH_MAX], device[PATH_MAX + sizeof(CPU_FOLDER) + 1];
	char cudart[PATH_MAX + sizeof(CUDART_FOLDER) + 1];
	size_t size;
	FILE *to;

	TRY(library_folder(folder, e));
	snprintf(device, sizeof(device), "%s/" CPU_FOLDER, folder);
	snprintf(cudart, sizeof(cudart), "%s/" CUDART_FOLDER, folder);
	to = open_memstream(&text, &size);
	if (!to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	if (cpu)
		fprintf(to, "%s:%s:", cudart, device);
	fputs(folder, to);
	for (size_t length; old && *old; old += length + (old[length] == ':')) {
		length = strcspn(old, ":");
		if (!is_folder(old, length, cudart) && !is_folder(old, length, device) &&
		    !is_folder(old, length, folder))
			fprintf(to, ":%.*s", (int)length, old);
	}
	if (fclose(to))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	return set("LD_LIBRARY_PATH", text, e);
}

/* A word of GPURUN_EXEC, or "". */
static char log_word[64];

/* By the parent's name for it: the program may close what it has not opened. */
void exec_log_to(pid_t parent, int fd)
{
	ASSERT(parent > 0 && fd >= 0);
	snprintf(log_word, sizeof(log_word), ",log=/proc/%d/fd/%d", (int)parent, fd);
}

/* What the device does at the end of the program, and of its children: see exec_share.h. */
static int set_exec(const struct options *options, struct err *e)
{
	char words[128];

	snprintf(words, sizeof(words), "status%s%s", options->expect_fault ? ",expect-fault" : "",
		 log_word);
	return set(EXEC_VARIABLE, words, e);
}

/* Keys of the selector follow those of the environment, and so override them. */
static int set_cpu(const char *selector, struct err *e)
{
	const char *keys = strncmp(selector, "cpu:", 4) ? "" : selector + 4;
	const char *old = getenv("GPURUN_CPU");
	CLEANUP(free_pointer) char *text = NULL;

	TRY(set("GPURUN_DEVICE", "cpu", e));
	old = old ? old : "";
	if (!*keys)
		return 0;
	if (asprintf(&text, "%s%s%s", old, *old ? "," : "", keys) < 0) {
		text = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	}
	return set("GPURUN_CPU", text, e);
}

/*
 * One GPU that was asked for is the only one that the program sees, so that it
 * is the first also for a program that does not ask us.
 */
static int set_gpu(const char *selector, int ordinal, struct err *e)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	char number[16];
	CLEANUP(free_pointer) char *entry = NULL;

	TRY(set("GPURUN_DEVICE", "gpu", e));
	if (!strchr(selector, ':'))
		return 0;
	snprintf(number, sizeof(number), "%d", ordinal);
	if (!list)
		return set("CUDA_VISIBLE_DEVICES", number, e);
	for (; ordinal > 0 && *list; ordinal--) {
		list += strcspn(list, ",");
		list += *list == ',';
	}
	entry = strndup(list, strcspn(list, ","));
	if (!entry)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	return set("CUDA_VISIBLE_DEVICES", entry, e);
}

/* The CPU device and our runtime print at their end what was launched and what they refused. */
static int ask_for_calls(struct err *e)
{
	const char *old = getenv("GPURUN_LOG");
	CLEANUP(free_pointer) char *text = NULL;

	if (!old || !*old)
		return set("GPURUN_LOG", "calls", e);
	if (words_have(old, "calls"))
		return 0;
	if (asprintf(&text, "%s,calls", old) < 0) {
		text = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
	}
	return set("GPURUN_LOG", text, e);
}

static int set_environment(const struct run *run, struct err *e)
{
	const struct gpurun_device_info *info = &run->device.info;
	bool cpu = info->kind == GPURUN_DEVICE_CPU;

	TRY(set_library_path(cpu, e));
	if (cpu && run->plan->output->verbose)
		TRY(ask_for_calls(e));
	if (!cpu)
		return set_gpu(run->plan->device, info->ordinal, e);
	TRY(set_exec(run->plan->options, e));
	return set_cpu(run->plan->device, e);
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
	TRY(set_environment(run, e));
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
