/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of our libcudart, by number: those of cudart_api.def, with their twins. */
#ifndef START_NAME_H
#define START_NAME_H

#include "bytes.h"

#define NAME(name) NAME_##name,
#define NAME_PTSZ(name) NAME_##name, NAME_##name##_ptsz,
#define NAME_PTDS(name) NAME_##name, NAME_##name##_ptds,
#define CUDART(name, ...) NAME(name)
#define CUDART_PTSZ(name, ...) NAME_PTSZ(name)
#define CUDART_PTDS(name, ...) NAME_PTDS(name)
#define CUDART_OWN_PTSZ(name, ...) NAME_PTSZ(name)
#define CUDART_OTHER(name) NAME(name)
#define CUDART_REFUSED(name) NAME(name)
#define CUDART_REFUSED_PTSZ(name) NAME_PTSZ(name)
#define CUDART_REFUSED_PTDS(name) NAME_PTDS(name)
enum name {
#include "cudart_api.def"
	NAMES
};
#undef NAME
#undef NAME_PTSZ
#undef NAME_PTDS

/* Finds the function whose name is the string that @text begins with; NAMES: there is none. */
enum name name_find(struct bytes text);

/* What the function @name is called. */
const char *name_text(enum name name);

/* Tells whether @text begins with @prefix. */
bool name_begins(struct bytes text, const char *prefix);

#endif
