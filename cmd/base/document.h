/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all objects that --json prints have in common. */
#ifndef CMD_DOCUMENT_H
#define CMD_DOCUMENT_H

#include "compare.h"
#include "err.h"
#include "gpurun.h"
#include "json.h"

/* Opens the object with "schema" and "version". */
void document_begin(struct json *json);

/*
 * Writes "device": the @selector that was asked for and, of the device that this
 * found, @info; NULL: none was opened, and these members are null.
 */
void document_device(struct json *json, const char *selector,
		     const struct gpurun_device_info *info);

/* Writes the members of a device, but for its selector, into an open object. */
void document_device_info(struct json *json, const struct gpurun_device_info *info);

/* Writes the members of @tolerance into an open object. */
void document_tolerance(struct json *json, const struct tolerance *tolerance);

/* Writes "exit". */
void document_exit(struct json *json, int code, const char *name, const char *source);

/* Writes "error": where it went wrong, and @error. */
void document_error(struct json *json, const char *stage, const struct err *error);

/*
 * Writes "exit" for the status @status of ours, "error" if that is a failure, whose text
 * @error has, and closes the object and its line.
 */
void document_end(struct json *json, int status, const char *stage, const struct err *error);

#endif
