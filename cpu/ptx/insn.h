/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known of an instruction by its base, the first part of its opcode: bases.def has a
 * row for each. The decoder finds the base once, in insn->base.
 */
#ifndef CPU_INSN_H
#define CPU_INSN_H

#include "body.h"

enum insn_base {
#define BASE(id, ...) INSN_##id,
#include "bases.def"
	INSN_BASES, /* none of them */
};

/* Finds the base of @opcode: "add.s32" has INSN_ADD. INSN_BASES when PTX has none. */
enum insn_base insn_base_find(struct ptx_name opcode);

/* Which instruction may follow this one. */
enum flow_kind { FLOW_NEXT, FLOW_BRANCH, FLOW_TABLE, FLOW_CALL, FLOW_END };
enum flow_kind flow_kind(const struct insn *insn);

/* Tells whether other groups of lanes may run before @insn completes. */
bool insn_parks(const struct insn *insn);

/* Counts the operands of @insn, from the first, that are written: insn->results. */
unsigned insn_results(const struct body *body, const struct insn *insn);

/*
 * Calls @visit for every register that @insn reads (write false), then for those
 * that it writes.
 */
void insn_registers(const struct body *body, const struct insn *insn,
		    void (*visit)(void *context, uint32_t index, bool write), void *context);

/* Tells whether @part is in the opcode of @insn. */
bool insn_has(const struct insn *insn, const char *part);

/* Tells whether @insn writes register @index. */
bool insn_writes(const struct body *body, const struct insn *insn, uint32_t index);

#endif
