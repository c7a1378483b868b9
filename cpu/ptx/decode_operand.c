/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operands: registers, immediates, names with an offset, [addresses], {vectors}
 * and the (lists) of calls. "a|b" are two operands, the first marked as paired.
 */
#include "decoder.h"
#include "ptx_expr.h"
#include "special.h"

enum {
	MOST_OPERANDS = 63,   /* more than any instruction has */
	MOST_IN_VECTOR = 128, /* as wgmma has at most */
};

_Static_assert(MOST_OPERANDS < UINT8_MAX, "insn->count has 8 bits, also with one more");

static int operand(struct decoder *d, struct operand *out, uint32_t at, bool element);

/* Whether number @number of @name is a register, and which one. */
static bool is_register(const struct name *name, uint32_t number, uint32_t *index)
{
	if (!name || (name->kind != NAME_REGISTER && name->kind != NAME_REGISTERS))
		return false;
	*index = name->index + number;
	return true;
}

bool decode_register(struct decoder *d, struct ptx_name name, uint32_t *index)
{
	uint32_t number;
	const struct name *found = names_find_numbered(&d->names, name, &number);

	return is_register(found, number, index);
}

/* The symbol of the body for @name, variable @number of a declaration in the module; added
 * at its first use. */
static int module_symbol(struct decoder *d, struct ptx_name name, uint32_t index,
			 uint32_t number, uint32_t *out)
{
	const struct ptx_variable *variable = &d->body->module->variables[index];

	TRY(decode_module_symbols(d, variable, number, 1, out));
	return names_add(&d->names, name, NAME_SYMBOL, *out, 1, d->e);
}

static int add_element(struct decoder *d, const struct operand *element)
{
	struct body *body = d->body;
	struct operand *slot = array_grow(&body->elements, body->element_count, sizeof(*slot));

	if (!slot)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for operands");
	*slot = *element;
	body->element_count++;
	return 0;
}

/* Stores the @count elements of @list: @out gets their number and place. */
static int keep_elements(struct decoder *d, const struct operand *list, unsigned count,
			 struct operand *out)
{
	out->index = (uint32_t)d->body->element_count;
	out->value = count;
	for (unsigned i = 0; i < count; i++)
		TRY(add_element(d, &list[i]));
	return 0;
}

/* Spells out the @lanes of a vector register: "v" is "{v.x, v.y, v.z, v.w}". */
static void spell_vector(uint32_t first, uint32_t lanes, struct operand list[4])
{
	for (uint32_t i = 0; i < lanes; i++)
		list[i] = (struct operand){ .kind = OPERAND_REGISTER, .index = first + i };
}

static int vector_register(struct decoder *d, uint32_t first, uint32_t lanes,
			   struct operand *out)
{
	struct operand list[4];

	spell_vector(first, lanes, list);
	out->kind = OPERAND_VECTOR;
	return keep_elements(d, list, lanes, out);
}

/* What a declared name other than a register means; @number: which of numbered ones. */
static int declared(struct decoder *d, const struct name *name, uint32_t number,
		    struct operand *out, bool element)
{
	out->index = name->index + number * name->lanes;
	switch (name->kind) {
	case NAME_VECTOR:
	case NAME_VECTORS:
		if (!element)
			return vector_register(d, out->index, name->lanes, out);
		if (!d->in_call || out->negated)
			return decode_expected(d, "an operand");
		out->kind = OPERAND_REGISTER;
		d->lanes = name->lanes;
		break;
	case NAME_SYMBOL:
	case NAME_SYMBOLS:
		out->kind = OPERAND_VARIABLE;
		out->value = (int64_t)d->body->symbols[out->index].from;
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
	case NAME_REGISTERS:
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
	uint32_t number;

	if (name.length < 3 || name.text[name.length - 2] != '.')
		return false;
	letter = strchr(letters, name.text[name.length - 1]);
	name.length -= 2;
	vector = names_find_numbered(&d->names, name, &number);
	if (!letter || !vector ||
	    (vector->kind != NAME_VECTOR && vector->kind != NAME_VECTORS) ||
	    (uint32_t)(letter - letters) % 4 >= vector->lanes)
		return false;
	out->kind = OPERAND_REGISTER;
	out->index = vector->index + number * vector->lanes + (uint32_t)(letter - letters) % 4;
	return true;
}

/* "%tid" of "mov.v4.u32 v, %tid;": as "{%tid.x, %tid.y, %tid.z, %tid.w}". */
static bool special_vector(struct ptx_name name, struct operand list[4])
{
	char text[24];

	if (name.length + 2 > sizeof(text))
		return false;
	memcpy(text, name.text, name.length);
	text[name.length] = '.';
	for (unsigned i = 0; i < 4; i++) {
		text[name.length + 1] = "xyzw"[i];
		list[i] = (struct operand){ .kind = OPERAND_SPECIAL };
		list[i].index = special_find((struct ptx_name){ text, name.length + 2 });
		if (list[i].index == SPECIAL_COUNT)
			return false;
	}
	return true;
}

/* What is declared nowhere: a special register of four parts, or a label. */
static int undeclared(struct decoder *d, struct operand *out, const struct ptx_token *token,
		      uint32_t at, bool element)
{
	struct ptx_name name = token_name(token);
	struct operand list[4];

	if (d->moves_four && !element && special_vector(name, list)) {
		out->kind = OPERAND_VECTOR;
		return keep_elements(d, list, 4, out);
	}
	if (name.text[0] == '%')
		return decode_fail(d, token->line, "'%.*s' is not declared", (int)name.length,
				   name.text);
	out->kind = OPERAND_LABEL;
	return decode_refer(d, name, token->line, at, element);
}

/* The special register @name, or "%tid" with ".x" after a blank, which is then read. */
static enum special find_special(struct decoder *d, struct ptx_name name)
{
	enum special special = special_find(name);
	char text[24];

	if (special < SPECIAL_COUNT || name.text[0] != '%' || d->token.kind != PTX_WORD ||
	    d->token.text[0] != '.' || d->token.length != 2 || name.length + 2 > sizeof(text))
		return special;
	memcpy(text, name.text, name.length);
	memcpy(text + name.length, d->token.text, 2);
	special = special_find((struct ptx_name){ text, name.length + 2 });
	if (special < SPECIAL_COUNT)
		advance(d);
	return special;
}

static int word(struct decoder *d, struct operand *out, uint32_t at, bool element)
{
	struct ptx_token token = d->token;
	struct ptx_name name = token_name(&token);
	uint32_t number;
	const struct name *found = names_find_numbered(&d->names, name, &number);
	enum special special;

	advance(d);
	if (is_register(found, number, &out->index)) {
		out->kind = OPERAND_REGISTER;
		return 0;
	}
	special = find_special(d, name);
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
	if (found)
		return declared(d, found, number, out, element);
	found = names_find_numbered(d->globals, name, &number);
	if (found && (found->kind == NAME_SYMBOL || found->kind == NAME_SYMBOLS)) {
		out->kind = OPERAND_VARIABLE;
		TRY(module_symbol(d, name, found->index, number, &out->index));
		out->value = (int64_t)d->body->symbols[out->index].from;
		return 0;
	}
	if (found)
		return declared(d, found, 0, out, element);
	return undeclared(d, out, &token, at, element);
}

/* Adds "+4", "+-4", "+2*4" after a name; nothing is 0. */
static int offset(struct decoder *d, int64_t *value)
{
	uint64_t sum;

	if (!at_punct(d, '+'))
		return 0;
	if (!ptx_expression(&d->lexer, &d->token, &sum))
		return decode_expected(d, "an integer");
	*value = (int64_t)((uint64_t)*value + sum);
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

/* Reads an element of a vector or list, which may be a vector of registers in a list. */
static int next_element(struct decoder *d)
{
	struct operand list[4] = { { 0 } };

	d->lanes = 1;
	TRY(operand(d, list, (uint32_t)d->body->element_count, true));
	if (d->lanes > 1)
		spell_vector(list[0].index, d->lanes, list);
	for (uint32_t i = 0; i < d->lanes; i++) {
		list[i].paired = i + 1 < d->lanes;
		TRY(add_element(d, &list[i]));
	}
	return 0;
}

/* Elements up to @close; @out gets their number and place. */
static int elements(struct decoder *d, char close, struct operand *out)
{
	out->index = (uint32_t)d->body->element_count;
	advance(d);
	d->in_call = close == ')';
	while (!at_punct(d, close)) {
		out->value = (int64_t)(d->body->element_count - out->index);
		if (close == '}' && out->value >= MOST_IN_VECTOR)
			return decode_fail(d, d->token.line, "a vector has more than %d elements",
					   MOST_IN_VECTOR);
		if (out->value)
			TRY(decode_punct(d, ','));
		TRY(next_element(d));
	}
	out->value = (int64_t)(d->body->element_count - out->index);
	d->in_call = false;
	advance(d);
	return 0;
}

/* "[base+offset]", or "[base, {coordinates}]" of tensor copies and textures. */
static int address(struct decoder *d, struct operand *out, uint32_t at, bool element)
{
	struct operand base = { 0 };
	bool alone;

	advance(d);
	TRY(operand(d, &base, at, true));
	alone = base.kind != OPERAND_INTEGER && !base.value && at_punct(d, ',');
	*out = base;
	out->value = base.kind == OPERAND_REGISTER ? 0 : base.value;
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

/* Skips the sign @c, '!' or '-', of a register; that of a number belongs to the number. */
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

/* "[2]" after the name of an array: the address of an element. */
static int element_of(struct decoder *d, struct operand *out)
{
	const uint32_t size = d->body->symbols[out->index].element;
	uint64_t index;

	if (!size)
		return decode_expected(d, "',' or ';' behind what is no array");
	advance(d);
	if (!ptx_expression(&d->lexer, &d->token, &index))
		return decode_expected(d, "a constant expression as the index");
	out->value = (int64_t)((uint64_t)out->value + index * size);
	d->indexed = true;
	return decode_punct(d, ']');
}

/* What follows a name: "+4" of a variable, or "[2]"; "+4" of a register outside of brackets. */
static int after_name(struct decoder *d, struct operand *out, bool element)
{
	if (out->kind == OPERAND_VARIABLE && at_punct(d, '[') && !element)
		return element_of(d, out);
	if (out->kind == OPERAND_VARIABLE)
		return offset(d, &out->value);
	if (out->kind == OPERAND_REGISTER && at_punct(d, '+') && !element && !out->negated)
		return offset(d, &d->addend);
	return 0;
}

/* Vectors and lists do not nest: an element is never one. */
static int operand(struct decoder *d, struct operand *out, uint32_t at, bool element)
{
	out->negated = negated_register(d, '!') || negated_register(d, '-');
	if (d->token.kind == PTX_WORD) {
		TRY(word(d, out, at, element));
		return after_name(d, out, element);
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
	if (insn->count++ < MOST_OPERANDS)
		return 0;
	return decode_fail(d, insn->line, "'%.*s' has more than %d operands, as no instruction has",
			   (int)insn->opcode.length, insn->opcode.text, MOST_OPERANDS);
}

/* Loads and stores access the element of an array; moves read its address. */
static int use_element(struct decoder *d, const struct insn *insn, struct operand *read)
{
	switch (insn->base) {
	case INSN_LD:
	case INSN_LDU:
	case INSN_ST:
		read->base = read->kind;
		read->kind = OPERAND_ADDRESS;
		return 0;
	case INSN_MOV:
	case INSN_CVTA:
		return 0;
	}
	return decode_fail(d, insn->line, "'%.*s' cannot have an element of an array",
			   (int)insn->opcode.length, insn->opcode.text);
}

/* Reads an operand of @insn; array elements and sums, too. */
static int next_operand(struct decoder *d, struct insn *insn, struct operand *read)
{
	d->indexed = false;
	d->addend = 0;
	TRY(operand(d, read, (uint32_t)d->body->operand_count, false));
	if (d->indexed)
		TRY(use_element(d, insn, read));
	if (!d->addend)
		return 0;
	if (d->calls || d->sum_count == MOST_SUMS)
		return decode_expected(d, "',' or ';'");
	d->sums[d->sum_count++] = (struct sum){ insn->count, d->addend };
	return 0;
}

int decode_operands(struct decoder *d, struct insn *insn)
{
	struct body *body = d->body;

	d->calls = insn->base == INSN_CALL;
	d->moves_four = decode_vector_moved(insn) == 4;
	d->sum_count = 0;
	while (!at_punct(d, ';')) {
		struct operand read = { 0 };

		TRY(next_operand(d, insn, &read));
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
