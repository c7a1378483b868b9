/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ir_build(): what the ops of small kernels become; ir_verify() finds what is wrong with it. */
#include "ir_said.h"

static const struct block_shape any = { .aligned = false }, lines = { .aligned = true },
				s16x16 = { { 16, 16, 1 }, false };

/* ---- What ops become --------------------------------------------------------------------- */

/* What is hoisted, as loads of parameters, has no instruction; a pattern is spread where a vector
 * is computed of it, one time in a block. */
static void test_chain(void)
{
	CHECK_IR(lines, T N TO "add.u32 %a, %t, %n;add.u32 %b, %a, %a;popc.b32 %c, %b;"
			 "clz.b32 %i, %b;"
			 "add.u32 %c, %c, %i;" STORE(c, to) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %a:p = add.s32/u32 %t:p %n:u\n"
		       " %b:p = add.s32/u32 %a:p %a:p\n"
		       " tA = spread.32 %b:p\n"
		       " %c = popc.b32 tA\n"
		       " %i = clz.b32 tA\n"
		       " %c = add.s32/u32 %c %i\n"
		       " store.32 %to:u %c + 0\n" RET_IR);
}

/* Both rows of a fused op, and what branches by a comparison. */
static void test_fused(void)
{
	CHECK_IR(lines, AT LOAD(a, at) "mul.lo.u32 %b, %a, 3;add.u32 %b, %b, %n;"
			 STORE(b, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %b = mul.lo.s32/u32 %a 0x3:u\n"
		       " %b = add.s32/u32 %b %n:u\n"
		       " store.32 %at:p %b + 0\n" RET_IR);
	CHECK_IR(lines, AT "ld.global.f32 %f, [%at];mul.f32 %g, %f, 0f40000000;"
			 "add.f32 %g, %g, 0f3f800000;"
			 "st.global.f32 [%at], %g;" RET,
		 AT_IR " %f = load.32 %at:p + 0\n"
		       " %g = mul.rn?.f32 %f 0x40000000:u\n"
		       " %g = add.rn?.f32 %g 0x3f800000:u\n"
		       " store.32 %at:p %g + 0\n" RET_IR);
	CHECK_IR(lines, AT "mov.u32 %i, 0;mov.u32 %a, 0;\n"
			 "L: add.u32 %a, %a, %t;add.u32 %i, %i, 1;"
			 "setp.lt.u32 %p, %i, %n;@%p bra L;\n"
			 STORE(a, at) RET,
		 AT_IR " %i:u = move.32 0:u\n"
		       " %a = move.32 0:u\n"
		       "block 1: joined depth 1\n"
		       " tA = spread.32 %t:p\n"
		       " %a = add.s32/u32 %a tA\n"
		       " %i:u = add.s32/u32 %i:u 0x1:u\n"
		       " %p:u = setp.lt/lo.u32 %i:u %n:u\n"
		       " branch %p:u -> block 1 (back)\n"
		       "block 2: joined depth 0\n"
		       " store.32 %at:p %a + 0\n" RET_IR);
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;@!%p bra E;\n"
			 STORE(n, at) "\nE: ret;",
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " guard %p\n"
		       " tA:u = move.32 %n:u\n"
		       "@ %p  store.32 %at:p tA:u + 0\n" RET_IR);
}

/* What only computes or accesses memory has its guard's predicate; behind a guard that lanes
 * share, or before what all lanes do at once, nothing has. */
static void test_guards(void)
{
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;@%p add.u32 %a, %a, 1;"
			 "@!%p mov.u32 %a, 5;"
			 STORE(a, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " guard %p\n"
		       "@ %p  %a = add.s32/u32 %a 0x1:u\n"
		       " guard not %p\n"
		       "@! %p  %a = move.32 0x5:u\n"
		       " store.32 %at:p %a + 0\n" RET_IR);
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;@%p " STORE(a, at)
			 "@!%p " STORE(t, to) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " guard %p\n"
		       "@ %p  store.32 %at:p %a + 0\n"
		       " guard not %p\n"
		       " tA = spread.32 %t:p\n"
		       "@! %p  store.32 %to:u tA + 0\n" RET_IR);
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;@%p add.u32 %b, %a, 1;"
			 "@%p st.global.u8 [%at], %a;" STORE(b, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " guard %p\n"
		       "@ %p  %b = add.s32/u32 %a 0x1:u\n"
		       " tA = cvt.u8.u32/s32 %a\n"
		       " call.8 %at:p tA of st_flat_r8_1_v1\n"
		       " store.32 %at:p %b + 0\n" RET_IR);
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %n, 7;@%p add.u32 %a, %a, 1;"
			 STORE(a, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p:u = setp.lt/lo.u32 %n:u 0x7:u\n"
		       " guard %p:u\n"
		       " %a = add.s32/u32 %a 0x1:u\n"
		       " store.32 %at:p %a + 0\n" RET_IR);
	/* What is spread behind a guard is so there alone. */
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;@%p " STORE(t, at)
			 STORE(t, to) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " guard %p\n"
		       " tA = spread.32 %t:p\n"
		       "@ %p  store.32 %at:p tA + 0\n"
		       " tB = spread.32 %t:p\n"
		       " store.32 %to:u tB + 0\n" RET_IR);
}

static void test_predicates(void)
{
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, 7;"
			 "setp.gt.and.u32 %q, %a, %n, %p;"
			 "not.pred %r, %q;xor.pred %r, %r, %p;selp.b32 %b, %a, %n, %r;"
			 STORE(b, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a 0x7:u\n"
		       " tA = setp.gt/hi.u32 %a %n:u\n"
		       " %q = and tA %p\n"
		       " %r = not %q\n"
		       " %r = xor %r %p\n"
		       " %b = select.32 %a %n:u %r\n"
		       " store.32 %at:p %b + 0\n" RET_IR);
}

/* One address for all lanes, one and constants, and any. */
static void test_addresses(void)
{
	CHECK_IR(lines, AT LOAD(a, to) LOAD(b, at) "mul.wide.u32 %x, %b, 4;"
			 "add.u64 %x, %to, %x;"
			 "ld.global.v2.u32 {%c, %i}, [%x+8];add.u32 %c, %c, %i;"
			 "st.global.u32 [%to], %c;" RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " tA = spread.32 %t:p\n"
		       " %x = mul.wide.u32 tA 0x4:u\n"
		       " %at = add.s64/u64 %x %to:u\n"
		       " %a:u = load.32 %to:u + 0\n"
		       " %b = load.32 %at + 0\n"
		       " %x = mul.wide.u32 %b 0x4:u\n"
		       " %x = add.s64/u64 %x %to:u\n"
		       " %c %i = load.32 %x + 8\n"
		       " %c = add.s32/u32 %c %i\n"
		       " store.32 %to:u %c + 0\n" RET_IR);
	CHECK_IR(lines, T N "shl.b32 %a, %t, 2;mov.u32 %b, s;add.u32 %a, %a, %b;"
			 "st.shared.u32 [%a], %t;"
			 "ld.shared.u32 %c, [%a+4];st.shared.u32 [s+8], %c;" RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %a:p = shl.b32 %t:p 0x2:u\n"
		       " %a:p = add.s32/u32 %a:p %b:u\n"
		       " tA = spread.32 %t:p\n"
		       " store.32 %a:p tA + 0\n"
		       " %c = load.32 %a:p + 4\n"
		       " store.32 0:u %c + 8\n" RET_IR);
}

/* What has to hold for an address to be a pattern; without a shape it is a vector. */
static void test_shapes(void)
{
	CHECK_IR(lines, T N TO "add.u32 %a, %t, %n;mul.wide.s32 %x, %a, 4;"
			 "add.u64 %at, %to, %x;" STORE(n, at) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %a:p = add.s32/u32 %t:p %n:u\n"
		       " %x:p = mul.wide.s32 %a:p 0x4:u if value fits s32\n"
		       " %at:p = add.s64/u64 %x:p %to:u\n"
		       " tA:u = move.32 %n:u\n"
		       " store.32 %at:p tA:u + 0\n" RET_IR);
	CHECK_IR(s16x16, T N TO "mov.u32 %b, %tid.y;mad.lo.u32 %a, %b, 16, %t;"
			 "mul.wide.u32 %x, %a, 4;"
			 "add.u64 %at, %to, %x;" STORE(n, at) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %b:p = move.32 [0x580]:p\n"
		       " %a:p = mad.lo.s32/u32 %b:p 0x10:u %t:p\n"
		       " %x:p = mul.wide.u32 %a:p 0x4:u\n"
		       " %at:p = add.s64/u64 %x:p %to:u\n"
		       " tA:u = move.32 %n:u\n"
		       " store.32 %at:p tA:u + 0\n" RET_IR);
	CHECK_IR(any, T N TO "mul.wide.u32 %x, %t, 4;add.u64 %at, %to, %x;"
			 STORE(n, at) RET,
		 BLOCK " %t = move.32 [0x500]\n"
		       " tA %x = index.32 %t\n"
		       " %at = made.64 %x\n"
		       " tB:u = move.32 %n:u\n"
		       " store.32 tA tB:u %at + 0 by tA * 4\n" RET_IR);
}

/* Atomic operations, with what makes their addresses: offsets in shared memory, or not. */
static void test_atomics(void)
{
	CHECK_IR(lines, AT "setp.lt.u32 %p, %t, %n;atom.global.add.u32 %b, [%to], %t;"
			 "@%p red.global.min.s32 [%at+4], %b;@%p fence.sc.cta;" STORE(b, at) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %to:u = load.64 [0x2b08]:u + 0\n"
		       " %x:p = mul.wide.u32 %t:p 0x4:u\n"
		       " %at:p = add.s64/u64 %x:p %to:u\n"
		       " tA = spread.32 %t:p\n"
		       " %p = setp.lt/lo.u32 tA %n:u\n"
		       " %b = atomic.32 add %to:u tA + 0\n"
		       " guard %p\n"
		       "@ %p  tB = atomic.32 min.s %at:p %b + 4\n"
		       " fence\n"
		       " store.32 %at:p %b + 0\n" RET_IR);
	CHECK_IR(lines, T N TO "shl.b32 %a, %t, 2;mov.u32 %b, s;add.u32 %a, %a, %b;"
			 "atom.shared.cas.b32 %c, [%a+8], %n, 5;red.shared.inc.u32 [s+4], %c;"
			 STORE(c, to) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %n:u = load.32 [0x2850]:u + 0\n"
		       " %a:p = shl.b32 %t:p 0x2:u\n"
		       " %a:p = add.s32/u32 %a:p %b:u\n"
		       " tA:u = move.32 0x5:u\n"
		       " %c = atomic.32 cas %a:p %n:u tA:u + 8\n"
		       " tB:u = move.64 0:u\n"
		       " tC = atomic.32 inc tB:u %c + 4\n"
		       " store.32 %to:u %c + 0\n" RET_IR);
}

/* Rows and accesses that are not known are called, with all that they need in the row
 * file; slots too. What is not selected for one value is computed for lanes. */
static void test_handlers(void)
{
	CHECK_IR(lines, AT LOAD(a, at) "brev.b32 %a, %a;" STORE(a, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " call of brev_b32_r\n"
		       " store.32 %at:p %a + 0\n" RET_IR);
	CHECK_IR(lines, T N TO LOAD(a, to) "brev.b32 %b, %a;popc.b32 %c, %a;"
			 "add.u32 %b, %b, %c;" STORE(b, to) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %a:u = load.32 %to:u + 0\n"
		       " call of brev_b32_s\n"
		       " %c:u = call.32 %a:u of popc_b32_s\n"
		       " %b:u = add.s32/u32 %b:u %c:u\n"
		       " tA:u = move.32 %b:u\n"
		       " store.32 %to:u tA:u + 0\n" RET_IR);
	CHECK_IR(lines, T N TO "popc.b32 %c, %t;ld.global.u8 %b, [%to];"
			 "add.u32 %b, %b, %c;" STORE(b, to) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " tA = spread.32 %t:p\n"
		       " %c = popc.b32 tA\n"
		       " tB:u = call.8 %to:u of ld_flat_s_1_v1\n"
		       " tC = spread.8 tB:u\n"
		       " %b = cvt.u32.u8 tC\n"
		       " %b = add.s32/u32 %b %c\n"
		       " store.32 %to:u %b + 0\n" RET_IR);
	CHECK_IR(lines, AT "atom.global.add.noftz.f16x2 %b, [%to], %t;" STORE(b, at) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %to:u = load.64 [0x2ac8]:u + 0\n"
		       " %x:p = mul.wide.u32 %t:p 0x4:u\n"
		       " %at:p = add.s64/u64 %x:p %to:u\n"
		       " call of atom_add_f16x2\n"
		       " store.32 %at:p %b + 0\n" RET_IR);
}

/* Parts of elements: shifts and conversions. */
static void test_parts(void)
{
	CHECK_IR(lines, AT LOAD(a, at) "mov.b64 %x, {%n, %a};shr.u64 %x, %x, 4;"
			 "mov.b64 {%b, %c}, %x;"
			 "add.u32 %b, %b, %c;" STORE(b, at) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %n:u = load.32 [0x29c8]:u + 0\n"
		       " tA = spread.32 %t:p\n"
		       " %x = mul.wide.u32 tA 0x4:u\n"
		       " %at = add.s64/u64 %x %to:u\n"
		       " %a = load.32 %at + 0\n"
		       " tB:u = cvt.u64.u32 %n:u\n"
		       " tC = cvt.u64.u32 %a\n"
		       " tD = shl.b64 tC 0x20:u\n"
		       " tE = or.b64 tB:u tD\n"
		       " %x = move.64 tE\n"
		       " %x = shr.u64/b64 %x 0x4:u\n"
		       " tF = move.64 %x\n"
		       " %b = cvt.u32.u64/s64 tF\n"
		       " tG = shr.u64/b64 tF 0x20:u\n"
		       " %c = cvt.u32.u64/s64 tG\n"
		       " %b = add.s32/u32 %b %c\n"
		       " store.32 %at %b + 0\n" RET_IR);
}

/* What all lanes do at once. */
static void test_lanes(void)
{
	CHECK_IR(lines, AT "shfl.sync.idx.b32 %a, %t, 3, 31, -1;"
			 "shfl.sync.up.b32 %b|%p, %a, %n, 0, -1;"
			 "add.u32 %b, %b, %a;" STORE(b, at) RET,
		 BLOCK " %t:p = move.32 [0x500]:p\n"
		       " %n:u = load.32 [0x2a88]:u + 0\n"
		       " %x:p = mul.wide.u32 %t:p 0x4:u\n"
		       " %at:p = add.s64/u64 %x:p %to:u\n"
		       " tA = spread.32 %t:p\n"
		       " %a = shuffle.32 idx tA 0x3:u 0x1f:u 0xffffffffffffffff:u\n"
		       " %b %p = shuffle.32 up %a %n:u 0:u 0xffffffffffffffff:u\n"
		       " %b = add.s32/u32 %b %a\n"
		       " store.32 %at:p %b + 0\n" RET_IR);
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;"
			 "vote.sync.ballot.b32 %b, %p, -1;"
			 "vote.sync.any.pred %q, %p, -1;selp.b32 %c, %a, %b, %q;"
			 STORE(c, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " %b:u = vote.32 ballot %p 0xffffffffffffffff:u\n"
		       " %q:u = vote any %p 0xffffffffffffffff:u\n"
		       " %c = select.32 %a %b:u %q:u\n"
		       " store.32 %at:p %c + 0\n" RET_IR);
}

/* The interpreter executes what may have other lanes or warps run next. */
static void test_leaves(void)
{
	CHECK_IR(lines, AT "bar.sync 0;" STORE(t, at) RET,
		 AT_IR RET_IR " tA = spread.32 %t:p\n"
		       " store.32 %at:p tA + 0\n" RET_IR);
	CHECK_IR(lines, AT "setp.ge.u32 %p, %t, %n;@%p exit;" STORE(t, at) RET,
		 AT_IR " tA = spread.32 %t:p\n"
		       " %p = setp.ge/hs.u32 tA %n:u\n"
		       " leave %p\n"
		       "block 1: depth 0\n"
		       " tB = spread.32 %t:p\n"
		       " store.32 %at:p tB + 0\n" RET_IR);
	CHECK_IR(lines, AT "setp.ge.u32 %p, %t, %n;@!%p bar.sync 0;" STORE(t, at) RET,
		 AT_IR " tA = spread.32 %t:p\n"
		       " %p = setp.ge/hs.u32 tA %n:u\n"
		       " leave not %p\n"
		       " tB = spread.32 %t:p\n"
		       " store.32 %at:p tB + 0\n" RET_IR);
}

/* A number that has to be one is found where lowering has spread it into a row. */
static void test_numbers(void)
{
	CHECK_IR(lines, AT LOAD(a, at) "lop3.b32 %b, %a, %t, %n, 0x96;" STORE(b, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " tA:u = move.32 %n:u\n"
		       " tB:u = move.32 0x96:u\n"
		       " tC = spread.32 %t:p\n"
		       " %b = lop3.b32 %a tC tA:u 0x96:u\n"
		       " store.32 %at:p %b + 0\n" RET_IR);
}

/* ---- What is wrong -------------------------------------------------------------------------- */

/* The first instruction @op of @ir. */
static struct ir_insn *first_insn(struct ir *ir, enum ir_op op)
{
	struct ir_insn *insn = ir->insns;

	while (insn < ir->insns + ir->insn_count && insn->op != op)
		insn++;
	return insn < ir->insns + ir->insn_count ? insn : NULL;
}

/* A member of the first instruction @op, or of the value that it writes, has another number. */
#define IN_INSN(op, member, number)                                                        \
	{ IR_##op, offsetof(struct ir_insn, member), sizeof(((struct ir_insn *)0)->member),    \
	  number, false }
#define IN_RESULT(op, member, number)                                                      \
	{ IR_##op, offsetof(struct ir_value, member), sizeof(((struct ir_value *)0)->member),  \
	  number, true }

#define SOURCES "an instruction has another number of sources than it says"
#define RESULTS "an instruction has another number of results than its op"
#define UNWRITTEN "an instruction has a result that cannot be written"
#define GUARDS "a guard is no predicate"
#define CONDITION "a condition is no predicate"
#define ROW_SOURCES "a row has another number of sources"
#define ROW_SIZE "a row has a source of another size"
#define ROW_RESULT "a row has a result of another size"
#define BRANCHES "a branch is not the last of its block, or goes nowhere"
#define ENDS "a guard ends outside of its block"

/* Value 0 is never written; value 1 is register %a. */
static const struct mistake {
	struct {
		uint8_t op;
		size_t at, size;
		uint64_t number;
		bool in_result;
	} what;
	const char *want;
} mistakes[] = {
	{ IN_INSN(ROW, sources, 1), SOURCES },
	{ IN_INSN(ROW, sources, 3), SOURCES },
	{ IN_INSN(ROW, a[0], IR_NONE), SOURCES },
	{ IN_INSN(ROW, a[1], 1 << 20), SOURCES },
	{ IN_INSN(ROW, d[0], IR_NONE), RESULTS },
	{ IN_INSN(ROW, d[1], 1), RESULTS },
	{ IN_INSN(ROW, d[3], 1), RESULTS },
	{ IN_INSN(STORE, d[0], 1), RESULTS },
	{ IN_INSN(LOAD, d[1], 1), RESULTS },
	{ IN_INSN(LOAD, count, 2), RESULTS },
	{ IN_INSN(ROW, d[0], 1 << 20), UNWRITTEN },
	{ IN_INSN(ROW, d[0], 0), UNWRITTEN },
	{ IN_RESULT(ROW, fixed, true), UNWRITTEN },
	{ IN_INSN(ROW, guard, 1), GUARDS },
	{ IN_INSN(ROW, guard, 1 << 20), GUARDS },
	{ IN_INSN(ROW, checked, 1 << 20), "a check is about no value" },
	{ IN_INSN(GUARD, a[0], 1), CONDITION },
	{ IN_INSN(SELECT, a[2], 1), CONDITION },
	{ IN_INSN(AND, a[1], 1), CONDITION },
	{ IN_INSN(AND, d[0], 1), CONDITION },
	{ IN_INSN(BRANCH, a[0], 1), CONDITION },
	{ IN_INSN(ROW, row, UINT32_MAX), ROW_SOURCES },
	{ IN_RESULT(ROW, bytes, 4), ROW_RESULT },
	{ IN_RESULT(LOAD, bytes, 8), ROW_SIZE },
	{ IN_RESULT(LOAD, slot, true), "a slot has a value for each lane" },
	{ IN_RESULT(ROW, pattern, 0), "a value has no such pattern" },
	{ IN_RESULT(ROW, pattern, 99), "a value has no such pattern" },
	{ IN_RESULT(AND, kind, KIND_PATTERN), "a value has no such pattern" },
	{ IN_RESULT(AND, kind, KIND_UNIFORM),
	  "a result that lanes share has a source in which they differ" },
	{ IN_INSN(SHUFFLE, d[2], 1), RESULTS },
	{ IN_RESULT(SHUFFLE, kind, KIND_UNIFORM),
	  "a shuffle has a result that is no vector of 4 bytes" },
	{ IN_INSN(SHUFFLE, d[1], 1),
	  "a shuffle has another result that is no predicate of each lane" },
	{ IN_INSN(VOTE, a[0], 1), "a vote is of no predicate" },
	{ IN_INSN(VOTE, size, 0), "a vote has a result of another size" },
	{ IN_INSN(BRANCH, imm, 99), BRANCHES },
	{ IN_INSN(BRANCH, imm, (uint64_t)-1), BRANCHES },
	{ IN_INSN(GUARD, imm, 0), ENDS },
	{ IN_INSN(GUARD, imm, 99), ENDS },
	{ IN_INSN(ROW, end, 0), "an instruction is of no op" },
};

static void say_mistakes(FILE *to, struct ir *ir)
{
	CHECK(!ir_verify(ir));
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		const struct mistake *m = &mistakes[i];
		struct ir_insn *insn = first_insn(ir, (enum ir_op)m->what.op);
		uint8_t *at = (uint8_t *)insn, old[8];
		const char *said;

		REQUIRE(insn && m->what.size <= sizeof(old));
		if (m->what.in_result)
			at = (uint8_t *)&ir->values[insn->d[0]];
		memcpy(old, at + m->what.at, m->what.size);
		memcpy(at + m->what.at, &m->what.number, m->what.size);
		said = ir_verify(ir);
		memcpy(at + m->what.at, old, m->what.size);
		if (!CHECK_STR(said ? said : "nothing", m->want))
			fprintf(to, "mistake %zu; ", i);
		CHECK(!ir_verify(ir));
	}
}

/* Mistakes that are not in one member of an instruction. */
static void say_moved(FILE *to, struct ir *ir)
{
	struct ir_insn *pattern = first_insn(ir, IR_ROW);

	fprintf(to, "%s; ", ir_verify(ir) ? ir_verify(ir) : "nothing");
	ir->blocks[1].first++;
	fprintf(to, "%s; ", ir_verify(ir));
	ir->blocks[1].first--;
	ir->insn_count++;
	fprintf(to, "%s; ", ir_verify(ir));
	ir->insn_count--;
	pattern->guard = first_insn(ir, IR_GUARD)->a[0];
	fprintf(to, "%s; ", ir_verify(ir));
	pattern->guard = IR_NONE;
	first_insn(ir, IR_SHUFFLE)->guard = first_insn(ir, IR_GUARD)->a[0];
	fprintf(to, "%s; ", ir_verify(ir));
	first_insn(ir, IR_SHUFFLE)->guard = IR_NONE;
	/* The branch, and what is behind it. */
	ir->blocks[1].end++;
	ir->blocks[2].first++;
	fprintf(to, "%s", ir_verify(ir));
}

#define ALL_OPS                                                                            \
	AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;mov.u32 %i, 0;"                             \
		"vote.sync.ballot.b32 %b, %p, -1;"                                         \
		"shfl.sync.idx.b32 %c|%r, %a, %b, 31, -1;add.u32 %a, %a, %c;\n"            \
		"L: setp.gt.and.u32 %q, %a, %i, %p;selp.b32 %a, %a, %n, %q;@%p " STORE(a, at) \
		"add.u32 %i, %i, 1;setp.lt.u32 %r, %i, %n;@%r bra L;\n" STORE(a, at) RET

static void test_mistakes(void)
{
	CHECK_LOWERED(say_mistakes, lines, ALL_OPS, "");
	CHECK_LOWERED(say_moved, lines, ALL_OPS,
		      "nothing; blocks do not follow each other; instructions are in no block; "
		      "a result that lanes share has a guard of its own; "
		      "what all lanes do at once has a guard of its own; " BRANCHES);
}

int main(void)
{
	RUN(test_chain);
	RUN(test_fused);
	RUN(test_guards);
	RUN(test_predicates);
	RUN(test_addresses);
	RUN(test_shapes);
	RUN(test_atomics);
	RUN(test_handlers);
	RUN(test_parts);
	RUN(test_lanes);
	RUN(test_leaves);
	RUN(test_numbers);
	RUN(test_mistakes);
	return tap_end();
}
