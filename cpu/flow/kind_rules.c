/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kind_rules.h"

#include "asserts.h"
#include "opcode.h"

enum { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LOGIC = 8 }; /* kind_insn.how of setp */

/* What a rule computes from. */
struct computing {
	const struct kind_insn *insn;
	struct values *in;
	struct values *out;
	uint32_t lanes;
	struct kind_check *check;
};

static const struct values zero = { .form = VALUES_BASE, .known = UINT64_MAX };
static const struct values ones = { .form = VALUES_BASE, .known = UINT64_MAX, .base = UINT64_MAX };

/* ---- Rules ------------------------------------------------------------------------- */

typedef void rule_fn(const struct computing *c, unsigned count);

/* One value where all @count operands are. */
static void rule_pure(const struct computing *c, unsigned count)
{
	bool varies = false;

	for (unsigned i = 0; i < count; i++)
		varies |= c->in[i].varies;
	if (varies)
		values_vector(c->out);
	else
		values_uniform(c->out, 0, 0);
}

static void rule_mov(const struct computing *c, unsigned count)
{
	(void)count;
	values_narrow(c->out, &c->in[0], c->insn->bits);
}

static void rule_add(const struct computing *c, unsigned count)
{
	(void)count;
	values_add(c->out, &c->in[0], &c->in[1], false, c->insn->bits);
}

static void rule_sub(const struct computing *c, unsigned count)
{
	(void)count;
	values_add(c->out, &c->in[0], &c->in[1], true, c->insn->bits);
}

static void rule_neg(const struct computing *c, unsigned count)
{
	(void)count;
	values_add(c->out, &zero, &c->in[0], true, c->insn->bits);
}

/* As -1 - a, so that no bit of a has to be known. */
static void rule_not(const struct computing *c, unsigned count)
{
	(void)count;
	values_add(c->out, &ones, &c->in[0], true, c->insn->bits);
	values_narrow(c->out, c->out, c->insn->bits);
}

/* Widens source @i to the bits of the result, and notes the check for it. */
static void widen_source(const struct computing *c, unsigned i, unsigned from)
{
	bool check;

	values_widen(&c->in[i], &c->in[i], c->insn->sign, from, c->insn->bits, c->lanes, &check);
	if (check)
		*c->check = (struct kind_check){ (uint8_t)(i + 1), (uint8_t)from, c->insn->sign };
}

static void rule_mul(const struct computing *c, unsigned count)
{
	(void)count;
	for (unsigned i = 0; c->insn->wide && i < 2; i++)
		widen_source(c, i, c->insn->from);
	values_multiply(c->out, &c->in[0], &c->in[1], c->insn->bits);
}

static void rule_mad(const struct computing *c, unsigned count)
{
	rule_mul(c, count);
	if (c->out->form == VALUES_BASE)
		values_add(c->out, c->out, &c->in[2], false, c->insn->bits);
}

/* Tells whether source @i is one number that is known, of 32 bits: *@amount. */
static bool known_amount(const struct computing *c, unsigned i, uint64_t *amount)
{
	*amount = c->in[i].base & UINT32_MAX;
	return !c->in[i].varies && values_constant(&c->in[i], 32);
}

static void rule_shl(const struct computing *c, unsigned count)
{
	const unsigned bits = c->insn->bits;
	uint64_t amount, lanes[KIND_LANES];

	if (known_amount(c, 1, &amount)) {
		values_shift_left(c->out, &c->in[0], amount, bits);
		return;
	}
	if (!values_constant(&c->in[0], bits) || !values_constant(&c->in[1], 32)) {
		rule_pure(c, count);
		return;
	}
	for (unsigned l = 0; l < KIND_LANES; l++) {
		amount = values_lane(&c->in[1], l, 32);
		lanes[l] = amount < bits ? values_lane(&c->in[0], l, bits) << amount : 0;
	}
	values_from_lanes(c->out, lanes, bits);
}

static void rule_shr(const struct computing *c, unsigned count)
{
	uint64_t amount;

	if (known_amount(c, 1, &amount))
		values_shift_right(c->out, &c->in[0], amount, c->insn->sign, c->insn->bits);
	else
		rule_pure(c, count);
}

static void rule_logic(const struct computing *c, unsigned count)
{
	const struct values *const in[3] = { &c->in[0], &c->in[1], &zero };

	(void)count;
	values_logic(c->out, in, c->insn->how, c->insn->bits);
}

/* The table is an operand. */
static void rule_lop3(const struct computing *c, unsigned count)
{
	const struct values *const in[3] = { &c->in[0], &c->in[1], &c->in[2] };
	uint64_t table;

	if (known_amount(c, 3, &table))
		values_logic(c->out, in, (uint8_t)table, c->insn->bits);
	else
		rule_pure(c, count);
}

/* Unsigned bit fields: a shift and a mask. */
static void rule_bfe(const struct computing *c, unsigned count)
{
	const struct values *in[3] = { c->out, &c->in[2], &zero };
	uint64_t position, length;

	if (c->insn->sign || !known_amount(c, 1, &position) || !known_amount(c, 2, &length)) {
		rule_pure(c, count);
		return;
	}
	values_shift_right(c->out, &c->in[0], position & 255, false, c->insn->bits);
	values_uniform(&c->in[2], UINT64_MAX, low_bits((length & 255) < 64 ? length & 255 : 64));
	if (c->out->form == VALUES_BASE)
		values_logic(c->out, in, TABLE_A & TABLE_B, c->insn->bits);
}

/* Between integers: to the narrower of both types, then to the register's bits. */
static void rule_cvt(const struct computing *c, unsigned count)
{
	const unsigned to = c->insn->how, from = c->insn->from;
	const bool signs = c->insn->wide; /* of the source, here */
	bool check = false;

	(void)count;
	values_narrow(c->out, &c->in[0], from);
	if (to > from) {
		values_widen(c->out, c->out, signs, from, to, c->lanes, &check);
		if (check)
			*c->check = (struct kind_check){ 1, (uint8_t)from, signs };
	}
	values_narrow(c->out, c->out, to);
	if (c->insn->bits <= to)
		return;
	values_widen(c->out, c->out, c->insn->sign, to, c->insn->bits, c->lanes, &check);
	/* A check is of an operand, not of what has been made of it. */
	if (check && to > from)
		values_vector(c->out);
	else if (check)
		*c->check = (struct kind_check){ 1, (uint8_t)to, c->insn->sign };
}

/* One of two, by a predicate. */
static void rule_selp(const struct computing *c, unsigned count)
{
	const struct values *a = &c->in[0], *b = &c->in[1], *p = &c->in[2];
	const unsigned bits = c->insn->bits;
	uint64_t lanes[KIND_LANES];

	(void)count;
	if (!p->varies && values_constant(p, 1)) {
		values_narrow(c->out, p->base & 1 ? a : b, bits);
	} else if (!p->varies) {
		values_join(c->out, a, b);
	} else if (values_constant(a, bits) && values_constant(b, bits)) {
		for (unsigned l = 0; l < KIND_LANES; l++)
			lanes[l] = values_lane(values_lane(p, l, 1) ? a : b, l, bits);
		values_from_lanes(c->out, lanes, bits);
	} else {
		values_vector(c->out);
	}
}

/* What numbers the first two operands may be. */
struct ranges {
	int64_t least[2], most[2];
};

static bool find_ranges(const struct computing *c, struct ranges *r)
{
	for (unsigned i = 0; i < 2; i++)
		if (!values_range(&c->in[i], c->insn->sign, c->insn->from, c->lanes, &r->least[i],
				  &r->most[i]))
			return false;
	return true;
}

/* The smaller of both, or the greater one, where it is the same one in all lanes. */
static void rule_min(const struct computing *c, unsigned count)
{
	const unsigned greater = c->insn->how;
	struct ranges r;

	if (find_ranges(c, &r) && r.most[0] <= r.least[1])
		values_narrow(c->out, &c->in[greater], c->insn->bits);
	else if (find_ranges(c, &r) && r.most[1] <= r.least[0])
		values_narrow(c->out, &c->in[!greater], c->insn->bits);
	else
		rule_pure(c, count);
}

/* Compares two numbers that are extended by the sign of the instruction. */
static bool compare_lane(unsigned how, int64_t a, int64_t b)
{
	switch (how & (CMP_LOGIC - 1)) {
	case CMP_EQ:
		return a == b;
	case CMP_NE:
		return a != b;
	case CMP_LT:
		return a < b;
	case CMP_LE:
		return a <= b;
	case CMP_GT:
		return a > b;
	default:
		return a >= b;
	}
}

/* Compares all lanes where the lanes are known; false where they are not. */
static bool compare_lanes(const struct computing *c)
{
	const unsigned bits = c->insn->from, spare = 64 - bits;
	const uint64_t flip = c->insn->sign ? 0 : 1ull << 63; /* they keep their order then */
	uint64_t lanes[KIND_LANES];

	if (!values_constant(&c->in[0], bits) || !values_constant(&c->in[1], bits))
		return false;
	for (unsigned l = 0; l < KIND_LANES; l++) {
		const uint64_t a = values_lane(&c->in[0], l, bits) << spare;
		const uint64_t b = values_lane(&c->in[1], l, bits) << spare;

		lanes[l] = compare_lane(c->insn->how, (int64_t)(a ^ flip), (int64_t)(b ^ flip));
	}
	values_from_lanes(c->out, lanes, 1);
	return true;
}

/* The result where all numbers that one operand may be are on one side of the other's. */
static bool compare_ranges(const struct computing *c)
{
	const unsigned how = c->insn->how;
	struct ranges r;
	bool low, high;

	if (!find_ranges(c, &r) || (r.most[0] >= r.least[1] && r.most[1] >= r.least[0]))
		return false;
	low = compare_lane(how, r.least[0], r.most[1]);
	high = compare_lane(how, r.most[0], r.least[1]);
	ASSERT(low == high);
	values_uniform(c->out, UINT64_MAX, low && high);
	return true;
}

/* A comparison of integers; with a third operand, and the logic of both. */
static void rule_setp(const struct computing *c, unsigned count)
{
	static const uint8_t tables[] = { TABLE_A & TABLE_B, TABLE_A | TABLE_B, TABLE_A ^ TABLE_B };
	const struct values *const both[3] = { c->out, &c->in[2], &zero };

	if (!compare_lanes(c) && !compare_ranges(c))
		rule_pure(c, count);
	else if (count > 2)
		values_logic(c->out, both, tables[c->insn->how / CMP_LOGIC - 1], 1);
}

void kind_negate(struct values *predicate)
{
	values_add(predicate, &ones, predicate, true, 1);
}

/* ---- Instructions ------------------------------------------------------------------- */

static unsigned integer_bits(enum ptx_type type)
{
	return type >= TYPE_B8 && type <= TYPE_S64 && type != TYPE_B128 ? type_size(type) * 8 : 0;
}

/* The bits of a register that is the first operand, if there is one. */
static unsigned result_bits(const struct body *body, const struct insn *insn)
{
	const struct operand *result = insn_operands(body, insn);
	enum ptx_type type;

	if (!insn->count || result->kind != OPERAND_REGISTER)
		return 0;
	type = body->register_types[result->index];
	return type == TYPE_PRED ? 1 : type_size(type) <= 8 ? type_size(type) * 8 : 0;
}

/* All types are one of integers, and there is no modifier. */
static bool find_integer(const struct opcode *opcode, struct kind_insn *k)
{
	k->bits = k->from = (uint8_t)integer_bits(opcode->types[0]);
	k->sign = type_signed(opcode->types[0]);
	return k->bits > 8 && opcode->part_count == 1;
}

static bool find_moved(const struct opcode *opcode, struct kind_insn *k)
{
	const enum ptx_type type = opcode->types[0];

	k->bits = k->from = type == TYPE_PRED ? 1 : (uint8_t)(type_size(type) * 8);
	return k->bits && k->bits <= 64 && opcode->part_count == 1;
}

/* The lower half of the product, or all of it. */
static bool find_product(const struct opcode *opcode, struct kind_insn *k)
{
	k->from = (uint8_t)integer_bits(opcode->types[0]);
	k->sign = type_signed(opcode->types[0]);
	k->wide = opcode_has(opcode, "wide");
	k->bits = k->wide ? (uint8_t)(2 * k->from) : k->from;
	return k->from > 8 && k->bits <= 64 && opcode->part_count == 2 &&
	       (k->wide || opcode_has(opcode, "lo"));
}

static bool find_cvt(const struct opcode *opcode, struct kind_insn *k)
{
	k->how = (uint8_t)integer_bits(opcode->types[0]);
	k->from = (uint8_t)integer_bits(opcode->types[1]);
	k->sign = type_signed(opcode->types[0]);
	k->wide = type_signed(opcode->types[1]);
	return k->how && k->from && opcode->part_count == 2;
}

/* To and from global, constant and parameter space addresses stay what they are. */
static bool find_cvta(const struct opcode *opcode, struct kind_insn *k)
{
	k->bits = k->from = 64;
	return opcode_has(opcode, "global") || opcode_has(opcode, "const") ||
	       opcode_has(opcode, "param");
}

static bool find_setp(const struct opcode *opcode, struct kind_insn *k)
{
	static const struct {
		char text[4];
		uint8_t how;
		bool lower; /* unsigned, whatever the type */
	} names[] = {
		{ "eq", CMP_EQ, false }, { "ne", CMP_NE, false }, { "lt", CMP_LT, false },
		{ "le", CMP_LE, false }, { "gt", CMP_GT, false }, { "ge", CMP_GE, false },
		{ "lo", CMP_LT, true }, { "ls", CMP_LE, true }, { "hi", CMP_GT, true },
		{ "hs", CMP_GE, true }, { "and", CMP_LOGIC, false }, { "or", 2 * CMP_LOGIC, false },
		{ "xor", 3 * CMP_LOGIC, false },
	};
	unsigned found = 0;

	k->bits = 1;
	k->from = (uint8_t)integer_bits(opcode->types[0]);
	k->sign = type_signed(opcode->types[0]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!opcode_has(opcode, names[i].text))
			continue;
		k->how = (uint8_t)(k->how + names[i].how);
		k->sign &= !names[i].lower;
		found++;
	}
	return k->from > 8 && found + 1 == opcode->part_count;
}

typedef bool find_fn(const struct opcode *opcode, struct kind_insn *k);

/*
 * Functions of RULE_COMPUTE by the names that the column `lanes` of bases.def has: the rule, how an
 * opcode is read, how many operands it has at least and at most, and what the rule has to know.
 */
#define FUNCTIONS                                                                          \
	FUNCTION(MOV, rule_mov, find_moved, 1, 1, 0)                                       \
	FUNCTION(CVTA, rule_mov, find_cvta, 1, 1, 0)                                       \
	FUNCTION(ADD, rule_add, find_integer, 2, 2, 0)                                     \
	FUNCTION(SUB, rule_sub, find_integer, 2, 2, 0)                                     \
	FUNCTION(NEG, rule_neg, find_integer, 1, 1, 0)                                     \
	FUNCTION(NOT, rule_not, find_moved, 1, 1, 0)                                       \
	FUNCTION(MIN, rule_min, find_integer, 2, 2, 0)                                     \
	FUNCTION(MAX, rule_min, find_integer, 2, 2, 1)                                     \
	FUNCTION(MUL, rule_mul, find_product, 2, 2, 0)                                     \
	FUNCTION(MAD, rule_mad, find_product, 3, 3, 0)                                     \
	FUNCTION(SHL, rule_shl, find_integer, 2, 2, 0)                                     \
	FUNCTION(SHR, rule_shr, find_integer, 2, 2, 0)                                     \
	FUNCTION(AND, rule_logic, find_moved, 2, 2, TABLE_A & TABLE_B)                     \
	FUNCTION(OR, rule_logic, find_moved, 2, 2, TABLE_A | TABLE_B)                      \
	FUNCTION(XOR, rule_logic, find_moved, 2, 2, TABLE_A ^ TABLE_B)                     \
	FUNCTION(LOP3, rule_lop3, find_integer, 4, 4, 0)                                   \
	FUNCTION(BFE, rule_bfe, find_integer, 3, 3, 0)                                     \
	FUNCTION(CVT, rule_cvt, find_cvt, 1, 1, 0)                                         \
	FUNCTION(SELP, rule_selp, find_moved, 3, 3, 0)                                     \
	FUNCTION(SETP, rule_setp, find_setp, 2, 3, 0)

static const struct {
	rule_fn *rule;
	find_fn *find;
	uint8_t least, most, how;
} functions[] = {
#define FUNCTION(name, rule, find, least, most, how) { rule, find, least, most, how },
	FUNCTIONS
#undef FUNCTION
};

/* The column `lanes`: a rule of kind_rules.h, or a function. */
enum {
	LANES_EACH, LANES_PURE, LANES_LOAD, LANES_VOTE, LANES_REDUCE,
#define FUNCTION(name, ...) LANES_##name,
	FUNCTIONS
#undef FUNCTION
};

static_assert((int)LANES_REDUCE == (int)RULE_REDUCE && RULE_COMPUTE == RULE_REDUCE + 1,
	      "rules come before functions");

static bool has_vector(const struct body *body, const struct insn *insn)
{
	const struct operand *operands = insn_operands(body, insn);

	for (unsigned i = 0; i < insn->count; i++)
		if (operands[i].kind == OPERAND_VECTOR || operands[i].kind == OPERAND_LIST)
			return true;
	return false;
}

/* Reads the opcode of an instruction that computes; false: RULE_PURE has to do. */
static bool find_function(const struct body *body, const struct insn *insn, struct kind_insn *k)
{
	const unsigned sources = k->sources;
	const unsigned bits = result_bits(body, insn);
	struct opcode opcode;

	if (!insn->results || sources < functions[k->function].least ||
	    sources > functions[k->function].most || has_vector(body, insn) || !bits ||
	    !opcode_parse(insn->opcode, &opcode) || !functions[k->function].find(&opcode, k))
		return false;
	if (!k->bits)
		k->bits = (uint8_t)bits; /* of cvt: not those of its type */
	return k->bits == bits && (insn->results == 1 || bits == 1);
}

struct kind_insn kind_insn_find(const struct body *body, const struct insn *insn)
{
	static const uint8_t columns[] = {
#define BASE(id, spelling, lowering, parks, results, control, kind, flow, lanes, ...) LANES_##lanes,
#include "bases.def"
	};
	const uint8_t column = columns[insn->base];
	struct kind_insn k = { .rule = column, .sources = insn->count - insn->results };

	ASSERT(insn->base < INSN_BASES);
	if (column >= RULE_COMPUTE) {
		k.rule = RULE_COMPUTE;
		k.function = column - RULE_COMPUTE;
		k.how = functions[k.function].how;
		if (!find_function(body, insn, &k))
			k.rule = RULE_PURE;
	}
	/* A thread's own memory has one address in all, and as many places. */
	if ((k.rule == RULE_LOAD || k.rule == RULE_PURE) && insn_has(insn, ".local"))
		k.rule = RULE_EACH;
	if (k.rule == RULE_REDUCE && insn_has(insn, "match.any"))
		k.rule = RULE_EACH;
	return k;
}

void kind_insn_compute(const struct kind_insn *insn, struct values in[MOST_SOURCES], uint32_t lanes,
		       struct values *out, struct kind_check *check)
{
	const struct computing c = { insn, in, out, lanes, check };

	ASSERT(insn->rule == RULE_COMPUTE && insn->sources <= MOST_SOURCES);
	*check = (struct kind_check){ 0 };
	functions[insn->function].rule(&c, insn->sources);
}
