/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Times as --timeout and GPURUN_TIMEOUT have them. */
#include "duration.h"

#include "tap.h"

/* promise: Kill the run after TIME */
static void test_read(void)
{
	static const struct {
		const char *text;
		uint64_t nanoseconds;
	} rows[] = {
		{ "90", 90000000000 },
		{ "90s", 90000000000 },
		{ "1.5", 1500000000 },
		{ "0.25s", 250000000 },
		{ "500ms", 500000000 },
		{ "0.5ms", 500000 },
		{ "9ms", 9000000 },
		{ "1e3ms", 1000000000 },
		{ "5m", 300000000000 },
		{ "1.5h", 5400000000000 },
		{ "1e-9", 1 },
		{ "1e-12", 1 },
		{ "0x10", 16000000000 },
		{ "999999999", 999999999000000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = { 0 };
		uint64_t nanoseconds = 0;

		CHECK_INT(duration_parse("--timeout", rows[i].text, &nanoseconds, &e), 0);
		if (!CHECK_INT(nanoseconds, rows[i].nanoseconds))
			printf("# %s: %s\n", rows[i].text, e.text);
	}
}

static void test_refused(void)
{
	static const char *const rows[] = {
		"",    "0",   "0s",	"-1",	"+1",	" 1",	"s",   "ms",  "x",
		"1x",  "1 s", "1ss",	"1sm",	"1min", "1us",	"1ns", "1S",  "1MS",
		"inf", "nan", "1,5",	".5",	"1e999", "300000h", "1000000000",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = { 0 };
		uint64_t nanoseconds = 7;
		char text[64];

		if (!CHECK_INT(duration_parse("GPURUN_TIMEOUT", rows[i], &nanoseconds, &e),
			       GPURUN_INVALID))
			printf("# %s\n", rows[i]);
		snprintf(text, sizeof(text), "GPURUN_TIMEOUT %s: not a time", rows[i]);
		CHECK_STR(e.text, text);
		CHECK_HAS(e.hint, "500ms, 90s, 5m, 1.5h");
		CHECK_INT(nanoseconds, 7);
	}
}

int main(void)
{
	RUN(test_read);
	RUN(test_refused);
	return tap_end();
}
