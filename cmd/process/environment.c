/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "environment.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "exec_share.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "words.h"

/* Where the CPU device is, and the runtime of programs of CUDA on it, seen from the library. */
#define CPU_FOLDER    "gpurun/cpu"
#define CUDART_FOLDER "gpurun/cudart"

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
void environment_log_to(pid_t parent, int fd)
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

int environment_set(const struct run *run, struct err *e)
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
