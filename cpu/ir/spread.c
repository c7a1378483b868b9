/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "array.h"
#include "build.h"

/* A value that has been spread in the present block, and is still the same. */
struct spread {
	uint32_t from, to;
	uint32_t next;            /* of the same value, plus 1; 0: none */
};

struct spreader {
	struct build *b;
	struct ir old;            /* owned: what it was */
	struct spread *known;     /* owned */
	size_t known_count;
	uint32_t *newest;         /* owned: of each old value: its last one, plus 1; 0: none */
	uint32_t *moved;          /* owned: of each old instruction, its new place */
	uint32_t lanes;           /* the predicate of a guard, of lanes that stay in a loop alone */
};

static void spreader_release(struct spreader *s)
{
	free(s->old.insns);
	free(s->known);
	free(s->newest);
	free(s->moved);
}

static void forget_all(struct spreader *s)
{
	for (size_t i = 0; i < s->known_count; i++)
		s->newest[s->known[i].from] = 0;
	s->known_count = 0;
}

/* Elements of 1 and 2 bytes have no form of an instruction that takes one for all lanes. */
static bool is_spread(const struct ir *ir, uint32_t value, unsigned bytes)
{
	const struct ir_value *v = &ir->values[value];

	return bytes && (v->kind == KIND_PATTERN || (v->kind == KIND_UNIFORM && bytes < 4));
}

/* The bytes of an element of source @i. */
static unsigned source_bytes(const struct ir_insn *insn, unsigned i)
{
	switch (insn->op) {
	case IR_ROW:
		return op_rows[insn->row].sizes[i + 1];
	case IR_SELECT:
		return i == 2 ? 0 : insn->size;
	case IR_LOCAL:
		return 8;
	case IR_STORE:
		return i && i <= insn->count ? insn->size : 0; /* nothing is computed of others */
	case IR_ATOMIC:
		return i ? insn->size : 0;
	case IR_MOVE:
		return insn->size;
	case IR_SHUFFLE:
		return i < 3 ? insn->size : 0; /* nothing is computed of the members */
	case IR_REDUCE:
	case IR_MATCH:
		return i ? 0 : insn->size;
	default:
		return 0;
	}
}

/* @insn, for all lanes, is of the ops that @user is of. */
static void put_beside(struct ir_insn *insn, const struct ir_insn *user)
{
	insn->guard = IR_NONE;
	insn->at = user->at;
	insn->end = user->end;
	insn->source = user->source;
	insn->source_end = user->source_end;
}

static int add_spread(struct spreader *s, const struct ir_insn *user, uint32_t from, unsigned bytes,
		      uint32_t *to)
{
	struct ir *ir = s->b->ir;
	const struct ir_value new = { .reg = IR_NONE, .bytes = (uint8_t)bytes, .kind = KIND_VECTOR,
				      .scratch = true, .temporary = true,
				      .origin = from };
	struct ir_value *value;
	struct spread *known;
	struct ir_insn *insn;

	for (uint32_t i = s->newest[from]; i; i = s->known[i - 1].next) {
		*to = s->known[i - 1].to;
		if (ir->values[*to].bytes == bytes)
			return 0;
	}
	value = array_grow(&ir->values, ir->value_count, sizeof(*value));
	known = array_grow(&s->known, s->known_count, sizeof(*known));
	insn = build_insn(s->b, IR_SPREAD);
	if (!value || !known || !insn)
		return build_full(s->b);
	*value = new;
	*to = (uint32_t)ir->value_count++;
	*known = (struct spread){ from, *to, s->newest[from] };
	s->newest[from] = (uint32_t)++s->known_count;
	insn->size = (uint8_t)bytes;
	insn->sources = 1;
	insn->a[0] = from;
	insn->d[0] = *to;
	put_beside(insn, user);
	return 0;
}

/* A predicate = @op of @a, and of ir->staying. */
static int add_lanes(struct spreader *s, const struct ir_insn *guard, enum ir_op op, uint32_t a,
		     uint32_t *to)
{
	struct ir_insn *insn = build_insn(s->b, op);

	if (!insn)
		return build_full(s->b);
	TRY(build_temporary(s->b, 0, to));
	s->b->ir->values[*to].kind = KIND_VECTOR;
	insn->d[0] = *to;
	insn->a[0] = a;
	insn->sources = 1;
	if (op == IR_AND)
		insn->a[insn->sources++] = s->b->ir->staying;
	put_beside(insn, guard);
	return 0;
}

/* What is behind @guard in a loop has one predicate, for its lanes and those that stay. */
static int find_lanes(struct spreader *s, const struct ir_insn *guard)
{
	uint32_t a = guard->a[0];

	if (guard->negated)
		TRY(add_lanes(s, guard, IR_NOT, a, &a));
	return add_lanes(s, guard, IR_AND, a, &s->lanes);
}

static void use_lanes(const struct spreader *s, struct ir_insn *insn)
{
	insn->under = s->lanes;
	insn->guard_negated = false;
	insn->stays = false;
	if (insn->guard != IR_NONE)
		insn->guard = s->lanes;
}

static int copy_insn(struct spreader *s, uint32_t index)
{
	struct ir *ir = s->b->ir;
	struct ir_insn insn = s->old.insns[index], *slot;
	const bool vector = (insn.d[0] != IR_NONE && ir->values[insn.d[0]].kind == KIND_VECTOR) ||
			    insn.op == IR_STORE || ir_effect(&insn) == IR_MEETS;

	s->moved[index] = (uint32_t)ir->insn_count;
	/* What is behind a guard may not be executed, and the interpreter has no temporaries. */
	if ((insn.op == IR_GUARD && (!insn.skipped || insn.tested)) || insn.op == IR_LEAVE ||
	    insn.op == IR_CALL)
		forget_all(s);
	for (unsigned i = 0; i < insn.sources; i++) {
		const unsigned bytes = source_bytes(&insn, i);

		if (vector && is_spread(ir, insn.a[i], bytes))
			TRY(add_spread(s, &insn, insn.a[i], bytes, &insn.a[i]));
	}
	slot = build_insn(s->b, (enum ir_op)insn.op);
	if (!slot)
		return build_full(s->b);
	*slot = insn;
	if (insn.stays && insn.op == IR_GUARD)
		TRY(find_lanes(s, &insn));
	else if (insn.stays)
		use_lanes(s, slot);
	for (unsigned i = 0; i < IR_RESULTS && insn.d[i] != IR_NONE; i++)
		s->newest[insn.d[i]] = 0; /* they are other values now */
	return 0;
}

int build_spreads(struct build *b)
{
	struct ir *ir = b->ir;
	CLEANUP(spreader_release) struct spreader s = { .b = b };
	uint32_t ends = IR_NONE;

	s.old.insns = ir->insns;
	s.old.insn_count = ir->insn_count;
	ir->insns = NULL;
	ir->insn_count = 0;
	b->guard = IR_NONE;
	s.moved = calloc(s.old.insn_count + 1, sizeof(*s.moved));
	s.newest = calloc(ir->value_count, sizeof(*s.newest));
	if (!s.moved || !s.newest)
		return build_full(b);
	for (size_t i = 0; i < ir->block_count; i++) {
		struct ir_block *block = &ir->blocks[i];
		const uint32_t end = block->end;
		uint32_t k = block->first;

		block->first = (uint32_t)ir->insn_count;
		forget_all(&s);
		for (; k < end; k++) {
			const struct ir_insn *insn = &s.old.insns[k];

			if (k == ends)
				forget_all(&s);
			if (insn->op == IR_GUARD && (!insn->skipped || insn->tested))
				ends = (uint32_t)insn->imm;
			TRY(copy_insn(&s, k));
		}
		block->end = (uint32_t)ir->insn_count;
	}
	s.moved[s.old.insn_count] = (uint32_t)ir->insn_count;
	for (size_t i = 0; i < ir->insn_count; i++)
		if (ir->insns[i].op == IR_GUARD)
			ir->insns[i].imm = s.moved[ir->insns[i].imm];
	return 0;
}
