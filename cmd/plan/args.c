/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "args.h"

#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "array.h"
#include "asserts.h"
#include "buffers.h"
#include "cleanup.h"
#include "file.h"
#include "parts.h"
#include "sample.h"
#include "signature.h"

/* Bytes of a raw: argument's file; all parameters of a kernel have 32,764 at most. */
#define RAW_MAX 65536

void arg_list_release(struct arg_list *list)
{
	for (size_t i = 0; list->parts && i < list->count; i++)
		arg_list_free(&list->parts[i]);
	free(list->args);
	free(list->buffers);
	free(list->parts);
	free(list->text);
	*list = (struct arg_list){ 0 };
}

void arg_list_free(struct arg_list **list)
{
	if (*list)
		arg_list_release(*list);
	free(*list);
}

static bool has_parts(const struct arg *arg)
{
	return arg->kind == ARG_STRUCT || arg->kind == ARG_POINTERS;
}

/* Says which one of @list is meant. */
static int in_arg(const struct arg_list *list, size_t index, struct err *e)
{
	return err_wrap(e, "%s%zu", list->text ? "part " : "arg", index);
}

static int declare(struct plan *plan, const struct arg *arg, size_t position,
		   size_t *index, struct err *e)
{
	if (arg->kind != ARG_DECLARE)
		return 0;
	return buffer_declare(plan, arg->name, position, &arg->spec, index, e);
}

int args_parse(struct plan *plan, const struct texts *texts, struct arg_list *list,
	       struct err *e)
{
	list->args = calloc(texts->count + 1, sizeof(*list->args));
	list->buffers = calloc(texts->count + 1, sizeof(*list->buffers));
	list->parts = calloc(texts->count + 1, sizeof(*list->parts));
	if (!list->args || !list->buffers || !list->parts)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for arguments");
	for (size_t i = 0; i < texts->count; i++) {
		list->buffers[i] = NONE;
		if (arg_parse(texts->at[i], &list->args[i], e))
			return in_arg(list, i, e);
		list->count++;
		TRY(declare(plan, &list->args[i], i, &list->buffers[i], e));
		if (has_parts(&list->args[i]) &&
		    parts_parse(plan, &list->args[i], &list->parts[i], e))
			return in_arg(list, i, e);
	}
	return 0;
}

/* Tells whether "+ELEMS" is within what @arg names. */
static int check_elements(const struct plan *plan, const struct arg *arg, size_t index,
			  struct err *e)
{
	if (arg->kind != ARG_BUFFER || arg->elements <= plan->buffers[index].shape.count)
		return 0;
	return err_set(e, GPURUN_INVALID, "element %llu of a buffer of %llu",
		       (unsigned long long)arg->elements,
		       (unsigned long long)plan->buffers[index].shape.count);
}

static int resolve_parts(struct plan *plan, struct arg_list *list, size_t index, struct err *e)
{
	struct arg_list *parts = list->parts[index];

	TRY(args_resolve(plan, parts, e));
	for (size_t i = 0; i < parts->count; i++) {
		if (check_elements(plan, &parts->args[i], parts->buffers[i], e))
			return in_arg(parts, i, e);
	}
	if (list->args[index].kind == ARG_STRUCT)
		return 0;
	return parts_pointers(plan, parts, index, &list->buffers[index], e);
}

int args_resolve(struct plan *plan, struct arg_list *list, struct err *e)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct arg *arg = &list->args[i];

		if (has_parts(arg) && resolve_parts(plan, list, i, e))
			return in_arg(list, i, e);
		if (arg->kind != ARG_BUFFER && arg->kind != ARG_LENGTH)
			continue;
		if (buffer_find(plan, arg->name, &list->buffers[i], e))
			return in_arg(list, i, e);
	}
	return 0;
}

static int print_param(const struct kernel_param *param, char *text, size_t size)
{
	unsigned long long offset = param->offset;
	const char *pointer = param->space != PARAM_NOT_POINTER ? "*" : "";

	if (!*param->type)
		return snprintf(text, size, "%lluB@%llu", (unsigned long long)param->size,
				offset);
	if (param->array)
		return snprintf(text, size, "%s[%llu]@%llu", param->type,
				(unsigned long long)param->count, offset);
	return snprintf(text, size, "%s%s@%llu", param->type, pointer, offset);
}

void args_signature(const char *name, const struct kernel_info *info, char *text,
		    size_t size)
{
	size_t at = (size_t)snprintf(text, size, "%s(", name);

	for (size_t i = 0; i < info->param_count && at < size; i++) {
		if (i)
			at += (size_t)snprintf(text + at, size - at, ", ");
		if (at < size)
			at += (size_t)print_param(&info->params[i], text + at, size - at);
	}
	if (at < size)
		snprintf(text + at, size - at, ")");
}

/* What is being bound, for the functions below and their messages. */
struct binding {
	const struct plan *plan;
	struct launch *launch;
	const struct arg *arg;
	size_t position; /* of the argument, from 0 */
	size_t next;	 /* parameter */
};

static const struct kernel_info *kernel_info_of(const struct binding *binding)
{
	return binding->launch->kernel->info;
}

/* Sets the kernel's signature as the hint. */
static int show_signature(const struct launch *launch, struct err *e)
{
	char text[ERR_TEXT_SIZE - 16];

	args_signature(launch->kernel->base ? launch->kernel->base : launch->kernel->name,
		       launch->kernel->info, text, sizeof(text));
	return err_hint(e, "the kernel is %s", text);
}

/* A disagreement of argument and parameter: "arg2 ('i32=1') of vadd: ...", which is how an
 * anonymous buffer there is named. */
static int refuse(const struct binding *binding, struct err *e)
{
	err_wrap(e, "arg%zu ('%.80s') of %s", binding->position, binding->arg->text,
		 binding->launch->kernel->base);
	return show_signature(binding->launch, e);
}

static const char *param_text(const struct kernel_param *param, char text[64])
{
	if (!*param->type)
		snprintf(text, 64, "%llu bytes", (unsigned long long)param->size);
	else if (param->array)
		snprintf(text, 64, ".%s[%llu]", param->type,
			 (unsigned long long)param->count);
	else
		snprintf(text, 64, ".%s%s", param->type,
			 param->space != PARAM_NOT_POINTER ? " .ptr" : "");
	return text;
}

/* Takes the next parameter; the caller has counted them. */
static const struct kernel_param *take(struct binding *binding, struct slot **slot)
{
	const struct kernel_param *param =
		&kernel_info_of(binding)->params[binding->next];

	ASSERT(binding->next < binding->launch->slot_count);
	*slot = &binding->launch->slots[binding->next++];
	(*slot)->offset = param->offset;
	(*slot)->size = param->size;
	return param;
}

static bool is_integer_param(const struct kernel_param *param)
{
	return param->kind == PARAM_SIGNED || param->kind == PARAM_UNSIGNED;
}

/* Compares @type, of a pointer's target or by value, with what the kernel's C++ name says of the
 * parameter that was taken last. */
static int check_named(const struct binding *binding, bool pointer, enum value_type type,
		       struct err *e)
{
	const struct lookup_kernel *kernel = binding->launch->kernel;
	struct signature_param named;

	if (binding->plan->untyped ||
	    !signature_param(kernel->signature, binding->next - 1, kernel->info->param_count,
			     &named) ||
	    named.pointer != pointer || signature_takes(named.type, type))
		return 0;
	return err_set(e, GPURUN_INVALID, "the parameter is %.*s, not %s%s: --untyped takes it",
		       (int)named.length, named.text, value_info(type)->name, pointer ? "*" : "");
}

static int bind_scalar(struct binding *binding, struct err *e)
{
	const struct value_info *info = value_info(binding->arg->type);
	struct slot *slot;
	const struct kernel_param *param = take(binding, &slot);
	char text[64];

	if (info->size != param->size)
		return err_set(e, GPURUN_INVALID,
			       "%s has %u bytes, the parameter %llu (%s)", info->name,
			       info->size, (unsigned long long)param->size,
			       param_text(param, text));
	if (param->kind == PARAM_OPAQUE || (info->is_float && is_integer_param(param)) ||
	    ((!info->is_float || info->parts > 1) && param->kind == PARAM_FLOAT))
		return err_set(e, GPURUN_INVALID, "the parameter is %s, not %s",
			       param_text(param, text), info->name);
	TRY(check_named(binding, false, binding->arg->type, e));
	return number_store(&binding->arg->number, binding->arg->type, slot->bytes, e);
}

/* The type that a bare number takes at @param; false: none. */
static bool literal_type(const struct kernel_param *param, const struct number *number,
			 enum value_type *type)
{
	static const enum value_type integers[2][9] = {
		{ [1] = TYPE_U8, [2] = TYPE_U16, [4] = TYPE_U32, [8] = TYPE_U64 },
		{ [1] = TYPE_I8, [2] = TYPE_I16, [4] = TYPE_I32, [8] = TYPE_I64 },
	};

	if (param->array || param->space != PARAM_NOT_POINTER)
		return false;
	if (param->kind == PARAM_FLOAT) {
		return number->is_float &&
		       value_type_find(param->type, strlen(param->type), type);
	}
	if (number->is_float || !(is_integer_param(param) || param->kind == PARAM_BITS))
		return false;
	if (param->size != 1 && param->size != 2 && param->size != 4 && param->size != 8)
		return false;
	/* Signedness is not checked: -1 passes as .u32, 4294967295 as .s32. */
	*type = integers[number->integer < 0][param->size];
	return true;
}

static int bind_literal(struct binding *binding, struct err *e)
{
	const struct number *number = &binding->arg->number;
	struct slot *slot;
	const struct kernel_param *param = take(binding, &slot);
	enum value_type type;
	char text[64];

	if (literal_type(param, number, &type))
		return number_store(number, type, slot->bytes, e);
	if (param->space != PARAM_NOT_POINTER)
		return err_set(e, GPURUN_INVALID,
			       "the parameter is a pointer: say u64=%s if an "
			       "address is meant",
			       binding->arg->text);
	if (param->kind == PARAM_UNKNOWN)
		return err_set(
			e, GPURUN_INVALID,
			"a cubin does not have the parameter's type: say %c%llu=%s",
			number->is_complex ? 'c' : number->is_float ? 'f' : 'i',
			8 * (unsigned long long)param->size, binding->arg->text);
	if (param->kind == PARAM_FLOAT && !number->is_float)
		return err_set(e, GPURUN_INVALID,
			       "the parameter is %s: say %s.0 or %s=%s",
			       param_text(param, text), binding->arg->text, param->type,
			       binding->arg->text);
	return err_set(e, GPURUN_INVALID, "the parameter is %s: say TYPE=VALUE",
		       param_text(param, text));
}

/* Takes the next parameter if an address fits there. */
static int take_address(struct binding *binding, struct slot **slot, struct err *e)
{
	const struct kernel_param *param = take(binding, slot);
	char text[64];

	if (param->size == 8 && param->kind != PARAM_FLOAT && param->kind != PARAM_OPAQUE)
		return 0;
	return err_set(e, GPURUN_INVALID, "an address has 8 bytes, the parameter is %s",
		       param_text(param, text));
}

/* Makes all of @slot one address. */
static int fill_address(struct slot *slot, struct fixup address, struct err *e)
{
	slot->fixups.at = malloc(sizeof(address));
	if (!slot->fixups.at)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an argument");
	slot->fixups.at[0] = address;
	slot->fixups.count = 1;
	return 0;
}

static int bind_address(struct binding *binding, size_t index, uint64_t elements,
			struct err *e)
{
	struct slot *slot;

	TRY(take_address(binding, &slot, e));
	TRY(check_elements(binding->plan, binding->arg, index, e));
	TRY(check_named(binding, true, binding->plan->buffers[index].type, e));
	return fill_address(slot, (struct fixup){ .buffer = index, .elements = elements }, e);
}

static int bind_integer(struct binding *binding, uint64_t value, struct err *e)
{
	struct slot *slot;
	const struct kernel_param *param = take(binding, &slot);
	char text[64];

	if (param->kind == PARAM_FLOAT || param->kind == PARAM_OPAQUE ||
	    param->size > 8 || param->size < 4)
		return err_set(e, GPURUN_INVALID, "it is an integer, the parameter is %s",
			       param_text(param, text));
	if (param->size == 4 && value > UINT32_MAX)
		return err_set(e, GPURUN_INVALID, "%llu does not fit the parameter, %s",
			       (unsigned long long)value, param_text(param, text));
	memcpy(slot->bytes, &value, sizeof(value));
	return 0;
}

/* MLIR's descriptor: base, aligned, offset, sizes, strides. */
static int bind_memref(struct binding *binding, size_t index, struct err *e)
{
	const struct shape *shape = &binding->plan->buffers[index].shape;
	uint64_t strides[SHAPE_MAX_RANK], stride = 1;

	for (unsigned i = shape->rank; i-- > 0; stride *= shape->dims[i])
		strides[i] = stride;
	TRY(bind_address(binding, index, 0, e));
	TRY(bind_address(binding, index, 0, e));
	TRY(bind_integer(binding, 0, e));
	for (unsigned i = 0; i < shape->rank; i++)
		TRY(bind_integer(binding, shape->dims[i], e));
	for (unsigned i = 0; i < shape->rank; i++)
		TRY(bind_integer(binding, strides[i], e));
	return 0;
}

static int bind_bytes(struct binding *binding, const uint8_t *bytes, size_t size,
		      struct err *e)
{
	struct slot *slot;
	const struct kernel_param *param = take(binding, &slot);
	char text[64];

	if (size != param->size)
		return err_set(e, GPURUN_INVALID,
			       "%zu bytes, the parameter has %llu (%s)", size,
			       (unsigned long long)param->size, param_text(param, text));
	slot->large = malloc(size + 1);
	if (!slot->large)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an argument");
	memcpy(slot->large, bytes, size);
	return 0;
}

static uint8_t hex_digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

static int bind_raw(struct binding *binding, struct err *e)
{
	CLEANUP(free_pointer) uint8_t *bytes = NULL;
	const char *digits = binding->arg->payload;
	size_t size = strlen(digits) / 2;

	if (binding->arg->kind == ARG_RAW_FILE) {
		TRY(file_take_stdin(digits, "an argument", e));
		TRY(file_read(digits, RAW_MAX, &bytes, &size, e));
		return bind_bytes(binding, bytes, size, e);
	}
	bytes = malloc(size + 1);
	if (!bytes)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an argument");
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(hex_digit(digits[2 * i]) << 4 |
				     hex_digit(digits[2 * i + 1]));
	return bind_bytes(binding, bytes, size, e);
}

static int bind_symbol(struct binding *binding, struct err *e)
{
	struct slot *slot;

	TRY(take_address(binding, &slot, e));
	return fill_address(slot, (struct fixup){ .buffer = NONE,
						  .symbol = binding->arg->payload }, e);
}

static int bind_struct(struct binding *binding, const struct arg_list *parts, struct err *e)
{
	struct slot *slot;
	const struct kernel_param *param = take(binding, &slot);
	uint64_t size;
	char text[64];

	TRY(parts_lay_out(parts, slot, &size, e));
	if (size == param->size)
		return 0;
	return err_set(e, GPURUN_INVALID, "a structure of %llu bytes, the parameter has %llu (%s)",
		       (unsigned long long)size, (unsigned long long)param->size,
		       param_text(param, text));
}

static int bind_one(struct binding *binding, const struct arg_list *list, struct err *e)
{
	const size_t buffer = list->buffers[binding->position];
	struct slot *slot;

	ASSERT(buffer == NONE || buffer < binding->plan->buffer_count);
	switch (binding->arg->kind) {
	case ARG_SCALAR:
		return bind_scalar(binding, e);
	case ARG_LITERAL:
		return bind_literal(binding, e);
	case ARG_BUFFER:
	case ARG_DECLARE:
		if (binding->arg->memref)
			return bind_memref(binding, buffer, e);
		return bind_address(binding, buffer, binding->arg->elements, e);
	case ARG_LENGTH:
		return bind_integer(binding, binding->plan->buffers[buffer].shape.count,
				    e);
	case ARG_SYMBOL:
		return bind_symbol(binding, e);
	case ARG_RAW:
	case ARG_RAW_FILE:
		return bind_raw(binding, e);
	case ARG_NULL:
		return take_address(binding, &slot, e);
	case ARG_STRUCT:
		return bind_struct(binding, list->parts[binding->position], e);
	case ARG_POINTERS:
		return bind_address(binding, buffer, 0, e);
	case ARG_PAD:
		break;
	}
	return err_set(e, GPURUN_INVALID, "it is a part of a structure: struct:...,pad:N,...");
}

/* Counts the parameters that the arguments of @list fill. */
static size_t count_slots(const struct plan *plan, const struct arg_list *list)
{
	size_t count = list->count;

	for (size_t i = 0; i < list->count; i++) {
		if (list->args[i].memref)
			count += 2 + 2 * plan->buffers[list->buffers[i]].shape.rank;
	}
	return count;
}

/* Adds a line to begin with to the signature, if there is room for it. */
static int show_sample(const struct plan *plan, const struct launch *launch, struct err *e)
{
	char line[ERR_TEXT_SIZE], text[ERR_TEXT_SIZE];

	show_signature(launch, e);
	if (!sample_line(plan, launch->kernel, line, sizeof(line)) ||
	    strlen(e->hint) + strlen(line) + 32 > sizeof(text))
		return (int)e->code;
	snprintf(text, sizeof(text), "%s", e->hint);
	return err_hint(e, "%s; for instance: %s", text, line);
}

static int wrong_count(const struct plan *plan, const struct launch *launch,
		       const struct arg_list *list, size_t slots, struct err *e)
{
	size_t have = launch->kernel->info->param_count;

	if (slots != list->count)
		err_set(e, GPURUN_INVALID,
			"%s has %zu parameter%s, the arguments fill %zu",
			launch->kernel->base, have, have == 1 ? "" : "s", slots);
	else
		err_set(e, GPURUN_INVALID, "%s has %zu parameter%s, %zu argument%s given",
			launch->kernel->base, have, have == 1 ? "" : "s", slots,
			slots == 1 ? "" : "s");
	return show_sample(plan, launch, e);
}

int args_bind(struct plan *plan, struct launch *launch, const struct arg_list *list,
	      struct err *e)
{
	struct binding binding = { .plan = plan, .launch = launch };
	size_t slots = count_slots(plan, list);

	if (slots != launch->kernel->info->param_count)
		return wrong_count(plan, launch, list, slots, e);
	ASSERT(!launch->slots);
	launch->slots = calloc(slots + 1, sizeof(*launch->slots));
	if (!launch->slots)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for arguments");
	launch->slot_count = slots;
	for (size_t i = 0; i < list->count; i++) {
		binding.arg = &list->args[i];
		binding.position = i;
		if (bind_one(&binding, list, e))
			return e->code == GPURUN_INVALID ? refuse(&binding, e)
							 : (int)e->code;
	}
	ASSERT(binding.next == slots);
	return 0;
}

const struct arg_list *args_of(const struct plan *plan, const struct step *step)
{
	ASSERT(step->kind == ACTION_LAUNCH);
	return step->action->launch.args.count ? &step->launch.own : &plan->defaults;
}

bool args_have(const struct arg_list *list, size_t buffer)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->buffers[i] == buffer ||
		    (list->parts[i] && args_have(list->parts[i], buffer)))
			return true;
	}
	return false;
}
