/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of boxes of tensors, each by one thread: the kernels, and what they have to do by a
 * plain model that goes element by element and shares nothing with the device.
 */
#ifndef TEST_TENSOR_RUN_H
#define TEST_TENSOR_RUN_H

#include <string.h>

#include "tensor_map.h"
#include "unit/driver/grid.h"

enum copy_kind { COPY_LOAD, COPY_STORE, COPY_REDUCE };

enum {
	ROOM_AT = 1024,   /* of the dynamic shared memory in the block's */
	ROOM_MOST = 8192, /* bytes of it */
};

/* One copy: to or from @at of @room bytes of shared memory. */
struct copy {
	struct tensor_map map;
	enum copy_kind kind;
	bool pixels;        /* im2col */
	unsigned rank;      /* of the instruction: 1 to 5, for im2col 3 to 5 */
	int32_t coords[TENSOR_DIMS];
	uint16_t offsets[3];
	uint32_t at, room;
	unsigned reduction; /* index into tensor_reductions */
};

static const char *const tensor_reductions[] = { "add", "min", "max", "inc",
						 "dec", "and", "or",  "xor" };

/* Parameters of each kernel. */
struct copy_params {
	uint64_t map, room, done;
	uint32_t at, expect;
	int32_t coords[TENSOR_DIMS];
	uint16_t offsets[3];
};

/* What is in front of the copy: the parameters, and the room as it is in memory. */
#define TENSOR_HEAD                                                                        \
	".visible .entry %s(.param .u64 map, .param .u64 room, .param .u64 done,\n"        \
	".param .u32 at, .param .u32 expect, .param .b32 c0, .param .b32 c1, .param .b32 c2,\n" \
	".param .b32 c3, .param .b32 c4, .param .b16 o0, .param .b16 o1, .param .b16 o2) {\n" \
	".reg .pred %%p<4>; .reg .b32 %%r<16>, %%c<5>, %%v<4>; .reg .b64 %%rd<8>;\n"       \
	".reg .b16 %%h<3>; .shared .align 8 .b64 bar;\n"                                  \
	"ld.param.u64 %%rd1, [map]; ld.param.u64 %%rd2, [room]; ld.param.u64 %%rd3, [done];\n" \
	"ld.param.u32 %%r1, [at]; ld.param.u32 %%r2, [expect];\n"                          \
	"ld.param.u32 %%c0, [c0]; ld.param.u32 %%c1, [c1]; ld.param.u32 %%c2, [c2];\n"     \
	"ld.param.u32 %%c3, [c3]; ld.param.u32 %%c4, [c4]; ld.param.u16 %%h0, [o0];\n"     \
	"ld.param.u16 %%h1, [o1]; ld.param.u16 %%h2, [o2];\n"                              \
	"mov.u32 %%r3, all; add.u32 %%r1, %%r1, %%r3; mov.u32 %%r6, bar; mov.u32 %%r4, 0;\n" \
	"mov.u32 %%r5, %%dynamic_smem_size; mbarrier.init.shared.b64 [bar], 1;\n"          \
	"in: setp.ge.u32 %%p1, %%r4, %%r5; @%%p1 bra copy;\n"                              \
	"cvt.u64.u32 %%rd4, %%r4; add.u64 %%rd4, %%rd4, %%rd2; add.u32 %%r7, %%r3, %%r4;\n" \
	"ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%rd4];\n"                            \
	"st.shared.v4.u32 [%%r7], {%%v0, %%v1, %%v2, %%v3};\n"                             \
	"add.u32 %%r4, %%r4, 16; bra in;\ncopy:\n"

/* What is behind it: the room again, and whether an mbarrier has counted its bytes. */
#define TENSOR_TAIL                                                                        \
	"mov.u32 %r4, 0;\n"                                                                \
	"out: setp.ge.u32 %p1, %r4, %r5; @%p1 bra end;\n"                                  \
	"cvt.u64.u32 %rd4, %r4; add.u64 %rd4, %rd4, %rd2; add.u32 %r7, %r3, %r4;\n"        \
	"ld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%r7];\n"                                  \
	"st.global.v4.u32 [%rd4], {%v0, %v1, %v2, %v3};\n"                                 \
	"add.u32 %r4, %r4, 16; bra out;\n"                                                 \
	"end: mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n"                      \
	"selp.u32 %r8, 1, 0, %p2; st.global.u32 [%rd3], %r8; ret; }\n"

#define TENSOR_STORED "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"

/* Writes the name of the kernel of @copy into @name, of 32 bytes. */
static inline void copy_name(const struct copy *copy, char *name)
{
	static const char *const kinds[] = { "load", "store", "reduce" };

	snprintf(name, 32, "%s%s%u_%s", copy->pixels ? "pixels_" : "", kinds[copy->kind],
		 copy->rank, copy->kind == COPY_REDUCE ? tensor_reductions[copy->reduction] : "");
}

static inline size_t copy_kernel(char *text, size_t size, const struct copy *copy)
{
	static const char *const coords[] = { "%c0", "%c0, %c1", "%c0, %c1, %c2",
					      "%c0, %c1, %c2, %c3", "%c0, %c1, %c2, %c3, %c4" };
	static const char *const offsets[] = { "", "", "%h0", "%h0, %h1", "%h0, %h1, %h2" };
	const unsigned rank = copy->rank;
	const bool pixels = copy->pixels;
	char name[32];
	size_t used;

	copy_name(copy, name);
	used = (size_t)snprintf(text, size, TENSOR_HEAD, name);
	if (copy->kind == COPY_LOAD)
		used += (size_t)snprintf(
			text + used, size - used,
			"mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r2;\n"
			"cp.async.bulk.tensor.%ud.shared::cluster.global.%s"
			".mbarrier::complete_tx::bytes [%%r1], [%%rd1, {%s}], [%%r6]%s%s%s;\n",
			rank, pixels ? "im2col" : "tile", coords[rank - 1], pixels ? ", {" : "",
			pixels ? offsets[rank - 1] : "", pixels ? "}" : "");
	else
		used += (size_t)snprintf(
			text + used, size - used,
			"cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.%s.bulk_group "
			"[%%rd1, {%s}], [%%r1];\n" TENSOR_STORED,
			copy->kind == COPY_REDUCE ? "reduce." : "", rank,
			copy->kind == COPY_REDUCE ? "." : "",
			copy->kind == COPY_REDUCE ? tensor_reductions[copy->reduction] : "",
			pixels ? "im2col_no_offs" : "tile", coords[rank - 1]);
	return used + (size_t)snprintf(text + used, size - used, "%s", TENSOR_TAIL);
}

/* The kernel of @copy, of a module that has all of them. */
static inline const struct kernel *copy_find(const struct copy *copy)
{
	enum { KERNELS = 128, EACH = 3000 };
	static struct program *program;
	static char text[KERNELS * EACH];
	const struct kernel *kernel = NULL;
	struct err e = { 0 };
	size_t used = 0;
	char name[32];

	if (!program) {
		used = (size_t)snprintf(text, sizeof(text),
					".version 8.0\n.target sm_90\n.address_size 64\n"
					".extern .shared .align 1024 .b8 all[];\n");
		for (unsigned i = 0; i < 2 * TENSOR_DIMS * 10; i++) {
			struct copy each = { .kind = COPY_REDUCE, .reduction = i % 10 };

			each.pixels = i / 10 / TENSOR_DIMS;
			each.rank = i / 10 % TENSOR_DIMS + 1;
			if (each.pixels && each.rank < 3)
				continue;
			if (each.reduction >= 8)
				each.kind = each.reduction == 8 ? COPY_LOAD : COPY_STORE;
			used += copy_kernel(text + used, sizeof(text) - used, &each);
		}
		if (program_load((struct bytes){ (const uint8_t *)text, used }, &program, &e)) {
			fprintf(stderr, "%s\n", e.text);
			abort();
		}
	}
	copy_name(copy, name);
	if (program_kernel(program, name, &kernel, &e)) {
		fprintf(stderr, "%s: %s\n", name, e.text);
		abort();
	}
	return kernel;
}

/*
 * Runs @copy with the map at @map, in device memory, and the room's contents at @room, which
 * becomes what it holds after. Returns the fault's code; *@counted: an mbarrier has counted
 * @expect bytes.
 */
static inline int copy_run(const struct copy *copy, void *map, void *room, uint32_t expect,
			   bool *counted)
{
	static uint32_t *done;
	struct copy_params params = {
		(uint64_t)map, (uint64_t)room, 0, copy->at, expect, { 0 }, { 0 },
	};
	int code;

	if (!done)
		done = device_alloc(256);
	*done = 2;
	params.done = (uint64_t)done;
	memcpy(params.coords, copy->coords, sizeof(params.coords));
	memcpy(params.offsets, copy->offsets, sizeof(params.offsets));
	code = run_grid(copy_find(copy), (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 1, 1, 1 },
			copy->room, &params);
	*counted = *done == 1;
	return code;
}

/* ---- The model ------------------------------------------------------------------- */

static inline unsigned model_element(unsigned type)
{
	return "\1\2\4\4\10\10\2\4\10\2\4\4\4"[type];
}

/* The bytes of global memory from @base, and the room. */
struct model {
	uint8_t *memory, *room;
	uint64_t base, size;
};

static inline void model_element_move(const struct copy *copy, const struct model *m,
				      const int64_t *at, uint64_t dense)
{
	static const uint8_t nans[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
	const struct tensor_map *map = &copy->map;
	const unsigned size = model_element(map->type);
	const uint64_t offset = ROOM_AT + copy->at + dense, masks[] = { 0, 1, 3, 7 };
	/* Of the address, bits 4 to 6 are changed by bits 7 to 9: as many as the mode has. */
	const uint64_t there = offset ^ ((offset / 128 & masks[map->swizzle]) * 16);
	uint8_t *room = m->room + there - ROOM_AT;
	__int128 address = (__int128)map->address + (__int128)at[0] * size;
	bool inside = at[0] >= 0 && at[0] <= map->last[0];

	for (unsigned i = 1; i < map->rank; i++) {
		address += (__int128)at[i] * map->strides[i - 1];
		inside = inside && at[i] >= 0 && at[i] <= map->last[i];
	}
	address -= m->base;
	if (copy->kind == COPY_LOAD && inside)
		memcpy(room, m->memory + (uint64_t)address, size);
	else if (copy->kind == COPY_LOAD && map->nan)
		memcpy(room, nans + sizeof(nans) - size, size);
	else if (copy->kind == COPY_LOAD)
		memset(room, 0, size);
	else if (inside)
		memcpy(m->memory + (uint64_t)address, room, size);
}

/* Tiles: does to @m what @copy has to; returns its bytes. */
static inline uint64_t model_tile(const struct copy *copy, const struct model *m)
{
	const struct tensor_map *map = &copy->map;
	uint64_t count[TENSOR_DIMS] = { 1, 1, 1, 1, 1 }, dense = 0;
	const unsigned size = model_element(map->type);

	for (unsigned i = 0; i < map->rank; i++)
		count[i] = i ? (map->box[i] + map->steps[i] - 1u) / map->steps[i] : map->box[0];
	for (uint64_t e = 0; e < count[4]; e++)
	for (uint64_t d = 0; d < count[3]; d++)
	for (uint64_t c = 0; c < count[2]; c++)
	for (uint64_t b = 0; b < count[1]; b++)
	for (uint64_t a = 0; a < count[0]; a++, dense += size) {
		const uint64_t index[] = { a, b, c, d, e };
		int64_t at[TENSOR_DIMS] = { 0 };

		for (unsigned i = 0; i < map->rank; i++)
			at[i] = copy->coords[i] +
				(int64_t)(index[i] * (i ? map->steps[i] : 1u));
		model_element_move(copy, m, at, dense);
	}
	return dense;
}

#endif
