/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a link was given so far. Needs no lock. */
#ifndef CPU_LINK_INPUT_H
#define CPU_LINK_INPUT_H

#include <stdbool.h>

#include "cuda_abi.h"
#include "link_check.h"

struct link_list {
	struct link_text *texts;      /* owned, as the text and the name of each */
	size_t count;
	struct link_machine *machine; /* owned, as the name of each */
	size_t machine_count;
	char **names;                 /* owned, and each: of inputs without PTX */
	size_t name_count;
};

/*
 * Adds @image, called @name in messages, which may be NULL: text, or of each translation unit in
 * it, which are the members of an archive and the fatbins of an object file if @objects, the best
 * PTX. Of one without PTX the names are noted, and it is passed over; 209 if it has a kernel that
 * others may use, or nothing that may be linked. Else fails as jit_text() does.
 */
CUresult link_list_add(struct link_list *list, struct bytes image, bool objects, const char *name,
		       struct err *e);

/* Accepts a zeroed one. */
void link_list_release(struct link_list *list);

#endif
