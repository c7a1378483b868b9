/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What select_strip() emits, executed: for each row that it knows, with operands in each place
 * that they may be in, and numbers on all edges. The results have to be those of the row's handler.
 */
#include <sys/mman.h>

#include "code.h"
#include "config.h"
#include "machine.h"
#include "select.h"
#include "tap.h"
#include "warp.h"

enum { CODE = 1 << 16, SOURCES = 4, RUNS = 40 };

/* Sources and results, as in a row file: elements of each lane. */
static struct {
	uint8_t sources[SOURCES][LANES * 8];
	uint8_t result[LANES * 8], handled[LANES * 8];
	uint32_t predicate[16];
	uint8_t handled_predicate[4];
} data __attribute__((aligned(64)));

static uint64_t random_bits(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static const uint64_t edges64[] = {
	0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x100000001, 0x1ffffffff,
	0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, ~0ull, ~1ull, ~31ull,
	/* f64: ones, halves, infinities, NaNs, subnormal ones, limits of integers */
	0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0xbfe0000000000000,
	0x3ff8000000000000, 0x4004000000000000, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000001234, 0xfffc000012345678,
	0x7ff0000000000001, 0xfff7ffffffffffff, 0x0010000000000000, 0x000fffffffffffff,
	0x800fffffffffffff, 0x0000000000000001, 0x41dfffffffc00000, 0x41e0000000000000,
	0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,
	0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x43dfffffffffffff,
	0x4330000000000001, 0x4320000000000001, 0x7fefffffffffffff, 0x47efffffe0000000,
	0x36a0000000000000, 0x3690000000000000, 0x380fffffffffffff, 0x41dfffffffe00000,
	0x41efffffffffffff, 0x43efffffffffffff,
};

static const uint32_t edges32[] = {
	0, 1, 2, 7, 8, 15, 16, 17, 30, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 32767, 32768,
	65535, 65536, 0x10020, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe,
	/* f32 */
	0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000,
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc01234, 0xffd56789, 0x7f800001,
	0xff80ffff, 0x7fffffff, 0x00800000, 0x007fffff, 0x807fffff, 0x00000001, 0x4effffff,
	0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000,
	0xdf000000, 0x5f800000, 0x7f7fffff, 0x477fe000, 0x477fefff, 0x477ff000, 0x38800000,
	0x387fffff, 0x33800000, 0x33000000, 0x33000001, 0x7e800000, 0x7f000000, 0x7e800001,
	0x00018000, 0x3f808000, 0x3f818000, 0x42fe0000, 0x43800000, 0xc3000000, 0xc3010000,
	0x43000000, 0x47000000, 0x477fff00,
	/* halves in one word */
	0x7c007e01, 0xfc01fe00, 0x80010001, 0x03ff83ff, 0x7bfffbff, 0x3c00bc00, 0x04008400,
	0x7f80ff80, 0x7f81ffc0, 0x00010080,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A number of @bytes: one of the edges, one close to it, or any. */
static uint64_t number_of(unsigned bytes)
{
	const uint64_t random = random_bits();
	uint64_t edge = bytes == 8 ? edges64[random % COUNT(edges64)] :
				     edges32[random % COUNT(edges32)];

	if (bytes < 4 && random & 1 << 20)
		edge >>= 16;
	switch (random >> 32 & 7) {
	case 0: return random_bits();
	case 1: return random_bits() & 63;
	case 2: return edge + (random >> 40 & 3) - 1;
	case 3: return bytes == 8 ? (random_bits() & 0x800fffffffffffff) |
					    (0x3f0ull + (random >> 40 & 0x7f)) << 52 :
				    (random_bits() & 0x807fffff) |
					    (0x70ull + (random >> 40 & 0x3f)) << 23;
	default: return edge;
	}
}

/* Elements of @bytes for all lanes; the same in all, if @all. */
static void fill_source(uint8_t *to, unsigned bytes, bool all)
{
	uint64_t value = 0;

	for (unsigned l = 0; l < LANES; l++) {
		if (!l || !all)
			value = number_of(bytes);
		memcpy(to + l * bytes, &value, bytes);
	}
}

static void stop(struct warp *warp, const struct op *ip)
{
	(void)warp, (void)ip;
}

/* What the handler computes of data.sources; MXCSR is then what it sets. */
static void execute_handler(const struct op_row *row)
{
	static struct warp warp;
	op_fn *fn = handler_set_choose()->handlers[row->forms[0]];
	struct op ops[2] = { { .fn = fn }, { .fn = stop } };
	const uint8_t *base = (const uint8_t *)&data;
	int32_t at[SOURCES];

	for (unsigned i = 0; i < SOURCES; i++)
		at[i] = (int32_t)(data.sources[i] - base);
	warp.rows = (uint8_t *)&data;
	warp.mask = warp.full = warp.live = ~0u;
	warp.mode = ~0u;
	ops[0].d = (int32_t)((row->sizes[0] ? data.handled : data.handled_predicate) - base);
	ops[0].a = at[0];
	ops[0].b = at[1];
	ops[0].c = at[2];
	ops[0].imm = at[3];
	fn(&warp, ops);
}

/* Where the operands of a function are. */
struct places {
	const char *name;
	int result;        /* shares the registers of this source; -1: of none */
	bool crossed;      /* the lower part those of the upper one */
	bool reversed;     /* registers of high numbers */
	unsigned memory;   /* bit per source that is in memory */
	unsigned broadcast; /* and is one element there */
};

static const struct places places[] = {
	{ "registers", -1, false, false, 0, 0 },
	{ "high registers", -1, false, true, 0, 0 },
	{ "result in a", 0, false, false, 0, 0 },
	{ "result in b", 1, false, false, 0, 0 },
	{ "result in c", 2, false, false, 0, 0 },
	{ "result in e", 3, false, false, 0, 0 },
	{ "result crosses a", 0, true, false, 0, 0 },
	{ "result crosses b", 1, true, false, 0, 0 },
	{ "result crosses c", 2, true, false, 0, 0 },
	{ "a in memory", -1, false, false, 1, 0 },
	{ "b in memory", -1, false, false, 2, 0 },
	{ "b in memory, result in a", 0, false, false, 2, 0 },
	{ "a in memory, result in b", 1, false, false, 1, 0 },
	{ "c in memory", -1, false, true, 4, 0 },
	{ "c in memory, result in b", 1, false, false, 4, 0 },
	{ "all in memory", -1, false, false, 15, 0 },
	{ "a in memory, result in c", 2, false, false, 1, 0 },
	{ "a is one number", -1, false, false, 1, 1 },
	{ "b is one number", -1, false, false, 2, 2 },
	{ "b is one number, result in a", 0, false, true, 2, 2 },
	{ "c is one number", -1, false, false, 4, 4 },
	{ "c is one number, result in a", 0, false, false, 4, 4 },
	{ "all are one number", -1, false, false, 15, 15 },
	{ "b and c are one number, result in a", 0, false, false, 6, 6 },
	{ "c and e are one number, result in b", 1, true, false, 12, 12 },
};

/* Tells whether the places differ from others for @row, and exist. */
static bool places_fit(const struct op_row *row, const struct places *where)
{
	const unsigned all = (1u << row->sources) - 1;

	if (where->result >= row->sources || (where->result >= 0 && !row->sizes[0]))
		return false;
	if (where->crossed && row->sizes[0] != 8 && row->sizes[where->result + 1] != 8)
		return false;
	if (where->memory != 15 && where->memory & ~all)
		return false;
	if (where->result >= 0 && where->memory & 1u << where->result)
		return false;
	for (unsigned i = 0; i < row->sources; i++)
		if (where->broadcast >> i & 1 && row->sizes[i + 1] < 4)
			return false;
	return true;
}

struct function {
	const struct op_row *row;
	const struct places *where;
	enum x86_isa isa;
	bool canonical;
	uint32_t immediate; /* the last source, where it is one */
	uint32_t step;      /* of one source to the next in all runs; 0: they are any numbers */
	unsigned runs;
	uint8_t *pages;
	struct x86 *x;
};

static unsigned vector_bytes(const struct function *f)
{
	return f->isa == X86_AVX2 ? 32 : 64;
}

/* Part @part of a strip of elements of @size at rdi + @offset. */
static struct x86_operand memory_part(const struct function *f, size_t offset, unsigned part)
{
	return x86_at(X86_RDI, (int32_t)(offset + part * vector_bytes(f)));
}

/* Loads or stores the @size-byte elements of a part. */
static void emit_move(const struct function *f, struct x86_operand memory, unsigned number,
		      unsigned size, bool store)
{
	const unsigned all = vector_bytes(f), bytes = size == 8 ? all : all * size / 4;
	const struct x86_operand r = x86_vector(bytes > 16 ? bytes : 16, number);
	const enum x86_name name = bytes < 16 ? X86_vmovq : X86_vmovups;

	if (store)
		x86_emit(f->x, name, memory, r);
	else
		x86_emit(f->x, name, r, memory);
}

/* The register of @part of source @i; the result's is SOURCES. */
static unsigned number_at(const struct function *f, unsigned i, unsigned part)
{
	const unsigned n = 2 * i + part;

	return !f->where->reversed ? n : f->isa == X86_AVX2 ? 11 - n : 25 - n;
}

static unsigned result_at(const struct function *f, unsigned part)
{
	if (f->where->result < 0)
		return number_at(f, SOURCES, part);
	return number_at(f, (unsigned)f->where->result, part ^ f->where->crossed);
}

static size_t source_offset(unsigned i)
{
	return offsetof(__typeof__(data), sources) + i * sizeof(data.sources[0]);
}

/* Tells whether source @i of @row is an immediate. */
static bool is_immediate(const struct op_row *row, unsigned i)
{
	return (row->forms[0] == HANDLER_lop3_b32_rrrr && i == 3) ||
	       (row->forms[0] == HANDLER_prmt_b32_rrr && i == 2);
}

/* Emits the function, of the data's address and the first strip's lanes. */
static bool emit_function(struct function *f)
{
	const struct op_row *row = f->row;
	struct select s = { f->x, f->isa, 0, f->canonical };
	struct strip result = { { { 0 } } }, sources[SOURCES] = { 0 };
	const size_t at = row->sizes[0] ? offsetof(__typeof__(data), result) :
					  offsetof(__typeof__(data), predicate);

	for (unsigned i = 0; i < row->sources; i++) {
		const unsigned size = row->sizes[i + 1];

		for (unsigned part = 0; part < (size == 8 ? 2 : 1); part++) {
			struct x86_operand memory = memory_part(f, source_offset(i), part);

			if (f->where->broadcast >> i & 1)
				memory = x86_broadcast(x86_at(X86_RDI, (int32_t)source_offset(i)));
			sources[i].part[part] = memory;
			if (is_immediate(row, i))
				sources[i].part[part] = x86_immediate(f->immediate);
			if (f->where->memory >> i & 1 || is_immediate(row, i))
				continue;
			sources[i].part[part] = x86_vector(vector_bytes(f), number_at(f, i, part));
			emit_move(f, memory, number_at(f, i, part), size, false);
		}
	}
	for (unsigned part = 0; part < 2; part++)
		result.part[part] = row->sizes[0] || f->isa == X86_AVX2 ?
					    x86_vector(vector_bytes(f), result_at(f, part)) :
					    x86_k(2);
	if (!CHECK(select_strip(&s, row, result, sources)) || !CHECK(!s.used))
		return false;
	if (!row->sizes[0] && f->isa == X86_AVX512)
		x86_emit(f->x, X86_kmovw, x86_at(X86_RDI, (int32_t)at), result.part[0]);
	else
		for (unsigned part = 0; part < (row->sizes[0] == 8 ? 2 : 1); part++)
			emit_move(f, memory_part(f, at, part), result_at(f, part),
				  row->sizes[0] ? row->sizes[0] : 4, true);
	x86_emit(f->x, X86_vzeroupper);
	x86_emit(f->x, X86_ret);
	return true;
}

/* Lane @l of the predicate that a function of @isa has left. */
static bool predicate_of(enum x86_isa isa, unsigned l)
{
	if (isa == X86_AVX512)
		return data.predicate[0] >> l & 1;
	CHECK(data.predicate[l] == 0 || data.predicate[l] == ~0u);
	return data.predicate[l] & 1;
}

static bool is_nan(uint32_t bits)
{
	return (bits & 0x7fffffff) > 0x7f800000;
}

/* Tells whether sources of lane @l, f64, are several NaNs, of which @bits is one. */
static bool one_of_nans(const struct op_row *row, unsigned l, uint64_t bits)
{
	const uint64_t quiet = 1ull << 51;
	unsigned nans = 0;
	bool found = false;

	for (unsigned i = 0; i < row->sources; i++) {
		uint64_t source;

		memcpy(&source, data.sources[i] + 8 * l, 8);
		if (row->classes[i + 1] != ELEMENT_F64 ||
		    (source & ~(1ull << 63)) <= 0x7ff0000000000000)
			continue;
		nans++;
		found = found || (source | quiet) == bits;
	}
	return nans > 1 && found;
}

/* Whether lane @l is as the handler has it; NaNs as far as they are defined. */
static bool lane_same(const struct function *f, unsigned l)
{
	const struct op_row *row = f->row;
	const unsigned size = row->sizes[0];
	uint64_t ours = 0, theirs = 0;

	if (!size)
		return predicate_of(f->isa, l) == (data.handled_predicate[l / 8] >> l % 8 & 1);
	memcpy(&ours, data.result + l * size, size);
	memcpy(&theirs, data.handled + l * size, size);
	if (ours == theirs)
		return true;
	if (row->classes[0] == ELEMENT_F32 && !f->canonical)
		return is_nan((uint32_t)ours) && is_nan((uint32_t)theirs);
	/* Which of several wins is another one in some lanes of a handler, as gcc compiles it. */
	if (row->classes[0] == ELEMENT_F64)
		return one_of_nans(row, l, ours) && one_of_nans(row, l, theirs);
	return false;
}

static void print_lane(const struct function *f, unsigned l)
{
	printf("# %s, %s, %s: lane %u:", f->row->spelling, f->isa == X86_AVX2 ? "AVX2" : "AVX-512",
	       f->where->name, l);
	for (unsigned i = 0; i < f->row->sources; i++) {
		uint64_t value = 0;

		memcpy(&value, data.sources[i] + l * f->row->sizes[i + 1], f->row->sizes[i + 1]);
		printf(" %#" PRIx64, value);
	}
	for (unsigned i = 0; i < 2; i++) {
		uint64_t value = 0;

		memcpy(&value, (i ? data.handled : data.result) + l * f->row->sizes[0],
		       f->row->sizes[0]);
		printf("%s %#" PRIx64, i ? ", expected" : ": got", value);
	}
	printf("%s\n", f->canonical ? ", canonical" : "");
}

/* Source 0 of all lanes: numbers that follow each other through all runs. */
static void fill_steps(const struct function *f, unsigned run)
{
	for (uint32_t l = 0; l < LANES; l++) {
		const uint32_t value = (run * (vector_bytes(f) / 4) + l) * f->step;

		memcpy(data.sources[0] + 4 * l, &value, 4);
	}
}

static bool run_function(const struct function *f)
{
	const unsigned last = f->row->sources - 1u;
	void (*code)(void *);

	memcpy(&code, &f->pages, sizeof(code));
	for (unsigned run = 0; run < f->runs; run++) {
		for (unsigned i = 0; i < f->row->sources; i++)
			fill_source(data.sources[i], f->row->sizes[i + 1],
				    f->where->broadcast >> i & 1);
		if (f->step)
			fill_steps(f, run);
		for (unsigned l = 0; is_immediate(f->row, last) && l < LANES; l++)
			memcpy(data.sources[last] + 4 * l, &f->immediate, 4);
		execute_handler(f->row);
		code(&data);
		fp_write(FP_RN);
		for (unsigned l = 0; l < vector_bytes(f) / 4; l++)
			if (!lane_same(f, l)) {
				print_lane(f, l);
				return false;
			}
	}
	return true;
}

static bool try_function(struct function *f)
{
	struct x86_limits limits = { f->pages, CODE, 64, 64 };
	size_t size;
	bool same;

	if (mprotect(f->pages, CODE, PROT_READ | PROT_WRITE) ||
	    x86_new(&limits, f->isa, &f->x, NULL))
		return false;
	same = emit_function(f) && !x86_finish(f->x, &size, NULL) &&
	       !mprotect(f->pages, CODE, PROT_READ | PROT_EXEC) && run_function(f);
	x86_free(f->x);
	return same;
}

/* Tries the row with its operands in each place; with many immediates, each in some place. */
static bool try_row(struct function *f)
{
	const bool immediate = is_immediate(f->row, f->row->sources - 1u);

	for (unsigned i = 0; i < (immediate ? 1024 : COUNT(places)); i++) {
		f->immediate = i < 256 ? i : (uint32_t)random_bits() & 0xffff;
		f->where = &places[i % COUNT(places)];
		f->canonical = i & 1;
		if (places_fit(f->row, f->where) && !try_function(f)) {
			printf("# %s: %s\n", f->row->spelling, f->where->name);
			return false;
		}
	}
	return true;
}

static void test_isa(enum x86_isa isa)
{
	struct function f = { .isa = isa, .runs = RUNS };
	unsigned rows = 0;

	f.pages = mmap(NULL, CODE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(f.pages != MAP_FAILED);
	for (size_t i = 0; i < op_row_count; i++) {
		f.row = &op_rows[i];
		if (!select_has_strip(isa, f.row))
			continue;
		rows++;
		CHECK(try_row(&f));
	}
	CHECK(rows >= 300);
	printf("# %u rows\n", rows);
	munmap(f.pages, CODE);
}

/*
 * What is computed in another way than in the handler, of a million numbers. All f32 were tried
 * when it was written, which takes minutes: a change of a series, in strip_approx.c or op_approx.h,
 * needs that anew, with a step of 1.
 */
static void try_series(enum x86_isa isa)
{
	static const uint16_t handlers[] = {
		HANDLER_ex2_approx_f32_r, HANDLER_ex2_approx_ftz_f32_r, HANDLER_lg2_approx_f32_r,
		HANDLER_lg2_approx_ftz_f32_r, HANDLER_rsqrt_approx_f32_r,
		HANDLER_rsqrt_approx_ftz_f32_r, HANDLER_sin_approx_f32_r,
		HANDLER_sin_approx_ftz_f32_r, HANDLER_cos_approx_f32_r,
		HANDLER_cos_approx_ftz_f32_r,
	};
	struct function f = { .isa = isa, .where = &places[0], .canonical = true, .step = 4099 };

	f.pages = mmap(NULL, CODE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(f.pages != MAP_FAILED);
	f.runs = UINT32_MAX / f.step / (vector_bytes(&f) / 4);
	for (size_t i = 0; i < op_row_count; i++)
		for (size_t k = 0; k < COUNT(handlers); k++) {
			f.row = &op_rows[i];
			if (f.row->forms[0] == handlers[k])
				CHECK(try_function(&f));
		}
	munmap(f.pages, CODE);
}

static void test_avx2(void)
{
	if (!isa_available(ISA_v3))
		SKIP("needs a processor with AVX2");
	test_isa(X86_AVX2);
	try_series(X86_AVX2);
}

static void test_avx512(void)
{
	if (!isa_available(ISA_v4))
		SKIP("needs a processor with AVX-512");
	test_isa(X86_AVX512);
	try_series(X86_AVX512);
}

/* Other NaNs in the place of the NaNs of f32. */
static void change_nans(const struct op_row *row)
{
	for (unsigned i = 0; i < row->sources; i++)
		for (unsigned l = 0; l < LANES && row->classes[i + 1] == ELEMENT_F32; l++) {
			uint32_t bits;

			memcpy(&bits, data.sources[i] + 4 * l, 4);
			if (is_nan(bits))
				bits = 0x7fc00000 | (uint32_t)random_bits();
			memcpy(data.sources[i] + 4 * l, &bits, 4);
		}
}

/* Tells whether the handler's results are @before, but for which NaN of f32 it is. */
static bool same_but_nans(const struct op_row *row, const uint8_t *before)
{
	if (row->classes[0] != ELEMENT_F32 || !row->sizes[0])
		return !memcmp(before, row->sizes[0] ? data.handled : data.handled_predicate,
			       row->sizes[0] ? row->sizes[0] * LANES : 4);
	for (unsigned l = 0; l < LANES; l++) {
		uint32_t bits[2];

		memcpy(&bits[0], before + 4 * l, 4);
		memcpy(&bits[1], data.handled + 4 * l, 4);
		if (bits[0] != bits[1] && !(is_nan(bits[0]) && is_nan(bits[1])))
			return false;
	}
	return true;
}

/* What has no shape of a row is not selected, nor what leaves a carry. */
static void test_shapes(void)
{
	struct op_row row = op_rows[0];

	for (size_t i = 0; i < op_row_count; i++) {
		const unsigned isas = select_has_strip(X86_AVX2, &op_rows[i]) +
				      select_has_strip(X86_AVX512, &op_rows[i]);
		const char *name = handler_name(op_rows[i].forms[0]);
		const char *form = strrchr(name, '_');

		if (!isas)
			CHECK(!select_any_nan(&op_rows[i]));
		else
			CHECK(op_rows[i].shape != SHAPE_CARRY && form &&
			      strspn(form + 1, "r") == op_rows[i].sources);
	}
	for (unsigned handler = 0; handler < HANDLER_COUNT; handler++) {
		const char *name = handler_name(handler), *form = strrchr(name, '_');
		const bool rows_alone = handler >= HANDLER_ROWS && handler < HANDLER_BRANCHES &&
					form && form[1 + strspn(form + 1, "r")] == 0;

		row.forms[0] = (uint16_t)handler;
		CHECK(rows_alone || !select_has_strip(X86_AVX512, &row));
	}
}

/* Handlers of rows with select_any_nan() do the same with each NaN, but for which one results. */
static void test_any_nan(void)
{
	unsigned rows = 0;

	for (size_t r = 0; r < op_row_count; r++) {
		const struct op_row *row = &op_rows[r];
		const unsigned size = row->sizes[0];
		uint8_t before[sizeof(data.handled) + 4];

		if (!select_any_nan(row))
			continue;
		rows++;
		for (unsigned run = 0; run < RUNS; run++) {
			for (unsigned i = 0; i < row->sources; i++)
				fill_source(data.sources[i], row->sizes[i + 1], false);
			execute_handler(row);
			memcpy(before, size ? data.handled : data.handled_predicate,
			       size ? size * LANES : 4);
			change_nans(row);
			execute_handler(row);
			CHECK(same_but_nans(row, before));
		}
	}
	fp_write(FP_RN);
	CHECK(rows > 100);
}

int main(void)
{
	RUN(test_shapes);
	RUN(test_any_nan);
	RUN(test_avx2);
	RUN(test_avx512);
	return tap_end();
}
