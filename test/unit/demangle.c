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
	RUN(test_monsters);
	RUN(test_odd_names);
	RUN(test_suggestions);
	RUN(test_long_words);
	RUN(test_many_words);
	return tap_end();
}
