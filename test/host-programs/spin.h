/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel that goes round @count times, for programs whose launches are timed. */
#ifndef TEST_SPIN_H
#define TEST_SPIN_H

static const char spin_ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
			       ".visible .entry spin(.param .u64 out, .param .s32 count)\n{\n"
			       "\t.reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .pred %p<2>;\n"
			       "\tld.param.u64 %rd1, [out];\n\tld.param.u32 %r1, [count];\n"
			       "\tmov.u32 %r2, 0;\n\tmov.u32 %r3, 1;\n"
			       "L:\tmad.lo.u32 %r3, %r3, 1664525, 1013904223;\n"
			       "\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, %r1;\n"
			       "\t@%p1 bra L;\n"
			       "\tst.volatile.global.u32 [%rd1], %r3;\n\tret;\n}\n";

#endif
