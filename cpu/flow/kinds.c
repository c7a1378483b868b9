/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kinds.h"

#include "array.h"
#include "asserts.h"
#include "hash.h"
#include "uniform.h"

enum {
	MOST_PASSES = 64,     /* a compiler's code needs as many as its loops are deep, and two */
	MOST_CHANGES = 4,     /* of known bits of a register, before all are given up */
	MOST_PATTERNS = 1024, /* others are vectors */
	PATTERN_BUCKETS = 4 * MOST_PATTERNS,
};

static_assert(MOST_PATTERNS <= UINT16_MAX, "register_kind.pattern has 16 bits");

struct kind_search {
	const struct body *body;
	struct kinds *kinds;
	struct block_lanes block;
	struct kind_insn *insns;   /* owned: of each instruction */
	uint32_t *touched;         /* owned: of each register: the pass that changed it last */
	uint16_t *buckets;         /* owned: of patterns, open addressing; 0: free */
	uint32_t pass;
	bool changed;
	bool stale;                /* a source of the present instruction has changed */
	enum values_form form;     /* of the sources of the present instruction, together */
	bool varies;               /* some of them do */
	struct err *e;
};

/* ---- Patterns ---------------------------------------------------------------------- */

static uint64_t hash_steps(const int64_t steps[KIND_LANES])
{
	uint64_t hash = 0;

	for (unsigned l = 1; l < KIND_LANES; l++)
		hash = (hash << 7 | hash >> 57) ^ (uint64_t)steps[l];
	return hash_u64(hash);
}

/* Finds or adds the pattern of @steps. *@index is 0 where there are too many. */
static int pattern_index(struct kind_search *s, const int64_t steps[KIND_LANES], uint16_t *index)
{
	struct kinds *kinds = s->kinds;
	uint64_t at = hash_steps(steps) >> 32;
	int64_t (*slot)[KIND_LANES];

	for (;; at++) {
		*index = s->buckets[at % PATTERN_BUCKETS];
		if (!*index)
			break;
		if (!memcmp(kinds->patterns[*index], steps, sizeof(kinds->patterns[0])))
			return 0;
	}
	if (kinds->pattern_count == MOST_PATTERNS)
		return 0;
	slot = array_grow(&kinds->patterns, kinds->pattern_count, sizeof(*slot));
	if (!slot)
		return err_set(s->e, GPURUN_NO_MEMORY, "no memory for what lanes differ by");
	memcpy(*slot, steps, sizeof(*slot));
	*index = (uint16_t)kinds->pattern_count++;
	s->buckets[at % PATTERN_BUCKETS] = *index;
	return 0;
}

/* ---- Registers ---------------------------------------------------------------------- */

static void register_values(const struct kinds *kinds, uint32_t r, struct values *out)
{
	const struct register_kind *from = &kinds->registers[r];

	out->form = from->form;
	out->known = from->known;
	out->base = from->base;
	out->varies = from->pattern != 0;
	if (out->varies)
		memcpy(out->steps, kinds->patterns[from->pattern], sizeof(out->steps));
}

/* Tells whether @a says what is known of register @r already. */
static bool says_same(const struct kinds *kinds, const struct register_kind *r,
		      const struct values *a)
{
	if (r->form != a->form)
		return false;
	return a->form == VALUES_VECTOR ||
	       (r->known == a->known && r->base == a->base && (r->pattern != 0) == a->varies &&
		(!a->varies || !memcmp(kinds->patterns[r->pattern], a->steps, sizeof(a->steps))));
}

/* Register @r may also be @written. */
static int join_register(struct kind_search *s, uint32_t r, const struct values *written)
{
	struct register_kind *to = &s->kinds->registers[r];
	struct values now;

	if (to->form == VALUES_VECTOR || written->form == VALUES_NONE)
		return 0;
	register_values(s->kinds, r, &now);
	values_join(&now, &now, written);
	if (!to->bits)
		now.known = now.base = 0;
	if (says_same(s->kinds, to, &now))
		return 0;
	/* Counters: the bits above the lowest that changes change, too, in the end. */
	if (to->changes && now.form == VALUES_BASE)
		now.known &= to->changes > MOST_CHANGES ? 0 : now.known ^ (now.known + 1);
	now.base &= now.known;
	if (says_same(s->kinds, to, &now))
		return 0;
	to->changes += to->form != VALUES_NONE && to->changes < UINT8_MAX;
	to->pattern = 0;
	if (now.form == VALUES_BASE && now.varies)
		TRY(pattern_index(s, now.steps, &to->pattern));
	if (now.varies && !to->pattern)
		values_vector(&now);
	to->form = now.form;
	to->known = now.known;
	to->base = now.base;
	s->touched[r] = s->pass;
	s->changed = true;
	return 0;
}

/* ---- Operands ----------------------------------------------------------------------- */

static void operand_values(const struct kind_search *s, const struct operand *operand,
			   struct values *out)
{
	const struct body *body = s->body;
	bool predicate;

	switch (operand->kind) {
	case OPERAND_REGISTER:
		register_values(s->kinds, operand->index, out);
		predicate = body->register_types[operand->index] == TYPE_PRED;
		if (!operand->negated || out->form != VALUES_BASE)
			return;
		if (predicate)
			kind_negate(out);
		else if (out->varies)
			values_vector(out);
		else
			values_uniform(out, 0, 0);
		return;
	case OPERAND_INTEGER:
		values_uniform(out, UINT64_MAX, (uint64_t)operand->value);
		return;
	case OPERAND_SPECIAL:
		block_lanes_special(&s->block, operand->index, out);
		return;
	case OPERAND_VARIABLE:
		/* The offset of one in .local is that in each lane's stack, which it begins. */
		if (!symbol_uniform(body, &body->symbols[operand->index]) &&
		    body->symbols[operand->index].space != PTX_LOCAL)
			break;
		values_uniform(out, 0, 0);
		return;
	case OPERAND_FLOAT:
	case OPERAND_FUNCTION:
		values_uniform(out, 0, 0);
		return;
	default:
		break;
	}
	values_vector(out);
}

/* Adds what is known of @operand to that of all sources. */
static void include_source(struct kind_search *s, const struct operand *operand)
{
	struct values values;

	if (operand->kind == OPERAND_VECTOR || operand->kind == OPERAND_LIST) {
		for (int64_t i = 0; i < operand->value; i++)
			include_source(s, &s->body->elements[operand->index + i]);
		return;
	}
	operand_values(s, operand, &values);
	if (values.form == VALUES_NONE && s->form != VALUES_VECTOR)
		s->form = VALUES_NONE;
	if (values.form == VALUES_VECTOR)
		s->form = VALUES_VECTOR;
	s->varies |= values.varies;
}

/* The address of a load, which is in brackets. */
static void include_address(struct kind_search *s, const struct operand *address)
{
	const struct operand base = { .kind = address->base, .index = address->index };

	if (address->kind == OPERAND_ADDRESS)
		include_source(s, &base);
	else
		s->form = VALUES_VECTOR;
}

static bool is_predicate(const struct body *body, const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER &&
	       body->register_types[operand->index] == TYPE_PRED;
}

/* What an instruction makes whose result is one value if some of its sources are. */
static void shared_result(struct kind_search *s, const struct insn *insn,
			  const struct kind_insn *k, struct values *out)
{
	const struct operand *sources = insn_operands(s->body, insn) + insn->results;

	s->form = VALUES_BASE;
	s->varies = false;
	for (unsigned i = 0; i < k->sources && (!i || k->rule != RULE_LOAD); i++) {
		if (k->rule == RULE_LOAD)
			include_address(s, &sources[i]);
		else if (!(k->rule == RULE_VOTE && is_predicate(s->body, &sources[i])) &&
			 !(k->rule == RULE_REDUCE && !i))
			include_source(s, &sources[i]);
	}
	values_uniform(out, 0, 0);
	out->form = s->form;
	if (s->varies && out->form == VALUES_BASE)
		values_vector(out);
}

/* ---- Instructions ------------------------------------------------------------------- */

/* What @insn, of RULE_COMPUTE, makes of its sources. */
static void computed_result(struct kind_search *s, const struct insn *insn,
			    const struct kind_insn *k, struct values *out,
			    struct kind_check *check)
{
	const struct operand *sources = insn_operands(s->body, insn) + insn->results;
	enum values_form form = VALUES_BASE;
	struct values in[MOST_SOURCES];

	for (unsigned i = 0; i < k->sources; i++) {
		operand_values(s, &sources[i], &in[i]);
		if (in[i].form == VALUES_VECTOR || form == VALUES_BASE)
			form = in[i].form;
	}
	out->form = form;
	out->varies = false;
	out->known = out->base = 0;
	if (form == VALUES_BASE)
		kind_insn_compute(k, in, s->kinds->lanes, out, check);
}

/* What instruction @i makes of its sources; VALUES_NONE: some of them are not known yet. */
static void insn_result(struct kind_search *s, uint32_t i, struct values *out,
			struct kind_check *check)
{
	const struct insn *insn = &s->body->insns[i];
	const struct kind_insn *k = &s->insns[i];
	const struct register_kind *guard = NULL;

	*check = (struct kind_check){ 0 };
	values_vector(out);
	if (k->rule == RULE_EACH || !insn->results)
		return;
	if (insn->guard != NO_GUARD)
		guard = &s->kinds->registers[insn->guard];
	/* Only some lanes write, and others keep what they have; unless no lane reads that. */
	if (guard && (guard->form == VALUES_VECTOR || guard->pattern) &&
	    (!insn->whole || insn_parks(insn)))
		return;
	if (guard && guard->form == VALUES_NONE)
		out->form = VALUES_NONE;
	else if (k->rule == RULE_COMPUTE)
		computed_result(s, insn, k, out, check);
	else
		shared_result(s, insn, k, out);
}

static void note_stale(void *context, uint32_t r, bool write)
{
	struct kind_search *s = context;

	s->stale |= !write && s->touched[r] + 1 >= s->pass;
}

/* Joins @values to all registers of @operand, a result. */
static int join_operand(struct kind_search *s, const struct operand *operand,
			const struct values *values)
{
	if (operand->kind == OPERAND_REGISTER)
		return join_register(s, operand->index, values);
	if (operand->kind != OPERAND_VECTOR && operand->kind != OPERAND_LIST)
		return 0;
	for (int64_t i = 0; i < operand->value; i++)
		TRY(join_operand(s, &s->body->elements[operand->index + i], values));
	return 0;
}

static int visit_insn(struct kind_search *s, uint32_t i)
{
	const struct insn *insn = &s->body->insns[i];
	const struct operand *results = insn_operands(s->body, insn);
	struct kind_check check;
	struct values values;

	if (!insn->results || (s->pass > 1 && s->insns[i].rule == RULE_EACH))
		return 0;
	s->stale = s->pass == 1;
	if (!s->stale)
		insn_registers(s->body, insn, note_stale, s);
	if (!s->stale)
		return 0;
	insn_result(s, i, &values, &check);
	for (unsigned k = 0; k < insn->results; k++) {
		TRY(join_operand(s, &results[k], &values));
		if (values.form == VALUES_BASE && values.varies)
			values_vector(&values); /* the second of a pair is not the first */
		else if (values.form == VALUES_BASE)
			values_uniform(&values, 0, 0);
	}
	return 0;
}

/* Registers that may be read before they are written are 0 in all lanes, as a warp begins. */
static int begin_registers(struct kind_search *s, const struct liveness *liveness)
{
	const struct body *body = s->body;
	struct values values;

	s->pass = 1;
	for (uint32_t r = 0; r < body->register_count; r++) {
		const enum ptx_type type = body->register_types[r];
		const unsigned size = type_size(type);

		s->kinds->registers[r].bits = type == TYPE_PRED ? 1 : size <= 8 ? size * 8 : 0;
		values_uniform(&values, 0, 0);
		if (liveness_enters(liveness, 0, r))
			TRY(join_register(s, r, &values));
	}
	return 0;
}

/* Goes over all instructions until nothing changes; where it takes too long all are vectors. */
static int find_kinds(struct kind_search *s)
{
	struct values vector;

	for (s->pass = 1; s->pass <= MOST_PASSES; s->pass++) {
		s->changed = false;
		for (uint32_t i = 0; i < s->body->insn_count; i++)
			TRY(visit_insn(s, i));
		if (!s->changed)
			return 0;
	}
	values_vector(&vector);
	for (uint32_t r = 0; r < s->body->register_count; r++)
		TRY(join_register(s, r, &vector));
	return 0;
}

/* Notes what each instruction makes by itself, and what has to be checked then. */
static void note_results(struct kind_search *s)
{
	struct values values;

	for (uint32_t i = 0; i < s->body->insn_count; i++) {
		struct insn_kind_result *result = &s->kinds->results[i];
		const struct operand *first = insn_operands(s->body, &s->body->insns[i]);

		insn_result(s, i, &values, &result->check);
		result->kind = values.form != VALUES_BASE ? KIND_VECTOR :
			       values.varies ? KIND_PATTERN : KIND_UNIFORM;
		if (result->kind == KIND_VECTOR || first->kind != OPERAND_REGISTER ||
		    register_kind(s->kinds, first->index) == KIND_VECTOR)
			result->check = (struct kind_check){ 0 };
	}
}

static void kind_search_release(struct kind_search *s)
{
	free(s->insns);
	free(s->touched);
	free(s->buckets);
}

static int prepare_kinds(struct kind_search *s)
{
	const struct body *body = s->body;
	struct kinds *kinds = s->kinds;

	kinds->registers = calloc(body->register_count + 1, sizeof(*kinds->registers));
	kinds->results = calloc(body->insn_count + 1, sizeof(*kinds->results));
	s->insns = calloc(body->insn_count + 1, sizeof(*s->insns));
	s->touched = calloc(body->register_count + 1, sizeof(*s->touched));
	s->buckets = calloc(PATTERN_BUCKETS, sizeof(*s->buckets));
	if (!kinds->registers || !kinds->results || !s->insns || !s->touched || !s->buckets ||
	    !array_grow(&kinds->patterns, kinds->pattern_count, sizeof(*kinds->patterns)))
		return err_set(s->e, GPURUN_NO_MEMORY, "no memory for the kinds of registers");
	kinds->pattern_count++; /* the first one is of registers that do not vary */
	kinds->lanes = s->block.lanes;
	for (uint32_t i = 0; i < body->insn_count; i++)
		s->insns[i] = kind_insn_find(body, &body->insns[i]);
	return 0;
}

int kinds_find(const struct body *body, const struct liveness *liveness,
	       const struct block_shape *shape, struct kinds *out, struct err *e)
{
	CLEANUP(kinds_release) struct kinds kinds = { 0 };
	CLEANUP(kind_search_release) struct kind_search s = { .body = body, .kinds = &kinds,
							      .e = e };

	memset(out, 0, sizeof(*out));
	ASSERT(body->function->entry);
	block_lanes_find(shape, &s.block);
	TRY(prepare_kinds(&s));
	TRY(begin_registers(&s, liveness));
	TRY(find_kinds(&s));
	note_results(&s);
	*out = kinds;
	memset(&kinds, 0, sizeof(kinds));
	return 0;
}

void kinds_release(struct kinds *kinds)
{
	free(kinds->registers);
	free(kinds->results);
	free(kinds->patterns);
}

bool kinds_address(const struct kinds *kinds, const struct body *body, const struct insn *insn,
		   enum kind *kind)
{
	const struct operand *operands = insn_operands(body, insn);

	for (unsigned i = 0; i < insn->count; i++) {
		if (operands[i].kind != OPERAND_ADDRESS)
			continue;
		*kind = KIND_UNIFORM;
		if (operands[i].base == OPERAND_REGISTER)
			*kind = register_kind(kinds, operands[i].index);
		else if (operands[i].base != OPERAND_VARIABLE ||
			 !symbol_uniform(body, &body->symbols[operands[i].index]))
			*kind = KIND_VECTOR;
		return true;
	}
	return false;
}
