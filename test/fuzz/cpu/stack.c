/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/exec/call.c */
/* Sizes and addresses on stacks, targets of calls and branches, texts of assertions. */
#include "forged.h"

#define DECLARE                                                                            \
	".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, " \
	".param .b64 c);\n"                                                                \
	".func (.param .b64 r) deep(.param .b64 a, .param .b64 n)\n{\n"                   \
	".reg .u64 %a, %n, %s; .reg .pred %p; .local .align 16 .b8 frame[64];\n"          \
	"ld.param.u64 %a, [a]; ld.param.u64 %n, [n]; alloca.u64 %s, %a;\n"                \
	"st.local.u8 [%s], 1; setp.eq.u64 %p, %n, 0; @%p bra done; sub.u64 %n, %n, 1;\n"  \
	"{ .param .b64 r2; .param .b64 a2; .param .b64 n2; st.param.b64 [a2], %a;\n"      \
	"st.param.b64 [n2], %n; call (r2), deep, (a2, n2); ld.param.b64 %a, [r2]; }\n"    \
	"done: st.param.b64 [r], %a; ret;\n}\n"                                            \
	".func (.param .b64 r) add(.param .b64 a)\n{\n.reg .u64 %a; ld.param.u64 %a, [a];\n" \
	"add.u64 %a, %a, 1; st.param.b64 [r], %a; ret;\n}\n"
#define CALL(target)                                                                       \
	"{ .param .b64 r; .param .b64 a; st.param.b64 [a], %w2;\n"                        \
	"P: .callprototype (.param .b64 _) _ (.param .b64 _); call (r), " target ", (a), P;\n" \
	"ld.param.b64 %y1, [r]; }\n"

static const char *const bodies[] = {
	"alloca.u64 %y1, %w0; st.local.u64 [%y1], %w1; alloca.u64 %y2, %w1, 64; "
	"st.local.u8 [%y2], %v1;",
	"and.b64 %y1, %w0, 0x1ffff; alloca.u64 %y2, %y1, 4096; add.u64 %y2, %y2, %w1; "
	"st.local.u64 [%y2], %w1;",
	"stacksave.u64 %y1; alloca.u64 %y2, 128; add.u64 %y3, %y1, %o; stackrestore.u64 %y3; "
	"alloca.u64 %y4, %w1; st.local.u8 [%y4], %v1; stackrestore.u64 %y1;",
	"stackrestore.u64 %w0; alloca.u64 %y2, 64; st.local.u32 [%y2], 1;",
	"alloca.u32 %x1, %v0; stackrestore.u32 %v1; st.local.u32 [%x1], %v2;",
	"and.b64 %y1, %w0, 4095; and.b64 %y2, %w1, 255; { .param .b64 r; .param .b64 a; "
	".param .b64 n; st.param.b64 [a], %y1; st.param.b64 [n], %y2; call (r), deep, (a, n); "
	"ld.param.b64 %y3, [r]; }",
	"mov.u64 %y1, add; and.b64 %y2, %w0, 255; add.u64 %y1, %y1, %y2;\n" CALL("%y1"),
	"mov.u64 %y1, add; mov.u64 %y2, function; and.b64 %y3, %w0, 1; setp.eq.u64 %p, %y3, 0; "
	"selp.b64 %y1, %y1, %y2, %p;\n" CALL("%y1"),
	CALL("%a0"),
	"T: .branchtargets A, B, C; brx.idx %v0, T;\nA: ret; B: bar.warp.sync %v1; C:",
	"and.b32 %x1, %v0, 3; T: .branchtargets A, B, C; brx.idx %x1, T;\nA: ret; B: exit; C:",
	"{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c; "
	"st.param.b64 [m], %a0; st.param.b64 [f], %a1; st.param.b32 [l], %v2; "
	"st.param.b64 [n], %a2; st.param.b64 [c], %w0; call __assertfail, (m, f, l, n, c); }",
	"ld.local.v2.u64 {%y1, %y2}, [%w0]; st.local.v4.u32 [%v1], {%v0, %v1, %v2, %v3};",
};

FORGED(DECLARE, bodies, 32, 1, ALL_CHECKS)
