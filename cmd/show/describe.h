/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the modes that describe files and run nothing have in common. */
#ifndef CMD_DESCRIBE_H
#define CMD_DESCRIBE_H

#include "json.h"
#include "plan.h"

/* Writes members into the object that is open. */
typedef int describe_members(struct json *json, const struct plan *plan, void *data,
			     struct err *e);

/*
 * Writes the object that --json asks for: the files with their damage, what @members writes
 * with @data, and "exit" and "error" for @failure or, where that is NULL, for their
 * damage; the stage of an error is @mode, the option's name. Fails as @members does, or with
 * GPURUN_NO_MEMORY or GPURUN_IO.
 */
int describe_json(const struct plan *plan, const char *mode, describe_members *members,
		  void *data, const struct err *failure, struct err *e);

/* Returns GPURUN_FORMAT, and says which, when a file is damaged. */
int describe_damage(const struct plan *plan, struct err *e);

#endif
