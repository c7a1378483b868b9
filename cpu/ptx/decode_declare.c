/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a body declares: registers, variables, and the prototypes of indirect calls. */
#include "asserts.h"
#include "decoder.h"

/* Remembers the name of the registers from @first on. */
static int remember(struct decoder *d, struct ptx_name name, uint32_t first, bool range)
{
	struct body *body = d->body;
	struct declared_registers *slot = array_grow(&body->declared, body->declared_count,
						     sizeof(*slot));

	if (!slot)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for registers");
	/* Sorted, for look-ups by index. */
	ASSERT(!body->declared_count || slot[-1].first <= first);
	*slot = (struct declared_registers){ name, first, range };
	body->declared_count++;
	return 0;
}

/* "x" or "x<9>": *@numbered says which, *@count how many names. */
static int declarator(struct decoder *d, const char *what, struct ptx_name *name, bool *numbered,
		      uint32_t *count)
{
	const struct ptx_token token = d->token;
	int64_t n = 1;

	if (token.kind != PTX_WORD)
		return decode_expected(d, what);
	*name = token_name(&token);
	advance(d);
	*numbered = at_punct(d, '<');
	if (*numbered) {
		advance(d);
		TRY(decode_integer(d, &n));
		TRY(decode_punct(d, '>'));
	}
	*count = (uint32_t)n;
	if (*numbered)
		TRY(decode_count_numbered(d, n < 0 ? UINT32_MAX : (uint64_t)n));
	return decode_fresh(d, *name, *numbered, token.line);
}

/* ".reg .b32 %r<9>, %x;", ".reg .v4 .b32 v<2>;" from the name on. */
static int registers(struct decoder *d, enum ptx_type type, unsigned vector)
{
	do {
		uint32_t first, count;
		struct ptx_name name;
		bool numbered;

		TRY(declarator(d, "a register", &name, &numbered, &count));
		TRY(decode_new_registers(d, type, (uint64_t)count * vector, &first));
		TRY(remember(d, name, first, numbered));
		TRY(decode_name_registers(d, name, first, numbered, count, vector));
	} while (decode_comma(d));
	return decode_punct(d, ';');
}

/* "[4][8]" after a name. */
static int dimensions(struct decoder *d, uint64_t *count)
{
	*count = 1;
	while (at_punct(d, '[')) {
		int64_t n = 0;

		advance(d);
		if (!at_punct(d, ']'))
			TRY(decode_integer(d, &n));
		if (n < 0 || !size_mul(*count, (uint64_t)n, count) || *count > 1u << 30)
			return decode_fail(d, d->token.line, "an array is too large");
		TRY(decode_punct(d, ']'));
	}
	return 0;
}

/* One or more variables after ".space .align N .type". */
static int variables(struct decoder *d, enum ptx_space space, enum ptx_type type,
		     unsigned vector, uint64_t align)
{
	uint64_t size = (uint64_t)type_size(type) * vector;

	do {
		struct symbol symbol = { .home = SYMBOL_BODY, .space = space,
					 .align = align ? align : size };
		uint32_t first, names;
		uint64_t count = 1;
		bool numbered, array;

		TRY(declarator(d, "a variable", &symbol.name, &numbered, &names));
		array = at_punct(d, '[');
		if (!numbered)
			TRY(dimensions(d, &count));
		if (!count)
			return decode_fail(d, d->token.line,
					   "'%.*s' is an array without a size, which a variable "
					   "of a function cannot be", (int)symbol.name.length,
					   symbol.name.text);
		if (at_punct(d, '='))
			return decode_fail(d, d->token.line,
					   "a variable of a function cannot be initialised");
		symbol.index = (uint32_t)d->body->symbol_count;
		symbol.size = size * count;
		symbol.element = array ? (uint32_t)size : 0;
		TRY(decode_new_symbols(d, &symbol, 0, names, &first));
		TRY(names_add(&d->names, symbol.name, numbered ? NAME_SYMBOLS : NAME_SYMBOL, first,
			      names, d->e));
	} while (decode_comma(d));
	return decode_punct(d, ';');
}

/* The words between a space and a name: alignment, vector, type. */
static int attributes(struct decoder *d, enum ptx_type *type, unsigned *vector, uint64_t *align)
{
	*type = TYPE_NONE;
	*vector = 1;
	*align = 0;
	while (d->token.kind == PTX_WORD && d->token.text[0] == '.') {
		struct ptx_name word = { d->token.text + 1, d->token.length - 1 };
		int64_t n = 0;

		advance(d);
		if (name_is(word, "align")) {
			TRY(decode_integer(d, &n));
			if (n < 1 || n > 1 << 16 || (n & (n - 1)))
				return decode_fail(d, d->token.line, "bad alignment %lld",
						   (long long)n);
			*align = (uint64_t)n;
		} else if (name_is(word, "v2")) {
			*vector = 2;
		} else if (name_is(word, "v4")) {
			*vector = 4;
		} else if (!name_is(word, "ptr")) {
			*type = type_parse(word);
			if (!*type)
				return decode_fail(d, d->token.line, "unknown type '.%.*s'",
						   (int)word.length, word.text);
		}
	}
	return *type ? 0 : decode_expected(d, "a type");
}

/* After ".global" or ".const": the variables are known already. */
static int statics(struct decoder *d)
{
	const struct ptx_variable *variable;
	uint32_t first, count;
	struct bytes skipped;

	do {
		variable = d->token.kind == PTX_WORD ? ptx_of_body(d->body->module, d->token.text) :
						       NULL;
		if (!variable)
			return decode_expected(d, "a variable");
		TRY(decode_fresh(d, variable->name, variable->numbered, d->token.line));
		count = variable->numbered ? (uint32_t)variable->count : 1;
		TRY(decode_module_symbols(d, variable, 0, count, &first));
		TRY(names_add(&d->names, variable->name,
			      variable->numbered ? NAME_SYMBOLS : NAME_SYMBOL, first, count, d->e));
		if (!ptx_skip(&d->lexer, ",;", &skipped))
			return decode_fail(d, variable->line, "the declaration does not end");
		advance(d);
	} while (decode_comma(d));
	return decode_punct(d, ';');
}

/* What precedes the name in a .global or .const declaration was read with the module. */
static int skip_attributes(struct decoder *d)
{
	advance(d);
	while (d->token.kind != PTX_END && !ptx_of_body(d->body->module, d->token.text))
		advance(d);
	return statics(d);
}

int decode_declaration(struct decoder *d)
{
	static const struct {
		const char *word;
		enum ptx_space space;
	} spaces[] = {
		{ ".reg", PTX_REG },	   { ".shared", PTX_SHARED }, { ".local", PTX_LOCAL },
		{ ".param", PTX_PARAM },
	};
	unsigned space = 0, vector;
	enum ptx_type type;
	uint64_t align;

	if (ptx_is(&d->token, ".global") || ptx_is(&d->token, ".const"))
		return skip_attributes(d);
	while (space < 4 && !ptx_is(&d->token, spaces[space].word))
		space++;
	if (space == 4)
		return decode_expected(d, "a declaration or an instruction");
	advance(d);
	TRY(attributes(d, &type, &vector, &align));
	if (spaces[space].space != PTX_REG)
		return variables(d, spaces[space].space, type, vector, align);
	return registers(d, type, vector);
}

/* Adds what was read of a prototype. */
static int add_item(struct decoder *d, struct prototype *prototype, unsigned which,
		    const struct prototype_item *item)
{
	struct body *body = d->body;
	struct prototype_item *slot = array_grow(&body->prototype_items,
						 body->prototype_item_count, sizeof(*slot));

	if (!slot)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for a prototype");
	ASSERT(body->prototype_item_count == prototype->first[which] + prototype->counts[which]);
	ASSERT(item->lanes);
	*slot = *item;
	body->prototype_item_count++;
	prototype->counts[which]++;
	return 0;
}

/* "(.param .b32 _, .param .align 8 .b8 _[16])" of a prototype. With @open the last may be
 * "_[]". */
static int prototype_list(struct decoder *d, struct prototype *prototype, unsigned which,
			  bool open)
{
	uint64_t elements = 1;

	prototype->first[which] = (uint32_t)d->body->prototype_item_count;
	TRY(decode_punct(d, '('));
	while (!at_punct(d, ')')) {
		struct prototype_item item;
		enum ptx_type type;
		unsigned vector;
		bool reg;

		if (prototype->counts[which])
			TRY(decode_punct(d, ','));
		if (!elements)
			break;
		reg = ptx_is(&d->token, ".reg");
		if (!ptx_is(&d->token, ".param") && !reg)
			return decode_expected(d, "'.param'");
		advance(d);
		TRY(attributes(d, &type, &vector, &item.align));
		if (d->token.kind == PTX_WORD) {
			advance(d);
			TRY(dimensions(d, &elements));
		}
		item.size = type_size(type) * vector * elements;
		item.lanes = (uint8_t)(reg ? vector : 1);
		if (!item.align)
			item.align = type_size(type) * vector;
		TRY(add_item(d, prototype, which, &item));
	}
	if (!elements && !(open && at_punct(d, ')')))
		return decode_fail(d, d->token.line, "an array without a size is not the last "
				   "parameter of a prototype");
	return decode_punct(d, ')');
}

int decode_prototype(struct decoder *d, struct ptx_name name)
{
	struct body *body = d->body;
	struct prototype *prototype =
		array_grow(&body->prototypes, body->prototype_count, sizeof(*prototype));

	if (!prototype)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for a prototype");
	advance(d);
	if (at_punct(d, '('))
		TRY(prototype_list(d, prototype, 0, false));
	if (d->token.kind != PTX_WORD)
		return decode_expected(d, "'_'");
	advance(d);
	if (at_punct(d, '('))
		TRY(prototype_list(d, prototype, 1, true));
	while (!at_punct(d, ';')) {
		if (d->token.kind == PTX_END || d->token.kind == PTX_BAD)
			return decode_expected(d, "';'");
		advance(d);
	}
	advance(d);
	return names_add(&d->names, name, NAME_PROTOTYPE, (uint32_t)body->prototype_count++, 1,
			 d->e);
}
