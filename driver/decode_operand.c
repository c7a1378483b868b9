/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operands: registers, immediates, names with an offset, [addresses], {vectors}
 * and the (lists) of calls. "a|b" are two operands, the first marked as paired.
 */
#include "decoder.h"
#include "ptx_expr.h"
#include "special.h"

static int operand(struct decoder *d, struct operand *out, uint32_t at, bool element);

bool decode_register(struct decoder *d, struct ptx_name name, uint32_t *index)
{
	const struct name *exact = names_find(&d->names, name), *range;
	struct ptx_name stem = name;
	uint64_t number = 0;
	uint64_t scale = 1;

	while (stem.length && scale < 1000000000) {
		char c = stem.text[stem.length - 1];

		if (c < '0' || c > '9')
			break;
		number += (uint64_t)(c - '0') * scale;
		scale *= 10;
		stem.length--;
	}
	range = stem.length < name.length ? names_find_range(&d->names, stem) : NULL;
	if (range && number >= range->count)
		range = NULL;
	if (exact && exact->kind != NAME_REGISTER)
		exact = NULL;
	if (!exact && !range)
		return false;
	if (range && (!exact || range > exact))
		*index = range->index + (uint32_t)number;
	else
		*index = exact->index;
	return true;
}

/* The symbol of the body that stands for a module's variable; made at its first use. */
static int module_symbol(struct decoder *d, uint32_t index, uint32_t *out)
{
	struct body *body = d->body;
	const struct ptx_variable *variable = &body->module->variables[index];
	struct symbol *symbol;

	symbol = array_grow(&body->symbols, body->symbol_count, sizeof(*symbol));
	if (!symbol)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for names");
	*symbol = (struct symbol){ .home = SYMBOL_MODULE, .space = variable->space,
				   .name = variable->name, .index = index,
				   .size = variable->size, .align = variable->align };
	*out = (uint32_t)body->symbol_count++;
	return names_add(&d->names, variable->name, NAME_SYMBOL, *out, 1, d->e);
}

/* Keeps the @count elements of @list: @out gets their number and place. */
static int keep_elements(struct decoder *d, const struct operand *list, unsigned count,
			 struct operand *out)
{
	struct body *body = d->body;

	out->index = (uint32_t)body->element_count;
	out->value = count;
	for (unsigned i = 0; i < count; i++) {
		struct operand *slot = array_grow(&body->elements, body->element_count,
						  sizeof(*slot));

		if (!slot)
			return err_set(d->e, GPURUN_NO_MEMORY, "no memory for operands");
		*slot = list[i];
		body->element_count++;
	}
	return 0;
}

/* "v" of ".reg .v4 .f32 v": as "{v.x, v.y, v.z, v.w}". */
static int vector_register(struct decoder *d, const struct name *name, struct operand *out)
{
	struct operand list[4];

	for (uint32_t i = 0; i < name->count; i++)
		list[i] = (struct operand){ .kind = OPERAND_REGISTER, .index = name->index + i };
	out->kind = OPERAND_VECTOR;
	return keep_elements(d, list, name->count, out);
}

/* What a declared name other than a register stands for. */
static int declared(struct decoder *d, const struct name *name, struct operand *out,
		    bool element)
{
	out->index = name->index;
	switch (name->kind) {
	case NAME_VECTOR:
		return element ? decode_expected(d, "an operand") : vector_register(d, name, out);
	case NAME_SYMBOL:
		out->kind = OPERAND_VARIABLE;
		break;
	case NAME_FUNCTION:
		out->kind = OPERAND_FUNCTION;
		break;
	case NAME_TABLE:
		out->kind = OPERAND_TABLE;
		break;
	case NAME_PROTOTYPE:
		out->kind = OPERAND_PROTOTYPE;
		break;
	case NAME_LABEL:
		out->kind = OPERAND_LABEL;
		break;
	case NAME_REGISTER:
	case NAME_RANGE:
		return decode_expected(d, "an operand");
	}
	return 0;
}

/* "%r1.b3", "%r1.h10": a register, and the part of it that a video instruction uses. */
static bool register_part(struct decoder *d, struct ptx_name name, struct operand *out)
{
	const char *dot = memchr(name.text, '.', name.length);
	struct ptx_name whole = name, part;

	if (!dot)
		return false;
	whole.length = (uint32_t)(dot - name.text);
	part = (struct ptx_name){ dot + 1, name.length - whole.length - 1 };
	if (!part.length || part.length >= sizeof(out->value) ||
	    !decode_register(d, whole, &out->index))
		return false;
	out->kind = OPERAND_REGISTER;
	memcpy(&out->value, part.text, part.length);
	return true;
}

/* "v.y", or "v.g": an element of a vector register. */
static bool vector_element(struct decoder *d, struct ptx_name name, struct operand *out)
{
	static const char letters[] = "xyzwrgba";
	const struct name *vector;
	const char *letter;

	if (name.length < 3 || name.text[name.length - 2] != '.')
		return false;
	letter = strchr(letters, name.text[name.length - 1]);
	name.length -= 2;
	vector = names_find(&d->names, name);
	if (!letter || !vector || vector->kind != NAME_VECTOR ||
	    (uint32_t)(letter - letters) % 4 >= vector->count)
		return false;
	out->kind = OPERAND_REGISTER;
	out->index = vector->index + (uint32_t)(letter - letters) % 4;
	return true;
}

static int word(struct decoder *d, struct operand *out, uint32_t at, bool element)
{
	struct ptx_token token = d->token;
	struct ptx_name name = token_name(&token);
	const struct name *found;
	enum special special;

	advance(d);
	if (decode_register(d, name, &out->index)) {
		out->kind = OPERAND_REGISTER;
		return 0;
	}
	special = special_find(name);
	if (special < SPECIAL_COUNT) {
		*out = (struct operand){ .kind = OPERAND_SPECIAL, .index = special };
		return 0;
	}
	if (name_is(name, "WARP_SZ")) {
		*out = (struct operand){ .kind = OPERAND_INTEGER, .value = 32 };
		return 0;
	}
	if (name_is(name, "_")) {
		out->kind = OPERAND_SINK;
		return 0;
	}
	if (register_part(d, name, out) || vector_element(d, name, out))
		return 0;
	found = names_find(&d->names, name);
	if (found)
		return declared(d, found, out, element);
	found = names_find(d->globals, name);
	if (found && found->kind == NAME_SYMBOL) {
		out->kind = OPERAND_VARIABLE;
		return module_symbol(d, found->index, &out->index);
	}
	if (found)
		return declared(d, found, out, element);
	if (name.text[0] == '%')
		return decode_fail(d, token.line, "'%.*s' is not declared", (int)name.length,
				   name.text);
	out->kind = OPERAND_LABEL;
	return decode_refer(d, name, token.line, at, element);
}

/* "+4", "+-4", "+2*4" after a name; nothing is 0. */
static int offset(struct decoder *d, int64_t *value)
{
	uint64_t sum;

	*value = 0;
	if (!at_punct(d, '+'))
		return 0;
	if (!ptx_expression(&d->lexer, &d->token, &sum))
		return decode_expected(d, "an integer");
	*value = (int64_t)sum;
	return 0;
}

/* A float with its signs, or a constant expression of integers. */
static int number(struct decoder *d, struct operand *out)
{
	struct ptx_lexer start = d->lexer;
	struct ptx_token first = d->token;
	uint64_t value;
	bool negative = false;

	for (; at_punct(d, '-') || at_punct(d, '+'); advance(d))
		negative ^= d->token.text[0] == '-';
	if (d->token.kind == PTX_FLOAT) {
		out->kind = OPERAND_FLOAT;
		out->single = d->token.single;
		out->value = (int64_t)d->token.integer;
		if (negative)
			out->value ^= (int64_t)(out->single ? 1ull << 31 : 1ull << 63);
		advance(d);
		return 0;
	}
	d->lexer = start;
	d->token = first;
	if (!ptx_expression(&d->lexer, &d->token, &value))
		return decode_expected(d, "an operand");
	out->kind = OPERAND_INTEGER;
	out->value = (int64_t)value;
	return 0;
}

/* Elements up to @close; @out gets their number and place. */
static int elements(struct decoder *d, char close, struct operand *out)
{
	struct operand list[128]; /* as wgmma has at most */
	unsigned count = 0;

	advance(d);
	while (!at_punct(d, close)) {
		if (count == sizeof(list) / sizeof(list[0]))
			return decode_fail(d, d->token.line, "too many elements");
		if (count)
			TRY(decode_punct(d, ','));
		list[count] = (struct operand){ 0 };
		TRY(operand(d, &list[count], (uint32_t)(d->body->element_count + count), true));
		count++;
	}
	advance(d);
	return keep_elements(d, list, count, out);
}

/* "[base+offset]", or "[base, {coordinates}]" of tensor copies and textures. */
static int address(struct decoder *d, struct operand *out, uint32_t at, bool element)
{
	struct operand base = { 0 };
	bool alone;

	advance(d);
	TRY(operand(d, &base, at, element));
	alone = base.kind != OPERAND_INTEGER && !base.value && at_punct(d, ',');
	*out = base;
	out->base = base.kind;
	out->kind = OPERAND_ADDRESS;
	if (base.kind == OPERAND_INTEGER)
		out->base = OPERAND_NONE;
	else if (base.kind == OPERAND_REGISTER)
		TRY(offset(d, &out->value));
	else if (base.kind != OPERAND_VARIABLE)
		return decode_fail(d, d->token.line, "expected an address in brackets");
	while (at_punct(d, ',')) {
		if (!alone)
			return decode_fail(d, d->token.line, "expected an address without an "
					   "offset before coordinates");
		advance(d);
		d->coordinates = (struct operand){ 0 };
		TRY(operand(d, &d->coordinates, at, element));
		out->kind = OPERAND_TENSOR;
	}
	return decode_punct(d, ']');
}

/* Takes the sign @c, '!' or '-', of a register: that of a number is the number's. */
static bool negated_register(struct decoder *d, char c)
{
	struct ptx_lexer ahead = d->lexer;
	struct ptx_token next;

	if (!at_punct(d, c))
		return false;
	ptx_next(&ahead, &next);
	if (next.kind != PTX_WORD || (c == '-' && next.text[0] != '%'))
		return false;
	advance(d);
	return true;
}

/* Vectors and lists do not nest: an element is never one. */
static int operand(struct decoder *d, struct operand *out, uint32_t at, bool element)
{
	out->negated = negated_register(d, '!') || negated_register(d, '-');
	if (d->token.kind == PTX_WORD) {
		TRY(word(d, out, at, element));
		if (out->kind == OPERAND_VARIABLE)
			return offset(d, &out->value);
		return 0;
	}
	if (at_punct(d, '[') && !element)
		return address(d, out, at, element);
	if (at_punct(d, '{') && !element) {
		out->kind = OPERAND_VECTOR;
		return elements(d, '}', out);
	}
	if (at_punct(d, '(') && !element && d->calls) {
		out->kind = OPERAND_LIST;
		return elements(d, ')', out);
	}
	return number(d, out);
}

static int push(struct decoder *d, struct insn *insn, const struct operand *read)
{
	struct body *body = d->body;
	struct operand *slot = array_grow(&body->operands, body->operand_count, sizeof(*slot));

	if (!slot)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for operands");
	*slot = *read;
	body->operand_count++;
	if (++insn->count == 64)
		return decode_fail(d, insn->line, "too many operands");
	return 0;
}

int decode_operands(struct decoder *d, struct insn *insn)
{
	struct body *body = d->body;

	d->calls = insn->opcode.length >= 4 && !memcmp(insn->opcode.text, "call", 4);
	while (!at_punct(d, ';')) {
		struct operand read = { 0 };

		TRY(operand(d, &read, (uint32_t)body->operand_count, false));
		TRY(push(d, insn, &read));
		if (read.kind == OPERAND_TENSOR)
			TRY(push(d, insn, &d->coordinates));
		if (at_punct(d, '|'))
			body->operands[body->operand_count - 1].paired = true;
		else if (!at_punct(d, ','))
			return 0;
		advance(d);
	}
	return 0;
}
