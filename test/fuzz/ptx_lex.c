/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ptx_lex.h"
#include "fuzz.h"

/* Any bytes: tokens lie inside them, in order, and come to an end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_lexer lexer = ptx_lexer((struct bytes){ data, size }, 1);
	struct bytes span = { 0 };
	struct ptx_token token;
	const char *last = (const char *)data;

	for (ptx_next(&lexer, &token); token.kind != PTX_END; ptx_next(&lexer, &token)) {
		if (token.text < last || token.text + token.length > (char *)data + size)
			abort();
		last = token.text + token.length;
		if (ptx_is(&token, "{") && ptx_skip(&lexer, "}", &span))
			last = (const char *)span.data + span.size;
		if (ptx_is(&token, "=") && ptx_skip(&lexer, ",;", &span))
			last = (const char *)span.data + span.size;
	}
	return 0;
}
