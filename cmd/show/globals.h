/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The variables in global and constant memory that images define. */
#ifndef CMD_GLOBALS_H
#define CMD_GLOBALS_H

#include "json.h"
#include "plan.h"

/* Every container. */
#define GLOBALS_ALL UINT32_MAX

/*
 * Writes each variable of each image of @container of @source into the array that is open in
 * @json, or prints a line of it where @json is NULL: below an empty line and @heading, if
 * that is not NULL. What cannot be read is left out.
 */
void globals_print(const struct source *source, uint32_t container, const char *heading,
		  struct json *json);

#endif
