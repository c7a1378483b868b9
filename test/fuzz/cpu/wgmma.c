/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptors and metadata of wgmma, out of any bytes. */
#include "forged.h"

#define D4 "{%f0, %f1, %f2, %f3}"
#define I4 "{%x1, %x2, %x3, %x4}"
#define A4 "{%x5, %x6, %x7, %x8}"
#define MMA "setp.ne.u32 %p, %v3, 0; wgmma.mma_async.sync.aligned.m64n8k"
#define SPARSE "setp.ne.u32 %p, %v3, 0; wgmma.mma_async.sp.sync.aligned.m64n8k"

static const char *const bodies[] = {
	MMA "16.f32.f16.f16 " D4 ", %w0, %w1, %p, 1, 1, 0, 0;",
	MMA "16.f32.f16.f16 " D4 ", %w0, %w1, %p, 1, -1, 1, 1;",
	MMA "16.f32.bf16.bf16 " D4 ", %w0, %w1, %p, 1, 1, 1, 0;",
	MMA "16.f32.f16.f16 " D4 ", " A4 ", %w1, %p, 1, 1, 1;",
	MMA "8.f32.tf32.tf32 " D4 ", %w0, %w1, %p, 1, 1;",
	MMA "32.f32.e4m3.e5m2 " D4 ", %w0, %w1, %p, 1, 1;",
	MMA "32.s32.s8.u8 " I4 ", %w0, %w1, %p;",
	MMA "256.s32.b1.b1.and.popc " I4 ", %w0, %w1, %p;",
	MMA "256.s32.b1.b1.and.popc " I4 ", " A4 ", %w1, %p;",
	SPARSE "32.f32.f16.f16 " D4 ", %w0, %w1, %v2, 1, %p, 1, 1, 0, 0;",
	SPARSE "16.f32.tf32.tf32 " D4 ", %w0, %w1, %v2, 0, %p, 1, 1;",
	SPARSE "64.s32.s8.s8 " I4 ", %w0, %w1, %v2, 0, %p;",
	SPARSE "32.f32.f16.f16 " D4 ", " A4 ", %w1, %v2, 0, %p, 1, 1, 1;",
};

FORGED("", bodies, 128, 1, ALL_CHECKS)
