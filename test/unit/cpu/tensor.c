/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tensor maps that a kernel has written: each field is judged when the map is used, and no
 * copy leaves the shared memory of the block.
 */
#include "tap.h"
#include "tensor_model.h"

enum { MEMORY = 1 << 16, ROWS = 9 };

static uint8_t *memory, *room;
static struct tensor_map *map;

/* u8, rows of 16 bytes, as many as there have to be in a box; 64 bytes from row to row. */
static struct copy narrow(unsigned rows, unsigned swizzle, uint32_t at, uint32_t size)
{
	struct copy copy = { .rank = 2, .at = at, .room = size };

	copy.map = (struct tensor_map){
		.magic = TENSOR_MAGIC, .rank = 2, .swizzle = (uint8_t)swizzle,
		.address = (uint64_t)memory, .strides = { 64 }, .last = { 63, 255 },
		.box = { 16, (uint16_t)rows }, .steps = { 1, 1 },
	};
	return copy;
}

static int run(const struct copy *copy, uint32_t expect, unsigned *counted)
{
	*map = copy->map;
	for (uint32_t i = 0; i < ROOM_MOST; i++)
		room[i] = (uint8_t)(i / 16 + 1);
	return copy_run(copy, map, room, expect, counted);
}

static void fill_memory(void)
{
	for (uint32_t i = 0; i < MEMORY; i++)
		memory[i] = (uint8_t)(i / 16 * 7 + 3);
}

/* Runs @copy and the model of it. */
static void check_same(struct copy *copy)
{
	static uint8_t want_memory[MEMORY], want_room[ROOM_MOST];
	const struct model m = { want_memory, want_room, (uint64_t)memory, MEMORY };
	unsigned counted;
	const uint32_t size = (uint32_t)model_bytes(&copy->map);

	fill_memory();
	memcpy(want_memory, memory, MEMORY);
	for (uint32_t i = 0; i < ROOM_MOST; i++)
		want_room[i] = (uint8_t)(i / 16 + 1);
	CHECK_INT(model_expect(copy, &m), EXPECT_DONE);
	model_each(copy, &m, model_do, NULL);
	CHECK_INT(run(copy, size, &counted), 0);
	CHECK(counted == (copy->kind == COPY_LOAD));
	CHECK(!memcmp(room, want_room, copy->room));
	CHECK(!memcmp(memory, want_memory, MEMORY));
}

static void check_fault(const struct copy *copy, int code, const char *what)
{
	unsigned counted;

	CHECK_INT(run(copy, 16, &counted), code);
	if (!CHECK(strstr(fault_text(&grid_fault), what)))
		printf("#   %s\n#   lacks %s\n", fault_text(&grid_fault), what);
}

/*
 * A row takes all that the swizzle spans, 128 bytes, and its chunk goes where the address sends
 * it; what is free there stays as it was. So an H100 does it.
 */
static void test_narrow_rows(void)
{
	struct copy copy = narrow(ROWS, SWIZZLE_128, 0, 1040);

	check_same(&copy);
	CHECK(room[16] == 16 / 16 + 1 && room[128] == 128 / 16 + 1 && room[144] == memory[64]);
	CHECK(room[1008] == memory[7 * 64] && room[1024] == memory[8 * 64]);
	copy.kind = COPY_STORE;
	check_same(&copy);
	CHECK(memory[64] == 144 / 16 + 1);
}

/* All that a narrow box can be: in rooms that suffice by no byte too many, and 16 too few. */
static void test_reach(void)
{
	for (unsigned swizzle = 0; swizzle <= SWIZZLE_128; swizzle++)
		for (unsigned rows = 1; rows <= 17; rows++)
			for (uint32_t at = 0; at < 1024; at += 128) {
				struct copy copy = narrow(rows, swizzle, at, 0);
				const uint32_t span = 16u << swizzle;
				const uint32_t place = at + (rows - 1) * span;
				const uint32_t moved = place / 128 & ((1u << swizzle) - 1);
				const uint32_t last = place / 16 ^ moved;

				for (int kind = COPY_LOAD; kind <= COPY_STORE; kind++) {
					copy.kind = (enum copy_kind)kind;
					copy.room = 16 * (last + 1);
					check_same(&copy);
					copy.room -= 16;
					check_fault(&copy, CUDA_ERROR_ILLEGAL_ADDRESS,
						    "inside of shared memory");
				}
			}
}

/* The least number has one below it, as bits go: the sanitizers see one that overflows. */
static void test_decrement(void)
{
	struct copy copy = narrow(2, 0, 0, 1024);
	unsigned counted;

	copy.map.type = TENSOR_S32;
	copy.map.box[0] = 4;
	copy.kind = COPY_REDUCE;
	copy.reduction = 4;
	fill_memory();
	memcpy(memory, &(int32_t){ INT32_MIN }, 4);
	CHECK_INT(run(&copy, 16, &counted), 0);
	CHECK_INT(*(int32_t *)memory, INT32_MAX);
}

/* What is outside reads as the NaN with all bits of its fraction, of whichever type. */
static void test_fill(void)
{
	for (unsigned type = TENSOR_F16; type < TENSOR_TYPES; type++) {
		struct copy copy = narrow(3, 0, 0, 1024);
		const unsigned size = model_size(type);

		copy.map.type = (uint8_t)type;
		copy.map.box[0] = (uint16_t)(64 / size);
		copy.map.last[0] = 32 / size - 1;
		copy.map.nan = 1;
		copy.coords[1] = -1;
		check_same(&copy);
		CHECK_INT(room[0], 0xff);
		CHECK_INT(room[size - 1], 0x7f);
		CHECK_INT(room[64 + 32 + size - 1], 0x7f);
		copy.map.nan = 0;
		check_same(&copy);
		CHECK_INT(room[0], 0);
	}
}

/* Strides that take a tensor beyond all addresses do not come back at their beginning. */
static void test_beyond(void)
{
	struct copy copy = narrow(1, 0, 0, 1024);

	copy.map.strides[0] = 1ull << 39;
	copy.map.last[1] = UINT32_MAX;
	copy.coords[1] = 1 << 25; /* 2^64 bytes */
	check_fault(&copy, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address: read");
	copy.kind = COPY_STORE;
	check_fault(&copy, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address: write");
	copy.coords[1] = INT32_MAX;
	check_fault(&copy, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address: write");
}

#define FORGED(change, what)                                                               \
	do {                                                                               \
		struct copy copy = narrow(ROWS, 0, 0, 1024);                               \
		struct tensor_map *t = &copy.map;                                          \
                                                                                           \
		change;                                                                    \
		check_fault(&copy, CUDA_ERROR_ILLEGAL_INSTRUCTION, what);                  \
	} while (0)

static void test_forged(void)
{
	FORGED(t->magic++, "made by cuTensorMapEncode");
	FORGED(t->type = TENSOR_TYPES, "a known type, not 0xd");
	FORGED(t->type = 255, "a known type, not 0xff");
	FORGED(t->im2col = 2, "for tiles or im2col, not 0x2");
	FORGED(t->swizzle = 4, "a known swizzle, not 0x4");
	FORGED(t->nan = 1, "floating-point elements with NaN, not 0x1");
	FORGED(t->nan = 2; t->type = TENSOR_F32, "floating-point elements with NaN, not 0x2");
	FORGED(t->address = 0, "a tensor is at a multiple of 16 bytes, not 0");
	FORGED(t->address += 8, "a tensor is at a multiple of 16 bytes");
	FORGED(t->strides[0] = 72, "below 2^40, not 0x48");
	FORGED(t->strides[0] = 1ull << 40, "below 2^40, not 0x10000000000");
	FORGED(t->steps[1] = 0, "steps of 1 to 8, not 0");
	FORGED(t->steps[0] = 0, "steps of 1 to 8, not 0");
	FORGED(t->steps[1] = 9, "steps of 1 to 8, not 0x9");
	FORGED(t->box[0] = 0, "1 to 256 elements in each dimension, not 0");
	FORGED(t->box[1] = 0, "1 to 256 elements in each dimension, not 0");
	FORGED(t->box[1] = 257, "1 to 256 elements in each dimension, not 0x101");
	FORGED(t->box[0] = 272, "1 to 256 elements in each dimension, not 0x110");
	FORGED(t->box[0] = 1, "rows of a multiple of 16 bytes, not 0x1");
	FORGED(t->box[0] = 31, "rows of a multiple of 16 bytes, not 0x1f");
	FORGED(t->swizzle = SWIZZLE_32; t->box[0] = 48, "rows that its swizzle spans, not 0x30");
	FORGED(t->swizzle = SWIZZLE_128; t->box[0] = 144, "rows that its swizzle spans, not 0x90");
}

/* A box whose bytes are 2^32: none, to who counts in 32 bits. */
static void test_huge(void)
{
	struct copy copy = narrow(256, 0, 0, 1024);

	copy.rank = copy.map.rank = 4;
	copy.map.box[0] = copy.map.box[2] = copy.map.box[3] = 256;
	copy.map.steps[2] = copy.map.steps[3] = 1;
	for (int kind = COPY_LOAD; kind <= COPY_REDUCE; kind++) {
		copy.kind = (enum copy_kind)kind;
		check_fault(&copy, CUDA_ERROR_ILLEGAL_INSTRUCTION,
			    "less than 256 KiB, not 0x100000000");
	}
	copy = narrow(256, 0, 0, 1024);
	copy.rank = copy.map.rank = 3;
	copy.map.box[0] = 16;
	copy.map.box[2] = 256 * 1024 / 4096 - 1;
	copy.map.steps[2] = 1;
	check_fault(&copy, CUDA_ERROR_ILLEGAL_ADDRESS, "inside of shared memory");
	copy.map.box[2]++;
	check_fault(&copy, CUDA_ERROR_ILLEGAL_INSTRUCTION, "less than 256 KiB, not 0x40000");
}

static struct copy pixels(void)
{
	struct copy copy = narrow(ROWS, 0, 0, 1024);

	copy.rank = copy.map.rank = 4;
	copy.pixels = true;
	copy.map.im2col = 1;
	copy.map.strides[1] = 256;
	copy.map.strides[2] = 1024;
	copy.map.last[1] = copy.map.last[2] = copy.map.last[3] = 3;
	copy.map.steps[2] = copy.map.steps[3] = 1;
	copy.map.channels = 16;
	copy.map.pixels = 8;
	return copy;
}

#define FORGED_PIXELS(change, what)                                                        \
	do {                                                                               \
		struct copy forged = pixels();                                             \
		struct tensor_map *t = &forged.map;                                        \
                                                                                           \
		change;                                                                    \
		check_fault(&forged, CUDA_ERROR_ILLEGAL_INSTRUCTION, what);                  \
	} while (0)

static void test_forged_pixels(void)
{
	struct copy copy = pixels();
	unsigned counted;

	fill_memory();
	CHECK_INT(run(&copy, 128, &counted), 0);
	CHECK(counted && room[0] == memory[0] && room[112] == memory[3 * 64 + 256]);
	FORGED_PIXELS(t->channels = 0, "1 to 256 channels, not 0");
	FORGED_PIXELS(t->channels = 272, "1 to 256 channels, not 0x110");
	FORGED_PIXELS(t->channels = 17, "rows of a multiple of 16 bytes, not 0x11");
	FORGED_PIXELS(t->pixels = 0, "1 to 1024 pixels, not 0");
	FORGED_PIXELS(t->pixels = 1025, "1 to 1024 pixels, not 0x401");
	FORGED_PIXELS(t->channels = 256; t->pixels = 1024, "less than 256 KiB, not 0x40000");
	FORGED_PIXELS(t->lower[0] = -129, "in the range of its rank");
	FORGED_PIXELS(t->lower[1] = 128, "in the range of its rank, not 0x80");
	FORGED_PIXELS(t->upper[0] = -129, "in the range of its rank");
	FORGED_PIXELS(t->upper[1] = 128, "in the range of its rank, not 0x80");
	FORGED_PIXELS(t->lower[0] = 4, "a box between the corners");
}

int main(void)
{
	struct err e = { 0 };

	if (config_init(&e))
		abort();
	config.memory = 64 << 20;
	memory = device_alloc(MEMORY);
	room = device_alloc(MOST_BLOCKS * ROOM_MOST);
	map = device_alloc(256);
	RUN(test_narrow_rows);
	RUN(test_reach);
	RUN(test_fill);
	RUN(test_decrement);
	RUN(test_beyond);
	RUN(test_forged);
	RUN(test_huge);
	RUN(test_forged_pixels);
	return tap_end();
}
