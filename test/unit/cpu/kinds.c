/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* kinds_find(): how lanes differ in the registers of small kernels, by the shape of the block. */
#include "kinds.h"
#include "analysed.h"
#include "uniform.h"

static const struct block_shape
	any = { .aligned = false }, lines = { .aligned = true }, s256x1 = { { 256, 1, 1 }, true },
	s16x16 = { { 16, 16, 1 }, false }, s8x8 = { { 8, 8, 1 }, false },
	s32x8 = { { 32, 8, 1 }, true }, s24x1 = { { 24, 1, 1 }, false },
	s1x256 = { { 1, 256, 1 }, false }, s24x4 = { { 24, 4, 1 }, false },
	s48x2 = { { 48, 2, 1 }, false }, s4x4x4 = { { 4, 4, 4 }, false };

/* "REGISTER:KIND" of the registers that a kernel of @text writes, and the checks it needs. */
static const char *kinds_of(struct analysed *k, const struct block_shape *shape, const char *text)
{
	CLEANUP(kinds_release) struct kinds kinds = { 0 };
	FILE *to;

	if (!analysed_from(k, text) ||
	    !CHECK_INT(kinds_find(k->body, &k->liveness, shape, &kinds, NULL), 0))
		return "";
	to = fmemopen(k->said, sizeof(k->said), "w");
	for (uint32_t r = 0; r < k->body->register_count; r++) {
		struct ptx_name name = analysed_register(k, r);
		const struct interval *interval = &k->liveness.intervals[r];

		if (interval->start > interval->end)
			continue;
		fprintf(to, "%s%.*s:", ftell(to) ? " " : "", (int)name.length - 1, name.text + 1);
		kinds_print(to, &kinds, r);
	}
	for (uint32_t i = 0; i < k->body->insn_count; i++) {
		const struct kind_check *check = &kinds.results[i].check;

		if (check->operand)
			fprintf(to, " line %u needs operand %u in %c%u", k->body->insns[i].line - 8,
				check->operand, check->sign ? 's' : 'u', check->bits);
	}
	fclose(to);
	return k->said;
}

/* Checks the kinds of a kernel of @text for blocks of @shape. */
#define CHECK_KINDS(shape, text, expected)                                                 \
	do {                                                                               \
		CLEANUP(analysed_release) struct analysed k_;                              \
                                                                                           \
		CHECK_STR(kinds_of(&k_, &(shape), text), expected);                        \
	} while (0)

#define TIDS "mov.u32 %a, %tid.x;mov.u32 %b, %tid.y;mov.u32 %c, %tid.z;"
#define TID "mov.u32 %t, %tid.x;"
#define N "ld.param.u32 %n, [n];"

static void test_shapes(void)
{
	CHECK_KINDS(any, TIDS, "a:vector b:vector c:vector");
	CHECK_KINDS(lines, TIDS, "a:32n+0..31 b:uniform c:uniform");
	CHECK_KINDS(s256x1, TIDS, "a:32n+0..31 b:uniform 0 c:uniform 0");
	CHECK_KINDS(s16x16, TIDS, "a:0+0..15,0..15 b:2n+0*16,1*16 c:uniform 0");
	CHECK_KINDS(s8x8, TIDS, "a:0+0..7,0..7,0..7,0..7 b:4n+0*8,1*8,2*8,3*8 c:uniform 0");
	CHECK_KINDS(s32x8, TIDS, "a:0+0..31 b:uniform c:uniform 0");
	CHECK_KINDS(s24x1, TIDS, "a:0+0..23 b:uniform 0 c:uniform 0");
	CHECK_KINDS(s1x256, TIDS, "a:uniform 0 b:32n+0..31 c:uniform 0");
	CHECK_KINDS(s4x4x4, TIDS, "a:0+0..3,0..3,0..3,0..3,0..3,0..3,0..3,0..3 "
				  "b:0+0*4,1*4,2*4,3*4,0*4,1*4,2*4,3*4 c:2n+0*16,1*16");
	/* Rows of the block that begin in the middle of warps. */
	CHECK_KINDS(s24x4, TIDS, "a:vector b:vector c:uniform 0");
	CHECK_KINDS(s48x2, TIDS, "a:vector b:vector c:uniform 0");
}

static void test_specials(void)
{
	CHECK_KINDS(s16x16, "mov.u32 %a, %ntid.x;mov.u32 %b, %ctaid.x;mov.u32 %c, %laneid;"
			    "mov.u32 %i, %lanemask_lt;mov.u32 %j, %clock;mov.u32 %x, %pm0;",
		    "a:uniform 16 b:uniform c:0+0..31 i:0+0,1,3,7,15,31,63,127,255,511,1023,2047,"
		    "4095,8191,16383,32767,65535,131071,262143,524287,1048575,2097151,4194303,"
		    "8388607,16777215,33554431,67108863,134217727,268435455,536870911,1073741823,"
		    "2147483647 j:vector x:uniform 0");
}

/* The index of a thread, and the address of its element. */
static void test_index(void)
{
	static const char text[] =
		TID "mov.u32 %a, %ctaid.x;mov.u32 %b, %ntid.x;mad.lo.s32 %c, %a, %b, %t;"
		    "ld.param.u64 %to, [to];cvta.to.global.u64 %to, %to;\n"
		    "mul.wide.s32 %from, %c, 4;\nadd.s64 %from, %to, %from;";

	/* Two writes of a register that differ: what is known is what both have. */
	CHECK_KINDS(s256x1, text, "a:uniform b:uniform 256 c:32n+0..31 t:32n+0..31 to:uniform "
				  "from:base+0..124/4");
	CHECK_KINDS(s16x16, text, "a:uniform b:uniform 16 c:16n+0..15,0..15 t:0+0..15,0..15 "
				  "to:uniform from:base+0..60/4,0..60/4");
	CHECK_KINDS(any, text, "a:uniform b:uniform c:vector t:vector to:uniform from:vector");
	/* Here nothing is known of what the lowest bits of the block's first index are. */
	CHECK_KINDS(lines, text, "a:uniform b:uniform c:base+0..31 t:32n+0..31 to:uniform "
				 "from:base+0..124/4 line 2 needs operand 1 in s32");
}

/* A row and a column of 16x16 threads, in tiles of 16 words. */
static void test_tile(void)
{
	CHECK_KINDS(s16x16, TIDS "shl.b32 %i, %b, 6;shl.b32 %j, %a, 2;add.u32 %x, %i, %j;"
				 "mad.lo.u32 %y, %b, 16, %a;mul.lo.u32 %n, %b, -4;"
				 "sub.u32 %t, 0, %a;",
		    "a:0+0..15,0..15 b:2n+0*16,1*16 c:uniform 0 i:128n+0*16,64*16 "
		    "j:0+0..60/4,0..60/4 t:0+0..-15/-1,0..-15/-1 n:8n+0*16,-4*16 "
		    "x:128n+0..124/4 y:32n+0..31");
}

static void test_arithmetic(void)
{
	CHECK_KINDS(s32x8, TID N "add.s32 %a, %t, %n;sub.s32 %b, %n, %t;mul.lo.s32 %c, %t, %n;"
				 "mul.lo.s32 %i, %n, %n;mul.hi.s32 %j, %n, 3;add.s32 %x, %a, %b;"
				 "neg.s32 %y, %a;add.sat.s32 %u, %t, 1;",
		    "a:base+0..31 b:base+0..-31/-1 c:vector i:uniform j:uniform t:0+0..31 u:vector "
		    "n:uniform x:uniform y:base+0..-31/-1");
	CHECK_KINDS(s32x8, TID N "add.f32 %a, %n, 1.0;add.f32 %b, %t, %t;min.s32 %c, %n, 3;"
				 "max.s32 %i, %t, 3;div.u32 %j, %n, 7;",
		    "a:uniform b:vector c:uniform i:vector j:uniform t:0+0..31 n:uniform");
}

/* The warp's number and the lane in it, as CUDA programs compute them. */
static void test_bits(void)
{
	CHECK_KINDS(s256x1, TID "shr.u32 %a, %t, 5;and.b32 %b, %t, 31;shr.s32 %c, %t, 2;"
				"and.b32 %i, %t, 3;xor.b32 %j, %t, 1;or.b32 %x, %t, 256;"
				"bfe.u32 %y, %t, 1, 3;not.b32 %n, %t;",
		    "a:uniform b:0+0..31 c:8n+0*4,1*4,2*4,3*4,4*4,5*4,6*4,7*4 "
		    "i:0+0..3,0..3,0..3,0..3,0..3,0..3,0..3,0..3 "
		    "j:base+0,-1,2,1,4,3,6,5,8,7,10,9,12,11,14,13,16,15,18,17,20,19,22,21,24,23,"
		    "26,25,28,27,30,29 t:32n+0..31 n:base+0..-31/-1 x:32n+0..31 "
		    "y:0+0*2,1*2,2*2,3*2,4*2,5*2,6*2,7*2,0*2,1*2,2*2,3*2,4*2,5*2,6*2,7*2");
	/* A carry into bits that are not known. */
	CHECK_KINDS(s256x1, TID N "add.u32 %a, %t, 1;and.b32 %b, %a, 31;add.u32 %c, %t, %n;"
				  "shr.u32 %i, %c, 5;and.b32 %j, %t, %n;shl.b32 %x, 1, %t;"
				  "and.b32 %y, %n, 7;",
		    "a:base+0..31 b:vector c:base+0..31 i:vector j:vector t:32n+0..31 n:uniform "
		    "x:vector y:uniform");
	/* Lanes that are known, as numbers. */
	CHECK_KINDS(s32x8, TID "and.b32 %a, %t, 1;shl.b32 %b, 1, %a;lop3.b32 %c, %t, 1, 2, 0x60;"
			       "mul.lo.u32 %x, %a, %b;",
		    "a:0+0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1 "
		    "b:1+0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1 "
		    "c:0+0..3,0..3,0..3,0..3,0..3,0..3,0..3,0..3 t:0+0..31 "
		    "x:0+0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2,0,2");
}

/* Wider ones: base and steps stay if no lane wraps around. */
static void test_widening(void)
{
	/* It is known not to. */
	CHECK_KINDS(s256x1, TID "cvt.u64.u32 %to, %t;cvt.s64.s32 %from, %t;",
		    "t:32n+0..31 to:32n+0..31 from:32n+0..31");
	CHECK_KINDS(s256x1, TID N "add.u32 %a, %t, %n;cvt.u64.u32 %to, %a;\ncvt.s64.s32 %from, %a;",
		    "a:base+0..31 t:32n+0..31 n:uniform to:base+0..31 from:base+0..31 "
		    "line 1 needs operand 1 in u32 line 2 needs operand 1 in s32");
	CHECK_KINDS(s256x1, TID N "add.u32 %a, %t, %n;mul.wide.u32 %to, %a, 8;\n"
				  "mad.wide.s32 %from, 4, %a, %to;",
		    "a:base+0..31 t:32n+0..31 n:uniform to:8n+0..248/8 from:4n+0..372/12 "
		    "line 1 needs operand 1 in u32 line 2 needs operand 2 in s32");
	/* Below 0 in all lanes but one. */
	CHECK_KINDS(s32x8, TID "sub.u32 %a, 0, %t;cvt.u64.u32 %to, %a;cvt.s64.s32 %from, %a;",
		    "a:0+0..-31/-1 t:0+0..31 "
		    "to:0+0,4294967295..4294967265/-1 from:0+0..-31/-1");
	CHECK_KINDS(s256x1, TID N "add.u32 %a, %t, %n;cvt.u64.u32 %to, %a;cvt.u32.u64 %b, %to;"
				  "shl.b64 %from, %to, 2;",
		    "a:base+0..31 b:base+0..31 t:32n+0..31 n:uniform to:base+0..31 "
		    "from:4n+0..124/4 line 1 needs operand 1 in u32");
	/* A vector needs no check. */
	CHECK_KINDS(s256x1, TID N "add.u32 %a, %t, %n;cvt.u64.u32 %to, %a;mov.u64 %to, 1;",
		    "a:base+0..31 t:32n+0..31 n:uniform to:vector");
}

/* To 8 bits, in a register of 32. */
static void test_narrow(void)
{
	CHECK_KINDS(s32x8, TID "cvt.u8.u32 %a, %t;cvt.s8.s32 %b, %t;add.u32 %c, %t, 120;"
			       "cvt.s32.s8 %i, %c;",
		    "a:0+0..31 b:0+0..31 c:120+0..31 i:120+0..7,-248..-225 t:0+0..31");
	CHECK_KINDS(s256x1, TID N "add.u32 %c, %t, %n;cvt.s32.s8 %a, %c;",
		    "a:base+0..31 c:base+0..31 t:32n+0..31 n:uniform "
		    "line 1 needs operand 1 in s8");
}

static void test_predicates(void)
{
	CHECK_KINDS(s256x1, TID N "setp.lt.u32 %p, %t, 3;setp.lt.u32 %q, %n, 3;"
				  "selp.b32 %a, 1, 2, %p;selp.b32 %b, 1, 2, %q;"
				  "selp.b32 %c, %t, 5, %q;",
		    "a:vector b:uniform c:vector t:32n+0..31 n:uniform p:vector q:uniform");
	/* 1 and -1 are the same in one bit. */
	CHECK_KINDS(s32x8, TID N "setp.lt.u32 %p, %t, 3;selp.b32 %a, 1, 2, !%p;"
				 "add.u32 %b, %t, %n;add.u32 %c, %t, 7;setp.eq.u32 %q, %n, 3;"
				 "selp.b32 %x, %b, %c, %q;",
		    "a:2+0*3,-1*29 b:base+0..31 c:7+0..31 t:0+0..31 n:uniform x:base+0..31 "
		    "p:1+0*3,-1*29 q:uniform");
	CHECK_KINDS(s32x8, TID "setp.ge.and.s32 %p|%q, %t, 3, 1;setp.eq.u32 %q, 1, 1;",
		    "t:0+0..31 p:0+0*3,-1*29 q:vector");
}

/* Where no lane's number is beyond the other operand's, one of both is the result in all lanes. */
static void test_ranges(void)
{
	CHECK_KINDS(s256x1, TID N "setp.lt.u32 %p, %t, 256;setp.ge.s32 %q, %t, 256;"
				  "max.s32 %a, %t, 255;min.u32 %b, %t, 256;max.s32 %c, %t, 254;"
				  "and.b32 %i, %n, 7;add.u32 %j, %t, %i;max.u32 %x, %j, 300;"
				  "min.s32 %y, %n, %t;",
		    "a:uniform 255 b:32n+0..31 c:vector i:uniform j:base+0..31 t:32n+0..31 "
		    "n:uniform x:uniform 300 y:vector p:uniform 1 q:uniform 0");
	CHECK_KINDS(s256x1, TID N "sub.u32 %a, 0, %t;setp.lt.s32 %p, %a, 1;setp.lt.u32 %q, %a, 1;"
				  "not.b32 %b, %n;sub.u32 %c, %n, %t;not.b32 %i, %c;",
		    "a:32n+0..-31/-1 b:uniform c:base+0..-31/-1 i:base+0..31 t:32n+0..31 n:uniform "
		    "p:vector q:vector");
}

static void test_loads(void)
{
	CHECK_KINDS(s256x1, TID "ld.param.u64 %to, [to];ld.global.u32 %a, [%to];"
				"ld.global.v2.u32 {%b, %c}, [%to+8];mul.wide.u32 %from, %t, 4;"
				"add.u64 %from, %to, %from;ld.global.u32 %i, [%from];"
				"ld.volatile.global.u32 %j, [%to];ld.local.u32 %x, [%to];",
		    "a:uniform b:uniform c:uniform i:vector j:uniform t:32n+0..31 x:vector "
		    "to:uniform from:base+0..124/4");
	CHECK_KINDS(s256x1, ".shared .b32 s[4];.local .b32 own[4];mov.u64 %to, s;"
			    "mov.u64 %from, own;ld.shared.u32 %a, [s+4];ld.local.u32 %b, [own];"
			    "cvta.shared.u64 %to, %to;cvta.local.u64 %from, %from;",
		    "a:uniform b:vector to:uniform from:vector");
	CHECK_KINDS(s256x1, "ld.param.u64 %to, [to];atom.global.add.u32 %a, [%to], 1;",
		    "a:vector to:uniform");
}

/* Results that all who participate have, and those that each has for itself. */
static void test_warp(void)
{
	CHECK_KINDS(s256x1, TID "setp.lt.u32 %p, %t, 3;vote.sync.ballot.b32 %a, %p, -1;"
				"vote.sync.any.pred %q, %p, -1;vote.sync.ballot.b32 %b, %p, %t;"
				"shfl.sync.idx.b32 %c, %t, 0, 31, -1;activemask.b32 %i;"
				"redux.sync.add.u32 %j, %t, -1;match.any.sync.b32 %x, %t, -1;"
				"match.all.sync.b32 %y|%p, %t, -1;bar.red.popc.u32 %n, 0, %p;",
		    "a:uniform b:vector c:vector i:uniform j:uniform t:32n+0..31 n:uniform "
		    "x:vector y:uniform p:vector q:uniform");
}

/* Both ways are one: what is different after them is so in all lanes alike. */
static void test_ways(void)
{
	CHECK_KINDS(s256x1, TID "mov.u32 %a, 1;setp.lt.u32 %p, %t, 3;@%p bra B;\n"
				"mov.u32 %a, 2;add.u32 %b, %t, 4;bra C;\n"
				"B: add.u32 %b, %t, 8;\nC: add.u32 %c, %a, %b;\nret;",
		    "a:uniform b:4n+0..31 c:base+0..31 t:32n+0..31 p:vector");
	/* By different constants. */
	CHECK_KINDS(s256x1, TID "setp.lt.u32 %p, %t, 3;@%p bra B;\n"
				"shl.b32 %b, %t, 1;bra C;\nB: mov.u32 %b, %t;\nC: ret;",
		    "b:vector t:32n+0..31 p:vector");
}

static void test_loops(void)
{
	CHECK_KINDS(s256x1, TID N "mov.u32 %i, %t;mov.u32 %j, 0;\n"
				  "L: add.u32 %i, %i, 256;add.u32 %j, %j, 1;add.u32 %a, %i, %j;\n"
				  "setp.lt.u32 %p, %i, %n;@%p bra L;\nret;",
		    "a:base+0..31 i:32n+0..31 j:uniform t:32n+0..31 n:uniform p:vector");
	/* What a lane has more becomes more with each round. */
	CHECK_KINDS(s256x1, TID N "mov.u32 %i, 0;\nL: add.u32 %i, %i, %t;add.u32 %a, %i, 1;\n"
				  "setp.lt.u32 %q, %n, 3;@%q bra L;\nret;",
		    "a:vector i:vector t:32n+0..31 n:uniform q:uniform");
	CHECK_KINDS(s256x1, "mov.u32 %i, 1;\nL: mul.lo.u32 %i, %i, 3;add.u32 %j, %i, %i;\nbra L;",
		    "i:uniform j:uniform 2n");
}

/* A guard that differs between lanes writes some of them; one that does not, all or none. */
static void test_guards(void)
{
	CHECK_KINDS(s256x1, TID N "setp.lt.u32 %p, %t, 3;setp.lt.u32 %q, %n, 3;mov.u32 %a, 1;"
				  "@%p mov.u32 %a, 2;mov.u32 %b, 1;@%q mov.u32 %b, 2;"
				  "add.u32 %c, %a, %b;",
		    "a:vector b:uniform c:vector t:32n+0..31 n:uniform p:vector q:uniform");
}

/* What may be read before it is written is 0 in all lanes at first. */
static void test_blanks(void)
{
	CHECK_KINDS(s256x1, TID "add.u32 %a, %b, 1;add.u32 %b, %t, 1;add.u32 %i, %j, 1;",
		    "a:vector b:vector i:uniform j:uniform t:32n+0..31");
}

/* Many patterns, and registers that change often, end. */
static void test_hostile(void)
{
	CHECK_KINDS(s1x256, "mov.u32 %a, %laneid;\nL: mul.lo.u32 %b, %a, 3;xor.b32 %c, %b, %a;"
			    "mov.u32 %a, %c;add.u32 %i, %i, %j;add.u32 %j, %i, %x;"
			    "add.u32 %x, %j, 1;\nbra L;",
		    "a:vector b:vector c:vector i:uniform j:uniform x:uniform");
}

/* What is known of %n after a loop in which registers change one after the other, against the order
 * of their instructions: in each pass another one. */
static enum kind after_passes(unsigned registers)
{
	CLEANUP(analysed_release) struct analysed k;
	CLEANUP(kinds_release) struct kinds kinds = { 0 };
	char text[4096];
	size_t at = (size_t)snprintf(text, sizeof(text), "%s.reg .b32 %%r<99>;\nL:", N);

	for (unsigned i = 0; i < registers; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "not.b32 %%r%u,%%r%u;", i, i + 1);
	snprintf(text + at, sizeof(text) - at, "mov.u32 %%r%u, %%laneid;\nbra L;", registers);
	if (!analysed_from(&k, text) ||
	    !CHECK_INT(kinds_find(k.body, &k.liveness, &s256x1, &kinds, NULL), 0))
		return KIND_PATTERN;
	CHECK_INT(register_kind(&kinds, 13), KIND_VECTOR); /* %r0, after those of all tests */
	return register_kind(&kinds, 7);
}

/* A text for which the analysis takes too long has vectors alone. */
static void test_passes(void)
{
	CHECK_INT(after_passes(50), KIND_UNIFORM);
	CHECK_INT(after_passes(90), KIND_VECTOR);
}

/* Registers that are slots for uniform_find() are uniform here. */
static void test_slots(void)
{
	CLEANUP(analysed_release) struct analysed k;
	CLEANUP(free_pointer) uint8_t *homes = NULL;
	CLEANUP(kinds_release) struct kinds kinds = { 0 };

	REQUIRE(analysed_from(&k, TIDS N "ld.param.u64 %to, [to];ld.global.u32 %i, [%to];"
				  "add.u32 %j, %i, %b;mul.hi.u32 %x, %j, %n;"
				  "setp.lt.u32 %q, %n, 3;selp.b32 %y, %x, %j, %q;"));
	REQUIRE(!uniform_find(k.body, &k.flow, &k.liveness, true, &homes, NULL));
	REQUIRE(!kinds_find(k.body, &k.liveness, &lines, &kinds, NULL));
	for (uint32_t r = 0; r < k.body->register_count; r++)
		CHECK(homes[r] == HOME_ROW || register_kind(&kinds, r) == KIND_UNIFORM);
}

int main(void)
{
	RUN(test_shapes);
	RUN(test_specials);
	RUN(test_index);
	RUN(test_tile);
	RUN(test_arithmetic);
	RUN(test_bits);
	RUN(test_widening);
	RUN(test_narrow);
	RUN(test_predicates);
	RUN(test_ranges);
	RUN(test_loads);
	RUN(test_warp);
	RUN(test_ways);
	RUN(test_loops);
	RUN(test_guards);
	RUN(test_blanks);
	RUN(test_hostile);
	RUN(test_passes);
	RUN(test_slots);
	return tap_end();
}
