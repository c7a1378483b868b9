/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "finding_text.h"

#include <limits.h>
#include <string.h>

/* ---- words and numbers at the start of some bytes --------------------------------- */

/* Removes @word from @line, if it begins so. */
static bool skip_word(struct bytes *line, const char *word)
{
	const size_t size = strlen(word);

	if (line->size < size || memcmp(line->data, word, size))
		return false;
	*line = (struct bytes){ line->data + size, line->size - size };
	return true;
}

static int digit_of(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Removes a number up to @most from @line. */
static bool read_number(struct bytes *line, unsigned base, uint64_t most, uint64_t *number)
{
	uint64_t value = 0;
	size_t used = 0;

	for (; used < line->size; used++) {
		const uint64_t digit = (uint64_t)digit_of(line->data[used]);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value) || value > most)
			return false;
	}
	if (!used)
		return false;
	*number = value;
	*line = (struct bytes){ line->data + used, line->size - used };
	return true;
}

static bool read_unsigned(struct bytes *line, unsigned *number)
{
	uint64_t value;

	if (!read_number(line, 10, UINT_MAX, &value))
		return false;
	*number = (unsigned)value;
	return true;
}

/* Removes "(1,2,3)". */
static bool read_dims(struct bytes *line, unsigned dims[3])
{
	static const char *const before[] = { "(", ",", "," };

	for (int i = 0; i < 3; i++)
		if (!skip_word(line, before[i]) || !read_unsigned(line, &dims[i]))
			return false;
	return skip_word(line, ")");
}

/* Removes a line from @text. */
static struct bytes pop_line(struct bytes *text)
{
	const uint8_t *end = text->size ? memchr(text->data, '\n', text->size) : NULL;
	const size_t size = end ? (size_t)(end - text->data) : text->size;
	const size_t past = end ? size + 1 : size;
	const struct bytes line = { text->data, size };

	if (past)
		*text = (struct bytes){ text->data + past, text->size - past };
	return line;
}

/* Where the first @word in @line begins; SIZE_MAX: nowhere. */
static size_t find(struct bytes line, const char *word)
{
	const uint8_t *at = line.size ? memmem(line.data, line.size, word, strlen(word)) : NULL;

	return at ? (size_t)(at - line.data) : SIZE_MAX;
}

/* ---- the lines --------------------------------------------------------------------- */

static void read_check(struct bytes *line, struct finding_text *out)
{
	static const char *const names[] = { "mem", "init", "race", "sync", "leak" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bytes rest = *line;

		if (!skip_word(&rest, names[i]) || !skip_word(&rest, ": "))
			continue;
		*line = rest;
		out->check = names[i];
	}
}

/* What the line begins with says more than the check; the address follows some. */
static void read_kind(struct bytes *line, struct finding_text *out)
{
	static const char *const rows[][2] = {
		{ "illegal address: ", "illegal-address" },
		{ "misaligned address: ", "misaligned-address" },
		{ "a device assertion failed", "assert" },
		{ "trap instruction", "trap" },
		{ "stack overflow: ", "stack-overflow" },
		{ "deadlock: ", "deadlock" },
		{ "divergent barrier: ", "divergent-barrier" },
	};
	static const char *const of_checks[][2] = {
		{ "mem", "constant-write" }, { "init", "uninitialised" }, { "race", "race" },
		{ "sync", "sync" },	     { "leak", "leak" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !out->kind; i++)
		if (skip_word(line, rows[i][0]))
			out->kind = rows[i][1];
	for (size_t i = 0; i < 5 && !out->kind && out->check; i++)
		if (!strcmp(out->check, of_checks[i][0]))
			out->kind = of_checks[i][1];
}

/* "write of 4 bytes at 0x80 of shared memory, ..." */
static void read_access(struct bytes line, struct finding_text *out)
{
	static const char *const rows[][2] = { { "read of ", "read" },
					       { "write of ", "write" },
					       { "atomic operation of ", "atomic" } };
	uint64_t size;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !out->access; i++) {
		struct bytes rest = line;

		if (!skip_word(&rest, rows[i][0]) || !read_number(&rest, 10, UINT64_MAX, &size) ||
		    !skip_word(&rest, " bytes "))
			continue;
		out->access = rows[i][1];
		out->size = size;
	}
}

static void read_address(struct bytes line, struct finding_text *out)
{
	const size_t at = find(line, "at 0x");

	if (at == SIZE_MAX || (at && line.data[at - 1] != ' '))
		return;
	line = (struct bytes){ line.data + at, line.size - at };
	skip_word(&line, "at 0x");
	out->has_address = read_number(&line, 16, UINT64_MAX, &out->address);
	out->shared = out->has_address && skip_word(&line, " of shared memory");
}

/* The kernel's name has no commas. */
static bool read_kernel(struct bytes line, struct finding_text *out)
{
	struct finding_text read = *out;
	size_t length;

	if (!skip_word(&line, "  kernel "))
		return false;
	length = find(line, ", block ");
	if (length == SIZE_MAX)
		return false;
	read.kernel = (struct bytes){ line.data, length };
	line = (struct bytes){ line.data + length, line.size - length };
	skip_word(&line, ", block ");
	if (!length || !read_dims(&line, read.block) || !skip_word(&line, ", thread ") ||
	    !read_dims(&line, read.thread))
		return false;
	*out = read;
	return true;
}

static bool read_line_number(struct bytes line, struct finding_text *out)
{
	unsigned number;

	if (!skip_word(&line, "  PTX line ") || !read_unsigned(&line, &number) ||
	    !skip_word(&line, ":"))
		return false;
	out->line = number;
	return true;
}

/* The file's name may have colons. */
static void read_source(struct bytes line, struct finding_text *out)
{
	size_t length;
	struct bytes number;

	if (!skip_word(&line, "  source "))
		return;
	for (length = line.size; length && line.data[length - 1] != ':'; length--)
		;
	number = (struct bytes){ line.data + length, line.size - length };
	if (length < 2 || !read_unsigned(&number, &out->source_line) || number.size)
		return;
	out->file = (struct bytes){ line.data, length - 1 };
}

void finding_text_read(struct bytes text, struct finding_text *out)
{
	struct bytes line = pop_line(&text);

	*out = (struct finding_text){ 0 };
	read_check(&line, out);
	out->what = line;
	read_kind(&line, out);
	read_access(line, out);
	read_address(line, out);
	/* Lines with text of the program follow these, each in its place. */
	if (read_kernel(pop_line(&text), out) && read_line_number(pop_line(&text), out))
		read_source(pop_line(&text), out);
}
