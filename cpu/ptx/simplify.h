/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shortcuts in a decoded body, before anything else looks at it. What a kernel does to
 * memory and to its registers stays the same; what nobody can see goes.
 */
#ifndef CPU_SIMPLIFY_H
#define CPU_SIMPLIFY_H

#include "body.h"
#include "err.h"

/*
 * A predicate that is another one, its opposite or known is replaced by that, and
 * dropped when nobody reads it any more; a branch around a branch becomes one
 * branch; the short sides of a branch, which meet again, are executed one after the
 * other under the predicate (struct insn, guard), so that lanes that differ need not
 * part. Instructions that park (insn.h) keep their branches. GPURUN_NO_MEMORY.
 */
int simplify(struct body *body, struct err *e);

#endif
