/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "asserts.h"
#include "cleanup.h"
#include "file.h"
#include "halt.h"
#include "memory.h"
#include "message.h"
#include "npy.h"
#include "output.h"
#include "output_options.h"

enum { MOST_SHOWN = 5 }; /* elements that differ, of one --expect */

enum { USUAL_BLOCK = 256 }; /* threads */

/* A want so small, or smaller, has a large relative error where the absolute one is nothing. */
static const double NEAR_ZERO = 1e-3;

/* Prints "[3,17]", the place of element @index of @shape, to @text. */
static void format_place(const struct shape *shape, uint64_t index, char *text,
			 size_t size)
{
	uint64_t dims[SHAPE_MAX_RANK];
	size_t at = 1;

	ASSERT(index < shape->count && shape->rank <= SHAPE_MAX_RANK);
	for (unsigned i = shape->rank; i-- > 0; index /= shape->dims[i])
		dims[i] = index % shape->dims[i];
	text[0] = '[';
	for (unsigned i = 0; i < shape->rank && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llu", i ? "," : "",
				       (unsigned long long)dims[i]);
	if (at < size)
		snprintf(text + at, size - at, "]");
}

/* Rounds @bound up to two digits. */
static void round_up(double bound, char text[32])
{
	snprintf(text, 32, "%.2g", bound);
	for (double more = bound; strtod(text, NULL) < bound;) {
		more *= 1.02;
		snprintf(text, 32, "%.2g", more);
	}
}

/* A larger relative difference of all elements is none of rounding. */
#define ROUGH 0.1

/* Which tolerance would pass; "" when none would. */
static void suggest_tolerance(const struct comparison *result, bool is_float,
			      struct err *e)
{
	char text[32], also[32];

	/* An integer is right or wrong, and so is a result of which nothing is nearly right. */
	if (!is_float || (result->bad == result->count && result->max_rel > ROUGH))
		return;
	if (result->max_ulp == UINT64_MAX || isinf(result->max_abs))
		return;
	round_up(result->max_rel, text);
	round_up(result->max_abs, also);
	if (isinf(result->max_rel))
		err_hint(e, "it would pass with --atol %s", also);
	else if (result->max_abs > NEAR_ZERO * result->max_rel)
		err_hint(e, "it would pass with --rtol %s", text);
	else
		err_hint(e, "it would pass with --rtol %s, or --atol %s", text, also);
}

/* Whether @step launches a kernel with @buffer in one thread, since nothing says in how many. */
static bool forgot_threads(const struct plan *plan, const struct step *step, size_t buffer)
{
	const struct launch *launch = step_launch(step);

	return launch && launch->unsized && args_have(args_of(plan, step), buffer);
}

/* Prints to @text what was meant where a launch before step @index had one thread for many
 * elements, one time in a run; "" where there is none. */
static void suggest_threads(struct run *run, size_t index, char text[160])
{
	const struct plan *plan = run->plan;
	const size_t buffer = plan->steps[index].buffer;
	const uint64_t count = plan->buffers[buffer].shape.count;
	const char *name = NULL;
	char threads[32] = "";

	for (size_t i = 0; i < index; i++) {
		if (forgot_threads(plan, &plan->steps[i], buffer))
			name = plan->steps[i].launch.kernel->base;
	}
	text[0] = '\0';
	if (!name || count < 2 || run->hinted_threads)
		return;
	run->hinted_threads = true;
	if (count > USUAL_BLOCK)
		snprintf(threads, sizeof(threads), " --threads %llu", (unsigned long long)count);
	snprintf(text, 160, "%.64s ran with 1 thread, without -b: -b %llu%s runs one for each "
		 "element", name, (unsigned long long)(*threads ? USUAL_BLOCK : count), threads);
}

/* Three digits are enough of a difference. */
static void format_roughly(double difference, char text[VALUE_TEXT_SIZE])
{
	snprintf(text, VALUE_TEXT_SIZE, "%.3g", difference);
	value_format_double(strtod(text, NULL), text);
}

/* What an --expect compares. */
struct compared {
	const struct buffer *buffer;
	const struct tolerance *tolerance;
	const uint8_t *got, *want;
	struct comparison result;
};

/* A few more of those that differ show whether there is a pattern. */
static void print_others(const struct compared *compared)
{
	const struct buffer *buffer = compared->buffer;
	const unsigned size = value_info(buffer->type)->size;
	unsigned shown = 1;

	for (uint64_t i = compared->result.first + 1;
	     i < buffer->shape.count && shown < MOST_SHOWN && shown < compared->result.bad; i++) {
		const uint8_t *got = compared->got + i * size, *want = compared->want + i * size;
		char place[256], has[VALUE_TEXT_SIZE], wanted[VALUE_TEXT_SIZE];
		struct comparison one;

		compare_values(buffer->type, got, want, 1, compared->tolerance, &one);
		if (!one.bad)
			continue;
		format_place(&buffer->shape, i, place, sizeof(place));
		value_format(buffer->type, got, has);
		value_format(buffer->type, want, wanted);
		message_note("expect %s: %s: got %s, want %s", buffer->name, place, has, wanted);
		shown++;
	}
}

/* @got and @want: the first elements that differ. */
static void describe_mismatch(const struct compared *compared, const char *got, const char *want,
			      struct err *e)
{
	const struct buffer *buffer = compared->buffer;
	const struct comparison *result = &compared->result;
	char place[256], absolute[VALUE_TEXT_SIZE], relative[VALUE_TEXT_SIZE];

	format_place(&buffer->shape, result->first, place, sizeof(place));
	format_roughly(result->max_abs, absolute);
	format_roughly(result->max_rel, relative);
	err_set(e, GPURUN_OK,
		"expect %s: %llu of %llu elements differ; the first is %s: got %s, want "
		"%s "
		"(at most: abs %s, rel %s)",
		buffer->name, (unsigned long long)result->bad,
		(unsigned long long)result->count, place, got, want, absolute, relative);
	suggest_tolerance(result, value_info(buffer->type)->is_float, e);
}

static void report_mismatch(struct run *run, size_t index, const struct compared *compared)
{
	char threads[160];
	const enum value_type type = compared->buffer->type;
	const uint64_t at = compared->result.first * value_info(type)->size;
	struct run_step *found = &run->steps[index];
	struct err e = { 0 };

	ASSERT(compared->result.bad <= compared->result.count && !found->reported);
	value_format(type, compared->got + at, found->first_got);
	value_format(type, compared->want + at, found->first_want);
	describe_mismatch(compared, found->first_got, found->first_want, &e);
	suggest_threads(run, index, threads);
	if (*threads)
		err_hint(&e, "%s", threads);
	halt_lock();
	found->reported = strdup(e.text);
	halt_unlock();
	run_mismatch(run, &e);
	print_others(compared);
}

int results_expect(struct run *run, size_t index, struct err *e)
{
	const struct step *step = &run->plan->steps[index];
	CLEANUP(free_pointer) uint8_t *got = NULL;
	CLEANUP(free_pointer) uint8_t *other = NULL;
	struct compared compared = { &run->plan->buffers[step->buffer], &step->tolerance,
				     NULL, step->contents, { 0 } };
	const struct buffer *buffer = compared.buffer;

	TRY(memory_download(run, step->buffer, &got, e));
	if (step->other != NONE) {
		TRY(memory_download(run, step->other, &other, e));
		compared.want = other;
	}
	compared.got = got;
	compare_values(buffer->type, got, compared.want, buffer->shape.count, &step->tolerance,
		       &compared.result);
	halt_lock();
	run->steps[index].comparison = compared.result;
	halt_unlock();
	if (compared.result.bad)
		report_mismatch(run, index, &compared);
	else
		message_verbose("expect %s: %llu elements pass", buffer->name,
				(unsigned long long)compared.result.count);
	return 0;
}

/* What could not be printed is no reason to lose what is to be written: it is said at the end. */
static int put_off(struct run *run, int status, const struct err *e)
{
	if (status != GPURUN_IO)
		return status;
	if (!run->unprinted.code)
		run->unprinted = *e;
	return 0;
}

int results_print(struct run *run, size_t index, struct err *e)
{
	const struct step *step = &run->plan->steps[index];
	const struct buffer *buffer = &run->plan->buffers[step->buffer];
	CLEANUP(free_pointer) uint8_t *contents = NULL;
	uint64_t count = buffer->shape.count;
	char threads[160];

	TRY(memory_download(run, step->buffer, &contents, e));
	if (count > step->limit)
		count = step->limit;
	output_text("%s:", buffer->name);
	for (uint64_t i = 0; i < count; i++) {
		char text[VALUE_TEXT_SIZE];

		value_format(buffer->type, contents + i * value_info(buffer->type)->size,
			     text);
		output_text(" %s", text);
	}
	output_text(count < buffer->shape.count ? " \xe2\x80\xa6\n" : "\n");
	suggest_threads(run, index, threads);
	if (*threads)
		message_note("%s", threads);
	return put_off(run, output_end(e), e);
}

static bool goes_to_stdout(const struct step *step)
{
	return !strcmp(step->path, "-");
}

int results_out(struct run *run, size_t index, struct err *e)
{
	const struct step *step = &run->plan->steps[index];
	const struct buffer *buffer = &run->plan->buffers[step->buffer];
	uint8_t **output = &run->steps[index].output;

	TRY(memory_download(run, step->buffer, output, e));
	if (!goes_to_stdout(step))
		return 0;
	return put_off(run, file_write_all(1, (struct bytes){ *output, buffer->size }, "stdout", e),
		       e);
}

static bool is_npy(const char *path)
{
	size_t length = strlen(path);

	return length >= 4 && !strcmp(path + length - 4, ".npy");
}

static int write_output(const struct run *run, size_t index, struct file_output *output,
			struct err *e)
{
	const struct step *step = &run->plan->steps[index];
	const struct buffer *buffer = &run->plan->buffers[step->buffer];
	char header[NPY_HEADER_SIZE];
	struct bytes spans[2] = { { (uint8_t *)header, 0 },
				  { run->steps[index].output, buffer->size } };

	ASSERT(run->steps[index].output); /* its step was followed */
	if (is_npy(step->path))
		spans[0].size = npy_header(buffer->type, &buffer->shape, header);
	return file_output_write(output, step->path, spans, 2, e);
}

static void say_written(const struct plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];

		if (step->kind == ACTION_OUT && !goes_to_stdout(step))
			message_verbose("out %s: %s written", plan->buffers[step->buffer].name,
					step->path);
	}
}

/* All of them are written before the first one takes its place. */
static int write_all(struct run *run, struct file_output *outputs, struct err *e)
{
	size_t count = 0;

	for (size_t i = 0; i < run->plan->step_count; i++) {
		const struct step *step = &run->plan->steps[i];

		if (step->kind == ACTION_OUT && !goes_to_stdout(step))
			TRY(write_output(run, i, &outputs[count++], e));
	}
	TRY(file_outputs_publish(outputs, count, run->plan->output->force, e));
	say_written(run->plan);
	return 0;
}

int results_write(struct run *run, struct err *e)
{
	CLEANUP(free_pointer) struct file_output *outputs =
		calloc(run->plan->step_count + 1, sizeof(*outputs));
	int status;

	run->stage = "out";
	if (!outputs)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the outputs");
	status = write_all(run, outputs, e);
	for (size_t i = 0; i < run->plan->step_count; i++)
		file_output_release(&outputs[i]);
	return status;
}
