/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* build_indices(): which addresses become a base and an index. */
#include "ir_said.h"

static const struct block_shape lines = { .aligned = true };

#define LOADED ".reg .b64 %w, %y, %z;" AT LOAD(a, at)
#define LOADED_IR                                                                          \
	BLOCK " %t:p = move.32 [0x500]:p\n"                                                \
	      " %x:p = mul.wide.u32 %t:p 0x4:u\n"                                          \
	      " %at:p = add.s64/u64 %x:p %to:u\n"                                          \
	      " %a = load.32 %at:p + 0\n"

/* Addresses that are an index which was loaded, and a base; what makes them stay as they are. */
static void test_indices(void)
{
	CHECK_IR(lines, LOADED "mul.wide.s32 %w, %a, 8;add.u64 %y, %to, %w;"
			       "ld.global.u32 %b, [%y+4];add.u64 %z, %w, %to;" STORE(b, z) RET,
		 LOADED_IR " tA %w = index.32 %a\n"
			   " %y = made.64 %w\n"
			   " %b = load.32 tA %y + 4 by tA * 8\n"
			   " %z = made.64 %w\n"
			   " store.32 tA %b %z + 0 by tA * 8\n" RET_IR);
	CHECK_IR(lines, LOADED "mad.wide.u32 %y, %a, 4, %to;" LOAD(b, y) STORE(b, at) RET,
		 LOADED_IR " tA %y = index.32 %a\n"
			   " %b = load.32 tA %y + 0 by tA * 4\n"
			   " store.32 %at:p %b + 0\n" RET_IR);
	/* Others read the product; or the sum; the index counts less than an element; 12 bytes. */
	CHECK_IR(lines, LOADED "mul.wide.s32 %w, %a, 4;add.u64 %y, %to, %w;" STORE(a, y)
			       "st.global.u64 [%at], %w;" RET,
		 LOADED_IR " %w = mul.wide.s32 %a 0x4:u\n"
			   " %y = add.s64/u64 %w %to:u\n"
			   " store.32 %y %a + 0\n"
			   " store.64 %at:p %w + 0\n" RET_IR);
	CHECK_IR(lines, LOADED "mul.wide.s32 %w, %a, 8;add.u64 %y, %to, %w;"
			       "st.global.u64 [%y], %y;" RET,
		 LOADED_IR " %w = mul.wide.s32 %a 0x8:u\n"
			   " %y = add.s64/u64 %w %to:u\n"
			   " store.64 %y %y + 0\n" RET_IR);
	CHECK_IR(lines, LOADED "mul.wide.s32 %w, %a, 2;add.u64 %y, %to, %w;" STORE(a, y) RET,
		 LOADED_IR " %w = mul.wide.s32 %a 0x2:u\n"
			   " %y = add.s64/u64 %w %to:u\n"
			   " store.32 %y %a + 0\n" RET_IR);
	CHECK_IR(lines, LOADED "mul.wide.s32 %w, %a, 12;add.u64 %y, %to, %w;" STORE(a, y) RET,
		 LOADED_IR " %w = mul.wide.s32 %a 0xc:u\n"
			   " %y = add.s64/u64 %w %to:u\n"
			   " store.32 %y %a + 0\n" RET_IR);
}

int main(void)
{
	RUN(test_indices);
	return tap_end();
}
