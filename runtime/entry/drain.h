/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The wait for the work that is left when the program ends. */
#ifndef RUNTIME_DRAIN_H
#define RUNTIME_DRAIN_H

#include <stdbool.h>

struct deadline;

/*
 * Waits until all work of every device is done, at most until @deadline. False
 * when some is left, which api_failed() gets, or when the driver cannot be asked:
 * nothing can be released then.
 */
bool drain_devices(const struct deadline *deadline);

#endif
