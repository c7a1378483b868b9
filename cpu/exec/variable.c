/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An initialiser is a value, or a list in braces whose nesting follows the
 * dimensions; elements that it does not give are zero. A value is a float, a constant
 * expression, the bytes of a string, or an address: SYMBOL, generic(SYMBOL), either with +N, and
 * MASK(address) for one byte of an address.
 */
#include "variable.h"

#include "asserts.h"
#include "opcode.h"
#include "ptx_expr.h"

struct initialiser {
	const struct program *program;
	const struct ptx_variable *variable;
	struct ptx_lexer lexer;
	struct ptx_token token;
	uint8_t *to;
	uint64_t at;  /* bytes written */
	struct err *e;
};

static int fail(struct initialiser *in, const char *what)
{
	return err_set(in->e, GPURUN_FORMAT, "line %u: initialiser of '%.*s': %s",
		       in->token.line, (int)in->variable->name.length, in->variable->name.text,
		       what);
}

static void advance(struct initialiser *in)
{
	ptx_next(&in->lexer, &in->token);
}

static bool at_punct(const struct initialiser *in, char c)
{
	return in->token.kind == PTX_PUNCT && in->token.text[0] == c;
}

static int expect(struct initialiser *in, char c)
{
	char what[32];

	snprintf(what, sizeof(what), "expected '%c'", c);
	if (!at_punct(in, c))
		return fail(in, what);
	advance(in);
	return 0;
}

static int put(struct initialiser *in, uint64_t value, unsigned width)
{
	if (width > 8 || in->at + width > in->variable->size)
		return fail(in, "more values than elements");
	ASSERT(in->at <= in->variable->size);
	memcpy(in->to + in->at, &value, width);
	in->at += width;
	return 0;
}

/* [+-] numbers after a symbol */
static int addend(struct initialiser *in, uint64_t *value)
{
	while (at_punct(in, '+') || at_punct(in, '-')) {
		bool negative = at_punct(in, '-');

		advance(in);
		if (at_punct(in, '-')) {
			negative = !negative;
			advance(in);
		}
		if (in->token.kind != PTX_INT)
			return fail(in, "expected a number");
		*value += negative ? -in->token.integer : in->token.integer;
		advance(in);
	}
	return 0;
}

static int address(struct initialiser *in, uint64_t *value)
{
	const struct name *name;
	uint32_t number;
	bool generic = ptx_is(&in->token, "generic");

	if (generic) {
		advance(in);
		TRY(expect(in, '('));
	}
	if (in->token.kind != PTX_WORD)
		return fail(in, "expected a name");
	name = names_find_numbered(&in->program->globals,
				   (struct ptx_name){ in->token.text, in->token.length }, &number);
	if (!name)
		return fail(in, "a name is not declared");
	ASSERT(name->index < (name->kind == NAME_FUNCTION ? in->program->ptx->function_count :
							    in->program->ptx->variable_count));
	if (name->kind == NAME_FUNCTION)
		*value = in->program->functions + 16ull * name->index;
	else
		*value = in->program->addresses[name->index] +
			 number * in->program->ptx->variables[name->index].stride;
	advance(in);
	TRY(addend(in, value));
	if (generic) {
		TRY(expect(in, ')'));
		TRY(addend(in, value));
	}
	return 0;
}

/* "MASK(address)": the byte of the address that the mask selects. */
static int masked(struct initialiser *in, uint64_t mask, uint64_t *value)
{
	TRY(expect(in, '('));
	TRY(address(in, value));
	if (!mask)
		return fail(in, "an empty mask");
	*value = (*value & mask) >> __builtin_ctzll(mask);
	return expect(in, ')');
}

/* The bits of a float as an element of the variable's type. */
static uint64_t float_bits(const struct initialiser *in, bool negative)
{
	uint64_t bits = in->token.integer;
	double wide;
	float narrow;

	if (in->token.single) {
		uint32_t word = (uint32_t)bits;

		memcpy(&narrow, &word, sizeof(narrow));
		wide = narrow;
	} else {
		memcpy(&wide, &bits, sizeof(wide));
	}
	if (in->variable->width == 8) {
		memcpy(&bits, &wide, sizeof(bits));
	} else if (!in->token.single) {
		uint32_t word;

		narrow = (float)wide;
		memcpy(&word, &narrow, sizeof(word));
		bits = word;
	}
	if (negative)
		bits ^= in->variable->width == 8 ? 1ull << 63 : 1ull << 31;
	return bits;
}

static int string(struct initialiser *in)
{
	for (uint32_t i = 0; i < in->token.length; i++)
		TRY(put(in, (uint8_t)in->token.text[i], in->variable->width));
	advance(in);
	return 0;
}

/* Whether the token begins a constant expression, and not "0xff" of a mask. */
static bool at_expression(const struct initialiser *in)
{
	return in->token.kind == PTX_INT ||
	       (in->token.kind == PTX_PUNCT && strchr("+-~!(", in->token.text[0]));
}

static bool at_mask(const struct initialiser *in)
{
	struct ptx_lexer ahead = in->lexer;
	struct ptx_token next;

	ptx_next(&ahead, &next);
	return in->token.kind == PTX_INT && ptx_is(&next, "(");
}

/* A float with its signs; false, with nothing consumed, when there is none. */
static bool real(struct initialiser *in, uint64_t *value)
{
	struct initialiser start = *in;
	bool negative = false;

	for (; at_punct(in, '-') || at_punct(in, '+'); advance(in))
		negative ^= at_punct(in, '-');
	if (in->token.kind != PTX_FLOAT) {
		*in = start;
		return false;
	}
	*value = float_bits(in, negative);
	advance(in);
	return true;
}

static int scalar(struct initialiser *in)
{
	uint64_t value = 0;

	if (in->token.kind == PTX_STRING)
		return string(in);
	if (at_mask(in)) {
		value = in->token.integer;
		advance(in);
		TRY(masked(in, value, &value));
	} else if (!real(in, &value)) {
		if (!at_expression(in))
			TRY(address(in, &value));
		else if (!ptx_expression(&in->lexer, &in->token, &value))
			return fail(in, "expected a constant expression");
	}
	return put(in, value, in->variable->width);
}

/* A list in braces. Lists in it have as many braces as there are dimensions: as with ptxas, they
 * do not change where the values are. */
static int list(struct initialiser *in)
{
	size_t depth = 0;

	do {
		if (at_punct(in, '{')) {
			advance(in);
			depth++;
			continue;
		}
		if (at_punct(in, '}')) {
			ASSERT(depth);
			advance(in);
			depth--;
		} else {
			TRY(scalar(in));
		}
		if (depth && !at_punct(in, '}'))
			TRY(expect(in, ','));
	} while (depth);
	return 0;
}

int variable_initialise(const struct program *program, const struct ptx_variable *variable,
			uint8_t *to, struct err *e)
{
	struct initialiser in = { .program = program, .variable = variable, .to = to, .e = e };

	in.lexer = ptx_lexer(variable->init, variable->line);
	advance(&in);
	if (at_punct(&in, '{'))
		TRY(list(&in));
	else
		TRY(scalar(&in));
	return in.token.kind == PTX_END ? 0 : fail(&in, "something follows the value");
}
