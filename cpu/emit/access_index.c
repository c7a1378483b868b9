/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loads and stores whose addresses are a base and an index of 32 bits: half as many vectors as
 * addresses of 64 bits, and one range of indices that are in memory, which is found from the
 * base and the op's struct hit, and kept in a struct access_reach for as long as the base is the
 * same.
 */
#include "accesses.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define EITHER(name, name512, ...)                                                         \
	x86_emit(c->x, c->select.isa == X86_AVX512 ? X86_##name512 : X86_##name, __VA_ARGS__)
#define HIT(member) x86_at(AT_HITS, insn->hit + (int32_t)offsetof(struct hit, member))
#define REACH(member) \
	x86_at(AT_HITS, (int32_t)(reach + offsetof(struct access_reach, member)))

bool access_has_index(const struct ir_insn *insn)
{
	return insn->count == 1 && insn->size <= 8 && !insn->narrow && !access_is_shared(insn);
}

/* Adds @number to rax; rcx changes. */
static void add_to_address(struct compile *c, int64_t number)
{
	if (!number)
		return;
	load_number(c, X86_RCX, number);
	EMIT(add, x86_r64(X86_RAX), x86_r64(X86_RCX));
}

/* ---- The state -------------------------------------------------------------------------- */

void index_store_made(struct compile *c, uint32_t value)
{
	const struct ir_made *made = &value_of(c, value)->made;
	const struct x86_operand to = scratch_vector(c, c->vector, 0);
	const struct x86_operand base = scratch_vector(c, c->vector, 1);

	if (made->base)
		EMIT(vpbroadcastq, base, x86_sized(home_memory(c, made->base), 8));
	for (unsigned strip = 0; strip < c->strips; strip++) {
		const struct x86_operand all = part_register(
			c, strip_source(c, made->index, 4, strip).part[0], 4,
			scratch_vector(c, 16, 2).number);

		for (unsigned part = 0; part < 2; part++) {
			struct x86_operand half = x86_vector(c->vector / 2, all.number);

			if (part) {
				half = x86_vector(c->vector / 2, to.number);
				EITHER(vextracti128, vextracti64x4, half, all, x86_immediate(1));
			}
			made->sign ? EMIT(vpmovsxdq, to, half) : EMIT(vpmovzxdq, to, half);
			if (made->shift)
				EMIT(vpsllq, to, to, x86_immediate(made->shift));
			if (made->base)
				EMIT(vpaddq, to, to, base);
			part_store(c, part_memory(c, value, strip, part), to, 8);
		}
	}
}

/* ---- The check -------------------------------------------------------------------------- */

/* Register @number becomes the address that is made of the index of 32 bits in it. */
static void make_address(struct compile *c, const struct ir_made *made, unsigned number)
{
	if (made->sign)
		EMIT(movsxd, x86_r64(number), x86_r32(number));
	if (made->shift)
		EMIT(shl, x86_r64(number), x86_immediate(made->shift));
	EMIT(add, x86_r64(number), x86_sized(home_memory(c, made->base), 8));
}

void index_load_address(struct compile *c, const struct ir_insn *insn, unsigned to)
{
	EMIT(mov, x86_r32(to), x86_indexed(X86_RSP, X86_RCX, 4, AT_LANES));
	make_address(c, ir_made(c->ir, insn), to);
}

/* rax = an address of those that are checked. */
static void load_one_address(struct compile *c, const struct ir_insn *insn)
{
	const struct x86_operand eax = x86_r32(X86_RAX);
	const struct x86_operand from = access_addresses(c, insn, 0).part[0];

	if (from.kind == X86_VECTOR)
		EMIT(vmovd, eax, x86_xmm(from.number));
	else
		EMIT(mov, eax, x86_sized(from, 4));
	make_address(c, ir_made(c->ir, insn), X86_RAX);
}

/*
 * rcx = the least index whose place is not negative, rdx = how many more there are up to the last
 * place; jumps to @out where there is none. An index of 2^31 or more, without a sign, is out: a
 * gather would take it for a negative one. So are those right below it: they would be of a strip
 * whose next ones are negative.
 */
static void find_indices(struct compile *c, uint32_t index, uint32_t bytes, uint32_t out)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const struct ir_made *made = ir_made(c->ir, insn);
	const struct x86_operand rax = x86_r64(X86_RAX), rcx = x86_r64(X86_RCX);
	const struct x86_operand rdx = x86_r64(X86_RDX);

	EMIT(mov, rax, x86_sized(home_memory(c, made->base), 8));
	add_to_address(c, c->ranges[index].low);
	access_check_aligned(c, index, access_unit(insn));
	EMIT(sub, rax, HIT(base));
	access_load_last(c, insn, bytes);
	EMIT(jb, x86_to(out)); /* the place has less */
	EMIT(sub, rdx, rax);
	EMIT(mov, rcx, rax);
	if (made->shift) {
		EMIT(sar, rdx, x86_immediate(made->shift));
		EMIT(sar, rcx, x86_immediate(made->shift));
	}
	EMIT(neg, rcx);
	load_number(c, X86_RAX, made->sign ? INT32_MIN : 0);
	EMIT(cmp, rcx, rax);
	EMIT(cmovl, rcx, rax);
	load_number(c, X86_RAX, INT32_MAX - LANES);
	EMIT(cmp, rdx, rax);
	EMIT(cmovg, rdx, rax);
	EMIT(sub, rdx, rcx);
	EMIT(jl, x86_to(out));
}

/* Where compare_indices() has what find_indices() finds: the least index, negated, in each element,
 * and how many more there are. */
static struct x86_operand least_index(const struct compile *c)
{
	return scratch_vector(c, c->vector, 0);
}

static struct x86_operand more_indices(const struct compile *c)
{
	return scratch_vector(c, c->vector, 1);
}

/* Jumps to @on if all indices are among them. */
static void compare_indices(struct compile *c, const struct ir_insn *insn, uint32_t on)
{
	const struct x86_operand least = least_index(c), range = more_indices(c);
	const struct x86_operand most = scratch_vector(c, c->vector, 3);
	const struct x86_operand more = x86_vector(c->vector, least.number - 2u);

	for (unsigned strip = 0; strip < c->strips; strip++) {
		EMIT(vpaddd, more, least, access_addresses(c, insn, strip).part[0]);
		EMIT(vpmaxud, most, strip ? most : range, more);
	}
	EITHER(vpxor, vpxord, most, most, range);
	access_test_bits(c, most, UINT64_MAX);
	EMIT(je, x86_to(on));
}

/* Jumps to @on if all indices are among those that are known of this base. */
static void compare_known(struct compile *c, const struct ir_insn *insn, uint32_t reach,
			  uint32_t on)
{
	const struct x86_operand rax = x86_r64(X86_RAX), rcx = x86_r64(X86_RCX);
	const uint32_t unknown = x86_label(c->x);

	EMIT(mov, rax, REACH(host));
	EMIT(mov, rcx, x86_sized(home_memory(c, ir_made(c->ir, insn)->base), 8));
	EMIT(test, rax, rax); /* nothing is known, not even of base 0 */
	EMIT(je, x86_to(unknown));
	EMIT(cmp, rcx, REACH(base));
	EMIT(jne, x86_to(unknown));
	EMIT(vpbroadcastd, least_index(c), x86_sized(REACH(least), 4));
	EMIT(vpbroadcastd, more_indices(c), x86_sized(REACH(more), 4));
	compare_indices(c, insn, on);
	x86_bind(c->x, unknown);
}

/* Keeps rcx, which has been negated, and rdx for compare_known(). */
static void keep_indices(struct compile *c, const struct ir_insn *insn, uint32_t reach)
{
	const struct x86_operand rax = x86_r64(X86_RAX);

	EMIT(mov, x86_sized(REACH(least), 4), x86_r32(X86_RCX));
	EMIT(mov, x86_sized(REACH(more), 4), x86_r32(X86_RDX));
	EMIT(mov, rax, x86_sized(home_memory(c, ir_made(c->ir, insn)->base), 8));
	EMIT(mov, REACH(base), rax);
	EMIT(add, rax, HIT(distance));
	EMIT(mov, REACH(host), rax);
}

/* Compares indices with what find_indices() finds: jumps to @on, or leaves. */
static void check_indices(struct compile *c, uint32_t index, uint32_t on)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const uint32_t bytes = access_unit(insn) + c->ranges[index].more;
	const uint32_t out = x86_label(c->x), reach = c->reaches[index];
	const uint32_t miss = access_begin_check(c, index, bytes);

	find_indices(c, index, bytes, out);
	EMIT(neg, x86_r32(X86_RCX));
	broadcast_number(c, least_index(c), x86_r32(X86_RCX));
	broadcast_number(c, more_indices(c), x86_r32(X86_RDX));
	if (reach)
		keep_indices(c, insn, reach);
	compare_indices(c, insn, on);
	x86_bind(c->x, out);
	load_one_address(c, insn);
	add_to_address(c, c->ranges[index].low);
	EMIT(jmp, x86_to(miss));
}

void access_check_index(struct compile *c, uint32_t index)
{
	const uint32_t leader = c->ranges[index].leader, reach = c->reaches[leader];
	const struct ir_insn *const own = &c->ir->insns[index], *insn = &c->ir->insns[leader];
	const struct x86_operand rax = x86_r64(X86_RAX);
	const uint32_t on = x86_label(c->x);

	if (leader == index && reach)
		compare_known(c, insn, reach, on);
	if (leader == index)
		check_indices(c, index, on);
	x86_bind(c->x, on);
	if (reach) {
		EMIT(mov, rax, REACH(host));
	} else {
		EMIT(mov, rax, HIT(distance));
		EMIT(add, rax, x86_sized(home_memory(c, ir_made(c->ir, own)->base), 8));
	}
	if (access_more(own) != own->imm)
		add_to_address(c, own->imm);
}
