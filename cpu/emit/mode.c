/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MXCSR: what instructions need, and where it is set. */
#include "compile.h"
#include "machine.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* The modes of rows, as their handlers set them. */
#define MODE_ANY MODE_UNKNOWN
uint32_t insn_mode(const struct ir_insn *insn)
{
#define MODE(mode) MODE_##mode
#define MODE_RN FP_RN
#define MODE_RM FP_RM
#define MODE_RP FP_RP
#define MODE_RZ FP_RZ
#define MODE_RN_FTZ FP_RN_FTZ
#define MODE_RM_FTZ FP_RM_FTZ
#define MODE_RP_FTZ FP_RP_FTZ
#define MODE_RZ_FTZ FP_RZ_FTZ
	static const uint32_t modes[] = {
#define ALU1(name, op, spelling, mode, ...) MODE(mode),
#define ALU2(name, op, spelling, mode, ...) MODE(mode),
#define ALU3(name, op, spelling, mode, ...) MODE(mode),
#define LANE1(name, op, spelling, mode, ...) MODE(mode),
#define LANE2(name, op, spelling, mode, ...) MODE(mode),
#define LANE3(name, op, spelling, mode, ...) MODE(mode),
#define LANE4(name, op, spelling, mode, ...) MODE(mode),
#define SETP1(name, op, spelling, mode, ...) MODE(mode),
#define SETP2(name, op, spelling, mode, ...) MODE(mode),
#define CARRY2(...) MODE_UNKNOWN,
#define CARRY3(...) MODE_UNKNOWN,
#include "ptx_ops.def"
	};

	if (insn->op == IR_ATOMIC && insn->row == ATOMIC_ADD_F)
		return FP_RN;
	return insn->op == IR_ROW ? modes[insn->row] : MODE_UNKNOWN;
}

void modes_find(struct compile *c)
{
	for (size_t i = 0; i < c->ir->insn_count; i++) {
		const uint32_t mode = insn_mode(&c->ir->insns[i]);

		if (!mode || mode == c->only_mode)
			continue;
		if (c->only_mode) {
			c->only_mode = MODE_UNKNOWN;
			return;
		}
		c->only_mode = mode;
	}
}

void mode_set(struct compile *c, uint32_t mode)
{
	const struct x86_operand now = x86_sized(x86_at(AT_WARP, offsetof(struct warp, mode)), 4);
	const uint32_t on = x86_label(c->x);

	if (!mode || mode == c->mode)
		return;
	EMIT(cmp, now, x86_immediate((int32_t)mode));
	EMIT(je, x86_to(on));
	EMIT(mov, now, x86_immediate((int32_t)mode));
	EMIT(ldmxcsr, now);
	x86_bind(c->x, on);
	c->mode = mode;
}
