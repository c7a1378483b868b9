/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/api/link_merge.c */
#include <stdlib.h>

#include "fuzz.h"
#include "link_merge.h"
#include "ptx.h"

/* Any two texts, a form feed between them: they are refused with a reason, or one that parses
 * comes of them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = size ? memchr(data, '\f', size) : NULL;
	const size_t first = cut ? (size_t)(cut - data) : size;
	const struct bytes texts[] = { { data, first },
				       { data + first + (cut != NULL), cut ? size - first - 1 : 0 } };
	struct ptx *ptx = NULL;
	struct bytes merged;
	struct err e = { 0 };

	if (!size)
		return 0;
	if (link_merge(texts, cut ? 2 : 1, 40, &merged, &e)) {
		if (!e.text[0])
			abort();
		return 0;
	}
	if (ptx_open(merged, &ptx, &e))
		abort();
	ptx_free(ptx);
	free((void *)merged.data);
	return 0;
}
