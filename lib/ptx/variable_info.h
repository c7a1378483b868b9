/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A variable in global or constant memory, as PTX text or a cubin describes it:
 * it outlives a launch, and its kernels, or code that has its address, can
 * write it.
 */
#ifndef LIB_VARIABLE_INFO_H
#define LIB_VARIABLE_INFO_H

#include <stddef.h>
#include <stdint.h>

struct variable_info {
	const char *name; /* borrowed, not terminated */
	size_t length;    /* of the name; 0: the image does not name it */
	uint64_t size;    /* bytes; 0 when that is not known */
	const char *type; /* of its elements, as in PTX: "f32", "b8"; "" when the image does not
			   * say. Borrowed */
};

/* Called for one variable after the other. */
typedef void variable_visitor(const struct variable_info *variable, void *data);

#endif
