/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "x86_row.h"

#include "asserts.h"

#define SPEC(name_, place_, kind_, bytes_, memory_)                                        \
	[X86_SPEC_##name_] = { #name_, X86_IN_##place_, SPEC_KIND_##kind_,                 \
			       SPEC_BYTES_##bytes_, SPEC_BYTES_##memory_ },
enum {
	SPEC_KIND_0, SPEC_KIND_GPR = X86_GPR, SPEC_KIND_VECTOR = X86_VECTOR,
	SPEC_KIND_MASK = X86_MASK, SPEC_KIND_MEMORY = X86_MEMORY,
	SPEC_KIND_IMMEDIATE = X86_IMMEDIATE, SPEC_KIND_LABEL = X86_LABEL,
	SPEC_KIND_INDEXED = X86_INDEXED,
};
enum {
	SPEC_BYTES_0, SPEC_BYTES_1, SPEC_BYTES_2, SPEC_BYTES_4 = 4, SPEC_BYTES_8 = 8,
	SPEC_BYTES_16 = 16, SPEC_BYTES_32 = 32, SPEC_BYTES_FULL = X86_FULL,
	SPEC_BYTES_HALF = X86_HALF, SPEC_BYTES_QUARTER = X86_QUARTER,
	SPEC_BYTES_EIGHTH = X86_EIGHTH, SPEC_BYTES_ANY = X86_ANY,
};
const struct x86_spec x86_specs[X86_SPEC_COUNT] = { X86_SPECS(SPEC) };
#undef SPEC

/* The columns in their short forms. */
enum { SIZE__ = 0, SIZE_W = 2, SIZE_D = 4, SIZE_Q = 8, SIZE_X = 16, SIZE_Y = 32, SIZE_Z = 64 };
enum {
	SIZE_WD = SIZE_W | SIZE_D, SIZE_DQ = SIZE_D | SIZE_Q, SIZE_WDQ = SIZE_WD | SIZE_Q,
	SIZE_XY = SIZE_X | SIZE_Y, SIZE_YZ = SIZE_Y | SIZE_Z, SIZE_XYZ = SIZE_XY | SIZE_Z,
};
enum { DIGIT_0, DIGIT_1, DIGIT_2, DIGIT_3, DIGIT_4, DIGIT_5, DIGIT_6, DIGIT_7, DIGIT_r };
static_assert((int)DIGIT_r == (int)X86_DIGIT_r, "no digit");
enum {
	K = X86_K, KZ = X86_K | X86_Z, KREQ = X86_K | X86_NEEDS_MASK, ER = X86_ER,
	SAE = X86_SAE_ONLY, B4 = X86_B4, B8 = X86_B8, N4 = X86_N4, N8 = X86_N8,
};

#define ROW(name_, class_, sizes_, pp_, map_, w_, opcode_, digit_, flags_, a, b, c, d)     \
	{ X86_##name_, flags_, X86_##class_, SIZE_##sizes_, X86_PP_##pp_, X86_MAP_##map_,  \
	  X86_W_##w_, opcode_, DIGIT_##digit_,                                             \
	  { X86_SPEC_##a, X86_SPEC_##b, X86_SPEC_##c, X86_SPEC_##d } },
#define FIRST(...) ROW(__VA_ARGS__)
#define NEXT(...) ROW(__VA_ARGS__)
#define AGAIN(...) ROW(__VA_ARGS__)
const struct x86_row x86_rows[] = {
	{ X86_NO_NAME, 0, 0, 0, 0, 0, 0, 0, 0, { 0 } },
#include "rows.def"
	{ X86_NO_NAME, 0, 0, 0, 0, 0, 0, 0, 0, { 0 } },
};
const size_t x86_row_count = sizeof(x86_rows) / sizeof(x86_rows[0]);

/* The index of each row: named by its table and the line that it is on. */
#define INDEX_OF(table, line) INDEX_IN(table, line)
#define INDEX_IN(table, line) ROW_##table##_##line
#define FIRST(...) INDEX_OF(TABLE, __LINE__),
#define NEXT(...) INDEX_OF(TABLE, __LINE__),
#define AGAIN(...) INDEX_OF(TABLE, __LINE__),
enum {
	ROW_NONE,
#include "rows.def"
};

enum { SET_INTEGER, SET_AVX2 = SET_INTEGER, SET_AVX512 };
#define SET_OF(table) SET_IN(table)
#define SET_IN(table) SET_##table
#define FIRST(name, ...) [SET_OF(TABLE)][X86_##name] = INDEX_OF(TABLE, __LINE__),
#define NEXT(...)
#define AGAIN(name, ...) FIRST(name, )
const uint16_t x86_first_rows[2][X86_NAMES] = {
#include "rows.def"
};

unsigned x86_spec_bytes(int bytes, unsigned size, unsigned least)
{
	unsigned found = bytes >= 0 ? (unsigned)bytes : size / (unsigned)-bytes;

	return found < least ? least : found;
}

unsigned x86_memory_bytes(const struct x86_row *row, const struct x86_spec *spec, unsigned size,
			  bool broadcast)
{
	if (broadcast)
		return row->flags & X86_B4 ? 4 : 8;
	return spec->memory == X86_ANY ? 0 : x86_spec_bytes(spec->memory, size, 0);
}

/* What @memory says of its size; of a broadcast, its element says nothing of the whole. */
static unsigned said_bytes(const struct x86_row *row, const struct x86_operand *memory)
{
	return memory->broadcast && memory->bytes == (row->flags & X86_B4 ? 4 : 8) ? 0 :
	       memory->bytes;
}

/*
 * The size of the instruction that the operands make of @row: the only one that it has, or that of
 * an operand which has all of it. 0: the row has one form, or the operands do not say.
 */
static unsigned size_of_row(const struct x86_row *row, const struct x86_operand *operands,
			    size_t count)
{
	if (!(row->sizes & (row->sizes - 1)))
		return row->sizes;
	for (size_t i = 0; i < count; i++) {
		const struct x86_spec *spec = &x86_specs[row->specs[i]];
		const struct x86_operand *operand = &operands[i];

		if (operand->kind == X86_MEMORY && spec->kind == X86_INDEXED) {
			if (spec->bytes == X86_FULL)
				return operand->index_bytes;
		} else if (operand->kind == X86_MEMORY) {
			if (spec->memory == X86_FULL && said_bytes(row, operand))
				return operand->bytes;
		} else if (operand->kind == spec->kind && spec->bytes == X86_FULL &&
			   operand->kind != X86_IMMEDIATE) {
			return operand->bytes;
		}
	}
	return 0;
}

static bool register_matches(const struct x86_row *row, const struct x86_spec *spec,
			     const struct x86_operand *operand, unsigned size)
{
	const bool vector = operand->kind == X86_VECTOR;
	const unsigned most = operand->kind == X86_MASK ? 8 :
			      vector && row->class == X86_EVEX ? 32 : 16;

	if (spec->kind != operand->kind || operand->number >= most)
		return false;
	if (spec->place == X86_IN_NOTHING &&
	    operand->number != (spec == &x86_specs[X86_SPEC_Cb] ? X86_RCX : X86_RAX))
		return false;
	return operand->bytes == x86_spec_bytes(spec->bytes, size, vector ? 16 : 0);
}

static bool memory_matches(const struct x86_row *row, const struct x86_spec *spec,
			   const struct x86_operand *operand, unsigned size)
{
	const bool indexed = operand->index != X86_NO_REGISTER;
	const bool rip = operand->base == X86_RIP;
	const unsigned scale = operand->scale;

	if (!spec->memory || operand->base > X86_RIP)
		return false;
	if (!scale || scale > 8 || (scale & (scale - 1)))
		return false;
	if (rip && (indexed || operand->displacement))
		return false;
	if (operand->broadcast && !(row->flags & (X86_B4 | X86_B8)))
		return false;
	if (said_bytes(row, operand) && spec->memory != X86_ANY &&
	    operand->bytes != x86_memory_bytes(row, spec, size, false))
		return false;
	if (spec->kind == X86_INDEXED)
		return operand->index_bytes == x86_spec_bytes(spec->bytes, size, 16) &&
		       operand->index < (row->class == X86_EVEX ? 32 : 16) && !rip;
	return operand->index_bytes == 8 && operand->index != X86_RSP &&
	       operand->index <= X86_NO_REGISTER;
}

unsigned x86_immediate_bytes(const struct x86_spec *spec, unsigned size)
{
	return spec->bytes == X86_FULL ? (size < 4 ? size : 4) : (unsigned)spec->bytes;
}

int64_t x86_immediate_value(const struct x86_spec *spec, int64_t value, unsigned size)
{
	if (spec == &x86_specs[X86_SPEC_Ib])
		return (uint8_t)value;
	return size == 2 ? (int16_t)value : size == 4 ? (int32_t)value : value;
}

static bool immediate_matches(const struct x86_spec *spec, const struct x86_operand *operand,
			      unsigned size)
{
	const int64_t value = operand->value;
	const unsigned bits = 8 * x86_immediate_bytes(spec, size);
	const unsigned whole = size == 2 || size == 4 ? 8 * size : 64;

	if (spec->kind != X86_IMMEDIATE)
		return false;
	if (spec == &x86_specs[X86_SPEC_I1])
		return value == 1;
	if (spec == &x86_specs[X86_SPEC_Ib])
		return value >= INT8_MIN && value <= UINT8_MAX;
	if (whole < 64 && (value < -((int64_t)1 << (whole - 1)) || value >> whole > 0))
		return false;
	if (bits == 64)
		return true;
	return x86_immediate_value(spec, value, size) >> (bits - 1) == 0 ||
	       x86_immediate_value(spec, value, size) >> (bits - 1) == -1;
}

static bool operand_matches(const struct x86_row *row, const struct x86_spec *spec,
			    const struct x86_operand *operand, unsigned size)
{
	switch ((enum x86_kind)operand->kind) {
	case X86_GPR:
	case X86_VECTOR:
	case X86_MASK:
		return register_matches(row, spec, operand, size);
	case X86_MEMORY:
		return memory_matches(row, spec, operand, size);
	case X86_IMMEDIATE:
		return immediate_matches(spec, operand, size);
	case X86_LABEL:
		return spec->kind == X86_LABEL;
	}
	return false;
}

/* Whether the first operand asks for no more of masks than @row has. */
static bool mask_matches(const struct x86_row *row, const struct x86_operand *operands,
			 size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (operands[i].mask || operands[i].zeroed)
			return false;
	if (!count || !operands->mask)
		return !(row->flags & X86_NEEDS_MASK) && (!count || !operands->zeroed);
	if (operands->mask > 7 || !(row->flags & X86_K))
		return false;
	return !operands->zeroed || ((row->flags & X86_Z) && operands->kind != X86_MEMORY);
}

/* Whether a rounding is one that @row has, and with the last register. Memory excludes it. */
static bool rounding_matches(const struct x86_row *row, const struct x86_operand *operands,
			     size_t count, unsigned size)
{
	const struct x86_operand *last = NULL, *rounded = NULL;
	bool memory = false;

	for (size_t i = 0; i < count; i++) {
		if (operands[i].rounding && rounded)
			return false;
		if (operands[i].rounding)
			rounded = &operands[i];
		if (operands[i].kind <= X86_MASK)
			last = &operands[i];
		memory |= operands[i].kind == X86_MEMORY;
	}
	if (!rounded)
		return true;
	if (memory || rounded != last || rounded->rounding > X86_SAE ||
	    (row->sizes != 16 && size != 64))
		return false;
	return row->flags & (rounded->rounding == X86_SAE ? X86_SAE_ONLY : X86_ER);
}

static bool row_matches(const struct x86_row *row, const struct x86_operand *operands,
			size_t count, unsigned *size)
{
	if ((count < X86_OPERANDS && row->specs[count] != X86_SPEC__) ||
	    (count && row->specs[count - 1] == X86_SPEC__))
		return false;
	*size = size_of_row(row, operands, count);
	if (!(row->sizes ? row->sizes & *size : !*size))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!operand_matches(row, &x86_specs[row->specs[i]], &operands[i], *size))
			return false;
	return mask_matches(row, operands, count) &&
	       rounding_matches(row, operands, count, *size);
}

const struct x86_row *x86_find(enum x86_isa isa, enum x86_name name,
			       const struct x86_operand *operands, size_t count, unsigned *size)
{
	ASSERT(name > X86_NO_NAME && name < X86_NAMES);
	if (count > X86_OPERANDS)
		return NULL;
	for (int set = 0; set <= (isa == X86_AVX512); set++) {
		const struct x86_row *row = &x86_rows[x86_first_rows[set][name]];

		for (; row->name == name; row++)
			if (row_matches(row, operands, count, size))
				return row;
	}
	return NULL;
}
