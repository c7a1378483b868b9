/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "report_format.h"
#include "tap.h"

static struct gpurun_report whole(void)
{
	struct gpurun_report report = report_none();

	report.event = GPURUN_REPORT_FINDING;
	report.kind = report_kind_name(KIND_RACE);
	report.check = "race";
	report.what = "write of 4 bytes at 0x80";
	report.kernel = "sum";
	report.has_thread = 1;
	report.thread[0] = 32;
	report.more_lanes = 3;
	report.ptx_line = 7;
	report.instruction = "st.shared.u32 [%r5], %r2;";
	report.file = "a:b.cu";
	report.source_line = 12;
	report.inlined = "b.cu:3\nc.cu:4";
	report.grid[0] = report.grid[1] = report.grid[2] = 2;
	report.block_size[0] = 64;
	report.block_size[1] = report.block_size[2] = 1;
	report.count = 5;
	report.has_address = 1;
	report.address = 0x80;
	report.other = "thread (31,0,0)";
	report.other_access = "read";
	return report;
}

#define WHOLE                                                                               \
	"race: write of 4 bytes at 0x80\n"                                                  \
	"  kernel sum, block (0,0,0), thread (32,0,0) and 3 more of its warp\n"             \
	"  PTX line 7: st.shared.u32 [%r5], %r2;\n"                                         \
	"  source a:b.cu:12\n"                                                              \
	"  inlined at b.cu:3\n"                                                             \
	"  inlined at c.cu:4\n"                                                             \
	"  grid (2,2,2) of blocks (64,1,1)\n"                                               \
	"  5 times in all"

static void test_text(void)
{
	struct gpurun_report report = whole();
	char text[REPORT_MOST], small[20];

	report_format(&report, text, sizeof(text));
	CHECK_STR(text, WHOLE);
	report_format(&report, small, sizeof(small));
	CHECK_STR(small, "race: write of 4 by");
	report = report_none();
	report_format(&report, text, sizeof(text));
	CHECK_STR(text, "");
	report.what = "a fault";
	report.kernel = "k";
	report.count = 1;
	report_format(&report, text, sizeof(text));
	CHECK_STR(text, "a fault\n  kernel k\n  grid (0,0,0) of blocks (0,0,0)");
	report.kernel = "_ZN4math4axpbIfEEvPT_S1_S1_i"; /* as people write it, without parameters */
	report_format(&report, text, sizeof(text));
	CHECK_STR(text, "a fault\n  kernel math::axpb<float>\n  grid (0,0,0) of blocks (0,0,0)");
}

/* What is unpacked is what was packed, from records one after the other too. */
static void test_records(void)
{
	static char records[2 * REPORT_MOST];
	struct gpurun_report report = whole(), read;
	char text[REPORT_MOST];
	size_t size = report_pack(&report, records, REPORT_MOST), second;
	struct bytes all = { (const uint8_t *)records, 0 };

	second = report_pack(&report, records + size, REPORT_MOST);
	CHECK_INT(second, size);
	all.size = size + second;
	CHECK_INT(report_unpack(all, &read), size);
	report_format(&read, text, sizeof(text));
	CHECK_STR(text, WHOLE);
	CHECK_STR(read.kind, "race");
	CHECK_STR(read.other_access, "read");
	CHECK_INT(read.address, 0x80);
	all = (struct bytes){ all.data + size, second };
	CHECK_INT(report_unpack(all, &read), size);
	all.size--;
	CHECK_INT(report_unpack(all, &read), 0);
	CHECK_INT(read.event, GPURUN_REPORT_NONE);
	CHECK_STR(read.what, "");
}

/* Strings that are too long are cut, and none is lost for another. */
static void test_long(void)
{
	static char record[REPORT_MOST];
	struct gpurun_report report = whole(), read;
	char *name = malloc(3 * REPORT_MOST + 1);

	memset(name, 'x', 3 * REPORT_MOST);
	name[3 * REPORT_MOST] = '\0';
	report.kernel = name;
	CHECK_INT(report_pack(&report, record, sizeof(record)), sizeof(record));
	CHECK_INT(report_unpack((struct bytes){ (const uint8_t *)record, sizeof(record) }, &read),
		  sizeof(record));
	CHECK_STR(read.file, "a:b.cu");
	CHECK(strlen(read.kernel) > REPORT_MOST / 2);
	CHECK_STR(read.inlined, "");
	report_pack(&report, record, REPORT_LEAST);
	CHECK(report_unpack((struct bytes){ (const uint8_t *)record, REPORT_LEAST }, &read));
	CHECK_STR(read.what, "write of 4 bytes at 0x80");
	free(name);
}

/* Each string is a part of a line, and has no other effect on a terminal. */
static void test_unprintable(void)
{
	struct gpurun_report report = whole();
	char text[REPORT_MOST], small[40];

	report.check = "r\x1b";
	report.what = "w\n";
	report.kernel = "k\xe2\x80\xae";
	report.instruction = "i\x9b";
	report.file = "f\r";
	report.inlined = "b\x07:3\nc\x7f:4";
	report_format(&report, text, sizeof(text));
	CHECK_STR(text, "r\\x1b: w\\x0a\n"
			"  kernel k\\u202e, block (0,0,0), thread (32,0,0) and 3 more of its warp\n"
			"  PTX line 7: i\\x9b\n"
			"  source f\\x0d:12\n"
			"  inlined at b\\x07:3\n"
			"  inlined at c\\x7f:4\n"
			"  grid (2,2,2) of blocks (64,1,1)\n"
			"  5 times in all");
	/* No escape is cut. */
	for (size_t room = 1; room <= sizeof(small); room++) {
		report_format(&report, small, room);
		CHECK(!strncmp(small, text, strlen(small)));
		CHECK(strlen(small) < room);
		CHECK(!*small || small[strlen(small) - 1] != '\\');
	}
}

static void test_kinds(void)
{
	CHECK_INT(report_kind_of(700), KIND_ILLEGAL_ADDRESS);
	CHECK_INT(report_kind_of(719), KIND_LAUNCH_FAILED);
	CHECK_INT(report_kind_of(0), KIND_OTHER);
	CHECK_INT(report_kind_of(999), KIND_OTHER);
	CHECK_INT(report_kind_error(KIND_TRAP), 719);
	for (int i = 0; i < REPORT_KINDS; i++)
		for (int k = 0; k < i; k++)
			CHECK(strcmp(report_kind_name((enum report_kind)i),
				     report_kind_name((enum report_kind)k)) != 0);
}

static void test_copies(void)
{
	struct gpurun_report report = whole(), read;
	void *copy = report_copy(&report);

	CHECK(report_read(copy, &read));
	CHECK_STR(read.instruction, "st.shared.u32 [%r5], %r2;");
	CHECK(!report_read(NULL, &read));
	CHECK_STR(read.kind, "");
	free(copy);
}

int main(void)
{
	RUN(test_text);
	RUN(test_records);
	RUN(test_long);
	RUN(test_kinds);
	RUN(test_copies);
	RUN(test_unprintable);
	return tap_end();
}
