/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ptx_expr.h"

#include "tap.h"

/* Evaluates @text; what follows the expression has to begin with @rest. */
static bool evaluate(const char *text, uint64_t *value, const char *rest)
{
	struct ptx_lexer lexer =
		ptx_lexer((struct bytes){ (const uint8_t *)text, strlen(text) }, 1);
	struct ptx_token token;

	ptx_next(&lexer, &token);
	if (!ptx_expression(&lexer, &token, value))
		return false;
	return *rest ? token.kind != PTX_END && token.text[0] == *rest : token.kind == PTX_END;
}

static void test_values(void)
{
	static const struct {
		const char *text;
		int64_t value;
	} rows[] = {
		{ "7 - 2 - 1", 4 },
		{ "2 + 3 * 4", 14 },
		{ "(2 + 3) * 4", 20 },
		{ "-7 / 2", -3 },
		{ "-7 % 4", 1 }, /* unsigned, as ptxas has it */
		{ "1 << 4 | 3", 19 },
		{ "-16 >> 2", -4 },
		{ "(.u64) -16 >> 60", 15 },
		{ "1 << 64", 0 },
		{ "-1 >> 100", -1 },
		{ "5 > 3 && 2 != 2", 0 },
		{ "5 >= 5 || 0", 1 },
		{ "-1 < 0", 1 },
		{ "-1 < 0U", 0 },
		{ "6 ^ 3 & 1", 7 },
		{ "!0 + ~0", 0 },
		{ "- - + 3", 3 },
		{ "0 ? 1 : 1 ? 2 : 3", 2 },
		{ "1 ? 0 ? 4 : 5 : 6", 5 },
		{ "(1 ? 2 : 3) + 4", 6 },
		{ "1 + 1 ? 2 + 3 : 4", 5 },
		{ "-(2 + 3) * 2", -10 },
		{ "2 * -(.s64) 3 + 1", -5 },
		{ "((1 + 2) * (3 - (4 - 5)))", 12 },
		{ "0xffffffffffffffff / 2", INT64_MAX },
		{ "(0 - 0x7fffffffffffffff - 1) / -1", INT64_MIN },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 0;

		if (!CHECK(evaluate(rows[i].text, &value, "")) ||
		    !CHECK_INT((int64_t)value, rows[i].value))
			printf("#   %s\n", rows[i].text);
	}
}

static void test_ends_where_it_ends(void)
{
	uint64_t value;

	CHECK(evaluate("3, 4", &value, ","));
	CHECK(evaluate("3 + 4;", &value, ";"));
	CHECK(evaluate("8]", &value, "]"));
	CHECK_INT(value, 8);
}

static void test_refused(void)
{
	static const char *const bad[] = { "",	 "+",	  "1 +",     "(1",   "1 / 0",
					   "1 % 0", "name", "1 ? 2", "1 ? 2 : ", "1.5",
					   "(1 ? 2)", "(1 : 2)", "1 ? (2 : 3)", "(1 ? 2) : 3",
					   "()", "(.s64 1", "(.u64)", "- ", "1 2" };
	uint64_t value;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!CHECK(!evaluate(bad[i], &value, "")))
			printf("#   %s\n", bad[i]);
}

/* Nesting is as deep as the text is long, and no deeper than the text on the stack. */
static void test_deep(void)
{
	enum { DEPTH = 1 << 20 };
	char *deep = malloc(3 * DEPTH + 2);
	uint64_t value = 0;

	if (!CHECK(deep))
		return;
	memset(deep, '(', DEPTH);
	deep[DEPTH] = '\0';
	CHECK(!evaluate(deep, &value, ""));
	deep[DEPTH] = '7';
	memset(deep + DEPTH + 1, ')', DEPTH);
	deep[2 * DEPTH + 1] = '\0';
	CHECK(evaluate(deep, &value, ""));
	CHECK_INT(value, 7);
	deep[2 * DEPTH] = '\0';
	CHECK(!evaluate(deep, &value, ""));
	for (size_t i = 0; i < DEPTH; i++)
		memcpy(deep + 2 * i, "- ", 2);
	memcpy(deep + 2 * DEPTH, "5", 2);
	CHECK(evaluate(deep, &value, ""));
	CHECK_INT(value, 5);
	for (size_t i = 0; i < DEPTH / 2; i++)
		memcpy(deep + 4 * i, "0?1:", 4);
	memcpy(deep + 2 * DEPTH, "6", 2);
	CHECK(evaluate(deep, &value, ""));
	CHECK_INT(value, 6);
	free(deep);
}

int main(void)
{
	RUN(test_values);
	RUN(test_ends_where_it_ends);
	RUN(test_refused);
	RUN(test_deep);
	return tap_end();
}
