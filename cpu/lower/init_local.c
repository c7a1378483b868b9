/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* check=init for stacks: ops that track frames and what calls pass in them; local.h. */
#include "asserts.h"
#include "bits.h"
#include "config.h"
#include "lower_init.h"

int check_passed(struct lowering *l, uint64_t from, uint64_t to, bool written)
{
	ASSERT(from <= to);
	if (!(config.check & CHECK_INIT) || from == to)
		return 0;
	return emit(l, HANDLER_check_frame, 0, (int32_t)from, (int32_t)to, written, 0);
}

int check_frame_copy(struct lowering *l, uint64_t to, uint64_t from, uint64_t bytes)
{
	if (!(config.check & CHECK_INIT))
		return 0;
	return emit(l, HANDLER_check_copy_frame, (int32_t)to, (int32_t)from, 0, 0,
		    (int64_t)bytes);
}

int check_allocated(struct lowering *l, int32_t at, int32_t bytes)
{
	return config.check & CHECK_INIT ? emit(l, HANDLER_check_alloca, at, bytes, 0, 0, 0) : 0;
}

int check_saved(struct lowering *l, uint32_t index, uint64_t at, bool restore)
{
	if (!uninit_of(l, index))
		return 0;
	return emit(l, restore ? HANDLER_check_restore : HANDLER_check_save, 0,
		    uninit_of(l, index), 0, 0, (int64_t)at);
}

int check_passed_register(struct lowering *l, const struct operand *operand, uint64_t at,
			  unsigned size, bool take)
{
	if (!(config.check & CHECK_INIT))
		return 0;
	if (!take)
		TRY(uninit_gather_from(l, operand, ~0ull, (struct uninit_bits){ 0 }));
	else if (operand->kind != OPERAND_REGISTER || !uninit_of(l, operand->index))
		return 0;
	TRY(emit(l, take ? HANDLER_check_take : HANDLER_check_pass, 0, 0, 0, (int32_t)size,
		 (int64_t)at));
	return take ? uninit_put_to(l, operand, 64, 0) : 0;
}

/* Tells whether @symbol is in the frame. */
static bool in_frame(const struct body *body, const struct symbol *symbol)
{
	if (symbol->home == SYMBOL_MODULE || symbol->space == PTX_SHARED)
		return false;
	return symbol->home == SYMBOL_BODY ? symbol->space != PTX_REG : !body->function->entry;
}

static int note_variable(struct lowering *l, size_t index)
{
	const struct symbol *symbol = &l->body->symbols[index];
	struct code *code = l->code;
	struct frame_variable *variable = array_grow(&code->variables, code->variable_count,
						     sizeof(*variable));

	if (!variable)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for variables");
	*variable = (struct frame_variable){ l->now->start, l->now->frame_offsets[index],
					     (uint32_t)symbol->size, symbol->name,
					     l->body->function->name };
	code->variable_count++;
	return 0;
}

int check_frame_begin(struct lowering *l)
{
	const struct ptx_function *function = l->body->function;

	if (!(config.check & CHECK_INIT))
		return 0;
	for (size_t i = 0; i < l->body->symbol_count; i++)
		if (in_frame(l->body, &l->body->symbols[i]))
			TRY(note_variable(l, i));
	return check_passed(l, function->entry ? 0 : param_offsets(function, NULL),
			    l->now->frame, false);
}
