/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a text may cost beyond its length: a table of n targets that n branches use has n * n edges,
 * n calls that save n registers are n * n ops. Each is limited by one rule, in proportion to the
 * text and with a floor. The kernels of test/ptx/kernels have 8,169 ops at most with all checks,
 * 0.11 a byte; 461 edges, 0.011 a byte; 1,668 words of liveness, 0.041 a byte: the limit is 128
 * times that of each, and 18 times a byte.
 */
#ifndef CPU_BUDGET_H
#define CPU_BUDGET_H

#include <inttypes.h>
#include <stddef.h>

#include "insn.h"

enum { BUDGET_LEAST = 1 << 20, BUDGET_SHARE = 2 };

/* The most ops, edges, or words of a text of @bytes bytes. */
static inline uint64_t budget_of(size_t bytes)
{
	return BUDGET_LEAST + BUDGET_SHARE * (uint64_t)bytes;
}

/* Fails with GPURUN_UNSUPPORTED when @count of @what are more than the function of @body may have:
 * "line 7: f() has more than 1048776 edges between blocks, the limit for its 100 bytes". */
static inline int budget_check(const struct body *body, uint64_t count, const char *what,
			       struct err *e)
{
	const struct ptx_function *function = body->function;
	const uint64_t most = budget_of(function->body.size);

	if (count <= most)
		return 0;
	return err_set(e, GPURUN_UNSUPPORTED,
		       "line %u: %.*s() has more than %" PRIu64 " %s, the limit for its %zu bytes",
		       function->line, (int)function->name.length, function->name.text, most, what,
		       function->body.size);
}

#endif
