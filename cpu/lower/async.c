/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cp.async: copies from global to shared memory by each thread, and waiting for them. Bulk
 * copies are in lower/bulk.c. */
#include "bits.h"
#include "lower.h"
#include "lower_check.h"

/* The operand that limits the bytes to read: a number, or a predicate to read none. */
static int parse_limit(struct lowering *l, const struct operand *limit, int32_t *mode, int32_t *at)
{
	*mode = 1;
	if (limit->kind != OPERAND_REGISTER || register_size(l, limit->index))
		return source_row(l, limit, 4, ELEMENT_BITS, false, at);
	*mode = 2;
	return source_predicate(l, limit, at);
}

/* cp.async.ca.shared.global [to], [from], SIZE {, limit} {, policy} */
static int copy(struct lowering *l)
{
	const bool cached = opcode_remove(&l->opcode, "ca");
	const bool policy = opcode_remove(&l->opcode, "L2::cache_hint");
	const struct operand *operands = l->operands;
	int32_t to, from, mode = 0, limit = 0, hit;
	int64_t to_offset, from_offset;
	bool limited;

	remove_words(l, cached ? "L2::64B L2::128B L2::256B" : "cg L2::64B L2::128B L2::256B");
	if (!opcode_remove(&l->opcode, "shared") && !opcode_remove(&l->opcode, "shared::cta"))
		return lower_unsupported(l);
	if (!opcode_remove(&l->opcode, "global") || l->opcode.part_count)
		return lower_unsupported(l);
	limited = l->insn->count == 4u + policy;
	TRY(expect_operands(l, 3u + limited + policy));
	if (operands[2].kind != OPERAND_INTEGER ||
	    (operands[2].value != 16 &&
	     (!cached || (operands[2].value != 4 && operands[2].value != 8))))
		return lower_fail(l, GPURUN_FORMAT, "copies a number of bytes that is not %s",
				  cached ? "4, 8 or 16" : "16");
	TRY(address_in(l, &operands[0], PTX_SHARED, &to, &to_offset));
	TRY(address_in(l, &operands[1], PTX_GLOBAL, &from, &from_offset));
	if (limited)
		TRY(parse_limit(l, &operands[3], &mode, &limit));
	hit = next_hit(l, false);
	TRY(check_generic(l, to, to_offset, (unsigned)operands[2].value, ACCESS_WRITE));
	TRY(emit(l, HANDLER_cp_async, to, from, hit, (int32_t)operands[2].value, from_offset));
	TRY(emit(l, HANDLER_halt, 0, limit, 0, mode, to_offset));
	return check_after(l);
}

/* cp.async.mbarrier.arrive: the copies before it are complete. */
static int copies_arrive(struct lowering *l)
{
	static const struct operand one = { .kind = OPERAND_INTEGER, .value = 1 };
	static const struct operand sink = { .kind = OPERAND_SINK };
	const bool counted = opcode_remove(&l->opcode, "noinc");
	enum ptx_space space = PTX_REG;
	int32_t at, count, state;
	int64_t offset;

	if (opcode_remove(&l->opcode, "shared") || opcode_remove(&l->opcode, "shared::cta"))
		space = PTX_SHARED;
	if (!opcode_remove(&l->opcode, "b64") || l->opcode.part_count)
		return lower_unsupported(l);
	TRY(expect_operands(l, 1));
	/* Only here a generic address may have 32 bits; it is one of shared memory. */
	if (l->operands[0].base == OPERAND_REGISTER &&
	    register_size(l, l->operands[0].index) == 4)
		space = PTX_SHARED;
	TRY(address_in(l, &l->operands[0], space, &at, &offset));
	TRY(source_row(l, &one, 4, ELEMENT_BITS, false, &count));
	TRY(result_row(l, &sink, 8, &state));
	TRY(check_copies(l, ASYNC_COPY_IN, COPIES_WAIT_ALL, 0));
	return emit(l, HANDLER_mbarrier, state, at, count,
		    counted ? MBARRIER_ARRIVE : MBARRIER_COPIED, offset);
}

/* Waits for groups of copies: all are complete already; the wait is for the checker. */
static int wait_group(struct lowering *l)
{
	const bool group = opcode_remove(&l->opcode, "wait_group");
	const bool commits = !group && opcode_remove(&l->opcode, "commit_group");

	if (!group && !commits && !opcode_remove(&l->opcode, "wait_all"))
		return lower_unsupported(l);
	if (l->opcode.part_count)
		return lower_unsupported(l);
	TRY(expect_operands(l, group));
	if (group && l->operands[0].kind != OPERAND_INTEGER)
		return lower_fail(l, GPURUN_FORMAT, "waits for a number of groups that is no "
						    "constant");
	return check_copies(l, ASYNC_COPY_IN,
			    commits ? COPIES_COMMIT : group ? COPIES_WAIT : COPIES_WAIT_ALL,
			    group ? (uint32_t)l->operands[0].value : 0);
}

int lower_copy(struct lowering *l)
{
	if (opcode_has(&l->opcode, "bulk"))
		return lower_bulk(l);
	if (!opcode_remove(&l->opcode, "async"))
		return lower_unsupported(l);
	if (opcode_has(&l->opcode, "ca") || opcode_has(&l->opcode, "cg"))
		return copy(l);
	if (opcode_remove(&l->opcode, "mbarrier"))
		return opcode_remove(&l->opcode, "arrive") ? copies_arrive(l) :
							     lower_unsupported(l);
	return wait_group(l);
}
