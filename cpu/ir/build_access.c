/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From ops to the IR: what accesses memory, and addresses of lanes' own. */
#include "build.h"

/* ---- Loads and stores ----------------------------------------------------------------- */

/* The access without its address, and without what it loads or stores. */
static struct ir_insn *add_access(struct build *b, const struct translation *t,
				  const struct op *op)
{
	struct ir_insn *insn = build_insn(b, t->action == ACTION_LOAD ? IR_LOAD : IR_STORE);

	if (!insn)
		return NULL;
	insn->end += t->count > 1;
	insn->size = t->size;
	insn->count = t->count;
	insn->form = t->form;
	insn->narrow = t->form == FORM_SHARED_R4 || (t->form == FORM_SHARED_S && op->c);
	insn->hit = op->b;
	insn->imm = op->imm;
	insn->sources = 1;
	return insn;
}

/* One element of all of them, and its parts. */
static int load_parts(struct build *b, const struct translation *t, const struct op *op,
		      const int32_t rows[4], const struct part_rows *parts)
{
	struct ir_insn *insn = add_access(b, t, op);
	uint32_t whole, d;

	if (!insn)
		return build_full(b);
	insn->size = parts->wide;
	insn->count = 1;
	TRY(build_operand(b, op->a, &insn->a[0]));
	TRY(build_temporary(b, parts->wide, &whole));
	insn->d[0] = whole;
	for (unsigned i = 0; i < t->count; i++) {
		TRY(build_result(b, rows[i], t->size, &d));
		TRY(build_cut(b, parts, d, whole, i));
	}
	return 0;
}

/* The interpreter needs the parts where the region is left: they are sources that nothing is
 * computed of. */
static int store_parts(struct build *b, const struct translation *t, const struct op *op,
		       const int32_t rows[4], const struct part_rows *parts)
{
	uint32_t whole = IR_NONE, old, sources[4];
	struct ir_insn *insn;

	for (unsigned i = 0; i < t->count; i++) {
		old = whole;
		TRY(build_operand(b, rows[i], &sources[i]));
		TRY(build_temporary(b, parts->wide, &whole));
		TRY(build_join(b, parts, whole, old, sources[i], i));
	}
	insn = add_access(b, t, op);
	if (!insn)
		return build_full(b);
	insn->size = parts->wide;
	insn->count = 1;
	insn->sources = 2 + t->count;
	TRY(build_operand(b, op->a, &insn->a[0]));
	insn->a[1] = whole;
	memcpy(insn->a + 2, sources, t->count * sizeof(*sources));
	return 0;
}

/* Tells whether an access of @bytes at @address cannot become a call of @op, which has other
 * results; also where the address, a pattern, becomes a vector. */
static bool stays_access(const struct build *b, const struct translation *t, const struct op *op,
			 uint8_t bytes, uint32_t address)
{
	const struct ir_insn insn = { .op = IR_LOAD, .size = bytes, .count = 1, .form = t->form,
				      .imm = op->imm, .a = { address } };

	return op->imm >= INT32_MIN / 2 && op->imm <= INT32_MAX / 2 && build_is_known(b, &insn);
}

/* The rows to access elements of 1 and 2 bytes, whose addresses are a pattern or a vector, as parts
 * of one; or NULL. */
static const struct part_rows *find_parts(struct build *b, const struct translation *t,
					  const struct op *op)
{
	const struct part_rows *parts = part_rows_find(t->size * t->count, t->size);
	uint32_t address;

	if (t->count == 1 || !parts || t->size > 2 || build_operand(b, op->a, &address) ||
	    b->ir->values[address].kind == KIND_UNIFORM ||
	    !stays_access(b, t, op, parts->wide, address))
		return NULL;
	return build_has_rows(b, parts, t->action == ACTION_STORE) ? parts : NULL;
}

int build_access(struct build *b, const struct translation *t, const struct op *op)
{
	const bool loads = t->action == ACTION_LOAD;
	const struct part_rows *parts = find_parts(b, t, op);
	int32_t rows[4] = { op->d };
	struct ir_insn *insn;

	if (t->count > 1) {
		rows[1] = op[1].d;
		rows[2] = op[1].a;
		rows[3] = op[1].b;
	}
	if (parts)
		return loads ? load_parts(b, t, op, rows, parts) :
			       store_parts(b, t, op, rows, parts);
	insn = add_access(b, t, op);
	if (!insn)
		return build_full(b);
	TRY(build_operand(b, op->a, &insn->a[0]));
	for (unsigned i = 0; i < t->count; i++)
		TRY(loads ? build_result(b, rows[i], t->size, &insn->d[i]) :
			    build_operand(b, rows[i], &insn->a[i + 1]));
	insn->sources += loads ? 0 : t->count;
	return 0;
}

/* ---- Lanes' own memory ---------------------------------------------------------------- */

/* The stack of an entry begins where its lane's memory does. */
int build_frame(struct build *b, const struct op *op)
{
	struct ir_insn *insn = build_insn(b, IR_MOVE);

	if (!insn)
		return build_full(b);
	insn->size = 8;
	insn->sources = 1;
	TRY(build_number(b, (uint64_t)op->imm, &insn->a[0]));
	return build_result(b, op->d, 8, &insn->d[0]);
}

/* Addresses that are farther apart are checked each for itself. */
enum { MOST_APART = 1 << 15 };

/* The memory of each lane has as many bytes. */
int build_local(struct build *b, const struct op *op)
{
	const uint32_t stack = b->l->code->stack;
	struct ir_insn *insn = build_insn(b, IR_LOCAL);
	int64_t steps[KIND_LANES];
	struct ir_value *d;
	uint16_t pattern;

	if (!insn)
		return build_full(b);
	for (unsigned l = 0; l < KIND_LANES; l++)
		steps[l] = (int64_t)l * stack;
	TRY(build_pattern(b, steps, &pattern));
	if (!pattern)
		return err_set(b->e, GPURUN_UNSUPPORTED, "it has too many patterns");
	insn->size = 8;
	insn->sources = 1;
	insn->row = pattern;
	insn->imm = stack;
	TRY(build_operand(b, op->a, &insn->a[0]));
	TRY(build_result(b, op->d, 8, &insn->d[0]));
	d = &b->ir->values[insn->d[0]];
	d->kind = d->scratch ? KIND_VECTOR : d->kind;
	if (!d->scratch || stack >= MOST_APART)
		return 0;
	d->kind = KIND_PATTERN;
	d->pattern = pattern;
	return 0;
}

/* ---- Atomic operations ---------------------------------------------------------------- */

/* Another block's shared memory has addresses of this kind too: where one is found, the region is
 * left, and the interpreter makes the address again. */
bool build_has_window(const struct build *b, uint32_t at)
{
	const struct op *op = &b->l->code->ops[at];

	return at + 1 < b->l->insn_ops[b->source + 1] &&
	       translations[handler_of(op + 1)].action == ACTION_ATOMIC && op[1].a == op->d;
}

/* The address is what a window is made of, an offset in shared memory; or generic. */
static int add_address(struct build *b, struct ir_insn *insn, const struct op *op)
{
	const struct op *window = op - 1;
	const bool narrow = handler_of(window) == HANDLER_cluster_window_4;

	if (b->at == b->l->insn_ops[b->source] ||
	    translations[handler_of(window)].action != ACTION_WINDOW) {
		insn->form = FORM_FLAT_R8;
		insn->imm = op->imm;
		return build_operand(b, op->a, &insn->a[0]);
	}
	insn->form = narrow ? FORM_SHARED_R4 : FORM_SHARED_R8;
	insn->narrow = narrow || window->b;
	insn->imm = window->imm;
	insn->at--;
	return build_operand(b, window->a, &insn->a[0]);
}

int build_atomic(struct build *b, const struct translation *t, const struct op *op)
{
	const int32_t rows[2] = { op->b, op[1].d };
	struct ir_insn *insn = build_insn(b, IR_ATOMIC);

	if (!insn)
		return build_full(b);
	insn->end = b->at + translation_ops(t);
	insn->row = t->op;
	insn->size = t->size;
	insn->count = 1;
	insn->hit = op->c;
	insn->sources = (uint8_t)(1 + t->count);
	TRY(add_address(b, insn, op));
	for (unsigned i = 0; i < t->count; i++)
		TRY(build_operand(b, rows[i], &insn->a[1 + i]));
	return build_result(b, op->d, t->size, &insn->d[0]);
}
