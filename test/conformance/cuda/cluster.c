/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches in clusters, and the maps that describe tensors to bulk copies. */
#include <stdalign.h>

#include "cuda.h"

static const char text[] =
	".version 7.8\n.target sm_90\n.address_size 64\n"
	".visible .entry ranks(.param .u64 out)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<8>;\n"
	"	.reg .b64 %rd<4>;\n"
	"	ld.param.u64 %rd1, [out];\n"
	"	mov.u32 %r1, %ctaid.x;\n"
	"	mov.u32 %r2, %cluster_ctarank;\n"
	"	mov.u32 %r3, %cluster_nctarank;\n"
	"	mov.pred %p, %is_explicit_cluster;\n"
	"	selp.u32 %r4, 100, 0, %p;\n"
	"	mad.lo.u32 %r5, %r3, 10, %r2;\n"
	"	add.u32 %r5, %r5, %r4;\n"
	"	mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
	"	st.global.u32 [%rd2], %r5;\n"
	"	ret;\n"
	"}\n"
	".visible .entry pairs(.param .u64 out) .reqnctapercluster 2\n"
	"{\n"
	"	ret;\n"
	"}\n"
	/* Rank 0 comes and ends; rank 1 waits for what the last one writes late. */
	".visible .entry leave(.param .u64 out)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<4>;\n"
	"	.reg .b64 %rd;\n"
	"	ld.param.u64 %rd, [out];\n"
	"	mov.u32 %r1, %cluster_ctarank;\n"
	"	mov.u32 %r2, 0;\n"
	"	setp.ge.u32 %p, %r1, 2;\n"
	"	@%p bra late;\n"
	"	barrier.cluster.arrive;\n"
	"	setp.eq.u32 %p, %r1, 0;\n"
	"	@%p ret;\n"
	"	barrier.cluster.wait;\n"
	"	ld.global.u32 %r3, [%rd];\n"
	"	st.global.u32 [%rd+4], %r3;\n"
	"	ret;\n"
	"late:\n"
	"	nanosleep.u32 1;\n"
	"	add.u32 %r2, %r2, 1;\n"
	"	setp.lt.u32 %p, %r2, 200;\n"
	"	@%p bra late;\n"
	"	st.global.u32 [%rd], 7;\n"
	"	barrier.cluster.arrive;\n"
	"	barrier.cluster.wait;\n"
	"	ret;\n"
	"}\n";

static CUfunction ranks, pairs, leave;

/* Launches @function on @blocks blocks, in clusters of @size (0: not said). */
static CUresult launch_on(unsigned blocks, CUfunction function, unsigned size, CUdeviceptr out)
{
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
					.value.clusterDim = { size, 1, 1 } };
	CUlaunchConfig config = { .gridDimX = blocks, .gridDimY = 1, .gridDimZ = 1,
				  .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
				  .attrs = &attribute, .numAttrs = size != 0 };
	void *params[] = { &out };

	return cu.cuLaunchKernelEx(&config, function, params, NULL);
}

static CUresult launch(CUfunction function, unsigned size, CUdeviceptr out)
{
	return launch_on(8, function, size, out);
}

/* promise: Blocks in a cluster */
static void test_ranks(void)
{
	CUdeviceptr out = 0;
	unsigned words[8];

	OK_CU(cu.cuMemAlloc(&out, sizeof(words)));
	OK_CU(launch(ranks, 4, out));
	OK_CU(cu.cuMemcpyDtoH(words, out, sizeof(words)));
	for (unsigned i = 0; i < 8; i++)
		CHECK_INT(words[i], 140 + i % 4);
	OK_CU(launch(ranks, 0, out));
	OK_CU(cu.cuMemcpyDtoH(words, out, sizeof(words)));
	for (unsigned i = 0; i < 8; i++)
		CHECK_INT(words[i], 10);
	OK_CU(cu.cuMemFree(out));
}

/* More clusters than are begun at once: what one of their blocks was, another need not be. */
static void test_many(void)
{
	enum { BLOCKS = 4096 };
	static unsigned words[BLOCKS];
	CUdeviceptr out = 0;
	unsigned wrong = 0;

	OK_CU(cu.cuMemAlloc(&out, sizeof(words)));
	OK_CU(cu.cuFuncSetAttribute(ranks, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
	OK_CU(launch_on(BLOCKS, ranks, 16, out));
	OK_CU(cu.cuFuncSetAttribute(ranks, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
	OK_CU(cu.cuMemcpyDtoH(words, out, sizeof(words)));
	for (unsigned i = 0; i < BLOCKS; i++)
		wrong += words[i] != 260 + i % 16;
	CHECK_INT(wrong, 0);
	OK_CU(cu.cuMemFree(out));
}

/* The CPU device alone: CUDA's manual does not say that who has come may end. It counts once. */
static void test_leave(void)
{
	CUdeviceptr out = 0;
	unsigned words[2] = { 0 };

	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuMemAlloc(&out, sizeof(words)));
	OK_CU(cu.cuMemsetD32(out, 0, 2));
	OK_CU(launch_on(3, leave, 3, out));
	OK_CU(cu.cuMemcpyDtoH(words, out, sizeof(words)));
	CHECK_INT(words[1], 7);
	OK_CU(cu.cuMemFree(out));
}

static void test_sizes(void)
{
	CHECK(launch(ranks, 3, 0) != CUDA_SUCCESS);
	CHECK(launch(ranks, 16, 0) != CUDA_SUCCESS);
	CHECK(launch(pairs, 4, 0) != CUDA_SUCCESS);
	OK_CU(launch(pairs, 2, 0));
	OK_CU(launch(pairs, 0, 0));
	OK_CU(cu.cuCtxSynchronize());
}

/* One argument of a tensor map that is right. */
struct tensor {
	int type;
	unsigned rank;
	uintptr_t address;
	uint64_t dims[5], strides[5];
	uint32_t box[5], steps[5];
	int interleave, swizzle, l2, fill;
};

static const struct tensor good = {
	.type = 2, .rank = 2, .address = 4096, .dims = { 64, 8 }, .strides = { 256 },
	.box = { 32, 4 }, .steps = { 1, 1 },
};

static CUresult encode(const struct tensor *t)
{
	alignas(64) CUtensorMap map;

	return cu.cuTensorMapEncodeTiled(&map, t->type, t->rank, (void *)t->address, t->dims,
					 t->strides, t->box, t->steps, t->interleave, t->swizzle,
					 t->l2, t->fill);
}

#define REFUSED(change)                                                                    \
	do {                                                                               \
		struct tensor t = good;                                                    \
                                                                                           \
		change;                                                                    \
		CHECK_CU(encode(&t), CUDA_ERROR_INVALID_VALUE);                            \
	} while (0)

static void test_tiled(void)
{
	struct tensor t = good;

	OK_CU(encode(&t));
	t.swizzle = 3;
	OK_CU(encode(&t));
	t = good;
	t.rank = 1;
	OK_CU(encode(&t));
	t = good;
	t.type = 7;
	t.fill = 1;
	OK_CU(encode(&t));
}

static void test_tiled_refused(void)
{
	REFUSED(t.type = 100);
	REFUSED(t.rank = 0);
	REFUSED(t.rank = 6);
	REFUSED(t.address += 8);
	REFUSED(t.dims[1] = 0);
	REFUSED(t.dims[0] = (1ull << 32) + 1);
	REFUSED(t.strides[0] = 264);
	REFUSED(t.strides[0] = 1ull << 40);
	REFUSED(t.box[0] = 0);
	REFUSED(t.box[1] = 257);
	REFUSED(t.box[0] = 3);
	REFUSED(t.steps[1] = 0);
	REFUSED(t.steps[1] = 9);
	REFUSED(t.interleave = 1);
	REFUSED(t.swizzle = 1);
	REFUSED(t.swizzle = 100);
	REFUSED(t.l2 = 4);
	REFUSED(t.fill = 1);
}

/* An H100 takes boxes of 228 KiB and none of 256; where between them it ends is not known. */
static void test_tiled_size(void)
{
	struct tensor t = good;

	if (!cu.gpurunCpuReport)
		return;
	t.rank = 3;
	t.dims[2] = t.steps[2] = 1;
	t.strides[1] = 4096;
	t.box[0] = 32;
	t.box[1] = 16;
	t.box[2] = 256 * 1024 / 2048;
	CHECK_CU(encode(&t), CUDA_ERROR_INVALID_VALUE);
	t.box[2]--;
	OK_CU(encode(&t));
	t.steps[1] = 2;
	t.box[1] = 32;
	OK_CU(encode(&t));
	t.steps[1] = 1;
	CHECK_CU(encode(&t), CUDA_ERROR_INVALID_VALUE);
	/* 2^32 bytes, and 2^32 + 2^16 of them: few in 32 bits. */
	t = good;
	t.type = 0;
	t.rank = 5;
	for (int i = 0; i < 5; i++) {
		t.dims[i] = 256;
		t.strides[i] = 256;
		t.box[i] = i < 4 ? 256 : 1;
		t.steps[i] = 1;
	}
	CHECK_CU(encode(&t), CUDA_ERROR_INVALID_VALUE);
	t.box[4] = 256;
	CHECK_CU(encode(&t), CUDA_ERROR_INVALID_VALUE);
}

static void test_map(void)
{
	alignas(64) unsigned char room[2 * sizeof(CUtensorMap)];
	CUtensorMap *askew = (CUtensorMap *)(room + 32), *map = (CUtensorMap *)room;

	/* A multiple of 64 bytes is what cuda.h asks for; a GPU's driver may not look. */
	if (cu.gpurunCpuReport)
		CHECK_CU(cu.cuTensorMapEncodeTiled(askew, 2, 2, (void *)4096, good.dims,
						   good.strides, good.box, good.steps, 0, 0, 0, 0),
			 CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuTensorMapEncodeTiled(map, 2, 2, (void *)4096, good.dims, good.strides,
					good.box, good.steps, 0, 0, 0, 0));
	OK_CU(cu.cuTensorMapReplaceAddress(map, (void *)8192));
	CHECK_CU(cu.cuTensorMapReplaceAddress(map, (void *)8200), CUDA_ERROR_INVALID_VALUE);
}

static CUresult encode_pixels(int lower, int upper, unsigned channels, unsigned pixels)
{
	static const uint64_t dims[] = { 16, 8, 8, 2 }, strides[] = { 32, 256, 2048 };
	static const uint32_t steps[] = { 1, 1, 1, 1 };
	const int low[] = { lower, -1 }, high[] = { upper, -1 };
	alignas(64) CUtensorMap map;

	return cu.cuTensorMapEncodeIm2col(&map, 6, 4, (void *)4096, dims, strides, low, high,
					  channels, pixels, steps, 0, 0, 0, 0);
}

static void test_im2col(void)
{
	OK_CU(encode_pixels(-1, -1, 16, 64));
	CHECK_CU(encode_pixels(-129, -1, 16, 64), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(encode_pixels(-1, 128, 16, 64), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(encode_pixels(-1, -1, 257, 64), CUDA_ERROR_INVALID_VALUE);
	CHECK_CU(encode_pixels(-1, -1, 16, 1025), CUDA_ERROR_INVALID_VALUE);
	if (!cu.gpurunCpuReport)
		return;
	CHECK_CU(encode_pixels(-1, -1, 256, 511), CUDA_SUCCESS);
	CHECK_CU(encode_pixels(-1, -1, 256, 512), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
	CUmodule module = NULL;

	cuda_start();
	OK_CU(cu.cuModuleLoadData(&module, text));
	OK_CU(cu.cuModuleGetFunction(&ranks, module, "ranks"));
	OK_CU(cu.cuModuleGetFunction(&pairs, module, "pairs"));
	OK_CU(cu.cuModuleGetFunction(&leave, module, "leave"));
	RUN(test_ranks);
	RUN(test_many);
	RUN(test_leave);
	RUN(test_sizes);
	RUN(test_tiled);
	RUN(test_tiled_refused);
	RUN(test_tiled_size);
	RUN(test_map);
	RUN(test_im2col);
	return tap_end();
}
