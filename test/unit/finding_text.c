/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the CPU device prints of faults and findings, and what only looks like it. */
#include "finding_text.h"

#include <string.h>

#include "tap.h"

static struct finding_text read_text(const char *text)
{
	struct finding_text out;

	finding_text_read((struct bytes){ (const uint8_t *)text, strlen(text) }, &out);
	return out;
}

static bool is(struct bytes bytes, const char *text)
{
	return bytes.size == strlen(text) && !memcmp(bytes.data, text, bytes.size);
}

#define PLACE "\n  kernel k, block (1,2,3), thread (4,5,6) and 3 more of its warp"
#define LINE "\n  PTX line 12: st.global.u32 [%rd1], %r1;"

static void test_fault(void)
{
	struct finding_text out = read_text(
		"illegal address: write of 4 bytes at 0x7f0000000080: 0 bytes behind the 64 "
		"bytes" PLACE LINE "\n  source a:b.cu:77\n  inlined at c.cu:5\n"
		"  grid (1,1,1) of blocks (32,1,1)");

	CHECK(!out.check);
	CHECK_STR(out.kind, "illegal-address");
	CHECK_STR(out.access, "write");
	CHECK_INT(out.size, 4);
	CHECK(out.has_address && !out.shared);
	CHECK_INT(out.address, 0x7f0000000080);
	CHECK(is(out.kernel, "k"));
	CHECK_INT(out.block[0] * 100 + out.block[1] * 10 + out.block[2], 123);
	CHECK_INT(out.thread[0] * 100 + out.thread[1] * 10 + out.thread[2], 456);
	CHECK_INT(out.line, 12);
	CHECK(is(out.file, "a:b.cu"));
	CHECK_INT(out.source_line, 77);
}

static void test_findings(void)
{
	struct finding_text out = read_text("race: atomic operation of 8 bytes at 0x10 of shared "
					    "memory, which thread (1,0,0) wrote" PLACE LINE);

	CHECK_STR(out.check, "race");
	CHECK_STR(out.kind, "race");
	CHECK_STR(out.access, "atomic");
	CHECK(out.shared && out.address == 16);
	CHECK(!out.file.size && !out.source_line);
	CHECK(!memcmp(out.what.data, "atomic", 6));
	out = read_text("mem: misaligned address: read of 16 bytes at 0x8");
	CHECK_STR(out.check, "mem");
	CHECK_STR(out.kind, "misaligned-address");
	CHECK_STR(out.access, "read");
	CHECK(!out.kernel.size);
	out = read_text("mem: write of 4 bytes at 0x80: a constant");
	CHECK_STR(out.kind, "constant-write");
	out = read_text("init: read of 4 bytes that nobody has written at 0x20");
	CHECK_STR(out.kind, "uninitialised");
	CHECK_INT(out.address, 32);
	out = read_text("leak: 64 bytes at 0x100, from cuMemAlloc, allocation 3, are never freed");
	CHECK_STR(out.kind, "leak");
	CHECK(!out.access && out.address == 256);
	out = read_text("sync: deadlock: 3 threads of the block wait" PLACE);
	CHECK_STR(out.kind, "deadlock");
	CHECK(!out.has_address && !out.line && is(out.kernel, "k"));
	out = read_text("sync: lanes 0x3 are not in their own member mask" PLACE);
	CHECK_STR(out.kind, "sync");
	CHECK(!out.has_address);
}

/* Each is read as far as it is what the device prints. */
static void test_others(void)
{
	struct finding_text out = read_text("");

	CHECK(!out.check && !out.kind && !out.what.size && !out.kernel.size);
	out = read_text("and 7 more");
	CHECK(!out.check && !out.kind && is(out.what, "and 7 more"));
	out = read_text("mems: write of 4 bytes at 0x");
	CHECK(!out.check && !out.has_address);
	out = read_text("write of 99999999999999999999 bytes at 0x11112222333344445");
	CHECK(!out.access && !out.has_address);
	out = read_text("trap instruction\n  kernel , block (0,0,0), thread (0,0,0)");
	CHECK_STR(out.kind, "trap");
	CHECK(!out.kernel.size);
	out = read_text("trap instruction\n  kernel k, block (0,0,4294967296), thread (0,0,0)");
	CHECK(!out.kernel.size && !out.block[0]);
	/* What a source's name brings along is not taken for another line. */
	out = read_text("trap instruction\n  source fake.cu:1" PLACE LINE "\n  source a.cu:2");
	CHECK(!out.kernel.size && !out.file.size);
	out = read_text("trap instruction" PLACE LINE "\n  source a.cu:2x");
	CHECK(out.line == 12 && !out.file.size);
	out = read_text("trap instruction" PLACE LINE "\n  source :2");
	CHECK(!out.file.size && !out.source_line);
	out = read_text("trap instruction" PLACE LINE "\n  source a.cu:");
	CHECK(!out.file.size);
}

int main(void)
{
	RUN(test_fault);
	RUN(test_findings);
	RUN(test_others);
	return tap_end();
}
