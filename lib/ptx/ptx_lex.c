/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every byte has a class; a token is a run of one class, recognised by its
 * first byte. Function bodies are most of a PTX file, so ptx_skip walks them
 * with one table look-up per byte and inspects only quotes, comments, braces
 * and ends of lines.
 */
#include "ptx_lex.h"

#include <locale.h>
#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"

enum {
	SPACE = 1,
	START = 2, /* begins a word */
	DIGIT = 4, /* continues a word; begins a number */
	HEX = 8,
	STRUCTURE = 16, /* what ptx_skip has to inspect */
	SEPARATOR = 32, /* what ends an initialiser */
	PUNCT = 64,
	OPERATOR = 128, /* '%' or '.': a word only with something after it */
};

static const uint8_t class_of[256] = {
	[' '] = SPACE,
	['\t'] = SPACE,
	['\r'] = SPACE,
	['\f'] = SPACE,
	['\n'] = SPACE | STRUCTURE,
	['a' ... 'f'] = START | HEX,
	['g' ... 'z'] = START,
	['A' ... 'F'] = START | HEX,
	['G' ... 'Z'] = START,
	['_'] = START,
	['$'] = START,
	['%'] = START | OPERATOR,
	['.'] = START | OPERATOR,
	['0' ... '9'] = DIGIT | HEX,
	['\0'] = STRUCTURE,
	['"'] = STRUCTURE,
	['/'] = STRUCTURE | PUNCT,
	['{'] = STRUCTURE | PUNCT,
	['}'] = STRUCTURE | PUNCT,
	[','] = SEPARATOR | PUNCT,
	[';'] = SEPARATOR | PUNCT,
	['!'] = PUNCT,
	['#'] = PUNCT,
	['&'] = PUNCT,
	['('] = PUNCT,
	[')'] = PUNCT,
	['*'] = PUNCT,
	['+'] = PUNCT,
	['-'] = PUNCT,
	[':'] = PUNCT,
	['<'] = PUNCT,
	['='] = PUNCT,
	['>'] = PUNCT,
	['?'] = PUNCT,
	['@'] = PUNCT,
	['['] = PUNCT,
	[']'] = PUNCT,
	['^'] = PUNCT,
	['|'] = PUNCT,
	['~'] = PUNCT,
};

/* The byte @ahead of the lexer's position; 0 at the end, as NUL ends the text too. */
static uint8_t peek(const struct ptx_lexer *lexer, size_t ahead)
{
	const uint8_t *p = bytes_at(lexer->text, lexer->offset + ahead, 1);

	return p ? *p : 0;
}

/* Skips the comment that begins at the lexer's place; false when it never ends. */
static bool skip_comment(struct ptx_lexer *lexer)
{
	bool line = peek(lexer, 1) == '/';

	lexer->offset += 2;
	for (;; lexer->offset++) {
		uint8_t c = peek(lexer, 0);

		if (!c)
			return line;
		if (line && c == '\n')
			return true;
		if (c == '\n')
			lexer->line++;
		if (!line && c == '*' && peek(lexer, 1) == '/') {
			lexer->offset += 2;
			return true;
		}
	}
}

static bool at_comment(const struct ptx_lexer *lexer)
{
	return peek(lexer, 0) == '/' && (peek(lexer, 1) == '/' || peek(lexer, 1) == '*');
}

/* Skips the string that begins at the lexer's place; false when its line ends first. */
static bool skip_string(struct ptx_lexer *lexer)
{
	for (lexer->offset++;; lexer->offset++) {
		uint8_t c = peek(lexer, 0);

		if (!c || c == '\n')
			return false;
		if (c == '\\' && peek(lexer, 1) && peek(lexer, 1) != '\n')
			lexer->offset++;
		else if (c == '"')
			break;
	}
	lexer->offset++;
	return true;
}

/* Skips white space and comments; false at a comment that never ends. */
static bool skip_space(struct ptx_lexer *lexer)
{
	for (;;) {
		uint8_t c = peek(lexer, 0);

		if (class_of[c] & SPACE) {
			lexer->line += c == '\n';
			lexer->offset++;
		} else if (!at_comment(lexer)) {
			return true;
		} else if (!skip_comment(lexer)) {
			return false;
		}
	}
}

/* A word may hold "::" between its parts: "ld.shared::cta.b32", "ld.L2::128B.b32". '%' begins
 * another one: "mov.u32%r0". With @piece one that begins with a dot ends before the next one. */
static void skip_word(struct ptx_lexer *lexer, bool piece)
{
	piece = piece && peek(lexer, 0) == '.';
	for (lexer->offset++;;) {
		if (piece && peek(lexer, 0) == '.')
			return;
		if (peek(lexer, 0) != '%' && (class_of[peek(lexer, 0)] & (START | DIGIT)))
			lexer->offset++;
		else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' &&
			 (class_of[peek(lexer, 2)] & (START | DIGIT)))
			lexer->offset += 2;
		else
			return;
	}
}

static int digit_value(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (class_of[c] & HEX) ? (c | 0x20) - 'a' + 10 : 16;
}

/* Reads digits of @base; false when there is none or the value does not fit. */
static bool read_digits(struct ptx_lexer *lexer, unsigned base, uint64_t *value)
{
	size_t start = lexer->offset;

	*value = 0;
	for (;; lexer->offset++) {
		unsigned digit = (unsigned)digit_value(peek(lexer, 0));

		if (digit >= base)
			return lexer->offset > start;
		if (!size_mul(*value, base, value) || !size_add(*value, digit, value))
			return false;
	}
}

/* Reads the @count hexadecimal digits that spell a float's bits. */
static bool read_bits(struct ptx_lexer *lexer, size_t count, uint64_t *bits)
{
	size_t start = lexer->offset += 2;

	return read_digits(lexer, 16, bits) && lexer->offset - start == count;
}

/* Counts the digits that are @from bytes ahead. */
static size_t digits_at(const struct ptx_lexer *lexer, size_t from)
{
	size_t i = from;

	while (class_of[peek(lexer, i)] & DIGIT)
		i++;
	return i - from;
}

/* The bytes of the exponent that is @from bytes ahead, "e5" or "E-5"; 0 when there is none. */
static size_t exponent_at(const struct ptx_lexer *lexer, size_t from)
{
	const size_t sign = peek(lexer, from + 1) == '+' || peek(lexer, from + 1) == '-';
	const size_t digits = digits_at(lexer, from + 1 + sign);

	return (peek(lexer, from) | 0x20) == 'e' && digits ? 1 + sign + digits : 0;
}

/* The bytes of the decimal float at the lexer's place: "1.5", "5.", ".5", "1e-5". What follows
 * is another token: "8.3.target". */
static size_t decimal_length(const struct ptx_lexer *lexer)
{
	size_t length = digits_at(lexer, 0);

	if (peek(lexer, length) == '.')
		length += 1 + digits_at(lexer, length + 1);
	return length + exponent_at(lexer, length);
}

/* Reads a decimal float as a double, whatever the process's locale. */
static bool read_decimal(struct ptx_lexer *lexer, uint64_t *bits)
{
	const size_t length = decimal_length(lexer);
	char few[64], *end;
	CLEANUP(free_pointer) char *many = length < sizeof(few) ? NULL : malloc(length + 1);
	char *text = length < sizeof(few) ? few : many;
	const locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value = 0;

	if (!locale)
		return false;
	if (text) {
		memcpy(text, lexer->text.data + lexer->offset, length);
		text[length] = '\0';
		value = strtod_l(text, &end, locale);
	}
	freelocale(locale);
	memcpy(bits, &value, sizeof(value));
	lexer->offset += length;
	return text && end == text + length;
}

/* Tells whether the number at the lexer's place has a '.' or an exponent. */
static bool is_decimal_float(const struct ptx_lexer *lexer)
{
	const size_t digits = digits_at(lexer, 0);

	return peek(lexer, digits) == '.' || exponent_at(lexer, digits);
}

/* Tells whether a number begins with the '.' at the lexer's place, as ".5", not ".1d", does. */
static bool is_fraction(const struct ptx_lexer *lexer)
{
	const size_t digits = digits_at(lexer, 1), end = 1 + digits;

	return digits && (exponent_at(lexer, end) || !(class_of[peek(lexer, end)] & START));
}

/* Reads the prefix that says the base of the integer at the lexer's position. */
static unsigned read_base(struct ptx_lexer *lexer)
{
	uint8_t second = peek(lexer, 0) == '0' ? peek(lexer, 1) | 0x20 : 0;

	if (second == 'x' || second == 'b') {
		lexer->offset += 2;
		return second == 'x' ? 16 : 2;
	}
	return peek(lexer, 0) == '0' ? 8 : 10;
}

static bool read_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
	uint8_t prefix = peek(lexer, 0) == '0' ? peek(lexer, 1) | 0x20 : 0;
	bool good;

	token->kind = PTX_FLOAT;
	if (prefix == 'f' || prefix == 'd') {
		token->single = prefix == 'f';
		return read_bits(lexer, prefix == 'f' ? 8 : 16, &token->integer);
	}
	if (prefix != 'x' && is_decimal_float(lexer))
		return read_decimal(lexer, &token->integer);
	token->kind = PTX_INT;
	good = read_digits(lexer, read_base(lexer), &token->integer);
	if (peek(lexer, 0) == 'U')
		lexer->offset++;
	return good;
}

/* Reads the token at the lexer's place, no white space; false when it is bad. */
static bool read_token(struct ptx_lexer *lexer, struct ptx_token *token, bool piece)
{
	uint8_t c = peek(lexer, 0), class = class_of[c];

	if ((class & DIGIT) || (c == '.' && is_fraction(lexer)))
		return read_number(lexer, token);
	token->kind = c == '"' ? PTX_STRING : PTX_WORD;
	if (c == '"')
		return skip_string(lexer);
	if ((class & OPERATOR) && !(class_of[peek(lexer, 1)] & (START | DIGIT)))
		class = PUNCT;
	if (class & START) {
		skip_word(lexer, piece);
		return true;
	}
	token->kind = PTX_PUNCT;
	lexer->offset++;
	return class & PUNCT;
}

static void next(struct ptx_lexer *lexer, struct ptx_token *token, bool piece)
{
	bool good = skip_space(lexer);
	size_t start = lexer->offset;

	*token = (struct ptx_token){ .kind = PTX_END, .line = lexer->line };
	if (good && !peek(lexer, 0))
		return;
	good = good && read_token(lexer, token, piece);
	if (!good) {
		token->kind = PTX_BAD;
		if (lexer->offset == start && start < lexer->text.size)
			lexer->offset++;
	}
	token->text = (const char *)lexer->text.data + start;
	ASSERT(lexer->offset >= start && lexer->offset <= lexer->text.size);
	token->length = (uint32_t)(lexer->offset - start);
	if (token->kind == PTX_STRING) {
		ASSERT(token->length >= 2);
		token->text++;
		token->length -= 2;
	}
}

void ptx_next(struct ptx_lexer *lexer, struct ptx_token *token)
{
	next(lexer, token, false);
}

void ptx_next_piece(struct ptx_lexer *lexer, struct ptx_token *token)
{
	next(lexer, token, true);
}

bool ptx_skip(struct ptx_lexer *lexer, const char *ends, struct bytes *span)
{
	uint8_t wanted = STRUCTURE | (strpbrk(ends, ",;") ? SEPARATOR : 0);
	size_t start = lexer->offset, depth = 0;

	for (;;) {
		uint8_t c;

		while (lexer->offset < lexer->text.size &&
		       !(class_of[lexer->text.data[lexer->offset]] & wanted))
			lexer->offset++;
		c = peek(lexer, 0);
		if (!c)
			return false;
		if (c == '"') {
			if (!skip_string(lexer))
				return false;
			continue;
		}
		if (at_comment(lexer)) {
			if (!skip_comment(lexer))
				return false;
			continue;
		}
		if (!depth && strchr(ends, c))
			break;
		if (c == '}' && !depth)
			return false;
		depth += c == '{';
		depth -= c == '}';
		lexer->line += c == '\n';
		lexer->offset++;
	}
	bytes_slice(lexer->text, start, lexer->offset - start, span);
	return true;
}

bool ptx_is(const struct ptx_token *token, const char *spelling)
{
	return (token->kind == PTX_WORD || token->kind == PTX_PUNCT) &&
	       strlen(spelling) == token->length &&
	       !memcmp(token->text, spelling, token->length);
}
