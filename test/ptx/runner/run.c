/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * run [-dgmqs] [-x LIST] [-k KERNEL] FILE|DIRECTORY...
 *
 * Runs the cases that .ptx files carry in their comments (README.md) on the
 * driver $GPURUN_DRIVER, or libcuda.so.1, and prints TAP; the last line is
 * "N passed, N failed". -q leaves out what passed, -d adds a digest of all the
 * bits that a case's results had, -m likewise of all memory that the case has,
 * with what kernels and faults print in front, -s puts buffers over the seams of mappings,
 * -x names a list of cases that are expected to fail, -k runs the cases of one
 * kernel, -g leaves out what a GPU may answer otherwise. Exits with 0, or 1 after a failure.
 *
 * The driver is only ever opened in a child process: a case that faults, hangs
 * or crashes ends its child, and the next case starts in a new one.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer.h"
#include "capture.h"
#include "compare.h"
#include "spec.h"

enum { DEFAULT_TIMEOUT = 30, PATTERN = 0xa5, LOG_SIZE = 1024 };

/* What the children leave for the parent. */
struct progress {
	size_t running, next; /* index of a case in the file */
	size_t passed, failed;
	bool started; /* the driver has started once */
};

struct options {
	bool quiet, digest, memory, seams, gpu;
	const char *xfail;  /* the text of the list, or NULL */
	const char *kernel; /* a pattern, or NULL */
};

static struct options options;
static struct progress *progress;

static bool faulted; /* the last launch has */

/* Of the results of the case that runs, where they have an order. */
static uint64_t digest;

/* ---- Verdicts ----------------------------------------------------------- */

static void verdict(const struct spec *spec, const struct test_case *test, bool good, bool crash)
{
	bool expected = case_is_listed(spec, test, options.xfail);
	char name[256];

	case_name(spec, test, name);
	if (good == expected || crash) {
		progress->failed++;
		printf("not ok - %s%s\n", name,
		       good ? ": passes, but is expected to fail" : "");
	} else {
		progress->passed++;
		if ((options.digest || options.memory) && !expected)
			printf("ok - %s # %016" PRIx64 "\n", name, digest);
		else if (!options.quiet)
			printf("ok - %s%s\n", name, expected ? " # fails as expected" : "");
	}
	fflush(stdout);
}

/* Says why the case fails; returns false for the caller to return. */
__attribute__((format(printf, 1, 2))) static bool fails(const char *fmt, ...)
{
	va_list ap;

	printf("#   ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

static bool answers(const char *call, CUresult result)
{
	const char *name = NULL;

	if (result == CUDA_SUCCESS)
		return true;
	cu.cuGetErrorName(result, &name);
	return fails("%s: %s (%d)", call, name ? name : "?", result);
}

#define CALL(function, ...)                                                                \
	do {                                                                               \
		if (!answers(#function, cu.function(__VA_ARGS__)))                         \
			return false;                                                      \
	} while (0)

/* ---- Operands ----------------------------------------------------------- */

/* The list that tells an operand's type and size. */
static const struct list *shape(const struct operand *operand)
{
	return operand->given.type ? &operand->given : &operand->expected;
}

static bool upload(const struct operand *operand, CUdeviceptr address)
{
	size_t size = list_bytes(shape(operand));
	uint8_t *bytes = malloc(size + 1);
	CUresult result;

	if (!bytes)
		abort();
	memset(bytes, PATTERN, size);
	if (operand->given.type)
		list_pack(&operand->given, bytes);
	result = size ? cu.cuMemcpyHtoD(address, bytes, size) : CUDA_SUCCESS;
	free(bytes);
	return answers("cuMemcpyHtoD", result);
}

/* The inputs of one lane, where the buffers are of one length. */
static void print_inputs(const struct test_case *test, size_t index, size_t count)
{
	char text[VALUE_TEXT];

	for (size_t i = 0; i < test->operand_count; i++) {
		const struct list *list = &test->operands[i].given;

		if (!list->type || list->count != count)
			continue;
		value_text(list->type, list->elements[index].bits, text);
		printf("#     input %zu: %s\n", i, text);
	}
}

/* Of all that @operand has in memory. */
static bool digest_operand(const struct operand *operand, CUdeviceptr address)
{
	const size_t size = list_bytes(shape(operand));
	uint8_t *bytes = malloc(size + 1);
	CUresult result;

	if (!bytes)
		abort();
	result = size ? cu.cuMemcpyDtoH(bytes, address, size) : CUDA_SUCCESS;
	if (!result)
		digest = digest_memory(digest, shape(operand), bytes);
	free(bytes);
	return answers("cuMemcpyDtoH", result);
}

static bool download(const struct test_case *test, size_t which, CUdeviceptr address)
{
	const struct list *want = &test->operands[which].expected;
	char wanted[VALUE_TEXT], found[VALUE_TEXT];
	size_t size = list_bytes(want), first = 0, count;
	uint8_t *bytes = malloc(size + 1);
	bool good;

	if (!bytes)
		abort();
	good = answers("cuMemcpyDtoH", cu.cuMemcpyDtoH(bytes, address, size));
	count = good ? list_differences(want, bytes, &first) : 0;
	if (!options.memory)
		digest = digest_list(digest, want, bytes);
	if (count) {
		element_text(want, first, wanted);
		value_text(want->type, value_at(want->type, bytes, first), found);
		good = fails("operand %zu [%zu]: expected %s%s, got %s; %zu of %zu differ",
			     which, first, want->as_set ? "in some order " : "", wanted,
			     found, count, want->count);
		if (!want->as_set)
			print_inputs(test, first, want->count);
	}
	free(bytes);
	return good;
}

/* ---- One case ----------------------------------------------------------- */

/* A launch that is running. */
struct launch {
	CUmodule module;
	CUdeviceptr *addresses; /* of each operand, 0 for a scalar */
	uint8_t (*blocks)[32768]; /* each operand as a parameter */
	void **params;
	size_t param_count;
};

/* The next @count numbers of a tensor, as 32 bits. */
static size_t narrow(const struct list *list, size_t at, uint32_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = at + i < list->count ? (uint32_t)list->elements[at + i].bits : 0;
	return at + count;
}

static size_t wide(const struct list *list, size_t at, uint64_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = at + i < list->count ? list->elements[at + i].bits : 0;
	return at + count;
}

/* type swizzle fill rank, dimensions, strides, and a box with its steps; or the corners,
 * channels, pixels and steps of im2col. */
static bool encode(const struct operand *operand, CUdeviceptr address, uint8_t *block)
{
	_Alignas(64) CUtensorMap map;
	const struct list *list = &operand->given;
	uint64_t dims[5] = { 0 }, strides[5] = { 0 };
	uint32_t head[4], box[5] = { 0 }, steps[5] = { 0 }, lower[3] = { 0 }, upper[3] = { 0 };
	size_t at = narrow(list, 0, head, 4), rank = head[3] > 5 ? 5 : head[3];

	at = wide(list, at, dims, rank);
	at = wide(list, at, strides, rank - 1);
	if (!operand->im2col) {
		at = narrow(list, at, box, rank);
		narrow(list, at, steps, rank);
		CALL(cuTensorMapEncodeTiled, &map, (int)head[0], head[3], (void *)address, dims,
		     strides, box, steps, 0, (int)head[1], 0, (int)head[2]);
	} else {
		at = narrow(list, at, lower, rank - 2);
		at = narrow(list, at, upper, rank - 2);
		at = narrow(list, at, box, 2);
		narrow(list, at, steps, rank);
		CALL(cuTensorMapEncodeIm2col, &map, (int)head[0], head[3], (void *)address, dims,
		     strides, (const int *)lower, (const int *)upper, box[0], box[1], steps, 0,
		     (int)head[1], 0, (int)head[2]);
	}
	memcpy(block, &map, sizeof(map));
	return true;
}

static bool prepare(const struct test_case *test, struct launch *launch)
{
	for (size_t i = 0; i < test->operand_count; i++) {
		const struct operand *operand = &test->operands[i];
		size_t size = list_bytes(shape(operand));

		if (operand->role == OPERAND_SCALAR) {
			list_pack(&operand->given, launch->blocks[i]);
			launch->params[launch->param_count++] = launch->blocks[i];
			continue;
		}
		if (operand->role == OPERAND_TENSOR) {
			if (!encode(operand, launch->addresses[operand->buffer],
				    launch->blocks[i]))
				return false;
			launch->params[launch->param_count++] = launch->blocks[i];
			continue;
		}
		if (operand->role == OPERAND_BUFFER) {
			if (!answers("buffer_new", buffer_new(size, options.seams, &launch->addresses[i])))
				return false;
			memcpy(launch->blocks[i], &launch->addresses[i], 8);
			launch->params[launch->param_count++] = launch->blocks[i];
		} else {
			CALL(cuModuleGetGlobal, &launch->addresses[i], NULL, launch->module,
			     operand->variable);
		}
		if (operand->role != OPERAND_READ && !upload(operand, launch->addresses[i]))
			return false;
	}
	return true;
}

static bool wanted_code(const struct test_case *test, CUresult result)
{
	if (!test->code_count)
		return answers("cuCtxSynchronize", result);
	for (size_t i = 0; i < test->code_count; i++)
		if (test->codes[i] == (int)result)
			return true;
	return fails("expected error %d, got %d", test->codes[0], result);
}

static bool start(const struct test_case *test, CUfunction function, void **params)
{
	const unsigned *g = test->grid, *b = test->block;
	CUlaunchAttribute cooperative = {
		.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
		.value.cooperative = 1,
	};
	CUlaunchConfig config = {
		.gridDimX = g[0],
		.gridDimY = g[1],
		.gridDimZ = g[2],
		.blockDimX = b[0],
		.blockDimY = b[1],
		.blockDimZ = b[2],
		.sharedMemBytes = test->shared,
		.attrs = &cooperative,
		.numAttrs = 1,
	};

	if (test->cooperative)
		CALL(cuLaunchKernelEx, &config, function, params, NULL);
	else
		CALL(cuLaunchKernel, function, g[0], g[1], g[2], b[0], b[1], b[2],
		     test->shared, NULL, params, NULL);
	return true;
}

static bool launch_and_wait(const struct test_case *test, struct launch *launch)
{
	CUfunction function;
	CUresult result;

	CALL(cuModuleGetFunction, &function, launch->module, test->kernel);
	if (test->shared > 48 << 10)
		CALL(cuFuncSetAttribute, function,
		     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)test->shared);
	if (!start(test, function, launch->params))
		return false;
	result = cu.cuCtxSynchronize();
	faulted = result != CUDA_SUCCESS;
	return wanted_code(test, result);
}

static bool collect(const struct test_case *test, const struct launch *launch)
{
	bool good = true;

	if (test->code_count)
		return true;
	for (size_t i = 0; i < test->operand_count; i++) {
		const struct operand *operand = &test->operands[i];

		if (operand->expected.type && !download(test, i, launch->addresses[i]))
			good = false;
		if (options.memory && launch->addresses[i] &&
		    !digest_operand(operand, launch->addresses[i]))
			return false;
		if (operand->role == OPERAND_BUFFER &&
		    !answers("buffer_free", buffer_free(launch->addresses[i],
							list_bytes(shape(operand)), options.seams)))
			return false;
	}
	return good;
}

static bool run_launch(const struct test_case *test, CUmodule module)
{
	size_t count = test->operand_count + 1;
	struct launch launch = {
		.module = module,
		.addresses = calloc(count, sizeof(*launch.addresses)),
		.blocks = calloc(count, sizeof(*launch.blocks)),
		.params = calloc(count, sizeof(*launch.params)),
	};
	bool good;

	if (!launch.addresses || !launch.blocks || !launch.params)
		abort();
	good = prepare(test, &launch) && launch_and_wait(test, &launch) &&
	       collect(test, &launch);
	free(launch.addresses);
	free(launch.blocks);
	free(launch.params);
	return good;
}

/* Loads the module; tells the driver's log when that fails. */
static CUresult load(const struct spec *spec, CUmodule *module, char log[LOG_SIZE])
{
	CUjit_option names[] = { CU_JIT_ERROR_LOG_BUFFER,
				 CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)LOG_SIZE };

	log[0] = '\0';
	return cu.cuModuleLoadDataEx(module, spec->text, 2, names, values);
}

static bool run_load(const struct spec *spec, const struct test_case *test)
{
	char log[LOG_SIZE];
	CUmodule module;

	return wanted_code(test, load(spec, &module, log));
}

/* ---- Output that a case expects ----------------------------------------- */

/* As comments. */
static void print_lines(char *text)
{
	for (char *line; (line = strsep(&text, "\n"));)
		if (*line)
			printf("#   %s\n", line);
}

/* Runs a case whose output is part of it, or would only be in the way. */
static bool run_captured(const struct test_case *test, CUmodule module)
{
	static char printed[CAPTURE_SIZE], errors[CAPTURE_SIZE];
	struct capture out, err;
	bool good;

	/* Why it fails is said before what it printed can be looked at. */
	capture_start(&out, STDOUT_FILENO);
	capture_start(&err, STDERR_FILENO);
	good = run_launch(test, module);
	if (options.memory && faulted)
		capture_wait(&err);
	capture_end(&err, errors);
	capture_end(&out, printed);
	if (!good)
		return fails("%s%s", printed, errors);
	if (test->print && strcmp(test->print, printed))
		return fails("expected to print \"%s\", got \"%s\"", test->print, printed);
	if (test->error && !options.gpu && !strstr(errors, test->error))
		return fails("expected \"%s\" on stderr, got \"%s\"", test->error, errors);
	if (options.memory) {
		print_lines(printed);
		print_lines(errors);
	} else if (!test->error && !test->code_count) {
		fputs(errors, stderr);
	}
	return true;
}

/* ---- Children ----------------------------------------------------------- */

static bool selected(const struct test_case *test)
{
	return !options.kernel ||
	       !fnmatch(options.kernel, test->kernel ? test->kernel : "load", 0);
}

/* Runs one case; sets *@spent when the process must not run another. */
static bool run_case(const struct spec *spec, const struct test_case *test, CUmodule *module,
		     bool *spent)
{
	char log[LOG_SIZE];
	bool good;

	if (!test->kernel)
		return run_load(spec, test);
	if (test->fresh && *module) {
		CALL(cuModuleUnload, *module);
		*module = NULL;
	}
	if (!*module && load(spec, module, log)) {
		*module = NULL;
		return fails("the module does not load: %s", log);
	}
	good = test->print || test->error || test->code_count ? run_captured(test, *module) :
								run_launch(test, *module);
	*spent = test->code_count || !good;
	return good;
}

/* True for a case that a GPU may answer otherwise, on one. */
static bool left_out(const struct spec *spec, const struct test_case *test)
{
	char name[256];

	if (!options.gpu || !test->cpu)
		return false;
	case_name(spec, test, name);
	printf("ok - %s # SKIP the CPU device's own answer\n", name);
	fflush(stdout);
	return true;
}

/* Runs the cases from progress->next on, as far as this process can. */
static void child(const struct spec *spec)
{
	CUmodule module = NULL;
	bool spent = false;

	cuda_start();
	progress->started = true;
	while (!spent && progress->next < spec->case_count) {
		const struct test_case *test = &spec->cases[progress->next];

		progress->running = progress->next++;
		if (!selected(test) || left_out(spec, test))
			continue;
		digest = DIGEST_NONE;
		alarm(test->timeout ? test->timeout : DEFAULT_TIMEOUT);
		verdict(spec, test, run_case(spec, test, &module, &spent), false);
	}
	if (module)
		cu.cuModuleUnload(module); /* which fails where a kernel has faulted */
	exit(0); /* a driver that finds fault at its end does not leave it at 0 */
}

static void run_file(const char *path)
{
	struct spec *spec = spec_read(path);

	progress->next = 0;
	while (progress->next < spec->case_count) {
		int status;
		pid_t pid;

		fflush(NULL);
		pid = fork();
		if (pid == 0)
			child(spec);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			abort();
		if (WIFSIGNALED(status)) {
			fails("%s", WTERMSIG(status) == SIGALRM ? "does not end" :
							       strsignal(WTERMSIG(status)));
			verdict(spec, &spec->cases[progress->running], false, true);
		} else if (WEXITSTATUS(status)) {
			if (!progress->started)
				exit(1); /* the child has said why */
			fails("the driver's process exits with %d", WEXITSTATUS(status));
			verdict(spec, &spec->cases[progress->running], false, true);
		}
	}
}

static int is_ptx(const struct dirent *entry)
{
	return !fnmatch("*.ptx", entry->d_name, 0);
}

static void run_path(const char *path)
{
	struct dirent **entries;
	struct stat info;
	char file[4096];
	int count;

	if (stat(path, &info) || !S_ISDIR(info.st_mode)) {
		run_file(path);
		return;
	}
	count = scandir(path, &entries, is_ptx, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		run_file(strdup(file));
		free(entries[i]);
	}
	if (count > 0)
		free(entries);
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "dgmqsx:k:")) != -1)
		switch (c) {
		case 'd':
			options.digest = true;
			break;
		case 'g':
			options.gpu = true;
			break;
		case 'm':
			options.memory = true;
			break;
		case 'q':
			options.quiet = true;
			break;
		case 's':
			options.seams = true;
			break;
		case 'x':
			options.xfail = spec_read(optarg)->text;
			break;
		case 'k':
			options.kernel = optarg;
			break;
		default:
			return 2;
		}
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		abort();
	cuda_open(); /* one time for all children */
	for (int i = optind; i < argc; i++)
		run_path(argv[i]);
	printf("%zu passed, %zu failed\n", progress->passed, progress->failed);
	return progress->failed ? 1 : 0;
}
