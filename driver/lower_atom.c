/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* atom and red: their address is made generic, their operands rows. */
#include "lower.h"
#include "warp.h"

static const struct {
	const char *op, *types;  /* "/u32/b32/" */
	uint16_t handler;
	bool swaps;              /* has a third operand */
} atomics[] = {
	{ "add", "/u32/s32/", HANDLER_atom_add_4, false },
	{ "add", "/u64/s64/", HANDLER_atom_add_8, false },
	{ "add", "/f32/", HANDLER_atom_add_f32, false },
	{ "add", "/f64/", HANDLER_atom_add_f64, false },
	{ "add", "/f16/", HANDLER_atom_add_f16, false },
	{ "add", "/bf16/", HANDLER_atom_add_bf16, false },
	{ "add", "/f16x2/", HANDLER_atom_add_f16x2, false },
	{ "add", "/bf16x2/", HANDLER_atom_add_bf16x2, false },
	{ "and", "/b32/", HANDLER_atom_and_4, false },
	{ "and", "/b64/", HANDLER_atom_and_8, false },
	{ "or", "/b32/", HANDLER_atom_or_4, false },
	{ "or", "/b64/", HANDLER_atom_or_8, false },
	{ "xor", "/b32/", HANDLER_atom_xor_4, false },
	{ "xor", "/b64/", HANDLER_atom_xor_8, false },
	{ "exch", "/b32/u32/s32/f32/", HANDLER_atom_exch_4, false },
	{ "exch", "/b64/u64/s64/f64/", HANDLER_atom_exch_8, false },
	{ "cas", "/b16/", HANDLER_atom_cas_2, true },
	{ "cas", "/b32/u32/s32/", HANDLER_atom_cas_4, true },
	{ "cas", "/b64/u64/s64/", HANDLER_atom_cas_8, true },
	{ "min", "/u32/", HANDLER_atom_min_u32, false },
	{ "min", "/s32/", HANDLER_atom_min_s32, false },
	{ "min", "/u64/", HANDLER_atom_min_u64, false },
	{ "min", "/s64/", HANDLER_atom_min_s64, false },
	{ "max", "/u32/", HANDLER_atom_max_u32, false },
	{ "max", "/s32/", HANDLER_atom_max_s32, false },
	{ "max", "/u64/", HANDLER_atom_max_u64, false },
	{ "max", "/s64/", HANDLER_atom_max_s64, false },
	{ "inc", "/u32/", HANDLER_atom_inc_u32, false },
	{ "dec", "/u32/", HANDLER_atom_dec_u32, false },
};

/* What is left of the opcode must be one operation and one type. */
static int find(struct lowering *l, unsigned *index)
{
	char type[16];

	if (l->opcode.part_count != 2 || l->opcode.type_count != 1 || !l->opcode.type_of[1])
		return lower_unsupported(l);
	snprintf(type, sizeof(type), "/%.*s/", (int)l->opcode.parts[1].length,
		 l->opcode.parts[1].text);
	for (unsigned i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++) {
		if (name_is(l->opcode.parts[0], atomics[i].op) && strstr(atomics[i].types, type)) {
			*index = i;
			return 0;
		}
	}
	return lower_unsupported(l);
}

int lower_atom(struct lowering *l)
{
	bool returns = name_is(l->opcode.base, "atom");
	bool policy = opcode_take(&l->opcode, "L2::cache_hint");
	static const struct operand sink = { .kind = OPERAND_SINK };
	const struct operand *operands = l->operands + returns;
	const struct operand *result = returns ? l->operands : &sink;
	unsigned index = 0, size;
	int32_t at, d, b, c = 0, hit;
	int64_t offset;

	take_words(l, "relaxed acquire release acq_rel sc cta cluster gpu sys noftz");
	if (l->insn->count < 2u + returns)
		return expect_operands(l, 2u + returns);
	TRY(generic_address(l, operands, &at, &offset));
	TRY(find(l, &index));
	TRY(expect_operands(l, 2u + returns + atomics[index].swaps + policy));
	size = type_size(l->opcode.types[0]);
	TRY(source_row(l, &operands[1], size,
		       l->opcode.types[0] == TYPE_F32 ? ELEMENT_F32 :
		       l->opcode.types[0] == TYPE_F64 ? ELEMENT_F64 : ELEMENT_BITS,
		       false, &b));
	if (atomics[index].swaps)
		TRY(source_row(l, &operands[2], size, ELEMENT_BITS, false, &c));
	TRY(result_row(l, result, size, &d));
	hit = (int32_t)(l->hits++ % HITS * sizeof(struct hit));
	TRY(emit(l, atomics[index].handler, d, at, b, hit, offset));
	if (atomics[index].swaps)
		TRY(emit(l, HANDLER_halt, c, 0, 0, 0, 0));
	return result_done(l, result, size, false, d);
}
