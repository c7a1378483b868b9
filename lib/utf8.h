/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* UTF-8 in texts that may have any bytes. */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

/*
 * Counts the bytes of the sequence at @at, in a text that a NUL ends, and sets *@code to its
 * code point; 0 when it is none.
 */
static inline int utf8_sequence(const unsigned char *at, unsigned *code)
{
	static const unsigned least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	const int length = *at < 0x80	    ? 1
			   : *at >> 5 == 6  ? 2
			   : *at >> 4 == 14 ? 3
			   : *at >> 3 == 30 ? 4
					    : 0;

	*code = length ? *at & (0xffu >> (length + (length > 1))) : 0;
	for (int i = 1; i < length; i++) {
		if (at[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	if (!length || (length > 1 && *code < least[length]) || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return length;
}

#endif
