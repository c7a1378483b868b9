/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench_print.h"

#include <stdio.h>

#include "message.h"
#include "output.h"

const char *bench_time(double nanoseconds, char text[QUANTITY_TEXT_SIZE])
{
	static const struct {
		const char *name;
		double length;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	size_t i = 0;

	while (i < 3 && nanoseconds < units[i].length)
		i++;
	snprintf(text, QUANTITY_TEXT_SIZE, "%.4g %s", nanoseconds / units[i].length, units[i].name);
	return text;
}

const char *bench_rate(double amount, const char *unit, char text[QUANTITY_TEXT_SIZE])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	size_t i = 0;

	for (; amount >= 1000 && i < 5; i++)
		amount /= 1000;
	snprintf(text, QUANTITY_TEXT_SIZE, "%.3g %s%s", amount, prefixes[i], unit);
	return text;
}

/* ---- one launch ---- */

static void print_times(const struct bench_result *result, const struct bench_row *row)
{
	const struct summary *device = &row->device;
	char median[QUANTITY_TEXT_SIZE], low[QUANTITY_TEXT_SIZE], high[QUANTITY_TEXT_SIZE];

	output_text("%s, %s: median %s, ", row->kernel, result->warm ? "warm" : "cold",
		    bench_time(device->median.median, median));
	bench_time(device->median.low, low);
	bench_time(device->median.high, high);
	if (device->median.known)
		output_text("95 %% interval %s to %s (%.2g %%), %zu runs\n", low, high,
			    statistics_noise(&device->median), device->count);
	else
		output_text("all between %s and %s, %zu runs\n", low, high, device->count);
	output_text("  quartiles %s and %s, ", bench_time(device->first_quartile, low),
		    bench_time(device->third_quartile, high));
	output_text("least %s, ", bench_time(device->least, low));
	output_text("95th percentile %s\n", bench_time(device->p95, low));
}

/* How much of @peak, if that is known. */
static void print_share(double amount, double peak, const char *of)
{
	if (peak > 0)
		output_text(" (%.3g %% of the device's %s)", amount / peak * 100, of);
}

static void print_rates(const struct bench_result *result, const struct bench_row *row)
{
	const double seconds = row->device.median.median / 1e9;
	const double bytes = (double)row->bytes / seconds, flops = (double)row->flops / seconds;
	char text[QUANTITY_TEXT_SIZE], peak[QUANTITY_TEXT_SIZE];

	if ((!row->bytes && !row->flops) || !(seconds > 0))
		return;
	output_text("  ");
	if (row->bytes) {
		output_text("%s", bench_rate(bytes, "B/s", text));
		print_share(bytes, result->peak_bytes, bench_rate(result->peak_bytes, "B/s", peak));
	}
	if (row->flops) {
		output_text("%s%s", row->bytes ? ", " : "", bench_rate(flops, "FLOP/s", text));
		print_share(flops, result->peak_flops,
			    bench_rate(result->peak_flops, "FLOP/s in f32", peak));
	}
	output_text("\n");
}

static void print_host(const struct bench_result *result, const struct bench_row *row, size_t side)
{
	char call[QUANTITY_TEXT_SIZE], first[QUANTITY_TEXT_SIZE], load[QUANTITY_TEXT_SIZE];

	output_text("  the call that launches %s, the first one %s; loading the file %s\n",
		    bench_time(row->host.median.median, call), bench_time(row->first_call, first),
		    bench_time(result->load[side], load));
	if (row->throttled)
		output_text("  slowed down in %zu runs, which %s\n", row->throttled,
			    row->dropped ? "do not count" : "are most of them, and so count");
}

static void print_paragraph(const struct bench_result *result, size_t side)
{
	const struct bench_row *row = &result->rows[side * result->launches];

	if (side)
		output_text("--against %s:\n", result->against);
	print_times(result, row);
	print_rates(result, row);
	print_host(result, row, side);
}

/* ---- several ---- */

/* A row of the table; the kernel's name, which may be long, comes last. */
static void print_row(const char *const cells[6], const char *number, const char *kernel)
{
	output_text("%-6s", number);
	for (size_t i = 0; i < 6; i++)
		output_text("  %10s", cells[i]);
	output_text("  %s\n", kernel);
}

static void print_launch_row(const struct bench_row *row)
{
	const struct summary *device = &row->device;
	char texts[6][QUANTITY_TEXT_SIZE], number[24];
	const char *const cells[6] = { texts[0], texts[1], texts[2], texts[3], texts[4], texts[5] };

	snprintf(number, sizeof(number), "%zu", row->number);
	bench_time(device->median.median, texts[0]);
	snprintf(texts[1], sizeof(texts[1]), "%.2g %%", statistics_noise(&device->median));
	bench_time(device->least, texts[2]);
	bench_time(device->p95, texts[3]);
	bench_time(row->host.median.median, texts[4]);
	snprintf(texts[5], sizeof(texts[5]), "%zu", device->count);
	print_row(cells, number, row->kernel);
}

static void print_table(const struct bench_result *result)
{
	static const char *const heads[6] = { "median", "noise", "least", "p95", "call",
					      "runs" };

	output_text("%s:\n", result->warm ? "warm" : "cold");
	print_row(heads, "launch", "kernel");
	for (size_t i = 0; i < result->launches; i++)
		print_launch_row(&result->rows[i]);
	for (size_t i = 0; i < result->launches; i++) {
		if (result->rows[i].bytes || result->rows[i].flops) {
			output_text("launch %zu:\n", result->rows[i].number);
			print_rates(result, &result->rows[i]);
		}
	}
}

/* ---- about all ---- */

static void print_ratio(const struct bench_result *result)
{
	const struct interval *ratio = &result->ratio.interval;
	const char *verdict = "no difference to be seen";

	if (!ratio->known)
		verdict = "too few runs to say more";
	else if (ratio_is_slower(&result->ratio))
		verdict = "slower";
	else if (ratio_is_faster(&result->ratio))
		verdict = "faster";
	output_text("%s takes %.4f of the time of --against %s (%.4f to %.4f): %s\n",
		    result->rows[0].kernel, ratio->median, result->against, ratio->low, ratio->high,
		    verdict);
}

static void print_clocks(const struct bench_result *result)
{
	const struct clock_reading *slowest = &result->slowest, *fastest = &result->fastest;
	char reasons[128];

	if (result->on_cpu)
		return;
	if (*result->clocks_missing) {
		output_text("clocks: not known, %s\n", result->clocks_missing);
		return;
	}
	clocks_describe(result->reasons, reasons, sizeof(reasons));
	output_text("clocks: multiprocessors %u to %u MHz, memory %u MHz; %s%s\n",
		    slowest->multiprocessor, fastest->multiprocessor, fastest->memory,
		    *reasons ? "slowed down by " : "not slowed down", reasons);
}

static void note_noise(const struct bench_result *result)
{
	char seconds[QUANTITY_TEXT_SIZE];

	if (!result->settled && result->max_noise > 0)
		message_note("after %llu runs in %s the noise is above max-noise=%g",
			     (unsigned long long)result->rounds,
			     bench_time(result->seconds * 1e9, seconds), result->max_noise);
}

int bench_print(const struct bench_result *result, struct err *e)
{
	if (result->on_cpu)
		output_text("on the CPU device: not a GPU time\n");
	if (result->launches > 1)
		print_table(result);
	for (size_t i = 0; i < result->sides && result->launches == 1; i++)
		print_paragraph(result, i);
	if (result->sides > 1)
		print_ratio(result);
	print_clocks(result);
	note_noise(result);
	return output_end(e);
}
