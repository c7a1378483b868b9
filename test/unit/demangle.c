/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "demangle.h"
#include "cleanup.h"
#include "suggest.h"
#include "tap.h"

#include <time.h>

static void check_name(const char *name, const char *signature, const char *qualified,
		       const char *base)
{
	CLEANUP(free_pointer) char *one = demangle(name);
	CLEANUP(free_pointer) char *two = demangle_qualified(one);
	CLEANUP(free_pointer) char *three = demangle_base(two);

	CHECK_STR(one, signature);
	CHECK_STR(two, qualified);
	CHECK_STR(three, base);
}

static void test_names(void)
{
	check_name("main", "main", "main", "main");
	check_name("_Z4vaddPKfS0_Pfi", "vadd(float const*, float const*, float*, int)",
		   "vadd", "vadd");
	check_name("_Z4axpbIiEvPT_S0_S0_i", "axpb<int>(int*, int, int, int)", "axpb<int>",
		   "axpb");
	check_name("_ZN4math4axpbIfEEvPT_S1_S1_i",
		   "math::axpb<float>(float*, float, float, int)", "math::axpb<float>",
		   "axpb");
	check_name("_ZN45_INTERNAL_00000000_4_k_cu_00000000_0000001hE1kv",
		   "_ZN45_INTERNAL_00000000_4_k_cu_00000000_0000001hE1kv",
		   "_ZN45_INTERNAL_00000000_4_k_cu_00000000_0000001hE1kv",
		   "_ZN45_INTERNAL_00000000_4_k_cu_00000000_0000001hE1kv");
	check_name("_ZN12_GLOBAL__N_16hiddenEPi", "(anonymous namespace)::hidden(int*)",
		   "(anonymous namespace)::hidden", "hidden");
	check_name("_Z1fIN1a1bIiEEEvPFvT_E", "f<a::b<int> >(void (*)(a::b<int>))",
		   "f<a::b<int> >", "f");
	check_name("_Z", "_Z", "_Z", "_Z");
	check_name("", "", "", "");
}

/* Without the library of C++ names are the same, or stay mangled. */
static void test_alone(void)
{
	static const struct {
		const char *name, *shown;
	} rows[] = {
		{ "main", "main" },
		{ "_Z4vaddPKfS0_Pfi", "vadd" },
		{ "_ZL6hiddenPi", "hidden" },
		{ "_Z4axpbIiEvPT_S0_S0_i", "axpb<int>" },
		{ "_ZN4math4axpbIfEEvPT_S1_S1_i", "math::axpb<float>" },
		{ "_ZN12_GLOBAL__N_16hiddenEPi", "(anonymous namespace)::hidden" },
		{ "_Z1fIN1a1bIiEEEvPFvT_E", "f<a::b<int> >" },
		{ "_Z4tileILi16ELb1ELj4ELm5ELln6ELb0EEvPf", "tile<16, true, 4u, 5ul, -6l, false>" },
		{ "_Z1kIfLc97ELs3EEvv", "k<float, (char)97, (short)3>" },
		{ "_Z1kIL4kind2EEvv", "k<(kind)2>" },
		{ "_Z1kIPKfRiOKhEvv", "k<float const*, int&, unsigned char const&&>" },
		{ "_Z1kIJifEEvDpT_", "k<int, float>" },
		{ "_Z1kIiJEEvT_DpT0_", "k<int>" },
		{ "_Z1kIJEEvDpT_", "k<>" },
		{ "_Z1kIN1a1bES1_NS0_1cEEvv", "k<a::b, a::b, a::c>" },
		{ "_Z1kISt4pairIifES1_EvT_T0_", "k<std::pair<int, float>, std::pair<int, float> >" },
		{ "_ZN6thrust3gpu4scanI4plusIfEPfS5_EEvT_", NULL }, /* S5_ is none */
		{ "_ZN3std1fIN2ns1tI1xEEPS4_EEvv", "std::f<ns::t<x>, ns::t<x>*>" },
		{ "_Z1kINSt3__14lessIiEEEvT_", "k<std::__1::less<int> >" },
		{ "_ZN1a1bIiE1cIfEEvv", "a::b<int>::c<float>" },
		{ "_Z1kI6__halfS0_KS0_Evv", "k<__half, __half, __half const>" },
		{ "_Z1kI1tIiES0_IfES1_Evv", "k<t<int>, t<float>, t<int> >" },
		/* What is not read by itself. */
		{ "_Z1kIZ4mainEUlvE_EvT_", NULL },
		{ "_Z1kIPFviEEvT_", NULL },
		{ "_ZN1aplERKS_", NULL },
		{ "_ZN1kE", "k" },
		{ "_Z", NULL }, { "_ZN", NULL }, { "_ZNE", NULL }, { "_Z1", NULL }, { "_Z9f", NULL },
		{ "_Z1kI", NULL }, { "_Z1kIS", NULL }, { "_Z1kISt", NULL }, { "_Z1kIL", NULL },
		{ "_Z1kILi", NULL }, { "_Z1kILi4", NULL }, { "_ZS_", NULL }, { "_ZSZZZZZZZZ_", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = rows[i].name;
		CLEANUP(free_pointer) char *alone = demangle_alone(name);
		CLEANUP(free_pointer) char *whole = demangle(name);
		CLEANUP(free_pointer) char *qualified = demangle_qualified(whole);

		CHECK_STR(alone, rows[i].shown ? rows[i].shown : name);
		if (strcmp(alone, name))
			CHECK_STR(alone, qualified);
	}
}

/* Names of the RFC, of rustc's own tests, and of kernels by rustc 1.95, in both ways. */
/* promise: Names are those of C++ */
static void test_rust(void)
{
	static const struct {
		const char *name, *signature, *base;
	} rows[] = {
		{ "_ZN7kernels3add17h0123456789abcdefE", "kernels::add", "add" },
		{ "_ZN4core3ptr13drop_in_place17h7f9b0e8a1c2d3e4fE.llvm.123",
		  "core::ptr::drop_in_place", "drop_in_place" },
		{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
		  "17h930b740aa94f1d3aE", "<Test + 'static as foo::Bar<Test>>::bar", "bar" },
		{ "_ZN1r4deep4nine17hb7176aa66366c92eE", "r::deep::nine", "nine" },
		{ "_RNvNtCs2OpA4fNwd7R_1r4deep4nine", "r::deep::nine", "nine" },
		{ "_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example", "example" },
		{ "_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo", "<mycrate::Example>::foo",
		  "foo" },
		{ "_RNvXCs15kBYyAo9fc_7mycrateNtB2_7ExampleNtB2_5Trait3foo",
		  "<mycrate::Example as mycrate::Trait>::foo", "foo" },
		{ "_RINvCs7qp2U7fqm6G_7mycrate7examplelKj8_EB2_", "mycrate::example<i32, 8>",
		  "example" },
		{ "_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}",
		  "{closure#0}" },
		{ "_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantE",
		  "std::mem::align_of<std::mem::Discriminant>", "align_of" },
		{ "_RNvC6_123foo3bar", "123foo::bar", "bar" },
		{ "_RMC0INtC8arrayvec8ArrayVechKj7b_E", "<arrayvec::ArrayVec<u8, 123>>",
		  "<arrayvec::ArrayVec<u8, 123>>" },
		{ "_RINvC1k3addTlfEE", "k::add<(i32, f32)>", "add" },
		{ "_RINvC1k3addRL_SfPmE", "k::add<&[f32], *const u32>", "add" },
		{ "_RINvC1k3addKan5_KblE", "_RINvC1k3addKan5_KblE", NULL },
		/* What is C++'s stays so. */
		{ "_ZN1a16h0123456789abcdeEv", "a::h0123456789abcde()", "h0123456789abcde" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(free_pointer) char *one = demangle(rows[i].name);
		CLEANUP(free_pointer) char *two = demangle_qualified(one);
		CLEANUP(free_pointer) char *three = demangle_base(two);

		CHECK_STR(one, rows[i].signature);
		if (rows[i].base)
			CHECK_STR(three, rows[i].base);
	}
}

/* promise: Names are those of C++ */
static void test_d(void)
{
	check_name("_D6object6Object8toStringMFZAya", "object.Object.toString",
		   "object.Object.toString", "toString");
	/* A kernel by LDC 1.30. */
	check_name("_D5scale6tripleFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TiZQBeZv",
		   "scale.triple", "scale.triple", "triple");
	check_name("_D7kernels5saxpyFfPfPfZv", "kernels.saxpy", "kernels.saxpy", "saxpy");
	check_name("_D7kernels__T3addTfTiZQjFPfZv", "kernels.add<float, int>.add",
		   "kernels.add<float, int>.add", "add");
	check_name("_D7kernels10__T3addTfZ3addFPfZv", "kernels.add<float>.add",
		   "kernels.add<float>.add", "add");
	check_name("_D7kernels17__T3addVAyaa1_61Z3addFZv", "kernels.add<...>.add",
		   "kernels.add<...>.add", "add");
	check_name("_D3std", "std", "std", "std");
	check_name("_DYNAMIC", "_DYNAMIC", "_DYNAMIC", "_DYNAMIC");
	check_name("_D9ab", "_D9ab", "_D9ab", "_D9ab");
	check_name("_D1aQc", "a.a", "a.a", "a");
	check_name("_D1aQa", "_D1aQa", "_D1aQa", "_D1aQa");
}

/* Names made to nest, or to repeat themselves: refused in the time that their length needs. */
static void test_hostile_names(void)
{
	enum { LONG = 1 << 20 };
	static const char *const repeated[][2] = {
		{ "_R", "N" }, { "_R", "I" }, { "_R", "Nv" }, { "_RMC1a", "R" }, { "_RMC1a", "T" },
		{ "_RMC1a", "F" }, { "_RMC1a", "B_" }, { "_R", "B_" }, { "_RINvC1a1b", "Kj" },
		{ "_RINvC1a1b", "TB6_B6_E" }, { "_ZN", "1a" }, { "_D", "__T" }, { "_D1a", "Qb" },
		{ "_D", "1a" }, { "_D1a__T1b", "TP" }, { "_D", "9" }, { "_ZN", "9" },
		{ "_R", "NCC0" }, { "_RMC1a", "P" }, { "_D3__T", "3__T" },
	};
	CLEANUP(free_pointer) char *name = malloc(LONG + 64);
	const clock_t before = clock();

	REQUIRE(name);
	for (size_t i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++) {
		const size_t length = strlen(repeated[i][1]);
		size_t at = strlen(strcpy(name, repeated[i][0]));
		CLEANUP(free_pointer) char *text = NULL;

		for (; at + length < LONG; at += length)
			memcpy(name + at, repeated[i][1], length);
		name[at] = 0;
		text = demangle(name);
		CHECK_INT(strlen(text) <= at, 1);
	}
	CHECK(clock() - before < slower() * CLOCKS_PER_SEC);
}

/* 24 pairs of pairs: a gigabyte, if it were written out. */
static void test_monsters(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMN";
	CLEANUP(free_pointer) char *text = NULL, *pack = NULL;
	char name[512] = "_Z1fSt4pairIiiE";

	for (size_t i = 0; i < 4; i++)
		sprintf(name + strlen(name), "S_IS%c_S%c_E", digits[i], digits[i]);
	text = demangle(name);
	CHECK_HAS(text, "f(std::pair<int, int>");
	free(STEAL(text));
	for (size_t i = 4; i < 24; i++)
		sprintf(name + strlen(name), "S_IS%c_S%c_E", digits[i], digits[i]);
	text = demangle(name);
	CHECK_STR(text, name);
	pack = demangle("_Z1kIJifdEEvDpT_");
	CHECK_STR(pack, "k<int, float, double>(int, float, double)");
}

static void test_odd_names(void)
{
	CLEANUP(free_pointer) char *one = demangle_qualified("a)b");
	CLEANUP(free_pointer) char *two = demangle_base(">");
	CLEANUP(free_pointer) char *three = demangle_base("a::");
	CLEANUP(free_pointer) char *four = demangle_qualified("()");

	CHECK_STR(one, "a)b");
	CHECK_STR(two, ">");
	CHECK_STR(three, "");
	CHECK_STR(four, "()");
}

static void test_suggestions(void)
{
	static const char *const words[] = { "launch", "list", "expect",
					     "reduce_kernel" };

	CHECK_STR(suggest("lanuch", words, 4), "launch");
	CHECK_STR(suggest("lunch", words, 4), "launch");
	CHECK_STR(suggest("LIST", words, 4), "list");
	CHECK_STR(suggest("expekt", words, 4), "expect");
	CHECK_STR(suggest("reduce_krnl", words, 4), "reduce_kernel");
	CHECK_STR(suggest("zzz", words, 4), NULL);
	CHECK_STR(suggest("", words, 4), NULL);
	CHECK_STR(suggest("list", words, 0), NULL);
}

static void test_long_words(void)
{
	char a[300], b[300];
	const char *words[] = { b };

	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	a[299] = b[299] = '\0';
	b[1] = 'b';
	CHECK(suggest(a, words, 1) == b);
}

/* 400,000 words that are alike: each would take 4,096 steps. */
static void test_many_words(void)
{
	enum { MANY = 400000 };
	CLEANUP(free_pointer) const char **words = calloc(MANY, sizeof(*words));
	const char *word = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789ab";
	clock_t before = clock();

	REQUIRE(words);
	for (size_t i = 0; i < MANY; i++)
		words[i] = i % 2 ? "zyxwvutsrqponmlkjihgfedcbazyxwvutsrqponmlkjihgfedcba9876543210ba" :
				   "0123456789012345678901234567890123456789012345678901234567890123";
	words[MANY - 1] = "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ab";
	CHECK(suggest(word, words, MANY) == words[MANY - 1]);
	CHECK(clock() - before < slower() * CLOCKS_PER_SEC);
	/* Those with other letters are not among the words that are compared. */
	for (size_t i = 1; i < MANY - 1; i += 2)
		words[i] = words[0];
	words[MANY - 1] = "Abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789a_";
	CHECK(suggest(word, words, MANY) == words[MANY - 1]);
}

int main(void)
{
	RUN(test_names);
	RUN(test_alone);
	RUN(test_rust);
	RUN(test_d);
	RUN(test_hostile_names);
	RUN(test_monsters);
	RUN(test_odd_names);
	RUN(test_suggestions);
	RUN(test_long_words);
	RUN(test_many_words);
	return tap_end();
}
