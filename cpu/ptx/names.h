/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Declared names: of a module, or of a function body with its nested scopes.
 * A later declaration hides an earlier one until names_cut() removes it.
 * The texts are borrowed.
 */
#ifndef CPU_NAMES_H
#define CPU_NAMES_H

#include "cleanup.h"
#include "ptx.h"

enum name_kind {
	NAME_REGISTER,  /* index: of the register */
	NAME_SYMBOL,    /* index: of a variable */
	NAME_FUNCTION,  /* index: of a function of the module */
	NAME_LABEL,     /* index: of a label */
	NAME_TABLE,     /* index: of a .branchtargets or .calltargets list */
	NAME_PROTOTYPE, /* index: of a .callprototype */
	NAME_VECTOR,    /* ".v4 .f32 v": index of its first register; lanes of them */
	/* Of numbered names, of which there are count: */
	NAME_REGISTERS, /* "%r<9>": index of the first register */
	NAME_SYMBOLS,   /* ".param .u64 %P<2>": index of the first variable */
	NAME_VECTORS,   /* ".v4 .f32 v<3>": index of the first register of the first */
};

struct name {
	struct ptx_name text;
	uint32_t hash, next; /* the next older one in its bucket, plus 1 */
	enum name_kind kind;
	uint32_t index, count;
	uint32_t lanes;      /* of vectors; 1 for others */
};

struct names {
	struct name *items;  /* owned; oldest first */
	uint32_t count;
	uint32_t *buckets;   /* owned; newest of each bucket, plus 1 */
	uint32_t mask;
	uint64_t *steps;     /* borrowed: counts the declarations that look-ups compare; or NULL */
};

/* Adds a declaration. GPURUN_NO_MEMORY. */
int names_add(struct names *names, struct ptx_name text, enum name_kind kind, uint32_t index,
	      uint32_t count, struct err *e);

/* The newest declaration of @text itself, or NULL. Valid until the next names_add(). */
const struct name *names_find(const struct names *names, struct ptx_name text);

/*
 * The newest declaration of @text, itself or as a numbered name, as "%r2" is of "%r<9>":
 * *@number is then 2, otherwise 0. NULL when there is none; valid as above.
 */
const struct name *names_find_numbered(const struct names *names, struct ptx_name text,
				       uint32_t *number);

/* The newest declaration of numbered names from "@stem<N>", or NULL; valid as above. */
const struct name *names_find_stem(const struct names *names, struct ptx_name stem);

/* Forgets all but the oldest @count declarations. */
void names_cut(struct names *names, uint32_t count);

/* Accepts a zeroed one. */
void names_release(struct names *names);

static inline bool name_equal(struct ptx_name a, struct ptx_name b)
{
	return a.length == b.length && !memcmp(a.text, b.text, a.length);
}

#endif
