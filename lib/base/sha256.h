/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SHA-256 (FIPS 180-4), to name a file by its content. */
#ifndef LIB_SHA256_H
#define LIB_SHA256_H

#include "bytes.h"

#define SHA256_TEXT_SIZE 65

/* Writes the hash of @bytes to @text as 64 hexadecimal digits. */
void sha256(struct bytes bytes, char text[SHA256_TEXT_SIZE]);

#endif
