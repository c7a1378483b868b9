/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which of several processes this one is, by the environment that the launcher of a parallel job
 * (mpirun, srun) gives each. gpurun starts none of them itself.
 */
#ifndef CMD_RANK_H
#define CMD_RANK_H

#include "err.h"

enum rank_kind {
	RANK_GLOBAL, /* among all processes of the job */
	RANK_LOCAL,  /* among those on this machine */
};

/*
 * Reads the rank of @kind into *@rank; -1 where no variable has it. A variable that is empty
 * counts as one that is not set. GPURUN_INVALID for one that is not a number.
 */
int rank_read(enum rank_kind kind, int *rank, struct err *e);

/* The same, but GPURUN_INVALID names the variables where none has it. */
int rank_require(enum rank_kind kind, int *rank, struct err *e);

#endif
