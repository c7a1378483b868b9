/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "opcode.h"

#include "asserts.h"

/* Names as one number, so that looking one up is comparing numbers. */
static const struct type_info {
	union {
		char text[8];
		uint64_t key;
	};
	uint8_t type, size;
} type_infos[] = {
	{ { "u32" }, TYPE_U32, 4 }, { { "b32" }, TYPE_B32, 4 },
	{ { "f32" }, TYPE_F32, 4 }, { { "s32" }, TYPE_S32, 4 },
	{ { "b64" }, TYPE_B64, 8 }, { { "u64" }, TYPE_U64, 8 },
	{ { "s64" }, TYPE_S64, 8 }, { { "f64" }, TYPE_F64, 8 },
	{ { "b16" }, TYPE_B16, 2 }, { { "u16" }, TYPE_U16, 2 },
	{ { "s16" }, TYPE_S16, 2 }, { { "u8" }, TYPE_U8, 1 },
	{ { "s8" }, TYPE_S8, 1 }, { { "b8" }, TYPE_B8, 1 },
	{ { "pred" }, TYPE_PRED, 0 }, { { "f16" }, TYPE_F16, 2 },
	{ { "f16x2" }, TYPE_F16X2, 4 }, { { "bf16" }, TYPE_BF16, 2 },
	{ { "bf16x2" }, TYPE_BF16X2, 4 }, { { "tf32" }, TYPE_TF32, 4 },
	{ { "b128" }, TYPE_B128, 16 }, { { "e4m3x2" }, TYPE_OTHER, 2 },
	{ { "e5m2x2" }, TYPE_OTHER, 2 }, { { "u16x2" }, TYPE_OTHER, 4 },
	{ { "s16x2" }, TYPE_OTHER, 4 }, { { "f32x2" }, TYPE_OTHER, 8 },
};

_Static_assert(sizeof(type_infos[0].text) == sizeof(type_infos[0].key), "a name is one number");
_Static_assert(TYPE_OTHER <= UINT8_MAX, "types are kept in 8 bits");
_Static_assert(TYPE_S64 - TYPE_S8 == 3 && TYPE_U64 - TYPE_U8 == 3 && TYPE_B128 - TYPE_B8 == 4,
	       "signed ones are beside each other, as type_signed() has it; so are the others");
_Static_assert(TYPE_F64 - TYPE_F16 == 6 && TYPE_OTHER > TYPE_F64, "likewise type_float()");

enum { TYPE_INFOS = sizeof(type_infos) / sizeof(type_infos[0]) };

enum ptx_type type_parse(struct ptx_name text)
{
	uint64_t key = 0;

	if (text.length > sizeof(key))
		return TYPE_NONE;
	memcpy(&key, text.text, text.length);
	for (unsigned i = 0; i < TYPE_INFOS; i++)
		if (type_infos[i].key == key)
			return type_infos[i].type;
	return TYPE_NONE;
}

unsigned type_size(enum ptx_type type)
{
	for (unsigned i = 0; i < TYPE_INFOS; i++)
		if (type_infos[i].type == type)
			return type_infos[i].size;
	return 0;
}

static bool add_part(struct opcode *opcode, struct ptx_name part)
{
	enum ptx_type type;

	if (opcode->part_count == OPCODE_PARTS)
		return false;
	type = type_parse(part);
	opcode->parts[opcode->part_count] = part;
	opcode->type_of[opcode->part_count++] = type;
	if (!type)
		return true;
	if (opcode->type_count == sizeof(opcode->types))
		return false;
	opcode->types[opcode->type_count++] = type;
	return true;
}

bool opcode_parse(struct ptx_name text, struct opcode *opcode)
{
	uint32_t start = 0;

	memset(opcode, 0, sizeof(*opcode));
	for (uint32_t i = 0; i <= text.length; i++) {
		struct ptx_name part = { text.text + start, i - start };

		if (i < text.length && text.text[i] != '.')
			continue;
		if (!start)
			opcode->base = part;
		else if (!add_part(opcode, part))
			return false;
		start = i + 1;
	}
	return true;
}

bool opcode_has(const struct opcode *opcode, const char *part)
{
	for (unsigned i = 0; i < opcode->part_count; i++)
		if (name_is(opcode->parts[i], part))
			return true;
	return false;
}

bool opcode_remove(struct opcode *opcode, const char *part)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < opcode->part_count; i++) {
		if (name_is(opcode->parts[i], part))
			continue;
		opcode->parts[kept] = opcode->parts[i];
		opcode->type_of[kept++] = opcode->type_of[i];
	}
	if (kept == opcode->part_count)
		return false;
	opcode->part_count = kept;
	opcode->type_count = 0;
	for (unsigned i = 0; i < kept; i++)
		if (opcode->type_of[i])
			opcode->types[opcode->type_count++] = opcode->type_of[i];
	return true;
}

/* One part of a pattern: "rn?", "s32/u32". */
struct pattern_part {
	const char *text;
	unsigned length;
	bool optional, type, used;
};

static bool segment_holds(const struct pattern_part *segment, struct ptx_name part)
{
	const char *at = segment->text, *end = at + segment->length;

	while (at < end) {
		const char *slash = memchr(at, '/', (size_t)(end - at));
		size_t length = (size_t)((slash ? slash : end) - at);

		if (length == part.length && !memcmp(at, part.text, length))
			return true;
		at += length + 1;
	}
	return false;
}

static unsigned split_pattern(const char *pattern,
			      struct pattern_part segments[OPCODE_PARTS])
{
	unsigned count = 0;

	while (*pattern == '.' && count < OPCODE_PARTS) {
		struct pattern_part *segment = &segments[count++];
		const char *text = pattern + 1;
		unsigned length = (unsigned)strcspn(text, ".");

		pattern = text + length;
		ASSERT(length);
		*segment = (struct pattern_part){ .text = text, .length = length };
		if (text[length - 1] == '?') {
			segment->optional = true;
			segment->length--;
		}
		segment->type = type_parse(
			(struct ptx_name){ text, (uint32_t)strcspn(text, "/.?") }) != TYPE_NONE;
	}
	ASSERT(*pattern != '.'); /* none has more parts than an opcode */
	return count;
}

/* Finds the segment for part @i: types in their order, modifiers anywhere. */
static bool use_segment(const struct opcode *opcode, unsigned i,
			struct pattern_part *segments, unsigned count)
{
	bool type = opcode->type_of[i] != TYPE_NONE;

	for (unsigned s = 0; s < count; s++) {
		if (segments[s].used || segments[s].type != type)
			continue;
		if (segment_holds(&segments[s], opcode->parts[i])) {
			segments[s].used = true;
			return true;
		}
		if (type && !segments[s].optional)
			return false;
	}
	return false;
}

bool opcode_matches(const struct opcode *opcode, const char *pattern)
{
	struct pattern_part segments[OPCODE_PARTS];
	size_t base = strcspn(pattern, ".");
	unsigned count;

	if (base != opcode->base.length || memcmp(pattern, opcode->base.text, base))
		return false;
	count = split_pattern(pattern + base, segments);
	for (unsigned i = 0; i < opcode->part_count; i++)
		if (!use_segment(opcode, i, segments, count))
			return false;
	for (unsigned s = 0; s < count; s++)
		if (!segments[s].used && !segments[s].optional)
			return false;
	return true;
}
