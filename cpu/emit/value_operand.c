/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sources as operands of instructions, and the result. */
#include "asserts.h"
#include "select_value.h"

bool value_is_register(const struct value *v, unsigned i, unsigned number)
{
	return v->sources[i].kind == X86_GPR && v->sources[i].number == number;
}

bool value_uses(const struct value *v, unsigned i, unsigned number)
{
	const struct x86_operand *source = &v->sources[i];

	if (source->kind == X86_MEMORY)
		return source->base == number || source->index == number;
	return value_is_register(v, i, number);
}

bool value_fits(const struct value *v, unsigned i, unsigned size)
{
	const int64_t value = v->sources[i].value;

	return value_is_immediate(v, i) && (size < 8 || value == (int32_t)value);
}

void value_swap(struct value *v)
{
	const struct x86_operand first = v->sources[0];

	v->sources[0] = v->sources[1];
	v->sources[1] = first;
}

void value_order(struct value *v)
{
	if (value_is_immediate(v, 0) && !value_is_immediate(v, 1))
		value_swap(v);
}

void value_set(struct value *v, unsigned number, uint64_t bits)
{
	if (bits <= UINT32_MAX)
		VOP(mov, x86_r32(number), x86_immediate((int64_t)bits));
	else if ((int64_t)bits == (int32_t)bits)
		VOP(mov, x86_r64(number), x86_immediate((int64_t)bits));
	else
		VOP(movabs, x86_r64(number), x86_immediate((int64_t)bits));
}

/* Source @i, which is no immediate, as @size bytes. */
static struct x86_operand sized_source(const struct value *v, unsigned i, unsigned size)
{
	const struct x86_operand source = v->sources[i];

	return source.kind == X86_GPR ? x86_gpr(size, source.number) : x86_sized(source, size);
}

void value_load(struct value *v, unsigned number, unsigned i, unsigned size)
{
	if (value_is_immediate(v, i))
		value_set(v, number, (uint64_t)v->sources[i].value & value_bits_mask(size));
	else if (size < 4)
		VOP(movzx, x86_r32(number), sized_source(v, i, size));
	else if (!value_is_register(v, i, number) || size < v->row->sizes[i + 1])
		VOP(mov, x86_gpr(size, number), sized_source(v, i, size));
}

/* The @size bytes of @bits, a signed number, with copies of the sign above. */
static int64_t extended_bits(int64_t bits, unsigned size)
{
	const unsigned above = 64 - 8 * size;

	return (int64_t)((uint64_t)bits << above) >> above;
}

void value_load_signed(struct value *v, unsigned number, unsigned i, unsigned size, unsigned width)
{
	if (value_is_immediate(v, i))
		value_set(v, number, (uint64_t)extended_bits(v->sources[i].value, size) &
					     value_bits_mask(width));
	else if (size == width)
		value_load(v, number, i, size);
	else if (size == 4)
		VOP(movsxd, x86_r64(number), sized_source(v, i, 4));
	else
		VOP(movsx, x86_gpr(width, number), sized_source(v, i, size));
}

struct x86_operand value_register(struct value *v, unsigned i, unsigned size, unsigned scratch)
{
	if (v->sources[i].kind == X86_GPR)
		return sized_source(v, i, size);
	value_load(v, scratch, i, size);
	return x86_gpr(size, scratch);
}

struct x86_operand value_memory(struct value *v, unsigned i, unsigned size, unsigned scratch)
{
	if (v->sources[i].kind == X86_MEMORY)
		return sized_source(v, i, size);
	return value_register(v, i, size, scratch);
}

struct x86_operand value_any(struct value *v, unsigned i, unsigned size, unsigned scratch)
{
	return value_fits(v, i, size) ? v->sources[i] : value_memory(v, i, size, scratch);
}

void value_widen(struct value *v, unsigned count, unsigned width)
{
	const unsigned size = v->source_size;

	ASSERT(count <= 2);
	if (size >= width)
		return;
	for (unsigned i = 0; i < count; i++) {
		const unsigned number = i ? X86_RCX : X86_RAX;

		if (value_is_immediate(v, i)) {
			v->sources[i].value = extended_bits(v->sources[i].value, size);
			continue;
		}
		value_load_signed(v, number, i, size, width);
		v->sources[i] = x86_r64(number);
	}
	v->source_size = width;
}

bool value_finish(struct value *v, unsigned number)
{
	const unsigned size = v->result_size ? v->result_size : 4;

	if (size < 4)
		VOP(movzx, x86_r32(v->result), x86_gpr(size, number));
	else if (number != v->result)
		VOP(mov, x86_gpr(size, v->result), x86_gpr(size, number));
	return true;
}
