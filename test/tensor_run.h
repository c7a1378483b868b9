/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies of boxes of tensors, each by one thread: the kernels, and what runs them.
 * tensor_model.h says what they have to do.
 */
#ifndef TEST_TENSOR_RUN_H
#define TEST_TENSOR_RUN_H

#include <string.h>

#include "tensor_map.h"
#include "unit/cpu/grid.h"

enum copy_kind { COPY_LOAD, COPY_STORE, COPY_REDUCE };

enum {
	ROOM_AT = 1024,   /* of the dynamic shared memory in the block's */
	ROOM_MOST = 8192, /* bytes of it */
	MOST_BLOCKS = 2,  /* in a cluster, each with a room */
	FORMS = 11,       /* 8 reductions, loads, stores, multicast */
};

/* One copy: to or from @at of @room bytes of shared memory. */
struct copy {
	struct tensor_map map;
	enum copy_kind kind;
	bool pixels;        /* im2col */
	unsigned rank;      /* of the instruction: 1 to 5, for im2col 3 to 5 */
	bool cast;          /* a load into the blocks of a cluster that are in the mask */
	uint16_t mask;
	unsigned blocks;    /* in the cluster; 0 is 1 */
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
	uint16_t offsets[3], mask;
};

/* What is in front of the copy: the parameters, and the room as it is in memory. */
#define TENSOR_HEAD                                                                        \
	".visible .entry %s(.param .u64 map, .param .u64 room, .param .u64 done,\n"        \
	".param .u32 at, .param .u32 expect, .param .b32 c0, .param .b32 c1, .param .b32 c2,\n" \
	".param .b32 c3, .param .b32 c4, .param .b16 o0, .param .b16 o1, .param .b16 o2,\n" \
	".param .b16 mask) {\n"                                                            \
	".reg .pred %%p<4>; .reg .b32 %%r<16>, %%c<5>, %%v<4>; .reg .b64 %%rd<8>;\n"       \
	".reg .b16 %%h<4>; .shared .align 8 .b64 bar;\n"                                   \
	"ld.param.u64 %%rd1, [map]; ld.param.u64 %%rd2, [room]; ld.param.u64 %%rd3, [done];\n" \
	"ld.param.u32 %%r1, [at]; ld.param.u32 %%r2, [expect];\n"                          \
	"ld.param.u32 %%c0, [c0]; ld.param.u32 %%c1, [c1]; ld.param.u32 %%c2, [c2];\n"     \
	"ld.param.u32 %%c3, [c3]; ld.param.u32 %%c4, [c4]; ld.param.u16 %%h0, [o0];\n"     \
	"ld.param.u16 %%h1, [o1]; ld.param.u16 %%h2, [o2]; ld.param.u16 %%h3, [mask];\n"   \
	"mov.u32 %%r9, %%cluster_ctarank; mul.wide.u32 %%rd5, %%r9, 8192;\n"               \
	"add.u64 %%rd2, %%rd2, %%rd5; mul.wide.u32 %%rd5, %%r9, 4; add.u64 %%rd3, %%rd3, %%rd5;\n" \
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

	snprintf(name, 32, "%s%s%u_%s", copy->pixels ? "pixels_" : "",
		 copy->cast ? "cast" : kinds[copy->kind],
		 copy->rank, copy->kind == COPY_REDUCE ? tensor_reductions[copy->reduction] : "");
}

static inline size_t copy_load(char *text, size_t size, const struct copy *copy,
			       const char *coords)
{
	static const char *const offsets[] = { "%h0", "%h0, %h1", "%h0, %h1, %h2" };
	const char *meet = copy->cast ? "barrier.cluster.arrive; barrier.cluster.wait;\n" : "";

	return (size_t)snprintf(
		text, size,
		"mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r2;\n%s"
		"setp.ne.u32 %%p3, %%r9, 0; @%%p3 bra copied;\n"
		"cp.async.bulk.tensor.%ud.shared::cluster.global.%s"
		".mbarrier::complete_tx::bytes%s [%%r1], [%%rd1, {%s}], [%%r6]%s%s%s%s;\n"
		"copied: %s",
		meet, copy->rank, copy->pixels ? "im2col" : "tile",
		copy->cast ? ".multicast::cluster" : "", coords, copy->pixels ? ", {" : "",
		copy->pixels ? offsets[copy->rank - 3] : "", copy->pixels ? "}" : "",
		copy->cast ? ", %h3" : "", meet);
}

static inline size_t copy_kernel(char *text, size_t size, const struct copy *copy)
{
	static const char *const coords[] = { "%c0", "%c0, %c1", "%c0, %c1, %c2",
					      "%c0, %c1, %c2, %c3", "%c0, %c1, %c2, %c3, %c4" };
	const unsigned rank = copy->rank;
	const bool reduces = copy->kind == COPY_REDUCE;
	char name[32];
	size_t used;

	copy_name(copy, name);
	used = (size_t)snprintf(text, size, TENSOR_HEAD, name);
	if (copy->kind == COPY_LOAD)
		used += copy_load(text + used, size - used, copy, coords[rank - 1]);
	else
		used += (size_t)snprintf(
			text + used, size - used,
			"cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.%s.bulk_group "
			"[%%rd1, {%s}], [%%r1];\n" TENSOR_STORED,
			reduces ? "reduce." : "", rank, reduces ? "." : "",
			reduces ? tensor_reductions[copy->reduction] : "",
			copy->pixels ? "im2col_no_offs" : "tile", coords[rank - 1]);
	return used + (size_t)snprintf(text + used, size - used, "%s", TENSOR_TAIL);
}

/* The form with number @i of all kernels; false for one that there is not. */
static inline bool copy_form(unsigned i, struct copy *copy)
{
	const unsigned form = i % FORMS, rank = i / FORMS % TENSOR_DIMS + 1;

	*copy = (struct copy){
		.kind = form < 8 ? COPY_REDUCE : form == 8 ? COPY_STORE : COPY_LOAD,
		.pixels = i / FORMS / TENSOR_DIMS, .rank = rank, .cast = form == 10,
		.reduction = form % 8,
	};
	return !copy->pixels || rank >= 3;
}

/* The module of all kernels. */
static inline struct program *copy_program(void)
{
	enum { EACH = 3000 };
	static char text[2 * TENSOR_DIMS * FORMS * EACH];
	static struct program *program;
	size_t used;
	struct err e = { 0 };
	struct copy each;

	if (program)
		return program;
	used = (size_t)snprintf(text, sizeof(text),
				".version 8.0\n.target sm_90\n.address_size 64\n"
				".extern .shared .align 1024 .b8 all[];\n");
	for (unsigned i = 0; i < 2 * TENSOR_DIMS * FORMS; i++)
		if (copy_form(i, &each))
			used += copy_kernel(text + used, sizeof(text) - used, &each);
	if (program_load((struct bytes){ (const uint8_t *)text, used }, &program, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	return program;
}

static inline const struct kernel *find_kernel(struct program *program, const char *name)
{
	const struct kernel *kernel = NULL;
	struct err e = { 0 };

	if (program_kernel(program, name, &kernel, &e)) {
		fprintf(stderr, "%s: %s\n", name, e.text);
		abort();
	}
	return kernel;
}

/* Runs one cluster of @blocks blocks of a thread; returns the fault's code. */
static inline int run_cluster(const struct kernel *kernel, unsigned blocks, uint32_t shared,
			      const void *params)
{
	struct launch launch = {
		.kernel = kernel, .grid = { blocks, 1, 1 }, .block = { 1, 1, 1 },
		.cluster = { blocks, 1, 1 }, .clustered = blocks > 1,
		.dynamic_shared = shared, .params = params, .id = ++launches,
		.fault = &grid_fault,
	};
	struct cta *cta = NULL;
	struct err e;

	fault_reset(&grid_fault);
	if (cta_new(&launch, 0, 0, &cta, &e))
		abort();
	while (cta_run(cta, 100000) == CTA_YIELDED)
		;
	cta_free(cta);
	return atomic_load(&grid_fault.code);
}

/*
 * Runs @copy with the map at @map, in device memory, and the rooms' contents at @room, of
 * ROOM_MOST bytes each, which become what they hold after. Returns the fault's code; bits of
 * *@counted: the mbarriers of blocks that have counted @expect bytes.
 */
static inline int copy_run(const struct copy *copy, void *map, void *room, uint32_t expect,
			   unsigned *counted)
{
	static uint32_t *done;
	char name[32];
	struct copy_params params __attribute__((aligned(128))) = {
		(uint64_t)map, (uint64_t)room, 0, copy->at, expect, { 0 }, { 0 }, copy->mask,
	};
	int code;

	if (!done)
		done = device_alloc(256);
	done[0] = done[1] = 0;
	params.done = (uint64_t)done;
	memcpy(params.coords, copy->coords, sizeof(params.coords));
	memcpy(params.offsets, copy->offsets, sizeof(params.offsets));
	copy_name(copy, name);
	code = run_cluster(find_kernel(copy_program(), name), copy->blocks ? copy->blocks : 1,
			   copy->room, &params);
	*counted = done[0] | done[1] << 1;
	return code;
}

#endif
