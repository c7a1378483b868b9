/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of symbols: growth, and the marks of what was removed. */
#include <malloc.h>

#include "symbol.h"
#include "tap.h"

enum { MANY = 5000, LIBRARIES = 200000 };

static char keys[LIBRARIES];
static struct symbol symbols[MANY];

static void test_growth(void)
{
	CHECK(!symbol_find(NULL));
	CHECK(!symbol_find(&keys[0]));
	for (int i = 0; i < MANY; i++) {
		symbols[i].key = &keys[i];
		CHECK_INT(symbol_add(&symbols[i]), cudaSuccess);
	}
	for (int i = 0; i < MANY; i++)
		CHECK(symbol_find(&keys[i]) == &symbols[i]);
	CHECK(!symbol_find(&keys[MANY]));
}

/* The search goes on behind a mark, and ends in a table that is full of them. */
static void test_removal(void)
{
	for (int i = 0; i < MANY; i += 2)
		symbol_remove(&symbols[i]);
	for (int i = 0; i < MANY; i++)
		CHECK(symbol_find(&keys[i]) == (i % 2 ? &symbols[i] : NULL));
	for (int i = 1; i < MANY; i += 2)
		symbol_remove(&symbols[i]);
	for (int i = 0; i < MANY; i++)
		CHECK(!symbol_find(&keys[i]));
}

static void test_replaced(void)
{
	struct symbol first = { .key = keys }, second = { .key = keys };

	CHECK_INT(symbol_add(&first), cudaSuccess);
	CHECK_INT(symbol_add(&second), cudaSuccess);
	CHECK(symbol_find(keys) == &second);
	symbol_remove(&first);
	CHECK(symbol_find(keys) == &second);
	symbol_remove(&second);
	CHECK(!symbol_find(keys));
	symbol_remove(&second);
}

/* A program that opens and closes libraries for ever has a table of the size of those that
 * are open. The last part alone is measured. */
static void test_churn(void)
{
	struct mallinfo2 before = mallinfo2();

	for (int i = 0; i < LIBRARIES; i++) {
		struct symbol symbol = { .key = &keys[i] };

		if (symbol_add(&symbol) || symbol_find(&keys[i]) != &symbol)
			CHECK(!"added and found");
		symbol_remove(&symbol);
	}
	struct mallinfo2 after = mallinfo2();
	CHECK(after.uordblks + after.hblkhd <= before.uordblks + before.hblkhd + 4096);
}

int main(void)
{
	RUN(test_growth);
	RUN(test_removal);
	RUN(test_replaced);
	RUN(test_churn);
	return tap_end();
}
