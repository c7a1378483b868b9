/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ops PATTERN CPU CUDA: operations of ggml, llama.cpp's library, in its backend for CUDA and in
 * that for the host, which are the files @CPU and @CUDA. The same inputs have to give the same
 * results. Prints TAP, a line for each operation whose name matches; each has a process of its
 * own, as ggml ends its process at an error. Linked with libggml-base.so of the same package.
 */
#include <dlfcn.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ops.h"

enum {
	MOST_INPUTS = 8,
	TIMES = 4, /* the backend captures a graph of CUDA when it comes again */
	PATIENCE = 120, /* seconds that one may take */
};

struct input {
	ggml_tensor *tensor;
	enum ggml_type type;
	long count, row, limit;
};

struct inputs {
	ggml_context *context;
	struct input of[MOST_INPUTS];
	int count;
};

static ggml_tensor *input_add(struct inputs *inputs, enum ggml_type type, const int64_t n[4],
			      long limit)
{
	struct input *input = &inputs->of[inputs->count++];

	input->tensor = ggml_new_tensor(inputs->context, type, 4, n);
	input->type = type;
	input->count = n[0] * n[1] * n[2] * n[3];
	input->row = n[0];
	input->limit = limit;
	return input->tensor;
}

ggml_tensor *ops_input(struct inputs *inputs, enum ggml_type type, int64_t n0, int64_t n1,
		       int64_t n2, int64_t n3)
{
	return input_add(inputs, type, (int64_t[]){n0, n1, n2, n3}, 0);
}

ggml_tensor *ops_indices(struct inputs *inputs, enum ggml_type type, int64_t n0, int64_t n1,
			 long limit)
{
	return input_add(inputs, type, (int64_t[]){n0, n1, 1, 1}, limit);
}

ggml_context *ops_context(struct inputs *inputs)
{
	return inputs->context;
}

/* Between -1 and 1, the same in each run. */
static float noise(unsigned *state)
{
	*state = *state * 1664525U + 1013904223U;
	return (float)(*state >> 8) / (float)(1 << 23) - 1.0F;
}

static void input_fill(const struct input *input, unsigned seed)
{
	size_t size = ggml_nbytes(input->tensor);
	float *values = calloc(input->count, sizeof(*values));
	void *bytes = calloc(size, 1);

	for (long i = 0; i < input->count; i++)
		values[i] = noise(&seed);
	switch (input->type) {
	case GGML_TYPE_F32:
		memcpy(bytes, values, size);
		break;
	case GGML_TYPE_I32:
		for (long i = 0; i < input->count; i++)
			((int32_t *)bytes)[i] = (int32_t)(i * 7 % input->limit);
		break;
	case GGML_TYPE_I64:
		for (long i = 0; i < input->count; i++)
			((int64_t *)bytes)[i] = i * 7 % input->limit;
		break;
	default:
		ggml_quantize_chunk(input->type, values, bytes, 0, input->count / input->row,
				    input->row, NULL);
	}
	ggml_backend_tensor_set(input->tensor, bytes, 0, size);
	free(values);
	free(bytes);
}

/* The backend of the file @path, for its first device. */
static ggml_backend *backend_open(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	ggml_backend_reg *(*begin)(void);
	ggml_backend_reg *backends;

	if (!library) {
		printf("# %s\n", dlerror());
		return NULL;
	}
	begin = (ggml_backend_reg * (*)(void)) dlsym(library, "ggml_backend_init");
	backends = begin ? begin() : NULL;
	if (!backends || !ggml_backend_reg_dev_count(backends)) {
		printf("# %s: has no device\n", path);
		return NULL;
	}
	return ggml_backend_dev_init(ggml_backend_reg_dev_get(backends, 0), NULL);
}

/* Whether @backend has every operation that leads to a result in @graph. */
static bool supported(ggml_backend *backend, ggml_cgraph *graph)
{
	for (int i = 0; i < ggml_graph_n_nodes(graph); i++)
		if (!ggml_backend_supports_op(backend, ggml_graph_node(graph, i)))
			return false;
	return true;
}

/* The values that @op gives in @backend, @count of them, or NULL. */
static void *computed(const struct op *op, ggml_backend *backend, size_t *size)
{
	struct ggml_init_params parameters = {16 << 20, NULL, true};
	struct inputs inputs = {.context = ggml_init(parameters)};
	ggml_tensor *result = op->build(&inputs);
	ggml_cgraph *graph = ggml_new_graph(inputs.context);
	void *values;

	ggml_build_forward_expand(graph, result);
	if (!supported(backend, graph)) {
		printf("# %s: not an operation of %s\n", op->name, ggml_backend_name(backend));
		return NULL;
	}
	ggml_backend_alloc_ctx_tensors(inputs.context, backend);
	for (int time = 0; time < TIMES; time++) {
		for (int i = 0; i < inputs.count; i++)
			input_fill(&inputs.of[i], (unsigned)(i + 1));
		if (ggml_backend_graph_compute(backend, graph)) {
			printf("# %s: not computed by %s\n", op->name, ggml_backend_name(backend));
			return NULL;
		}
	}
	*size = ggml_nbytes(result);
	values = malloc(*size);
	ggml_backend_tensor_get(result, values, 0, *size);
	return values;
}

/* Whether floats are near each other, by the square of the difference as a part of all. */
static bool near(const float *want, const float *got, size_t count, double most)
{
	double difference = 0, all = 0;
	size_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(want[i]) && (want[i] == got[i] || (isnan(want[i]) && isnan(got[i]))))
			continue;
		difference += pow((double)want[i] - got[i], 2);
		all += pow(want[i], 2);
		seen++;
	}
	if (seen && all > 0 && difference / all <= most)
		return true;
	printf("# the difference is %g of all, over %zu values; %g is allowed\n", difference / all,
	       seen, most);
	for (size_t i = 0; i < count && i < 4; i++)
		printf("#   %g, where the host has %g\n", got[i], want[i]);
	return false;
}

/* In a process of its own: whether @op gives the same in the backends of both files. */
static int same(const struct op *op, const char *cpu, const char *cuda)
{
	ggml_backend *host = backend_open(cpu), *device = backend_open(cuda);
	size_t size = 0, other = 0;
	void *want, *got;

	if (!host || !device)
		return 1;
	want = computed(op, host, &size);
	got = computed(op, device, &other);
	if (!want || !got || size != other)
		return 1;
	if (op->exact)
		return memcmp(want, got, size) != 0;
	return !near(want, got, size / sizeof(float), op->most);
}

static bool passes(const struct op *op, const char *cpu, const char *cuda)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(PATIENCE);
		status = same(op, cpu, cuda);
		fflush(stdout);
		_exit(status);
	}
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		printf("# %s: ended by signal %d\n", op->name, WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc != 4)
		return 2;
	for (const struct op *op = ops_all; op->name; op++) {
		if (fnmatch(argv[1], op->name, 0))
			continue;
		if (passes(op, argv[2], argv[3])) {
			printf("ok - %s\n", op->name);
		} else {
			printf("not ok - %s\n", op->name);
			failed = 1;
		}
	}
	return failed;
}
