/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "response.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

#define MAX_RESPONSE_FILES 64
#define MAX_RESPONSE_SIZE (16 << 20) /* bytes of each */

/* Cuts the line at *@rest off, without the white space around it. NULL at the end. */
static char *next_line(char **rest)
{
	char *line = *rest;
	char *end;

	if (!line || !*line)
		return NULL;
	end = line + strcspn(line, "\n");
	*rest = *end ? end + 1 : end;
	while (end > line && strchr(" \t\r", end[-1]))
		end--;
	*end = '\0';
	return line + strspn(line, " \t");
}

static int read_words(char *text, struct texts *words, struct err *e)
{
	for (char *line; (line = next_line(&text));) {
		if (*line && *line != '#')
			TRY(texts_add(words, line, e));
	}
	return 0;
}

static void release_words(struct texts *words)
{
	free(words->at);
}

/* Puts @words in the place of the word at @index. */
static int splice(struct texts *into, size_t index, const struct texts *words,
		  struct err *e)
{
	size_t rest = into->count - index - 1;
	const char **grown =
		reallocarray(into->at, into->count + words->count, sizeof(*grown));

	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	into->at = grown;
	memmove(grown + index + words->count, grown + index + 1, rest * sizeof(*grown));
	if (words->count)
		memcpy(grown + index, words->at, words->count * sizeof(*grown));
	into->count = index + words->count + rest;
	return 0;
}

int response_splice(struct options *options, size_t index, const char *path,
		    struct err *e)
{
	CLEANUP(release_words) struct texts words = { 0 };
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
	TRY(read_words(text, &words, e));
	return splice(&options->words, index, &words, e);
}
