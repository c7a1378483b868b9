/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the listings of dump= and trace= find kernels, and print instructions. */
#include "listing.h"

#include "tap.h"

/* A C++ kernel has three names: its symbol, its C++ name, and the last part of that. */
static void test_matches(void)
{
	static const char symbol[] = "_ZN3lab4axpbIiEEvPT_";

	CHECK(listing_matches(symbol, symbol));
	CHECK(listing_matches("lab::axpb<int>", symbol));
	CHECK(listing_matches("axpb", symbol));
	CHECK(!listing_matches("axp", symbol));
	CHECK(!listing_matches("lab::axpb<float>", symbol));
	CHECK(!listing_matches("", symbol));
	CHECK(listing_matches("ax?b", "axpb"));
	CHECK(!listing_matches("axp", "axpb"));
}

static void test_print(void)
{
	static const char text[] = "@%p\n\tadd.u32  %r1, \t%r2, 1";
	char *printed = NULL;
	size_t size;
	FILE *to = open_memstream(&printed, &size);

	REQUIRE(to);
	listing_print(to, (struct bytes){ (const uint8_t *)text, strlen(text) });
	fclose(to);
	CHECK_STR(printed, "@%p add.u32 %r1, %r2, 1");
	free(printed);
}

int main(void)
{
	RUN(test_matches);
	RUN(test_print);
	return tap_end();
}
