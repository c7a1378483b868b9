/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operators wait on a stack until what follows binds less tightly (Dijkstra's shunting yard), so
 * that parentheses nest as deep as a text likes. An operator of two characters is two tokens.
 * Both sides of && || ?: are evaluated; nothing here has a side effect.
 */
#include "ptx_expr.h"

#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"

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

enum { UNARY = 11, FEW = 16 };

/* What waits for its right side, or for its end. */
struct waiting {
	const struct operation *operation; /* of two sides; NULL: sign says which */
	char sign; /* "+-~!"; 's' and 'u' are "(.s64)" and "(.u64)"; "(?:" */
};

/* The stacks grow with the text; those of most expressions are part of it. */
struct expression {
	struct ptx_lexer *lexer;
	struct ptx_token *token;
	struct expr_number few_numbers[FEW], *numbers;
	struct waiting few_waiting[FEW], *waiting;
	size_t number_count, number_room, waiting_count, waiting_room;
	size_t open; /* parentheses */
};

static void expression_release(struct expression *x)
{
	if (x->numbers != x->few_numbers)
		free(x->numbers);
	if (x->waiting != x->few_waiting)
		free(x->waiting);
}

static void advance(struct expression *x)
{
	ptx_next(x->lexer, x->token);
}

static bool at(const struct expression *x, char c)
{
	return x->token->kind == PTX_PUNCT && x->token->text[0] == c;
}

/* Doubles the *@room for items of @size bytes in *@items, which are @few at first. */
static bool make_room(void *items, const void *few, size_t *room, size_t size)
{
	void *old, *larger;

	ASSERT(*room && size);
	memcpy(&old, items, sizeof(old));
	larger = reallocarray(old == few ? NULL : old, *room * 2, size);
	if (!larger)
		return false;
	if (old == few)
		memcpy(larger, few, *room * size);
	memcpy(items, &larger, sizeof(larger));
	*room *= 2;
	return true;
}

static bool push_number(struct expression *x, struct expr_number number)
{
	if (x->number_count == x->number_room &&
	    !make_room(&x->numbers, x->few_numbers, &x->number_room, sizeof(number)))
		return false;
	x->numbers[x->number_count++] = number;
	return true;
}

static bool push_waiting(struct expression *x, const struct operation *operation, char sign)
{
	if (x->waiting_count == x->waiting_room &&
	    !make_room(&x->waiting, x->few_waiting, &x->waiting_room, sizeof(x->waiting[0])))
		return false;
	x->waiting[x->waiting_count++] = (struct waiting){ operation, sign };
	return true;
}

/* The operator at the token, or NULL. */
static const struct operation *find_operation(const struct expression *x)
{
	struct ptx_lexer ahead = *x->lexer;
	struct ptx_token next;

	if (x->token->kind != PTX_PUNCT)
		return NULL;
	ptx_next(&ahead, &next);
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		const char *text = operations[i].text;

		if (at(x, text[0]) &&
		    (!text[1] || (next.kind == PTX_PUNCT && next.text[0] == text[1])))
			return &operations[i];
	}
	return NULL;
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

static void apply_sign(char sign, struct expr_number *number)
{
	switch (sign) {
	case '-':
		number->bits = -number->bits;
		break;
	case '~':
		number->bits = ~number->bits;
		break;
	case '!':
		*number = (struct expr_number){ !number->bits, false };
		break;
	case 's':
	case 'u':
		number->is_unsigned = sign == 'u';
		break;
	}
}

/* Applies the operator that waits last, which is neither a parenthesis nor '?'. */
static bool apply_last(struct expression *x)
{
	const struct waiting last = x->waiting[--x->waiting_count];
	struct expr_number *top = &x->numbers[x->number_count - 1];

	ASSERT(x->waiting_count < x->waiting_room && last.sign != '(' && last.sign != '?');
	ASSERT(x->number_count > (last.operation ? 1 : last.sign == ':' ? 2 : 0));
	if (last.operation) {
		x->number_count--;
		return apply(last.operation->text, top[-1], top[0], &top[-1]);
	}
	if (last.sign == ':') {
		x->number_count -= 2;
		top[-2] = (struct expr_number){ top[-2].bits ? top[-1].bits : top[0].bits,
						top[-1].is_unsigned || top[0].is_unsigned };
		return true;
	}
	apply_sign(last.sign, top);
	return true;
}

static unsigned precedence(const struct waiting *waiting)
{
	if (waiting->operation)
		return waiting->operation->precedence;
	return waiting->sign == ':' ? 0 : UNARY;
}

/* Applies what waits and binds at least as tightly as @lowest, as far as "(" or '?'. */
static bool apply_waiting(struct expression *x, unsigned lowest)
{
	while (x->waiting_count) {
		const struct waiting *last = &x->waiting[x->waiting_count - 1];

		if (last->sign == '(' || last->sign == '?' || precedence(last) < lowest)
			return true;
		if (!apply_last(x))
			return false;
	}
	return true;
}

/* Reads ".s64)" after "(", which makes it a cast; or notes a parenthesis. */
static bool read_open(struct expression *x)
{
	const bool to_signed = ptx_is(x->token, ".s64");

	if (!to_signed && !ptx_is(x->token, ".u64")) {
		x->open++;
		return push_waiting(x, NULL, '(');
	}
	advance(x);
	if (!at(x, ')'))
		return false;
	advance(x);
	return push_waiting(x, NULL, to_signed ? 's' : 'u');
}

/* Reads signs, casts and parentheses, and the number after them. */
static bool read_operand(struct expression *x)
{
	while (x->token->kind != PTX_INT) {
		const char sign = x->token->kind == PTX_PUNCT ? x->token->text[0] : 0;

		if (!sign || !strchr("+-~!(", sign))
			return false;
		advance(x);
		if (!(sign == '(' ? read_open(x) : push_waiting(x, NULL, sign)))
			return false;
	}
	if (!push_number(x, (struct expr_number){
			x->token->integer, x->token->text[x->token->length - 1] == 'U' ||
					   x->token->integer >> 63 }))
		return false;
	advance(x);
	return true;
}

/* Reads the ")" that follow an operand; those that the expression has not opened end it. */
static bool read_closes(struct expression *x)
{
	for (; x->open && at(x, ')'); advance(x)) {
		if (!apply_waiting(x, 0) || x->waiting[x->waiting_count - 1].sign != '(')
			return false;
		ASSERT(x->waiting_count && x->open);
		x->waiting_count--;
		x->open--;
	}
	return true;
}

/* Reads '?', or the ':' after one. */
static bool read_choice(struct expression *x, bool *more)
{
	struct waiting *last;

	*more = true;
	if (at(x, '?')) {
		advance(x);
		return apply_waiting(x, 1) && push_waiting(x, NULL, '?');
	}
	*more = false;
	if (!at(x, ':'))
		return true;
	if (!apply_waiting(x, 0))
		return false;
	last = x->waiting_count ? &x->waiting[x->waiting_count - 1] : NULL;
	if (!last || last->sign != '?')
		return !last;
	last->sign = ':';
	*more = true;
	advance(x);
	return true;
}

/* Reads what follows an operand: *@more says whether another one does. */
static bool read_operator(struct expression *x, bool *more)
{
	const struct operation *operation;

	if (!read_closes(x))
		return false;
	operation = find_operation(x);
	if (!operation)
		return read_choice(x, more);
	*more = true;
	advance(x);
	if (operation->text[1])
		advance(x);
	return apply_waiting(x, operation->precedence) && push_waiting(x, operation, 0);
}

bool ptx_expression(struct ptx_lexer *lexer, struct ptx_token *token, uint64_t *value)
{
	CLEANUP(expression_release) struct expression x = {
		.lexer = lexer, .token = token, .number_room = FEW, .waiting_room = FEW
	};
	bool more = true;

	x.numbers = x.few_numbers;
	x.waiting = x.few_waiting;
	while (more)
		if (!read_operand(&x) || !read_operator(&x, &more))
			return false;
	if (!apply_waiting(&x, 0) || x.waiting_count)
		return false;
	ASSERT(x.number_count == 1);
	*value = x.numbers[0].bits;
	return true;
}
