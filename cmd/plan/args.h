/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The arguments of a launch, checked by the parameters of its kernel. */
#ifndef CMD_ARGS_H
#define CMD_ARGS_H

#include "plan.h"

struct texts;

/* Parses -a @texts into @list and declares the buffers among them. GPURUN_INVALID. */
int args_parse(struct plan *plan, const struct texts *texts, struct arg_list *list,
	       struct err *e);

/* Resolves the names in @list; all buffers are declared by now. GPURUN_INVALID. */
int args_resolve(struct plan *plan, struct arg_list *list, struct err *e);

/*
 * Fills the slots of @launch from @list. Count, size and, where the image
 * has them, types must agree: GPURUN_INVALID with the kernel's signature as
 * the hint.
 */
int args_bind(struct plan *plan, struct launch *launch, const struct arg_list *list,
	      struct err *e);

/* The list of the launch @step: its own, or that before the first launch. */
const struct arg_list *args_of(const struct plan *plan, const struct step *step);

/* Tells whether @buffer of the plan is among @list. */
bool args_have(const struct arg_list *list, size_t buffer);

void arg_list_release(struct arg_list *list);

/* The same for one of its own; takes a pointer to NULL. */
void arg_list_free(struct arg_list **list);

/* Prints "vadd(u64@0, u32@8)" to @text; a cubin's parameters are sizes: "8B@0". */
void args_signature(const char *name, const struct kernel_info *info, char *text,
		    size_t size);

#endif
