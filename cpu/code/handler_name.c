/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From an op back to the handler that lowering chose for it. */
#include <pthread.h>
#include <stdlib.h>

#include "handler.h"

static struct named {
	op_fn *fn;
	uint16_t handler;
} named[HANDLER_COUNT]; /* by fn */

static int compare(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct named *)a)->fn;
	const uintptr_t y = (uintptr_t)((const struct named *)b)->fn;

	return (x > y) - (x < y);
}

static void name_handlers(void)
{
	op_fn *const *handlers = handler_set_choose()->handlers;

	for (unsigned i = 0; i < HANDLER_COUNT; i++)
		named[i] = (struct named){ handlers[i], (uint16_t)i };
	qsort(named, HANDLER_COUNT, sizeof(named[0]), compare);
}

unsigned handler_of(const struct op *op)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct named key = { op->fn, 0 }, *found;

	pthread_once(&once, name_handlers);
	found = bsearch(&key, named, HANDLER_COUNT, sizeof(named[0]), compare);
	return found ? found->handler : HANDLER_COUNT;
}

const char *handler_name(unsigned handler)
{
	static const char *const names[HANDLER_COUNT] = {
#define ENTRY(name) [HANDLER_##name] = #name,
#include "handler_list.def"
	};

	return handler < HANDLER_COUNT ? names[handler] : "?";
}
