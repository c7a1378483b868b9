/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checks of --doctor that look at files and at the environment. */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor_check.h"
#include "suggest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What the loader calls in programs on the CPU device. */
#define START_FILE "gpurun/" START_NAME

extern char **environ;

/* ---- the kernel module ---- */

#define VERSION_FILE "/proc/driver/nvidia/version"

/* The first word of @text that is digits and points, as 550.54.14. */
static void find_version(const char *text, char version[32])
{
	version[0] = '\0';
	for (const char *at = text; *at; at += strspn(at, " \t")) {
		const size_t length = strcspn(at, " \t\n");

		if (length < 32 && length == strspn(at, "0123456789.") && memchr(at, '.', length)) {
			snprintf(version, 32, "%.*s", (int)length, at);
			return;
		}
		at += length + (at[length] == '\n');
	}
}

static void say_module(struct doctor *doctor)
{
	const bool waits = *doctor->library && !doctor->library_is_ours && !doctor->started;
	FILE *file = fopen(VERSION_FILE, "re");
	char line[256] = "";

	if (file && fgets(line, sizeof(line), file))
		find_version(line, doctor->module_version);
	if (file)
		fclose(file);
	if (*doctor->module_version) {
		doctor_say(doctor, VERDICT_OK, "nvidia %s is loaded", doctor->module_version);
	} else if (!access("/dev/dxg", F_OK)) {
		doctor_say(doctor, VERDICT_OK, "GPUs are Windows' (/dev/dxg): no module is needed");
	} else {
		doctor_say(doctor, waits ? VERDICT_PROBLEM : VERDICT_NOTE, "none is loaded: there "
			   "is no %s", VERSION_FILE);
		doctor_hint(doctor, "with a GPU: sudo modprobe nvidia, after the driver was "
				    "installed for this kernel; without one it is not needed");
	}
}

/* Looks at one file of /dev; counts those that this user may open. */
static int say_node(struct doctor *doctor, const char *path)
{
	if (!access(path, R_OK | W_OK))
		return 1;
	doctor_say(doctor, VERDICT_PROBLEM, "%s: %s", path, strerror(errno));
	doctor_hint(doctor, "ls -l %s says who may open it: join that group", path);
	return 0;
}

static void say_nodes(struct doctor *doctor)
{
	glob_t found = { 0 };
	int usable = 0;

	if (!glob("/dev/nvidia*", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (strncmp(found.gl_pathv[i], "/dev/nvidia-caps", 16) != 0)
				usable += say_node(doctor, found.gl_pathv[i]);
	globfree(&found);
	if (usable)
		doctor_say(doctor, VERDICT_OK, "%d file%s /dev/nvidia* may be opened", usable,
			   usable == 1 ? "" : "s");
	if (!*doctor->module_version || !access("/dev/nvidia-uvm", F_OK))
		return;
	doctor_say(doctor, VERDICT_PROBLEM, "there is no %s", usable ? "/dev/nvidia-uvm" :
								       "/dev/nvidia*");
	doctor_hint(doctor, "sudo nvidia-modprobe -u -c 0; a container needs --gpus all");
}

void doctor_check_module(struct doctor *doctor)
{
	say_module(doctor);
	say_nodes(doctor);
}

void doctor_check_versions(struct doctor *doctor)
{
	const char *library = doctor->library_version, *module = doctor->module_version;

	if (!*library || !*module)
		return;
	if (!strcmp(library, module)) {
		doctor_say(doctor, VERDICT_OK, "both are %s", module);
	} else if (doctor->started) {
		doctor_say(doctor, VERDICT_NOTE, "the library is %s, the module %s, and they work "
			   "together: a package for forward compatibility", library, module);
	} else {
		doctor_say(doctor, VERDICT_PROBLEM, "the library is %s, the module %s", library,
			   module);
		doctor_hint(doctor, "restart after an update of the driver; a container takes the "
				    "library of its host");
	}
}

/* ---- the loader ---- */

/* The folder of libgpurun, which has the others. */
static bool find_folder(char folder[PATH_MAX])
{
	Dl_info library;

	if (!dladdr((void *)gpurun_init, &library) || !realpath(library.dli_fname, folder))
		return false;
	*strrchr(folder, '/') = '\0';
	return true;
}

static bool is_cpu_device(const char *path)
{
	char folder[PATH_MAX], ours[PATH_MAX + 32], real[PATH_MAX];

	return find_folder(folder) && realpath(path, real) &&
	       snprintf(ours, sizeof(ours), "%s/gpurun/cpu/libcuda.so.1", folder) > 0 &&
	       !strcmp(ours, real);
}

static void say_entry(struct doctor *doctor, const char *folder)
{
	const bool stub = strstr(folder, "/stubs");
	char path[PATH_MAX + 16], link[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/libcuda.so.1", folder);
	snprintf(link, sizeof(link), "%s/libcuda.so", folder);
	if (is_cpu_device(path)) {
		doctor_say(doctor, VERDICT_NOTE, "LD_LIBRARY_PATH has %s: gpurun's CPU device",
			   folder);
		doctor_hint(doctor, "every CUDA program gets it; gpurun --exec brings it where it "
				    "is wanted");
	} else if (stub && !access(path, F_OK)) {
		doctor_say(doctor, VERDICT_PROBLEM, "LD_LIBRARY_PATH has %s, whose libcuda.so.1 is "
			   "a stub for linking", folder);
		doctor_hint(doctor, "take it off: the linker finds it by -L");
	} else if (stub && !access(link, F_OK)) {
		doctor_say(doctor, VERDICT_NOTE, "LD_LIBRARY_PATH has %s, whose libcuda.so is a "
			   "stub for linking", folder);
		doctor_hint(doctor, "take it off: a program that opens libcuda.so gets the stub");
	} else if (!access(path, F_OK)) {
		doctor_say(doctor, VERDICT_NOTE, "LD_LIBRARY_PATH has a libcuda.so.1 in %s",
			   folder);
	}
}

void doctor_check_loader(struct doctor *doctor)
{
	static const char *const others[] = { "LD_PRELOAD", "LD_AUDIT" };
	const char *list = getenv("LD_LIBRARY_PATH");
	const size_t before = doctor->count;

	for (size_t length; list && *list; list += length + (list[length] == ':')) {
		char folder[PATH_MAX];

		length = strcspn(list, ":");
		if (snprintf(folder, sizeof(folder), "%.*s", (int)length, list) < PATH_MAX)
			say_entry(doctor, *folder ? folder : ".");
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		const char *value = getenv(others[i]);

		if (!value || !*value)
			continue;
		doctor_say(doctor, VERDICT_NOTE, "%s=%s", others[i], value);
		doctor_hint(doctor, "it is loaded into every program: try without it");
	}
	if (doctor->count == before)
		doctor_say(doctor, VERDICT_OK, "nothing that replaces the driver");
}

/* ---- our own libraries ---- */

/* Beside libgpurun: patterns, any of which will do. */
static const struct {
	const char *name, *patterns[2];
	enum verdict missing;
	const char *what;
} libraries[] = {
	{ "the CPU device", { "gpurun/cpu/libcuda.so.1" }, VERDICT_PROBLEM,
	  "-d cpu does not work" },
	{ "libcudart", { "gpurun/cudart/libcudart.so.13" }, VERDICT_PROBLEM,
	  "CUDA programs do not start on the CPU device" },
	{ "the start module", { START_FILE }, VERDICT_PROBLEM,
	  "programs with a static CUDA runtime do not run on the CPU device" },
	{ "libmlir_cuda_runtime",
	  { "libmlir_cuda_runtime.so*", "gpurun/mlir/libmlir_cuda_runtime.so*" },
	  VERDICT_NOTE, "MLIR's programs need it" },
	{ "libLLVMOffload", { "gpurun/offload/libLLVMOffload.so*" }, VERDICT_NOTE,
	  "programs of LLVM Offload need it" },
};

static bool is_installed(const char *folder, const char *pattern)
{
	char path[PATH_MAX + 64];
	glob_t found = { 0 };
	bool is;

	snprintf(path, sizeof(path), "%s/%s", folder, pattern);
	is = !glob(path, 0, NULL, &found) && !access(found.gl_pathv[0], R_OK);
	globfree(&found);
	return is;
}

void doctor_check_libraries(struct doctor *doctor)
{
	char folder[PATH_MAX], whole[160] = "libgpurun";

	if (!find_folder(folder)) {
		doctor_say(doctor, VERDICT_PROBLEM, "cannot find out where libgpurun is");
		return;
	}
	for (size_t i = 0; i < COUNT(libraries); i++) {
		bool is = false;

		for (int j = 0; j < 2 && libraries[i].patterns[j]; j++)
			is = is || is_installed(folder, libraries[i].patterns[j]);
		if (is) {
			snprintf(whole + strlen(whole), sizeof(whole) - strlen(whole), ", %s",
				 libraries[i].name);
			continue;
		}
		doctor_say(doctor, libraries[i].missing, "no %s/%s: %s", folder,
			   libraries[i].patterns[0], libraries[i].what);
		doctor_hint(doctor, "install gpurun whole: its files are found by their places");
	}
	doctor_say(doctor, VERDICT_OK, "in %s: %s", folder, whole);
}

/* ---- variables ---- */

static const struct {
	const char *name, *meaning;
} variables[] = {
	{ "GPURUN_CHECK", "as --check" },
	{ "GPURUN_CPU", "keys of the CPU device" },
	{ "GPURUN_DEVICE", "as -d" },
	{ "GPURUN_DRIVER", "in the place of libcuda.so.1" },
	{ "GPURUN_EXEC", "set by gpurun --exec, which this runs below" },
	{ "GPURUN_EXIT_WAIT", "how long the end of a process waits for work" },
	{ "GPURUN_LOCKED", "set by gpurun --lock --exec, which this runs below" },
	{ "GPURUN_LOG", "what libraries write to standard error" },
	{ "GPURUN_MLIR_REPAIR", "what libmlir_cuda_runtime repairs" },
	{ "GPURUN_NO_DEVICE_EXIT", "as --no-device-exit" },
	{ "GPURUN_ON_ERROR", "what libmlir_cuda_runtime does after a failure" },
	{ "GPURUN_POOL", "whether memory, streams and events are used again" },
	{ "GPURUN_SEED", "as --seed" },
	{ "GPURUN_TIMEOUT", "as --timeout" },
	{ "CUDA_CACHE_DISABLE", "with 1 PTX is compiled anew in each process" },
	{ "CUDA_CACHE_PATH", "where the driver keeps what it has compiled" },
	{ "CUDA_DEVICE_ORDER", "the order of the GPUs" },
	{ "CUDA_DISABLE_PTX_JIT", "with 1 a GPU refuses PTX" },
	{ "CUDA_FORCE_PTX_JIT", "with 1 a GPU ignores machine code beside PTX" },
	{ "CUDA_INJECTION64_PATH", "a tool that is loaded into every CUDA program" },
	{ "CUDA_LAUNCH_BLOCKING", "with 1 each launch waits for its kernel, and nothing overlaps" },
	{ "CUDA_MODULE_LOADING", "EAGER: kernels are loaded with their module, not at first use" },
	{ "CUDA_MPS_PIPE_DIRECTORY", "GPUs are shared by a server, which has to run" },
	{ "CUDA_VISIBLE_DEVICES", "the GPUs that a process sees, and their order" },
	{ "NVIDIA_VISIBLE_DEVICES", "the GPUs that a container got" },
};

static const char *meaning_of(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(variables); i++)
		if (strlen(variables[i].name) == length &&
		    !strncmp(variables[i].name, name, length))
			return variables[i].meaning;
	return NULL;
}

/* A name that none of gpurun's programs reads: most often it is misspelt. */
static void say_unknown(struct doctor *doctor, const char *variable, size_t length)
{
	const char *names[COUNT(variables)], *near;
	char name[64];

	for (size_t i = 0; i < COUNT(variables); i++)
		names[i] = variables[i].name;
	snprintf(name, sizeof(name), "%.*s", (int)length, variable);
	near = suggest(name, names, COUNT(variables));
	doctor_say(doctor, VERDICT_PROBLEM, "%s: gpurun has no such variable", variable);
	doctor_hint(doctor, near ? "did you mean %s?" : "gpurun(1) has those that there are", near);
}

static void say_variable(struct doctor *doctor, const char *variable)
{
	const size_t length = strcspn(variable, "=");
	const char *meaning = meaning_of(variable, length);

	if (meaning)
		doctor_say(doctor, VERDICT_NOTE, "%s: %s", variable, meaning);
	else if (!strncmp(variable, "GPURUN_", 7))
		say_unknown(doctor, variable, length);
	if (!strcmp(variable, "CUDA_VISIBLE_DEVICES=") ||
	    !strcmp(variable, "CUDA_VISIBLE_DEVICES=-1") ||
	    !strcmp(variable, "NVIDIA_VISIBLE_DEVICES=void"))
		doctor_hint(doctor, "it hides every GPU");
}

void doctor_check_environment(struct doctor *doctor)
{
	const size_t before = doctor->count;

	for (char **at = environ; *at; at++)
		say_variable(doctor, *at);
	if (doctor->count == before)
		doctor_say(doctor, VERDICT_OK, "no variable of gpurun or CUDA is set");
}
