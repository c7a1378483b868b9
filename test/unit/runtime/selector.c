/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "selector.h"

#include "tap.h"

/* promise: auto (default): a GPU */
static void test_good(void)
{
	struct selector s;
	struct err e;

	CHECK_INT(selector_parse("auto", &s, &e), 0);
	CHECK(s.kind == SELECT_AUTO && s.ordinal == -1);
	CHECK_INT(selector_parse("gpu", &s, &e), 0);
	CHECK(s.kind == SELECT_GPU && s.ordinal == -1 && !s.uuid[0]);
	CHECK_INT(selector_parse("gpu:12", &s, &e), 0);
	CHECK_INT(s.ordinal, 12);
	CHECK_INT(selector_parse("gpu:GPU-Ab12cd", &s, &e), 0);
	CHECK_STR(s.uuid, "ab12cd");
	CHECK_INT(s.ordinal, -1);
	/* The first group of a UUID may be all digits. */
	CHECK_INT(selector_parse("gpu:12345678", &s, &e), 0);
	CHECK_STR(s.uuid, "12345678");
	CHECK_INT(selector_parse("gpu:0000:1A:00.0", &s, &e), 0);
	CHECK_STR(s.pci, "0000:1A:00.0");
	CHECK(s.ordinal == -1 && !s.uuid[0]);
	CHECK_INT(selector_parse("cpu", &s, &e), 0);
	CHECK(s.kind == SELECT_CPU && !s.options[0]);
	CHECK_INT(selector_parse("cpu:threads=2,cc=9.0", &s, &e), 0);
	CHECK_STR(s.options, "threads=2,cc=9.0");
}

static void test_bad(void)
{
	static const char *const texts[] = { "", "GPU", "gpux", "gpu:", "gpu:-1", "gpu:GPU-",
					     "gpu:1.5", "gpu:12-xy", "cpu:", "cpu:threads",
					     "cpux", "auto:1", "rocm", "gpu:x:1",
					     "gpu:00000000000000000000000:1" };
	char longest[1024];
	struct selector s;
	struct err e;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!CHECK_INT(selector_parse(texts[i], &s, &e), GPURUN_INVALID))
			printf("#   for '%s'\n", texts[i]);
		CHECK_HAS(e.text, "bad device selector");
		CHECK(e.hint[0] != '\0');
	}
	snprintf(longest, sizeof(longest), "cpu:x=%01000d", 1);
	CHECK_INT(selector_parse(longest, &s, &e), GPURUN_INVALID);
	memcpy(longest, "gpu:", 4);
	memset(longest + 4, 'a', sizeof(longest) - 5);
	longest[sizeof(longest) - 1] = '\0';
	CHECK_INT(selector_parse(longest, &s, &e), GPURUN_INVALID);
}

/* met: an option, a type, a value or a device as other tools have them got a list, or a hint that led astray */
static void test_hints(void)
{
	static const char *const rows[][2] = {
		{ "0", "did you mean gpu:0?" },	     { "gpu1", "did you mean gpu:1?" },
		{ "cuda:2", "did you mean gpu:2?" }, { "GPU:3", "did you mean gpu:3?" },
		{ "cuda", "did you mean gpu?" },     { "GPU", "did you mean gpu?" },
		{ "CPU", "did you mean cpu?" },	     { "host", "did you mean cpu?" },
		{ "cpu,cc=8.0", "did you mean cpu:cc=8.0?" },
		{ "rocm", "a selector is auto, gpu, gpu:N, gpu:UUID, gpu:PCI, cpu or "
			  "cpu:key=value,..." },
		{ "", "a selector is auto, gpu, gpu:N, gpu:UUID, gpu:PCI, cpu or "
		      "cpu:key=value,..." },
	};
	struct selector s;
	struct err e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_INT(selector_parse(rows[i][0], &s, &e), GPURUN_INVALID);
		CHECK_STR(e.hint, rows[i][1]);
		CHECK(selector_parse(rows[i][0], &s, NULL));
	}
}

static bool agrees(const char *wanted, const char *current, bool cpu, int ordinal)
{
	struct selector a, b;

	return !selector_parse(wanted, &a, NULL) && !selector_parse(current, &b, NULL) &&
	       selector_agrees(&a, &b, cpu, ordinal);
}

static void test_agrees(void)
{
	CHECK(agrees("auto", "gpu:1", false, 1));
	CHECK(agrees("auto", "cpu", true, 0));
	CHECK(agrees("gpu", "auto", false, 0));
	CHECK(agrees("cpu", "auto", true, 0));
	CHECK(!agrees("gpu", "auto", true, 0));
	CHECK(!agrees("cpu", "gpu", false, 0));
	CHECK(agrees("gpu:1", "gpu:1", false, 1));
	CHECK(!agrees("gpu:0", "gpu:1", false, 1));
	CHECK(agrees("cpu", "cpu:threads=2", true, 0));
	CHECK(!agrees("cpu:threads=3", "cpu:threads=2", true, 0));
	CHECK(agrees("cpu:threads=2", "cpu:threads=2", true, 0));
	CHECK(!agrees("gpu:ab", "gpu:cd", false, 0));
	CHECK(agrees("gpu:ab", "gpu:ab", false, 0));
	CHECK(agrees("gpu", "gpu:ab", false, 0));
}

int main(void)
{
	RUN(test_good);
	RUN(test_bad);
	RUN(test_hints);
	RUN(test_agrees);
	return tap_end();
}
