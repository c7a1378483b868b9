/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Kernels that copy, each by accesses of another kind: a kernel takes the addresses to which and
 * from which, how far from each other those of two blocks are, and those of two lanes. Where
 * a store adds or exchanges, what was there is 0.
 */
#ifndef CONFORMANCE_SEAM_ACCESSES_H
#define CONFORMANCE_SEAM_ACCESSES_H

struct access {
	const char *name, *load, *store;
	unsigned size;    /* bytes of each piece */
	unsigned threads; /* 0: one piece for each of 32 */
	unsigned pieces;  /* where it is not the number of threads */
	unsigned kinds;
};

/* Which side is more than a plain access: a hole is tried there. */
enum { LOADS = 1, STORES = 2, BOTH = 3 };

// clang-format off
#define H2 "{%h0, %h1}"
#define H4 "{%h0, %h1, %h2, %h3}"
#define R2 "{%r0, %r1}"
#define R4 "{%r0, %r1, %r2, %r3}"
#define R8 "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}"
#define D2 "{%d0, %d1}"

#define LD8 "ld.global.u8 %h0, [%from];"
#define LD16 "ld.global.u16 %h0, [%from];"
#define LD32 "ld.global.u32 %r0, [%from];"
#define LD64 "ld.global.u64 %d0, [%from];"
#define LD128 "ld.global.v4.u32 " R4 ", [%from];"
#define ST8 "st.global.u8 [%to], %h0;"
#define ST16 "st.global.u16 [%to], %h0;"
#define ST32 "st.global.u32 [%to], %r0;"
#define ST64 "st.global.u64 [%to], %d0;"
#define ST128 "st.global.v4.u32 [%to], " R4 ";"

/* Words of one thread, between the room in shared memory and global memory. */
#define LOOP(bytes, load, store)                                                         \
	"mov.u32 %k, 0; mov.u64 %a, %from; mov.u64 %b, %to; mov.u32 %c, room;\n"               \
	"again" bytes ":\n" load ";\n" store ";\n"                                              \
	"add.u32 %k, %k, " bytes "; add.u64 %a, %a, " bytes "; add.u64 %b, %b, " bytes ";\n"    \
	"add.u32 %c, %c, " bytes "; setp.lt.u32 %p, %k, 4096; @%p bra again" bytes ";\n"
#define ROOM_IN LOOP("4", "ld.global.u32 %r0, [%a]", "st.shared.u32 [%c], %r0")
#define ROOM_OUT LOOP("4", "ld.shared.u32 %r0, [%c]", "st.global.u32 [%b], %r0")

#define BULK_IN                                                                                \
	"mbarrier.init.shared.b64 [bar], 1; fence.proxy.async.shared::cta;\n"                  \
	"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4096;\n"                               \
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [room], [%from], 4096, [bar];\n" \
	"wait: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra wait;\n"
#define BULK_OUT(how)                                                                          \
	"fence.proxy.async.shared::cta;\n" how " [%to], [room], 4096;\n"                        \
	"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
#define REDUCE "cp.reduce.async.bulk.global.shared::cta.bulk_group"

#define CP_ASYNC(how, size) "cp.async." how ".shared.global [%near], [%from], " size "; cp.async.wait_all;"

#define WMMA(what) "wmma." what ".m16n16k16"
/* A matrix of ones in the diagonal, in shared memory: 8 numbers of each lane. */
#define DIAGONAL                                                                               \
	"shl.b32 %k, %lane, 3; mov.u32 %c, room; shl.b32 %r0, %lane, 4; add.u32 %c, %c, %r0; add.u32 %r1, %k, 8;\n" \
	"next: rem.u32 %r0, %k, 17; setp.eq.u32 %p, %r0, 0; selp.b16 %h0, 0x3c00, 0, %p; st.shared.b16 [%c], %h0;\n" \
	"add.u32 %c, %c, 2; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %r1; @%p bra next;\n"        \
	"bar.warp.sync -1; mov.b32 %e0, 0; mov.b32 %e1, 0; mov.b32 %e2, 0; mov.b32 %e3, 0;\n"
#define F8 "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"
#define G8 "{%g0, %g1, %g2, %g3, %g4, %g5, %g6, %g7}"
#define E4 "{%e0, %e1, %e2, %e3}"
#define HALF_OUT                                                                               \
	WMMA("mma.sync.aligned.row.row") ".f16.f16 " E4 ", " R8 ", " G8 ", " E4 ";\n"           \
	WMMA("store.d.sync.aligned.row") ".global.f16 [%to0], " E4 ", %to_ldm;"
#define HALF_LDM "shr.u32 %from_ldm, %from_ldm, 1; shr.u32 %to_ldm, %to_ldm, 1;\n"
#define WORD_LDM "shr.u32 %from_ldm, %from_ldm, 2; shr.u32 %to_ldm, %to_ldm, 2;\n"

static const struct access accesses[] = {
	{ "8", LD8, ST8, 1, 0, 0, BOTH },
	{ "16", LD16, ST16, 2, 0, 0, BOTH },
	{ "32", LD32, ST32, 4, 0, 0, BOTH },
	{ "64", LD64, ST64, 8, 0, 0, BOTH },
	{ "128", "ld.global.b128 %q0, [%from];", "st.global.b128 [%to], %q0;", 16, 0, 0, BOTH },
	{ "f32", "ld.global.f32 %f0, [%from];", "st.global.f32 [%to], %f0;", 4, 0, 0, BOTH },
	{ "f64", "ld.global.f64 %x0, [%from];", "st.global.f64 [%to], %x0;", 8, 0, 0, BOTH },
	{ "v2_8", "ld.global.v2.u8 " H2 ", [%from];", "st.global.v2.u8 [%to], " H2 ";", 2, 0, 0, BOTH },
	{ "v4_8", "ld.global.v4.u8 " H4 ", [%from];", "st.global.v4.u8 [%to], " H4 ";", 4, 0, 0, BOTH },
	{ "v2_16", "ld.global.v2.u16 " H2 ", [%from];", "st.global.v2.u16 [%to], " H2 ";", 4, 0, 0, BOTH },
	{ "v4_16", "ld.global.v4.u16 " H4 ", [%from];", "st.global.v4.u16 [%to], " H4 ";", 8, 0, 0, BOTH },
	{ "v2_32", "ld.global.v2.u32 " R2 ", [%from];", "st.global.v2.u32 [%to], " R2 ";", 8, 0, 0, BOTH },
	{ "v4_32", LD128, ST128, 16, 0, 0, BOTH },
	{ "v2_64", "ld.global.v2.u64 " D2 ", [%from];", "st.global.v2.u64 [%to], " D2 ";", 16, 0, 0, BOTH },
	{ "generic_8", "ld.u8 %h0, [%from];", "st.u8 [%to], %h0;", 1, 0, 0, BOTH },
	{ "generic_32", "ld.u32 %r0, [%from];", "st.u32 [%to], %r0;", 4, 0, 0, BOTH },
	{ "generic_v4", "ld.v4.u32 " R4 ", [%from];", "st.v4.u32 [%to], " R4 ";", 16, 0, 0, BOTH },
	{ "offset", "ld.global.u32 %r0, [%from+0];", "add.u64 %to, %to, -64; st.global.u32 [%to+64], %r0;", 4, 0, 0, BOTH },
	{ "volatile", "ld.volatile.global.u32 %r0, [%from];", "st.volatile.global.u32 [%to], %r0;", 4, 0, 0, BOTH },
	{ "relaxed", "ld.relaxed.gpu.global.u64 %d0, [%from];", "st.relaxed.sys.global.u64 [%to], %d0;", 8, 0, 0, BOTH },
	{ "acquire", "ld.acquire.gpu.global.u32 %r0, [%from];", "st.release.gpu.global.u32 [%to], %r0;", 4, 0, 0, BOTH },
	{ "mmio", "ld.mmio.relaxed.sys.global.u32 %r0, [%from];", "st.mmio.relaxed.sys.global.u32 [%to], %r0;", 4, 0, 0, BOTH },
	{ "cached", "ld.global.cg.u32 %r0, [%from];", "st.global.cs.u32 [%to], %r0;", 4, 0, 0, BOTH },
	{ "nc_8", "ld.global.nc.u8 %h0, [%from];", ST8, 1, 0, 0, LOADS },
	{ "nc_32", "ld.global.nc.u32 %r0, [%from];", ST32, 4, 0, 0, LOADS },
	{ "nc_v4", "ld.global.nc.L1::no_allocate.v4.u32 " R4 ", [%from];", ST128, 16, 0, 0, LOADS },
	{ "ldu", "ldu.global.u32 %r0, [%from];", ST32, 4, 0, 0, LOADS },
	{ "ldu_v4", "ldu.global.v4.u32 " R4 ", [%from];", ST128, 16, 0, 0, LOADS },
	{ "prefetch", "prefetch.global.L2 [%from]; prefetch.L1 [%from]; prefetchu.L1 [%from];" LD32,
	  "applypriority.global.L2::evict_normal [%to0], 128;" ST32, 4, 0, 0, 0 },
	{ "atom_32", "atom.global.or.b32 %r0, [%from], 0;", "atom.global.exch.b32 %r1, [%to], %r0;", 4, 0, 0, BOTH },
	{ "atom_64", "atom.global.or.b64 %d0, [%from], 0;", "atom.global.exch.b64 %d1, [%to], %d0;", 8, 0, 0, BOTH },
	{ "atom_128", "atom.global.cas.b128 %q0, [%from], %q1, %q1;", "atom.global.exch.b128 %q1, [%to], %q0;", 16, 0, 0, BOTH },
	{ "atom_add", "atom.global.add.u32 %r0, [%from], 0;", "atom.global.add.u32 %r1, [%to], %r0;", 4, 0, 0, BOTH },
	{ "atom_generic", "atom.add.u64 %d0, [%from], 0;", "atom.add.u64 %d1, [%to], %d0;", 8, 0, 0, BOTH },
	{ "atom_cas_16", "atom.global.cas.b16 %h0, [%from], 0, 0;", "atom.global.cas.b16 %h1, [%to], 0, %h0;", 2, 0, 0, BOTH },
	{ "atom_cas_32", "atom.global.cas.b32 %r0, [%from], 0, 0;", "atom.global.cas.b32 %r1, [%to], 0, %r0;", 4, 0, 0, BOTH },
	{ "atom_cas_64", "atom.global.cas.b64 %d0, [%from], 0, 0;", "atom.global.cas.b64 %d1, [%to], 0, %d0;", 8, 0, 0, BOTH },
	{ "atom_max", "atom.global.max.s32 %r0, [%from], 0;", "atom.global.max.u32 %r1, [%to], %r0;", 4, 0, 0, BOTH },
	{ "atom_f32", "atom.global.add.f32 %f0, [%from], 0f00000000;", "atom.global.add.f32 %f1, [%to], %f0;", 4, 0, 0, BOTH },
	{ "atom_f64", "atom.global.add.f64 %x0, [%from], 0d0000000000000000;", "atom.global.add.f64 %x1, [%to], %x0;", 8, 0, 0, BOTH },
	{ "atom_f16x2", LD32, "atom.global.add.noftz.f16x2 %r1, [%to], %r0;", 4, 0, 0, STORES },
	{ "atom_v4", LD128, "mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;"
	  "atom.global.v4.f32.add {%f4, %f5, %f6, %f7}, [%to], {%f0, %f1, %f2, %f3};", 16, 0, 0, STORES },
	{ "red_32", LD32, "red.global.add.u32 [%to], %r0;", 4, 0, 0, STORES },
	{ "red_64", LD64, "red.global.or.b64 [%to], %d0;", 8, 0, 0, STORES },
	{ "red_generic", LD32, "red.max.u32 [%to], %r0;", 4, 0, 0, STORES },
	{ "red_release", LD32, "red.release.gpu.global.xor.b32 [%to], %r0;", 4, 0, 0, STORES },
	{ "red_f64", "ld.global.f64 %x0, [%from];", "red.global.add.f64 [%to], %x0;", 8, 0, 0, STORES },
	{ "red_f16", LD16, "red.global.add.noftz.f16 [%to], %h0;", 2, 0, 0, STORES },
	{ "red_bf16x2", LD32, "red.global.add.noftz.bf16x2 [%to], %r0;", 4, 0, 0, STORES },
	{ "red_v2", "ld.global.v2.f32 {%f0, %f1}, [%from];", "red.global.v2.f32.add [%to], {%f0, %f1};", 8, 0, 0, STORES },
	{ "cp_async_4", CP_ASYNC("ca", "4"), "ld.shared.u32 %r0, [%near];" ST32, 4, 0, 0, LOADS },
	{ "cp_async_8", CP_ASYNC("ca", "8"), "ld.shared.u64 %d0, [%near];" ST64, 8, 0, 0, LOADS },
	{ "cp_async_16", CP_ASYNC("ca", "16"), "ld.shared.v4.u32 " R4 ", [%near];" ST128, 16, 0, 0, LOADS },
	{ "cp_async_cg", CP_ASYNC("cg", "16"), "ld.shared.v4.u32 " R4 ", [%near];" ST128, 16, 0, 0, LOADS },
	{ "bulk_in", BULK_IN, ROOM_OUT, 4096, 1, 1, LOADS },
	{ "bulk_out", ROOM_IN, BULK_OUT("cp.async.bulk.global.shared::cta.bulk_group"), 4096, 1, 1, STORES },
	{ "bulk_add", ROOM_IN, BULK_OUT(REDUCE ".add.u32"), 4096, 1, 1, STORES },
	{ "bulk_or", ROOM_IN, BULK_OUT(REDUCE ".or.b64"), 4096, 1, 1, STORES },
	{ "bulk_f16", ROOM_IN, BULK_OUT(REDUCE ".add.noftz.f16"), 4096, 1, 1, STORES },
	{ "bulk_prefetch", "cp.async.bulk.prefetch.L2.global [%from], 4096;", LOOP("16", "ld.global.v4.u32 " R4 ", [%a]", "st.global.v4.u32 [%b], " R4), 4096, 1, 1, 0 },
	{ "loop_8", "", LOOP("1", "ld.u8 %h0, [%a]", "st.u8 [%b], %h0"), 4096, 1, 1, BOTH },
	{ "loop_64", "", LOOP("8", "ld.global.u64 %d0, [%a]", "st.global.u64 [%b], %d0"), 4096, 1, 1, BOTH },
	{ "wmma_f32", WORD_LDM WMMA("load.c.sync.aligned.row") ".global.f32 " F8 ", [%from0], %from_ldm;",
	  WMMA("store.d.sync.aligned.row") ".global.f32 [%to0], " F8 ", %to_ldm;", 64, 32, 16, BOTH },
	{ "wmma_f16", HALF_LDM WMMA("load.c.sync.aligned.row") ".f16 " R4 ", [%from0], %from_ldm;",
	  WMMA("store.d.sync.aligned.row") ".f16 [%to0], " R4 ", %to_ldm;", 32, 32, 16, BOTH },
	{ "wmma_a", HALF_LDM DIAGONAL WMMA("load.a.sync.aligned.row") ".global.f16 " R8 ", [%from0], %from_ldm;\n",
	  WMMA("load.b.sync.aligned.row") ".shared.f16 " G8 ", [room], 16;\n" HALF_OUT, 32, 32, 16, LOADS },
	{ "wmma_b", HALF_LDM DIAGONAL WMMA("load.b.sync.aligned.row") ".global.f16 " G8 ", [%from0], %from_ldm;\n",
	  WMMA("load.a.sync.aligned.row") ".shared.f16 " R8 ", [room], 16;\n" HALF_OUT, 32, 32, 16, LOADS },
};

enum { ACCESSES = sizeof(accesses) / sizeof(*accesses) };

#define SEAM_HEAD                                                                              \
	".version 8.3\n.target sm_90\n.address_size 64\n"

/* What is the same in each kernel, after its name. */
#define SEAM_START                                                                             \
	"(.param .u64 p_to, .param .u64 p_to_far, .param .u64 p_to_step, .param .u64 p_from,\n" \
	"	.param .u64 p_from_far, .param .u64 p_from_step)\n"                            \
	"{\n"                                                                                  \
	"	.shared .align 128 .b8 room[4096];\n"                                          \
	"	.shared .align 8 .b64 bar;\n"                                                  \
	"	.reg .pred %p;\n"                                                              \
	"	.reg .b16 %h<4>;\n"                                                            \
	"	.reg .b32 %r<8>, %g<8>, %e<4>, %k, %c, %near, %lane, %block, %from_ldm, %to_ldm;\n" \
	"	.reg .f32 %f<8>;\n"                                                            \
	"	.reg .f64 %x<2>;\n"                                                            \
	"	.reg .b64 %d<2>, %a, %b, %from, %to, %from0, %to0, %far, %step, %l;\n"          \
	"	.reg .b128 %q<2>;\n"                                                           \
	"	mov.u32 %lane, %tid.x;\n"                                                      \
	"	mov.u32 %block, %ctaid.x;\n"                                                   \
	"	mov.u32 %near, room;\n"                                                        \
	"	mad.lo.u32 %near, %lane, 16, %near;\n"                                         \
	"	mov.b64 %d0, 0;\n"                                                             \
	"	mov.b128 %q1, {%d0, %d0};\n"                                                   \
	"	ld.param.u64 %to0, [p_to];\n"                                                  \
	"	ld.param.u64 %far, [p_to_far];\n"                                              \
	"	ld.param.u64 %step, [p_to_step];\n"                                            \
	"	cvt.u32.u64 %to_ldm, %step;\n"                                                 \
	"	cvt.u64.u32 %l, %block;\n"                                                     \
	"	mad.lo.u64 %to0, %far, %l, %to0;\n"                                            \
	"	cvt.u64.u32 %l, %lane;\n"                                                      \
	"	mad.lo.u64 %to, %step, %l, %to0;\n"                                            \
	"	ld.param.u64 %from0, [p_from];\n"                                              \
	"	ld.param.u64 %far, [p_from_far];\n"                                            \
	"	ld.param.u64 %step, [p_from_step];\n"                                          \
	"	cvt.u32.u64 %from_ldm, %step;\n"                                               \
	"	cvt.u64.u32 %l, %block;\n"                                                     \
	"	mad.lo.u64 %from0, %far, %l, %from0;\n"                                        \
	"	cvt.u64.u32 %l, %lane;\n"                                                      \
	"	mad.lo.u64 %from, %step, %l, %from0;\n"

// clang-format on

#endif
