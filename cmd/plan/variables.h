/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Variables of a module, in global or constant memory, as buffers of the plan: what looks at a
 * buffer or writes one takes them too, as sym:NAME.
 */
#ifndef CMD_VARIABLES_H
#define CMD_VARIABLES_H

#include "plan.h"

/* What is said of a variable besides its name. */
struct variable_form {
	bool has_type, has_shape;
	enum value_type type;
	struct shape shape;
	bool raw; /* without a type its bytes will do */
};

/*
 * Finds the variable that the @length bytes of @name mean - its symbol, or what that is in
 * C++ without parameters: "ns::table" - in the files of @plan, and the buffer that stands for
 * it in @form; adds one where there is none. Without a type it has that of the image, or that
 * which another action has said; without a shape it is all of the variable, in a row.
 * GPURUN_NOT_FOUND lists what there is; GPURUN_INVALID: no type is known, or the shape is larger
 * than the variable; several images may have it: GPURUN_NOT_FOUND too.
 */
int variable_find(struct plan *plan, const char *name, size_t length,
		  const struct variable_form *form, size_t *index, struct err *e);

/* Takes "TYPE:" off the front of *@text into @form, if it is there. */
void variable_form_take(const char **text, struct variable_form *form);

/* Tells whether @text is sym:NAME. */
bool place_is_variable(const char *text);

/* variable_find() for NAME or sym:NAME. */
int variable_find_marked(struct plan *plan, const char *text, size_t length,
			 const struct variable_form *form, size_t *index, struct err *e);

/* The bytes of @text, "BUF..." or "sym:NAME...", before ':' or '='; "::" belongs to a name. */
size_t place_length(const char *text);

/* Finds what the @length bytes of @text name: BUF, or sym:NAME in @form. As buffer_find() and
 * variable_find(). */
int place_find(struct plan *plan, const char *text, size_t length,
	       const struct variable_form *form, size_t *index, struct err *e);

#endif
