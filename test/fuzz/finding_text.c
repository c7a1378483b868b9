/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes: what is read lies within them. */
#include "finding_text.h"

static void check_within(struct bytes whole, struct bytes part)
{
	if (part.size && (part.data < whole.data ||
			  !bytes_at(whole, (uint64_t)(part.data - whole.data), part.size)))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bytes whole = { data, size };
	struct finding_text out;

	finding_text_read(whole, &out);
	check_within(whole, out.what);
	check_within(whole, out.kernel);
	check_within(whole, out.file);
	if ((out.file.size && !out.line) || (out.line && !out.kernel.size) ||
	    (out.shared && !out.has_address) || (out.access && !out.kind && out.check))
		__builtin_trap();
	return 0;
}
