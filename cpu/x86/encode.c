/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bytes of one instruction: prefixes by the class of its row, opcode, ModRM with what follows
 * it, immediate. Layouts are those of Intel's manual, volume 2, chapter 2.
 */
#include "asserts.h"
#include "x86_row.h"

/* The fields of an instruction: what is where, whatever the prefix. */
struct fields {
	const struct x86_row *row;
	unsigned size;
	unsigned reg, vvvv;             /* numbers of registers, or the digit */
	unsigned opcode;
	const struct x86_operand *rm;   /* memory or a register, also one in the opcode; or NULL */
	const struct x86_spec *rm_spec;
	const struct x86_operand *first; /* has the mask */
	bool w;
	bool rex;                       /* a REX prefix even without bits, for spl to dil */
	bool has_modrm;
	unsigned rounding;              /* enum x86_rounding */
	bool has_is4;
	unsigned is4;
	int64_t immediate;
	unsigned immediate_bytes;
};

static void put_bytes(struct x86_encoding *out, uint64_t value, unsigned bytes)
{
	ASSERT(out->size + bytes <= X86_LONGEST);
	for (unsigned i = 0; i < bytes; i++)
		out->bytes[out->size++] = (uint8_t)(value >> 8 * i);
}

static void place_operand(struct fields *f, const struct x86_spec *spec,
			  const struct x86_operand *operand, struct x86_encoding *out)
{
	if (operand->kind == X86_GPR && operand->bytes == 1 && operand->number >= X86_RSP)
		f->rex = true;
	if (operand->kind <= X86_MASK && operand->rounding)
		f->rounding = operand->rounding;
	switch ((enum x86_place)spec->place) {
	case X86_IN_NOTHING:
		return;
	case X86_IN_REG:
		f->reg = operand->number;
		f->has_modrm = true;
		return;
	case X86_IN_VVVV:
		f->vvvv = operand->number;
		return;
	case X86_IN_RM:
		f->rm = operand;
		f->rm_spec = spec;
		f->has_modrm = true;
		return;
	case X86_IN_OPCODE:
		f->opcode |= operand->number & 7;
		f->rm = operand;
		f->rm_spec = spec;
		return;
	case X86_IN_IS4:
		f->is4 = operand->number;
		f->has_is4 = true;
		return;
	case X86_IN_IMMEDIATE:
		f->immediate = x86_immediate_value(spec, operand->value, f->size);
		f->immediate_bytes = x86_immediate_bytes(spec, f->size);
		return;
	case X86_IN_RELATIVE:
		out->label = operand->label;
		f->immediate_bytes = 4;
		return;
	}
}

/* B, bit 3 of the register or the base. */
static unsigned bit_b(const struct fields *f)
{
	if (!f->rm)
		return 0;
	if (f->rm->kind == X86_MEMORY)
		return f->rm->base < X86_NO_REGISTER ? f->rm->base >> 3 & 1 : 0;
	return f->rm->number >> 3 & 1;
}

static bool has_index(const struct x86_operand *memory)
{
	return memory->index != X86_NO_REGISTER || memory->index_bytes != 8;
}

/* X, bit 3 of the index; in EVEX bit 4 of a register. */
static unsigned bit_x(const struct fields *f)
{
	if (!f->rm)
		return 0;
	if (f->rm->kind == X86_MEMORY)
		return has_index(f->rm) ? f->rm->index >> 3 & 1 : 0;
	return f->rm->number >> 4 & 1;
}

static unsigned vector_length(unsigned size)
{
	return size == 64 ? 2 : size == 32 ? 1 : 0;
}

static void put_legacy(const struct fields *f, struct x86_encoding *out)
{
	static const uint8_t mandatory[] = { [X86_PP_66] = 0x66, [X86_PP_F3] = 0xf3,
					     [X86_PP_F2] = 0xf2 };
	const unsigned rex = (unsigned)f->w << 3 | (f->reg >> 3 & 1) << 2 | bit_x(f) << 1 |
			     bit_b(f);

	ASSERT(f->row->map <= X86_MAP_0F);
	if (f->size == 2)
		put_bytes(out, 0x66, 1);
	if (f->row->pp != X86_PP_NP)
		put_bytes(out, mandatory[f->row->pp], 1);
	if (rex || f->rex)
		put_bytes(out, 0x40 | rex, 1);
	if (f->row->map != X86_MAP_00)
		put_bytes(out, 0x0f, 1);
}

/* R, X, B and vvvv are inverted there. pp is in the order of enum x86_pp. */
static void put_vex(const struct fields *f, struct x86_encoding *out)
{
	const unsigned length = vector_length(f->size);
	const unsigned last = (~f->vvvv & 15) << 3 | length << 2 | f->row->pp;
	const unsigned r = ~f->reg >> 3 & 1;

	if (f->row->map == X86_MAP_0F && !f->w && !bit_x(f) && !bit_b(f)) {
		put_bytes(out, 0xc5, 1);
		put_bytes(out, r << 7 | last, 1);
		return;
	}
	put_bytes(out, 0xc4, 1);
	put_bytes(out, r << 7 | !bit_x(f) << 6 | !bit_b(f) << 5 | f->row->map, 1);
	put_bytes(out, (unsigned)f->w << 7 | last, 1);
}

static void put_evex(const struct fields *f, struct x86_encoding *out)
{
	const bool gathers = f->rm_spec && f->rm_spec->kind == X86_INDEXED;
	const bool broadcast = f->rm && f->rm->kind == X86_MEMORY && f->rm->broadcast;
	const unsigned v4 = gathers ? f->rm->index >> 4 : f->vvvv >> 4;
	unsigned length = vector_length(f->size);

	/* The bits of the length are those of a rounding: RN is 0. */
	if (f->rounding)
		length = f->rounding == X86_SAE ? 0 : f->rounding - X86_RN;
	put_bytes(out, 0x62, 1);
	put_bytes(out, (~f->reg >> 3 & 1) << 7 | !bit_x(f) << 6 | !bit_b(f) << 5 |
			       (~f->reg >> 4 & 1) << 4 | f->row->map, 1);
	put_bytes(out, (unsigned)f->w << 7 | (~f->vvvv & 15) << 3 | 1 << 2 | f->row->pp, 1);
	put_bytes(out, (unsigned)f->first->zeroed << 7 | length << 5 |
			       (unsigned)(broadcast || f->rounding) << 4 | (~v4 & 1) << 3 |
			       f->first->mask, 1);
}

/* What a displacement of 8 bits is multiplied by. */
static int displacement_unit(const struct fields *f)
{
	if (f->row->class != X86_EVEX)
		return 1;
	if (f->row->flags & (X86_N4 | X86_N8))
		return f->row->flags & X86_N4 ? 4 : 8;
	return (int)x86_memory_bytes(f->row, f->rm_spec, f->size, f->rm->broadcast);
}

/* ModRM.mod, and the bytes of the displacement: a base of rbp or r13 has to have one. */
static unsigned displacement_mode(const struct fields *f, unsigned *bytes, int32_t *value)
{
	const int unit = displacement_unit(f);
	const int32_t displacement = f->rm->displacement;

	*value = displacement;
	*bytes = 4;
	if (f->rm->base >= X86_NO_REGISTER)
		return 0;
	if (!displacement && (f->rm->base & 7) != X86_RBP) {
		*bytes = 0;
		return 0;
	}
	if (displacement % unit || displacement / unit < INT8_MIN ||
	    displacement / unit > INT8_MAX)
		return 2;
	*value = displacement / unit;
	*bytes = 1;
	return 1;
}

/* SIB is needed for an index, for rsp and r12 as a base, and for no base. */
static void put_memory(const struct fields *f, struct x86_encoding *out)
{
	static const uint8_t shifts[] = { [1] = 0, [2] = 1, [4] = 2, [8] = 3 };
	const struct x86_operand *memory = f->rm;
	const unsigned reg = (f->reg & 7) << 3;
	unsigned base = memory->base & 7, bytes, mode;
	int32_t value;

	if (memory->base == X86_RIP) {
		put_bytes(out, reg | 5, 1);
		out->distance = out->size;
		out->label = memory->label;
		put_bytes(out, (uint32_t)memory->displacement, 4);
		return;
	}
	mode = displacement_mode(f, &bytes, &value);
	if (memory->base == X86_NO_REGISTER)
		base = 5;
	if (!has_index(memory) && memory->base != X86_NO_REGISTER && base != X86_RSP) {
		put_bytes(out, mode << 6 | reg | base, 1);
	} else {
		const unsigned index = has_index(memory) ? memory->index & 7 : 4;
		const unsigned shift = has_index(memory) ? shifts[memory->scale] : 0;

		put_bytes(out, mode << 6 | reg | 4, 1);
		put_bytes(out, shift << 6 | index << 3 | base, 1);
	}
	put_bytes(out, (uint32_t)value, bytes);
}

static void put_modrm(const struct fields *f, struct x86_encoding *out)
{
	if (f->rm && f->rm->kind == X86_MEMORY)
		put_memory(f, out);
	else
		put_bytes(out, 0xc0 | (f->reg & 7) << 3 | (f->rm ? f->rm->number & 7 : 0), 1);
}

static void put_opcode(const struct fields *f, struct x86_encoding *out)
{
	switch ((enum x86_class)f->row->class) {
	case X86_LEGACY:
		put_legacy(f, out);
		break;
	case X86_VEX:
		put_vex(f, out);
		break;
	case X86_EVEX:
		put_evex(f, out);
		break;
	}
	put_bytes(out, f->opcode, 1);
}

void x86_encode(const struct x86_row *row, unsigned size, const struct x86_operand *operands,
		struct x86_encoding *out)
{
	struct fields f = { .row = row, .size = size, .opcode = row->opcode, .first = operands };

	*out = (struct x86_encoding){ 0 };
	f.w = row->w == X86_W_W1 || (row->w == X86_W_WS && size == 8);
	if (row->digit != X86_DIGIT_r)
		f.reg = row->digit;
	for (unsigned i = 0; i < X86_OPERANDS && row->specs[i] != X86_SPEC__; i++)
		place_operand(&f, &x86_specs[row->specs[i]], &operands[i], out);
	put_opcode(&f, out);
	if (f.has_modrm)
		put_modrm(&f, out);
	if (f.has_is4)
		put_bytes(out, f.is4 << 4, 1);
	if (row->specs[0] == X86_SPEC_Jd)
		out->distance = out->size;
	put_bytes(out, (uint64_t)f.immediate, f.immediate_bytes);
}
