/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of ways out of a region; leave.c has their code. */
#include "array.h"
#include "compile.h"
#include "hash.h"

uint32_t way_out(struct compile *c, uint32_t insn, enum way how)
{
	struct way_out *way = array_grow(&c->ways, c->way_count, sizeof(*way));

	if (!way) {
		c->no_memory = true;
		return 0;
	}
	*way = (struct way_out){ .label = x86_label(c->x), .insn = insn, .how = (uint8_t)how };
	c->way_count++;
	return way->label;
}

bool way_forced(const struct compile *c, uint32_t insn)
{
	const uint64_t seed = c->request->exits_seed;

	return seed && !(hash_u64(seed + insn) >> 62);
}
