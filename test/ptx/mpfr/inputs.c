/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs.h"

#include <string.h>

/* xorshift64* */
static uint64_t random_bits(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1d;
}

enum { CORNERS = 16 };

/* Zeros, ones, the ends of the subnormal and normal numbers, infinities, NaNs. */
static uint64_t float_corner(const struct format *format, unsigned i)
{
	uint64_t least = 1ull << (format->precision - 1), one = format_one(format);
	uint64_t corners[CORNERS / 2] = {
		0, 1, least - 1, least, one, one + 1, format->largest, format->largest + 1
	};
	uint64_t bits = corners[i % (CORNERS / 2)];

	if (i % CORNERS == CORNERS - 1)
		return format->nan ^ 1;
	return i % CORNERS >= CORNERS / 2 ? bits | format_sign(format) : bits;
}

static uint64_t random_float(const struct format *format, uint64_t *state)
{
	uint64_t bits = random_bits(state),
		 fraction = (1ull << (format->precision - 1)) - 1;
	uint64_t sign = bits >> 63 ? format_sign(format) : 0;
	unsigned spread = (unsigned)(bits >> 40 & 15);

	switch (bits >> 60 & 3) {
	case 0: /* any bits */
		return bits & (format_sign(format) * 2 - 1);
	case 1: /* few digits: sums and products are exact, or halfway */
		fraction &= ~(fraction >> (format->precision / 2));
		break;
	default:
		break;
	}
	/* Within some powers of two of 1, so that the operands matter to each other. */
	return sign | ((format_one(format) + (fraction + 1) * spread -
			(fraction + 1) * 8 + (bits & fraction)) &
		       (format_sign(format) - 1));
}

static uint64_t integer(const struct operand_type *type, size_t i, uint64_t *state)
{
	uint64_t bits = random_bits(state), top = 1ull << (type->bits - 1);
	uint64_t corners[] = {
		0, 1, 2, top - 1, top, top + 1, top - 1 + top, top - 2 + top
	};

	if (i < 8)
		return corners[i];
	/* Of any length, either sign, and near a power of two. */
	bits >>= random_bits(state) % 64;
	if (random_bits(state) & 1)
		bits = 0 - bits;
	return random_bits(state) % 4 ? bits : (1ull << bits % 64) + (bits >> 8) % 5 - 2;
}

/* A number a few units beside @bits, perhaps of the other sign. */
static uint64_t neighbour(const struct format *format, uint64_t bits, uint64_t *state)
{
	uint64_t noise = random_bits(state), sign = format_sign(format);

	bits = (bits & ~sign) + noise % 9 - 4;
	return (bits & (sign - 1)) | (noise >> 63 ? sign : 0);
}

static uint64_t value(const struct insn *insn, size_t i, unsigned source, uint64_t before,
		      uint64_t *state)
{
	const struct format *format = insn->from.format;
	size_t corner = i;

	if (!format)
		return insn->sources == 1 && insn->from.bits <= 16
			       ? i
			       : integer(&insn->from, i, state);
	if (insn->sources == 1 && format->bits <= 16)
		return i;
	for (unsigned s = 0; s < source; s++)
		corner /= CORNERS;
	if (corner < CORNERS || i < CORNERS * CORNERS * CORNERS / 4)
		return float_corner(format, (unsigned)(corner % CORNERS));
	if (source && i % 8 == 0)
		return neighbour(format, before, state);
	return random_float(format, state);
}

void inputs_fill(const struct insn *insn, size_t count, uint8_t *registers[])
{
	uint64_t state = 0x9e3779b97f4a7c15;
	unsigned width = insn->from.bits, lanes = insn->from.lanes;

	for (size_t i = 0; i < count; i++) {
		uint64_t before[2] = { 0 };

		for (unsigned s = 0; s < insn->sources; s++) {
			size_t size = register_bits(insn->registers[s + 1]) / 8;
			uint64_t bits = 0;

			for (unsigned lane = 0; lane < lanes; lane++) {
				/* The upper lane has the inputs in another order. */
				size_t which = lane ? (i * 5 + 1) % count : i;
				uint64_t one =
					value(insn, which, s, before[lane], &state);

				before[lane] = one;
				one &= width == 64 ? ~0ull : (1ull << width) - 1;
				bits |= one << lane * (width & 63);
			}
			memcpy(registers[s] + i * size, &bits, size);
		}
	}
}
