/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel in JSON, as --list and --info have it, and what its images say of it. */
#ifndef CMD_KERNEL_JSON_H
#define CMD_KERNEL_JSON_H

#include "json.h"
#include "plan.h"

/* What a cubin knows and PTX does not, of the last image that has it; -1: none has. */
struct resources {
	int registers;
	int64_t shared;
};

/* Adds what @info has. */
void resources_add(struct resources *resources, const struct kernel_info *info);

/* The kernel called @name of image @number of @source; NULL when the image is not wanted or has
 * no such kernel. */
const struct kernel_info *kernel_of_image(const struct source *source, size_t number,
					  const char *name);

/* "local", "shared", ...: what a parameter declared .ptr points to. Static. */
const char *param_space_name(enum param_space space);

/*
 * Writes the members of @kernel into an open object; with @whole also those that --info alone
 * says, of the kernel and of each image.
 */
void kernel_json(struct json *json, const struct plan *plan, const struct lookup_kernel *kernel,
		 bool whole);

#endif
