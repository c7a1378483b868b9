/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Labels, with the uses that precede them, and the lists of targets of indirect calls and
 * branches.
 */
#include "asserts.h"
#include "decoder.h"

static int new_label(struct decoder *d, struct ptx_name name, uint32_t *index)
{
	struct body *body = d->body;
	struct label *label = array_grow(&body->labels, body->label_count, sizeof(*label));

	if (!label)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for labels");
	label->name = name;
	*index = (uint32_t)body->label_count++;
	return 0;
}

/* Resolves the uses of @name in the innermost scope, and in those that closed in it. */
static void resolve(struct decoder *d, struct ptx_name name, uint32_t label)
{
	const struct name *found = names_find(&d->waiting, name);
	uint32_t *newest = found ? &d->waiting.items[found - d->waiting.items].index : NULL;

	while (newest && *newest != NO_PENDING && *newest >= d->scopes[d->depth].pending) {
		struct pending *pending = &d->pending[*newest];
		struct operand *list = pending->element ? d->body->elements : d->body->operands;

		ASSERT(*newest < d->pending_count && !pending->found);

		list[pending->at].index = label;
		pending->found = true;
		*newest = pending->older;
	}
}

int decode_place_label(struct decoder *d, struct ptx_name name, uint32_t line)
{
	const struct name *found = names_find(&d->names, name);
	struct label *label;
	uint32_t index = 0;

	if (found && found >= d->names.items + d->scopes[d->depth].names)
		return decode_fail(d, line, "'%.*s' is declared twice", (int)name.length,
				   name.text);
	TRY(new_label(d, name, &index));
	label = &d->body->labels[index];
	label->insn = (uint32_t)d->body->insn_count;
	label->line = line;
	label->placed = true;
	resolve(d, name, index);
	return names_add(&d->names, name, NAME_LABEL, index, 1, d->e);
}

int decode_refer(struct decoder *d, struct ptx_name name, uint32_t line, uint32_t at,
		 bool element)
{
	const struct name *found = names_find(&d->waiting, name);
	struct pending *pending = array_grow(&d->pending, d->pending_count, sizeof(*pending));
	const uint32_t index = (uint32_t)d->pending_count;

	if (!pending)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for labels");
	d->pending_count++;
	*pending = (struct pending){ name, line, at, NO_PENDING, element, false };
	if (!found)
		return names_add(&d->waiting, name, NAME_LABEL, index, 1, d->e);
	pending->older = found->index;
	d->waiting.items[found - d->waiting.items].index = index;
	return 0;
}

int decode_check_labels(struct decoder *d)
{
	for (size_t i = 0; i < d->pending_count; i++)
		if (!d->pending[i].found)
			return decode_fail(d, d->pending[i].line, "'%.*s' is not declared",
					   (int)d->pending[i].name.length,
					   d->pending[i].name.text);
	return 0;
}

/* Adds @name, which is a label or a function. */
static int add_target(struct decoder *d, const struct ptx_token *token, struct ptx_name name)
{
	struct body *body = d->body;
	const uint32_t at = (uint32_t)body->operand_count;
	struct operand *slot = array_grow(&body->operands, at, sizeof(*slot));
	const struct name *found = names_find(&d->names, name);

	if (!slot)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for targets");
	body->operand_count++;
	slot->kind = OPERAND_LABEL;
	if (!found)
		found = names_find(d->globals, name);
	if (!found)
		return decode_refer(d, name, token->line, at, false);
	slot->index = found->index;
	if (found->kind == NAME_FUNCTION)
		slot->kind = OPERAND_FUNCTION;
	else if (found->kind != NAME_LABEL)
		return decode_fail(d, token->line, "'%.*s' is neither a label nor a function",
				   (int)name.length, name.text);
	return 0;
}

/* "L<9>": L0 to L8. */
static int numbered_targets(struct decoder *d, const struct ptx_token *stem)
{
	CLEANUP(free_pointer) char *text = malloc(stem->length + 24ul);
	struct ptx_name name;
	int64_t count;

	advance(d);
	TRY(decode_integer(d, &count));
	TRY(decode_punct(d, '>'));
	if (count < 0 || count > UINT32_MAX)
		count = UINT32_MAX;
	TRY(decode_count_numbered(d, (uint64_t)count * (1 + stem->length / 32)));
	if (!text)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for a name");
	for (int64_t i = 0; i < count; i++) {
		int length = sprintf(text, "%.*s%lld", (int)stem->length, stem->text,
				     (long long)i);

		TRY(decode_keep_text(d, text, (uint32_t)length, &name));
		TRY(add_target(d, stem, name));
	}
	return 0;
}

/* Reads one name of a list of targets, "L" or "L<9>", into body->operands. */
static int target(struct decoder *d)
{
	const struct ptx_token token = d->token;

	if (token.kind != PTX_WORD)
		return decode_expected(d, "the name of a target");
	advance(d);
	return at_punct(d, '<') ? numbered_targets(d, &token) :
				  add_target(d, &token, token_name(&token));
}

int decode_targets(struct decoder *d, struct ptx_name name)
{
	struct body *body = d->body;
	size_t first = body->operand_count;
	struct label_table *table = array_grow(&body->tables, body->table_count, sizeof(*table));

	if (!table)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for a list of targets");
	advance(d);
	do
		TRY(target(d));
	while (decode_comma(d));
	TRY(decode_punct(d, ';'));
	*table = (struct label_table){ (uint32_t)first, (uint32_t)(body->operand_count - first) };
	return names_add(&d->names, name, NAME_TABLE, (uint32_t)body->table_count++, 1, d->e);
}
