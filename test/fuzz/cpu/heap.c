/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/memory/heap.c */
/* malloc and free of kernels in any order, with any sizes and addresses; blocks written beyond. */
#include "forged.h"

#define DECLARE                                                                            \
	".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
#define MALLOC(size, to)                                                                   \
	"{ .param .b64 r; .param .b64 n; st.param.b64 [n], " size "; call (r), malloc, (n);\n" \
	"ld.param.b64 " to ", [r]; }\n"
#define FREE(p) "{ .param .b64 p; st.param.b64 [p], " p "; call free, (p); }\n"
#define TAKE "and.b64 %y1, %w0, 0xfffff;\n" MALLOC("%y1", "%y2")
#define OFFSET "and.b64 %y3, %w1, 0x1fff; add.u64 %y3, %y3, %y2; sub.u64 %y3, %y3, 4096;\n"

static const char *const bodies[] = {
	MALLOC("%w0", "%y1") MALLOC("%w1", "%y2") MALLOC("%w2", "%y3") FREE("%y2") FREE("%y1"),
	TAKE FREE("%y2") MALLOC("%w1", "%y4") FREE("%w2"),
	TAKE OFFSET "st.u64 [%y3], %w2;\n" FREE("%y2"),
	TAKE OFFSET "ld.u64 %y4, [%y3];\n" FREE("%y4"),
	TAKE OFFSET FREE("%y3"),
	TAKE FREE("%y2") "st.u8 [%y2], %v1;",
	TAKE MALLOC("%w1", "%y4") "add.u64 %y4, %y4, %y2;\n" FREE("%y4"),
	FREE("%a0") FREE("%a1"),
	"mov.u32 %x1, 0; again:\n" TAKE "add.u32 %x1, %x1, 1; setp.lt.u32 %p, %x1, 40;\n"
	"st.u64 [%y2], %w1; @%p bra again;\n" FREE("%y2") FREE("%y2"),
	TAKE "st.global.u64 [%buf], %y2; bar.sync 0; ld.global.u64 %y4, [%buf];\n" FREE("%y4"),
};

/* What the race checker knows of each address stays, and addresses are used again late. */
FORGED(DECLARE, bodies, 64, 1, CHECK_MEM | CHECK_INIT | CHECK_SYNC)
