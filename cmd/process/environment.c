/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "environment.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asserts.h"
#include "cleanup.h"
#include "exec_share.h"
#include "host_program.h"
#include "message.h"
#include "output_options.h"
#include "words.h"

/* Our folders, seen from the one of libgpurun: the first two are for the CPU device alone, the
 * third for traces of a GPU. */
enum { CUDART_FOLDER, CPU_FOLDER, TRACE_FOLDER, MLIR_FOLDER, LIBRARY_FOLDER, FOLDERS };

static const char *const folder_names[FOLDERS] = {
	[CUDART_FOLDER] = "/gpurun/cudart", /* the runtime of CUDA programs */
	[CPU_FOLDER] = "/gpurun/cpu",
	[TRACE_FOLDER] = "/gpurun/trace", /* passes calls on to a GPU's driver, and traces them */
	[MLIR_FOLDER] = "/gpurun/mlir", /* MLIR's runtime, which only packages have there */
	[LIBRARY_FOLDER] = "",
};

/* What the loader calls in programs on the CPU device (start), seen from the library. */
#define AUDIT "gpurun/" START_NAME

/*
 * Bytes of thread-local data beyond the loader's own guess. With an audit module it guesses before
 * it knows the program's libraries (glibc's bug 31991), and 1.7 KB of theirs end the program. More
 * than this takes the stack of small threads; the thread sanitizer alone wants it.
 */
#define TLS "glibc.rtld.optional_static_tls"
enum { TLS_BYTES = 8192, TLS_TSAN_BYTES = 1 << 20 };

static int no_room_for_it(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
}

static int set(const char *name, const char *value, struct err *e)
{
	if (setenv(name, value, 1))
		return no_room_for_it(e);
	message_verbose("%s=%s", name, value);
	return 0;
}

/* Adds @word to what the variable @name has, with @separator. */
static int set_last(const char *name, const char *word, char separator, struct err *e)
{
	const char *old = getenv(name);
	CLEANUP(free_pointer) char *text = NULL;

	if (!old || !*old)
		return set(name, word, e);
	if (asprintf(&text, "%s%c%s", old, separator, word) < 0) {
		text = NULL;
		return no_room_for_it(e);
	}
	return set(name, text, e);
}

/* The folder of the library that has @function. */
static bool folder_of(void *function, char folder[PATH_MAX])
{
	Dl_info library;

	if (!dladdr(function, &library) || !realpath(library.dli_fname, folder))
		return false;
	*strrchr(folder, '/') = '\0';
	return true;
}

/* Tells whether the @length bytes at @text name the folder @same. */
static bool is_folder(const char *text, size_t length, const char *same)
{
	char path[PATH_MAX], real[PATH_MAX];

	return length && snprintf(path, PATH_MAX, "%.*s", (int)length, text) < PATH_MAX &&
	       realpath(path, real) && !strcmp(real, same);
}

/* Tells whether @folder is that of the C library: the loader looks there for every program. */
static bool is_of_system(const char *folder)
{
	char of_libc[PATH_MAX];

	return folder_of((void *)getenv, of_libc) && !strcmp(folder, of_libc);
}

/*
 * Ours first, but no folder of the system, which every program has after those that the user
 * names. A GPU's program finds neither the CPU device nor our runtime, even if they were put
 * there: it keeps its own.
 */
static int set_library_path(bool cpu, bool traced, struct err *e)
{
	const char *old = getenv("LD_LIBRARY_PATH"), *separator = "";
	CLEANUP(free_pointer) char *text = NULL;
	char folder[PATH_MAX], path[FOLDERS][PATH_MAX + 16];
	bool drop[FOLDERS] = { [CUDART_FOLDER] = true, [CPU_FOLDER] = true, [TRACE_FOLDER] = true };
	const bool leave_out[FOLDERS] = { [CUDART_FOLDER] = !cpu, [CPU_FOLDER] = !cpu,
					  [TRACE_FOLDER] = cpu || !traced };
	size_t size;
	FILE *to;

	if (!folder_of((void *)gpurun_init, folder))
		return err_set(e, GPURUN_INTERNAL, "cannot find out where libgpurun.so is");
	to = open_memstream(&text, &size);
	if (!to)
		return no_room_for_it(e);
	for (int i = 0; i < FOLDERS; i++) {
		snprintf(path[i], sizeof(path[i]), "%s%s", folder, folder_names[i]);
		if (leave_out[i] ||
		    (i >= MLIR_FOLDER && (access(path[i], X_OK) || is_of_system(path[i]))))
			continue;
		fprintf(to, "%s%s", separator, path[i]);
		separator = ":";
		drop[i] = true;
	}
	for (size_t length; old && *old; old += length + (old[length] == ':')) {
		bool ours = false;

		length = strcspn(old, ":");
		for (int i = 0; i < FOLDERS; i++)
			ours = ours || (drop[i] && is_folder(old, length, path[i]));
		if (ours)
			continue;
		fprintf(to, "%s%.*s", separator, (int)length, old);
		separator = ":";
	}
	if (fclose(to))
		return no_room_for_it(e);
	return set("LD_LIBRARY_PATH", text, e);
}

/*
 * The variable @name gets @ours before what it has but for parts with the end @drop: the parts
 * are between colons. Without any it is unset.
 */
static int set_first(const char *name, const char *ours, const char *drop, struct err *e)
{
	const char *old = getenv(name);
	CLEANUP(free_pointer) char *text = NULL;
	size_t size, end = strlen(drop);
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return no_room_for_it(e);
	fputs(ours, to);
	for (size_t length; old && *old; old += length + (old[length] == ':')) {
		length = strcspn(old, ":");
		if (length < end || strncmp(old + length - end, drop, end) != 0)
			fprintf(to, "%s%.*s", ftell(to) > 0 ? ":" : "", (int)length, old);
	}
	if (fclose(to))
		return no_room_for_it(e);
	if (*text)
		return set(name, text, e);
	unsetenv(name);
	return 0;
}

/* The user's own wish for thread-local data, if it is for more; 0 when there is none. */
static unsigned long tls_of_user(void)
{
	const char *old = getenv("GLIBC_TUNABLES"), *at = old ? strstr(old, TLS "=") : NULL;

	return at ? strtoul(at + sizeof(TLS "=") - 1, NULL, 0) : 0;
}

/* Programs on the CPU device are started with the audit module, where there is one. */
static int set_audit(bool cpu, const char *program, struct err *e)
{
	const bool tsan = cpu && host_program_needs(program, "libtsan.so");
	char path[PATH_MAX + sizeof(AUDIT) + 1], tunable[sizeof(TLS) + 32], folder[PATH_MAX];
	const unsigned long bytes = tsan ? TLS_TSAN_BYTES : TLS_BYTES;

	cpu = cpu && folder_of((void *)gpurun_init, folder);
	snprintf(path, sizeof(path), "%s/" AUDIT, cpu ? folder : "");
	cpu = cpu && !access(path, R_OK);
	if (cpu || getenv("LD_AUDIT"))
		TRY(set_first("LD_AUDIT", cpu ? path : "", "/" START_NAME, e));
	if (!cpu || tls_of_user() >= bytes)
		return 0;
	snprintf(tunable, sizeof(tunable), TLS "=%lu", bytes);
	/* Of two the loader takes the last one. */
	return set_last("GLIBC_TUNABLES", tunable, ':', e);
}

/* Words of GPURUN_EXEC, or "". */
static char log_word[64], trace_word[64];

/* By the parent's name for it: the program may close what it has not opened. */
void environment_log_to(pid_t parent, int fd)
{
	ASSERT(parent > 0 && fd >= 0);
	snprintf(log_word, sizeof(log_word), ",log=/proc/%d/fd/%d", (int)parent, fd);
}

int environment_trace_to(pid_t reader, int fd, struct err *e)
{
	ASSERT(reader > 0 && fd >= 0);
	snprintf(trace_word, sizeof(trace_word), ",trace=/proc/%d/fd/%d", (int)reader, fd);
	return setenv(EXEC_VARIABLE, trace_word + 1, 1) ? no_room_for_it(e) : 0;
}

/* The file of the driver that GPUs are opened by; false: there is none. */
static bool find_driver(char path[PATH_MAX])
{
	const char *named = getenv("GPURUN_DRIVER");
	void *driver = dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	void *init = driver ? dlsym(driver, "cuInit") : NULL;
	Dl_info library;

	return init && dladdr(init, &library) && realpath(library.dli_fname, path) &&
	       !strchr(path, ',');
}

int environment_trace_gpu(bool times, struct err *e)
{
	char driver[PATH_MAX], folder[PATH_MAX], path[PATH_MAX + 32];
	CLEANUP(free_pointer) char *words = NULL;

	ASSERT(*trace_word);
	if (!find_driver(driver) || !folder_of((void *)gpurun_init, folder))
		return 0;
	snprintf(path, sizeof(path), "%s%s/libcuda.so.1", folder, folder_names[TRACE_FOLDER]);
	if (access(path, R_OK))
		return 0;
	if (asprintf(&words, "%s,driver=%s%s", trace_word + 1, driver, times ? ",times" : "") < 0) {
		words = NULL;
		return no_room_for_it(e);
	}
	if (setenv(EXEC_VARIABLE, words, 1) || setenv("GPURUN_DRIVER", path, 1))
		return no_room_for_it(e);
	return 0;
}

/* What the device does at the end of the program, and of its children: see exec_share.h. */
static int set_exec(bool expect_fault, bool quiet, struct err *e)
{
	char words[192], path[40];

	/* A gpurun above this one goes on to hear what this one does not ask for. */
	if (!*log_word && exec_path("log=", path, sizeof(path)))
		snprintf(log_word, sizeof(log_word), ",log=%s", path);
	if (!*trace_word && exec_path("trace=", path, sizeof(path)))
		snprintf(trace_word, sizeof(trace_word), ",trace=%s", path);
	snprintf(words, sizeof(words), "status%s%s%s%s", expect_fault ? ",expect-fault" : "",
		 quiet ? ",quiet" : "", log_word, trace_word);
	return set(EXEC_VARIABLE, words, e);
}

/* Keys of the selector follow those of the environment, and so override them. */
static int set_cpu(const char *selector, struct err *e)
{
	const char *keys = strncmp(selector, "cpu:", 4) ? "" : selector + 4;

	TRY(set("GPURUN_DEVICE", "cpu", e));
	return *keys ? set_last("GPURUN_CPU", keys, ',', e) : 0;
}

/* Tells whether @words of nvcc, between blanks, ask for code with its lines, and so its PTX. */
static bool have_lines(const char *words)
{
	static const char *const same[] = {
#define OPTION(text) text,
#include "line_options.def"
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		const size_t length = strlen(same[i]);

		for (const char *at = words; (at = strstr(at, same[i])); at += length)
			if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
				return true;
	}
	return false;
}

/*
 * What an nvcc below --exec makes is for the device that it finds here, as with -arch=native: as
 * machine code alone it would not run. With lines it brings its PTX along, in whatever it makes.
 */
static int set_nvcc(struct err *e)
{
	const char *old = getenv("NVCC_APPEND_FLAGS");

	return old && have_lines(old) ? 0 : set_last("NVCC_APPEND_FLAGS", "-lineinfo", ' ', e);
}

/*
 * One GPU that was asked for, by its rank too, is the only one that the program
 * sees, so that it is the first also for a program that does not ask us.
 */
static int set_gpu(const struct plan *plan, int ordinal, struct err *e)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	char number[16];
	CLEANUP(free_pointer) char *entry = NULL;

	TRY(set("GPURUN_DEVICE", "gpu", e));
	if (!strchr(plan->device, ':') && plan->local_rank < 0)
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
		return no_room_for_it(e);
	return set("CUDA_VISIBLE_DEVICES", entry, e);
}

/*
 * The CPU device and our runtime print at their end what was launched and what they refused; the
 * audit module, which runtimes it has redirected.
 */
static int ask_for_log(struct err *e)
{
	const char *log = getenv("GPURUN_LOG");
	const bool calls = words_have(log, "calls"), start = words_have(log, "start");

	if (calls && start)
		return 0;
	return set_last("GPURUN_LOG", calls ? "start" : start ? "calls" : "calls,start", ',', e);
}

int environment_set(const struct run *run, const char *program, bool expect_fault, struct err *e)
{
	const struct gpurun_device_info *info = &run->device.info;
	bool cpu = info->kind == GPURUN_DEVICE_CPU;

	TRY(set_library_path(cpu, *trace_word, e));
	TRY(set_audit(cpu, program, e));
	if (cpu && run->plan->output->verbose)
		TRY(ask_for_log(e));
	if (!cpu && *trace_word)
		TRY(environment_trace_gpu(run->plan->output->trace_times, e));
	if (!cpu)
		return set_gpu(run->plan, info->ordinal, e);
	TRY(set_nvcc(e));
	TRY(set_exec(expect_fault, run->plan->output->quiet, e));
	return set_cpu(run->plan->device, e);
}
