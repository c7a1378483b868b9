/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "simplify.h"

#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"
#include "insn.h"

/* Instructions of a side that is executed under a predicate, at most. */
enum { MOST_SIDE = 16 };

/* What a predicate is known to be, within block. */
struct known {
	uint32_t block;            /* the instructions between labels where this is true */
	uint32_t source;           /* the predicate that it is; NO_GUARD: the same for all */
	uint32_t version;          /* of the source: how often it had been written then */
	bool negated;              /* the opposite of source; without one: it is true */
};

/* How often a register is named. */
struct uses {
	uint32_t total;
	uint32_t run, inside;      /* in the last run of guarded instructions that names it */
	bool written_first;        /* there */
};

struct simplifier {
	struct body *body;
	uint32_t *entries;         /* owned: of each instruction: branches that lead to it */
	uint32_t *versions;        /* owned: of each register: writes so far */
	struct known *known;       /* owned: of each register */
	uint8_t *dropped;          /* owned: of each instruction */
	struct uses *uses;         /* owned: of each register */
	uint32_t block;            /* the present one */
	uint32_t run;              /* the present run of guarded instructions */
	bool whole;
};

static struct operand *operands_of(struct simplifier *s, const struct insn *insn)
{
	return s->body->operands + insn->operand;
}

/* The target of a plain branch @insn; UINT32_MAX when it is none. */
static uint32_t target_of(struct simplifier *s, const struct insn *insn)
{
	const struct operand *to = operands_of(s, insn);

	if (insn->base != INSN_BRA || insn->count != 1 ||
	    to->kind != OPERAND_LABEL)
		return UINT32_MAX;
	ASSERT(to->index < s->body->label_count);
	return s->body->labels[to->index].insn;
}

/* Counts the branches to each instruction. */
static void count_entries(struct simplifier *s)
{
	struct body *body = s->body;

	memset(s->entries, 0, (body->insn_count + 1) * sizeof(*s->entries));
	for (size_t i = 0; i < body->operand_count; i++) {
		if (body->operands[i].kind != OPERAND_LABEL)
			continue;
		ASSERT(body->labels[body->operands[i].index].insn <= body->insn_count);
		s->entries[body->labels[body->operands[i].index].insn]++;
	}
}

/* Removes the dropped instructions, and labels that are not used any more. */
static void compact(struct simplifier *s)
{
	struct body *body = s->body;
	uint32_t kept = 0;

	/* dropped branches have no target */
	for (size_t i = 0; i < body->insn_count; i++)
		for (unsigned k = 0; s->dropped[i] && k < body->insns[i].count; k++)
			operands_of(s, &body->insns[i])[k].kind = OPERAND_SINK;
	count_entries(s);
	for (size_t i = 0; i < body->label_count; i++)
		body->labels[i].placed = s->entries[body->labels[i].insn] != 0;
	for (uint32_t i = 0; i <= body->insn_count; i++) {
		s->entries[i] = kept;
		kept += i < body->insn_count && !s->dropped[i];
	}
	for (size_t i = 0; i < body->label_count; i++)
		body->labels[i].insn = s->entries[body->labels[i].insn];
	kept = 0;
	for (uint32_t i = 0; i < body->insn_count; i++)
		if (!s->dropped[i])
			body->insns[kept++] = body->insns[i];
	body->insn_count = kept;
	memset(s->dropped, 0, kept);
	count_entries(s);
}

/* Counts the register that @operand names; @by: 1 or -1. */
static void count_use(struct simplifier *s, const struct operand *operand, int by)
{
	bool address = operand->kind == OPERAND_ADDRESS || operand->kind == OPERAND_TENSOR;

	if (operand->kind == OPERAND_REGISTER || (address && operand->base == OPERAND_REGISTER))
		s->uses[operand->index].total += (uint32_t)by;
}

/* Counts the uses of each register: guards, operands, parameters and results. */
static void count_uses(struct simplifier *s)
{
	const struct body *body = s->body;

	memset(s->uses, 0, body->register_count * sizeof(*s->uses));
	for (size_t i = 0; i < body->operand_count; i++)
		count_use(s, &body->operands[i], 1);
	for (size_t i = 0; i < body->element_count; i++)
		count_use(s, &body->elements[i], 1);
	for (size_t i = 0; i < body->insn_count; i++)
		if (body->insns[i].guard != NO_GUARD)
			s->uses[body->insns[i].guard].total++;
	for (size_t i = 0; i < body->symbol_count; i++)
		for (uint32_t lane = 0; body->symbols[i].space == PTX_REG &&
					lane < body->symbols[i].lanes; lane++)
			s->uses[body->symbols[i].reg + lane].total++;
}

/* @p bra X; bra Y; X: becomes @!p bra Y; X: */
static void invert_branches(struct simplifier *s)
{
	struct body *body = s->body;

	for (uint32_t i = 0; i + 2 < body->insn_count; i++) {
		struct insn *insn = &body->insns[i], *next = insn + 1;

		if (insn->guard == NO_GUARD || target_of(s, insn) != i + 2 ||
		    next->guard != NO_GUARD || target_of(s, next) == UINT32_MAX ||
		    s->entries[i + 1])
			continue;
		operands_of(s, insn)->index = operands_of(s, next)->index;
		insn->guard_negated = !insn->guard_negated;
		s->dropped[i + 1] = 1;
	}
}

/* ---- Predicates ----------------------------------------------------------------- */

/* What predicate @operand is known to be; false when it is no constant and no predicate. */
static bool resolve(const struct simplifier *s, const struct operand *operand, struct known *out)
{
	const struct known *known;

	if (operand->kind == OPERAND_INTEGER) {
		*out = (struct known){ s->block, NO_GUARD, 0, operand->value != 0 };
		return true;
	}
	if (operand->kind != OPERAND_REGISTER ||
	    s->body->register_types[operand->index] != TYPE_PRED)
		return false;
	known = &s->known[operand->index];
	if (known->block == s->block && (known->source == NO_GUARD ||
					 known->version == s->versions[known->source]))
		*out = *known;
	else
		*out = (struct known){ s->block, operand->index, s->versions[operand->index],
				       false };
	out->negated ^= operand->negated;
	return true;
}

/* What @a and @b combine to; false when it is neither a constant nor one of them. */
static bool combine(unsigned logic, struct known a, struct known b, struct known *out)
{
	struct known constant = a.source == NO_GUARD ? a : b;
	bool value = constant.negated;

	*out = a.source == NO_GUARD ? b : a;
	if (constant.source != NO_GUARD)
		return false;
	if (logic == INSN_XOR)
		out->negated ^= value;
	else if (value == (logic == INSN_OR))
		*out = constant;
	return true;
}

static bool is_logic(const struct insn *insn)
{
	const char *dot = memchr(insn->opcode.text, '.', insn->opcode.length);

	switch (insn->base) {
	case INSN_MOV:
	case INSN_NOT:
	case INSN_AND:
	case INSN_OR:
	case INSN_XOR:
		return insn->count >= 2 && dot &&
		       insn->opcode.text + insn->opcode.length - dot == 5 &&
		       !memcmp(dot, ".pred", 5);
	}
	return false;
}

/* Tells whether predicate logic @insn has one source. */
static bool has_one_source(const struct insn *insn)
{
	return insn->base == INSN_MOV || insn->base == INSN_NOT;
}

/* What the result of predicate logic @insn is known to be; false when it is not known. */
static bool fold(struct simplifier *s, const struct insn *insn, struct known *out)
{
	const struct operand *operands = operands_of(s, insn);
	const bool single = has_one_source(insn);
	struct known a, b;

	if (!is_logic(insn) || insn->guard != NO_GUARD || insn->count != (single ? 2 : 3) ||
	    operands[0].kind != OPERAND_REGISTER || !resolve(s, &operands[1], &a))
		return false;
	if (single) {
		a.negated ^= insn->base == INSN_NOT;
		*out = a;
		return true;
	}
	return resolve(s, &operands[2], &b) && combine(insn->base, a, b, out);
}

static void forget_written(void *context, uint32_t r, bool write)
{
	struct simplifier *s = context;

	if (!write)
		return;
	s->versions[r]++;
	s->known[r].block = 0;
}

/* Replaces the guard of @insn by the predicate that it equals. */
static void replace_guard(struct simplifier *s, struct insn *insn)
{
	const struct operand guard = { .kind = OPERAND_REGISTER, .index = insn->guard };
	struct known known;

	if (insn->guard == NO_GUARD || !resolve(s, &guard, &known) || known.source == NO_GUARD)
		return;
	insn->guard = known.source;
	insn->guard_negated ^= known.negated;
}

/* Tells whether one of the first operands, the results, can be a predicate. */
static bool may_write_predicate(struct simplifier *s, const struct insn *insn)
{
	const struct operand *operands = operands_of(s, insn);

	for (unsigned i = 0; i < insn->count && i < 2; i++)
		if (operands[i].kind == OPERAND_VECTOR || operands[i].kind == OPERAND_LIST ||
		    (operands[i].kind == OPERAND_REGISTER &&
		     s->body->register_types[operands[i].index] == TYPE_PRED))
			return true;
	return false;
}

static void replace_predicates(struct simplifier *s)
{
	for (uint32_t i = 0; i < s->body->insn_count; i++) {
		struct insn *insn = &s->body->insns[i];
		struct known known;
		bool folded;

		if (!i || s->entries[i])
			s->block++;
		replace_guard(s, insn);
		folded = fold(s, insn, &known);
		if (may_write_predicate(s, insn))
			insn_registers(s->body, insn, forget_written, s);
		if (folded)
			s->known[operands_of(s, insn)[0].index] = known;
	}
}

/* Tells whether lowering accepts predicate logic @insn. */
static bool is_legal(const struct simplifier *s, const struct insn *insn)
{
	const bool single = has_one_source(insn);
	const struct operand *operand = s->body->operands + insn->operand;

	if (insn->count != (single ? 2 : 3) || operand->negated)
		return false;
	for (unsigned i = 0; i < insn->count; i++, operand++)
		if (!(i && operand->kind == OPERAND_INTEGER) &&
		    (operand->kind != OPERAND_REGISTER ||
		     s->body->register_types[operand->index] != TYPE_PRED))
			return false;
	return true;
}

/* Drops predicate logic whose result is used nowhere else, the last first. */
static void drop_unread(struct simplifier *s)
{
	const struct body *body = s->body;

	count_uses(s);
	for (size_t i = body->insn_count; i-- > 0;) {
		const struct insn *insn = &body->insns[i];
		const struct operand *operands = operands_of(s, insn);

		if (!is_logic(insn) || !is_legal(s, insn) ||
		    s->uses[operands[0].index].total != 1)
			continue;
		for (unsigned k = 0; k < insn->count; k++)
			count_use(s, &operands[k], -1);
		s->dropped[i] = 1;
	}
}

/* ---- Sides ------------------------------------------------------------------------- */

/* Tells whether the instructions from @from up to @to can be executed under predicate @guard. */
static bool side_fits(struct simplifier *s, uint32_t from, uint32_t to, uint32_t guard)
{
	if (to - from > MOST_SIDE)
		return false;
	for (uint32_t i = from; i < to; i++) {
		const struct insn *insn = &s->body->insns[i];

		if (insn->guard != NO_GUARD || flow_kind(insn) != FLOW_NEXT || insn_parks(insn) ||
		    insn_writes(s->body, insn, guard) || (i > from && s->entries[i]))
			return false;
	}
	return true;
}

/*
 * Tells whether the guard of branch @i was computed just before it: then it is known whether
 * the lanes of a warp agree on it, and what a side computes for all of them is still known to
 * be the same.
 */
static bool guard_is_fresh(struct simplifier *s, uint32_t i)
{
	uint32_t guard = s->body->insns[i].guard;

	while (i-- > 0 && !s->entries[i + 1]) {
		const struct insn *insn = &s->body->insns[i];

		if (flow_kind(insn) != FLOW_NEXT || insn_parks(insn))
			return false;
		if (insn_writes(s->body, insn, guard))
			return true;
	}
	return false;
}

static void guard_side(struct simplifier *s, uint32_t from, uint32_t to, uint32_t guard,
		       bool negated)
{
	for (uint32_t i = from; i < to; i++) {
		s->body->insns[i].guard = guard;
		s->body->insns[i].guard_negated = negated;
	}
}

/* The end of the other side of branch @i; 0: there is none, or it does not fit. */
static uint32_t other_side(struct simplifier *s, uint32_t i, uint32_t middle)
{
	const struct insn *last = &s->body->insns[middle - 1];
	uint32_t end = last->guard == NO_GUARD ? target_of(s, last) : UINT32_MAX;

	if (end == UINT32_MAX || end <= middle || s->entries[middle] != 1 ||
	    s->entries[middle - 1] || middle - 1 == i ||
	    !side_fits(s, middle, end, s->body->insns[i].guard))
		return 0;
	return end;
}

/* @p bra ELSE; ...; bra END; ELSE: ...; END: or without the other side. */
static void join_sides(struct simplifier *s, uint32_t i)
{
	struct insn *insn = &s->body->insns[i];
	uint32_t middle = target_of(s, insn), end;

	ASSERT(middle == UINT32_MAX || middle <= s->body->insn_count);
	if (insn->guard == NO_GUARD || middle == UINT32_MAX || middle <= i + 1 ||
	    s->entries[i + 1] || !guard_is_fresh(s, i))
		return;
	end = other_side(s, i, middle);
	if (!side_fits(s, i + 1, end ? middle - 1 : middle, insn->guard))
		return;
	s->dropped[i] = 1;
	guard_side(s, i + 1, end ? middle - 1 : middle, insn->guard, !insn->guard_negated);
	if (!end)
		return;
	s->dropped[middle - 1] = 1;
	guard_side(s, middle, end, insn->guard, insn->guard_negated);
}

/* ---- What is needed under its guard alone --------------------------------------------- */

static void count_inside(void *context, uint32_t r, bool write)
{
	struct simplifier *s = context;
	struct uses *uses = &s->uses[r];

	if (uses->run != s->run) {
		uses->run = s->run;
		uses->inside = 0;
		uses->written_first = write;
	}
	uses->inside++;
}

static void check_result(void *context, uint32_t r, bool write)
{
	struct simplifier *s = context;
	const struct uses *uses = &s->uses[r];

	if (write)
		s->whole &= uses->inside == uses->total && uses->written_first;
}

/* Marks the instructions from @from up to @to, which share one guard. */
static void mark_run(struct simplifier *s, uint32_t from, uint32_t to)
{
	s->run++;
	for (uint32_t i = from; i < to; i++)
		insn_registers(s->body, &s->body->insns[i], count_inside, s);
	for (uint32_t i = from; i < to; i++) {
		s->whole = true;
		insn_registers(s->body, &s->body->insns[i], check_result, s);
		s->body->insns[i].whole = s->whole;
	}
}

/* Tells whether instruction @i is executed for exactly the lanes of the one before. */
static bool shares_guard(struct simplifier *s, uint32_t i)
{
	const struct insn *insn = &s->body->insns[i], *before = insn - 1;

	return insn->guard != NO_GUARD && insn->guard == before->guard &&
	       insn->guard_negated == before->guard_negated && !s->entries[i] &&
	       flow_kind(insn) == FLOW_NEXT && flow_kind(before) == FLOW_NEXT &&
	       !insn_parks(insn) && !insn_parks(before) &&
	       !insn_writes(s->body, before, insn->guard);
}

static void mark_whole(struct simplifier *s)
{
	const struct body *body = s->body;
	uint32_t end;

	count_uses(s);
	for (uint32_t i = 0; i < body->insn_count; i = end) {
		const struct insn *insn = &body->insns[i];

		for (end = i + 1; end < body->insn_count && shares_guard(s, end); end++)
			;
		if (insn->guard != NO_GUARD && flow_kind(insn) == FLOW_NEXT)
			mark_run(s, i, end);
	}
}

static void simplifier_release(struct simplifier *s)
{
	free(s->entries);
	free(s->versions);
	free(s->known);
	free(s->uses);
	free(s->dropped);
}

int simplify(struct body *body, struct err *e)
{
	CLEANUP(simplifier_release) struct simplifier s = { .body = body };
	size_t insns = body->insn_count + 1, registers = body->register_count + 1;

	s.entries = calloc(insns, sizeof(*s.entries));
	s.versions = calloc(registers, sizeof(*s.versions));
	s.known = calloc(registers, sizeof(*s.known));
	s.uses = calloc(registers, sizeof(*s.uses));
	s.dropped = calloc(insns, 1);
	if (!s.entries || !s.versions || !s.known || !s.uses || !s.dropped)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu instructions", insns);
	count_entries(&s);
	invert_branches(&s);
	compact(&s);
	replace_predicates(&s);
	drop_unread(&s);
	for (uint32_t i = 0; i < body->insn_count; i++)
		if (!s.dropped[i])
			join_sides(&s, i);
	compact(&s);
	mark_whole(&s);
	return 0;
}
