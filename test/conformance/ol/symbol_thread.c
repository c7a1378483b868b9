/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that look up symbols at once, while their program stays or goes. */
#include <pthread.h>
#include <stdatomic.h>

#include "ol.h"

static void check_gone(ol_symbol_handle_t symbol)
{
	uint64_t value = 7;
	size_t size;

	CHECK_CODE(olGetSymbolInfo(symbol, OL_SYMBOL_INFO_KIND, 8, &value), INVALID_ARGUMENT);
	CHECK_CODE(olGetSymbolInfoSize(symbol, OL_SYMBOL_INFO_KIND, &size), INVALID_ARGUMENT);
	CHECK_INT((long long)value, 7);
}

enum { THREADS = 8, ROUNDS = 20 };

struct lookup {
	ol_program_handle_t program;
	ol_symbol_handle_t kernel, variable;
	bool destroyed; /* the program may go at any time */
	atomic_int *failures;
};

static void *look_up_both(void *data)
{
	struct lookup *lookup = data;
	ol_result_t results[] = {
		olGetSymbol(lookup->program, "add", OL_SYMBOL_KIND_KERNEL, &lookup->kernel),
		olGetSymbol(lookup->program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE,
			    &lookup->variable),
	};

	for (int i = 0; i < 2; i++)
		if (results[i] && !(lookup->destroyed &&
				    results[i]->Code == OL_ERRC_INVALID_ARGUMENT))
			atomic_fetch_add(lookup->failures, 1);
	return NULL;
}

/* All look up at once; the program goes meanwhile, or stays. */
static void look_up_all(struct lookup lookups[THREADS], bool destroyed)
{
	ol_program_handle_t program = load();
	pthread_t threads[THREADS];
	atomic_int failures = 0;

	for (int i = 0; i < THREADS; i++) {
		lookups[i] = (struct lookup){ program, NULL, NULL, destroyed, &failures };
		REQUIRE(!pthread_create(&threads[i], NULL, look_up_both, &lookups[i]));
	}
	if (destroyed)
		CHECK_OK(olDestroyProgram(program));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(failures, 0);
}

/* Threads that look a name up at once get the same handle. */
static void test_threads(void)
{
	struct lookup lookups[THREADS];

	for (int round = 0; round < ROUNDS; round++) {
		look_up_all(lookups, false);
		for (int i = 1; i < THREADS; i++) {
			CHECK(lookups[i].kernel == lookups[0].kernel);
			CHECK(lookups[i].variable == lookups[0].variable);
		}
		CHECK_OK(olDestroyProgram(lookups[0].program));
	}
}

/* What is found while the program goes is gone with it. */
static void test_destroyed_meanwhile(void)
{
	struct lookup lookups[THREADS];

	for (int round = 0; round < ROUNDS; round++) {
		look_up_all(lookups, true);
		for (int i = 0; i < THREADS; i++) {
			if (lookups[i].kernel)
				check_gone(lookups[i].kernel);
			if (lookups[i].variable)
				check_gone(lookups[i].variable);
		}
	}
}

static const struct ol_case cases[] = {
	OL_CASE(test_threads),
	OL_CASE(test_destroyed_meanwhile),
};
OL_MAIN(cases)
