/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Releasing what a run has on the device. A step that fails does not stop the
 * next one; the error names all that failed.
 */
#ifndef CMD_RELEASE_H
#define CMD_RELEASE_H

#include "run.h"

/* Unloads what was loaded of @source, the newest first. */
int release_source(struct run *run, const struct source *source, struct err *e);

/*
 * Releases everything but the modules after a run in which all went well, so that
 * what is left is a leak. The library unloads the modules when the process ends; only
 * those with device destructors go here, since these may use the buffers.
 */
int release_run(struct run *run, struct err *e);

#endif
