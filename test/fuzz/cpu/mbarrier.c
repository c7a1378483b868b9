/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/exec/mbarrier.c */
/*
 * mbarriers whose words are out of any bytes, and what uses addresses of shared memory beside:
 * asynchronous copies and stores, atomics, addresses in a cluster.
 */
#include "forged.h"

/* A word of shared memory at %y1, and 4 bytes at %x1, that hold %w0. */
#define RAW                                                                                \
	"and.b64 %y1, %w1, 248; add.u64 %y1, %y1, %gsm; st.u64 [%y1], %w0;\n"             \
	"cvta.to.shared.u64 %y2, %y1; cvt.u32.u64 %x1, %y2;\n"
#define BOTH(op, rest) RAW op " " "[%y1]" rest, op " [%a0]" rest
#define BOTH_TO(op, to, rest) RAW op " " to ", [%y1]" rest, op " " to ", [%a0]" rest

static const char *const bodies[] = {
	BOTH("mbarrier.init.b64", ", %v2;"),
	BOTH("mbarrier.inval.b64", ";"),
	BOTH_TO("mbarrier.arrive.b64", "%y3", ";"),
	BOTH_TO("mbarrier.arrive.b64", "%y3", ", %v2;"),
	BOTH_TO("mbarrier.arrive.expect_tx.b64", "%y3", ", %v2;"),
	BOTH_TO("mbarrier.arrive_drop.b64", "%y3", ", %v2;"),
	BOTH_TO("mbarrier.arrive_drop.expect_tx.b64", "%y3", ", %v2;"),
	BOTH_TO("mbarrier.test_wait.b64", "%p", ", %w2;"),
	BOTH_TO("mbarrier.test_wait.parity.b64", "%p", ", %v2;"),
	BOTH_TO("mbarrier.try_wait.b64", "%p", ", %w2, %v2;"),
	RAW "mbarrier.expect_tx.relaxed.cta.shared.b64 [%x1], %v2;",
	"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%s0], %v2;",
	"mbarrier.arrive.shared.b64 _, [%s0+8];",
	"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%s0], %v2;",
	"mbarrier.pending_count.b64 %x0, %w0;",
	"cp.async.mbarrier.arrive.b64 [%a0];",
	RAW "cp.async.mbarrier.arrive.noinc.shared.b64 [%x1];",
	"cp.async.ca.shared.global [%s0], [%a1], 4, %v2; cp.async.wait_all;",
	"cp.async.ca.shared.global [%s0], [%a1], 8, %v2; cp.async.commit_group;",
	"cp.async.cg.shared.global [%s0+16], [%a1+16], 16, %v2; cp.async.wait_group 0;",
	"setp.ne.u32 %p, %v2, 0; cp.async.cg.shared.global [%s0], [%a1], 16, %p;",
	RAW "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%s2], "
	    "{%v0, %v1, %v2, %v3}, [%x1];",
	"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%s0], %w1, [%s1];",
	"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%s0], "
	"%v2, [%s1];",
	"mapa.u64 %y1, %a0, %v2; st.u32 [%y1], %v1;",
	"mapa.shared::cluster.u32 %x1, %s0, %v2; ld.shared::cluster.v4.u32 {%x2, %x3, %x4, %x5}, "
	"[%x1];",
	"getctarank.u64 %x1, %a0; getctarank.shared::cluster.u32 %x2, %s0;",
	"cvta.to.shared::cluster.u64 %y1, %a0; cvta.shared::cluster.u64 %y2, %y1; "
	"ld.shared::cluster.u64 %y3, [%y1]; ld.u64 %y4, [%y2];",
	"cvta.to.shared.u64 %y1, %a0; cvta.shared.u64 %y2, %y1; st.shared.u8 [%y1], %v1;",
	"isspacep.shared %p, %a0; isspacep.local %q, %a0; isspacep.const %p, %a1;",
	"ld.shared.v4.u32 {%x2, %x3, %x4, %x5}, [%s0]; st.shared.v2.u64 [%s1+8], {%w0, %w1};",
	"ld.u64 %y1, [%a0]; st.v4.u32 [%a1], {%v0, %v1, %v2, %v3};",
	"ld.global.v2.u64 {%y1, %y2}, [%a0]; st.global.u8 [%a1], %v1;",
	"ld.local.u64 %y1, [%w0]; st.local.u32 [%v1], %v2;",
	"atom.add.u32 %x1, [%a0], %v1; atom.cas.b64 %y1, [%a1], %w1, %w2;",
	"atom.shared.exch.b32 %x1, [%s0], %v1; atom.shared::cluster.inc.u32 %x2, [%s1], %v2;",
	"atom.shared.add.f32 %f0, [%w0], %f1; red.shared.add.u64 [%w1+8], %w2;",
	"{ .reg .b128 %e, %g; mov.b128 %e, {%w1, %w2}; atom.exch.b128 %g, [%a0], %e; }",
	"atom.global.v4.f32.add {%f0, %f1, %f2, %f3}, [%a0], {%f4, %f5, %f6, %f7};",
	"bar.warp.sync %v0; shfl.sync.idx.b32 %x1|%p, %v1, %v2, %v3, %v0;",
	"barrier.sync %v0, %v1;",
	"bar.red.popc.u32 %x1, %v0, %v1, %p;",
};

FORGED("", bodies, 32, 2, ALL_CHECKS)
