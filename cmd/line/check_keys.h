/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The value of --check: names of checks, and keys of what the checks do. */
#ifndef CMD_CHECK_KEYS_H
#define CMD_CHECK_KEYS_H

#include <stdbool.h>

#include "err.h"

struct options;

/*
 * Takes the keys out of the value of --check, or of its variable: options->check has only the names
 * of checks then, which the CPU device reads, and options->check_status the number of exitcode=N.
 * --error-exitcode, the old spelling of that key, is read with it. Call it once. GPURUN_INVALID;
 * GPURUN_NO_MEMORY.
 */
int check_keys_read(struct options *options, struct err *e);

/*
 * Tells whether @text can only be meant for --check: names of checks, and keys, with commas
 * between them.
 */
bool check_keys_are(const char *text);

/*
 * Reads @text, an exit status that comes after @said in an option, into *@status. GPURUN_INVALID
 * names both: "--no-device-exit 300".
 */
int status_read(const char *said, const char *text, int *status, struct err *e);

#endif
