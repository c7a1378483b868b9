/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the mgpu_* programs share. They hold the library to what a program sees of
 * it: results, lines on stderr and the exit status. A scene is a function that
 * does something; it runs in a process of its own, which is this program again.
 */
#ifndef CONFORMANCE_MGPU_H
#define CONFORMANCE_MGPU_H

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda.h"
#include "mgpu_abi.h"

/* add(a, n): a[i] += 1, u32; nothing(); trap(); bump(out): *out = ++counter;
 * slow(out): spins, then *out = 84; shared(out): *out = bytes of dynamic shared memory;
 * shape(out): *out = 432571 for a grid of (4, 3, 2) and a block of (5, 7, 1). */
static const char kernels_ptx[] TAP_UNUSED =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .global .align 4 .u32 counter;\n"
	".visible .entry add(.param .u64 a, .param .u32 n)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<6>;\n"
	"	.reg .b64 %d<4>;\n"
	"	ld.param.u64 %d1, [a];\n"
	"	ld.param.u32 %r1, [n];\n"
	"	mov.u32 %r2, %ctaid.x;\n"
	"	mov.u32 %r3, %ntid.x;\n"
	"	mov.u32 %r4, %tid.x;\n"
	"	mad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"	setp.ge.u32 %p, %r5, %r1;\n"
	"	@%p ret;\n"
	"	mul.wide.u32 %d2, %r5, 4;\n"
	"	add.s64 %d3, %d1, %d2;\n"
	"	ld.global.u32 %r1, [%d3];\n"
	"	add.u32 %r1, %r1, 1;\n"
	"	st.global.u32 [%d3], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry nothing() { ret; }\n"
	".visible .entry trap() { trap; ret; }\n"
	".visible .entry bump(.param .u64 out)\n"
	"{\n"
	"	.reg .b32 %r<3>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	ld.global.u32 %r1, [counter];\n"
	"	add.u32 %r2, %r1, 1;\n"
	"	st.global.u32 [counter], %r2;\n"
	"	st.global.u32 [%d1], %r2;\n"
	"	ret;\n"
	"}\n"
	".visible .entry slow(.param .u64 out)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<3>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	mov.u32 %r1, 0;\n"
	"again:\n"
	"	st.volatile.global.u32 [%d1], %r1;\n"
	"	add.u32 %r1, %r1, 1;\n"
	"	setp.lt.u32 %p, %r1, 200000;\n"
	"	@%p bra again;\n"
	"	mov.u32 %r1, 84;\n"
	"	st.volatile.global.u32 [%d1], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry wait(.param .u64 flag)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [flag];\n"
	"again:\n"
	"	ld.volatile.global.u32 %r1, [%d1];\n"
	"	setp.eq.u32 %p, %r1, 0;\n"
	"	@%p bra again;\n"
	"	ret;\n"
	"}\n"
	".visible .entry shared(.param .u64 out)\n"
	"{\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	mov.u32 %r1, %dynamic_smem_size;\n"
	"	st.global.u32 [%d1], %r1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry shape(.param .u64 out)\n"
	"{\n"
	"	.reg .b32 %r<3>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	mov.u32 %r1, %nctaid.x;\n"
	"	mov.u32 %r2, %nctaid.y;\n"
	"	mad.lo.u32 %r1, %r1, 10, %r2;\n"
	"	mov.u32 %r2, %nctaid.z;\n"
	"	mad.lo.u32 %r1, %r1, 10, %r2;\n"
	"	mov.u32 %r2, %ntid.x;\n"
	"	mad.lo.u32 %r1, %r1, 10, %r2;\n"
	"	mov.u32 %r2, %ntid.y;\n"
	"	mad.lo.u32 %r1, %r1, 10, %r2;\n"
	"	mov.u32 %r2, %ntid.z;\n"
	"	mad.lo.u32 %r1, %r1, 10, %r2;\n"
	"	st.global.u32 [%d1], %r1;\n"
	"	ret;\n"
	"}\n";

/* Tells whether the device runs kernels: the stub driver does not. */
TAP_UNUSED static bool executes(void)
{
	const char *driver = getenv("GPURUN_DRIVER");

	return !driver || !strstr(driver, "stub");
}

TAP_UNUSED static bool is_cpu(void)
{
	const char *device = getenv("GPURUN_DEVICE");

	return device && !strncmp(device, "cpu", 3);
}

/* Tells whether a real driver is under the library. */
TAP_UNUSED static bool is_gpu(void)
{
	return executes() && !is_cpu();
}

TAP_UNUSED static void *load(void)
{
	return mgpuModuleLoadJIT(kernels_ptx, 2, sizeof(kernels_ptx));
}

/* Launches one thread of @function. */
TAP_UNUSED static void launch1(void *function, void *stream, void **params)
{
	mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL, 0);
}

/* Reads a word of device memory, behind what is on @stream. */
TAP_UNUSED static uint32_t word_at(void *address, void *stream)
{
	uint32_t word = 0;

	mgpuMemcpy(&word, address, sizeof(word), stream);
	mgpuStreamSynchronize(stream);
	return word;
}

/* ---- Silence: nothing is said on stderr ------------------------------------------ */

static int listening = -1;

/* Catches what is said from here on, for test_silence(). */
TAP_UNUSED static void hear_stderr(void)
{
	int fds[2];

	if (pipe2(fds, O_NONBLOCK) || dup2(fds[1], 2) < 0)
		exit(1);
	listening = fds[0];
}

TAP_UNUSED static void test_silence(void)
{
	char text[1024] = "";

	if (!CHECK(read(listening, text, sizeof(text) - 1) < 0))
		printf("#   %s\n", strtok(text, "\n"));
}

/* ---- Scenes ------------------------------------------------------------------- */

/* What a scene left: its exit status (128 + N after a signal), its lines on stderr. */
struct ending {
	int status;
	int lines;
	char text[16384];
};

/* Reads all there is, keeps what there is room for, counts the lines of all. */
static void read_text(int fd, struct ending *ending)
{
	size_t length = 0;
	char part[4096];
	ssize_t got;

	while ((got = read(fd, part, sizeof(part))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (length < sizeof(ending->text) - 1)
				ending->text[length++] = part[i];
			ending->lines += part[i] == '\n';
		}
	}
	ending->text[length] = '\0';
}

/* Runs scene @name in a process with @setting ("NAME=VALUE,NAME=VALUE" or NULL). */
TAP_UNUSED static struct ending play_with(const char *name, const char *setting)
{
	struct ending ending = { .status = -1 };
	int status = -1, fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC)) {
		CHECK(!"pipe");
		return ending;
	}
	child = fork();
	if (!child) {
		char *copy = strdup(setting ? setting : "");

		for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
			putenv(word);
		dup2(fds[1], 2);
		execl("/proc/self/exe", "mgpu", name, NULL);
		_exit(51);
	}
	close(fds[1]);
	read_text(fds[0], &ending);
	close(fds[0]);
	waitpid(child, &status, 0);
	ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return ending;
}

TAP_UNUSED static struct ending play(const char *name)
{
	return play_with(name, NULL);
}

/* Checks exit status and number of lines; shows the lines when they are not as wanted. */
#define CHECK_ENDING(got, status, lines) check_ending(got, status, lines, __LINE__)
TAP_UNUSED static void check_ending(struct ending got, int status, int lines, int where)
{
	const char *line = got.text;

	if (tap_check_int(got.status, status, "exit status", where, "as wanted") &&
	    tap_check_int(got.lines, lines, "lines on stderr", where, "as wanted"))
		return;
	while (*line) {
		int length = (int)strcspn(line, "\n");

		printf("#   %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
}

struct scene {
	const char *name;
	void (*play)(void);
};

#define SCENE(function) { #function, function }

/* Plays the scene that the command line names, if it names one; it ends the process. */
#define SCENES(scenes, argc, argv)                                                         \
	for (size_t scene_ = 0;                                                            \
	     (argc) > 1 && scene_ < sizeof(scenes) / sizeof((scenes)[0]); scene_++)        \
		if (!strcmp((argv)[1], (scenes)[scene_].name)) {                           \
			(scenes)[scene_].play();                                           \
			exit(0);                                                           \
		}

#endif
