/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "listing.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdatomic.h>

#include "config.h"
#include "demangle.h"
#include "line_rank.h"
#include "visible.h"

static bool matches(const char *pattern, const char *name)
{
	return name && !fnmatch(pattern, name, 0);
}

bool listing_matches(const char *pattern, const char *name)
{
	CLEANUP(free_pointer) char *signature = NULL;
	CLEANUP(free_pointer) char *qualified = NULL;
	CLEANUP(free_pointer) char *base = NULL;

	if (!*pattern)
		return false;
	if (matches(pattern, name))
		return true;
	signature = demangle(name);
	qualified = signature ? demangle_qualified(signature) : NULL;
	base = qualified ? demangle_base(qualified) : NULL;
	return matches(pattern, qualified) || matches(pattern, base);
}

static atomic_bool lowered, printed[2];

void listing_lowered(void)
{
	atomic_store(&lowered, true);
}

void listing_printed(enum listing listing)
{
	atomic_store(&printed[listing], true);
}

void listing_report_empty(void)
{
	if (!atomic_load(&lowered))
		return;
	if (*config.dump && !atomic_load(&printed[LISTING_DUMP]))
		visible_printf(stderr, "gpurun: %sdump=%s: no kernel that was launched has this "
			       "name\n", line_rank(), config.dump);
	if (*config.trace.kernel && !atomic_load(&printed[LISTING_TRACE]))
		visible_printf(stderr, "gpurun: %strace=%s: no thread that ran is of a kernel, "
			       "block and thread that match\n", line_rank(), config.trace.kernel);
}

struct bytes listing_text(const struct program *program, const struct insn *insn)
{
	const uint8_t *opcode = (const uint8_t *)insn->opcode.text;
	const uint8_t *first = program->text.data, *end = first + program->text.size;
	const uint8_t *from = opcode, *to = opcode;

	/* An opcode with blanks in it is a copy. */
	if (opcode < first || opcode >= end)
		return (struct bytes){ opcode, insn->opcode.length };
	/* Not every guard is in the text: simplify.h adds some. */
	while (insn->guard != NO_GUARD && from > first && *from != '@' && !strchr(";{}:", *from))
		from--;
	if (*from != '@')
		from = opcode;
	while (to < end && *to != ';')
		to++;
	while (to > opcode && isspace(to[-1]))
		to--;
	return (struct bytes){ from, (size_t)(to - from) };
}

void listing_print(FILE *to, struct bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		const bool blank = isspace(text.data[i]);

		if (!blank)
			fputc(text.data[i], to);
		else if (i && !isspace(text.data[i - 1]))
			fputc(' ', to);
	}
}

const char *listing_register(const struct body *body, uint32_t index, char text[REGISTER_NAME])
{
	const struct declared_registers *found = NULL;

	for (size_t i = 0; i < body->declared_count && body->declared[i].first <= index; i++)
		found = &body->declared[i];
	if (!found)
		snprintf(text, REGISTER_NAME, "register %u", index);
	else if (found->range)
		snprintf(text, REGISTER_NAME, "%.*s%u", (int)found->name.length, found->name.text,
			 index - found->first);
	else if (index == found->first)
		snprintf(text, REGISTER_NAME, "%.*s", (int)found->name.length, found->name.text);
	else /* an element of a vector */
		snprintf(text, REGISTER_NAME, "%.*s.%u", (int)found->name.length,
			 found->name.text, index - found->first);
	return text;
}
