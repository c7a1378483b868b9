/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The check of --doctor that looks at a host program. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "doctor_check.h"
#include "host_program.h"
#include "image.h"

/* What is read of the program. */
struct program {
	const char *path;
	Elf *elf;
	unsigned machine; /* e_machine */
	bool dynamic;	  /* a loader brings its libraries */
	char cudart[64];  /* "libcudart.so.13", which it needs; "": none */
	char libcuda[64];
	char rpath[ERR_TEXT_SIZE], runpath[ERR_TEXT_SIZE];
	bool has_runtime; /* functions of the static CUDA runtime */
	bool is_twelve;	  /* of CUDA 12 or older */
};

/* What a run of the program would end with. */
static void fail_program(struct doctor *doctor, enum gpurun_status status)
{
	const struct remark *last = &doctor->remarks[doctor->count - 1];

	if (doctor->failed.code)
		return;
	err_set(&doctor->failed, status, "%s: %s", doctor->program, last->text);
	err_hint(&doctor->failed, "%s", last->hint);
}

/* ---- reading ---- */

static void copy_string(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

static void read_dynamic(struct program *program, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *text = elf_strptr(program->elf, header->sh_link, entry.d_un.d_val);

		if (!text)
			continue;
		if (entry.d_tag == DT_RPATH)
			copy_string(program->rpath, sizeof(program->rpath), text);
		else if (entry.d_tag == DT_RUNPATH)
			copy_string(program->runpath, sizeof(program->runpath), text);
		else if (entry.d_tag == DT_NEEDED && !strncmp(text, "libcudart.so", 12))
			copy_string(program->cudart, sizeof(program->cudart), text);
		else if (entry.d_tag == DT_NEEDED && !strncmp(text, "libcuda.so", 10))
			copy_string(program->libcuda, sizeof(program->libcuda), text);
	}
}

/* The static runtime's functions are the program's own. */
static void read_symbols(struct program *program, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx ?
				   elf_strptr(program->elf, header->sh_link, symbol.st_name) : NULL;

		if (!name || strncmp(name, "cuda", 4) != 0)
			continue;
		program->has_runtime |= !strcmp(name, "cudaLaunchKernel");
		program->is_twelve |= !strncmp(name, "cudaGetDeviceProperties_v2", 26);
	}
}

static void read_sections(struct program *program)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(program->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(program, section, &header);
		else if (header.sh_type == SHT_SYMTAB)
			read_symbols(program, section, &header);
	}
}

static void read_segments(struct program *program)
{
	size_t count = 0;
	GElf_Phdr segment;

	elf_getphdrnum(program->elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(program->elf, (int)i, &segment) && segment.p_type == PT_INTERP)
			program->dynamic = true;
}

/* The machine of the ELF file at @path; EM_NONE: it is none. */
static unsigned machine_of(const char *path)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return EM_NONE;
	return header.e_machine;
}

/* ---- remarks ---- */

static void say_search(struct doctor *doctor, const struct program *program)
{
	if (*program->rpath) {
		doctor_say(doctor, VERDICT_NOTE, "DT_RPATH %s: searched before LD_LIBRARY_PATH",
			   program->rpath);
		doctor_hint(doctor, "gpurun --exec brings its libraries all the same; else link "
				    "with -Wl,--enable-new-dtags");
	} else if (*program->runpath) {
		doctor_say(doctor, VERDICT_OK, "DT_RUNPATH %s: searched after LD_LIBRARY_PATH",
			   program->runpath);
	}
}

static void say_shared_runtime(struct doctor *doctor, const struct program *program)
{
	if (!strcmp(program->cudart, "libcudart.so.13")) {
		doctor_say(doctor, VERDICT_OK, "needs libcudart.so.13, which gpurun has for the "
			   "CPU device");
		return;
	}
	doctor_say(doctor, doctor->runs_on_cpu ? VERDICT_PROBLEM : VERDICT_NOTE,
		   "needs %s, and gpurun's is libcudart.so.13", program->cudart);
	doctor_hint(doctor, "on the CPU device: build it with CUDA 13");
	if (doctor->runs_on_cpu)
		fail_program(doctor, GPURUN_NO_DEVICE);
}

static void say_static_runtime(struct doctor *doctor, const struct program *program)
{
	if (!program->is_twelve) {
		doctor_say(doctor, VERDICT_OK, "has the static runtime of CUDA 13, whose calls "
			   "lead to gpurun's libcudart on the CPU device");
		return;
	}
	doctor_say(doctor, doctor->runs_on_cpu ? VERDICT_PROBLEM : VERDICT_NOTE,
		   "has the static runtime of CUDA 12 or older, which the CPU device does not run");
	doctor_hint(doctor, "on the CPU device: build it with CUDA 13");
	if (doctor->runs_on_cpu)
		fail_program(doctor, GPURUN_NO_DEVICE);
}

static void say_runtimes(struct doctor *doctor, const struct program *program)
{
	if (*program->cudart)
		say_shared_runtime(doctor, program);
	if (program->has_runtime)
		say_static_runtime(doctor, program);
	if (*program->libcuda)
		doctor_say(doctor, VERDICT_OK, "needs %s: it calls the driver itself",
			   program->libcuda);
}

static void say_static(struct doctor *doctor)
{
	doctor_say(doctor, doctor->runs_on_cpu ? VERDICT_PROBLEM : VERDICT_NOTE,
		   "is linked with -static: the CPU device does not reach it");
	doctor_hint(doctor, "link it without -static");
	if (doctor->runs_on_cpu)
		fail_program(doctor, GPURUN_NO_DEVICE);
}

/* Says of one device whether it can run something of @file. */
static bool say_target(struct doctor *doctor, struct image_file *file, const char *name,
		       const struct image_target *target)
{
	const struct image *image = image_choose(file, UINT32_MAX, target);
	char text[160];

	if (image) {
		doctor_say(doctor, VERDICT_OK, "%s runs its %s", name,
			   image_describe(image, text, sizeof(text)));
		return true;
	}
	doctor_say(doctor, VERDICT_PROBLEM, "%s can run none of its images", name);
	if (target->ptx_only)
		doctor_hint(doctor, "nvcc -arch=sm_80 leaves PTX in it; so does -lineinfo with "
				    "-gencode arch=compute_80,code=sm_80");
	else
		doctor_hint(doctor, "build it with -gencode arch=compute_%u,code=compute_%u",
			    target->arch, target->arch);
	return false;
}

static void say_devices(struct doctor *doctor, struct image_file *file)
{
	static const struct image_target cpu = { .ptx_only = true };
	bool runs = true;
	char name[16];

	for (int i = 0; i < doctor->gpu_count; i++) {
		const struct gpurun_device_info *info = &doctor->gpus[i];
		const struct image_target gpu = {
			.arch = (unsigned)(info->cc_major * 10 + info->cc_minor),
		};

		snprintf(name, sizeof(name), "gpu:%d", info->ordinal);
		runs = say_target(doctor, file, name, &gpu) && runs;
	}
	if (!runs && !doctor->runs_on_cpu)
		fail_program(doctor, GPURUN_NO_IMAGE);
	if (doctor->has_cpu && !say_target(doctor, file, "cpu", &cpu) && doctor->runs_on_cpu)
		fail_program(doctor, GPURUN_NO_IMAGE);
}

/* Lists what may have PTX in its line info: that is known only then. */
static void list_all(struct image_file *file)
{
	for (size_t i = 0; i < image_count(file); i++) {
		struct err ignored;

		image_kernels(file, image_at(file, i), &ignored);
	}
}

static void say_images(struct doctor *doctor, const char *path)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	char text[ERR_TEXT_SIZE / 2];
	struct err e = { 0 };

	if (image_file_open(path, &file, &e) || !image_count(file)) {
		doctor_say(doctor, VERDICT_NOTE, "has no GPU code of its own%s%s",
			   e.code && e.code != GPURUN_NO_IMAGE ? ": " : "",
			   e.code && e.code != GPURUN_NO_IMAGE ? e.text : "");
		doctor_hint(doctor, "it may be in a library that it loads, or be compiled as it "
				    "runs");
		return;
	}
	list_all(file);
	image_describe_all(file, text, sizeof(text));
	doctor_say(doctor, VERDICT_OK, "contains %s", text);
	say_devices(doctor, file);
}

static void say_elf(struct doctor *doctor, struct program *program)
{
	if (program->machine != machine_of("/proc/self/exe")) {
		doctor_say(doctor, VERDICT_PROBLEM, "is of another processor than this machine's "
			   "(ELF machine %u)", program->machine);
		doctor_hint(doctor, "build it for this machine");
		fail_program(doctor, GPURUN_IO);
		return;
	}
	read_segments(program);
	read_sections(program);
	doctor_say(doctor, VERDICT_OK, "%s is %s ELF program of this machine", program->path,
		   program->dynamic ? "a dynamic" : "a static");
	if (host_program_is_sealed(program->path))
		say_static(doctor);
	say_search(doctor, program);
	say_runtimes(doctor, program);
	say_images(doctor, program->path);
}

static void say_file(struct doctor *doctor, const char *path)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct program program = { .path = path, .machine = machine_of(path) };

	if (program.machine != EM_NONE && elf_version(EV_CURRENT) != EV_NONE)
		program.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (program.elf && elf_kind(program.elf) == ELF_K_ELF) {
		say_elf(doctor, &program);
	} else {
		doctor_say(doctor, VERDICT_NOTE, "%s is no ELF program, but a script or the like",
			   path);
		doctor_hint(doctor, "--doctor=PROGRAM looks at one program that it starts");
	}
	elf_end(program.elf);
}

void doctor_check_program(struct doctor *doctor)
{
	const char *name = doctor->program;
	char path[PATH_MAX];

	if (!name)
		return;
	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "%s", name);
	else if (!host_program_find(name, path)) {
		doctor_say(doctor, VERDICT_PROBLEM, "not found in PATH");
		doctor_hint(doctor, "of one in this folder: --doctor=./%s", name);
		fail_program(doctor, GPURUN_IO);
		return;
	}
	if (!host_program_may_run(path)) {
		doctor_say(doctor, VERDICT_PROBLEM, "cannot run: %s",
			   access(path, X_OK) ? strerror(errno) : "not a regular file");
		fail_program(doctor, GPURUN_IO);
		return;
	}
	say_file(doctor, path);
}
