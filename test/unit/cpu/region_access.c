/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads and stores in compiled kernels: of vectors of small elements, and in lanes' own memory. */
#include "region_ways.h"

/* Where lanes access: one place, places that follow each other, any. */
static const char *const places[] = {
	"mul.lo.u32 %b, %y, 64;", "shl.b32 %b, %i, 3;", "and.b32 %b, %a, 0xff8;",
};

static const char *const spaces[] = {
	"cvt.u64.u32 %wide, %b;add.u64 %wide, %wide, %out;add.u64 %wide, %wide, 8192;",
	"and.b32 %b, %b, 2040;mov.u32 %j, s;add.u32 %b, %b, %j;",
};

/* Vectors of elements of 1 and 2 bytes, under a predicate and without one; then an address that is
 * no multiple of their size. */
static void test_small_vectors(void)
{
	static const char *const types[] = { "v2.u8", "v4.s8", "v2.b16", "v4.u16", "v4.u8" };
	static const char *const guards[] = { "", "@%p ", "@!%p " };
	char body[2048], name[128];

	for (unsigned t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (unsigned p = 0; p < sizeof(places) / sizeof(places[0]); p++)
			for (unsigned k = 0; k < 12; k++) {
				const bool four = types[t][1] == '4', shared = k % 2;
				const char *guard = guards[k / 2 % 3], *at = shared ? "%b" : "%wide";
				const char *space = shared ? "shared" : "global";

				snprintf(name, sizeof(name), "%s %s%s %u", types[t], guard, places[p],
					 k);
				snprintf(body, sizeof(body),
					 ".reg .b16 %%h<9>;cvt.u16.u32 %%h1, %%a;cvt.u16.u32 %%h2, %%t;"
					 "mov.u16 %%h3, 77;shr.u16 %%h4, %%h1, 5;mov.u16 %%h5, 1;"
					 "mov.u16 %%h6, 2;mov.u16 %%h7, 3;mov.u16 %%h8, 4;"
					 "setp.lt.u32 %%p, %%a, 0x70000000;%s%s%s"
					 "%sst.%s.%s [%s+%u], {%%h1, %%h2%s};bar.sync 0;"
					 "%sld.%s.%s {%%h5, %%h6%s}, [%s+%u];"
					 "mov.b32 %%c, {%%h5, %%h6};mov.b32 %%k, {%%h7, %%h8};"
					 "mad.lo.u32 %%c, %%c, 3, %%k;%s",
					 places[p], spaces[shared], k < 6 ? "" :
					 "setp.eq.u32 %q, %t, 9;add.u32 %j, %b, 1;selp.b32 %b, %j, %b, %q;"
					 "add.u64 %long, %wide, 1;selp.b64 %wide, %long, %wide, %q;",
					 guard, space, types[t], at, k < 6 ? 8 : 0,
					 four ? ", %h3, %h4" : "", k % 4 < 2 ? "" : guard, space,
					 types[t], four ? ", %h7, %h8" : "", at, k < 6 ? 8 : 0, END);
				run_ways(name, body, (uint32_t[]){ 64, 1, 1 }, 2);
				run_ways(name, body, (uint32_t[]){ 16, 4, 1 }, 2);
			}
}

/* Offsets that are one number, that lanes share, one in each lane; variables of two sizes. */
static void run_local(unsigned bytes)
{
	static const char *const offsets[] = {
		"mov.u64 %wide, own;", "mov.u64 %wide, own;mul.wide.u32 %long, %y, 16;"
		"add.u64 %wide, %wide, %long;",
		"mov.u64 %wide, own;and.b32 %k, %a, 112;cvt.u64.u32 %long, %k;"
		"add.u64 %wide, %wide, %long;",
		"mov.u64 %wide, own;and.b32 %k, %t, 7;mul.wide.u32 %long, %k, 16;"
		"add.u64 %wide, %wide, %long;",
	};
	static const char *const accesses[] = {
		"st.local.u32 [%wide+4], %t;@%p st.local.u32 [%wide], %a;ld.local.v2.u32 {%c, %b}, [%wide];",
		"cvta.local.u64 %from, %wide;@%p st.v2.u32 [%from+8], {%t, %a};st.v2.u32 [%from], {%a, %t};"
		"ld.local.v4.u32 {%c, %b, %j, %k}, [%wide];xor.b32 %c, %c, %j;add.u32 %b, %b, %k;",
		"st.local.u64 [own+16], %from;@!%p st.local.u16 [own+18], %t;ld.local.u64 %from, [own+16];"
		"cvt.u32.u64 %c, %from;ld.local.u8 %b, [%wide+3];",
		"mov.u32 %j, 0;mov.u32 %c, 0;\nL: and.b32 %k, %j, 7;mul.wide.u32 %long, %k, 16;"
		"mov.u64 %from, own;add.u64 %from, %from, %long;ld.local.u32 %b, [%from];"
		"add.u32 %c, %c, %b;add.u32 %c, %c, %j;st.local.u32 [%from], %c;add.u32 %j, %j, 1;"
		"and.b32 %k, %a, 15;setp.lt.u32 %q, %j, %k;@%q bra L;\n",
	};
	char body[2048];

	for (unsigned o = 0; o < sizeof(offsets) / sizeof(offsets[0]); o++)
		for (unsigned i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
			snprintf(body, sizeof(body),
				 ".local .align 16 .b8 own[%u];setp.lt.u32 %%p, %%a, 0x70000000;"
				 "mov.u32 %%n, 0;\nZ: mul.wide.u32 %%long, %%n, 8;mov.u64 %%wide, own;"
				 "add.u64 %%wide, %%wide, %%long;st.local.v2.u32 [%%wide], {%%n, %%a};"
				 "add.u32 %%n, %%n, 1;setp.lt.u32 %%q, %%n, 18;@%%q bra Z;\n"
				 "%s%smad.lo.u32 %%c, %%c, 5, %%b;%s", bytes, offsets[o], accesses[i],
				 END);
			run_ways(accesses[i], body, (uint32_t[]){ 64, 1, 1 }, 3);
			run_ways(accesses[i], body, (uint32_t[]){ 8, 8, 1 }, 2);
		}
}

static void test_local(void)
{
	run_local(160);
	run_local(40000);
}

int main(void)
{
	if (!prepare_ways())
		return 1;
	if (!can_compile())
		return tap_end();
	RUN(test_small_vectors);
	RUN(test_local);
	return tap_end();
}
