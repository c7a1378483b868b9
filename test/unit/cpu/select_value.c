/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What select_value() emits, executed: every row that it knows, with sources and results in all
 * kinds of places, has the bits of the row's function in cpu/lane/, and changes no register
 * besides those that it may.
 */
#include <immintrin.h>
#include <sys/mman.h>

#include "config.h"
#include "machine.h"
#include "op_approx.h"
#include "op_bits.h"
#include "op_compare.h"
#include "op_cvt.h"
#include "op_fp8.h"
#include "op_half2.h"
#include "op_int.h"
#include "select.h"
#include "tap.h"

enum { CODE = 4096, ARRANGEMENTS = 160, ROUNDS = 16, KEPT_VECTORS = 12 };

/* ---- What the rows compute ---- */

#define TARGET __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))
#define SOURCE(T, i) ({ T x_; memcpy(&x_, &s[i], sizeof(x_)); x_; })
#define WANT(name, D, ...)                                                                 \
	TARGET static uint64_t want_##name(const uint64_t *s)                              \
	{                                                                                  \
		const D result = __VA_ARGS__;                                              \
		uint64_t bits = 0;                                                         \
                                                                                           \
		memcpy(&bits, &result, sizeof(result));                                    \
		return bits;                                                               \
	}
#define ALU1(name, op, spelling, mode, D, A) WANT(name, D, op_##op(SOURCE(A, 0)))
#define ALU2(name, op, spelling, mode, D, A, B) WANT(name, D, op_##op(SOURCE(A, 0), SOURCE(B, 1)))
#define ALU3(name, op, spelling, mode, D, A, B, C)                                         \
	WANT(name, D, op_##op(SOURCE(A, 0), SOURCE(B, 1), SOURCE(C, 2)))
#define LANE1 ALU1
#define LANE2 ALU2
#define LANE3 ALU3
#define LANE4(name, op, spelling, mode, D, A, B, C, E)                                     \
	WANT(name, D, op_##op(SOURCE(A, 0), SOURCE(B, 1), SOURCE(C, 2), SOURCE(E, 3)))
#define SETP1(name, op, spelling, mode, A) WANT(name, uint32_t, op_##op(SOURCE(A, 0)) ? ~0u : 0)
#define SETP2(name, op, spelling, mode, A, B)                                              \
	WANT(name, uint32_t, op_##op(SOURCE(A, 0), SOURCE(B, 1)) ? ~0u : 0)
#define CARRY2(...)
#define CARRY3(...)
#include "ptx_ops.def"

enum { FP_ANY = 0 };

#define ROW(form, name, mode) [HANDLER_##name##_##form] = { want_##name, FP_##mode },
#define ALU1(name, op, spelling, mode, ...) ROW(r, name, mode)
#define ALU2(name, op, spelling, mode, ...) ROW(rr, name, mode)
#define ALU3(name, op, spelling, mode, ...) ROW(rrr, name, mode)
#define LANE1 ALU1
#define LANE2 ALU2
#define LANE3 ALU3
#define LANE4(name, op, spelling, mode, ...) ROW(rrrr, name, mode)
#define SETP1 ALU1
#define SETP2 ALU2
#define CARRY2(...)
#define CARRY3(...)
static const struct reference {
	uint64_t (*want)(const uint64_t *s);
	uint32_t mode;
} references[HANDLER_COUNT] = {
#include "ptx_ops.def"
};

/* ---- Values of sources ---- */

static uint64_t random_bits(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static unsigned random_below(unsigned count)
{
	return (unsigned)(random_bits() >> 20) % count;
}

/* Limits of integers, numbers of bits, and floating-point numbers of each size. */
static const uint64_t special[] = {
	0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x100,
	0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
	INT64_MAX, 1ull << 63, ~0ull, ~1ull, -0x80000000ull,
	/* f16: 1, infinity, NaNs, subnormal */
	0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e01, 0x7d01, 0x03ff, 0x0400, 0x8001,
	/* f32: likewise, 2^23, 2^31, 2^63, 2^64, halves */
	0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
	0xffc12345, 0x80000001, 0x007fffff, 0x80400000, 0x00800000, 0x4b000000, 0x4b000001,
	0x4f000000, 0xcf000000, 0x5f000000, 0xdf000000, 0x5f800000, 0x3f000000, 0x3effffff,
	0xbf000000, 0x3fc00000,
	0x437f8000, 0x46fffe00, 0x34000000,
	/* f64 */
	0x3ff0000000000000, 0xbff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8123456789abc,
	0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x4330000000000000,
	0x4330000000000001, 0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000,
	0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x3fe0000000000000,
	0x3fdfffffffffffff, 0xbfe0000000000000, 0x3ff8000000000000, 0x36a0000000000000,
	0x380fffffffffffff, 0x47efffffe0000000, 0x47efffffefffffff, 0x36a0000000000001,
};

enum { SPECIAL = sizeof(special) / sizeof(special[0]) };

/* A number of some size as f32 or f64. */
static uint64_t random_number(unsigned size)
{
	const double number = (double)(int64_t)random_bits() / (double)(1ull << random_below(64));
	const float narrow = (float)number;
	uint32_t word;
	uint64_t bits;

	memcpy(&word, &narrow, sizeof(word));
	memcpy(&bits, &number, sizeof(bits));
	return size == 4 ? word : bits;
}

static uint64_t element_mask(unsigned size)
{
	return size < 8 ? (1ull << 8 * size) - 1 : ~0ull;
}

/* The bits of an element of @size bytes. */
static uint64_t random_value(unsigned size)
{
	const uint64_t mask = element_mask(size);

	switch (random_below(6)) {
	case 0:
		return random_below(70) & mask;
	case 1:
		return random_bits() & mask;
	case 2:
		return (uint64_t)((int64_t)random_bits() >> random_below(64)) & mask;
	case 3:
		return random_number(size) & mask;
	}
	return special[random_below(SPECIAL)] & mask;
}

/* ---- Code ---- */

/* What the code loads before a row, and stores after it. */
struct frame {
	uint64_t slots[4];
	uint64_t before[16], after[16];
	uint32_t vectors_before[KEPT_VECTORS][8], vectors_after[KEPT_VECTORS][8];
};

/* Where the sources of one piece of code are, and the result. */
struct arrangement {
	struct x86_operand sources[4];
	unsigned result;
};

/* rdi points to the frame. */
static const uint8_t pool[] = { X86_RBX, X86_RBP, X86_RSI, X86_R8, X86_R12, X86_R13, X86_R15 };
enum { POOL = sizeof(pool) };

static bool is_ours(unsigned number)
{
	return number != X86_RSP && number != X86_RDI;
}

static void emit_before(struct x86 *x)
{
	for (unsigned i = 0; i < 16; i++)
		x86_emit(x, X86_push, x86_r64(i));
	for (int i = 0; i < KEPT_VECTORS; i++)
		x86_emit(x, X86_vmovups, x86_ymm((unsigned)i),
			 x86_at(X86_RDI, (int32_t)offsetof(struct frame, vectors_before) + 32 * i));
	for (int i = 0; i < 16; i++)
		if (is_ours((unsigned)i))
			x86_emit(x, X86_mov, x86_r64((unsigned)i),
				 x86_at(X86_RDI, (int32_t)offsetof(struct frame, before) + 8 * i));
}

static void emit_after(struct x86 *x)
{
	for (int i = 0; i < 16; i++)
		x86_emit(x, X86_mov,
			 x86_at(X86_RDI, (int32_t)offsetof(struct frame, after) + 8 * i),
			 x86_r64((unsigned)i));
	for (int i = 0; i < KEPT_VECTORS; i++)
		x86_emit(x, X86_vmovups,
			 x86_at(X86_RDI, (int32_t)offsetof(struct frame, vectors_after) + 32 * i),
			 x86_ymm((unsigned)i));
	for (unsigned i = 16; i--;)
		if (i == X86_RSP)
			x86_emit(x, X86_add, x86_r64(X86_RSP), x86_immediate(8));
		else
			x86_emit(x, X86_pop, x86_r64(i));
	x86_emit(x, X86_vzeroupper);
	x86_emit(x, X86_ret);
}

static struct x86_operand random_source(const struct op_row *row, unsigned i)
{
	const unsigned kind = random_below(10);

	if (kind < 4)
		return x86_r64(pool[random_below(POOL)]);
	if (kind < 6)
		return x86_at(X86_RDI, (int32_t)(8 * i));
	return x86_immediate((int64_t)random_value(row->sizes[i + 1]));
}

/*
 * The first ones: registers that differ, and the result is another one, or is each source. Then
 * each special value as an immediate: not of source 0 where there are others.
 */
static void arrange(const struct op_row *row, unsigned number, struct arrangement *out)
{
	const bool plain = number < 5;

	for (unsigned i = 0; i < row->sources; i++)
		out->sources[i] = plain ? x86_r64(pool[i]) : random_source(row, i);
	if (!plain && number < 5 + SPECIAL) {
		const unsigned i = row->sources > 1 ? 1 + random_below(row->sources - 1u) : 0;

		out->sources[i] = x86_immediate((int64_t)(special[number - 5] &
							  element_mask(row->sizes[i + 1])));
	}
	out->result = pool[plain ? (number + 4) % 5 : random_below(POOL)];
}

/*
 * A row is not selected for every kind of its last source: then nothing is emitted, and it is
 * selected for an immediate.
 */
static bool emit_row(struct x86 *x, enum x86_isa isa, const struct op_row *row,
		     struct arrangement *at)
{
	struct select s = { .x = x, .isa = isa, .canonical = true };
	const size_t used = x->used;
	const unsigned last = row->sources - 1u;

	if (select_value(&s, row, x86_r64(at->result), at->sources))
		return true;
	CHECK_INT(x->used, used);
	at->sources[last] = x86_immediate((int64_t)random_value(row->sizes[last + 1]));
	return select_value(&s, row, x86_r64(at->result), at->sources);
}

typedef void (*code_fn)(struct frame *frame);

static code_fn compile_row(uint8_t *pages, enum x86_isa isa, const struct op_row *row,
			   struct arrangement *at)
{
	const struct x86_limits limits = { pages, CODE, 0, 0 };
	CLEANUP(free_x86) struct x86 *x = NULL;
	code_fn code;
	size_t size;

	if (mprotect(pages, CODE, PROT_READ | PROT_WRITE) || x86_new(&limits, isa, &x, NULL))
		return NULL;
	emit_before(x);
	if (!emit_row(x, isa, row, at))
		return NULL;
	emit_after(x);
	if (x86_finish(x, &size, NULL) || mprotect(pages, CODE, PROT_READ | PROT_EXEC))
		return NULL;
	memcpy(&code, &pages, sizeof(code));
	return code;
}

/* ---- Execution ---- */

/* Random registers, of which those that are sources have elements; @s gets all sources. */
static void fill_frame(const struct op_row *row, const struct arrangement *at, struct frame *f,
		       uint64_t s[4])
{
	uint8_t least[16] = { 0 };

	memset(f, 0, sizeof(*f));
	for (unsigned i = 0; i < 16; i++)
		f->before[i] = random_bits();
	for (unsigned i = 0; i < KEPT_VECTORS * 8; i++)
		f->vectors_before[i / 8][i % 8] = (uint32_t)random_bits();
	for (unsigned i = 0; i < row->sources; i++) {
		const struct x86_operand *source = &at->sources[i];
		const unsigned size = row->sizes[i + 1];

		f->slots[i] = random_value(size);
		/* One register is several sources: of the smallest of their sizes. */
		if (source->kind != X86_GPR ||
		    (least[source->number] && size >= least[source->number]))
			continue;
		least[source->number] = (uint8_t)size;
		f->before[source->number] = random_value(size);
	}
	for (unsigned i = 0; i < row->sources; i++) {
		const struct x86_operand *source = &at->sources[i];

		s[i] = source->kind == X86_GPR ? f->before[source->number] :
		       source->kind == X86_MEMORY ? f->slots[i] : (uint64_t)source->value;
	}
}

/* Registers that may not change. */
static bool are_kept(const struct arrangement *at, const struct frame *f)
{
	for (unsigned i = X86_RBX; i < 16; i++)
		if (is_ours(i) && i != at->result && f->before[i] != f->after[i])
			return false;
	return !memcmp(f->vectors_before, f->vectors_after, sizeof(f->vectors_before));
}

static void describe(const struct op_row *row, const struct arrangement *at, const uint64_t s[4],
		     uint64_t got, uint64_t want)
{
	printf("# %s: ", handler_name(row->forms[0]));
	for (unsigned i = 0; i < row->sources; i++)
		printf("%s %u = %#" PRIx64 ", ", at->sources[i].kind == X86_GPR ? "register" :
		       at->sources[i].kind == X86_MEMORY ? "memory" : "immediate",
		       at->sources[i].number, s[i]);
	printf("result in %u: got %#" PRIx64 ", want %#" PRIx64 "\n", at->result, got, want);
}

static bool is_nan_f64(uint64_t bits)
{
	return bits << 1 > 0xffe0000000000000;
}

/*
 * An f64 that is NaN has the bits of a source, as a quiet NaN. Which one's of several is what the
 * compiler makes of a + b: of b + a too.
 */
static bool is_some_nan(const struct op_row *row, const uint64_t s[4], uint64_t got)
{
	if (row->sizes[0] != 8 || row->classes[0] != ELEMENT_F64)
		return false;
	for (unsigned i = 0; i < row->sources; i++)
		if (is_nan_f64(s[i]) && (s[i] | 1ull << 51) == got)
			return true;
	return false;
}

static bool run_round(const struct op_row *row, const struct arrangement *at, code_fn code,
		      uint32_t mode)
{
	struct frame f;
	uint64_t s[4], want;

	fill_frame(row, at, &f, s);
	fp_write(mode);
	code(&f);
	want = references[row->forms[0]].want(s);
	fp_write(FP_RN);
	if ((f.after[at->result] == want ||
	     (is_nan_f64(want) && is_some_nan(row, s, f.after[at->result]))) && are_kept(at, &f))
		return true;
	describe(row, at, s, f.after[at->result], want);
	return false;
}

static bool run_row(uint8_t *pages, enum x86_isa isa, const struct op_row *row)
{
	const uint32_t mode = references[row->forms[0]].mode;

	for (unsigned number = 0; number < ARRANGEMENTS; number++) {
		struct arrangement at;
		code_fn code;

		arrange(row, number, &at);
		code = compile_row(pages, isa, row, &at);
		if (!code) {
			printf("# %s: not compiled\n", handler_name(row->forms[0]));
			return false;
		}
		for (unsigned round = 0; round < ROUNDS; round++) {
			const uint32_t any = round & 1 ? FP_RN : FP_RM_FTZ;

			if (!run_round(row, &at, code, mode == FP_ANY ? any : mode))
				return false;
		}
	}
	return true;
}

static void run_rows(enum x86_isa isa)
{
	uint8_t *pages = mmap(NULL, CODE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned selected = 0, wrong = 0;

	REQUIRE(pages != MAP_FAILED);
	for (size_t i = 0; i < op_row_count; i++) {
		const struct op_row *row = &op_rows[i];

		if (row->shape == SHAPE_CARRY || !select_has_value(row)) {
			CHECK(row->shape != SHAPE_CARRY || !select_has_value(row));
			continue;
		}
		selected++;
		wrong += !run_row(pages, isa, row);
	}
	printf("# %u rows of %zu\n", selected, op_row_count);
	CHECK(selected > 200);
	CHECK_INT(wrong, 0);
	munmap(pages, CODE);
}

static void test_avx2(void)
{
	if (!isa_available(ISA_v3))
		SKIP("needs a processor with AVX2");
	run_rows(X86_AVX2);
}

/* Other encodings of the same instructions, where a table has several. */
static void test_avx512(void)
{
	if (!isa_available(ISA_v4))
		SKIP("needs a processor with AVX-512");
	run_rows(X86_AVX512);
}

int main(void)
{
	RUN(test_avx2);
	RUN(test_avx512);
	return tap_end();
}
