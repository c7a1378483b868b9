/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The opcode of a PTX instruction, "ld.global.nc.v4.f32", split: base,
 * modifiers (their order does not matter) and types (theirs does).
 */
#ifndef CPU_OPCODE_H
#define CPU_OPCODE_H

#include "ptx.h"

enum ptx_type {
	TYPE_NONE,
	TYPE_PRED,
	TYPE_B8, TYPE_B16, TYPE_B32, TYPE_B64, TYPE_B128,
	TYPE_U8, TYPE_U16, TYPE_U32, TYPE_U64,
	TYPE_S8, TYPE_S16, TYPE_S32, TYPE_S64,
	TYPE_F16, TYPE_F16X2, TYPE_BF16, TYPE_BF16X2, TYPE_TF32, TYPE_F32, TYPE_F64,
	TYPE_OTHER, /* fp8 and packed types: distinguished by their spelling */
};

enum { OPCODE_PARTS = 14 };

struct opcode {
	struct ptx_name base;
	struct ptx_name parts[OPCODE_PARTS]; /* all that follows the base, in order */
	uint8_t type_of[OPCODE_PARTS];       /* enum ptx_type; TYPE_NONE: a modifier */
	unsigned part_count;
	uint8_t types[4];                    /* the types alone, in order */
	unsigned type_count;
};

/* Splits @text; false when it has more parts than any instruction. */
bool opcode_parse(struct ptx_name text, struct opcode *opcode);

/* Tells whether @opcode has the modifier or type @part. */
bool opcode_has(const struct opcode *opcode, const char *part);

/* Removes every occurrence of @part; false when there was none. */
bool opcode_remove(struct opcode *opcode, const char *part);

/*
 * Tells whether @opcode is what @pattern spells: "add.rn?.ftz.f32" or
 * "add.s32/u32". Parts are separated by dots; "a/b" is one of them, "a?" may
 * be missing. Every part of the opcode must be in the pattern.
 */
bool opcode_matches(const struct opcode *opcode, const char *pattern);

/* The type spelt @text (without the dot); TYPE_NONE when it is none. */
enum ptx_type type_parse(struct ptx_name text);

/* Bytes of one element; 0 for predicates and what is no type. */
unsigned type_size(enum ptx_type type);

static inline bool type_signed(enum ptx_type type)
{
	return type >= TYPE_S8 && type <= TYPE_S64;
}

static inline bool type_float(enum ptx_type type)
{
	return type >= TYPE_F16 && type <= TYPE_F64;
}

static inline bool name_is(struct ptx_name name, const char *text)
{
	return name.length == strlen(text) && !memcmp(name.text, text, name.length);
}

#endif
