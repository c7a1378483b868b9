/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "array.h"
#include "asserts.h"
#include "buffers.h"
#include "cleanup.h"
#include "texts.h"

enum { ADDRESS = 8 }; /* bytes */

/* Tells whether @part may be in an argument of @kind. */
static bool is_part(enum arg_kind kind, const struct arg *part)
{
	switch (part->kind) {
	case ARG_BUFFER:
	case ARG_DECLARE:
		return !part->memref;
	case ARG_NULL:
		return true;
	case ARG_SCALAR:
	case ARG_SYMBOL:
	case ARG_PAD:
		return kind == ARG_STRUCT;
	default:
		return false;
	}
}

static int check_parts(const struct arg *arg, const struct arg_list *list, struct err *e)
{
	for (size_t i = 0; i < list->count; i++) {
		if (is_part(arg->kind, &list->args[i]))
			continue;
		err_set(e, GPURUN_INVALID, "%.80s: '%.80s' cannot be a part of it", arg->text,
			list->args[i].text);
		return arg->kind == ARG_STRUCT ?
			       err_hint(e, "parts are TYPE=VALUE, BUF[+ELEMS], sym:NAME, null "
					   "and pad:BYTES") :
			       err_hint(e, "parts are BUF[+ELEMS] and null");
	}
	return 0;
}

static void release_texts(struct texts *texts)
{
	free(texts->at);
}

int parts_parse(struct plan *plan, const struct arg *arg, struct arg_list **out, struct err *e)
{
	CLEANUP(release_texts) struct texts texts = { 0 };
	CLEANUP(arg_list_free) struct arg_list *list = calloc(1, sizeof(*list));
	char *rest, *part;

	*out = NULL;
	if (list)
		list->text = rest = strdup(arg->payload);
	if (!list || !list->text)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for arguments");
	while ((part = strsep(&rest, ",")))
		TRY(texts_add(&texts, part, e));
	TRY(args_parse(plan, &texts, list, e));
	TRY(check_parts(arg, list, e));
	*out = STEAL(list);
	return 0;
}

/* ---- structures ------------------------------------------------------------------ */

static int add_fixup(struct fixups *fixups, struct fixup fixup, struct err *e)
{
	struct fixup *slot = array_grow(&fixups->at, fixups->count, sizeof(*slot));

	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an address");
	*slot = fixup;
	fixups->count++;
	return 0;
}

static uint64_t size_of(const struct arg *part)
{
	switch (part->kind) {
	case ARG_SCALAR:
		return value_info(part->type)->size;
	case ARG_PAD:
		return part->elements;
	default:
		return ADDRESS;
	}
}

static uint64_t align_of(const struct arg *part)
{
	return part->kind == ARG_PAD ? 1 : size_of(part);
}

static uint64_t aligned(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

/* The address that @part stands for, to be put @at; null is none. */
static int put_address(const struct arg *part, size_t buffer, uint64_t at,
		       struct fixups *fixups, struct err *e)
{
	struct fixup fixup = { .at = at, .buffer = NONE };

	ASSERT(part->kind != ARG_PAD && part->kind != ARG_SCALAR);
	if (part->kind == ARG_SYMBOL)
		fixup.symbol = part->payload;
	else
		fixup.buffer = buffer;
	fixup.elements = part->elements;
	return part->kind == ARG_NULL ? 0 : add_fixup(fixups, fixup, e);
}

static int put(const struct arg *part, size_t buffer, uint64_t at, struct slot *slot,
	       struct err *e)
{
	if (part->kind == ARG_PAD)
		return 0;
	if (part->kind == ARG_SCALAR)
		return number_store(&part->number, part->type, slot->large + at, e);
	return put_address(part, buffer, at, &slot->fixups, e);
}

/* Bytes of the whole. */
static uint64_t measure(const struct arg_list *list)
{
	uint64_t at = 0, most = 1;

	for (size_t i = 0; i < list->count; i++) {
		uint64_t align = align_of(&list->args[i]);

		at = aligned(at, align) + size_of(&list->args[i]);
		most = align > most ? align : most;
	}
	return aligned(at, most);
}

int parts_lay_out(const struct arg_list *list, struct slot *slot, uint64_t *size, struct err *e)
{
	uint64_t at = 0;

	*size = measure(list);
	slot->large = calloc(1, *size + 1);
	if (!slot->large)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an argument");
	for (size_t i = 0; i < list->count; i++) {
		const struct arg *part = &list->args[i];

		at = aligned(at, align_of(part));
		ASSERT(at + size_of(part) <= *size);
		if (put(part, list->buffers[i], at, slot, e))
			return err_wrap(e, "'%.80s'", part->text);
		at += size_of(part);
	}
	return 0;
}

/* ---- pointers -------------------------------------------------------------------- */

int parts_pointers(struct plan *plan, const struct arg_list *list, size_t position,
		   size_t *index, struct err *e)
{
	struct spec spec = { .has_type = true, .has_shape = true, .type = TYPE_U64,
			     .shape = { 1, { list->count }, list->count },
			     .init = { .kind = INIT_ZERO, .text = "ptrs" } };
	struct buffer *buffer;

	TRY(buffer_declare(plan, "", position, &spec, index, e));
	buffer = &plan->buffers[*index];
	buffer->contents = calloc(list->count, ADDRESS);
	if (!buffer->contents)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an argument");
	for (size_t i = 0; i < list->count; i++)
		TRY(put_address(&list->args[i], list->buffers[i], ADDRESS * i,
				&buffer->pointers, e));
	return 0;
}
