/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of the files that --extract writes. */
#ifndef CMD_EXTRACT_NAME_H
#define CMD_EXTRACT_NAME_H

#include "image.h"

/* Bytes of a name with its NUL. */
enum { EXTRACT_NAME_SIZE = 256 };

/*
 * Prints "0003.sm_90.nv_fatbin.cubin" to @text: number, @scope (of a --load, else ""),
 * architecture, where @image is, kind. Whatever a file says, it is one name of letters,
 * digits, '.', '_', '+' and '-' that begins with a digit.
 */
void extract_name(const char *scope, size_t number, const struct image *image,
		  char text[EXTRACT_NAME_SIZE]);

#endif
