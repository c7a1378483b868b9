/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checks of --doctor that ask a driver. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "doctor_check.h"
#include "library.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CONTAINER "a container needs --gpus all, and NVIDIA_DRIVER_CAPABILITIES=compute,utility"

enum { NO_DEVICE = 100 };

/* Results of cuInit that say what is wrong with the system. */
static const struct {
	int code;
	const char *meaning, *hint;
} results[] = {
	{ 34, "the library is the stub of a toolkit, which is there for linking alone",
	  "take its folder, stubs, off LD_LIBRARY_PATH" },
	{ 46, "another process has the GPU for itself", "nvidia-smi -q -d COMPUTE says the mode" },
	{ NO_DEVICE, "the driver has no GPU that this process may use",
	  "nvidia-smi -L lists them; " CONTAINER },
	{ 802, "the system's services are not up yet",
	  "systemctl status nvidia-fabricmanager: GPUs with NVSwitch need it" },
	{ 803, "the library and the kernel module are of different versions",
	  "restart after an update of the driver; a container takes the library of its host" },
	{ 804, "the library is one for forward compatibility, which this GPU does not have",
	  "take the folder compat of the toolkit off LD_LIBRARY_PATH and /etc/ld.so.conf.d" },
	{ 999, "the kernel module does not answer as it should",
	  "sudo nvidia-modprobe -u -c 0, or restart; dmesg says more" },
};

/* ---- the GPU's driver library ---- */

static const char *driver_name(void)
{
	const char *name = getenv("GPURUN_DRIVER");

	return name && *name ? name : "libcuda.so.1";
}

static void say_no_library(struct doctor *doctor, const char *name, const char *why)
{
	const bool module = !access("/proc/driver/nvidia/version", F_OK);

	/* The loader's text begins with the name. */
	if (!strncmp(why, name, strlen(name)) && why[strlen(name)] == ':')
		why += strlen(name) + 2;
	doctor_say(doctor, module ? VERDICT_PROBLEM : VERDICT_NOTE, "%s: %s", name, why);
	if (module)
		doctor_hint(doctor, "the kernel module is there: install the library of its "
				    "version; " CONTAINER);
	else
		doctor_hint(doctor, "NVIDIA's driver has it; without a GPU it is not needed: the "
				    "CPU device (-d cpu) runs PTX");
}

/* "550.54.14" of libcuda.so.550.54.14; "" where the name is another. */
static void read_version(struct doctor *doctor)
{
	const char *at = strstr(doctor->library, "libcuda.so.");

	at = at ? at + strlen("libcuda.so.") : "";
	if (strchr(at, '.'))
		snprintf(doctor->library_version, sizeof(doctor->library_version), "%.31s", at);
}

/* The functions of a driver that are called here. */
struct driver {
	int (*init)(unsigned flags);
	int (*get_version)(int *version);
	int (*get_name)(int result, const char **name);
};

static bool find_functions(void *library, struct driver *driver)
{
	*(void **)&driver->init = dlsym(library, "cuInit");
	*(void **)&driver->get_version = dlsym(library, "cuDriverGetVersion");
	*(void **)&driver->get_name = dlsym(library, "cuGetErrorName");
	return driver->init && driver->get_version && driver->get_name;
}

static void say_library(struct doctor *doctor, const char *name, const struct driver *driver)
{
	int version = 0;

	driver->get_version(&version);
	doctor_say(doctor, VERDICT_OK, "%s is %s, of CUDA %d.%d", name, doctor->library,
		   version / 1000, version % 1000 / 10);
}

static void say_init(struct doctor *doctor, const struct driver *driver)
{
	const int result = driver->init(0);
	const char *name = NULL, *meaning = "", *hint = "nvidia-smi and dmesg say more";

	doctor->started = !result;
	if (!result) {
		doctor_say(doctor, VERDICT_OK, "cuInit: CUDA_SUCCESS");
		return;
	}
	if (driver->get_name(result, &name))
		name = NULL;
	for (size_t i = 0; i < COUNT(results); i++) {
		if (results[i].code == result) {
			meaning = results[i].meaning;
			hint = results[i].hint;
		}
	}
	if (result == NO_DEVICE && getenv("CUDA_VISIBLE_DEVICES"))
		hint = "CUDA_VISIBLE_DEVICES is set, and may hide them: run without it";
	doctor_say(doctor, result == NO_DEVICE ? VERDICT_NOTE : VERDICT_PROBLEM,
		   "cuInit: %s (%d)%s%s", name ? name : "a failure", result, *meaning ? ": " : "",
		   meaning);
	doctor_hint(doctor, "%s", hint);
}

void doctor_check_driver(struct doctor *doctor)
{
	const char *name = driver_name();
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	struct driver driver;
	struct link_map *map;

	if (!library) {
		say_no_library(doctor, name, dlerror());
		return;
	}
	if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !realpath(map->l_name, doctor->library))
		snprintf(doctor->library, sizeof(doctor->library), "%s", name);
	read_version(doctor);
	if (!find_functions(library, &driver)) {
		doctor_say(doctor, VERDICT_PROBLEM, "%s is no driver: it has no cuInit",
			   doctor->library);
		doctor_hint(doctor, "LD_LIBRARY_PATH or GPURUN_DRIVER leads to it");
		return;
	}
	doctor->library_is_ours = dlsym(library, "gpurunCpuConfigure");
	if (doctor->library_is_ours) {
		doctor_say(doctor, VERDICT_NOTE, "%s is %s: gpurun's CPU device", name,
			   doctor->library);
		doctor_hint(doctor, "every CUDA program gets it: run without --exec, "
				    "LD_LIBRARY_PATH or GPURUN_DRIVER that lead to it to have a "
				    "GPU");
		return;
	}
	say_library(doctor, name, &driver);
	say_init(doctor, &driver);
}

/* ---- devices ---- */

static void say_gpu(struct doctor *doctor, const struct gpurun_device_info *info)
{
	doctor_say(doctor, VERDICT_OK, "gpu:%d is %s, cc %d.%d, %llu MiB, %s", info->ordinal,
		   info->name, info->cc_major, info->cc_minor,
		   (unsigned long long)(info->memory >> 20), info->uuid);
}

static int get_gpus(struct doctor *doctor, struct err *e)
{
	int count;

	TRY(CALL(gpurun_init("gpu"), e));
	TRY(CALL(gpurun_device_count(&count), e));
	for (int i = 0; i < count && i < MOST_GPUS; i++) {
		struct gpurun_device_info *info = &doctor->gpus[i];
		struct gpurun_device device;

		info->struct_size = sizeof(*info);
		TRY(CALL(gpurun_device_get(i, &device), e));
		TRY(CALL(gpurun_device_get_info(device, info), e));
		doctor->gpu_count = i + 1;
		say_gpu(doctor, info);
	}
	return 0;
}

/* What is wrong was said of the library, if it did not start. */
void doctor_check_gpus(struct doctor *doctor)
{
	struct err e;

	if (!doctor->started) {
		doctor_say(doctor, VERDICT_NOTE, "none: there is no driver, or it has not started");
		return;
	}
	if (!get_gpus(doctor, &e))
		return;
	doctor_say(doctor, VERDICT_PROBLEM, "%s", e.text);
	doctor_hint(doctor, "%s", e.hint);
}

/* The device that @selector leads to, for as long as the process lives. */
static int get_device(const char *selector, struct gpurun_device_info *info, struct err *e)
{
	struct gpurun_device device;

	info->struct_size = sizeof(*info);
	TRY(CALL(gpurun_init(selector), e));
	TRY(CALL(gpurun_device_get(-1, &device), e));
	return CALL(gpurun_device_get_info(device, info), e);
}

/* Says which vector instructions kernels may get: by what Linux says of an x86-64 processor. */
static void say_vectors(struct doctor *doctor)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192];
	const char *flags = NULL;

	while (file && !flags && fgets(line, sizeof(line), file))
		flags = !strncmp(line, "flags", 5) ? line : NULL;
	if (file)
		fclose(file);
	if (!flags)
		return;
	if (strstr(flags, " avx512f "))
		doctor_say(doctor, VERDICT_OK, "the processor has AVX-512 (isa=v4)");
	else if (strstr(flags, " avx2 "))
		doctor_say(doctor, VERDICT_OK, "the processor has AVX2 (isa=v3)");
	else
		doctor_say(doctor, VERDICT_NOTE, "the processor has no AVX2: kernels are slow");
}

void doctor_check_cpu(struct doctor *doctor)
{
	const bool keys = !strncmp(doctor->selector, "cpu:", 4);
	struct gpurun_device_info info = { 0 };
	struct err e;

	if (get_device(keys ? doctor->selector : "cpu", &info, &e)) {
		doctor_say(doctor, VERDICT_PROBLEM, "%s", e.text);
		doctor_hint(doctor, "%s", *e.hint ? e.hint : "install gpurun anew: its CPU device "
							    "is gpurun/cpu/libcuda.so.1 beside "
							    "libgpurun");
		return;
	}
	doctor->has_cpu = true;
	doctor_say(doctor, VERDICT_OK, "cpu is %s, cc %d.%d, %llu MiB, %d thread%s", info.name,
		   info.cc_major, info.cc_minor, (unsigned long long)(info.memory >> 20),
		   info.multiprocessors, info.multiprocessors == 1 ? "" : "s");
	say_vectors(doctor);
}

void doctor_check_run(struct doctor *doctor)
{
	struct gpurun_device_info info = { 0 };

	if (get_device(doctor->selector, &info, &doctor->failed)) {
		doctor_say(doctor, VERDICT_PROBLEM, "with -d %s it fails: %s", doctor->selector,
			   doctor->failed.text);
		doctor_hint(doctor, "%s", doctor->has_cpu ? "-d cpu runs PTX on the CPU device" :
							   doctor->failed.hint);
		return;
	}
	doctor->runs_on_cpu = info.kind == GPURUN_DEVICE_CPU;
	doctor_say(doctor, VERDICT_OK, "with -d %s it is on %s", doctor->selector, info.name);
}
