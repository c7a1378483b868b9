/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench_print.h"
#include "counts.h"

static void report_interval(struct json *json, const char *key, const struct interval *interval)
{
	if (!interval->known) {
		json_string(json, key, NULL);
		return;
	}
	json_array(json, key);
	json_double(json, NULL, interval->low);
	json_double(json, NULL, interval->high);
	json_end_array(json);
}

static void report_summary(struct json *json, const struct summary *summary)
{
	json_double(json, "median_ns", summary->median.median);
	report_interval(json, "interval_ns", &summary->median);
	json_array(json, "quartiles_ns");
	json_double(json, NULL, summary->first_quartile);
	json_double(json, NULL, summary->third_quartile);
	json_end_array(json);
	json_double(json, "least_ns", summary->least);
	json_double(json, "p95_ns", summary->p95);
	json_double(json, "noise_percent", statistics_noise(&summary->median));
}

/* A rate, and what it is of the most that the device can; null where that is not known. */
static void report_rate(struct json *json, const char *rate, const char *share, double amount,
			const struct bench_row *row, double peak)
{
	const double per_second = amount / (row->device.median.median / 1e9);

	if (!(amount > 0) || !(row->device.median.median > 0))
		return;
	json_double(json, rate, per_second);
	if (peak > 0)
		json_double(json, share, per_second / peak * 100);
	else
		json_string(json, share, NULL);
}

static void report_row(struct json *json, const struct bench_result *result, size_t index)
{
	const struct bench_row *row = &result->rows[index];

	json_object(json, NULL);
	json_unsigned(json, "launch", row->number);
	json_string(json, "kernel", row->kernel);
	json_bool(json, "against", index >= result->launches);
	json_unsigned(json, "samples", row->device.count);
	report_summary(json, &row->device);
	json_double(json, "call_ns", row->host.median.median);
	json_double(json, "first_call_ns", row->first_call);
	json_double(json, "load_ns", result->load[index / result->launches]);
	json_unsigned(json, "throttled", row->throttled);
	json_bool(json, "throttled_dropped", row->dropped);
	if (row->bytes)
		json_unsigned(json, "bytes", row->bytes);
	if (row->flops)
		json_unsigned(json, "flops", row->flops);
	report_rate(json, "bytes_per_second", "bytes_percent", (double)row->bytes, row,
		    result->peak_bytes);
	report_rate(json, "flops_per_second", "flops_percent", (double)row->flops, row,
		    result->peak_flops);
	if (row->has_counted)
		counts_report(json, &row->counted);
	json_end_object(json);
}

static void report_clocks(struct json *json, const struct bench_result *result)
{
	char reasons[128];

	if (result->on_cpu)
		return;
	if (*result->clocks_missing) {
		json_string(json, "clocks", NULL);
		return;
	}
	json_object(json, "clocks");
	json_array(json, "multiprocessor_mhz");
	json_unsigned(json, NULL, result->slowest.multiprocessor);
	json_unsigned(json, NULL, result->fastest.multiprocessor);
	json_end_array(json);
	json_unsigned(json, "memory_mhz", result->fastest.memory);
	json_string(json, "slowed_by", clocks_describe(result->reasons, reasons, sizeof(reasons)));
	json_end_object(json);
}

static void report_ratio(struct json *json, const struct bench_result *result)
{
	if (result->sides < 2)
		return;
	json_object(json, "against");
	json_string(json, "file", result->against);
	json_double(json, "ratio", result->ratio.interval.median);
	report_interval(json, "interval", &result->ratio.interval);
	json_double(json, "margin", result->ratio.margin);
	json_bool(json, "slower", ratio_is_slower(&result->ratio));
	json_bool(json, "faster", ratio_is_faster(&result->ratio));
	json_end_object(json);
}

void bench_report(const struct bench_result *result, struct json *json)
{
	json_object(json, "bench");
	json_bool(json, "gpu_time", !result->on_cpu);
	json_string(json, "caches", result->warm ? "warm" : "cold");
	json_unsigned(json, "runs", result->rounds);
	json_unsigned(json, "warmups", result->warmups);
	json_unsigned(json, "compared", result->verified);
	json_double(json, "seconds", result->seconds);
	json_bool(json, "settled", result->settled);
	json_double(json, "max_noise_percent", result->max_noise);
	report_clocks(json, result);
	report_ratio(json, result);
	json_array(json, "launches");
	for (size_t i = 0; i < result->sides * result->launches; i++)
		report_row(json, result, i);
	json_end_array(json);
	json_end_object(json);
}
