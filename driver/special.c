/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "special.h"

const struct special_info special_infos[SPECIAL_COUNT] = {
#define SPECIAL(name, spelling, form, bytes)                                               \
	[SPECIAL_##name] = { spelling, FORM_##form, bytes },
	SPECIALS
#undef SPECIAL
};

static int compare(struct ptx_name name, const char *spelling)
{
	size_t length = strlen(spelling);
	int order = memcmp(name.text, spelling, name.length < length ? name.length : length);

	return order ? order : (name.length > length) - (name.length < length);
}

enum special special_find(struct ptx_name name)
{
	unsigned low = 0, high = SPECIAL_COUNT;

	if (!name.length || name.text[0] != '%')
		return SPECIAL_COUNT;
	name = (struct ptx_name){ name.text + 1, name.length - 1 };
	while (low < high) {
		unsigned middle = (low + high) / 2;
		int order = compare(name, special_infos[middle].spelling);

		if (!order)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return SPECIAL_COUNT;
}
