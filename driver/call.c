/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls and returns while a kernel runs. */
#include "warp.h"

const struct op *call_enter(struct warp *w, const struct op *ip)
{
	(void)ip;
	return w->cta->code->ops;
}

const struct op *call_enter_indirect(struct warp *w, const struct op *ip)
{
	return call_enter(w, ip);
}

const struct op *call_return(struct warp *w)
{
	return w->cta->code->ops;
}

bool builtin_call(struct warp *w, const struct op *ip)
{
	(void)w;
	(void)ip;
	return false;
}
