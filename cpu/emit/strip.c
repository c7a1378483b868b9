/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: the table of rows, and the parts of one. */
#include "strip.h"

#include "asserts.h"
#include "op_types.h"

/*
 * ROWn(name, function and instruction of AVX2, those of AVX-512, parameter, after): a row of n
 * sources. LIKEn(name, function, instructions of AVX2 and AVX-512, parameter, after): the function
 * is the same.
 */
#define LIKE1(name, fn, name2, name512, ...) ROW1(name, fn, name2, fn, name512, __VA_ARGS__)
#define LIKE2(name, fn, name2, name512, ...) ROW2(name, fn, name2, fn, name512, __VA_ARGS__)
#define LIKE3(name, fn, name2, name512, ...) ROW3(name, fn, name2, fn, name512, __VA_ARGS__)
#define LIKE4(name, fn, name2, name512, ...) ROW4(name, fn, name2, fn, name512, __VA_ARGS__)
#define X86_none X86_NO_NAME
#define strip_none NULL

enum strip_index {
	NO_STRIP,
#define ROW1(name, ...) STRIP_ROW_##name,
#define ROW2 ROW1
#define ROW3 ROW1
#define ROW4 ROW1
#include "strip.def"
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROW4
};

static const struct strip_row strip_rows[] = {
	{ .parameter = 0 },
#define ROW1(name, fn2, name2, fn512, name512, parameter, after)                           \
	{ { { strip_##fn2, X86_##name2 }, { strip_##fn512, X86_##name512 } }, parameter,  \
	  STRIP_##after },
#define ROW2 ROW1
#define ROW3 ROW1
#define ROW4 ROW1
#include "strip.def"
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROW4
};

/* By the handler for rows alone. */
static const uint16_t strip_of[HANDLER_BRANCHES - HANDLER_ROWS] = {
#define ROW1(name, ...) [HANDLER_##name##_r - HANDLER_ROWS] = STRIP_ROW_##name,
#define ROW2(name, ...) [HANDLER_##name##_rr - HANDLER_ROWS] = STRIP_ROW_##name,
#define ROW3(name, ...) [HANDLER_##name##_rrr - HANDLER_ROWS] = STRIP_ROW_##name,
#define ROW4(name, ...) [HANDLER_##name##_rrrr - HANDLER_ROWS] = STRIP_ROW_##name,
#include "strip.def"
};

static const struct strip_row *find_strip(const struct op_row *row)
{
	const unsigned handler = row->forms[0];

	return handler >= HANDLER_ROWS && handler < HANDLER_BRANCHES ?
		       &strip_rows[strip_of[handler - HANDLER_ROWS]] :
		       &strip_rows[NO_STRIP];
}

bool select_needs_number(const struct op_row *row)
{
	return find_strip(row)->after == STRIP_IMMEDIATE;
}

bool select_is_long(enum x86_isa isa, const struct op_row *row)
{
	static strip_fn *const series[] = { strip_exp2, strip_log2, strip_sine, strip_tanh,
					    strip_divide, strip_div_approx, strip_rsqrt };
	static const uint16_t slow[] = { X86_vdivps, X86_vdivpd, X86_vsqrtps, X86_vsqrtpd };
	const struct strip_way *way = &find_strip(row)->ways[isa];

	for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++)
		if (way->emit == series[i])
			return true;
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (way->emit && way->name == slow[i])
			return true;
	return false;
}

bool select_is_single(enum x86_isa isa, const struct op_row *row)
{
	const struct strip_row *how = find_strip(row);

	return how->ways[isa].emit == strip_binary && how->after == STRIP_BITS;
}

bool select_any_nan(const struct op_row *row)
{
	const unsigned after = find_strip(row)->after;
	bool floats = false;

	if (after == STRIP_BITS || after == STRIP_IMMEDIATE)
		return false;
	for (unsigned i = 1; i <= row->sources; i++) {
		if (row->sizes[i] == 4 && row->classes[i] != ELEMENT_F32)
			return false;
		floats = floats || row->classes[i] == ELEMENT_F32;
	}
	return floats;
}

bool select_has_strip(enum x86_isa isa, const struct op_row *row)
{
	return find_strip(row)->ways[isa].emit != NULL;
}

/* A strip that is being emitted. */
struct strips {
	struct strip_work w;
	const struct strip_row *how;
	const struct strip *result, *sources;
	unsigned full;  /* bytes of a vector register */
	unsigned parts;
};

/* Bytes of elements of @size of one part. */
static unsigned part_bytes(const struct strips *t, unsigned size)
{
	return t->full * size / 4 / t->parts;
}

/* The upper half of the register @of, which has @bytes, in a free one. */
static struct x86_operand upper_half(struct strip_work *w, struct x86_operand of, unsigned bytes)
{
	const struct x86_operand to = strip_temporary(w);
	const struct x86_operand half = strip_wide(to, bytes >= 32 ? bytes / 2 : 16);

	of = strip_wide(of, bytes >= 16 ? bytes : 16);
	if (bytes == 64)
		OP(vextracti64x4, half, of, IMM(1));
	else if (bytes == 32)
		OP2(vextracti128, vextracti32x4, half, of, IMM(1));
	else
		OP(vpsrldq, half, of, IMM(bytes / 2));
	return half;
}

/* Source @i of @part. */
static struct x86_operand part_of(struct strips *t, unsigned i, unsigned part)
{
	const unsigned size = strip_size(&t->w, i), bytes = part_bytes(t, size);
	struct x86_operand operand = t->sources[i].part[size == 8 ? part : 0];

	if (operand.kind == X86_MEMORY) {
		if (size < 8 && part && !operand.broadcast)
			operand.displacement += (int32_t)bytes;
		return x86_sized(operand, bytes);
	}
	if (operand.kind == X86_IMMEDIATE)
		return operand;
	ASSERT(operand.kind == X86_VECTOR);
	if (size < 8 && part)
		return upper_half(&t->w, operand, t->full * size / 4);
	return strip_wide(operand, bytes > 16 ? bytes : 16);
}

/* Tells whether @part reads the register of @result. */
static bool part_reads(const struct strips *t, unsigned part, struct x86_operand result)
{
	for (unsigned i = 0; i < t->w.row->sources; i++)
		if (strip_same(t->sources[i].part[strip_size(&t->w, i) == 8 ? part : 0], result))
			return true;
	return false;
}

static void saturate(struct strip_work *w)
{
	if (strip_result_size(w) == 8) {
		OP(vmaxpd, w->d, w->d, strip_constant64(w, 0));
		OP(vminpd, w->d, w->d, strip_constant64(w, f64_bits(1)));
	} else {
		OP(vmaxps, w->d, w->d, strip_constant32(w, 0));
		OP(vminps, w->d, w->d, strip_constant32(w, f32_bits(1)));
	}
}

/* Emits @part, with the result in @d. */
static void emit_part(struct strips *t, unsigned part, struct x86_operand d)
{
	struct strip_work *w = &t->w;
	const unsigned bytes = w->bytes;
	const uint8_t used = w->s->used;

	w->d = d;
	for (unsigned i = 0; i < w->row->sources; i++)
		w->a[i] = part_of(t, i, part);
	t->how->ways[w->isa].emit(w);
	w->s->used = used;
	w->bytes = d.bytes; /* constants are as wide as the result from here on */
	if (t->how->after == STRIP_SATURATED)
		saturate(w);
	if (t->how->after == STRIP_CANONICAL && w->s->canonical)
		strip_canonical(w, d);
	w->bytes = bytes;
}

/* Results of 8 bytes: the first part's must not be in a register that the other one reads. */
static void emit_both(struct strips *t)
{
	const struct x86_operand d[2] = { strip_wide(t->result->part[0], t->full),
					  strip_wide(t->result->part[1], t->full) };
	const unsigned first = part_reads(t, 1, d[0]) && !part_reads(t, 0, d[1]);
	struct strip_work *w = &t->w;
	struct x86_operand held = d[first];

	if (part_reads(t, !first, held))
		held = strip_temporary(w);
	emit_part(t, first, held);
	emit_part(t, !first, d[!first]);
	if (held.number != d[first].number)
		OP(vmovaps, d[first], held);
}

/*
 * Results of fewer bytes than a source has: each part makes half of the register. The upper one
 * first, for the result's register may be a source's.
 */
static void emit_halves(struct strips *t)
{
	struct strip_work *w = &t->w;
	const unsigned total = part_bytes(t, strip_result_size(w)) * 2;
	const unsigned bytes = total > 32 ? total / 2 : 16;
	const struct x86_operand d = strip_wide(t->result->part[0], total > 16 ? total : 16);
	const struct x86_operand high = strip_wide(strip_temporary(w), bytes);

	emit_part(t, 1, high);
	emit_part(t, 0, strip_wide(d, bytes));
	if (total == 64)
		OP(vinserti64x4, d, d, high, IMM(1));
	else if (total == 32)
		OP2(vinserti128, vinserti32x4, d, d, high, IMM(1));
	else if (total == 16)
		OP(vpunpcklqdq, d, d, high);
	else
		OP(vpunpckldq, d, d, high);
}

/* Predicates of elements of 8 bytes, likewise. */
static void emit_predicate(struct strips *t)
{
	struct strip_work *w = &t->w;
	struct x86_operand d = t->result->part[0], high = x86_k(SELECT_MASK + 1);

	if (w->isa == X86_AVX512) {
		emit_part(t, 1, high);
		emit_part(t, 0, d);
		OP(kunpckbw, d, high, d);
		return;
	}
	d = strip_wide(d, t->full);
	high = strip_temporary(w);
	emit_part(t, 1, high);
	emit_part(t, 0, d);
	OP(vshufps, d, d, high, IMM(0x88));
	OP(vpermq, d, d, IMM(0xd8));
}

/* Where the result of a row of one part is. */
static struct x86_operand whole_result(const struct strips *t)
{
	const struct x86_operand d = t->result->part[0];
	const unsigned size = strip_result_size(&t->w), bytes = part_bytes(t, size ? size : 4);

	if (!size && t->w.isa == X86_AVX512)
		return d;
	return strip_wide(d, bytes > 16 ? bytes : 16);
}

bool select_strip(struct select *s, const struct op_row *row, struct strip result,
		  const struct strip sources[4])
{
	const struct strip_row *how = find_strip(row);
	const struct strip_way *way = &how->ways[s->isa];
	struct strips t = {
		.w = { s->x, s, s->isa, row, way->name, how->parameter, 0, { 0 }, { { 0 } } },
		.how = how, .result = &result, .sources = sources,
		.full = s->isa == X86_AVX2 ? 32 : 64,
	};
	const uint8_t used = s->used;
	unsigned widest = row->sizes[0];

	if (!way->emit || (how->after == STRIP_IMMEDIATE &&
			   sources[row->sources - 1].part[0].kind != X86_IMMEDIATE))
		return false;
	for (unsigned i = 0; i < row->sources; i++)
		if (row->sizes[i + 1] > widest)
			widest = row->sizes[i + 1];
	t.parts = widest == 8 ? 2 : 1;
	t.w.bytes = part_bytes(&t, widest) > 16 ? part_bytes(&t, widest) : 16;
	if (t.parts == 1)
		emit_part(&t, 0, whole_result(&t));
	else if (row->sizes[0] == 8)
		emit_both(&t);
	else if (row->sizes[0])
		emit_halves(&t);
	else
		emit_predicate(&t);
	s->used = used;
	return true;
}
