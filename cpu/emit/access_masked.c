/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loads and stores under a predicate that only some lanes have. Where addresses are one number, the
 * access is made if any lane has it. Where they are that and constants, and what all lanes would
 * access is there, all is loaded, and stores are masked. Else lanes without the predicate get the
 * address of one that has it: with AVX-512, and with AVX2 in loads by an index. What is left is
 * accessed lane by lane, by way of the frame.
 */
#include "accesses.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define HIT(member) x86_at(AT_HITS, insn->hit + (int32_t)offsetof(struct hit, member))
#define WARP(member) x86_at(AT_WARP, offsetof(struct warp, member))

/* In the frame: the last place of an element; what rsi holds. */
enum { AT_LAST = 8, AT_KEPT = 16 };

bool access_masks(const struct ir *ir, const struct ir_insn *insn)
{
	const enum kind kind = (enum kind)ir->values[insn->a[0]].kind;

	return insn->count == 1 && (kind == KIND_UNIFORM || (insn->imm >= INT32_MIN / 2 &&
							     insn->imm <= INT32_MAX / 2));
}

void access_collect(struct compile *c, const struct ir_insn *insn)
{
	mask_collect(c, insn->guard);
	if (insn->guard_negated)
		EMIT(not, x86_r32(X86_RAX));
}

static unsigned element_at(const struct compile *c, unsigned bytes, unsigned strip, unsigned part)
{
	return strip * (32 / c->strips) * bytes + part * c->vector;
}

void access_spill_elements(struct compile *c, const struct ir_insn *insn, uint32_t value,
			   unsigned frame_at)
{
	const unsigned bytes = insn->size, number = scratch_vector(c, 16, 0).number;

	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip from = exact_source(c, value, bytes, strip, 0);

		for (unsigned part = 0; part < part_count(bytes); part++) {
			const unsigned at = frame_at + element_at(c, bytes, strip, part);

			part_store(c, x86_at(X86_RSP, (int32_t)at),
				   part_register(c, from.part[part], bytes, number), bytes);
		}
	}
}

void access_load_elements(struct compile *c, const struct ir_insn *insn, unsigned frame_at,
			  unsigned strip, struct strip to)
{
	for (unsigned part = 0; part < part_count(insn->size); part++) {
		const unsigned at = frame_at + element_at(c, insn->size, strip, part);

		access_load_part(c, to.part[part], x86_at(X86_RSP, (int32_t)at), insn->size);
	}
}

/* ---- One address --------------------------------------------------------------------- */

/* Of the lanes in eax the last one's element stays. */
static void store_last(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct x86_operand ecx = x86_r32(X86_RCX), element = x86_gpr(insn->size, X86_RCX);
	const struct x86_operand kept = x86_at(X86_RSP, AT_LANES);
	const struct span span = access_span(c->ir, insn);

	access_spill_elements(c, insn, insn->a[1], AT_ELEMENTS);
	EMIT(lzcnt, ecx, x86_r32(X86_RAX));
	EMIT(xor, ecx, x86_immediate(31));
	if (insn->size <= 2)
		EMIT(movzx, ecx, x86_sized(x86_indexed(X86_RSP, X86_RCX, insn->size, AT_ELEMENTS),
					   insn->size));
	else
		EMIT(mov, element, x86_indexed(X86_RSP, X86_RCX, insn->size, AT_ELEMENTS));
	EMIT(mov, kept, x86_r64(X86_RCX));
	access_check_span(c, index, &span);
	EMIT(mov, x86_r64(X86_RCX), kept);
	EMIT(mov, x86_at(X86_RAX, 0), element);
}

/* ---- Addresses of lanes -------------------------------------------------------------- */

/* The addresses of a part, in a register. */
static struct x86_operand load_part(struct compile *c, const struct ir_insn *insn, unsigned strip,
				    unsigned part)
{
	const struct ir_value *address = value_of(c, insn->a[0]);
	const unsigned bytes = access_bytes(insn);
	const struct x86_operand to = scratch_vector(c, c->vector, 0);

	if (address->kind == KIND_VECTOR)
		return part_register(c, strip_source(c, insn->a[0], bytes, strip).part[part], bytes,
				     to.number);
	x86_emit(c->x, bytes == 8 ? X86_vpaddq : X86_vpaddd, to, scratch_vector(c, c->vector, 1),
		 steps_constant(c, address->pattern, bytes, strip, part));
	return to;
}

/* Brings the base of a pattern into all elements of scratch vector 1. */
static void load_base(struct compile *c, const struct ir_insn *insn)
{
	const unsigned bytes = access_bytes(insn);
	const struct x86_operand to = scratch_vector(c, c->vector, 1), kept = x86_at(X86_RSP, 0);
	const struct x86_operand from = value_source(c, insn->a[0], bytes, X86_RCX);

	if (from.kind != X86_GPR)
		EMIT(mov, x86_r64(X86_RCX), from);
	EMIT(mov, kept, x86_r64(from.kind == X86_GPR ? from.number : X86_RCX));
	x86_emit(c->x, bytes == 8 ? X86_vpbroadcastq : X86_vpbroadcastd, to,
		 x86_sized(kept, bytes));
}

/* Stores the addresses of all lanes in the frame, at AT_LANES. */
static void spill_addresses(struct compile *c, const struct ir_insn *insn)
{
	const unsigned bytes = access_bytes(insn);

	if (!in_vectors(c, insn->a[0]))
		load_base(c, insn);
	for (unsigned strip = 0; strip < c->strips; strip++)
		for (unsigned part = 0; part < part_count(bytes); part++)
			EMIT(vmovups, x86_at(X86_RSP, AT_LANES +
					     (int32_t)element_at(c, bytes, strip, part)),
			     load_part(c, insn, strip, part));
}

/* ---- Lane by lane -------------------------------------------------------------------- */

void access_load_address(struct compile *c, const struct ir_insn *insn, unsigned to)
{
	const unsigned bytes = access_bytes(insn), sum = insn->indexed ? 8 : bytes;

	if (insn->indexed)
		index_load_address(c, insn, to);
	else
		EMIT(mov, x86_gpr(bytes, to), x86_indexed(X86_RSP, X86_RCX, bytes, AT_LANES));
	if (insn->imm)
		EMIT(add, x86_gpr(sum, to), x86_immediate((int32_t)insn->imm));
}

/* Goes to @again unless the lane was the last one in esi. */
static void next_lane(struct compile *c, uint32_t again)
{
	EMIT(lea, x86_r32(X86_RCX), x86_at(X86_RSI, -1));
	EMIT(and, x86_r32(X86_RSI), x86_r32(X86_RCX));
	EMIT(jne, x86_to(again));
}

/* Checks the lanes in AT_TAKEN, and loads their elements into the frame. rax: where place 0 is. */
static void check_taken(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const bool shared = access_is_shared(insn);
	const struct x86_operand rdx = x86_r64(X86_RDX), kept = x86_at(X86_RSP, AT_KEPT);
	const struct x86_operand element = x86_indexed(X86_RSP, X86_RCX, insn->size, AT_ELEMENTS);
	const struct x86_operand place = x86_indexed(X86_RAX, X86_RDX, 1, 0);
	const uint32_t again = x86_label(c->x), out = x86_label(c->x), bad = x86_label(c->x);
	const uint32_t on = x86_label(c->x), miss = access_begin_check(c, index, insn->size);

	EMIT(tzcnt, x86_r32(X86_RCX), x86_sized(x86_at(X86_RSP, AT_TAKEN), 4));
	access_load_address(c, insn, X86_RAX);
	access_load_last(c, insn, insn->size);
	EMIT(jb, x86_to(miss));
	EMIT(mov, x86_at(X86_RSP, AT_LAST), rdx);
	EMIT(mov, kept, x86_r64(X86_RSI));
	EMIT(mov, x86_r32(X86_RSI), x86_sized(x86_at(X86_RSP, AT_TAKEN), 4));
	EMIT(mov, x86_r64(X86_RAX), shared ? WARP(shared) : HIT(base));
	if (!shared)
		EMIT(add, x86_r64(X86_RAX), HIT(distance));
	x86_bind(c->x, again);
	EMIT(tzcnt, x86_r32(X86_RCX), x86_r32(X86_RSI));
	access_load_address(c, insn, X86_RDX);
	if (insn->size > 1) {
		EMIT(test, x86_r32(X86_RDX), x86_immediate(insn->size - 1));
		EMIT(jne, x86_to(bad));
	}
	if (!shared)
		EMIT(sub, rdx, HIT(base));
	EMIT(cmp, rdx, x86_at(X86_RSP, AT_LAST));
	EMIT(ja, x86_to(out));
	if (insn->op == IR_LOAD && insn->size <= 2)
		EMIT(movzx, x86_r32(X86_RDX), x86_sized(place, insn->size));
	else if (insn->op == IR_LOAD)
		EMIT(mov, x86_gpr(insn->size, X86_RDX), place);
	if (insn->op == IR_LOAD)
		EMIT(mov, element, x86_gpr(insn->size, X86_RDX));
	next_lane(c, again);
	EMIT(mov, x86_r64(X86_RSI), kept);
	EMIT(jmp, x86_to(on));
	x86_bind(c->x, out);
	EMIT(mov, x86_r64(X86_RSI), kept);
	EMIT(mov, x86_r64(X86_RAX), rdx);
	if (!shared)
		EMIT(add, x86_r64(X86_RAX), HIT(base));
	EMIT(jmp, x86_to(miss));
	x86_bind(c->x, bad);
	EMIT(mov, x86_r64(X86_RSI), kept);
	EMIT(jmp, x86_to(way_out(c, index, WAY_INTERPRET)));
	x86_bind(c->x, on);
}

/* Stores the elements of the lanes in AT_TAKEN, after the check. */
static void store_taken(struct compile *c, const struct ir_insn *insn)
{
	const unsigned bytes = insn->size;
	const struct x86_operand kept = x86_at(X86_RSP, AT_KEPT);
	const struct x86_operand from = x86_indexed(X86_RSP, X86_RCX, bytes, AT_ELEMENTS);
	const uint32_t again = x86_label(c->x);

	EMIT(mov, x86_r32(X86_RSI), x86_sized(x86_at(X86_RSP, AT_TAKEN), 4));
	if (!access_is_shared(insn))
		EMIT(sub, x86_r64(X86_RAX), HIT(base));
	x86_bind(c->x, again);
	EMIT(tzcnt, x86_r32(X86_RCX), x86_r32(X86_RSI));
	if (bytes <= 2)
		EMIT(movzx, x86_r32(X86_RDX), x86_sized(from, bytes));
	else
		EMIT(mov, x86_gpr(bytes, X86_RDX), from);
	access_load_address(c, insn, X86_RCX);
	EMIT(mov, x86_indexed(X86_RAX, X86_RCX, 1, 0), x86_gpr(bytes, X86_RDX));
	next_lane(c, again);
	EMIT(mov, x86_r64(X86_RSI), kept);
}

void access_check_taken(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];

	spill_addresses(c, insn);
	check_taken(c, index);
	if (!access_is_shared(insn))
		EMIT(sub, x86_r64(X86_RAX), HIT(base));
}

static void access_each(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];

	spill_addresses(c, insn);
	if (insn->op == IR_STORE || !insn->whole)
		access_spill_elements(c, insn, insn->op == IR_STORE ? insn->a[1] : insn->d[0],
				      AT_ELEMENTS);
	check_taken(c, index);
	if (insn->op == IR_STORE) {
		store_taken(c, insn);
		return;
	}
	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct strip to = strip_result(c, insn->d[0], strip);

		access_load_elements(c, insn, AT_ELEMENTS, strip, to);
		strip_done(c, insn->d[0], strip, to);
	}
}

/* ---- All at one time ------------------------------------------------------------------ */

/* The predicate of @strip; scratch vector 2 changes. */
static struct x86_operand guard_mask(struct compile *c, const struct ir_insn *insn, unsigned strip)
{
	return mask_source(c, insn->guard, strip,
			   c->select.isa == X86_AVX512 ? SELECT_MASK :
							 scratch_vector(c, 16, 2).number);
}

/* Tells whether spill_taken() does what it says: AVX2 has masks of 4 bytes. */
static bool spills_taken(const struct compile *c, const struct ir_insn *insn)
{
	if (c->select.isa == X86_AVX512)
		return insn->size >= 4;
	return insn->size >= 4 && insn->op == IR_LOAD && insn->indexed;
}

/* Brings the addresses at @place of lanes from @lane on to @to, that in @other where lanes are not
 * in AT_TAKEN. */
static void choose_taken(struct compile *c, const struct ir_insn *insn, unsigned lane,
			 struct x86_operand to, struct x86_operand other,
			 struct x86_operand place)
{
	const unsigned bytes = access_bytes(insn), lanes = c->vector / bytes;
	struct x86_operand mask;

	if (c->select.isa == X86_AVX512) {
		access_load_taken(c, lane, lanes);
		x86_emit(c->x, bytes == 8 ? X86_vpblendmq : X86_vpblendmd,
			 x86_masked(to, SELECT_MASK + 1), other, place);
		return;
	}
	mask = guard_mask(c, insn, lane / lanes);
	EMIT(vmovups, to, place);
	insn->guard_negated ? EMIT(vpblendvb, to, to, other, mask) :
			      EMIT(vpblendvb, to, other, to, mask);
}

/* Stores the addresses of all lanes in the frame: of those without the predicate that of one of the
 * lanes in AT_TAKEN. */
static void spill_taken(struct compile *c, const struct ir_insn *insn)
{
	const unsigned bytes = access_bytes(insn), first = scratch_vector(c, 16, 0).number;
	const struct x86_operand has = x86_vector(c->vector, first);
	const struct x86_operand other = x86_vector(c->vector, first - 1);

	spill_addresses(c, insn);
	EMIT(tzcnt, x86_r32(X86_RCX), x86_sized(x86_at(X86_RSP, AT_TAKEN), 4));
	x86_emit(c->x, bytes == 8 ? X86_vpbroadcastq : X86_vpbroadcastd, other,
		 x86_sized(x86_indexed(X86_RSP, X86_RCX, bytes, AT_LANES), bytes));
	for (unsigned lane = 0; lane < 32; lane += c->vector / bytes) {
		const int32_t at = AT_LANES + (int32_t)(lane * bytes);
		const struct x86_operand place = x86_at(X86_RSP, at);

		choose_taken(c, insn, lane, has, other, place);
		EMIT(vmovups, place, has);
	}
}

/* Loads or stores by the addresses of the lanes in AT_TAKEN. */
static void access_taken(struct compile *c, uint32_t index)
{
	spill_taken(c, &c->ir->insns[index]);
	c->some = true;
	if (c->ir->insns[index].op == IR_LOAD)
		access_load_lanes(c, index);
	else
		access_store_lanes(c, index);
	c->some = false;
}

/* Tells whether all parts of @span can be stored by one instruction each. */
static bool stores_runs(const struct compile *c, const struct ir_insn *insn,
			const struct span *span)
{
	const unsigned bytes = insn->size, lanes = c->vector / bytes;

	if (bytes < 4 || (bytes == 8 && c->select.isa == X86_AVX2))
		return false;
	for (unsigned first = 0; first < 32; first += lanes)
		if (access_layout(span->steps + first, lanes, bytes) != LAYOUT_RUN)
			return false;
	return true;
}

/* Stores what lanes in AT_TAKEN have of @span, after its check. */
static void store_span(struct compile *c, const struct ir_insn *insn, const struct span *span)
{
	const bool avx512 = c->select.isa == X86_AVX512;
	const unsigned bytes = insn->size, lanes = c->vector / bytes, free = 3;
	const struct x86_operand ones = scratch_vector(c, c->vector, 1);

	for (unsigned first = 0; first < 32; first += lanes) {
		const unsigned strip = first * c->strips / 32;
		const unsigned part = first % (32 / c->strips) > 0;
		const struct strip all = exact_source(c, insn->a[1], bytes, strip, 0);
		const struct x86_operand from = part_register(
			c, all.part[part], bytes, scratch_vector(c, 16, free).number);
		const struct x86_operand to = access_memory(c, insn, span, first);
		struct x86_operand mask;

		if (avx512) {
			access_load_taken(c, first, lanes);
			x86_emit(c->x, bytes == 8 ? X86_vmovupd : X86_vmovups,
				 x86_masked(to, SELECT_MASK + 1), from);
			continue;
		}
		mask = guard_mask(c, insn, strip);
		if (insn->guard_negated) {
			EMIT(vpcmpeqd, ones, ones, ones);
			EMIT(vpxor, scratch_vector(c, c->vector, 2), mask, ones);
			mask = scratch_vector(c, c->vector, 2);
		}
		EMIT(vmaskmovps, to, mask, from);
	}
}

/* The access of the lanes in eax: not all of them. */
static void access_some(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct span span = access_span(c->ir, insn);
	const uint32_t apart = x86_label(c->x), done = x86_label(c->x);
	const bool load = insn->op == IR_LOAD;

	EMIT(mov, x86_at(X86_RSP, AT_TAKEN), x86_r32(X86_RAX));
	if (!in_vectors(c, insn->a[0]) && span.aligned && (load || stores_runs(c, insn, &span))) {
		access_check_span_or(c, index, &span, apart + 1);
		if (load)
			access_load_span(c, index, &span, true);
		else
			store_span(c, insn, &span);
		EMIT(jmp, x86_to(done));
	}
	x86_bind(c->x, apart);
	if (spills_taken(c, insn))
		access_taken(c, index);
	else
		access_each(c, index);
	x86_bind(c->x, done);
}

void access_masked(struct compile *c, uint32_t index,
		   void (*all)(struct compile *c, uint32_t index))
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const uint32_t some = x86_label(c->x), done = x86_label(c->x);

	access_collect(c, insn);
	EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
	EMIT(je, x86_to(done));
	if (way_forced(c, index))
		EMIT(jmp, x86_to(way_out(c, index, WAY_INTERPRET)));
	if (value_of(c, insn->a[0])->kind != KIND_UNIFORM) {
		EMIT(cmp, x86_r32(X86_RAX), x86_immediate(-1));
		EMIT(jne, x86_to(some));
		all(c, index);
		EMIT(jmp, x86_to(done));
		x86_bind(c->x, some);
		access_some(c, index);
	} else if (insn->op == IR_STORE && in_vectors(c, insn->a[1])) {
		store_last(c, index);
	} else {
		all(c, index);
	}
	x86_bind(c->x, done);
}
