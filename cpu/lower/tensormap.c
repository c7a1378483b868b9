/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tensormap.replace, tensormap.cp_fenceproxy. */
#include "bits.h"
#include "lower.h"

#define REPLACE "tensormap.replace.tile."
#define WHERE ".global/shared::cta?.b1024"

/* The fields by enum tensor_field; those of one dimension name it. */
static const struct {
	const char *pattern;
	bool ordinal;
	uint8_t size;
	uint8_t most; /* of an immediate; 0: it may be a register */
} fields[] = {
	[FIELD_ADDRESS] = { REPLACE "global_address" WHERE ".b64", false, 8, 0 },
	[FIELD_RANK] = { REPLACE "rank" WHERE ".b32", false, 4, 0 },
	[FIELD_BOX] = { REPLACE "box_dim" WHERE ".b32", true, 4, 0 },
	[FIELD_DIM] = { REPLACE "global_dim" WHERE ".b32", true, 4, 0 },
	[FIELD_STRIDE] = { REPLACE "global_stride" WHERE ".b64", true, 8, 0 },
	[FIELD_STEP] = { REPLACE "element_stride" WHERE ".b32", true, 4, 0 },
	[FIELD_TYPE] = { REPLACE "elemtype" WHERE ".b32", false, 4, 15 },
	[FIELD_INTERLEAVE] = { REPLACE "interleave_layout" WHERE ".b32", false, 4, 2 },
	[FIELD_SWIZZLE] = { REPLACE "swizzle_mode" WHERE ".b32", false, 4, 3 },
	[FIELD_FILL] = { REPLACE "fill_mode" WHERE ".b32", false, 4, 1 },
};

static int replace(struct lowering *l, unsigned field)
{
	const bool shared = opcode_has(&l->opcode, "shared::cta");
	const bool ordinal = fields[field].ordinal;
	const struct operand *value = &l->operands[1 + ordinal];
	const struct ptx *ptx = l->program->ptx;
	/* PTX 8.7 added the packed types, which are not executed. */
	const bool packed = ptx->version_major * 10 + ptx->version_minor >= 87;
	const int64_t most = field == FIELD_TYPE && !packed ? 12 : fields[field].most;
	int32_t at, b;
	int64_t offset, which = 0;

	TRY(expect_operands(l, 2u + ordinal));
	if (ordinal) {
		which = l->operands[1].value;
		if (l->operands[1].kind != OPERAND_INTEGER || which < 0 || which >= TENSOR_DIMS)
			return lower_fail(l, GPURUN_FORMAT, "has a dimension that is not 0 to 4");
	}
	if (most && (value->kind != OPERAND_INTEGER || value->value < 0 || value->value > most))
		return lower_fail(l, GPURUN_FORMAT, "has a value that is no number from 0 to %d",
				  (int)most);
	if (value->kind == OPERAND_REGISTER &&
	    register_size(l, value->index) != fields[field].size)
		return lower_fail(l, GPURUN_FORMAT, "has a value of another width");
	TRY(address_in(l, &l->operands[0], shared ? PTX_SHARED : PTX_REG, &at, &offset));
	TRY(source_row(l, value, fields[field].size, ELEMENT_BITS, false, &b));
	if (fields[field].size == 4) {
		int32_t narrow = b;

		b = scratch_row(l);
		TRY(resize(l, b, 8, narrow, 4, false));
	}
	return emit(l, HANDLER_tensormap_replace, (int32_t)which, at, b, (int32_t)field, offset);
}

int lower_tensormap(struct lowering *l)
{
	static const char fence[] = "tensormap.cp_fenceproxy.global.shared::cta."
				    "tensormap::generic.release.cta/cluster/gpu/sys.sync.aligned";

	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (opcode_matches(&l->opcode, fields[i].pattern))
			return replace(l, i);
	return opcode_matches(&l->opcode, fence) ? lower_map_copy(l) : lower_unsupported(l);
}
