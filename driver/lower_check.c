/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lower_check.h"

#include "config.h"

enum { CHECKED_ACCESSES = CHECK_MEM | CHECK_INIT | CHECK_RACE };

int check_before(struct lowering *l, enum access_form form, int32_t at, int64_t offset,
		 unsigned size, enum access_kind kind, bool value)
{
	int32_t hit = (int32_t)(l->hits++ % HITS * sizeof(struct hit));
	int32_t how = (int32_t)(size | (unsigned)kind << ACCESS_KIND_SHIFT |
				(value ? ACCESS_VALUE : 0));

	if (!(config.check & CHECKED_ACCESSES))
		return 0;
	l->check = l->code->op_count;
	return emit(l, HANDLER_check_flat_r8 + form, 0, at, hit, how, offset);
}

int check_generic(struct lowering *l, int32_t row, int64_t offset, unsigned size,
		  enum access_kind kind)
{
	return check_before(l, FORM_FLAT_R8, row, offset, size, kind, false);
}

int check_after(struct lowering *l)
{
	if (!(config.check & CHECK_MEM))
		return 0;
	l->code->ops[l->check].d = (int32_t)(l->code->op_count - l->check);
	return emit(l, HANDLER_check_end, 0, 0, 0, 0, 0);
}
