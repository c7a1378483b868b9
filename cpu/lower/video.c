/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The video instructions: what their opcode and the parts of their operands say, as one op. */
#include "lower.h"
#include "op_video.h"

static const struct {
	uint8_t base; /* enum insn_base */
	uint8_t op, part;
} videos[] = {
	{ INSN_VADD, VIDEO_ADD, 0 },	  { INSN_VADD2, VIDEO_ADD, 1 },
	{ INSN_VADD4, VIDEO_ADD, 2 },	  { INSN_VSUB, VIDEO_SUB, 0 },
	{ INSN_VSUB2, VIDEO_SUB, 1 },	  { INSN_VSUB4, VIDEO_SUB, 2 },
	{ INSN_VABSDIFF, VIDEO_ABSDIFF, 0 }, { INSN_VABSDIFF2, VIDEO_ABSDIFF, 1 },
	{ INSN_VABSDIFF4, VIDEO_ABSDIFF, 2 }, { INSN_VMIN, VIDEO_MIN, 0 },
	{ INSN_VMIN2, VIDEO_MIN, 1 },	  { INSN_VMIN4, VIDEO_MIN, 2 },
	{ INSN_VMAX, VIDEO_MAX, 0 },	  { INSN_VMAX2, VIDEO_MAX, 1 },
	{ INSN_VMAX4, VIDEO_MAX, 2 },	  { INSN_VAVRG2, VIDEO_AVRG, 1 },
	{ INSN_VAVRG4, VIDEO_AVRG, 2 },	  { INSN_VSET, VIDEO_SET, 0 },
	{ INSN_VSET2, VIDEO_SET, 1 },	  { INSN_VSET4, VIDEO_SET, 2 },
	{ INSN_VSHL, VIDEO_SHL, 0 },	  { INSN_VSHR, VIDEO_SHR, 0 },
	{ INSN_VMAD, VIDEO_MAD, 0 },
};

enum { VIDEOS = sizeof(videos) / sizeof(videos[0]) };

/* Removes the one of @words ("add min max") that the opcode has: 1 for the first, 0: none. */
static unsigned remove_one(struct lowering *l, const char *words)
{
	char word[8];

	for (unsigned n = 1; *words; n++) {
		size_t length = strcspn(words, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (opcode_remove(&l->opcode, word))
			return n;
		words += length + (words[length] == ' ');
	}
	return 0;
}

/* The types: of d unless it is vset, a and b. */
static bool parse_types(struct lowering *l, struct video *video)
{
	const uint8_t *types = l->opcode.types;
	unsigned count = l->opcode.type_count, first = video->op == VIDEO_SET ? 0 : 1;

	if (count != first + 2)
		return false;
	for (unsigned i = 0; i < count; i++)
		if (types[i] != TYPE_U32 && types[i] != TYPE_S32)
			return false;
	video->d_signed = first && types[0] == TYPE_S32;
	video->a_signed = types[first] == TYPE_S32;
	video->b_signed = types[first + 1] == TYPE_S32;
	return !(video->b_signed && (video->op == VIDEO_SHL || video->op == VIDEO_SHR));
}

/* Reads the modifiers; false when there are some that do not belong there. */
static bool parse_modifiers(struct lowering *l, struct video *video)
{
	unsigned scale, mode, compare, types = video->op == VIDEO_SET ? 2 : 3;
	bool shift = video->op == VIDEO_SHL || video->op == VIDEO_SHR;

	if (!parse_types(l, video))
		return false;
	video->sat = video->op != VIDEO_SET && opcode_remove(&l->opcode, "sat");
	if (video->op == VIDEO_SET) {
		compare = remove_one(l, "eq ne lt le gt ge");
		if (!compare)
			return false;
		video->compare = compare - 1;
	}
	if (shift) {
		mode = remove_one(l, "clamp wrap");
		if (!mode)
			return false;
		video->wrap = mode == 2;
	}
	if (video->op == VIDEO_MAD) {
		video->po = opcode_remove(&l->opcode, "po");
		scale = remove_one(l, "shr7 shr15");
		video->scale = scale == 2 ? 15 : scale * 7;
	} else {
		video->second = remove_one(l, video->part ? "add" : "add min max");
	}
	return l->opcode.part_count == types && !(video->part && video->sat && video->second);
}

/* The part of a word that "b2" or "h1" names; all of it when @name is empty. */
static bool scalar_part(const char name[8], unsigned *part, unsigned *index)
{
	*part = name[0] == 'b' ? 2 : name[0] == 'h' ? 1 : 0;
	*index = (unsigned)(name[1] - '0');
	if (name[0])
		return *part && *index < 1u << *part && !name[2];
	*index = 0;
	return true;
}

/* The parts "b7610" or "h32" that a source has for its lanes. */
static bool source_lanes(const char name[8], unsigned part, unsigned first, uint64_t *select)
{
	unsigned lanes = 1u << part;

	for (unsigned i = 0; i < lanes && !name[0]; i++)
		*select |= (uint64_t)(first + i) << 3 * i;
	if (!name[0])
		return true;
	if (name[0] != (part == 2 ? 'b' : 'h') || strlen(name) != lanes + 1)
		return false;
	for (unsigned i = 0; i < lanes; i++) {
		unsigned index = (unsigned)(name[lanes - i] - '0');

		if (index >= 2 * lanes)
			return false;
		*select |= (uint64_t)index << 3 * i;
	}
	return true;
}

/* The parts "b31" that are written: from the highest down. */
static bool result_lanes(const char name[8], unsigned part, uint64_t *mask)
{
	unsigned lanes = 1u << part, above = lanes;

	*mask = (1u << lanes) - 1;
	if (!name[0])
		return true;
	if (name[0] != (part == 2 ? 'b' : 'h') || !name[1])
		return false;
	*mask = 0;
	for (const char *digit = name + 1; *digit; digit++) {
		unsigned index = (unsigned)(*digit - '0');

		if (index >= above)
			return false;
		*mask |= 1u << index;
		above = index;
	}
	return true;
}

/* The parts that the operands name, packed into their values. */
static bool parse_parts(struct lowering *l, struct video *video)
{
	char names[3][8];
	unsigned part, index;
	uint64_t a = 0, b = 0, mask;

	for (unsigned i = 0; i < 3; i++) {
		bool plain = l->operands[i].kind != OPERAND_REGISTER;

		memcpy(names[i], &l->operands[i].value, sizeof(names[i]));
		if (plain)
			names[i][0] = '\0';
	}
	if (video->part) {
		if (!source_lanes(names[1], video->part, 0, &a) ||
		    !source_lanes(names[2], video->part, 1u << video->part, &b) ||
		    !result_lanes(names[0], video->part, &mask))
			return false;
		video->a_select = a & 0xfff;
		video->b_select = b & 0xfff;
		video->mask = mask & 15;
		video->merge = !video->second;
		return true;
	}
	if (!scalar_part(names[1], &part, &index))
		return false;
	video->a_part = part & 3;
	video->a_select = index & 7;
	if (!scalar_part(names[2], &part, &index))
		return false;
	video->b_part = part & 3;
	video->b_select = index & 7;
	if (!scalar_part(names[0], &part, &index))
		return false;
	if (part && (video->second || video->op == VIDEO_MAD))
		return false;
	video->part = part & 3;
	video->mask = 1u << index & 15;
	video->merge = part != 0;
	return true;
}

/* Which of a, b and c are negated; only vmad allows that. */
static bool parse_signs(struct lowering *l, struct video *video, bool third)
{
	bool a = l->operands[1].negated, b = l->operands[2].negated;
	bool c = third && l->operands[3].negated;

	video->a_negated = a;
	video->b_negated = b;
	video->c_negated = c;
	if (video->op != VIDEO_MAD)
		return !a && !b && !c;
	return a == b ? !(c && video->po) : !c && !video->po;
}

int lower_video(struct lowering *l)
{
	struct video video = { 0 };
	int32_t d, at[3] = { 0 };
	bool several, third;
	int64_t imm;
	size_t i = 0;

	while (i < VIDEOS && l->insn->base != videos[i].base)
		i++;
	if (i == VIDEOS)
		return lower_unsupported(l);
	video.op = videos[i].op & 15;
	video.part = videos[i].part & 3;
	several = video.part;
	if (!parse_modifiers(l, &video))
		return lower_unsupported(l);
	if (l->insn->count < 3)
		return expect_operands(l, 3);
	if (!parse_parts(l, &video))
		return lower_fail(l, GPURUN_FORMAT, "names parts of registers that it cannot use");
	third = several || video.merge || video.second || video.op == VIDEO_MAD;
	TRY(expect_operands(l, third ? 4 : 3));
	if (!parse_signs(l, &video, third))
		return lower_fail(l, GPURUN_FORMAT, "negates operands that it cannot");
	for (unsigned n = 0; n < (third ? 3 : 2); n++)
		TRY(source_row(l, &l->operands[n + 1], 4, ELEMENT_BITS, false, &at[n]));
	TRY(result_row(l, &l->operands[0], 4, &d));
	memcpy(&imm, &video, sizeof(imm));
	TRY(emit(l, several ? HANDLER_video : HANDLER_video_scalar, d, at[0], at[1],
		 third ? at[2] : at[0], imm));
	return result_done(l, &l->operands[0], 4, false, d);
}

int check_registers(struct lowering *l)
{
	for (unsigned i = 0; i < l->insn->count; i++) {
		const struct operand *operand = &l->operands[i];

		if (operand->kind != OPERAND_REGISTER)
			continue;
		if (operand->value || (operand->negated && register_size(l, operand->index)))
			return lower_fail(l, GPURUN_FORMAT,
					  "has a part of a register, or a negated one, as "
					  "operand %u",
					  i + 1);
	}
	return 0;
}
