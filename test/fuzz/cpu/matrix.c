/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses, strides and metadata of ldmatrix, stmatrix, wmma and mma.sp, out of any bytes. */
#include "forged.h"

#define X4 "{%x0, %x1, %x2, %x3}"
#define X8 "{%x0, %x1, %x2, %x3, %x4, %x5, %x6, %x7}"
#define F8 "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"

static const char *const bodies[] = {
	"ldmatrix.sync.aligned.m8n8.x1.b16 {%x0}, [%a0];",
	"ldmatrix.sync.aligned.m8n8.x4.b16 " X4 ", [%a0+16];",
	"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " X4 ", [%s0];",
	"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%x0, %x1}, [%s0+32];",
	"stmatrix.sync.aligned.m8n8.x1.b16 [%a0], {%v1};",
	"stmatrix.sync.aligned.m8n8.x4.trans.b16 [%a0], " X4 ";",
	"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%s0+16], {%v1, %v2};",
	"wmma.load.a.sync.aligned.row.m16n16k16.f16 " X8 ", [%a0], %v1;",
	"wmma.load.a.sync.aligned.col.m32n8k16.shared.f16 " X8 ", [%s0], %v1;",
	"wmma.load.b.sync.aligned.col.m16n16k16.f16 " X8 ", [%a0], %v1;",
	"wmma.load.b.sync.aligned.row.m8n32k16.s8 " X4 ", [%a0], %v1;",
	"wmma.load.a.sync.aligned.row.m16n16k8.tf32 " X4 ", [%a0], %v1;",
	"wmma.load.c.sync.aligned.row.m16n16k16.f32 " F8 ", [%a0], %v1;",
	"wmma.load.c.sync.aligned.col.m16n16k16.shared.f16 " X4 ", [%s0], %v1;",
	"wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d0}, [%a0], %v1;",
	"wmma.load.c.sync.aligned.row.m8n8k4.f64 {%d0, %d1}, [%a0], %v1;",
	"wmma.load.a.sync.aligned.row.m8n8k32.s4 {%x0}, [%a0], %v1;",
	"wmma.load.b.sync.aligned.col.m8n8k128.b1 {%x0}, [%a0], %v1;",
	"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%a0], " F8 ", %v1;",
	"wmma.store.d.sync.aligned.col.m16n16k16.shared.f32 [%s0], " F8 ", %v1;",
	"wmma.store.d.sync.aligned.row.m16n16k16.f16 [%a0], " X4 ", %v1;",
	"wmma.store.d.sync.aligned.col.m8n8k4.f64 [%a0], {%d0, %d1}, %v1;",
	"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%x0, %x1}, {%x2, %x3}, "
	"{%x4, %x5}, {%x6, %x7}, %v1, 0;",
	"mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 " X4 ", {%x4, %x5, %x6, %x7}, "
	X4 ", " X4 ", %v1, 0;",
	"mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, "
	"{%x4, %x5, %x6, %x7}, " X4 ", {%f0, %f1, %f2, %f3}, %v1, 0;",
};

FORGED("", bodies, 32, 2, ALL_CHECKS)
