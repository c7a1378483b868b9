/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Precedence climbing over single-character punctuation: an operator of two
 * characters is two tokens. Both sides of && || ?: are evaluated; nothing here
 * has a side effect.
 */
#include "ptx_expr.h"

struct parser {
	struct ptx_lexer *lexer;
	struct ptx_token *token;
	unsigned depth;
};

struct expr_number {
	uint64_t bits;
	bool is_unsigned;
};

static const struct operation {
	char text[3];
	uint8_t precedence;
} operations[] = {
	{ "||", 1 }, { "&&", 2 }, { "|", 3 },  { "^", 4 },  { "&", 5 },	 { "==", 6 },
	{ "!=", 6 }, { "<<", 8 }, { ">>", 8 }, { "<=", 7 }, { ">=", 7 }, { "<", 7 },
	{ ">", 7 },  { "+", 9 },  { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
};

static bool expression(struct parser *p, unsigned lowest, struct expr_number *out);

static void advance(struct parser *p)
{
	ptx_next(p->lexer, p->token);
}

static bool at(const struct parser *p, char c)
{
	return p->token->kind == PTX_PUNCT && p->token->text[0] == c;
}

/* The operator at the parser's position, or NULL. */
static const struct operation *find_operation(const struct parser *p)
{
	struct ptx_lexer ahead = *p->lexer;
	struct ptx_token next;

	if (p->token->kind != PTX_PUNCT)
		return NULL;
	ptx_next(&ahead, &next);
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		const char *text = operations[i].text;

		if (at(p, text[0]) &&
		    (!text[1] || (next.kind == PTX_PUNCT && next.text[0] == text[1])))
			return &operations[i];
	}
	return NULL;
}

/* "(.s64) x", "(.u64) x" or "(expression)", the parenthesis being read. */
static bool parenthesis(struct parser *p, struct expr_number *out)
{
	bool to_signed = ptx_is(p->token, ".s64"), to_unsigned = ptx_is(p->token, ".u64");

	if (to_signed || to_unsigned)
		advance(p);
	else if (!expression(p, 0, out))
		return false;
	if (!at(p, ')'))
		return false;
	advance(p);
	if (!to_signed && !to_unsigned)
		return true;
	if (!expression(p, 11, out))
		return false;
	out->is_unsigned = to_unsigned;
	return true;
}

static bool primary(struct parser *p, struct expr_number *out)
{
	char sign = p->token->kind == PTX_PUNCT ? p->token->text[0] : 0;

	if (p->token->kind == PTX_INT) {
		const char *last = p->token->text + p->token->length - 1;

		*out = (struct expr_number){ p->token->integer,
					*last == 'U' || p->token->integer >> 63 };
		advance(p);
		return true;
	}
	if (!sign || !strchr("+-~!(", sign))
		return false;
	advance(p);
	if (sign == '(')
		return parenthesis(p, out);
	if (!expression(p, 11, out))
		return false;
	if (sign == '-')
		out->bits = -out->bits;
	else if (sign == '~')
		out->bits = ~out->bits;
	else if (sign == '!')
		*out = (struct expr_number){ !out->bits, false };
	return true;
}

static bool less(struct expr_number a, struct expr_number b)
{
	if (a.is_unsigned || b.is_unsigned)
		return a.bits < b.bits;
	return (int64_t)a.bits < (int64_t)b.bits;
}

static bool divide(struct expr_number a, struct expr_number b, struct expr_number *out)
{
	if (!b.bits)
		return false;
	out->is_unsigned = a.is_unsigned || b.is_unsigned;
	if (out->is_unsigned)
		out->bits = a.bits / b.bits;
	else if (b.bits == UINT64_MAX) /* the smallest number has no opposite */
		out->bits = -a.bits;
	else
		out->bits = (uint64_t)((int64_t)a.bits / (int64_t)b.bits);
	return true;
}

/* PTX treats both sides as unsigned and the result as signed: -7 % 4 is 1. */
static bool modulo(struct expr_number a, struct expr_number b, struct expr_number *out)
{
	if (!b.bits)
		return false;
	*out = (struct expr_number){ a.bits % b.bits, false };
	return true;
}

static uint64_t shift(bool left, struct expr_number a, uint64_t by)
{
	bool negative = !a.is_unsigned && a.bits >> 63;

	if (left)
		return by < 64 ? a.bits << by : 0;
	if (by >= 64)
		return negative ? UINT64_MAX : 0;
	return negative ? ~(~a.bits >> by) : a.bits >> by;
}

static bool apply(const char *text, struct expr_number a, struct expr_number b,
		  struct expr_number *out)
{
	struct expr_number truth = { 0, false };

	*out = (struct expr_number){ 0, a.is_unsigned || b.is_unsigned };
	switch (text[0]) {
	case '+':
		out->bits = a.bits + b.bits;
		return true;
	case '-':
		out->bits = a.bits - b.bits;
		return true;
	case '*':
		out->bits = a.bits * b.bits;
		return true;
	case '/':
		return divide(a, b, out);
	case '%':
		return modulo(a, b, out);
	case '^':
		out->bits = a.bits ^ b.bits;
		return true;
	case '&':
		out->bits = text[1] ? a.bits && b.bits : a.bits & b.bits;
		return true;
	case '|':
		out->bits = text[1] ? a.bits || b.bits : a.bits | b.bits;
		return true;
	case '<':
	case '>':
		if (text[1] == text[0]) {
			*out = (struct expr_number){ shift(text[0] == '<', a, b.bits),
						a.is_unsigned };
			return true;
		}
		truth.bits = text[0] == '<' ? less(a, b) : less(b, a);
		if (text[1] && a.bits == b.bits)
			truth.bits = 1;
		break;
	default:
		truth.bits = (a.bits == b.bits) == (text[0] == '=');
	}
	*out = truth;
	return true;
}

static bool choice(struct parser *p, struct expr_number *out)
{
	struct expr_number yes, no;

	advance(p);
	if (!expression(p, 0, &yes) || !at(p, ':'))
		return false;
	advance(p);
	if (!expression(p, 0, &no))
		return false;
	*out = (struct expr_number){ out->bits ? yes.bits : no.bits,
				yes.is_unsigned || no.is_unsigned };
	return true;
}

/* What binds at least as tightly as @lowest; 11 is an operand alone. */
static bool expression(struct parser *p, unsigned lowest, struct expr_number *out)
{
	const struct operation *op;
	bool good;

	if (++p->depth > 64)
		return false;
	good = primary(p, out);
	while (good && (op = find_operation(p)) && op->precedence >= lowest && lowest < 11) {
		struct expr_number right;

		advance(p);
		if (op->text[1])
			advance(p);
		good = expression(p, op->precedence + 1u, &right) &&
		       apply(op->text, *out, right, out);
	}
	if (good && !lowest && at(p, '?'))
		good = choice(p, out);
	p->depth--;
	return good;
}

bool ptx_expression(struct ptx_lexer *lexer, struct ptx_token *token, uint64_t *value)
{
	struct parser parser = { lexer, token, 0 };
	struct expr_number result = { 0 };

	if (!expression(&parser, 0, &result))
		return false;
	*value = result.bits;
	return true;
}
