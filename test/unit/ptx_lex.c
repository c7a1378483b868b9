/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ptx_lex.h"
#include "tap.h"

#include <locale.h>

static struct bytes text_of(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static struct ptx_token first(const char *text)
{
	struct ptx_lexer lexer = ptx_lexer(text_of(text), 1);
	struct ptx_token token;

	ptx_next(&lexer, &token);
	return token;
}

static void check_token(const char *text, enum ptx_token_kind kind, const char *spelling)
{
	struct ptx_token token = first(text);
	char copy[64];

	snprintf(copy, sizeof(copy), "%.*s", (int)token.length, token.text);
	if (!CHECK_INT(token.kind, kind) || !CHECK_STR(copy, spelling))
		printf("#   in \"%s\"\n", text);
}

static void test_words(void)
{
	check_token("ld.global.f32 %f1", PTX_WORD, "ld.global.f32");
	check_token("  %r12,", PTX_WORD, "%r12");
	check_token("$L__BB0_1:", PTX_WORD, "$L__BB0_1");
	check_token(".u64 x", PTX_WORD, ".u64");
	check_token("_ 1", PTX_WORD, "_");
	check_token("ld.shared::cta.b32 x", PTX_WORD, "ld.shared::cta.b32");
	check_token("ld.global.L2::128B x", PTX_WORD, "ld.global.L2::128B");
	check_token("a:: b", PTX_WORD, "a");
}

static void test_pieces(void)
{
	static const char *const pieces[] = { ".reg", ".b32::x", ".y", "a.b", ".", ".c" };
	struct ptx_lexer lexer = ptx_lexer(text_of(".reg.b32::x.y a.b ..c"), 1);
	struct ptx_token token;

	for (size_t i = 0; i < 6; i++) {
		ptx_next_piece(&lexer, &token);
		CHECK(ptx_is(&token, pieces[i]));
	}
	ptx_next_piece(&lexer, &token);
	CHECK_INT(token.kind, PTX_END);
}

static void test_punctuation(void)
{
	check_token("% 3", PTX_PUNCT, "%");
	check_token(". ", PTX_PUNCT, ".");
	check_token("@%p1 bra", PTX_PUNCT, "@");
	check_token("/ 2", PTX_PUNCT, "/");
	check_token("\\", PTX_BAD, "\\");
	check_token("\x80", PTX_BAD, "\x80");
	check_token("'", PTX_BAD, "'");
}

static void check_integer(const char *text, uint64_t value)
{
	struct ptx_token token = first(text);

	if (!CHECK_INT(token.kind, PTX_INT) || !CHECK_INT(token.integer, value))
		printf("#   in \"%s\"\n", text);
}

static void test_integers(void)
{
	check_integer("0", 0);
	check_integer("12U;", 12);
	check_integer("0x1F", 31);
	check_integer("0XffffffffffffffffU", UINT64_MAX);
	check_integer("017", 15);
	check_integer("0b101", 5);
	check_integer("18446744073709551615", UINT64_MAX);
	check_token("18446744073709551616", PTX_BAD, "1844674407370955161");
	CHECK_INT(first("0x").kind, PTX_BAD);
	CHECK_INT(first("0b2").kind, PTX_BAD);
	/* As ptxas has it, other tokens follow, and no statement has them there. */
	check_token("08", PTX_INT, "0");
	check_token("12abc", PTX_INT, "12");
	check_token("7%4", PTX_INT, "7");
	check_token("mov.u32%r0", PTX_WORD, "mov.u32");
	check_token("a$b%c", PTX_WORD, "a$b");
}

static void check_float(const char *text, bool single, uint64_t bits)
{
	struct ptx_token token = first(text);

	if (!CHECK_INT(token.kind, PTX_FLOAT) || !CHECK_INT(token.single, single) ||
	    !CHECK_INT(token.integer, bits))
		printf("#   in \"%s\"\n", text);
}

static void test_floats(void)
{
	check_float("0f3F800000", true, 0x3F800000);
	check_float("0F3f800000,", true, 0x3F800000);
	check_float("0d3FF0000000000000", false, 0x3FF0000000000000);
	check_float("1.5", false, 0x3FF8000000000000);
	check_float("1e3", false, 0x408F400000000000);
	check_float("25.0E-1", false, 0x4004000000000000);
	check_float("0.25", false, 0x3FD0000000000000);
	CHECK_INT(first("0f3F80000").kind, PTX_BAD);
	CHECK_INT(first("0f3F8000000").kind, PTX_BAD);
	check_float(".5", false, 0x3FE0000000000000);
	check_float("5.", false, 0x4014000000000000);
	check_float(".5e1,", false, 0x4014000000000000);
	check_token("1.5.2", PTX_FLOAT, "1.5");
	check_token("8.3.target", PTX_FLOAT, "8.3");
	check_token("1e", PTX_INT, "1");
	check_token(".1d", PTX_WORD, ".1d");
	check_token(".5x", PTX_WORD, ".5x");
}

static void test_locale(void)
{
	/* Where a comma is the decimal point, PTX still has dots. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		printf("# no German locale: checked in the C locale alone\n");
	check_float("1.5", false, 0x3FF8000000000000);
	setlocale(LC_ALL, "C");
}

static void test_strings(void)
{
	check_token("\"a b\" c", PTX_STRING, "a b");
	check_token("\"a\\\"b\"", PTX_STRING, "a\\\"b");
	check_token("\"\"", PTX_STRING, "");
	CHECK_INT(first("\"open").kind, PTX_BAD);
	CHECK_INT(first("\"open\n\"").kind, PTX_BAD);
	CHECK_INT(first("\"open\\").kind, PTX_BAD);
}

static void test_lines_and_comments(void)
{
	struct ptx_lexer lexer =
		ptx_lexer(text_of("a // b { \"\n/* c\n } */ d\n\"e\" f /"), 7);
	struct ptx_token token;

	ptx_next(&lexer, &token);
	CHECK(ptx_is(&token, "a"));
	CHECK_INT(token.line, 7);
	ptx_next(&lexer, &token);
	CHECK(ptx_is(&token, "d"));
	CHECK_INT(token.line, 9);
	ptx_next(&lexer, &token);
	CHECK_INT(token.kind, PTX_STRING);
	CHECK(!ptx_is(&token, "e"));
	CHECK_INT(token.line, 10);
	CHECK_INT(first("/* open").kind, PTX_BAD);
	CHECK_INT(first("// open").kind, PTX_END);
}

static void test_end(void)
{
	struct ptx_lexer lexer =
		ptx_lexer((struct bytes){ (const uint8_t *)"a\0b", 3 }, 1);
	struct ptx_token token;

	ptx_next(&lexer, &token);
	CHECK_INT(token.kind, PTX_WORD);
	for (int i = 0; i < 2; i++) {
		ptx_next(&lexer, &token);
		CHECK_INT(token.kind, PTX_END);
	}
	CHECK_INT(first("").kind, PTX_END);
}

static void check_skip(const char *text, const char *ends, const char *span,
		       uint32_t line)
{
	struct ptx_lexer lexer = ptx_lexer(text_of(text), 1);
	struct bytes skipped = { 0 };
	char copy[64];

	if (!CHECK_INT(ptx_skip(&lexer, ends, &skipped), span != NULL))
		printf("#   in \"%s\"\n", text);
	if (!span)
		return;
	snprintf(copy, sizeof(copy), "%.*s", (int)skipped.size,
		 (const char *)skipped.data);
	CHECK_STR(copy, span);
	CHECK_INT(lexer.line, line);
	CHECK_INT(lexer.offset, strlen(span));
}

static void test_skip(void)
{
	check_skip("a; {b, c} d\n} e", "}", "a; {b, c} d\n", 2);
	check_skip("\"}\" // }\n /* } */ 1/2 }", "}", "\"}\" // }\n /* } */ 1/2 ", 2);
	check_skip("{1, {2;}}, 3;", ",;", "{1, {2;}}", 1);
	check_skip("1 + 2;", ",;", "1 + 2", 1);
	check_skip("a { b", "}", NULL, 0);
	check_skip("a \" } ", "}", NULL, 0);
	check_skip("a /* } ", "}", NULL, 0);
	check_skip("1 }; ", ",;", NULL, 0);
	check_skip("", "}", NULL, 0);
}

int main(void)
{
	RUN(test_words);
	RUN(test_pieces);
	RUN(test_punctuation);
	RUN(test_integers);
	RUN(test_floats);
	RUN(test_locale);
	RUN(test_strings);
	RUN(test_lines_and_comments);
	RUN(test_end);
	RUN(test_skip);
	return tap_end();
}
