/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * check=init for registers. One that is live where its function begins has a path to a
 * read on which nothing writes it; one that is loaded may have an uninitialised value.
 * Those, and what is computed from them, are watched: each has a struct uninit after the
 * registers, which the ops here update. uninit.h says what is reported where.
 */
#include "lower_init.h"

#include "asserts.h"
#include "config.h"
#include "special.h"

/* ---- Which registers are watched --------------------------------------------------- */

/* What an instruction does with uninitialised values: propagates them in some way, or uses
 * them. */
static enum uninit_flow flow_of(const struct insn *insn)
{
	static const uint8_t flows[] = {
#define BASE(id, spelling, lowering, parks, results, control, kind, flow, ...) FLOWS_##flow,
#include "bases.def"
	};

	return flows[insn->base];
}

static bool propagates(enum uninit_flow flow)
{
	return flow <= FLOWS_SHUFFLE;
}

/* Parameters of an entry and constants are written before anything runs. */
static bool loads_known(const struct body *body, const struct insn *insn,
			const struct opcode *opcode)
{
	const struct operand *from = insn_operands(body, insn) + 1;

	if (opcode_has(opcode, "const"))
		return true;
	return insn->count > 1 && from->kind == OPERAND_ADDRESS &&
	       from->base == OPERAND_VARIABLE && body->function->entry &&
	       body->symbols[from->index].home == SYMBOL_PARAM;
}

struct search {
	uint8_t *watched;      /* of each register */
	uint32_t guard;
	bool write, found, changed;
};

static void note_watched(void *context, uint32_t index, bool write)
{
	struct search *search = context;

	if (!write)
		search->found |= index != search->guard && search->watched[index];
	if (!write || !search->write || search->watched[index])
		return;
	search->watched[index] = 1;
	search->changed = true;
}

static void spread(const struct body *body, const struct insn *insn, struct search *search)
{
	struct opcode opcode;
	enum uninit_flow flow;

	if (!opcode_parse(insn->opcode, &opcode))
		return;
	flow = flow_of(insn);
	search->guard = insn->guard;
	search->found = search->write = false;
	insn_registers(body, insn, note_watched, search);
	search->write = (propagates(flow) && search->found) || flow == FLOWS_CALL ||
			(flow == FLOWS_LOAD && !loads_known(body, insn, &opcode));
	if (search->write)
		insn_registers(body, insn, note_watched, search);
}

static void find_watched(const struct body *body, uint8_t *watched)
{
	struct search search = { .watched = watched, .changed = true };

	while (search.changed) {
		search.changed = false;
		for (size_t i = 0; i < body->insn_count; i++)
			spread(body, &body->insns[i], &search);
	}
}

/* A register that is a parameter (written before the function begins), or a result. */
static bool is_passed(const struct body *body, uint32_t reg, enum symbol_home home)
{
	for (size_t i = 0; i < body->symbol_count; i++)
		if (body->symbols[i].space == PTX_REG && body->symbols[i].home == home &&
		    reg - body->symbols[i].reg < body->symbols[i].lanes)
			return true;
	return false;
}

static bool begins_uninit(const struct reached *reached, uint32_t reg)
{
	if (is_passed(reached->body, reg, SYMBOL_PARAM))
		return false;
	return liveness_enters(&reached->liveness, 0, reg) ||
	       is_passed(reached->body, reg, SYMBOL_RETURN);
}

/* Places for registers that are uninitialised where the function begins, then for the others. */
static void place_watched(struct reached *reached, const uint8_t *watched)
{
	const uint32_t count = (uint32_t)reached->body->register_count;
	int32_t *end = &reached->places.end;

	ASSERT(*end >= AT_ROWS && !reached->uninit_count);
	reached->uninit_at = *end = (*end + 63) & ~63;
	*end += (int32_t)sizeof(struct uninit);
	for (unsigned later = 0; later < 2; later++)
		for (uint32_t r = 0; r < count; r++) {
			if (!watched[r] || begins_uninit(reached, r) == later)
				continue;
			reached->uninits[r] = *end;
			*end += (int32_t)sizeof(struct uninit);
			reached->uninit_count += !later;
		}
}

int check_registers_place(struct lowering *l, struct reached *reached)
{
	const struct body *body = reached->body;
	CLEANUP(free_pointer) uint8_t *watched = NULL;

	if (!(config.check & CHECK_INIT) || !reached->flow.block_count)
		return 0;
	watched = calloc(body->register_count + 1, 1);
	reached->uninits = calloc(body->register_count + 1, sizeof(*reached->uninits));
	if (!watched || !reached->uninits)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for the checks of registers");
	for (uint32_t r = 0; r < body->register_count; r++)
		watched[r] = begins_uninit(reached, r) || is_passed(body, r, SYMBOL_PARAM);
	find_watched(body, watched);
	place_watched(reached, watched);
	return 0;
}

int32_t uninit_of(const struct lowering *l, uint32_t index)
{
	ASSERT(index < l->body->register_count);
	return l->now->uninits ? l->now->uninits[index] : 0;
}

int check_registers_begin(struct lowering *l)
{
	if (!l->now->uninit_count)
		return 0;
	return emit(l, HANDLER_check_unwritten, 0,
		    l->now->uninit_at + (int32_t)sizeof(struct uninit),
		    (int32_t)l->now->uninit_count, 0, 0);
}

/* ---- Uses --------------------------------------------------------------------------- */

/* The declaration of register @index. */
static const struct declared_registers *declaration(const struct body *body, uint32_t index)
{
	const struct declared_registers *found = NULL;

	for (size_t i = 0; i < body->declared_count; i++)
		if (body->declared[i].first <= index)
			found = &body->declared[i];
	return found;
}

/* An op that names register @index in a report. */
static int emit_named(struct lowering *l, enum handler handler, int32_t d, int32_t a,
		      uint32_t index)
{
	const struct declared_registers *from = declaration(l->body, index);
	int32_t number = from && from->range ? (int32_t)(index - from->first) : -1;

	return emit(l, handler, d, a, from ? (int32_t)from->name.length : 0, number,
		    from ? (int64_t)(uintptr_t)from->name.text : 0);
}

/* Register @index is used by the lanes of predicate @p, or all that run (0). */
static int check_read(struct lowering *l, uint32_t index, int32_t p)
{
	const int32_t at = uninit_of(l, index);

	return at ? emit_named(l, HANDLER_check_read, p, at, index) : 0;
}

int check_guard(struct lowering *l)
{
	return l->insn->guard == NO_GUARD ? 0 : check_read(l, l->insn->guard, 0);
}

struct visitor {
	struct lowering *l;
	bool write;            /* visit those that it writes, not those that it reads */
	int status;
	int (*visit)(struct lowering *l, uint32_t index);
};

static void visit_watched(void *context, uint32_t index, bool write)
{
	struct visitor *visitor = context;

	if (!visitor->status && write == visitor->write && uninit_of(visitor->l, index) &&
	    (write || index != visitor->l->insn->guard))
		visitor->status = visitor->visit(visitor->l, index);
}

/* Calls @visit for each watched register that the instruction reads, or writes, until it
 * returns another value than 0; returns that. */
static int for_each_watched(struct lowering *l, bool write,
			    int (*visit)(struct lowering *, uint32_t))
{
	struct visitor visitor = { l, write, 0, visit };

	insn_registers(l->body, l->insn, visit_watched, &visitor);
	return visitor.status;
}

static int use_register(struct lowering *l, uint32_t index)
{
	return check_read(l, index, 0);
}

static int mark_written(struct lowering *l, uint32_t index)
{
	return emit(l, HANDLER_check_wrote, 0, uninit_of(l, index), 0, 0, 0);
}

static int any_register(struct lowering *l, uint32_t index)
{
	(void)l, (void)index;
	return 1;
}

/* Tells whether the instruction writes a watched register. */
static bool has_result(struct lowering *l)
{
	return for_each_watched(l, true, any_register);
}

/* ---- Instructions -------------------------------------------------------------------- */

/* The registers that a load or store reads, except its data. */
static int use_except(struct lowering *l, unsigned data)
{
	for (unsigned i = 0; i < l->insn->count; i++) {
		const struct operand *operand = &l->operands[i];
		const bool address = operand->kind == OPERAND_ADDRESS &&
				     operand->base == OPERAND_REGISTER;

		if (i != data && (address || operand->kind == OPERAND_REGISTER))
			TRY(check_read(l, operand->index, 0));
	}
	return 0;
}

/* What wgmma adds to is read if scale-d is 1. */
static int use_product(struct lowering *l)
{
	const bool sparse = opcode_has(&l->opcode, "sp");
	const struct operand *sum = &l->operands[0];
	struct scratch used = l->scratch;
	int32_t p;

	if (!opcode_has(&l->opcode, "mma_async") || l->insn->count < 4u + 2 * sparse ||
	    sum->kind != OPERAND_VECTOR)
		return 0;
	for (unsigned i = 1; i < l->insn->count; i++) {
		const struct operand *operand = &l->operands[i];
		const bool vector = operand->kind == OPERAND_VECTOR;

		for (int64_t k = 0; k < (vector ? operand->value : 1); k++) {
			const struct operand *element =
				vector ? &l->body->elements[operand->index + k] : operand;

			if (element->kind == OPERAND_REGISTER)
				TRY(check_read(l, element->index, 0));
		}
	}
	TRY(source_predicate(l, &l->operands[sparse ? 5 : 3], &p));
	for (int64_t k = 0; k < sum->value; k++) {
		const struct operand *element = &l->body->elements[sum->index + k];

		if (element->kind == OPERAND_REGISTER)
			TRY(check_read(l, element->index, p));
	}
	l->scratch = used;
	return 0;
}

int check_reads(struct lowering *l)
{
	enum uninit_flow flow;

	if (!l->now->uninits)
		return 0;
	flow = flow_of(l->insn);
	switch (flow) {
	case FLOWS_LOAD:
		return use_except(l, 0);
	case FLOWS_STORE:
		return use_except(l, 1);
	case FLOWS_CALL:
		return 0;
	case FLOWS_SHUFFLE:
		for (unsigned i = l->insn->results + 1u; i < l->insn->count; i++)
			if (l->operands[i].kind == OPERAND_REGISTER)
				TRY(check_read(l, l->operands[i].index, 0));
		return 0;
	case FLOWS_WGMMA:
		return use_product(l);
	case FLOWS_NOWHERE:
		return for_each_watched(l, false, use_register);
	default: /* what is gathered for no register would reach the next one that is put */
		return has_result(l) ? uninit_propagate(l, flow) : 0;
	}
}

/* The struct uninit of @operand of a shfl, its data or result; 0: it is not watched. */
static int32_t shuffled(const struct lowering *l, unsigned operand)
{
	return l->operands[operand].kind == OPERAND_REGISTER && l->now->uninits ?
		       uninit_of(l, l->operands[operand].index) : 0;
}

int check_shuffle(struct lowering *l, enum handler handler, int32_t b, int32_t c, int32_t m,
		  int64_t rows, int32_t *from)
{
	const struct operand lane = { .kind = OPERAND_SPECIAL, .index = SPECIAL_LANEID };
	int32_t ids;

	*from = 0;
	if (!shuffled(l, l->insn->results))
		return 0;
	TRY(source_row(l, &lane, 4, ELEMENT_BITS, false, &ids));
	*from = scratch_row(l);
	TRY(emit(l, handler, *from, ids, b, c, m));
	return emit(l, HANDLER_halt, scratch_predicate(l), 0, 0, 0, rows);
}

int check_shuffled(struct lowering *l, int32_t from)
{
	const int32_t to = shuffled(l, 0), data = shuffled(l, l->insn->results);

	if (!to)
		return 0;
	return emit(l, from ? HANDLER_check_shuffle : HANDLER_check_wrote, data, to, from, 0, 0);
}

int check_writes(struct lowering *l)
{
	enum uninit_flow flow;

	if (!l->now->uninits)
		return 0;
	flow = flow_of(l->insn);
	if (flow == FLOWS_SHUFFLE && l->insn->results > 1 && shuffled(l, 1))
		return mark_written(l, l->operands[1].index);
	if (propagates(flow) || flow == FLOWS_LOAD || flow == FLOWS_CALL)
		return 0;
	return for_each_watched(l, true, mark_written);
}

/* What is stored in a vector beside initialised values is padding: that is not reported. */
static int check_filled(struct lowering *l, const struct operand *elements, unsigned count,
			unsigned *flags)
{
	for (unsigned i = 0; i < count; i++) {
		if (elements[i].kind != OPERAND_REGISTER || !uninit_of(l, elements[i].index))
			*flags |= STORED_SILENT;
		else
			TRY(emit(l, HANDLER_check_filled, 0, uninit_of(l, elements[i].index), 0, 0,
				 0));
	}
	return 0;
}

/* The bytes of @element are stored @first bytes after the store's address. */
static int store_element(struct lowering *l, const struct operand *element, unsigned size,
			 unsigned first, unsigned flags)
{
	const uint64_t keep = low_bits(size == 16 ? 64 : 8 * size);

	TRY(uninit_gather_from(l, element, keep, (struct uninit_bits){ 0 }));
	return emit_named(l, HANDLER_check_stored,
			  (int32_t)(size | first << STORED_FIRST_SHIFT | flags), 0,
			  element->index);
}

static int load_element(struct lowering *l, const struct operand *element, unsigned size,
			unsigned first)
{
	TRY(emit(l, HANDLER_check_loaded, 0, 0, (int32_t)first, (int32_t)size, 0));
	return uninit_put_to(l, element, size > 8 ? 64 : 8 * size,
			    type_signed(l->opcode.types[0]) ? PUT_SIGN : 0);
}

/* What a load writes, element by element; or what a store reads from registers. */
int check_elements(struct lowering *l, bool store, unsigned size)
{
	const struct operand *operand = &l->operands[store], *elements = operand;
	const bool vector = operand->kind == OPERAND_VECTOR;
	const unsigned count = vector ? (unsigned)operand->value : 1;
	unsigned flags = 0;

	if (!l->now->uninits)
		return 0;
	size /= count;
	if (vector)
		elements = &l->body->elements[operand->index];
	if (store && copies_structure(l))
		flags |= STORED_SILENT;
	if (store && vector)
		TRY(check_filled(l, elements, count, &flags));
	for (unsigned i = 0; i < count; i++) {
		const struct operand *element = &elements[i];

		if (element->kind != OPERAND_REGISTER || !uninit_of(l, element->index))
			continue;
		if (store)
			TRY(store_element(l, element, size, i * size, flags));
		else
			TRY(load_element(l, element, size, i * size));
	}
	return store && vector ? emit(l, HANDLER_check_filled, 0, l->now->uninit_at, 0, 1, 0) : 0;
}
