/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernel that --against names, launched as that of the command line is, on the same buffers. */
#ifndef CMD_AGAINST_H
#define CMD_AGAINST_H

#include "cleanup.h"
#include "run.h"

struct against;

/*
 * Plans what --against of @ours names: FILE, FILE:KERNEL, or :KERNEL of the same file. Without a
 * KERNEL it is the one that --launch names. *@out is released by the caller (against_free). As
 * plan_open() and plan_make(), and GPURUN_INVALID where there is not one launch, of FILE.
 */
int against_plan(const struct plan *ours, struct against **out, struct err *e);

/* Its run, which has begun nothing yet. */
struct run *against_run(struct against *against);

/* Takes NULL. */
void against_free(struct against *against);

DEFINE_CLEANUP(free_against, struct against *, against_free)

#endif
