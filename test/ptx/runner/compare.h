/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packs the values of a list into memory and compares memory with a list. */
#ifndef PTX_COMPARE_H
#define PTX_COMPARE_H

#include "spec.h"

enum { VALUE_TEXT = 64 };

/* Bytes that the values of @list take. */
size_t list_bytes(const struct list *list);

/* Writes the values of @list, list_bytes() of them; _ and nan write a pattern. */
void list_pack(const struct list *list, uint8_t *to);

/* The value at @index of @memory, which holds values of @type. */
uint64_t value_at(const struct value_type *type, const uint8_t *memory, size_t index);

/* Writes a value as a failure shows it: "-1 (0xffffffff)". */
void value_text(const struct value_type *type, uint64_t bits, char text[VALUE_TEXT]);
void element_text(const struct list *list, size_t index, char text[VALUE_TEXT]);

/* How many values of @got are not as @want says; *@first is the first of them. */
size_t list_differences(const struct list *want, const uint8_t *got, size_t *first);

/* A digest of no bytes (FNV-1a). */
#define DIGEST_NONE 0xcbf29ce484222325u

/* @digest with @count bytes added. */
uint64_t digest_bytes(uint64_t digest, const uint8_t *bytes, size_t count);

/* @digest with @bytes, which @list says the type of. A NaN in f64 is any: which of its operands' NaNs
 * an instruction passes on is left to the host's. */
uint64_t digest_memory(uint64_t digest, const struct list *list, const uint8_t *bytes);

/* @digest with those of @bytes added that @want says all bits of; without any of a set. */
uint64_t digest_list(uint64_t digest, const struct list *want, const uint8_t *bytes);

#endif
