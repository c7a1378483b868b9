/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Addresses that are computed in the way of arrays, base + (index << shift) with an index of 32
 * bits that lanes do not share. Where loads and stores alone read such an address, they get the
 * index, which has half as many vectors, and the address is computed only where the region is left
 * and the interpreter needs it:
 *
 *	t = mul.wide.u32 i 4        x t = index i          x: the index, a copy that stays as it is
 *	a = add.s64 t base          a = made t
 *	d = load a + 8              d = load x a + 8 by x * 4
 *
 * All of them are in one block, and nothing between them leaves the region or calls handlers,
 * which would need the address in its row, or have it there and not the index.
 */
#include "build.h"
#include "live.h"

/* What is known of a value. */
struct index_use {
	uint32_t reads, writes;
	uint32_t fitting;        /* reads that are a sum, of a product; or an access, of a sum */
	uint32_t window;         /* of a product or a sum: between the same calls; 0: it is none */
	uint32_t product;        /* of a sum: the value of its product, or itself (mad.wide) */
	uint32_t base;           /* likewise */
	uint8_t shift;           /* of a product */
	bool sign;
	bool bad;                /* a product with a sum that does not fit */
};

struct index_search {
	struct build *b;
	struct index_use *uses;  /* owned: of each value */
	uint32_t window;
};

static void index_search_release(struct index_search *s)
{
	free(s->uses);
}

static void count_use(void *context, uint32_t value, bool defines)
{
	const struct index_search *s = context;

	if (defines)
		s->uses[value].writes++;
	else
		s->uses[value].reads++;
}

/* ---- What fits -------------------------------------------------------------------------- */

static bool is_row(const struct ir_insn *insn, const char *spelling)
{
	return insn->op == IR_ROW && !strcmp(op_rows[insn->row].spelling, spelling);
}

static bool is_vector_of(const struct ir *ir, uint32_t value, unsigned bytes)
{
	return ir->values[value].kind == KIND_VECTOR && ir->values[value].bytes == bytes;
}

static bool is_base(const struct ir *ir, uint32_t value)
{
	const struct ir_value *base = &ir->values[value];

	return base->fixed && base->kind == KIND_UNIFORM && !base->known && base->bytes == 8;
}

/* A product, or a sum with one. */
static void note_product(struct index_search *s, const struct ir_insn *insn)
{
	const struct ir *ir = s->b->ir;
	const struct ir_value *factor = &ir->values[insn->a[1]];
	const bool sum = is_row(insn, "mad.wide.s32") || is_row(insn, "mad.wide.u32");
	struct index_use *use;

	if ((!sum && !is_row(insn, "mul.wide.s32") && !is_row(insn, "mul.wide.u32")) ||
	    !is_vector_of(ir, insn->d[0], 8) || !is_vector_of(ir, insn->a[0], 4) ||
	    !factor->known || factor->number - 1 > 7 || factor->number & (factor->number - 1) ||
	    (sum && !is_base(ir, insn->a[2])))
		return;
	use = &s->uses[insn->d[0]];
	use->window = s->window;
	use->shift = (uint8_t)__builtin_ctzll(factor->number);
	use->sign = op_rows[insn->row].is_signed;
	use->product = sum ? insn->d[0] : 0;
	use->base = sum ? insn->a[2] : 0;
}

static void note_sum(struct index_search *s, const struct ir_insn *insn)
{
	const struct ir *ir = s->b->ir;

	if (!is_row(insn, "add.s64/u64") || !is_vector_of(ir, insn->d[0], 8))
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct index_use *product = &s->uses[insn->a[i]], *sum = &s->uses[insn->d[0]];

		if (product->window != s->window || product->product ||
		    !is_base(ir, insn->a[1 - i]))
			continue;
		product->fitting++;
		sum->window = s->window;
		sum->product = insn->a[i];
		sum->base = insn->a[1 - i];
		return;
	}
}

static void note_access(struct index_search *s, const struct ir_insn *insn)
{
	struct index_use *sum = &s->uses[insn->a[0]];

	if (insn->op != IR_ATOMIC && sum->window == s->window && sum->product &&
	    insn->sources < IR_SOURCES && s->b->options->has_index(s->b->options->context, insn) &&
	    (1u << s->uses[sum->product].shift) % insn->size == 0)
		sum->fitting++;
}

/* What is computed under a guard may be left out. */
static void search_block(struct index_search *s, const struct ir_block *block)
{
	uint32_t guarded = 0;

	s->window++;
	for (uint32_t i = block->first; i < block->end; i++) {
		const struct ir_insn *insn = &s->b->ir->insns[i];

		if (insn->op == IR_CALL || insn->op == IR_LEAVE)
			s->window++;
		else if (insn->op == IR_GUARD && insn->imm > guarded)
			guarded = (uint32_t)insn->imm;
		else if (ir_accesses(insn))
			note_access(s, insn);
		else if (insn->op == IR_ROW && insn->guard == IR_NONE &&
			 insn->checked == IR_NONE && i >= guarded) {
			note_product(s, insn);
			note_sum(s, insn);
		}
	}
}

static bool fits(const struct index_use *use)
{
	return use->window && use->writes == 1 && use->fitting == use->reads && use->reads &&
	       !use->bad;
}

static bool fits_sum(const struct index_search *s, uint32_t value)
{
	const struct index_use *use = &s->uses[value];

	return use->product && fits(use) && fits(&s->uses[use->product]);
}

/* Tells whether @value is the first that is made of an index. */
static bool fits_product(const struct index_search *s, uint32_t value)
{
	const uint32_t product = s->uses[value].product;

	return product == value ? fits_sum(s, value) : !product && fits(&s->uses[value]);
}

/* ---- What they become ------------------------------------------------------------------- */

static int change_product(struct index_search *s, struct ir_insn *insn)
{
	struct ir *ir = s->b->ir;
	const uint32_t product = insn->d[0];
	uint32_t index;

	TRY(build_temporary(s->b, 4, &index));
	ir->values[index].kind = KIND_VECTOR;
	ir->values[product].made = (struct ir_made){ index, s->uses[product].base,
						     s->uses[product].shift,
						     s->uses[product].sign };
	insn->op = IR_INDEX;
	insn->size = 4;
	insn->sources = 1;
	insn->a[1] = insn->a[2] = IR_NONE;
	insn->d[0] = index;
	insn->d[1] = product;
	return 0;
}

static void change_sum(const struct index_search *s, struct ir_insn *insn)
{
	struct ir *ir = s->b->ir;
	const struct index_use *sum = &s->uses[insn->d[0]];

	ir->values[insn->d[0]].made = ir->values[sum->product].made;
	ir->values[insn->d[0]].made.base = sum->base;
	insn->op = IR_MADE;
	insn->sources = 1;
	insn->a[0] = sum->product;
	insn->a[1] = IR_NONE;
}

static void change_access(const struct index_search *s, struct ir_insn *insn)
{
	const uint32_t address = insn->a[0];

	insn->indexed = true;
	insn->a[0] = s->b->ir->values[address].made.index;
	insn->a[insn->sources++] = address;
}

int build_indices(struct build *b)
{
	struct ir *ir = b->ir;
	const size_t count = ir->value_count;
	CLEANUP(index_search_release) struct index_search s = { .b = b };

	s.uses = calloc(count, sizeof(*s.uses));
	if (!s.uses)
		return build_full(b);
	for (size_t i = 0; i < ir->insn_count; i++) {
		ir_visit(ir, &ir->insns[i], count_use, &s);
		if (ir->insns[i].checked != IR_NONE)
			s.uses[ir->insns[i].checked].reads++;
	}
	for (size_t i = 0; i < ir->block_count; i++)
		search_block(&s, &ir->blocks[i]);
	for (size_t v = 0; v < count; v++)
		if (s.uses[v].product && !fits(&s.uses[v]))
			s.uses[s.uses[v].product].bad = true;
	for (size_t i = 0; i < ir->insn_count; i++) {
		struct ir_insn *insn = &ir->insns[i];

		if (ir_accesses(insn) && insn->op != IR_ATOMIC && fits_sum(&s, insn->a[0]))
			change_access(&s, insn);
		else if (insn->op == IR_ROW && fits_product(&s, insn->d[0]))
			TRY(change_product(&s, insn));
		else if (insn->op == IR_ROW && fits_sum(&s, insn->d[0]))
			change_sum(&s, insn);
	}
	return 0;
}
