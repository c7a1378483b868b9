/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "special.h"

#include "asserts.h"

/* Counts the registers in rows that precede each one, and with it. */
enum {
#define SPECIAL(name, spelling, form, bytes)                                               \
	BEFORE_##name, UP_TO_##name = BEFORE_##name + (FORM_##form == FORM_ROW) - 1,
	SPECIALS
#undef SPECIAL
};

const struct special_info special_infos[SPECIAL_COUNT] = {
#define SPECIAL(name, spelling, form, bytes)                                               \
	[SPECIAL_##name] = { spelling, FORM_##form, bytes, BEFORE_##name },
	SPECIALS
#undef SPECIAL
	[SPECIAL_ZERO] = { "", FORM_ZERO, 4, 0 },
	[SPECIAL_ZERO_ONCE_NARROW] = { "", FORM_ZERO, 4, 0 },
	[SPECIAL_ZERO_WIDE] = { "", FORM_ZERO, 8, 0 },
};

/* Names of FORM_ZERO: a stem, a number below count (0: none), an end. */
static const struct {
	const char *stem;
	unsigned count;
	const char *end;
	enum special special;
} zeros[] = {
	{ "envreg", 32, "", SPECIAL_ZERO },
	{ "pm", 8, "", SPECIAL_ZERO },
	{ "pm", 8, "_64", SPECIAL_ZERO_WIDE },
	{ "tid.w", 0, "", SPECIAL_ZERO_ONCE_NARROW },
	{ "ntid.w", 0, "", SPECIAL_ZERO_ONCE_NARROW },
	{ "ctaid.w", 0, "", SPECIAL_ZERO_ONCE_NARROW },
	{ "nctaid.w", 0, "", SPECIAL_ZERO_ONCE_NARROW },
	{ "clusterid.w", 0, "", SPECIAL_ZERO },
	{ "nclusterid.w", 0, "", SPECIAL_ZERO },
	{ "cluster_ctaid.w", 0, "", SPECIAL_ZERO },
	{ "cluster_nctaid.w", 0, "", SPECIAL_ZERO },
	{ "current_graph_exec", 0, "", SPECIAL_ZERO_WIDE },
};

static int compare(struct ptx_name name, const char *spelling)
{
	size_t length = strlen(spelling);
	int order = memcmp(name.text, spelling, name.length < length ? name.length : length);

	return order ? order : (name.length > length) - (name.length < length);
}

/* Skips a number below @count that is spelt without needless zeros. */
static bool skip_number(struct ptx_name *name, unsigned count)
{
	unsigned value = 0, digits = 0;

	while (digits < 2 && digits < name->length && name->text[digits] >= '0' &&
	       name->text[digits] <= '9')
		value = value * 10 + (unsigned)(name->text[digits++] - '0');
	if (!digits || value >= count || (digits > 1 && name->text[0] == '0'))
		return false;
	*name = (struct ptx_name){ name->text + digits, name->length - digits };
	return true;
}

static enum special find_zero(struct ptx_name name)
{
	for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++) {
		uint32_t length = (uint32_t)strlen(zeros[i].stem);
		struct ptx_name rest = { name.text + length, name.length - length };

		if (name.length < length || memcmp(name.text, zeros[i].stem, length) != 0)
			continue;
		if (zeros[i].count && !skip_number(&rest, zeros[i].count))
			continue;
		if (!compare(rest, zeros[i].end))
			return zeros[i].special;
	}
	return SPECIAL_COUNT;
}

enum special special_find(struct ptx_name name)
{
	unsigned low = 0, high = SPECIAL_NAMED;

	if (!name.length || name.text[0] != '%')
		return SPECIAL_COUNT;
	name = (struct ptx_name){ name.text + 1, name.length - 1 };
	while (low < high) {
		unsigned middle = (low + high) / 2;
		const char *spelling = special_infos[middle].spelling;
		int order = compare(name, spelling);

		ASSERT(!middle || strcmp(special_infos[middle - 1].spelling, spelling) < 0);
		if (!order)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return find_zero(name);
}
