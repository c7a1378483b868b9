/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shortcuts in a decoded body, before anything else reads it. What a kernel does to
 * memory and to its registers stays the same; what has no visible effect is removed.
 */
#ifndef CPU_SIMPLIFY_H
#define CPU_SIMPLIFY_H

#include "body.h"
#include "err.h"

/*
 * A predicate that equals another one or its opposite, or is constant, is replaced by
 * that, and dropped when no instruction reads it any more; a branch around a branch
 * becomes one branch; the short sides of a branch, if they reconverge, are executed one
 * after the other under the predicate (struct insn, guard), so that lanes need not
 * diverge. Instructions that park (insn.h) keep their branches. GPURUN_NO_MEMORY.
 */
int simplify(struct body *body, struct err *e);

#endif
