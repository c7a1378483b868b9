/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: conversions. */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

#define D w->d

void strip_narrow_row(struct work *w)
{
	strip_narrow(w, D, strip_register(w, 0), strip_result_size(w), strip_size(w, 0));
}

/* One instruction of elements that are narrower than the result's: it has no broadcasts. */
void strip_extend(struct work *w)
{
	x86_emit(w->x, w->name, D, w->a[0].broadcast ? strip_register(w, 0) : w->a[0]);
}
