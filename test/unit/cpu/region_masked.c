/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads and stores under predicates that only some lanes have, in compiled kernels. */
#include "region_ways.h"

/* Predicates that no lane has, one, some, or all; then that of warps after the first. */
static const char *const some_lanes[] = {
	"setp.eq.u32 %p, %t, 5000;", "setp.eq.u32 %p, %t, 37;", "setp.lt.u32 %p, %a, 0x30000000;",
	"setp.lt.u32 %p, %t, 5000;", "setp.lt.u32 %p, %t, 35;",
};

/* Loads and stores of @type by @reg under each predicate; @step computes how far they are from the
 * begin. */
static void run_masked(const char *type, const char *reg, const char *step)
{
	char body[1024], name[256];

	for (unsigned i = 0; i < 2 * sizeof(some_lanes) / sizeof(some_lanes[0]); i++) {
		const char *unless = i % 2 ? "!" : "";

		snprintf(name, sizeof(name), "load %s, %s %s%s", type, step, unless,
			 some_lanes[i / 2]);
		snprintf(body, sizeof(body),
			 ".reg .b64 %%at, %%step;.reg .b32 %%m;"
			 "%s %s add.u64 %%at, %%step, %%in;mov.u64 %%long, 77;mov.u32 %%c, 78;"
			 "mov.b32 %%f, %%a;add.f32 %%h, %%f, 0f3f800000;"
			 "@%s%%p ld.global.%s %s, [%%at+8];cvt.u32.u64 %%b, %%long;"
			 "xor.b32 %%c, %%c, %%b;mov.b32 %%b, %%h;xor.b32 %%c, %%c, %%b;%s",
			 some_lanes[i / 2], step, unless, type, reg, END);
		run_ways(name, body, (uint32_t[]){ 64, 1, 1 }, 3);
		run_ways(name, body, (uint32_t[]){ 16, 16, 1 }, 3);
		snprintf(name, sizeof(name), "store %s, %s %s%s", type, step, unless,
			 some_lanes[i / 2]);
		snprintf(body, sizeof(body),
			 ".reg .b64 %%at, %%step;.reg .b32 %%m;"
			 "%s %s add.u64 %%at, %%step, %%out;"
			 "mov.u32 %%c, %%a;mov.b64 %%long, {%%a, %%t};mov.b32 %%f, %%a;"
			 "add.f32 %%h, %%f, 0f3f800000;"
			 "@%s%%p st.global.%s [%%at+4104], %s;%s",
			 some_lanes[i / 2], step, unless, type, reg, END);
		run_ways(name, body, (uint32_t[]){ 64, 1, 1 }, 3);
		run_ways(name, body, (uint32_t[]){ 16, 16, 1 }, 3);
	}
}

static void test_masked(void)
{
	static const char *const steps[] = {
		"mul.wide.u32 %step, %i, 8;", /* one number and constants */
		"mul.wide.u32 %step, %y, 8;", /* one number */
		("and.b32 %m, %a, 3;xor.b32 %m, %m, %t;mad.lo.u32 %m, %y, 256, %m;"
		 "mul.wide.u32 %step, %m, 8;"),
		/* no memory where the predicate is false, or true */
		"mul.wide.u32 %step, %i, 8;selp.b64 %step, %step, 0xffffffffffff, %p;",
	};
	static const struct {
		const char *type, *reg;
	} types[] = { { "u8", "%c" }, { "s16", "%c" }, { "b32", "%c" }, { "f32", "%h" },
		      { "b64", "%long" } };

	for (unsigned t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			run_masked(types[t].type, types[t].reg, steps[i]);
}

/* Shared memory, whose addresses wrap around; what several instructions do under one predicate, on
 * both sides; a result that wraps around in one of them. */
static void test_masked_sides(void)
{
#define AT "shl.b32 %b, %t, 2;mov.u32 %j, s;add.u32 %j, %j, %b;st.shared.u32 [%j], %a;bar.sync 0;"
	run_shapes("scan", AT
		   "mov.u32 %k, 1;\n"
		   "L: mov.u32 %c, 0;setp.lt.u32 %p, %t, %k;@%p bra M;\n"
		   "sub.u32 %c, %t, %k;shl.b32 %c, %c, 2;mov.u32 %b, s;add.u32 %b, %b, %c;"
		   "ld.shared.u32 %c, [%b];\n"
		   "M: bar.sync 0;ld.shared.u32 %b, [%j];add.u32 %c, %c, %b;"
		   "st.shared.u32 [%j], %c;bar.sync 0;shl.b32 %k, %k, 1;"
		   "setp.lt.u32 %q, %k, 64;@%q bra L;\n" END);
	run_shapes("scattered", AT
		   "and.b32 %k, %a, 63;shl.b32 %k, %k, 2;setp.gt.u32 %p, %a, 0x40000000;"
		   "mov.u32 %c, 5;@%p ld.shared.u32 %c, [%k+64];bar.sync 0;"
		   "@!%p st.shared.u32 [%k+64], %t;bar.sync 0;ld.shared.u32 %b, [%j+64];"
		   "xor.b32 %c, %c, %b;" END);
	run_shapes("sides that access",
		   "setp.gt.u32 %p, %a, 0x40000000;mov.u32 %c, 1;@%p bra L;\n"
		   "ld.global.u32 %b, [%from+8];add.u32 %c, %b, %t;st.global.u32 [%to+8192], %c;"
		   "xor.b32 %c, %c, %b;bra M;\n"
		   "L: mul.lo.u32 %b, %a, 3;st.global.u32 [%to+8192], %b;"
		   "ld.global.u32 %c, [%from+12];add.u32 %c, %c, %b;\nM:" END);
	run_shapes("wraps inside",
		   ".reg .b64 %v, %w;.reg .b32 %m;add.u32 %m, %t, 0xffffffe0;"
		   "setp.gt.u32 %p, %a, 0x40000000;mov.u32 %c, 1;"
		   "mov.u32 %j, 0;\n"
		   "L: setp.gt.u32 %p, %a, %c;@%p bra M;\n"
		   "mul.wide.u32 %w, %m, 4;shr.u64 %v, %w, 30;cvt.u32.u64 %b, %v;"
		   "add.u32 %c, %c, %b;ld.global.u32 %b, [%from];xor.b32 %c, %c, %b;\n"
		   "M: add.u32 %c, %c, 1;add.u32 %m, %m, 9;add.u32 %j, %j, 1;"
		   "setp.lt.u32 %q, %j, 9;@%q bra L;\n" END);
	/* The same where no lane is there: its instructions are not executed at all. */
	run_shapes("wraps nowhere",
		   ".reg .b64 %v, %w;.reg .b32 %m;add.u32 %m, %t, 0xffffffe0;mov.u32 %c, 1;"
		   "mov.u32 %j, 0;mov.u64 %in, 64;\n"
		   "L: setp.ne.u32 %p, %t, 5000;@%p bra M;\n"
		   "mul.wide.u32 %v, %m, 4;shr.u64 %w, %v, 30;cvt.u32.u64 %b, %w;"
		   "add.u32 %c, %c, %b;ld.global.u32 %b, [%in];xor.b32 %c, %c, %b;\n"
		   "M: add.u32 %c, %c, 1;add.u32 %m, %m, 9;add.u32 %j, %j, 1;"
		   "setp.lt.u32 %q, %j, 9;@%q bra L;\n" END);
#undef AT
}

/* What only lanes without the predicate cannot reach, and what lanes with it cannot. */
static void test_faults(void)
{
	char body[512];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(body, sizeof(body),
			 "and.b32 %%b, %%t, 7;setp.eq.u32 %%p, %%b, 6;"
			 "selp.b64 %%wide, 64, %%from, %%p;"
			 "mov.u32 %%c, 3;@%s%%p ld.global.u32 %%c, [%%wide];"
			 "@%s%%p st.global.u32 [%%to+8192], %%c;%s", i ? "" : "!", i ? "" : "!",
			 END);
		run_shapes("guarded", body);
		snprintf(body, sizeof(body),
			 "and.b32 %%b, %%t, 7;setp.eq.u32 %%p, %%b, 6;add.u64 %%wide, %%from, 2;"
			 "mov.u32 %%c, 3;@%s%%p st.global.u32 [%%to+8192], %%t;"
			 "@%s%%p st.global.u32 [%%wide], %%c;@!%%p add.u32 %%c, %%c, 1;%s",
			 i ? "" : "!", i ? "" : "!", END);
		run_shapes("misaligned and guarded", body);
		snprintf(body, sizeof(body),
			 "mov.u32 %%j, s;mul.lo.u32 %%b, %%t, 1028;add.u32 %%j, %%j, %%b;"
			 "setp.lt.u32 %%p, %%t, %u;mov.u32 %%c, 3;@%%p st.shared.u32 [%%j], %%t;"
			 "@%%p ld.shared.u32 %%c, [%%j];%s", i ? 6 : 3, END);
		run_shapes("shared and guarded", body);
	}
}

/* What has its predicate written, or is left at, on its way. */
static void test_written(void)
{
	run_shapes("written inside",
		   "setp.lt.u32 %p, %a, 0x40000000;mov.u32 %c, 5;@%p setp.gt.u32 %p|%q, %t, 7;"
		   "@%p ld.global.u32 %c, [%from];selp.u32 %b, 100, 0, %q;add.u32 %c, %c, %b;" END);
	run_shapes("left between",
		   "setp.lt.u32 %p, %a, 0x40000000;mov.u32 %c, 5;@!%p add.u32 %c, %c, %t;"
		   "@%p st.global.u32 [%to+8192], %a;@%p div.u32 %c, %a, 7;"
		   "@!%p add.u32 %c, %c, 9;@!%p atom.global.add.u32 %b, [%out+12284], 1;"
		   "@%p add.u32 %c, %c, 2;" END);
}

/* Blocks that lanes branch around, longer than what becomes a guard: what they write is needed
 * behind them, or not; they access memory that others cannot reach, fault, and call handlers. */
#define LONG_BLOCK                                                                         \
	"mul.lo.u32 %m, %t, 3;xor.b32 %m, %m, %a;shr.u32 %b, %m, 3;add.u32 %m, %m, %b;"       \
	"and.b32 %j, %m, 15;add.u32 %j, %j, %t;xor.b32 %m, %j, %m;shl.b32 %b, %m, 2;"         \
	"add.u32 %m, %m, %b;xor.b32 %m, %m, %t;shr.u32 %b, %m, 7;add.u32 %m, %m, %b;"         \
	"xor.b32 %m, %m, 5;add.u32 %m, %m, %i;shr.u32 %b, %m, 9;xor.b32 %m, %m, %b;"
static void test_converted(void)
{
	static const char *const insides[] = {
		"add.u32 %c, %m, 1;",
		"ld.global.u32 %c, [%from+8];add.u32 %c, %c, %m;",
		"st.global.u32 [%to+8192], %m;",
		"and.b32 %b, %t, 3;mul.wide.u32 %wide, %b, 4;add.u64 %wide, %wide, %from;"
		"ld.global.u32 %c, [%wide+8];setp.gt.u32 %q, %c, %a;",
		"selp.b64 %wide, 64, %from, %p;ld.global.u32 %c, [%wide];",
		"selp.b64 %wide, %from, 64, %p;ld.global.u32 %c, [%wide];",
		"setp.eq.u32 %r, %t, 21;selp.b64 %wide, 64, %to, %r;"
		"st.global.u32 [%wide+8192], %m;",
		"mov.u32 %c, 9;",
		"mov.u32 %n, 9;add.u32 %c, %n, %m;",
		"atom.global.add.u32 %b, [%out+12284], 1;add.u32 %c, %b, %c;",
		"div.u32 %c, %m, %a;"
		"st.global.v2.u16 [%to+8192], {%half, %half};add.u32 %c, %c, %m;",
		"atom.global.add.u32 %c, [%out+12284], 1;",
		"div.u32 %w, %n, 3;add.u32 %c, %m, %w;",
		/* Two allocations are reached by one access: the interpreter executes it. */
		"and.b32 %b, %t, 2;setp.eq.u32 %r, %b, 0;selp.b64 %wide, %from, %to, %r;"
		"ld.global.u32 %c, [%wide+8];add.u32 %c, %c, %m;st.global.u32 [%to+8192], %c;",
		"mul.wide.u32 %long, %k, 4;shr.u64 %long, %long, 30;cvt.u32.u64 %c, %long;",
	};
	char body[2048];

	for (unsigned i = 0; i < 2 * sizeof(insides) / sizeof(insides[0]); i++)
		for (unsigned k = 0; k < sizeof(some_lanes) / sizeof(some_lanes[0]); k++) {
			snprintf(body, sizeof(body),
				 ".reg .b32 %%m, %%w;.reg .b16 %%half;cvt.u16.u32 %%half, %%a;"
				 "mov.u32 %%c, %%t;mov.u32 %%k, %%t;setp.lt.u32 %%q, %%a, %%t;\n"
				 "L: add.u32 %%k, %%k, 0x3ffffff0;%s@%s%%p bra M;\n%s%s\n"
				 "M: %sselp.u32 %%b, 1, 0, %%q;add.u32 %%c, %%c, %%b;"
				 "add.u32 %%c, %%c, %%n;"
				 "setp.lt.u32 %%r, %%k, 0xf0000000;@%%r bra L;\n%s",
				 some_lanes[k], i % 2 ? "!" : "", LONG_BLOCK, insides[i / 2],
				 k % 2 ? "bar.sync 0;" : "", END);
			run_ways(insides[i / 2], body, (uint32_t[]){ 64, 1, 1 }, 3);
			run_ways(insides[i / 2], body, (uint32_t[]){ 16, 16, 1 }, 3);
		}
}

/* %r: in every other lane, from round @round on. */
#define AFTER(round)                                                                       \
	"add.u32 %x, %x, 1;setp.lt.u32 %q, %x, " #round ";and.b32 %b, %t, 1;"               \
	"setp.gt.u32 %r, %x, " #round ";setp.eq.and.u32 %r, %b, 0, %r;"

/* Loops that lanes leave one after the other; what they have computed by then is needed, or not. */
static void test_loops(void)
{
	static const char *const insides[] = {
		"add.u32 %c, %c, %j;",
		"ld.global.nc.u32 %m, [%at];xor.b32 %c, %c, %m;add.u64 %at, %at, 4;",
		"add.u32 %m, %m, %c;ld.global.nc.u32 %c, [%at];st.global.u32 [%to+8192], %m;"
		"add.u64 %at, %at, 4;",
		"mov.u32 %c, %j;xor.b32 %m, %m, %j;",
		"add.u32 %k, %k, 3;add.u32 %m, %m, %k;xor.b32 %c, %c, %m;",
		"mul.wide.u32 %long, %w, 4;shr.u64 %long, %long, 30;cvt.u32.u64 %b, %long;"
		"add.u32 %c, %c, %b;add.u32 %w, %w, 0x20000000;",
		/* the region is left when some lanes have left the loop */
		AFTER(4) "selp.b64 %at, %from, %to, %r;"
		"ld.global.nc.u32 %m, [%at+8];mad.lo.u32 %c, %c, 5, %m;"
		"st.global.u32 [%to+8192], %c;",
		AFTER(9) "selp.b64 %at, %from, %to, %r;"
		"ld.global.nc.u32 %m, [%at+8];mad.lo.u32 %c, %c, 5, %m;",
		/* faults */
		AFTER(7) "selp.b64 %at, 64, %to, %r;add.u32 %c, %c, %j;"
		"st.global.u32 [%at+8192], %c;",
		AFTER(7) "selp.b64 %at, %to, 64, %q;add.u32 %c, %c, %j;"
		"st.global.u32 [%at+8192], %c;",
		"setp.eq.u32 %r, %j, 14;selp.b64 %at, 66, %from, %r;ld.global.nc.u32 %m, [%at];"
		"add.u32 %c, %c, %m;",
	};
	/* Lanes that do not come to the loop, or to what is before it. */
	static const char *const arounds[] = {
		"", "setp.lt.u32 %r, %a, 0x60000000;@%r bra D;\n",
		("setp.lt.u32 %r, %a, 0x60000000;@%r bra D;\n"
		 "xor.b32 %c, %c, %a;ld.global.u32 %m, [%from+4];\n"),
	};
	char body[2048];

	for (unsigned i = 0; i < sizeof(insides) / sizeof(insides[0]); i++)
		for (unsigned k = 0; k < sizeof(arounds) / sizeof(arounds[0]); k++) {
			snprintf(body, sizeof(body),
				 ".reg .b32 %%m, %%w;.reg .b64 %%at;mov.u32 %%w, %%t;"
				 "mov.u32 %%k, 0;mov.u64 %%at, %%from;mov.u32 %%m, 7;"
				 "mov.u32 %%c, %%t;mov.u32 %%x, 0;"
				 "and.b32 %%j, %%a, 15;%s\n"
				 "L: %sadd.u32 %%j, %%j, -1;and.b32 %%b, %%j, 15;"
				 "setp.ne.u32 %%p, %%b, 0;@%%p bra L;\n"
				 "D: add.u32 %%c, %%c, %%k;%s%s", arounds[k], insides[i],
				 i % 2 ? "bar.sync 0;" : "", END);
			run_shapes(insides[i], body);
		}
	snprintf(body, sizeof(body),
		 "mov.u32 %%c, %%t;and.b32 %%j, %%a, 0x7fff;\n"
		 "L: mad.lo.u32 %%c, %%c, 3, %%j;add.u32 %%j, %%j, -1;and.b32 %%b, %%j, 0xffff;"
		 "setp.ne.u32 %%p, %%b, 0;"
		 "@%%p bra L;\n%s", END);
	run_shapes("slices", body);
}

/* Loops whose rounds compute what is needed behind them, in a place that %z has had before; with
 * ways out in the middle, and sides. A counter is the same in all lanes that are there. */
static void test_waiting(void)
{
	/* Where %z has it; where %w has. */
	static const char *const insides[][2] = {
		{ "", "" },
		{ "ld.global.nc.u32 %v, [%at];add.u64 %at, %at, 4;xor.b32 %m, %m, %v;", "" },
		{ "st.global.u32 [%to+8192], %m;",
		  "mul.wide.u32 %long, %k, 4;add.u64 %long, %long, %in;"
		  "ld.global.nc.u32 %v, [%long];add.u32 %w, %w, %v;" },
		{ "", "setp.gt.u32 %r, %w, 40;@%r add.u32 %w, %w, 3;"
		  "@!%r mad.lo.u32 %w, %w, 5, %k;" },
		{ "", "setp.gt.u32 %r, %w, 40;@%r ld.global.nc.u32 %w, [%from+4];"
		  "@!%r st.global.u32 [%to+8192], %w;@!%r add.u32 %v, %w, %w;" },
		{ "", "setp.gt.u32 %r, %n, 40;@%r add.u32 %w, %w, 3;"
		  "@!%r ld.global.nc.u32 %w, [%from];" },
		/* Two allocations are reached by one access: the interpreter executes it. */
		{ AFTER(3) "selp.b64 %at, %from, %to, %r;ld.global.nc.u32 %v, [%at+8];"
		  "xor.b32 %m, %m, %v;st.global.u32 [%to+8192], %m;", "" },
		{ AFTER(3), "selp.b64 %at, %from, %to, %r;ld.global.nc.u32 %v, [%at+8];"
		  "xor.b32 %w, %w, %v;" },
		{ AFTER(3) "@%r ld.global.nc.u32 %v, [%from+8];"
		  "@!%r ld.global.nc.u32 %v, [%to+8];xor.b32 %m, %m, %v;", "" },
		/* faults */
		{ AFTER(5) "selp.b64 %at, 64, %to, %r;st.global.u32 [%at+8192], %m;", "" },
		{ AFTER(5), "mov.u64 %long, 64;@%r st.global.u32 [%long], %w;" },
		{ "vote.sync.ballot.b32 %v, %p, -1;", "" }, /* not converted */
	};
	/* Where the loop is left in the middle, before or after the value behind is there. */
	static const char *const ways_out[][2] = {
		{ "", "" },
		{ "", "and.b32 %b, %w, 15;setp.eq.u32 %q, %b, 3;@%q bra D;\n" },
		{ "and.b32 %b, %m, 15;setp.eq.u32 %q, %b, 3;@%q bra D;\n", "" },
		{ "setp.gt.u32 %q, %k, 5;@%q bra D;\n",
		  "and.b32 %b, %w, 15;setp.eq.u32 %q, %b, 3;@!%q bra D;\n" },
	};
	char body[2048];

	for (unsigned i = 0; i < sizeof(insides) / sizeof(insides[0]); i++)
		for (unsigned k = 0; k < 2 * sizeof(ways_out) / sizeof(ways_out[0]); k++) {
			const char *const *out = ways_out[k / 2], *const *inside = insides[i];

			snprintf(body, sizeof(body),
				 ".reg .b32 %%m, %%v, %%w, %%z;.reg .b64 %%at;"
				 "mov.u32 %%k, 0;mov.u64 %%at, %%from;mov.u32 %%x, 0;%s"
				 "setp.gt.u32 %%p, %%a, 9;and.b32 %%j, %%a, 15;\n"
				 "L: mad.lo.u32 %%m, %%j, 5, %%k;shr.u32 %%z, %%m, 1;%s%s"
				 "xor.b32 %%m, %%z, %%m;xor.b32 %%w, %%m, %%j;%s%s"
				 "add.u32 %%k, %%k, 1;add.u32 %%j, %%j, -1;"
				 "setp.gt.s32 %%p, %%j, 0;@%%p bra L;\n"
				 "D: add.u32 %%c, %%w, %%k;%s%s", *out[0] ? "mov.u32 %w, 7;" : "",
				 inside[0], out[0], inside[1], out[1],
				 k % 2 ? "bar.sync 0;" : "", END);
			run_shapes(inside[0], body);
		}
}

int main(void)
{
	if (!prepare_ways())
		return 1;
	if (!can_compile())
		return tap_end();
	RUN(test_masked);
	RUN(test_masked_sides);
	RUN(test_faults);
	RUN(test_written);
	RUN(test_converted);
	RUN(test_loops);
	RUN(test_waiting);
	return tap_end();
}
