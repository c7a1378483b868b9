/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the checker finds in kernels. Safe from any thread. */
#ifndef CPU_FINDING_H
#define CPU_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

struct op;
struct warp;

/*
 * Counts a finding of @check by @w at @ip, and tells whether it is news: whether
 * finding_add() is wanted. One line of a kernel's PTX is told once.
 */
bool finding_is_news(const struct warp *w, const struct op *ip, enum check check);

/* Reports a finding that is news, with the @lanes of @w that stand at @ip. */
void finding_add(const struct warp *w, const struct op *ip, uint32_t lanes, enum check check,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
