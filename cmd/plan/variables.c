/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "variables.h"

#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "array.h"
#include "asserts.h"
#include "buffers.h"
#include "cleanup.h"
#include "demangle.h"
#include "join.h"
#include "sources.h"
#include "units.h"

/* What was found under a name. */
struct found {
	const struct source *source; /* NULL: nothing yet */
	struct image *image;	     /* the first that has it */
	char *symbol;		     /* owned */
	uint64_t size;		     /* bytes */
	bool has_type;		     /* from an image */
	enum value_type type;
	bool launched;		     /* from the image's container */
	bool twice;		     /* as good a one is in another container */
};

static void release_found(struct found *found)
{
	free(found->symbol);
}

/* What is looked for, in one image after the other. */
struct search {
	const struct plan *plan;
	const char *name;
	size_t length;
	bool demangled; /* by what symbols are in C++ */
	const struct source *source;
	struct image *image;
	struct found found;
	bool exhausted; /* memory is */
	char all[ERR_TEXT_SIZE / 2]; /* names of others */
	size_t used;
};

/* The types that PTX gives variables, where they say how to read the bytes. */
static bool type_of(const char *ptx, enum value_type *type)
{
	static const struct {
		const char *name;
		enum value_type type;
	} types[] = {
		{ "s8", TYPE_I8 },   { "u8", TYPE_U8 },	  { "s16", TYPE_I16 },
		{ "u16", TYPE_U16 }, { "s32", TYPE_I32 }, { "u32", TYPE_U32 },
		{ "s64", TYPE_I64 }, { "u64", TYPE_U64 }, { "f16", TYPE_F16 },
		{ "bf16", TYPE_BF16 }, { "f32", TYPE_F32 }, { "f64", TYPE_F64 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(types[i].name, ptx)) {
			*type = types[i].type;
			return true;
		}
	}
	return false;
}

static bool equals(const char *text, const struct search *search)
{
	return strlen(text) == search->length && !memcmp(text, search->name, search->length);
}

/* Tells whether @symbol is what the search looks for. */
static bool matches(struct search *search, const char *symbol)
{
	CLEANUP(free_pointer) char *signature = NULL;
	CLEANUP(free_pointer) char *qualified = NULL;

	if (!search->demangled)
		return equals(symbol, search);
	if (strncmp(symbol, "_Z", 2))
		return false;
	signature = demangle(symbol);
	qualified = signature ? demangle_qualified(signature) : NULL;
	search->exhausted |= !qualified;
	return qualified && equals(qualified, search);
}

/* Tells whether something is launched from @container of @source. */
static bool is_launched(const struct plan *plan, const struct source *source,
			uint32_t container)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];
		struct launch launch = { 0 };
		struct err ignored;

		if (step->kind == ACTION_LAUNCH &&
		    !sources_find_kernel(plan, &launch, step->action->value, &ignored) &&
		    join_same(plan, sources_of(plan, launch.kernel),
			      launch.kernel->container, source, container))
			return true;
	}
	return false;
}

/* Makes the variable of the search's image what was found. */
static void take(struct search *search, char *symbol, uint64_t size, bool launched)
{
	struct found *found = &search->found;

	free(found->symbol);
	*found = (struct found){ .source = search->source, .image = search->image,
				 .symbol = symbol, .size = size, .launched = launched };
}

static void consider(struct search *search, char **symbol, const struct variable_info *variable)
{
	struct found *found = &search->found;
	bool same = found->source && join_same(search->plan, found->source,
					       found->image->container, search->source,
					       search->image->container), launched;

	if (!same) {
		launched = is_launched(search->plan, search->source, search->image->container);
		if (found->source && found->launched == launched)
			found->twice = true;
		if (!found->source || (launched && !found->launched))
			take(search, STEAL(*symbol), variable->size, launched);
		else
			return;
	}
	if (!found->has_type)
		found->has_type = type_of(variable->type, &found->type);
}

static void visit(const struct variable_info *variable, void *data)
{
	CLEANUP(free_pointer) char *symbol = NULL;
	struct search *search = data;

	if (!variable->length || !variable->size)
		return;
	symbol = strndup(variable->name, variable->length);
	if (!symbol)
		search->exhausted = true;
	else if (matches(search, symbol))
		consider(search, &symbol, variable);
	else if (!search->demangled && search->used < sizeof(search->all) &&
		 !strstr(search->all, symbol))
		search->used += (size_t)snprintf(search->all + search->used,
						 sizeof(search->all) - search->used, " %s",
						 symbol);
}

/* An image that cannot be read is left out: launching from it reports that. */
static int search_all(struct search *search, struct err *e)
{
	const struct plan *plan = search->plan;

	for (size_t i = 0; i < plan->source_count; i++) {
		search->source = &plan->sources[i];
		for (size_t j = 0; j < image_count(search->source->file); j++) {
			struct err ignored;

			search->image = image_at(search->source->file, j);
			if (!sources_wants(search->source, j) || search->image->problem)
				continue;
			image_variables(search->source->file, search->image, visit, search,
					&ignored);
		}
	}
	return search->exhausted ? err_set(e, GPURUN_NO_MEMORY, "no memory for a name") : 0;
}

static int not_found(const struct search *search, struct err *e)
{
	err_set(e, GPURUN_NOT_FOUND, "there is no variable %.*s", (int)search->length,
		search->name);
	if (!search->used)
		return err_hint(e, "the file has no variables");
	return err_hint(e, "there are:%s", search->all);
}

static int find_wanted_variable(struct search *search, struct err *e)
{
	TRY(search_all(search, e));
	if (!search->found.source) {
		search->demangled = true;
		TRY(search_all(search, e));
	}
	if (!search->found.source)
		return not_found(search, e);
	if (search->found.twice && !search->found.launched) {
		err_set(e, GPURUN_NOT_FOUND, "the variable %.*s is in several images",
			(int)search->length, search->name);
		return err_hint(e, "--image picks one");
	}
	return 0;
}

/* Sets the type and shape of @buffer, which is all of @found, as @form says. */
static int shape(struct buffer *buffer, const struct found *found,
		 const struct variable_form *form, struct err *e)
{
	unsigned width;
	uint64_t size;

	if (!form->has_type && !found->has_type && !form->raw) {
		err_set(e, GPURUN_INVALID, "the image does not have the type of %s", buffer->name);
		return err_hint(e, "it has %llu bytes; write its type after =: %s=f32",
				(unsigned long long)found->size, buffer->name);
	}
	buffer->type = form->has_type ? form->type : found->has_type ? found->type : TYPE_U8;
	width = value_info(buffer->type)->size;
	buffer->shape = (struct shape){ 1, { found->size / width }, found->size / width };
	if (form->has_shape)
		buffer->shape = form->shape;
	else if (found->size % width)
		return err_set(e, GPURUN_INVALID, "%s has %llu bytes, no whole number of %s",
			       buffer->name, (unsigned long long)found->size,
			       value_info(buffer->type)->name);
	if (!size_mul(buffer->shape.count, width, &size) || size > found->size)
		return err_set(e, GPURUN_INVALID, "%s has %llu bytes, too few for %llu %s",
			       buffer->name, (unsigned long long)found->size,
			       (unsigned long long)buffer->shape.count,
			       value_info(buffer->type)->name);
	buffer->size = size;
	return 0;
}

/* Tells whether @buffer stands for the variable @found in @form. */
static bool is_same(const struct plan *plan, const struct buffer *buffer,
		    const struct found *found, const struct variable_form *form)
{
	const struct unit *unit = &plan->units[buffer->unit];

	ASSERT(!buffer->symbol || buffer->unit < plan->unit_count);
	return buffer->symbol && !strcmp(buffer->symbol, found->symbol) &&
	       join_same(plan, unit->source, unit->container, found->source,
			 found->image->container) &&
	       (!form->has_type || form->type == buffer->type) &&
	       (!form->has_shape || shape_equal(&form->shape, &buffer->shape));
}

static int add_variable_buffer(struct plan *plan, struct found *found, const struct search *search,
			       const struct variable_form *form, size_t *index, struct err *e)
{
	struct buffer *buffer;
	size_t unit;

	TRY(units_find_container(plan, found->source, found->image, &unit, e));
	buffer = array_grow(&plan->buffers, plan->buffer_count, sizeof(*buffer));
	if (!buffer)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a buffer");
	*index = plan->buffer_count++; /* released from here on */
	snprintf(buffer->name, sizeof(buffer->name), "%.*s", (int)search->length, search->name);
	buffer->init = (struct init){ .kind = INIT_UNINIT, .text = "variable" };
	buffer->symbol = STEAL(found->symbol);
	buffer->unit = unit;
	return shape(buffer, found, form, e);
}

int variable_find(struct plan *plan, const char *name, size_t length,
		  const struct variable_form *form, size_t *index, struct err *e)
{
	CLEANUP(free_pointer) struct search *search = calloc(1, sizeof(*search));
	CLEANUP(release_found) struct found found = { 0 };
	int status;

	if (!search)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a name");
	search->plan = plan;
	search->name = name;
	search->length = length;
	status = find_wanted_variable(search, e);
	found = search->found;
	TRY(status);
	for (*index = 0; *index < plan->buffer_count; ++*index) {
		if (is_same(plan, &plan->buffers[*index], &found, form))
			return 0;
	}
	return add_variable_buffer(plan, &found, search, form, index, e);
}

/* ---- places --------------------------------------------------------------------- */

static const char symbol_mark[] = "sym:";
enum { MARK = sizeof(symbol_mark) - 1 };

void variable_form_take(const char **text, struct variable_form *form)
{
	size_t length = strcspn(*text, ":=");

	if ((*text)[length] != ':' || !value_type_find(*text, length, &form->type))
		return;
	form->has_type = true;
	*text += length + 1;
}

bool place_is_variable(const char *text)
{
	return !strncmp(text, symbol_mark, MARK);
}

int variable_find_marked(struct plan *plan, const char *text, size_t length,
			 const struct variable_form *form, size_t *index, struct err *e)
{
	size_t mark = length >= MARK && place_is_variable(text) ? MARK : 0;

	if (length == mark) {
		err_set(e, GPURUN_INVALID, "the name of the variable is missing");
		return err_hint(e, "--list=vars lists them");
	}
	return variable_find(plan, text + mark, length - mark, form, index, e);
}

size_t place_length(const char *text)
{
	size_t at = place_is_variable(text) ? MARK : 0;

	for (;; at += 2) {
		at += strcspn(text + at, ":=");
		if (text[at] != ':' || text[at + 1] != ':')
			return at;
	}
}

int place_find(struct plan *plan, const char *text, size_t length,
	       const struct variable_form *form, size_t *index, struct err *e)
{
	char name[NAME_SIZE];
	struct err ignored = { 0 };
	size_t variable;

	if (length >= MARK && place_is_variable(text))
		return variable_find_marked(plan, text, length, form, index, e);
	TRY(name_parse(text, length, name, e));
	if (!buffer_find(plan, name, index, e))
		return 0;
	if (!variable_find(plan, text, length, &(struct variable_form){ .raw = true }, &variable,
			   &ignored))
		err_hint(e, "%s is a variable of the file: sym:%s", name, name);
	return e->code;
}
