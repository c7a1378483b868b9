/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the CPU device counted of a launch (counted.h), as reports have it. */
#ifndef CMD_COUNTS_H
#define CMD_COUNTS_H

#include <stddef.h>

#include "counted.h"
#include "json.h"

enum { COUNTS_TEXT = 512 };

/* Writes the object "counted". */
void counts_report(struct json *json, const struct counted *counted);

/* "global_read 4096, f32 1024": what is not 0; "nothing". Returns @text. */
const char *counts_text(const struct counted *counted, char text[COUNTS_TEXT]);

#endif
