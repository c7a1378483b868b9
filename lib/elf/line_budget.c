/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "line_budget.h"

#include "asserts.h"

/*
 * What the cubins of test/data/images, examples/cuda and test/fuzz/corpus/cubin take that have line
 * info: 1,626 to 4,028 bytes (units.half.cubin), which is 0.22 (units.half.cubin) to 0.45
 * (inlined.75.cubin) for each byte of the cubin. Both numbers are more than ten times that.
 */
enum {
	FLOOR = 4 << 20, /* bytes, for any cubin */
	RATIO = 8,       /* and for each byte of it */
	MOST = 1 << 30,  /* bytes; so that indices of rows and files have 32 bits */
};

struct line_budget line_budget_of(size_t size)
{
	struct line_budget budget = { .size = size, .limit = MOST };

	if (size < (MOST - FLOOR) / RATIO)
		budget.limit = FLOOR + RATIO * (uint64_t)size;
	return budget;
}

int line_budget_take(struct line_budget *budget, uint64_t bytes, const char *what, struct err *e)
{
	ASSERT(budget->used <= budget->limit && budget->limit <= MOST);
	if (bytes > budget->limit - budget->used)
		return err_set(e, GPURUN_UNSUPPORTED,
			       "%s: line info takes at least %llu bytes of memory; its budget in a "
			       "cubin of %llu bytes is %llu", what,
			       (unsigned long long)(budget->used + bytes),
			       (unsigned long long)budget->size, (unsigned long long)budget->limit);
	budget->used += bytes;
	return 0;
}
