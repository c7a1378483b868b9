/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the ol_* programs share. They know ol_abi.h alone: the same program runs on
 * this library and, by another LD_LIBRARY_PATH, on LLVM's own. Of the same source
 * ol_NAME is built for 22.1, ol23_NAME for 23.1. It is a table of
 * cases; the program runs all of them, `PROGRAM CASE' one, `PROGRAM --list' names
 * them:
 *
 *	static void test_free(void)
 *	{
 *		CHECK_CODE(olMemFree(&local), INVALID_ARGUMENT);
 *	}
 *
 *	static const struct ol_case cases[] = { OL_CASE(test_free), OL_BARE(test_before) };
 *	OL_MAIN(cases)
 *
 * An OL_CASE runs between olInit() and olShutDown(), which have to succeed, with the
 * devices looked up; an OL_BARE begins and ends with the library not initialised.
 * An OL_SCENE is what play() runs in a process of its own, and no test.
 *
 * The stub driver runs no kernels: what they compute is checked where executes() holds.
 */
#ifndef CONFORMANCE_OL_H
#define CONFORMANCE_OL_H

#include <sys/wait.h>
#include <unistd.h>

#include "ol_abi.h"
#include "tap.h"

/* The calls that are not the same in each ABI, and what they say: ol_init(), ol_launch()
 * and so on, in the form that 22.1 has. */
#if OL_ABI == 22
#include "ol_form22.h"
#else
#include "ol_form23.h"
#endif

/* ---- Results --------------------------------------------------------------------- */

TAP_UNUSED static const char *code_name(ol_errc_t code)
{
	static const char *const names[] = {
#define OL_ERRC(name, value) [value] = #name,
#include "ol_enum.def"
	};

	return (unsigned)code < OL_ERRC_LAST ? names[code] : "no code";
}

TAP_UNUSED static ol_errc_t code_of(ol_result_t result)
{
	return result ? result->Code : OL_ERRC_SUCCESS;
}

/* The text of a failure: never NULL. */
TAP_UNUSED static const char *text_of(ol_result_t result)
{
	return result && result->Details ? result->Details : "";
}

TAP_UNUSED static bool ol_check(ol_result_t got, ol_errc_t want, const char *part, int line,
				const char *file, const char *what)
{
	if (tap_check(code_of(got) == want && (!part || strstr(text_of(got), part)), file, line,
		      what))
		return true;
	printf("#   got  %s \"%s\"\n#   want %s%s%s\n", code_name(code_of(got)), text_of(got),
	       code_name(want), part ? " and in it " : "", part ? part : "");
	return false;
}

/* The call succeeds; it fails with a code (without OL_ERRC_); and a part of its text. */
#define CHECK_OK(call) ol_check(call, OL_ERRC_SUCCESS, NULL, __LINE__, __FILE__, #call)
#define CHECK_CODE(call, code) ol_check(call, OL_ERRC_##code, NULL, __LINE__, __FILE__, #call)
#define CHECK_TELLS(call, code, part)                                                      \
	ol_check(call, OL_ERRC_##code, part, __LINE__, __FILE__, #call)
#define REQUIRE_OK(call)                                                                   \
	do {                                                                               \
		if (!CHECK_OK(call))                                                       \
			return;                                                            \
	} while (0)

/* ---- Devices --------------------------------------------------------------------- */

/* Found by look_up(): the device under test, a second one (NULL: there is none), the
 * host, their platforms. */
static ol_device_handle_t gpu TAP_UNUSED, other_gpu TAP_UNUSED, host TAP_UNUSED;
static ol_platform_handle_t cuda TAP_UNUSED, host_platform TAP_UNUSED;
static char gpu_name[256] TAP_UNUSED;

static bool ol_note_device(ol_device_handle_t device, void *data)
{
	ol_platform_handle_t platform = NULL;
	ol_platform_backend_t backend = OL_PLATFORM_BACKEND_UNKNOWN;

	(void)data;
	CHECK_OK(olGetDeviceInfo(device, OL_DEVICE_INFO_PLATFORM, sizeof(platform), &platform));
	CHECK_OK(olGetPlatformInfo(platform, OL_PLATFORM_INFO_BACKEND, sizeof(backend),
				   &backend));
	if (backend == OL_PLATFORM_BACKEND_HOST) {
		host = device;
		host_platform = platform;
	} else if (gpu) {
		other_gpu = other_gpu ? other_gpu : device;
	} else {
		gpu = device;
		cuda = platform;
	}
	return true;
}

/* Looks the devices up; olInit() has been called. */
TAP_UNUSED static void look_up(void)
{
	gpu = other_gpu = host = NULL;
	cuda = host_platform = NULL;
	CHECK_OK(olIterateDevices(ol_note_device, NULL));
	if (CHECK(gpu && host))
		CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_NAME, sizeof(gpu_name), gpu_name));
}

/* Tells whether the device runs kernels: the stub driver does not. */
TAP_UNUSED static bool executes(void)
{
	return strcmp(gpu_name, "gpurun stub") != 0;
}

TAP_UNUSED static bool is_cpu(void)
{
	return !strcmp(gpu_name, "gpurun CPU device");
}

/* Tells whether a real driver is under the library. */
TAP_UNUSED static bool is_gpu(void)
{
	return executes() && !is_cpu();
}

/* ---- Images ---------------------------------------------------------------------- */

struct image {
	void *data; /* the caller frees it */
	size_t size;
};

/*
 * Reads test/data/images/NAME.90.cubin, or NAME.ptx on the CPU device and on GPUs of
 * another kind. LLVM's library cannot destroy programs that were made from PTX.
 */
TAP_UNUSED static struct image image_of(const char *name)
{
	struct image image;
	bool valid = false;
	char path[256];

	snprintf(path, sizeof(path), "test/data/images/%s.90.cubin", name);
	if (!is_cpu()) {
		image.data = tap_read(path, &image.size);
		if (!olIsValidBinary(gpu, image.data, image.size, &valid) && valid)
			return image;
		free(image.data);
	}
	snprintf(path, sizeof(path), "test/data/images/%s.ptx", name);
	image.data = tap_read(path, &image.size);
	return image;
}

TAP_UNUSED static ol_program_handle_t load_image(const char *name)
{
	struct image image = image_of(name);
	ol_program_handle_t program = NULL;

	CHECK_OK(olCreateProgram(gpu, image.data, image.size, &program));
	free(image.data);
	return program;
}

/*
 * The program of most tests, with variables counter (u32, 40 at first), table (64
 * bytes) and the kernels
 *	nothing()  trap()
 *	add(a, n)        a[i] += 1 for i < n, u32
 *	bump(out)        *out = ++counter, u32
 *	tail(out, a, b)  *out = a + b; u64, and u16 b: 18 bytes
 *	where(out)       *out = address of table, u64
 *	slow(out)        writes *out many times, at last 84, u32
 *	wait(flag)       waits until *flag is not 0, u32
 *	shared(out)      *out = bytes of dynamic shared memory, u32
 *	shape(out)       *out = 432571 for groups of (4, 3, 2) and sizes of (5, 7, 1), u32
 */
TAP_UNUSED static ol_program_handle_t load(void)
{
	return load_image("offload");
}

TAP_UNUSED static ol_symbol_handle_t kernel_of(ol_program_handle_t program, const char *name)
{
	ol_symbol_handle_t kernel = NULL;

	CHECK_OK(olGetSymbol(program, name, OL_SYMBOL_KIND_KERNEL, &kernel));
	return kernel;
}

TAP_UNUSED static ol_queue_handle_t new_queue(void)
{
	ol_queue_handle_t queue = NULL;

	CHECK_OK(olCreateQueue(gpu, &queue));
	return queue;
}

TAP_UNUSED static void *alloc(ol_alloc_type_t type, size_t size)
{
	void *address = NULL;

	CHECK_OK(olMemAlloc(gpu, type, size, &address));
	return address;
}

/* Launches one thread; on no queue it has run when this returns. */
TAP_UNUSED static ol_result_t launch1(ol_queue_handle_t queue, ol_symbol_handle_t kernel,
				      const void *arguments, size_t size)
{
	const ol_kernel_launch_size_args_t one = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 0 };

	return ol_launch(queue, gpu, kernel, arguments, size, &one);
}

/* ---- Scenes ------------------------------------------------------------------------ */

/* What a process of this program left behind. */
struct ending {
	int status;       /* of exit; 128 and the signal after one; 124: it hung */
	char said[16384]; /* on stdout and stderr, together */
};

static struct ending ol_reap(pid_t child, int fd)
{
	struct ending ending = { .status = -1 };
	size_t length = 0;
	ssize_t got;
	int status;

	while ((got = read(fd, ending.said + length, sizeof(ending.said) - 1 - length)) > 0)
		length += (size_t)got;
	close(fd);
	waitpid(child, &status, 0);
	ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return ending;
}

/* Runs scene @name with @settings, "NAME=VALUE NAME=VALUE" or NULL, where "NAME" alone
 * takes it away. It has a minute. */
TAP_UNUSED static struct ending play(const char *name, const char *settings)
{
	char copy[512];
	int fds[2];
	pid_t child;

	snprintf(copy, sizeof(copy), "%s", settings ? settings : "");
	fflush(stdout);
	if (pipe(fds))
		return (struct ending){ .status = -1 };
	child = fork();
	if (!child) {
		for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
			putenv(word);
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		alarm(60);
		execl("/proc/self/exe", "ol", name, NULL);
		_exit(51);
	}
	close(fds[1]);
	return ol_reap(child, fds[0]);
}

/* Plays it; it ends with 0 and says what is wanted, nothing where that is NULL. */
#define CHECK_PLAY(name, settings, want)                                                   \
	do {                                                                               \
		struct ending ending_ = play(name, settings);                              \
                                                                                           \
		CHECK_INT(ending_.status, 0);                                              \
		CHECK_STR(ending_.said, (want) ? (want) : "");                             \
	} while (0)

/* ---- The program ------------------------------------------------------------------- */

struct ol_case {
	const char *name;
	void (*run)(void);
	bool bare, scene;
};

#define OL_CASE(function) { #function, function, false, false }
#define OL_BARE(function) { #function, function, true, false }
#define OL_SCENE(function) { #function, function, true, true }

static const struct ol_case *ol_running;

static void ol_run_case(void)
{
	if (!ol_running->bare) {
		if (!CHECK_OK(ol_init()))
			return;
		look_up();
		if (gpu && host)
			ol_running->run();
		CHECK_OK(olShutDown());
	} else {
		ol_running->run();
	}
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

/* A scene fails when one of its checks does. */
static int ol_run_scene(const struct ol_case *scene)
{
	scene->run();
	return tap.failed;
}

TAP_UNUSED static int ol_main(const struct ol_case *cases, size_t count, int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	bool lists = only && !strcmp(only, "--list"), found = false;

	for (size_t i = 0; i < count; i++) {
		if (lists && !cases[i].scene)
			puts(cases[i].name);
		if (lists || (only ? strcmp(only, cases[i].name) != 0 : cases[i].scene))
			continue;
		if (cases[i].scene)
			return ol_run_scene(&cases[i]);
		found = true;
		ol_running = &cases[i];
		tap_run(ol_run_case, cases[i].name);
	}
	if (found || lists)
		return tap_end();
	fprintf(stderr, "no such case: %s (--list names them)\n", only ? only : "");
	return 2;
}

#define OL_MAIN(cases)                                                                     \
	int main(int argc, char **argv)                                                    \
	{                                                                                  \
		return ol_main(cases, sizeof(cases) / sizeof((cases)[0]), argc, argv);     \
	}

#endif
