/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ir_build(): blocks and loops that some lanes execute while others wait. */
#include "ir_said.h"

static const struct block_shape lines = { .aligned = true };

/* A block that lanes branch around: what they need keeps what it has, where it can. */
static void test_converted(void)
{
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;bar.sync 0;@%p bra E;\n"
			 "add.u32 %b, %a, 1;add.u32 %a, %b, %a;" STORE(b, at)
			 "\nE: " STORE(a, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " leave\n"
		       " branch all %p -> block 2\n"
		       "block 1: depth 0\n"
		       " %b = add.s32/u32 %a 0x1:u\n"
		       "@ staying  %a = add.s32/u32 %b %a\n"
		       "@ staying  store.32 %at:p %b + 0\n"
		       "block 2: joined depth 0\n"
		       " store.32 %at:p %a + 0\n"
		       " leave\n");
	CHECK_IR(lines, AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;mov.u32 %b, 5;bar.sync 0;"
			 "@%p bra E;\nmov.u32 %b, 1;\nE: " STORE(b, at) RET,
		 AT_IR " %a = load.32 %at:p + 0\n"
		       " %p = setp.lt/lo.u32 %a %n:u\n"
		       " %b:u = move.32 0x5:u\n"
		       " leave\n"
		       " branch %p -> block 2\n"
		       "block 1: depth 0\n"
		       " %b:u = move.32 0x1:u\n"
		       "block 2: joined depth 0\n"
		       " store.32 %at:p %b:u + 0\n"
		       " leave\n");
}

/* A loop that lanes leave one after the other, in two places: the counter, which is needed behind
 * it, is no longer the same in all; what is not needed there is computed for all lanes. */
static void test_converted_loop(void)
{
	CHECK_IR(lines, T TO N "mov.u32 %i, 0;mov.u32 %b, 0;\n"
			 "L: mul.lo.u32 %a, %t, %i;popc.b32 %a, %a;setp.gt.u32 %p, %a, 5;"
			 "@%p bra E;\n"
			 "add.u32 %i, %i, 1;setp.gt.u32 %p, %a, 2;"
			 "@!%p add.u32 %b, %b, %a;@!%p add.u32 %t, %t, 7;setp.lt.u32 %q, %i, %n;@%q bra L;\n"
			 "E: add.u32 %b, %b, %i;" STORE(b, to) RET,
		 BLOCK " tA = spread.32 [0x500]:p\n"
		       " %t = move.32 tA\n"
		       " %i = move.32 0:u\n"
		       " %b = move.32 0:u\n"
		       "block 1: joined depth 1\n"
		       " %a = mul.lo.s32/u32 %t %i\n"
		       " %a = popc.b32 %a\n"
		       " %p = setp.gt/hi.u32 %a 0x5:u\n"
		       " branch all %p -> block 3\n"
		       "block 2: depth 1\n"
		       "@ staying  %i = add.s32/u32 %i 0x1:u\n"
		       " %p = setp.gt/hi.u32 %a 0x2:u\n"
		       " guard not %p\n"
		       " tB = not %p\n"
		       " tC = and tB staying\n"
		       "@ tC  %b = add.s32/u32 %b %a\n"
		       "@! %p  %t = add.s32/u32 %t 0x7:u\n"
		       " %q = setp.lt/lo.u32 %i %n:u\n"
		       " branch any %q -> block 1 (back)\n"
		       "block 3: joined depth 0\n"
		       " %b = add.s32/u32 %b %i\n"
		       " store.32 %to:u %b + 0\n" RET_IR);
	/* Where an address would be a vector for that, the interpreter continues. */
	CHECK_IR(lines, AT "mov.u32 %i, 0;\n"
			 "L: " LOAD(a, at) "add.u64 %at, %at, 4;add.u32 %i, %i, %a;"
			 "setp.lt.u32 %p, %i, %n;@%p bra L;\n" STORE(n, at) RET,
		 AT_IR " %i = move.32 0:u\n"
		       "block 1: joined depth 1\n"
		       " %a = load.32 %at:p + 0\n"
		       " %at:p = add.s64/u64 %at:p 0x4:u\n"
		       " %i = add.s32/u32 %i %a\n"
		       " %p = setp.lt/lo.u32 %i %n:u\n"
		       " branch %p -> block 1 (back)\n"
		       "block 2: joined depth 0\n"
		       " tA:u = move.32 %n:u\n"
		       " store.32 %at:p tA:u + 0\n" RET_IR);
}

int main(void)
{
	RUN(test_converted);
	RUN(test_converted_loop);
	return tap_end();
}
