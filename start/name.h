/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of our libcudart, by number: those of cudart_api.def, with their twins. */
#ifndef START_NAME_H
#define START_NAME_H

#include "bytes.h"

enum name {
#define NAME(name) NAME_##name,
#include "name.def"
	NAMES
};

/* Finds the function whose name is the string that @text begins with; NAMES: there is none. */
enum name name_find(struct bytes text);

/* What the function @name is called. */
const char *name_text(enum name name);

/* Tells whether @text begins with @prefix. */
bool name_begins(struct bytes text, const char *prefix);

#endif
