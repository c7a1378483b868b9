/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/exec/tensor.c cpu/exec/tensor_map.c */
/*
 * Copies of boxes by maps with anything in their fields, which cuTensorMapEncode has made,
 * tensormap.replace has changed, or a kernel has written: what is done is what a plain model
 * does, and what the model refuses is a fault.
 */
#include "exports.h"
#include "fuzz.h"
#include "tensor_model.h"

enum { MEMORY = 1 << 16, MAPS = 1 << 8 };

static uint8_t *memory, *rooms;
static struct tensor_map *map;
static struct program *replacing;

struct reader {
	const uint8_t *data;
	size_t left;
};

static uint64_t take(struct reader *r, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes && r->left; i++, r->left--)
		value |= (uint64_t)*r->data++ << (8 * i);
	return value;
}

static unsigned below(struct reader *r, unsigned count)
{
	return (unsigned)take(r, 1) % count;
}

/* ---- tensormap.replace ---------------------------------------------------------------- */

/* What has a dimension, or is a number in the instruction: how many of them. */
static const struct {
	const char *field, *type;
	int dims, values;
} fields[] = {
	{ "global_address", "b64", 0, 0 }, { "rank", "b32", 0, 0 },
	{ "box_dim", "b32", 5, 0 },        { "global_dim", "b32", 5, 0 },
	{ "global_stride", "b64", 5, 0 },  { "element_stride", "b32", 5, 0 },
	{ "elemtype", "b32", 0, 13 },      { "interleave_layout", "b32", 0, 3 },
	{ "swizzle_mode", "b32", 0, 4 },   { "fill_mode", "b32", 0, 2 },
};

static size_t put_replace(char *text, size_t size, unsigned field, int which)
{
	const char *value = !strcmp(fields[field].type, "b64") ? "%rd2" : "%r1";
	char ordinal[8] = "", number[8];

	if (fields[field].dims)
		snprintf(ordinal, sizeof(ordinal), "%d, ", which);
	if (fields[field].values) {
		snprintf(number, sizeof(number), "%d", which);
		value = number;
	}
	return (size_t)snprintf(
		text, size,
		".visible .entry f%u_%d(.param .u64 map, .param .u64 value) {\n"
		".reg .b32 %%r<2>; .reg .b64 %%rd<3>;\n"
		"ld.param.u64 %%rd1, [map]; ld.param.u64 %%rd2, [value]; cvt.u32.u64 %%r1, %%rd2;\n"
		"tensormap.replace.tile.%s.global.b1024.%s [%%rd1], %s%s; ret; }\n",
		field, which, fields[field].field, fields[field].type, ordinal, value);
}

static void load_replacing(void)
{
	static char text[1 << 15];
	struct err e = { 0 };
	size_t used = (size_t)snprintf(text, sizeof(text),
				       ".version 8.3\n.target sm_90a\n.address_size 64\n");

	for (unsigned f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
		const int count = fields[f].dims + fields[f].values;

		for (int which = 0; which < (count ? count : 1); which++)
			used += put_replace(text + used, sizeof(text) - used, f, which);
	}
	if (program_load((struct bytes){ (const uint8_t *)text, used }, &replacing, &e)) {
		fprintf(stderr, "%s\n%s", e.text, text);
		abort();
	}
}

/* Changes @made by an instruction, which faults and leaves it, or does as the field says. */
static void replace(struct reader *r, struct tensor_map *made)
{
	const unsigned field = below(r, sizeof(fields) / sizeof(fields[0]));
	const int count = fields[field].dims + fields[field].values;
	const int which = count ? (int)below(r, (unsigned)count) : 0;
	uint64_t params[16] __attribute__((aligned(128))) = { (uint64_t)map, take(r, 8) };
	char name[16];

	if (!field) /* most of the time in memory */
		params[1] = below(r, 4) ? (uint64_t)memory + params[1] % MEMORY : params[1];
	snprintf(name, sizeof(name), "f%u_%d", field, which);
	*map = *made;
	if (!run_cluster(find_kernel(replacing, name), 1, 0, params))
		*made = *map;
	else if (memcmp(map, made, sizeof(*made)) != 0)
		abort();
}

/* ---- cuTensorMapEncode ---------------------------------------------------------------- */

/* Has it make what is @wanted: it does so if the model takes it, and then just that. */
static void encode(const struct tensor_map *wanted)
{
	static CUtensorMap made __attribute__((aligned(64)));
	uint64_t dims[TENSOR_DIMS];
	uint32_t box[TENSOR_DIMS], steps[TENSOR_DIMS];
	int lower[3], upper[3];
	struct tensor_map got;
	CUresult result;

	for (unsigned i = 0; i < TENSOR_DIMS; i++) {
		dims[i] = (uint64_t)wanted->last[i] + 1;
		box[i] = wanted->box[i];
		steps[i] = wanted->steps[i];
	}
	for (unsigned i = 0; i < 3; i++) {
		lower[i] = wanted->lower[i];
		upper[i] = wanted->upper[i];
	}
	if (wanted->im2col)
		result = cuTensorMapEncodeIm2col(&made, wanted->type, wanted->rank,
						 (void *)wanted->address, dims, wanted->strides,
						 lower, upper, wanted->channels, wanted->pixels,
						 steps, 0, wanted->swizzle, 0, wanted->nan);
	else
		result = cuTensorMapEncodeTiled(&made, wanted->type, wanted->rank,
						(void *)wanted->address, dims, wanted->strides,
						box, steps, 0, wanted->swizzle, 0, wanted->nan);
	memcpy(&got, &made, sizeof(got));
	if ((wanted->magic == TENSOR_MAGIC && wanted->im2col <= 1 &&
	     !result != model_map_right(wanted)) ||
	    (!result && (!model_map_right(&got) || got.address != wanted->address ||
			 got.rank != wanted->rank || got.swizzle != wanted->swizzle))) {
		fprintf(stderr, "cuTensorMapEncode: %d\n", result);
		abort();
	}
}

/* What only other devices have is refused; an address alone is replaced if it is aligned. */
static void encode_others(const struct tensor_map *wanted)
{
	static CUtensorMap made __attribute__((aligned(64)));
	const uint64_t dims[] = { 64, 64, 64, 64, 64 }, strides[] = { 64, 64, 64, 64 };
	const uint32_t steps[] = { 1, 1, 1, 1, 1 };

	if (!cuTensorMapEncodeIm2colWide(&made, wanted->type, wanted->rank, memory, dims, strides,
					 wanted->lower[0], wanted->upper[0], wanted->channels,
					 wanted->pixels, steps, 0, 0, wanted->swizzle, 0, 0))
		abort();
	memcpy(&made, wanted, sizeof(made));
	if (!cuTensorMapReplaceAddress(&made, (void *)wanted->address) !=
	    (wanted->magic == TENSOR_MAGIC && wanted->address && wanted->address % 16 == 0))
		abort();
}

/* ---- Copies ---------------------------------------------------------------------------- */

/* A map that is mostly right. */
static void choose_map(struct reader *r, struct copy *copy)
{
	struct tensor_map *t = &copy->map;
	unsigned size;

	*t = (struct tensor_map){ .magic = TENSOR_MAGIC, .type = (uint8_t)below(r, TENSOR_TYPES),
				  .rank = (uint8_t)copy->rank, .im2col = copy->pixels,
				  .swizzle = (uint8_t)below(r, 4) };
	size = model_size(t->type);
	t->nan = model_is_float(t->type) && below(r, 2);
	t->address = (uint64_t)memory + 16 * below(r, 64);
	for (unsigned i = 0; i < TENSOR_DIMS; i++) {
		t->last[i] = (uint32_t)take(r, 1);
		t->steps[i] = (uint8_t)(below(r, 3) + 1);
		t->box[i] = (uint16_t)(i ? below(r, 6) + 1 : 16 / size * (below(r, 8) + 1));
		if (i)
			t->strides[i - 1] = 16 * take(r, 1);
	}
	for (unsigned i = 0; copy->pixels && i < 3; i++) {
		t->lower[i] = (int16_t)(below(r, 32) - 16);
		t->upper[i] = (int16_t)(below(r, 32) - 16);
		copy->offsets[i] = (uint16_t)take(r, 1);
	}
	if (copy->pixels) {
		t->channels = (uint16_t)(16 / size * (below(r, 8) + 1));
		t->pixels = (uint16_t)(take(r, 1) + 1);
		memset(t->box, 0, sizeof(t->box));
	}
}

static void choose_copy(struct reader *r, struct copy *copy)
{
	if (!copy_form((unsigned)take(r, 2) % (2 * TENSOR_DIMS * FORMS), copy))
		copy->rank += 2;
	copy->blocks = copy->cast ? 1 + below(r, MOST_BLOCKS) : 1;
	copy->mask = copy->cast ? (uint16_t)take(r, 1) : 1;
	copy->at = 128 * below(r, 16);
	copy->room = 16 * ((uint32_t)take(r, 2) % (ROOM_MOST / 16 + 1));
	choose_map(r, copy);
	for (unsigned i = 0; i < copy->rank; i++)
		copy->coords[i] = (int8_t)take(r, 1);
	if (!copy->pixels)
		copy->coords[0] *= (int)(16 / model_size(copy->map.type));
}

/* Anything in any field. */
static void spoil(struct reader *r, struct copy *copy)
{
	const unsigned what = below(r, 4), bytes = 1u << below(r, 4);
	const uint64_t value = take(r, bytes);
	unsigned at;

	switch (what) {
	case 0:
		at = below(r, sizeof(copy->map) - 8);
		memcpy((uint8_t *)&copy->map + at, &value, bytes);
		break;
	case 1:
		copy->coords[below(r, TENSOR_DIMS)] = (int32_t)value;
		break;
	case 2:
		copy->offsets[below(r, 3)] = (uint16_t)value;
		break;
	default:
		replace(r, &copy->map);
	}
}

static void fill(uint8_t *at, size_t size, unsigned seed)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(seed = seed * 1103515245 + 12345 + (seed >> 16));
}

static void fail(const struct copy *copy, enum expected expected, int code, const char *what)
{
	char name[32];

	copy_name(copy, name);
	fprintf(stderr, "%s: %s: expected %d, code %d: %s\n", name, what, expected, code,
		fault_text(&grid_fault));
	abort();
}

static void compare(const struct copy *copy, const uint8_t *want_memory,
		    uint8_t (*want_rooms)[ROOM_MOST], unsigned counted)
{
	const unsigned all = (1u << copy->blocks) - 1;

	if (copy->kind == COPY_REDUCE && model_is_float(copy->map.type))
		return;
	if (memcmp(memory, want_memory, MEMORY) != 0)
		fail(copy, EXPECT_DONE, 0, "memory differs");
	for (unsigned b = 0; b < copy->blocks; b++)
		if (memcmp(rooms + b * ROOM_MOST, want_rooms[b], copy->room) != 0)
			fail(copy, EXPECT_DONE, 0, "shared memory differs");
	if (copy->kind == COPY_LOAD && counted != (copy->mask & all))
		fail(copy, EXPECT_DONE, 0, "an mbarrier counts other bytes");
}

static void check(const struct copy *copy)
{
	static uint8_t want_memory[MEMORY], want_rooms[MOST_BLOCKS][ROOM_MOST];
	struct model m = { want_memory, want_rooms[0], (uint64_t)memory, MEMORY };
	const bool idle = copy->cast && !(copy->mask & ((1u << copy->blocks) - 1));
	enum expected expected = model_expect(copy, &m);
	unsigned counted;
	int code;

	fill(memory, MEMORY, 1);
	fill(rooms, sizeof(want_rooms), 2);
	memcpy(want_memory, memory, MEMORY);
	memcpy(want_rooms, rooms, sizeof(want_rooms));
	for (unsigned b = 0; expected == EXPECT_DONE && b < copy->blocks; b++)
		if (copy->mask >> b & 1) {
			m.room = want_rooms[b];
			model_each(copy, &m, model_do, NULL);
		}
	*map = copy->map;
	code = copy_run(copy, map, rooms,
			expected == EXPECT_DONE ? (uint32_t)model_bytes(&copy->map) : 16, &counted);
	/* A map that goes to no block is looked at, its box is not. */
	if (idle && expected != EXPECT_DONE)
		return;
	if (expected != EXPECT_EITHER && (code != 0) != (expected == EXPECT_FAULT))
		fail(copy, expected, code, "accepted or not");
	if (expected == EXPECT_DONE)
		compare(copy, want_memory, want_rooms, counted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = { data, size };
	struct copy copy;

	if (!memory) {
		if (cuInit(0))
			abort();
		memory = device_alloc(MEMORY);
		rooms = device_alloc(MOST_BLOCKS * ROOM_MOST);
		map = device_alloc(MAPS);
		load_replacing();
	}
	choose_copy(&r, &copy);
	encode(&copy.map);
	encode_others(&copy.map);
	for (unsigned i = 0; i < 8 && r.left; i++) {
		spoil(&r, &copy);
		encode(&copy.map);
	}
	check(&copy);
	return 0;
}
