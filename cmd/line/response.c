/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "response.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "file.h"
#include "options.h"

#define MAX_RESPONSE_FILES 64
#define MAX_RESPONSE_SIZE (16 << 20) /* bytes of each */

/* The words of a file, and the line of each. */
struct lines {
	struct texts words;
	struct place *places; /* owned; by word */
	struct place at;      /* where the reading is */
};

static int add_response_word(struct lines *lines, char *word, struct err *e)
{
	struct place *grown = reallocarray(lines->places, lines->words.count + 1, sizeof(*grown));

	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	lines->places = grown;
	grown[lines->words.count] = lines->at;
	return texts_add(&lines->words, word, e);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts off the white space around @text. */
static char *trim(char *text)
{
	size_t length = strlen(text);

	while (length && is_space(text[length - 1]))
		text[--length] = '\0';
	return text + strspn(text, " \t");
}

/* Cuts off a comment: # at the begin, or with white space before it. */
static void cut_comment(char *line)
{
	for (char *at = line; (at = strchr(at, '#')); at++) {
		if (at == line || is_space(at[-1])) {
			*at = '\0';
			return;
		}
	}
}

/* A line is a word, or an option and, after white space, its value: the rest of the line. */
static int read_line(struct lines *lines, char *line, struct err *e)
{
	size_t length;

	cut_comment(line);
	line = trim(line);
	if (!*line)
		return 0;
	length = *line == '-' ? strcspn(line, " \t") : strlen(line);
	if (!line[length])
		return add_response_word(lines, line, e);
	line[length] = '\0';
	TRY(add_response_word(lines, line, e));
	return add_response_word(lines, trim(line + length + 1), e);
}

static int read_words(char *text, struct lines *lines, struct err *e)
{
	for (char *line; (line = strsep(&text, "\n"));) {
		lines->at.line++;
		TRY(read_line(lines, line, e));
	}
	return 0;
}

static void release_lines(struct lines *lines)
{
	free(lines->words.at);
	free(lines->places);
}

/* Makes room for @count elements of @size bytes in the place of the one at @index of @have. */
static int make_room(void *array, size_t have, size_t index, size_t count, size_t size,
		     struct err *e)
{
	char *grown = reallocarray(*(void **)array, have + count, size);

	ASSERT(index < have);
	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	*(void **)array = grown;
	memmove(grown + (index + count) * size, grown + (index + 1) * size,
		(have - index - 1) * size);
	return 0;
}

/* Puts @lines in the place of the word at @index. */
static int splice(struct options *into, size_t index, const struct lines *lines, struct err *e)
{
	struct texts *words = &into->words;
	size_t count = lines->words.count;

	TRY(make_room(&words->at, words->count, index, count, sizeof(*words->at), e));
	TRY(make_room(&into->places, words->count, index, count, sizeof(*into->places), e));
	if (count) {
		memcpy(words->at + index, lines->words.at, count * sizeof(*words->at));
		memcpy(into->places + index, lines->places, count * sizeof(*into->places));
	}
	words->count += count - 1;
	return 0;
}

int response_splice(struct options *options, size_t index, const char *path,
		    struct err *e)
{
	CLEANUP(release_lines) struct lines lines = { .at.file = path };
	CLEANUP(free_pointer) uint8_t *data = NULL;
	char *text;
	size_t size;

	if (options->files.count == MAX_RESPONSE_FILES)
		return err_set(e, GPURUN_INVALID,
			       "@%s: more than %d response files; does one name itself?",
			       path, MAX_RESPONSE_FILES);
	if (file_take_stdin(path, "a response file", e))
		return err_wrap(e, "@-");
	TRY(file_read(path, MAX_RESPONSE_SIZE, &data, &size, e));
	if (memchr(data, '\0', size))
		return err_set(e, GPURUN_INVALID, "@%s: not a text file", path);
	TRY(texts_add(&options->files, (char *)data, e));
	text = (char *)STEAL(data);
	TRY(read_words(text, &lines, e));
	return splice(options, index, &lines, e);
}
