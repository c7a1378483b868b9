/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/exec/link_merge.c cpu/exec/link_names.c cpu/exec/link_check.c */
#include <stdlib.h>

#include "fuzz.h"
#include "link_check.h"
#include "ptx.h"

enum { MOST = 16 };

struct parts {
	struct link_text texts[MOST];
	struct link_machine machine[MOST];
	struct link_inputs inputs;
};

/* What begins with \v is a name that an input has as machine code alone. */
static void add_part(struct parts *parts, struct bytes part)
{
	struct link_inputs *inputs = &parts->inputs;

	if (part.size && part.data[0] == '\v' && inputs->machine_count < MOST)
		parts->machine[inputs->machine_count++] = (struct link_machine){
			strndup((const char *)part.data + 1, part.size - 1), "machine"
		};
	else if (inputs->count < MOST)
		parts->texts[inputs->count++] = (struct link_text){ part, "text", 0 };
}

static void split(struct parts *parts, const uint8_t *data, size_t size)
{
	while (size) {
		const uint8_t *cut = memchr(data, '\f', size);
		const size_t length = cut ? (size_t)(cut - data) : size;

		add_part(parts, (struct bytes){ data, length });
		data += length + (cut != NULL);
		size -= length + (cut != NULL);
	}
	parts->inputs.texts = parts->texts;
	parts->inputs.machine = parts->machine;
}

/* Any texts, form feeds between them: they are refused with a reason, or one that parses comes of
 * them, of which the same is known. */
static void link_parts(struct parts *parts)
{
	struct ptx *ptx = NULL;
	struct bytes merged;
	struct err e = { 0 };

	if (link_merge(parts->texts, parts->inputs.count, 40, &merged, &e)) {
		if (!e.text[0])
			abort();
		return;
	}
	if (ptx_open(merged, &ptx, &e))
		abort();
	if (link_check(merged, &parts->inputs, &e) && !e.text[0])
		abort();
	ptx_free(ptx);
	free((void *)merged.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parts parts = { 0 };

	split(&parts, data, size);
	if (parts.inputs.count)
		link_parts(&parts);
	for (size_t i = 0; i < parts.inputs.machine_count; i++)
		free(parts.machine[i].name);
	return 0;
}
