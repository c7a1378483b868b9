/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lower_check.h"

#include "asserts.h"
#include "cleanup.h"
#include "config.h"

enum { CHECKED_ACCESSES = CHECK_MEM | CHECK_INIT | CHECK_RACE };

/* What c of a check op has next to each other: bits.h. */
_Static_assert(ACCESS_ATOMIC << ACCESS_KIND_SHIFT < ACCESS_NARROW, "a kind has two bits");
_Static_assert(8 << ACCESS_WIDTH_SHIFT < ACCESS_EARLY, "elements have 8 bytes at most");
_Static_assert(((ACCESS_STRONG | ACCESS_RELEASE | ACCESS_ACQUIRE | ACCESS_SYSTEM |
		 ACCESS_FOLLOWED) & (ACCESS_NARROW | ACCESS_EARLY)) == 0 &&
	       ACCESS_FOLLOWED < 1 << ACCESS_WIDTH_SHIFT, "flags are below the width");

void check_order(struct lowering *l)
{
	static const char *const words[] = { "volatile", "relaxed", "mmio", "acquire", "release",
					     "acq_rel" };

	l->order = 0;
	if (!(config.check & CHECK_RACE))
		return;
	if (l->insn->base == INSN_ATOM || l->insn->base == INSN_RED)
		l->order = ACCESS_STRONG;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (opcode_has(&l->opcode, words[i]))
			l->order |= ACCESS_STRONG;
	if (opcode_has(&l->opcode, "release") || opcode_has(&l->opcode, "acq_rel"))
		l->order |= ACCESS_RELEASE;
	if (opcode_has(&l->opcode, "sys"))
		l->order |= ACCESS_SYSTEM;
	if (opcode_has(&l->opcode, "acquire") || opcode_has(&l->opcode, "acq_rel"))
		l->order |= ACCESS_ACQUIRE;
}

int check_before(struct lowering *l, enum access_form form, int32_t at, int64_t offset,
		 unsigned size, enum access_kind kind, unsigned flags)
{
	static const uint16_t handlers[ACCESS_FORMS] = {
		[FORM_FLAT_R8] = HANDLER_check_flat_r8, [FORM_FLAT_S] = HANDLER_check_flat_s,
		[FORM_SHARED_R8] = HANDLER_check_shared_r8,
		[FORM_SHARED_R4] = HANDLER_check_shared_r4,
		[FORM_SHARED_S] = HANDLER_check_shared_s,
	};
	int32_t how = (int32_t)(size | (unsigned)kind << ACCESS_KIND_SHIFT | l->order |
				flags);

	ASSERT(form < ACCESS_FORMS && handlers[form]);
	ASSERT(size && size < 1u << ACCESS_KIND_SHIFT && kind <= ACCESS_ATOMIC);
	if (!(config.check & CHECKED_ACCESSES))
		return 0;
	l->check = l->code->op_count;
	return emit(l, handlers[form], 0, at, next_hit(l, kind != ACCESS_READ), how,
		    offset);
}

int check_generic(struct lowering *l, int32_t row, int64_t offset, unsigned size,
		  enum access_kind kind)
{
	return check_before(l, FORM_FLAT_R8, row, offset, size, kind, 0);
}

/* .sync instructions: the lanes reconverge. */
int check_done(struct lowering *l)
{
	static const uint8_t bases[] = { INSN_SHFL, INSN_VOTE, INSN_MATCH, INSN_REDUX };

	TRY(check_writes(l));
	for (size_t i = 0; config.check & CHECK_RACE && i < sizeof(bases) / sizeof(bases[0]); i++)
		if (l->insn->base == bases[i])
			return emit(l, HANDLER_check_meet, 0, 0, 0, 0, 0);
	return 0;
}

int check_fence(struct lowering *l)
{
	const bool system = opcode_has(&l->opcode, "sys");

	return config.check & CHECK_RACE ? emit(l, HANDLER_check_fence, 0, 0, 0, system, 0) : 0;
}

int check_copies(struct lowering *l, enum async_copy_kind kind, enum copies_op op, uint32_t newest)
{
	if (!(config.check & (CHECK_INIT | CHECK_RACE)))
		return 0;
	return emit(l, HANDLER_check_copies, (int32_t)kind, 0, 0, (int32_t)op, newest);
}

int check_after(struct lowering *l)
{
	if (config.check & CHECK_RACE && l->order)
		TRY(emit(l, HANDLER_check_acquire, 0, 0, 0, l->order & ACCESS_ACQUIRE, 0));
	if (!(config.check & CHECK_MEM))
		return 0;
	ASSERT(l->check < l->code->op_count && !l->code->ops[l->check].d);
	l->code->ops[l->check].d = (int32_t)(l->code->op_count - l->check);
	return emit(l, HANDLER_check_end, 0, 0, 0, 0, 0);
}
