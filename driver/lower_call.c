/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls. Parameters travel through memory: the caller's .param variables stand
 * in its frame, the callee's at the start of its own; a call copies the
 * arguments over, a return copies the results back.
 */
#include "lower.h"
#include "warp.h"

int lower_call(struct lowering *l)
{
	return lower_unsupported(l);
}

int lower_calls_done(struct lowering *l)
{
	(void)l;
	return 0;
}
