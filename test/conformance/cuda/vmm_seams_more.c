/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Over the seams of neighbouring mappings: tensors, texts that kernels print, and faults that
 * the CPU device's checker finds there.
 */
#include <fcntl.h>
#include <stdalign.h>

#include "seams.h"

// clang-format off
#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"

/* Loads a box of one tensor, and stores it to the other. */
#define TENSOR(name, rank, at, before, store)                                                  \
	".visible .entry " name "(.param .align 64 .b8 p_to[128], .param .align 64 .b8 p_from[128],\n" \
	"	.param .u32 p_x, .param .u32 p_y)\n"                                           \
	"{\n"                                                                                  \
	"	.shared .align 128 .b8 room[8192];\n"                                          \
	"	.shared .align 8 .b64 bar;\n"                                                  \
	"	.reg .pred %p;\n"                                                              \
	"	.reg .b32 %x, %y;\n"                                                           \
	"	.reg .b64 %to, %from;\n"                                                       \
	"	mov.u64 %to, p_to; cvta.param.u64 %to, %to;\n"                                 \
	"	mov.u64 %from, p_from; cvta.param.u64 %from, %from;\n"                         \
	"	ld.param.u32 %x, [p_x]; ld.param.u32 %y, [p_y];\n"                             \
	"	mbarrier.init.shared.b64 [bar], 1; fence.proxy.async.shared::cta;\n"           \
	"	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8192;\n"                        \
	before "\n"                                                                            \
	"	cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes" \
	" [room], [%from, {" at "}], [bar];\n"                                                 \
	"wait:	mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra wait;\n"            \
	"	fence.proxy.async.shared::cta;\n"                                              \
	"	" store " [%to, {" at "}], [room];\n"                                          \
	"	cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"                     \
	"	ret;\n"                                                                        \
	"}\n"
#define STORE(rank) "cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group"
#define ADD(rank) "cp.reduce.async.bulk.tensor." rank ".global.shared::cta.add.tile.bulk_group"

static const char tensors[] = HEAD
	TENSOR("copy_2d", "2d", "%x, %y", "", STORE("2d"))
	TENSOR("add_2d", "2d", "%x, %y", "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%from, {%x, %y}];", ADD("2d"))
	TENSOR("copy_1d", "1d", "%x", "", STORE("1d"))
	TENSOR("add_1d", "1d", "%x", "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%from, {%x}];", ADD("1d"));

/* Prints by the format at an address, with an address as the only argument. */
static const char print[] = HEAD
	".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
	".visible .entry print(.param .u64 p_format, .param .u64 p_text)\n"
	"{\n"
	"	.local .align 8 .b8 args[8];\n"
	"	.reg .b64 %f, %t, %a;\n"
	"	ld.param.u64 %f, [p_format]; ld.param.u64 %t, [p_text];\n"
	"	mov.u64 %a, args; cvta.local.u64 %a, %a; st.u64 [%a], %t;\n"
	"	{ .param .b64 f; .param .b64 a; .param .b32 r;\n"
	"	st.param.b64 [f], %f; st.param.b64 [a], %a; call.uni (r), vprintf, (f, a); }\n"
	"	ret;\n"
	"}\n";

/* Two warps, each of which writes its words, from p_one and from p_two on; and a sum of words. */
static const char faulty[] = HEAD
	".visible .entry race(.param .u64 p_one, .param .u64 p_two)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %t, %l;\n"
	"	.reg .b64 %a, %b, %o;\n"
	"	mov.u32 %t, %tid.x; and.b32 %l, %t, 31; setp.lt.u32 %p, %t, 32;\n"
	"	ld.param.u64 %a, [p_one]; ld.param.u64 %b, [p_two]; selp.b64 %a, %a, %b, %p;\n"
	"	mul.wide.u32 %o, %l, 4; add.u64 %a, %a, %o; st.global.u32 [%a], %t;\n"
	"	ret;\n"
	"}\n"
	".visible .entry sum(.param .u64 p_one, .param .u64 p_two)\n"
	"{\n"
	"	.reg .b32 %t, %v;\n"
	"	.reg .b64 %a, %b, %o;\n"
	"	mov.u32 %t, %tid.x; ld.param.u64 %a, [p_one]; ld.param.u64 %b, [p_two];\n"
	"	mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; ld.global.u32 %v, [%a];\n"
	"	red.global.add.u32 [%b], %v;\n"
	"	ret;\n"
	"}\n";
// clang-format on

/* ---- Tensors ---------------------------------------------------------------------------- */

enum { COLUMNS = 64, ROWS = 64, BOX = 32, ROW = COLUMNS * 4 };

static CUtensorMap map_2d(CUdeviceptr address)
{
	const uint64_t dims[] = { COLUMNS, ROWS }, strides[] = { ROW };
	const uint32_t box[] = { COLUMNS, BOX }, steps[] = { 1, 1 };
	alignas(64) CUtensorMap map;

	OK_CU(cu.cuTensorMapEncodeTiled(&map, 2, 2, (void *)address, dims, strides, box, steps, 0, 0,
					0, 0));
	return map;
}

/* Boxes of 256 words; eight of them are what a kernel moves. */
static CUtensorMap map_1d(CUdeviceptr address)
{
	const uint64_t dims[] = { COLUMNS * ROWS }, strides[] = { 0 };
	const uint32_t box[] = { 256 }, steps[] = { 1 };
	alignas(64) CUtensorMap map;

	OK_CU(cu.cuTensorMapEncodeTiled(&map, 2, 1, (void *)address, dims, strides, box, steps, 0, 0,
					0, 0));
	return map;
}

/* Moves boxes of the tensor that begins @before bytes before a seam; they are all over that. */
static void move(const char *name, const struct range *to, const struct range *from, unsigned index,
		 size_t before, bool flat)
{
	static uint8_t got[ROWS * ROW], want[ROWS * ROW], source[ROWS * ROW];
	const CUdeviceptr dst = seam(to, index) - before, src = seam(from, index) - before;
	alignas(64) CUtensorMap to_map = flat ? map_1d(dst) : map_2d(dst);
	alignas(64) CUtensorMap from_map = flat ? map_1d(src) : map_2d(src);
	unsigned x = flat ? (unsigned)before / 4 - 128 : 0, y = flat ? 0 : 5;
	void *params[] = { &to_map, &from_map, &x, &y };
	size_t first = flat ? x * 4u : (size_t)y * ROW, bytes = flat ? 1024 : BOX * ROW;
	CUmodule module = NULL;
	char *text = strdup(tensors), *at = text;

	while (flat && (at = strstr(at, "[bar], 8192"))) /* as much as a box of these has */
		memcpy(at, "[bar], 1024", 11);
	module = module_of(text);
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = pattern(i + index);
	memset(want, 0, sizeof(want));
	memcpy(want + first, source + first, bytes);
	OK_CU(cu.cuMemcpyHtoD(src, source, sizeof(source)));
	OK_CU(cu.cuMemsetD8(dst, 0, sizeof(got)));
	OK_CU(cuda_launch1(cuda_function(module, name), NULL, params));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpyDtoH(got, dst, sizeof(got)));
	if (!CHECK(!memcmp(got, want, sizeof(got))))
		printf("# %s at the seam %u, %zu before it\n", name, index, before);
	OK_CU(cu.cuModuleUnload(module));
	free(text);
}

static void tensors_body(void)
{
	const struct range to = range_map(4, 4), from = range_map(4, 4);

	for (unsigned index = 0; index < 3; index++) {
		move("copy_2d", &to, &from, index, 16 * ROW, false);
		move("copy_2d", &to, &from, index, 16 * ROW + 112, false); /* within a row */
		move("add_2d", &to, &from, index, 20 * ROW + 16, false);
		move("copy_1d", &to, &from, index, 2048, true);
		move("add_1d", &to, &from, index, 1024 + 16, true);
	}
	no_findings();
	range_unmap(&to);
	range_unmap(&from);
}

static void test_tensors(void)
{
	in_child(NULL, tensors_body);
	in_child("check=all,-api", tensors_body);
}

/* The tensor ends in a hole. */
static void tensor_hole_body(void)
{
	const struct range to = range_map(3, 1), from = range_map(3, 3);
	const CUdeviceptr dst = seam(&to, 0) - 16 * ROW, src = seam(&from, 0) - 16 * ROW;
	alignas(64) CUtensorMap to_map = map_2d(dst), from_map = map_2d(src);
	unsigned x = 0, y = 5;
	void *params[] = { &to_map, &from_map, &x, &y };

	OK_CU(cuda_launch1(cuda_function(module_of(tensors), "copy_2d"), NULL, params));
	CHECK(cu.cuCtxSynchronize() != CUDA_SUCCESS);
}

static void test_tensor_hole(void)
{
	in_child(NULL, tensor_hole_body);
}

/* ---- Texts -------------------------------------------------------------------------------- */

/* What a kernel prints by the format and the text there. */
static void printed(CUdeviceptr format, CUdeviceptr text, char *into, size_t size)
{
	void *params[] = { &format, &text };
	int saved, pipes[2];
	ssize_t length;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	if (pipe(pipes) || saved < 0 || dup2(pipes[1], STDOUT_FILENO) < 0)
		abort();
	OK_CU(cuda_launch1(cuda_function(module_of(print), "print"), NULL, params));
	OK_CU(cu.cuCtxSynchronize());
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(pipes[1]);
	length = read(pipes[0], into, size - 1);
	into[length < 0 ? 0 : length] = '\0';
	close(pipes[0]);
	close(saved);
}

static void print_body(void)
{
	static const char format[] = "the text is <%s>.\n", text[] = "from one mapping to the next";
	const struct range range = range_map(4, 4);
	CUdeviceptr format_at = seam(&range, 0) - 7, text_at = seam(&range, 1) - 9;
	char got[256];

	OK_CU(cu.cuMemcpyHtoD(format_at, format, sizeof(format)));
	OK_CU(cu.cuMemcpyHtoD(text_at, text, sizeof(text)));
	printed(format_at, text_at, got, sizeof(got));
	CHECK_STR(got, "the text is <from one mapping to the next>.\n");
	no_findings();
	range_unmap(&range);
}

static void test_print(void)
{
	in_child(NULL, print_body);
	in_child("check=all,-api", print_body);
}

/* ---- What the checker finds ----------------------------------------------------------- */

/* The finding of a launch of 64 threads of @name. */
static void find(const char *name, CUdeviceptr one, CUdeviceptr two, unsigned threads, char text[2048])
{
	void *params[] = { &one, &two };

	text[0] = '\0';
	OK_CU(cu.cuLaunchKernel(cuda_function(module_of(faulty), name), 1, 1, 1, threads, 1, 1, 0,
				NULL, params, NULL));
	cu.cuCtxSynchronize();
	OK_CU(cu.gpurunCpuReport(GPURUN_CPU_REPORT_FINDING, text, 2048));
}

static int side; /* of the seam, where something is wrong: -1 before it, 1 after it, 0 on none */

/* The warps write the same word, which is the last one before the seam or the first one after it. */
static void race_body(void)
{
	const struct range range = range_map(4, 4);
	const CUdeviceptr word = seam(&range, 0) - (side < 0 ? 4 : 0);
	const CUdeviceptr one = side < 0 ? word : word - 31 * 4, two = side < 0 ? word - 31 * 4 : word;
	char text[2048];

	if (!side) { /* no word of both */
		find("race", seam(&range, 0) - 16 * 4, seam(&range, 1) - 16 * 4, 64, text);
		CHECK_STR(text, "");
		return;
	}
	find("race", one, two, 64, text);
	CHECK_HAS(text, "race: write of 4 bytes");
}

/*
 * The words on one side of the seam are copies of uninitialised ones. Fresh memory of a mapping
 * counts as initialised: it may have other addresses, at which it was written.
 */
static void init_body(void)
{
	const struct range range = range_map(4, 4);
	const CUdeviceptr at = seam(&range, 0) - 16 * 4;
	CUdeviceptr raw = 0;
	char text[2048];

	OK_CU(cu.cuMemAlloc(&raw, 64));
	OK_CU(cu.cuMemsetD32(at, 1, 32));
	if (side)
		OK_CU(cu.cuMemcpyDtoD(side < 0 ? at : at + 64, raw, 64));
	OK_CU(cu.cuMemsetD32(seam(&range, 2), 0, 1));
	find("sum", at, seam(&range, 2), 32, text);
	if (side)
		CHECK_HAS(text, "init: ");
	else
		CHECK_STR(text, "");
}

/* Nothing is mapped on one side of the seam. */
static void mem_body(void)
{
	const struct range range = range_map(4, side < 0 ? 0 : side > 0 ? 1 : 4);
	char text[2048];

	if (side >= 0)
		OK_CU(cu.cuMemsetD32(seam(&range, 0) - 64, 1, 16));
	if (side <= 0)
		OK_CU(cu.cuMemsetD32(seam(&range, 0), 1, 16));
	OK_CU(cu.cuMemsetD32(seam(&range, 2), 0, 1));
	find("sum", seam(&range, 0) - 64, seam(&range, 2), 32, text);
	if (side)
		CHECK_HAS(text, "mem: illegal address: read of 4 bytes");
	else
		CHECK_STR(text, "");
}

static void (*of_side)(void);

/* What is found is printed, too: not here. */
static void quiet_body(void)
{
	if (!freopen("/dev/null", "w", stderr))
		abort();
	of_side();
}

static void on_each_side(const char *settings, void (*body)(void))
{
	of_side = body;
	for (side = -1; side <= 1; side++)
		in_child(settings, quiet_body);
}

static void test_found(void)
{
	on_each_side("check=race", race_body);
	on_each_side("check=all,-api", race_body);
	on_each_side("check=init", init_body);
	on_each_side("check=all,-api", init_body);
	on_each_side("check=mem", mem_body);
	on_each_side("check=all,-api", mem_body);
}

int main(void)
{
	RUN(test_tensors);
	RUN(test_tensor_hole);
	RUN(test_print);
	RUN(test_found);
	return tap_end();
}
