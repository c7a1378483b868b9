/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the checker finds in kernels. Safe from any thread. */
#ifndef CPU_FINDING_H
#define CPU_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "report.h"

struct op;
struct warp;

/*
 * Counts a finding of @check by @w at @ip, and tells whether it is the first of that
 * line of the kernel's PTX: only then finding_add() is to be called.
 */
bool finding_is_news(const struct warp *w, const struct op *ip, enum check check);

/* Reports a finding that is the first, with the @lanes of @w that are at @ip. */
void finding_add(const struct warp *w, const struct op *ip, uint32_t lanes, enum check check,
		 struct about about, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#endif
