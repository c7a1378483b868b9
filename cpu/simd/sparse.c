/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mma.sp: a row of D is computed from the elements that its row of A has. */
#include "sparse.h"

WORK const struct op *work_mma_sp(struct warp *w, const struct op *ip)
{
	struct product p;
	struct sparse sparse;
	u32 spread[LANES];
	unsigned absent;

	fp_set(w, FP_RN);
	product_begin(&p, ip->imm);
	absent = (p.at_b - p.at_a) / 2;
	p.at_b -= absent;
	p.at_c -= absent;
	load_a(w, ip, &p, absent);
	for (unsigned i = 0; i < p.blocks; i++)
		put_b(&p, i, fragment_in(w, ip, p.at_b + i, spread));
	load_sums(w, ip, &p, 0, 2);
	sparse_find(w, &p.plan, ip->a, (unsigned)ip->b, &sparse);
	multiply_kept(&p, &sparse);
	store_sums(w, ip, &p, 0, 2);
	return fragments_end(ip, p.end - absent);
}
MATRIX_HANDLER(mma_sp)
