/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Atomic operations on memory in compiled kernels: each leaves in memory, and gives each lane, what
 * the interpreter does. */
#include "region_ways.h"

static const struct {
	const char *name;
	unsigned bytes;
	const char *number;      /* a source of it; or NULL */
} operations[] = {
	{ "add.u32", 4, "7" }, { "add.u64", 8, "0x100000005" }, { "add.u64", 8, "-2" },
	{ "and.b32", 4, "0xfffffff1" }, { "and.b64", 8, NULL }, { "or.b32", 4, "0x80000001" },
	{ "or.b64", 8, "-16" }, { "xor.b32", 4, NULL }, { "xor.b64", 8, "3" },
	{ "exch.b32", 4, "9" }, { "exch.b64", 8, "-1" }, { "cas.b32", 4, NULL },
	{ "cas.b64", 8, NULL }, { "min.u32", 4, "0x70000000" }, { "max.u32", 4, "0x90000000" },
	{ "min.s32", 4, "-5" }, { "max.s32", 4, "5" }, { "min.u64", 8, NULL },
	{ "max.u64", 8, "-3" }, { "min.s64", 8, "-4" }, { "max.s64", 8, NULL },
	{ "inc.u32", 4, "6" }, { "inc.u32", 4, NULL }, { "dec.u32", 4, "6" },
	{ "dec.u32", 4, NULL }, { "add.f32", 4, NULL }, { "add.f64", 8, NULL },
};

/* Where lanes do it: one place, places that follow each other, places that several lanes have. */
#define OF_LANES(place) "mov.u32 %j, s;add.u32 %j, %j, " place ";"
#define GLOBAL(place) "mul.wide.u32 %from, " place ", 8;add.u64 %from, %from, %out;"
static const struct {
	const char *space, *computed, *address;
} places[] = {
	{ "shared", "", "[s+16]" },
	{ "shared", OF_LANES("%b"), "[%j+8]" },
	{ "shared", "and.b32 %k, %c, 120;" OF_LANES("%k"), "[%j+32]" },
	{ "shared", "and.b32 %k, %c, 120;cvt.u64.u32 %from, %k;", "[%from+8]" },
	{ "global", "", "[%out+8200]" },
	{ "global", GLOBAL("%i"), "[%from+8192]" },
	{ "global", "and.b32 %k, %c, 15;" GLOBAL("%k"), "[%from+8192]" },
	{ "global", "and.b32 %k, %c, 15;" GLOBAL("%k") "sub.u64 %from, %from, 0x7fff0000;",
	  "[%from+0x7fff2000]" },
	{ "global", "and.b32 %k, %c, 15;" GLOBAL("%k") "sub.u64 %from, %from, -0x7fff0000;",
	  "[%from+-0x7ffee000]" },
	{ "", "and.b32 %k, %c, 120;cvt.u64.u32 %wide, %k;cvta.shared.u64 %from, %wide;",
	  "[%from+8]" },
};

/* Under which predicate, whether results are needed, whether the source is a number. */
static const struct {
	const char *predicate, *guard;
	bool result, number;
} variants[] = {
	{ "", "", false, false },
	{ "", "", true, true },
	{ "setp.lt.u32 %p, %a, 0x60000000;", "@%p ", true, false },
	{ "setp.lt.u32 %p, %a, 0x60000000;", "@!%p ", false, true },
	{ "setp.lt.u32 %p, %t, 37;", "@%p ", true, true },
	{ "setp.lt.u32 %p, %t, 37;", "@%p ", false, false },
};

/* All memory has been written before, and is looked at behind. */
#define BEFORE                                                                             \
	".reg .b64 %value, %old, %other;.reg .b32 %value4, %old4, %other4;"                \
	"mov.b32 %value4, %a;mov.b64 %value, {%t, %a};mov.u32 %other4, %t;"                \
	"mov.b64 %other, {%a, %i};mov.u32 %old4, 5;mov.u64 %old, 6;"                       \
	"mul.wide.u32 %long, %i, 8;add.u64 %long, %long, %out;"                            \
	"st.global.v2.u32 [%long+8192], {%t, %a};"                                         \
	"shl.b32 %b, %t, 3;mov.u32 %j, s;add.u32 %j, %j, %b;"                              \
	"st.shared.v2.u32 [%j], {%t, %a};"                                                 \
	"st.shared.v2.u32 [%j+8], {%t, %a};mul.lo.u32 %c, %a, 0x9e3779b1;"                 \
	"shr.u32 %c, %c, 9;bar.sync 0;"
#define BEHIND                                                                             \
	"cvt.u32.u64 %c, %old;shr.u64 %old, %old, 32;cvt.u32.u64 %k, %old;"                \
	"xor.b32 %c, %c, %k;xor.b32 %c, %c, %old4;bar.sync 0;mov.u32 %j, s;"               \
	"add.u32 %j, %j, %b;"                                                              \
	"ld.shared.v2.u32 {%k, %n}, [%j];mad.lo.u32 %k, %k, 3, %n;"                        \
	"st.global.u32 [%to+4096], %k;" END

static void run_atomic(unsigned o, unsigned p, unsigned v)
{
	const bool wide = operations[o].bytes == 8;
	const bool swaps = !strncmp(operations[o].name, "cas", 3);
	const char *source = variants[v].number && operations[o].number ? operations[o].number :
			     wide ? "%value" : "%value4";
	char body[2048], name[256];

	snprintf(name, sizeof(name), "%s %s %s %s", operations[o].name, source, places[p].computed,
		 variants[v].guard);
	snprintf(body, sizeof(body), "%s%s%s%satom.%s%s%s %s, %s, %s%s%s;%s", BEFORE,
		 places[p].computed, variants[v].predicate, variants[v].guard, places[p].space,
		 *places[p].space ? "." : "", operations[o].name, wide ? "%old" : "%old4",
		 places[p].address, source, swaps ? ", " : "",
		 !swaps ? "" : wide ? "%other" : "%other4",
		 variants[v].result ? BEHIND : "mov.u64 %old, 0;mov.u32 %old4, 0;" BEHIND);
	run_ways(name, body, v % 2 ? (uint32_t[]){ 64, 1, 1 } : (uint32_t[]){ 16, 16, 1 }, 3);
}

static void test_operations(void)
{
	for (unsigned o = 0; o < sizeof(operations) / sizeof(operations[0]); o++)
		for (unsigned p = 0; p < sizeof(places) / sizeof(places[0]); p++)
			for (unsigned v = 0; v < sizeof(variants) / sizeof(variants[0]); v++)
				run_atomic(o, p, v);
}

/* In loops, where lanes leave them one after the other, on sides of a branch, in part of a warp. */
static void test_flow(void)
{
	run_shapes("sides", BEFORE
		   "mov.u32 %j, s;setp.gt.u32 %p, %a, 0x40000000;@%p bra L;\n"
		   "and.b32 %k, %c, 28;add.u32 %j, %j, %k;atom.shared.add.u32 %old4, [%j], %a;"
		   "red.shared.max.u32 [s], %t;mul.lo.u32 %old4, %old4, 3;bra M;\n"
		   "L: red.shared.xor.b32 [s+4], %a;atom.global.add.u32 %old4, [%out+8192], 1;\nM:"
		   BEHIND);
	run_shapes("loops", BEFORE
		   "and.b32 %n, %a, 7;mov.u32 %x, 0;\n"
		   "L: add.u32 %c, %c, %a;and.b32 %k, %c, 28;mov.u32 %j, s;add.u32 %j, %j, %k;"
		   "atom.shared.add.u32 %y, [%j], %t;xor.b32 %old4, %old4, %y;"
		   "add.u32 %x, %x, 1;setp.lt.u32 %p, %x, %n;@%p bra L;\n" BEHIND);
	/* The sum of floating-point numbers by comparing and swapping. */
	run_shapes("swaps", BEFORE
		   "ld.shared.u32 %x, [s+16];\n"
		   "L: mov.b32 %f, %x;add.f32 %g, %f, 0f3f800000;mov.b32 %y, %g;mov.u32 %n, %x;"
		   "atom.shared.cas.b32 %x, [s+16], %n, %y;setp.ne.b32 %p, %x, %n;@%p bra L;\n"
		   "mov.u32 %old4, %x;" BEHIND);
	run_shapes("exits", BEFORE
		   "setp.gt.u32 %p, %a, 0x40000000;@%p exit;"
		   "atom.shared.add.u32 %old4, [s+16], 1;atom.global.exch.b32 %k, [%out+8192], %t;"
		   "xor.b32 %old4, %old4, %k;st.global.u32 [%to], %old4;ret;}\n");
}

/* A lane in the middle has an address at which nothing is, or none for what it does; with the
 * predicate, and without. */
static void test_faults(void)
{
	static const char *const atoms[] = {
		"atom.shared.add.u32 %old4, [%j+16], 3;", "red.shared.min.u32 [%j+16], %a;",
		"atom.global.add.u32 %old4, [%long+8192], %a;", "red.global.or.b32 [%long+8192], 1;",
		"atom.cas.b32 %old4, [%long+8192], %a, %t;",
	};
	static const char *const moves[] = {
		"selp.b32 %j, 0x100000, %j, %q;selp.b64 %long, 64, %long, %q;",
		"add.u32 %k, %j, 2;selp.b32 %j, %k, %j, %q;"
		"add.u64 %from, %long, 2;selp.b64 %long, %from, %long, %q;",
		"mov.u32 %j, 0x100000;mov.u64 %long, 64;",
		"mov.u32 %j, 2;mov.u64 %long, 66;",
		"mov.u32 %j, s;add.u32 %j, %j, %b;add.u32 %j, %j, 2;add.u64 %long, %long, 2;",
	};
	static const char *const guards[] = { "", "@%p ", "@!%p " };
	char body[2048];

	for (unsigned i = 0; i < sizeof(atoms) / sizeof(atoms[0]); i++)
		for (unsigned m = 0; m < sizeof(moves) / sizeof(moves[0]); m++)
			for (unsigned g = 0; g < sizeof(guards) / sizeof(guards[0]); g++) {
				snprintf(body, sizeof(body),
					 "%ssetp.lt.u32 %%p, %%a, 0x60000000;setp.eq.u32 %%q, %%t, 39;"
					 "%s%s%s%s", BEFORE, moves[m], guards[g], atoms[i], BEHIND);
				run_ways(atoms[i], body, (uint32_t[]){ 64, 1, 1 }, 1);
			}
	/* Each second lane, of all and of those with the predicate. */
	for (unsigned g = 0; g < sizeof(guards) / sizeof(guards[0]); g++) {
		snprintf(body, sizeof(body),
			 ".reg .b64 %%half, %%odd;%ssetp.lt.u32 %%p, %%a, 0x60000000;"
			 "mul.wide.u32 %%half, %%t, 2;add.u64 %%odd, %%half, %%out;"
			 "%sred.global.add.u32 [%%odd+8192], 1;%s", BEFORE, guards[g], BEHIND);
		run_ways("odd", body, (uint32_t[]){ 64, 1, 1 }, 1);
	}
}

int main(void)
{
	if (!prepare_ways())
		return 1;
	if (!can_compile())
		return tap_end();
	RUN(test_operations);
	RUN(test_flow);
	RUN(test_faults);
	return tap_end();
}
