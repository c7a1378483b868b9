/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arguments of several values: a structure by value ("struct:p,i32=8,f32=2.0"), and a buffer of
 * addresses ("ptrs:a,b,null").
 */
#ifndef CMD_PARTS_H
#define CMD_PARTS_H

#include "plan.h"

/* Splits the payload of a struct: or ptrs: argument, which is "A,B,C", and parses what is there:
 * *@out is owned by the caller (arg_list_free). GPURUN_INVALID for what cannot be a part. */
int parts_parse(struct plan *plan, const struct arg *arg, struct arg_list **out, struct err *e);

/*
 * Lays out the parts of a structure as C does: each aligned to its size, the whole to the
 * largest. @slot gets the bytes and the addresses that go into them; the names in @list are
 * resolved. *@size: bytes. GPURUN_INVALID, GPURUN_NO_MEMORY.
 */
int parts_lay_out(const struct arg_list *list, struct slot *slot, uint64_t *size,
		  struct err *e);

/* Declares the buffer of the addresses of @list as argument @position; its index. */
int parts_pointers(struct plan *plan, const struct arg_list *list, size_t position,
		   size_t *index, struct err *e);

#endif
