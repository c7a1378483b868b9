/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that the driver provides to kernels (builtins.def): a call that one lane makes. */
#ifndef CPU_GUEST_H
#define CPU_GUEST_H

#include "state.h"

/* One lane's call. */
struct guest {
	struct warp *w;
	const struct op *ip;
	unsigned lane;
	struct hit hit; /* of the last guest_read() */
};

/* Argument of @size bytes at byte @offset of the call's frame. */
uint64_t guest_argument(const struct guest *guest, uint32_t offset, uint32_t size);

/* Stores a result of @size bytes at byte @offset of the call's frame, after the arguments. */
void guest_result(const struct guest *guest, uint32_t offset, uint64_t value, uint32_t size);

/* vprintf(format, arguments) and __assertfail(message, file, line, function, size of a
 * character), for print.c to execute. False after a fault. */
bool print_lane(struct guest *guest);
bool assert_lane(struct guest *guest);

#endif
