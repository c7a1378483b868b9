/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "against.h"
#include "asserts.h"
#include "await.h"
#include "bench_keys.h"
#include "bench_peak.h"
#include "cleanup.h"
#include "clock.h"
#include "count.h"
#include "counts.h"
#include "follow.h"
#include "halt.h"
#include "hold.h"
#include "library.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "release.h"
#include "results.h"
#include "saved.h"

/* The clocks are read no more often: a reading takes as long as a short kernel. */
static const uint64_t CLOCKS_EVERY = 2000000;

/* The part of --timeout in which it measures; the rest is for what comes after it. */
static const double PART_OF_TIMEOUT = 0.8;

/* A bench in progress. */
struct bench {
	struct run *sides[2];
	size_t side_count;
	const struct bench_keys *keys;
	struct against *against; /* owned; NULL: there is none */
	uint8_t **left[2];       /* owned; by buffer: what the checked run left in it */
	uint64_t scratch;        /* on the device; 0: none is needed */
	uint64_t scratch_size;
	unsigned char pattern;   /* that it is filled with next */
	struct hold hold;
	struct clocks clocks;
	struct clock_reading reading, slowest, fastest;
	uint64_t reasons, read_at;
	uint64_t runs;           /* so far, those to warm up among them */
	size_t launches;
	struct counted *counted; /* owned; by launch; NULL: without count */
};

static void free_left(struct bench *bench, size_t side)
{
	for (size_t i = 0; bench->left[side] && i < bench->sides[0]->plan->buffer_count; i++)
		free(bench->left[side][i]);
	free(bench->left[side]);
}

static void release_bench(struct bench *bench)
{
	hold_end(&bench->hold);
	clocks_close(&bench->clocks);
	for (size_t i = 0; i < 2; i++)
		free_left(bench, i);
	against_free(bench->against);
	free(bench->counted);
}

static bool on_cpu(const struct bench *bench)
{
	return bench->sides[0]->device.info.kind == GPURUN_DEVICE_CPU;
}

/* ---- one run ---- */

static void read_clocks(struct bench *bench)
{
	const uint64_t now = clock_now();
	struct clock_reading *least = &bench->slowest, *most = &bench->fastest, reading;

	if (now - bench->read_at < CLOCKS_EVERY || !clocks_read(&bench->clocks, &reading))
		return;
	if (!bench->read_at)
		*least = *most = reading;
	if (reading.multiprocessor < least->multiprocessor)
		*least = reading;
	if (reading.multiprocessor > most->multiprocessor)
		*most = reading;
	bench->read_at = now;
	bench->reading = reading;
	bench->reasons |= reading.reasons;
}

/* What the kernel before asked the cache to keep would survive the flush. */
static int let_go(struct bench *bench, struct err *e)
{
	const int status = gpurun_device_reset_l2(bench->sides[0]->device.handle);

	return status == GPURUN_UNSUPPORTED ? 0 : library_status(status, e);
}

/* Enqueues what comes before a launch that is timed. */
static int enqueue_before(struct bench *bench, struct gpurun_stream stream, struct err *e)
{
	if (bench->scratch)
		TRY(let_go(bench, e));
	if (!on_cpu(bench))
		TRY(hold_begin(&bench->hold, stream, e));
	if (!bench->scratch)
		return 0;
	return CALL(gpurun_memory_fill(bench->scratch, bench->pattern++, 1, bench->scratch_size,
				       stream),
		    e);
}

static int time_launch(struct bench *bench, struct run *run, size_t index,
		       struct bench_sample *sample, struct err *e)
{
	const size_t stream = run->plan->steps[index].queued.stream;
	struct run_step *found = &run->steps[index];
	uint64_t nanoseconds;
	int status = enqueue_before(bench, run->streams[stream], e);

	if (!status)
		status = follow(run, index, e);
	hold_end(&bench->hold);
	if (status)
		return status;
	halt_lock();
	found->done = true;
	halt_unlock();
	TRY(await_stream(run, stream, e));
	TRY(CALL(gpurun_event_elapsed(found->begin, found->end, &nanoseconds), e));
	read_clocks(bench);
	*sample = (struct bench_sample){ (double)nanoseconds, (double)found->call_nanoseconds,
				   clocks_slowed(&bench->reading) };
	return 0;
}

/* What looks at buffers has done so in the checked run; what a launch finds there is done. */
static int follow_untimed(struct run *run, size_t index, bool checks, struct err *e)
{
	const enum action_kind kind = run->plan->steps[index].kind;

	if (action_effect(kind) != EFFECT_LOOKS || (checks && kind == ACTION_EXPECT))
		TRY(follow(run, index, e));
	halt_lock();
	run->steps[index].done = true;
	halt_unlock();
	return 0;
}

static int begin_again(struct bench *bench, struct run *run, struct err *e)
{
	run_begin_again(run);
	for (size_t i = 0; i < bench->side_count; i++)
		TRY(saved_restore(bench->sides[i], e));
	return 0;
}

/* The steps of one side, each launch alone on the device. */
static int run_steps(struct bench *bench, struct run *run, struct bench_sample *samples,
		     struct err *e)
{
	size_t launch = 0;

	run->stage = "bench";
	TRY(begin_again(bench, run, e));
	for (size_t i = 0; i < run->plan->step_count; i++) {
		if (step_launch(&run->plan->steps[i]))
			TRY(time_launch(bench, run, i, &samples[launch++], e));
		else
			TRY(follow_untimed(run, i, false, e));
	}
	ASSERT(launch == bench->launches);
	return await_all(run, e);
}

static int run_side(void *data, size_t side, struct bench_sample *samples, struct err *e)
{
	struct bench *bench = data;
	int status = run_steps(bench, bench->sides[side], samples, e);

	progress_reached(++bench->runs);

	if (!status || !side)
		return status;
	return err_wrap(e, "--against %.200s", bench->sides[0]->plan->bench->against);
}

/* ---- what a run left ---- */

static bool is_compared(const struct plan *plan, size_t buffer)
{
	return plan->buffers[buffer].size != 0;
}

/* Takes what the checked run of @side left. */
static int take_left(struct bench *bench, size_t side, struct err *e)
{
	struct run *run = bench->sides[side];

	bench->left[side] = calloc(run->plan->buffer_count + 1, sizeof(*bench->left[side]));
	if (!bench->left[side])
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the results");
	for (size_t i = 0; i < run->plan->buffer_count; i++)
		if (is_compared(run->plan, i))
			TRY(memory_download(run, i, &bench->left[side][i], e));
	return 0;
}

/* The last --expect of the buffer that comes after all launches; NONE: there is none. */
static size_t last_expect(const struct plan *plan, size_t buffer)
{
	for (size_t i = plan->step_count; i-- > 0;) {
		const struct step *step = &plan->steps[i];

		if (step_launch(step) || action_effect(step->kind) == EFFECT_WRITES)
			return NONE;
		if (step->kind == ACTION_EXPECT && step->buffer == buffer)
			return i;
	}
	return NONE;
}

/* A result that differs, where no --expect says by how much it may. */
static void report_difference(struct run *run, const struct buffer *buffer,
			      const struct comparison *result, const uint8_t *got,
			      const uint8_t *had)
{
	const uint64_t at = result->first * value_info(buffer->type)->size;
	char now[VALUE_TEXT_SIZE], before[VALUE_TEXT_SIZE];
	struct err e = { 0 };

	value_format(buffer->type, got + at, now);
	value_format(buffer->type, had + at, before);
	err_set(&e, GPURUN_OK,
		"bench: buffer %s is not what the checked run left: %llu of %llu elements differ; "
		"the first is [%llu]: got %s, had %s",
		buffer->name, (unsigned long long)result->bad, (unsigned long long)result->count,
		(unsigned long long)result->first, now, before);
	err_hint(&e, "where results may differ from run to run, --expect with --rtol says how far");
	run_mismatch(run, &e);
}

static int compare_buffer(struct bench *bench, size_t side, size_t index, struct err *e)
{
	static const struct tolerance exact;
	struct run *run = bench->sides[side];
	const struct buffer *buffer = &run->plan->buffers[index];
	const size_t expect = last_expect(run->plan, index);
	CLEANUP(free_pointer) uint8_t *got = NULL;
	struct comparison result;

	TRY(memory_download(run, index, &got, e));
	if (!memcmp(got, bench->left[side][index], buffer->size))
		return 0;
	if (expect != NONE)
		return results_expect(run, expect, e);
	compare_values(buffer->type, got, bench->left[side][index], buffer->shape.count, &exact,
		       &result);
	if (result.bad)
		report_difference(run, buffer, &result, got, bench->left[side][index]);
	return 0;
}

static int verify_side(void *data, size_t side, bool *same, struct err *e)
{
	struct bench *bench = data;
	struct run *run = bench->sides[side];

	run->stage = "bench";
	for (size_t i = 0; i < run->plan->buffer_count && !run->mismatches; i++)
		if (is_compared(run->plan, i))
			TRY(compare_buffer(bench, side, i, e));
	*same = !run->mismatches;
	return 0;
}

static uint64_t read_clock(void *data)
{
	(void)data;
	return clock_now();
}

/* ---- before it ---- */

static size_t count_steps(const struct plan *plan, enum action_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		count += plan->steps[i].kind == kind;
	return count;
}

int bench_check(const struct plan *plan, struct err *e)
{
	const struct bench_options *options = plan->bench;
	const size_t launches = count_steps(plan, ACTION_LAUNCH);
	CLEANUP(free_against) struct against *against = NULL;

	if (!options->wanted && !options->times)
		return 0;
	if (count_steps(plan, ACTION_UNLOAD)) {
		err_set(e, GPURUN_INVALID, "--unload besides --%s",
			options->wanted ? "bench" : "repeat");
		return err_hint(e, "what is unloaded cannot run again");
	}
	if (options->wanted && !launches)
		return err_set(e, GPURUN_INVALID, "--bench without --launch");
	if (launches > 1 && (options->keys.bytes || options->keys.flops)) {
		err_set(e, GPURUN_INVALID, "--bench bytes= and flops= are of one launch, and here "
			"are %zu", launches);
		return err_hint(e, "--bench=count counts them for each launch");
	}
	return options->against ? against_plan(plan, &against, e) : 0;
}

/* Twice the L2 cache: what was there is gone once that was written. */
static int place_scratch(struct bench *bench, struct err *e)
{
	struct run *run = bench->sides[0];

	if (bench->keys->warm || run->device.info.l2_bytes <= 0)
		return 0;
	bench->scratch_size = 2 * (uint64_t)run->device.info.l2_bytes;
	if (CALL(gpurun_memory_alloc(run->device.handle, bench->scratch_size,
				     GPURUN_MEMORY_DEVICE, &bench->scratch),
		 e))
		return err_wrap(e, "memory to flush the L2 cache with");
	return 0;
}

/* Carries out the steps of --against one time; what they print was printed by those before. */
static int check_against(struct bench *bench, struct err *e)
{
	struct run *run = bench->sides[1];

	TRY(begin_again(bench, run, e));
	for (size_t i = 0; i < run->plan->step_count; i++)
		TRY(follow_untimed(run, i, true, e));
	TRY(await_all(run, e));
	return take_left(bench, 1, e);
}

static int prepare_against(struct bench *bench, struct err *e)
{
	struct run *ours = bench->sides[0], *run;

	TRY(against_plan(ours->plan, &bench->against, e));
	run = against_run(bench->against);
	run->again = true; /* the history is that of the command line's own launch */
	bench->sides[1] = run;
	bench->side_count = 2;
	if (execute_beside(run, ours, e) || saved_take(run, e) || check_against(bench, e))
		return err_wrap(e, "--against %.200s", ours->plan->bench->against);
	if (run->mismatches) {
		message_note("that is the result of --against %.200s",
			     ours->plan->bench->against);
		ours->mismatches += run->mismatches;
		ours->first_mismatch = run->first_mismatch;
	}
	return 0;
}

/* When --timeout lets it measure until. */
static uint64_t deadline_of(const struct run *run)
{
	const uint64_t limit = run->plan->bench->limit;

	return limit ? run->begin + (uint64_t)((double)limit * PART_OF_TIMEOUT) : UINT64_MAX;
}

/* ---- after it ---- */

static const struct launch *launch_at(const struct plan *plan, size_t index, size_t *step)
{
	for (*step = 0; *step < plan->step_count; ++*step) {
		const struct launch *launch = step_launch(&plan->steps[*step]);

		if (launch && !index--)
			return launch;
	}
	return NULL;
}

/* What the launch of our own executes; that of --against is not counted. */
static void fill_counted(const struct bench *bench, size_t index, struct bench_row *row)
{
	const struct counted *counted = &bench->counted[index];

	row->has_counted = true;
	row->counted = *counted;
	row->bytes = counted->at[COUNTED_GLOBAL_READ] + counted->at[COUNTED_GLOBAL_WRITTEN];
	row->flops = counted->at[COUNTED_F16] + counted->at[COUNTED_F32] +
		     counted->at[COUNTED_F64] + counted->at[COUNTED_MATRIX_FLOAT];
}

static int fill_timed(const struct bench *bench, size_t side, size_t index,
		    const struct series *series, struct bench_row *row, struct err *e)
{
	const struct run *run = bench->sides[side];
	size_t step;
	const struct launch *launch = launch_at(run->plan, index, &step);

	ASSERT(launch);
	snprintf(row->kernel, sizeof(row->kernel), "%s", launch->kernel->base);
	row->number = launch->number;
	row->throttled = series_throttled(series);
	row->dropped = series_drops_throttled(series);
	row->bytes = bench->keys->bytes;
	row->flops = bench->keys->flops;
	if (bench->counted && !side)
		fill_counted(bench, index, row);
	TRY(series_summary(series, true, &row->host, e));
	return series_summary(series, false, &row->device, e);
}

static void fill_result(const struct bench *bench, const struct measurement *measured,
			struct bench_result *result)
{
	const struct run *ours = bench->sides[0];
	const char *against = ours->plan->bench->against;

	result->on_cpu = on_cpu(bench);
	result->warm = !bench->scratch;
	result->settled = measured->settled;
	result->max_noise = bench->keys->max_noise;
	result->rounds = measured->rounds;
	result->warmups = measured->warmups;
	result->verified = measured->verified;
	result->seconds = (double)measured->nanoseconds / 1e9;
	result->sides = measured->sides;
	result->launches = measured->launches;
	for (size_t i = 0; i < bench->side_count; i++)
		result->load[i] = (double)bench->sides[i]->load_nanoseconds;
	if (!result->on_cpu)
		bench_peak(&ours->device.info, &result->peak_bytes, &result->peak_flops);
	snprintf(result->against, sizeof(result->against), "%s", against ? against : "");
	snprintf(result->clocks_missing, sizeof(result->clocks_missing), "%s",
		 bench->read_at ? "" : *bench->clocks.missing ? bench->clocks.missing
							      : "they could not be read");
	result->slowest = bench->slowest;
	result->fastest = bench->fastest;
	result->reasons = bench->reasons;
}

static int make_result(const struct bench *bench, const struct measurement *measured,
		       const double *first_calls, struct bench_result **out, struct err *e)
{
	const size_t count = measured->sides * measured->launches;
	CLEANUP(free_pointer) struct bench_result *result =
		calloc(1, sizeof(*result) + count * sizeof(result->rows[0]));

	if (!result)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the result");
	fill_result(bench, measured, result);
	for (size_t i = 0; i < count; i++) {
		result->rows[i].first_call = first_calls[i];
		TRY(fill_timed(bench, i / measured->launches, i % measured->launches,
			     &measured->series[i], &result->rows[i], e));
	}
	if (measured->sides > 1)
		TRY(measured_ratio(measured, 0, result->max_noise, &result->ratio, e));
	*out = STEAL(result);
	return 0;
}

/* More than max-slowdown= slower for sure, not only by the estimate, is a mismatch. */
static void judge_slowdown(struct run *run, const struct bench_result *result)
{
	const double most = run->plan->bench->keys.max_slowdown;
	const struct interval *ratio = &result->ratio.interval;
	struct err e = { 0 };

	if (most < 0 || result->sides < 2 || !ratio->known || ratio->low <= 1 + most / 100)
		return;
	err_set(&e, GPURUN_OK,
		"bench: %s is slower than --against %.100s by %.2f %% (%.2f to %.2f); at most %g "
		"%% is allowed",
		result->rows[0].kernel, result->against, (ratio->median - 1) * 100,
		(ratio->low - 1) * 100, (ratio->high - 1) * 100, most);
	run_mismatch(run, &e);
}

/* ---- the whole ---- */

static int prepare_bench(struct bench *bench, struct err *e)
{
	struct run *run = bench->sides[0];

	TRY(take_left(bench, 0, e));
	if (run->plan->bench->against)
		TRY(prepare_against(bench, e));
	clocks_open(&bench->clocks, on_cpu(bench) ? "" : run->device.info.uuid);
	return place_scratch(bench, e);
}

static int finish(struct bench *bench, const struct measurement *measured,
		  const double *first_calls, struct err *e)
{
	struct run *run = bench->sides[0];

	if (measured->differs) {
		if (!run->mismatches) {
			run->mismatches = bench->sides[1]->mismatches;
			run->first_mismatch = bench->sides[1]->first_mismatch;
			message_note("that is the result of --against %.200s",
				     run->plan->bench->against);
		}
		return 0;
	}
	TRY(make_result(bench, measured, first_calls, &run->bench, e));
	judge_slowdown(run, run->bench);
	return 0;
}

static int measure_steps(struct bench *bench, struct err *e)
{
	const struct executor executor = { bench, run_side, verify_side, read_clock };
	struct run *run = bench->sides[0];
	const size_t count = bench->side_count * bench->launches;
	CLEANUP(measured_release) struct measurement measured = { 0 };
	CLEANUP(free_pointer) double *first_calls = calloc(count, sizeof(*first_calls));
	size_t first;

	if (!first_calls)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the samples");
	for (size_t i = 0; i < count; i++) {
		const struct run *of = bench->sides[i / bench->launches];
		size_t step;

		launch_at(of->plan, i % bench->launches, &step);
		first_calls[i] = (double)of->steps[step].call_nanoseconds;
	}
	launch_at(run->plan, 0, &first);
	progress_begin(PROGRESS_TIME, run->plan->steps[first].launch.kernel->base, 0, 0);
	TRY(measure(&executor, bench->keys, bench->side_count, bench->launches, run->plan->seed,
		    deadline_of(run), &measured, e));
	progress_end();
	return finish(bench, &measured, first_calls, e);
}

/* Before anything is measured: what cannot be counted fails at once. */
static int count_work(struct bench *bench, struct err *e)
{
	const struct plan *plan = bench->sides[0]->plan;
	char text[COUNTS_TEXT];

	bench->launches = count_steps(plan, ACTION_LAUNCH);
	if (!bench->keys->count)
		return 0;
	bench->counted = calloc(bench->launches + 1, sizeof(*bench->counted));
	if (!bench->counted)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for what is counted");
	message_verbose("the CPU device counts bytes and operations");
	TRY(count_launches(plan->options, bench->counted, bench->launches, e));
	for (size_t i = 0; i < bench->launches; i++)
		message_verbose("launch %zu: counted %s", i + 1,
				counts_text(&bench->counted[i], text));
	return 0;
}

static int end_bench(struct bench *bench, struct err *e)
{
	if (bench->scratch)
		TRY(CALL(gpurun_memory_free(bench->scratch), e));
	return bench->side_count > 1 ? release_run(bench->sides[1], e) : 0;
}

int bench_steps(struct run *run, struct err *e)
{
	CLEANUP(release_bench) struct bench bench = { .sides = { run }, .side_count = 1,
						.keys = &run->plan->bench->keys };

	TRY(count_work(&bench, e));
	TRY(saved_take(run, e));
	TRY(execute_once(run, e));
	if (run->mismatches)
		return 0;
	TRY(prepare_bench(&bench, e));
	if (!run->mismatches)
		TRY(measure_steps(&bench, e));
	run->again = false;
	run->bench_failed = run->mismatches;
	return end_bench(&bench, e);
}
