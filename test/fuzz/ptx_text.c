/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: lib/ptx/ptx_text.c */
#include "ptx_text.h"
#include "fuzz.h"
#include "ptx.h"

/* What was accepted is a text that the reader of PTX accepts alone. */
static void check_text(struct bytes bytes, uint64_t offset, const struct ptx_text *text)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	struct ptx_extent extent;
	struct bytes slice;
	struct err e = { 0 };

	if (text->end > bytes.size ||
	    !bytes_slice(bytes, text->begin, text->end - text->begin, &slice))
		abort();
	if (ptx_open(slice, &ptx, &e) || (!ptx->function_count && !ptx->variable_count) ||
	    !ptx_sniff(slice) || memchr(slice.data, 0, slice.size))
		abort();
	ptx_free(ptx);
	if (ptx_open_first(slice, &ptx, &extent, &e) || !extent.all || !extent.begun)
		abort();
	if (text->begin > offset || text->end <= offset)
		abort();
}

/* Any bytes, and each place where a text may be: what ends one is beyond its mark, and no two of
 * them overlap. What a reader accepts as a whole begins there, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bytes bytes = { data, size };
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	uint64_t first = 0;
	struct ptx_extent extent;
	struct err e = { 0 };

	for (uint64_t offset = 0; offset < size; offset++) {
		struct ptx_text text;

		if (!ptx_text_sniff(bytes, offset))
			continue;
		e = (struct err){ 0 };
		if (ptx_text_measure(bytes, offset, first, &text, &e)) {
			if (!e.text[0] || text.begin < first || text.begin > offset ||
			    text.end <= offset || (text.torn && !text.begun && !e.code))
				abort();
		} else {
			if (text.begin < first)
				abort();
			check_text(bytes, offset, &text);
			offset = text.end - 1;
		}
		first = offset + 1;
	}
	if (!ptx_open(bytes, &ptx, &e) &&
	    (ptx_free(STEAL(ptx)), ptx_open_first(bytes, &ptx, &extent, &e) || !extent.all))
		abort();
	return 0;
}
