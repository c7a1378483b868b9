/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes: what they are told to be has a name, and its hint keeps to its room. */
#include "foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct foreign *foreign = foreign_find((struct bytes){ data, size });
	char path[200] = "", text[64];

	if (!foreign)
		return 0;
	memcpy(path, data, size < sizeof(path) ? size : sizeof(path) - 1);
	foreign_hint(foreign, path, text, sizeof(text));
	if (!*foreign->name || !*foreign->hint || !memchr(text, 0, sizeof(text)))
		__builtin_trap();
	return 0;
}
