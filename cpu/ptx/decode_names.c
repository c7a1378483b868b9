/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a body's declarations add: names that are new in their scope, and registers. */
#include "asserts.h"
#include "decoder.h"

enum {
	MOST_NUMBERED = 1 << 22,  /* names that numbers make in a small body, */
	MOST_VARIABLES = 1 << 18, /* and those of variables */
};

int decode_open_scope(struct decoder *d)
{
	ASSERT(d->depth <= d->scope_room);
	ASSERT(!d->depth || d->scopes[d->depth - 1].names <= d->names.count);
	if (d->depth == d->scope_room) {
		if (!array_grow(&d->scopes, d->scope_room, sizeof(*d->scopes)))
			return err_set(d->e, GPURUN_NO_MEMORY, "no memory for scopes");
		d->scope_room++;
	}
	d->scopes[d->depth] = (struct scope){ d->names.count, (uint32_t)d->pending_count };
	return 0;
}

int decode_count_numbered(struct decoder *d, uint64_t count)
{
	const size_t size = d->body->function->body.size;
	const uint64_t most = MOST_NUMBERED + (uint64_t)size;

	d->numbered += count;
	if (d->numbered <= most)
		return 0;
	return decode_fail(d, d->token.line, "%llu names with numbers are too many: a function of "
			   "%zu bytes has up to %llu", (unsigned long long)d->numbered, size,
			   (unsigned long long)most);
}

/* Tells whether @name is one that the innermost scope has declared. */
static bool is_own(const struct decoder *d, const struct name *name)
{
	if (!name || name < d->names.items + d->scopes[d->depth].names)
		return false;
	/* A variable of the module is entered where it is first used: it may be hidden. */
	return name->kind != NAME_SYMBOL ||
	       d->body->symbols[name->index].home != SYMBOL_MODULE ||
	       d->body->symbols[name->index].index >= d->body->module->module_variables;
}

int decode_fresh(struct decoder *d, struct ptx_name name, bool numbered, uint32_t line)
{
	uint32_t number;
	const struct name *found = numbered ? names_find_stem(&d->names, name) :
					      names_find_numbered(&d->names, name, &number);

	if (is_own(d, found))
		return decode_fail(d, line, "'%.*s%s' is declared twice", (int)name.length,
				   name.text, numbered ? "<" : "");
	return 0;
}

int decode_new_registers(struct decoder *d, enum ptx_type type, uint64_t count,
			 uint32_t *first)
{
	struct body *body = d->body;

	ASSERT(type <= TYPE_OTHER);
	*first = (uint32_t)body->register_count;
	for (uint64_t i = 0; i < count; i++) {
		uint8_t *slot = array_grow(&body->register_types, body->register_count, 1);

		if (!slot)
			return err_set(d->e, GPURUN_NO_MEMORY, "no memory for registers");
		*slot = (uint8_t)type;
		body->register_count++;
	}
	return 0;
}

int decode_name_registers(struct decoder *d, struct ptx_name name, uint32_t first,
			  bool numbered, uint32_t count, uint32_t lanes)
{
	static const enum name_kind kinds[2][2] = { { NAME_REGISTER, NAME_REGISTERS },
						    { NAME_VECTOR, NAME_VECTORS } };

	ASSERT(lanes && (uint64_t)first + (uint64_t)count * lanes <= d->body->register_count);
	TRY(names_add(&d->names, name, kinds[lanes > 1][numbered], first, count, d->e));
	d->names.items[d->names.count - 1].lanes = lanes;
	return 0;
}

int decode_new_symbols(struct decoder *d, const struct symbol *like, uint64_t stride,
		       uint32_t count, uint32_t *first)
{
	struct body *body = d->body;
	const uint64_t most = MOST_VARIABLES + (uint64_t)body->function->body.size / 8;

	*first = (uint32_t)body->symbol_count;
	if (count > 1 && count + body->symbol_count > most)
		return decode_fail(d, d->token.line, "%u more variables are too many: a function "
				   "of %zu bytes has up to %llu", count, body->function->body.size,
				   (unsigned long long)most);
	for (uint32_t i = 0; i < count; i++) {
		struct symbol *symbol = array_grow(&body->symbols, body->symbol_count,
						   sizeof(*symbol));

		if (!symbol)
			return err_set(d->e, GPURUN_NO_MEMORY, "no memory for variables");
		*symbol = *like;
		symbol->from += i * stride;
		body->symbol_count++;
	}
	return 0;
}

int decode_module_symbols(struct decoder *d, const struct ptx_variable *variable,
			  uint32_t number, uint32_t count, uint32_t *first)
{
	const struct ptx_variable *all = d->body->module->variables;
	const uint64_t element = (uint64_t)variable->width * variable->vector;
	const struct symbol like = {
		.home = SYMBOL_MODULE, .space = variable->space, .name = variable->name,
		.index = (uint32_t)(variable - all), .align = variable->align,
		.size = variable->numbered ? element : variable->size,
		.element = variable->array ? (uint32_t)element : 0,
		.from = variable->numbered ? number * variable->stride : 0,
	};

	ASSERT(like.index < d->body->module->variable_count);
	ASSERT(!variable->numbered || (uint64_t)number + count <= variable->count);
	return decode_new_symbols(d, &like, variable->stride, count, first);
}
