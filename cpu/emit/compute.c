/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions that compute: one time for all lanes, or strip by strip. */
#include "compile.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* ---- What lanes share ---------------------------------------------------------------------- */

/* Brings what lanes share, as @bytes with zeros above them, into register @number. */
static void load_value(struct compile *c, uint32_t value, unsigned bytes, unsigned number)
{
	const struct x86_operand from = value_source(c, value, bytes, number);

	if (from.kind == X86_IMMEDIATE)
		load_number(c, number, from.value);
	else if (from.kind != X86_GPR || from.number != number)
		EMIT(mov, x86_r64(number), from);
}

static void select_shared(struct compile *c, const struct ir_insn *insn, struct x86_operand result)
{
	load_value(c, insn->a[0], insn->size, X86_RCX);
	load_value(c, insn->a[1], insn->size, X86_RDX);
	mask_collect(c, insn->a[2]);
	EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
	EMIT(cmove, x86_r64(X86_RCX), x86_r64(X86_RDX));
	EMIT(mov, result, x86_r64(X86_RCX));
}

/* The first lane of a row: all lanes run. */
static void take_first(struct compile *c, const struct ir_insn *insn, struct x86_operand result)
{
	struct x86_operand from;

	if (!in_vectors(c, insn->a[0])) {
		load_value(c, insn->a[0], insn->size, result.number);
		return;
	}
	from = exact_source(c, insn->a[0], insn->size, 0, 0).part[0];
	if (from.kind == X86_VECTOR && insn->size == 8)
		EMIT(vmovq, result, x86_xmm(from.number));
	else if (from.kind == X86_VECTOR)
		EMIT(vmovd, x86_r32(result.number), x86_xmm(from.number));
	else if (insn->size >= 4)
		EMIT(mov, x86_gpr(insn->size, result.number), from);
	else
		EMIT(movzx, x86_r32(result.number), x86_sized(from, insn->size));
	if (from.kind == X86_VECTOR && insn->size < 4)
		EMIT(movzx, x86_r32(result.number), x86_gpr(insn->size, result.number));
}

/* Predicates of 0 or all bits. */
static void logic_shared(struct compile *c, const struct ir_insn *insn, struct x86_operand result)
{
	static const uint16_t names[IR_OPS] = { [IR_AND] = X86_and, [IR_OR] = X86_or,
						[IR_XOR] = X86_xor };

	mask_collect(c, insn->a[0]);
	if (insn->sources == 2) {
		EMIT(mov, x86_r32(X86_RDX), x86_r32(X86_RAX));
		mask_collect(c, insn->a[1]);
		x86_emit(c->x, names[insn->op], x86_r32(X86_RAX), x86_r32(X86_RDX));
	} else if (insn->op == IR_NOT) {
		EMIT(not, x86_r32(X86_RAX));
	}
	if (result.number != X86_RAX)
		EMIT(mov, x86_r32(result.number), x86_r32(X86_RAX));
}

/*
 * Leaves where a lane of the value that @insn widens wraps around: its base is compared with
 * what its greatest and its least lane leave room for.
 */
static void check_wraps(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct ir_value *value = value_of(c, insn->checked);
	const unsigned bits = insn->check.bits;
	const struct x86_operand eax = x86_r32(X86_RAX);
	const uint32_t on = x86_label(c->x);
	int64_t least = 0, most = 0, low, high;
	uint32_t label;

	if (value->kind != KIND_PATTERN || bits > 32)
		return;
	for (unsigned l = 0; l < KIND_LANES; l++) {
		const int64_t step = c->ir->kinds.patterns[value->pattern][l];

		least = step < least ? step : least;
		most = step > most ? step : most;
	}
	low = (insn->check.sign ? -(1ll << (bits - 1)) : 0) - least;
	high = (insn->check.sign ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1) - most;
	label = way_out(c, index, WAY_INTERPRET);
	if (label)
		c->ways[c->way_count - 1].back = on;
	load_value(c, insn->checked, value->bytes, X86_RAX);
	if (bits < 32 && insn->check.sign)
		EMIT(movsx, eax, x86_gpr(bits / 8, X86_RAX));
	else if (bits < 32)
		EMIT(movzx, eax, x86_gpr(bits / 8, X86_RAX));
	if (low > high) {
		EMIT(jmp, x86_to(label));
		x86_bind(c->x, on);
		return;
	}
	if (insn->check.sign)
		EMIT(movsxd, x86_r64(X86_RAX), eax);
	if (least) {
		load_number(c, X86_RCX, (low));
		EMIT(cmp, x86_r64(X86_RAX), x86_r64(X86_RCX));
		EMIT(jl, x86_to(label));
	}
	if (most) {
		load_number(c, X86_RCX, (high));
		EMIT(cmp, x86_r64(X86_RAX), x86_r64(X86_RCX));
		EMIT(jg, x86_to(label));
	}
	x86_bind(c->x, on);
}

static void compute_shared(struct compile *c, const struct ir_insn *insn, struct x86_operand result)
{
	static const uint8_t scratches[] = { X86_RAX, X86_RCX, X86_RDX };
	const struct op_row *row = &op_rows[insn->row];
	struct x86_operand sources[4] = { { 0 } };
	unsigned narrowed = 0;
	bool done;

	/* Selection may change all three: what has to be narrowed goes through memory. */
	for (unsigned i = 0; i < row->sources; i++) {
		const struct x86_operand from =
			value_source(c, insn->a[i], row->sizes[i + 1], scratches[narrowed % 3]);

		sources[i] = from;
		if (from.kind != X86_GPR || from.number != scratches[narrowed % 3])
			continue;
		narrowed++;
		sources[i] = x86_sized(x86_at(X86_RSP, (int32_t)(8 * i)), 8);
		EMIT(mov, sources[i], from);
	}
	c->select.used = 0;
	done = select_value(&c->select, row, result, sources);
	ASSERT(done);
	(void)done;
}

void step_value(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	struct x86_operand result = value_result(c, insn->d[0]);
	bool spare = result.number == X86_RAX;

	if (insn->fused)
		return;
	if (insn->checked != IR_NONE)
		check_wraps(c, index);
	/* A result in memory needs a register that selection leaves alone. */
	if (spare && insn->op == IR_ROW) {
		result = x86_r64(X86_RSI);
		EMIT(mov, x86_sized(x86_at(X86_RSP, AT_RSI), 8), result);
	}
	switch ((enum ir_op)insn->op) {
	case IR_ROW:
		compute_shared(c, insn, result);
		break;
	case IR_MOVE:
		load_value(c, insn->a[0], insn->size, result.number);
		break;
	case IR_SELECT:
		select_shared(c, insn, result);
		break;
	case IR_TAKE:
		take_first(c, insn, result);
		break;
	case IR_LOCAL:
		local_value(c, insn, result);
		break;
	default:
		logic_shared(c, insn, result);
		break;
	}
	value_done(c, insn->d[0], result);
	if (spare && insn->op == IR_ROW)
		EMIT(mov, x86_r64(X86_RSI), x86_sized(x86_at(X86_RSP, AT_RSI), 8));
}

/* ---- Strips -------------------------------------------------------------------------------- */

/* Source @i of an instruction that moves it: exact unless the result may be any NaN, too. */
static struct strip moved_source(struct compile *c, const struct ir_insn *insn, unsigned i,
				 unsigned strip)
{
	return c->places[insn->d[0]].loose ? strip_source(c, insn->a[i], insn->size, strip) :
					     exact_source(c, insn->a[i], insn->size, strip, i);
}

static void move_strip(struct compile *c, const struct ir_insn *insn, unsigned strip,
		       struct strip result)
{
	const struct strip from = moved_source(c, insn, 0, strip);

	for (unsigned part = 0; part < part_count(insn->size); part++) {
		const struct x86_operand loaded = part_register(c, from.part[part], insn->size,
								result.part[part].number);

		if (loaded.number != result.part[part].number)
			EMIT(vmovaps, result.part[part], loaded);
	}
}

/* A value that lanes share, and what each lane has more. */
static void spread_strip(struct compile *c, const struct ir_insn *insn, unsigned strip,
			 struct strip result)
{
	static const uint16_t adds[] = { [1] = X86_vpaddb, [2] = X86_vpaddw, [4] = X86_vpaddd,
					 [8] = X86_vpaddq };
	static const uint16_t broadcasts[] = { [1] = X86_vpbroadcastb, [2] = X86_vpbroadcastw,
					       [4] = X86_vpbroadcastd, [8] = X86_vpbroadcastq };
	const struct ir_value *from = value_of(c, insn->a[0]);
	struct x86_operand memory = home_memory(c, insn->a[0]);

	if (from->known)
		memory = x86_constant(c->x, &from->number, insn->size < 4 ? 4 : insn->size);
	for (unsigned part = 0; part < part_count(insn->size); part++) {
		const struct x86_operand to = result.part[part];

		x86_emit(c->x, broadcasts[insn->size], to, x86_sized(memory, insn->size));
		if (from->kind != KIND_PATTERN)
			continue;
		if (part_bytes(c, insn->size) >= 16) {
			x86_emit(c->x, adds[insn->size], to, to,
				 steps_constant(c, from->pattern, insn->size, strip, part));
			continue;
		}
		EMIT(vmovq, scratch_vector(c, 16, 0),
		     x86_sized(steps_constant(c, from->pattern, insn->size, strip, part), 8));
		x86_emit(c->x, adds[insn->size], to, to, scratch_vector(c, 16, 0));
	}
}

/* The mask of elements of 8 bytes, as AVX2 has it: @part of those of 4. */
static struct x86_operand wide_mask(struct compile *c, struct x86_operand mask, unsigned part,
				    unsigned number)
{
	const struct x86_operand to = x86_ymm(number);

	if (part) {
		EMIT(vextracti128, x86_xmm(number), mask, x86_immediate(1));
		EMIT(vpmovsxdq, to, x86_xmm(number));
	} else {
		EMIT(vpmovsxdq, to, x86_xmm(mask.number));
	}
	return to;
}

/* The mask of elements of 2 bytes, or of 1. */
static struct x86_operand narrow_mask(struct compile *c, unsigned bytes, struct x86_operand mask,
				      unsigned number)
{
	EMIT(vextracti128, x86_xmm(number), mask, x86_immediate(1));
	EMIT(vpackssdw, x86_xmm(number), x86_xmm(mask.number), x86_xmm(number));
	if (bytes == 1)
		EMIT(vpacksswb, x86_xmm(number), x86_xmm(number), x86_xmm(number));
	return x86_xmm(number);
}

/* to = mask ? yes : no, for one part of AVX2; @number: a free vector. */
static void blend_avx2(struct compile *c, unsigned bytes, unsigned part, struct x86_operand mask,
		       struct x86_operand to, struct x86_operand yes, struct x86_operand no,
		       unsigned number)
{
	if (bytes == 8)
		mask = wide_mask(c, mask, part, number);
	else if (bytes <= 2)
		mask = narrow_mask(c, bytes, mask, number);
	EMIT(vpblendvb, to, no, yes, mask);
}

/* The same for AVX-512, where @mask is a register of masks; others are k7. */
static void blend_avx512(struct compile *c, unsigned bytes, unsigned part, struct x86_operand mask,
			 struct x86_operand to, struct x86_operand yes, struct x86_operand no)
{
	static const uint16_t blends[] = { [1] = X86_vpblendmb, [2] = X86_vpblendmw,
					   [4] = X86_vpblendmd, [8] = X86_vpblendmq };

	if (bytes == 8 && part) {
		EMIT(kshiftrw, x86_k(SELECT_MASK + 1), mask, x86_immediate(8));
		mask = x86_k(SELECT_MASK + 1);
	} else if (!mask.number) {
		return;
	}
	x86_emit(c->x, blends[bytes], x86_masked(to, mask.number), no, yes);
}

void part_blend(struct compile *c, unsigned bytes, unsigned part, struct x86_operand mask,
		struct x86_operand to, struct x86_operand yes, struct x86_operand no,
		unsigned number)
{
	if (c->select.isa == X86_AVX512)
		blend_avx512(c, bytes, part, mask, to, yes, no);
	else
		blend_avx2(c, bytes, part, mask, to, yes, no, number);
}

static void select_lanes(struct compile *c, const struct ir_insn *insn, unsigned strip,
			 struct strip result)
{
	const unsigned first = scratch_vector(c, 16, 0).number;
	const struct strip yes = moved_source(c, insn, 0, strip);
	const struct strip no = moved_source(c, insn, 1, strip);
	const bool avx512 = c->select.isa == X86_AVX512;
	const struct x86_operand mask = mask_source(c, insn->a[2], strip,
						    avx512 ? SELECT_MASK : first);

	for (unsigned part = 0; part < part_count(insn->size); part++)
		part_blend(c, insn->size, part, mask, result.part[part],
			   part_register(c, yes.part[part], insn->size, first + 1),
			   part_register(c, no.part[part], insn->size, first + 2), first + 3);
}

static void logic_strip(struct compile *c, const struct ir_insn *insn, unsigned strip,
			struct strip result)
{
	static const struct {
		uint16_t masks, vectors;
	} names[IR_OPS] = { [IR_AND] = { X86_kandw, X86_vpand }, [IR_OR] = { X86_korw, X86_vpor },
			    [IR_XOR] = { X86_kxorw, X86_vpxor } };
	const bool avx512 = c->select.isa == X86_AVX512;
	const unsigned first = avx512 ? SELECT_MASK : scratch_vector(c, 16, 0).number;
	const struct x86_operand a = mask_source(c, insn->a[0], strip, first), to = result.part[0];
	const uint64_t ones[4] = { ~0ull, ~0ull, ~0ull, ~0ull };
	struct x86_operand b;

	if (insn->sources == 2) {
		b = avx512 ? mask_source(c, insn->a[1], strip, first + 1) :
			     mask_operand(c, insn->a[1], strip, first + 1);
		x86_emit(c->x, avx512 ? names[insn->op].masks : names[insn->op].vectors, to, a, b);
		return;
	}
	if (insn->op == IR_NOT && avx512) {
		EMIT(knotw, to, a);
	} else if (insn->op == IR_NOT) {
		EMIT(vpxor, to, a, x86_constant(c->x, ones, sizeof(ones)));
	} else if (to.number != a.number) {
		avx512 ? EMIT(kmovw, to, a) : EMIT(vmovaps, to, a);
	}
}

static void row_strip(struct compile *c, const struct ir_insn *insn, unsigned strip,
		      struct strip result)
{
	const struct op_row *row = &op_rows[insn->row];
	struct strip sources[4] = { { { { 0 } } } };
	bool done;

	if (multiply_is_near(c, insn)) {
		multiply_near(c, insn, strip, result);
		return;
	}
	for (unsigned i = 0; i < row->sources; i++)
		sources[i] = loose_source(insn, i) ?
				     strip_source(c, insn->a[i], row->sizes[i + 1], strip) :
				     exact_source(c, insn->a[i], row->sizes[i + 1], strip, i);
	if (select_needs_number(row))
		sources[row->sources - 1].part[0] =
			x86_immediate((int64_t)value_of(c, insn->a[row->sources - 1])->number);
	c->select.used = 0;
	c->select.canonical = !c->places[insn->d[0]].loose;
	done = select_strip(&c->select, row, result, sources);
	ASSERT(done);
	(void)done;
}

/* Tells whether lanes whose second source is 0 keep what they have: AVX2 needs no blend then, which
 * takes three times as long as a sum. */
static bool adds_in_place(const struct compile *c, const struct ir_insn *insn)
{
	static const uint16_t sums[] = { HANDLER_add_u32_rr, HANDLER_sub_u32_rr, HANDLER_or_b32_rr,
					 HANDLER_xor_b32_rr };

	if (c->select.isa != X86_AVX2 || insn->op != IR_ROW || insn->d[0] != insn->a[0])
		return false;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (op_rows[insn->row].forms[0] == sums[i])
			return true;
	return false;
}

/* 1: the sum is what lanes have less the guard, which is 0 or -1 in each; -1: it is that and the
 * guard; 0: neither. */
static int counts_by(const struct compile *c, const struct ir_insn *insn)
{
	const struct ir_value *by = value_of(c, insn->a[1]);
	const uint16_t row = op_rows[insn->row].forms[0];
	const int32_t number = by->known ? (int32_t)by->number : 0;

	if (insn->guard_negated || (number != 1 && number != -1))
		return 0;
	return row == HANDLER_add_u32_rr ? number : row == HANDLER_sub_u32_rr ? -number : 0;
}

static void add_in_place(struct compile *c, const struct ir_insn *insn, unsigned strip,
			 struct strip result)
{
	const unsigned first = scratch_vector(c, 16, 0).number;
	struct strip sources[4] = { exact_source(c, insn->a[0], 4, strip, 0),
				    exact_source(c, insn->a[1], 4, strip, 1) };
	const struct x86_operand has = x86_ymm(first + 1);
	const int counts = counts_by(c, insn);
	struct x86_operand mask, b;

	if (counts) {
		const struct x86_operand a = part_register(c, sources[0].part[0], 4, first + 2);

		mask = mask_operand(c, insn->guard, strip, first);
		counts > 0 ? EMIT(vpsubd, result.part[0], a, mask) :
			     EMIT(vpaddd, result.part[0], a, mask);
		return;
	}
	mask = mask_source(c, insn->guard, strip, first);
	b = part_operand(c, sources[1].part[0], 4, has.number);
	insn->guard_negated ? EMIT(vpandn, has, mask, b) : EMIT(vpand, has, mask, b);
	sources[0].part[0] = part_register(c, sources[0].part[0], 4, first + 2);
	sources[1].part[0] = has;
	c->select.used = 3; /* the mask and both sources */
	if (!select_strip(&c->select, &op_rows[insn->row], result, sources))
		ASSERT(false);
}

/* Tells whether AVX-512 can leave the lanes without the predicate as they are. */
static bool merges(const struct compile *c, const struct ir_insn *insn, unsigned strip)
{
	return c->select.isa == X86_AVX512 && insn->op == IR_ROW &&
	       value_of(c, insn->d[0])->bytes == 4 &&
	       c->places[insn->d[0]].parts[strip][0] != NO_PLACE &&
	       (multiply_is_near(c, insn) ||
		select_is_single(c->select.isa, &op_rows[insn->row]));
}

static void merge_strip(struct compile *c, const struct ir_insn *insn, unsigned strip,
			struct strip result)
{
	struct x86_operand mask = mask_source(c, insn->guard, strip, SELECT_MASK);

	if (insn->guard_negated) {
		EMIT(knotw, x86_k(SELECT_MASK), mask);
		mask = x86_k(SELECT_MASK);
	}
	result.part[0] = x86_masked(result.part[0], mask.number);
	row_strip(c, insn, strip, result);
}

/* What lanes without the predicate keep. */
static void keep_lanes(struct compile *c, const struct ir_insn *insn, unsigned strip,
		       struct strip result, struct strip computed)
{
	const struct ir_value *d = value_of(c, insn->d[0]);
	const bool avx512 = c->select.isa == X86_AVX512;
	const unsigned first = scratch_vector(c, 16, 0).number;
	const struct x86_operand mask = mask_source(c, insn->guard, strip,
						    avx512 ? SELECT_MASK : first);
	const struct strip old = strip_source(c, insn->d[0], d->bytes, strip);

	for (unsigned part = 0; part < part_count(d->bytes); part++) {
		const struct x86_operand was =
			part_register(c, old.part[part], d->bytes, first + 2);

		if (insn->guard_negated)
			part_blend(c, d->bytes, part, mask, result.part[part], was,
				   computed.part[part], first + 3);
		else
			part_blend(c, d->bytes, part, mask, result.part[part], computed.part[part],
				   was, first + 3);
	}
}

/* The same of a predicate: (old and not guard) or (computed and guard). */
static void keep_bits(struct compile *c, const struct ir_insn *insn, unsigned strip,
		      struct strip result, struct x86_operand computed)
{
	const bool avx512 = c->select.isa == X86_AVX512;
	const unsigned first = scratch_vector(c, 16, 0).number;
	const struct x86_operand guard = mask_source(c, insn->guard, strip,
						     avx512 ? SELECT_MASK : first);
	struct x86_operand old;

	if (avx512) {
		/* old ^ ((old ^ computed) & guard), or & not guard; computed is free then */
		old = mask_source(c, insn->d[0], strip, SELECT_MASK + 1);
		EMIT(kxorw, computed, computed, old);
		insn->guard_negated ? EMIT(kandnw, computed, guard, computed) :
				      EMIT(kandw, computed, computed, guard);
		EMIT(kxorw, result.part[0], computed, old);
		return;
	}
	old = mask_source(c, insn->d[0], strip, first + 1);
	if (insn->guard_negated)
		EMIT(vpblendvb, result.part[0], computed, old, guard);
	else
		EMIT(vpblendvb, result.part[0], old, computed, guard);
}

void strip_keep(struct compile *c, const struct ir_insn *insn, unsigned strip, struct strip result,
		struct strip computed)
{
	if (value_of(c, insn->d[0])->bytes)
		keep_lanes(c, insn, strip, result, computed);
	else
		keep_bits(c, insn, strip, result, computed.part[0]);
}

struct strip spare_result(const struct compile *c, const struct ir_value *d, struct strip result)
{
	const unsigned spare = scratch_vector(c, 16, 0).number - 2;

	if (!d->bytes && c->select.isa == X86_AVX512) {
		result.part[0] = x86_k(0);
		return result;
	}
	for (unsigned part = 0; part < part_count(d->bytes); part++)
		result.part[part].number = (uint8_t)(spare + part);
	return result;
}

void step_strip(struct compile *c, uint32_t index, unsigned strip)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct ir_value *d = value_of(c, insn->d[0]);
	const struct strip result = strip_result(c, insn->d[0], strip);
	const bool guarded = insn->guard != IR_NONE;
	const bool adds = guarded && adds_in_place(c, insn);
	const bool masks = guarded && merges(c, insn, strip);
	const struct strip to = guarded ? spare_result(c, d, result) : result;

	if (adds)
		add_in_place(c, insn, strip, result);
	else if (masks)
		merge_strip(c, insn, strip, result);
	else if (insn->op == IR_ROW)
		row_strip(c, insn, strip, to);
	else if (insn->op == IR_MOVE || insn->op == IR_INDEX)
		move_strip(c, insn, strip, to);
	else if (insn->op == IR_SELECT)
		select_lanes(c, insn, strip, to);
	else if (insn->op == IR_SPREAD)
		spread_strip(c, insn, strip, to);
	else if (insn->op == IR_LOCAL)
		local_strip(c, insn, strip, to);
	else
		logic_strip(c, insn, strip, to);
	if (guarded && !adds && !masks)
		strip_keep(c, insn, strip, result, to);
	strip_done(c, insn->d[0], strip, result);
}
