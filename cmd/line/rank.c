/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The variables of each launcher, in the order in which they count. Slurm is last: a job's script
 * has its variables too, and so all that another launcher starts from there.
 */
static const struct launcher {
	const char *variables[2]; /* by enum rank_kind; NULL: none */
} launchers[] = {
	{ { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK" } }, /* Open MPI */
	{ { "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK" } },   /* MVAPICH2 */
	{ { "PMI_RANK", "MPI_LOCALRANKID" } },			      /* MPICH, Intel MPI */
	{ { "PALS_RANKID", "PALS_LOCAL_RANKID" } },		      /* HPE Cray's PALS */
	{ { "FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID" } },		      /* Flux */
	{ { "PMIX_RANK", NULL } },				      /* any that has PMIx */
	{ { "SLURM_PROCID", "SLURM_LOCALID" } },		      /* Slurm */
};

/* What @launcher says; NULL: nothing. */
static const char *rank_value(const struct launcher *launcher, enum rank_kind kind)
{
	const char *variable = launcher->variables[kind];
	const char *value = variable ? getenv(variable) : NULL;

	return value && *value ? value : NULL;
}

/* The first one that has a rank of @kind; NULL: none. */
static const struct launcher *first_with(enum rank_kind kind)
{
	for (size_t i = 0; i < COUNT(launchers); i++)
		if (rank_value(&launchers[i], kind))
			return &launchers[i];
	return NULL;
}

/* Both ranks are of one launcher, if it has both: each may have started the other. */
static const struct launcher *find_launcher(enum rank_kind kind)
{
	const struct launcher *local = first_with(RANK_LOCAL);

	return local && rank_value(local, kind) ? local : first_with(kind);
}

int rank_read(enum rank_kind kind, int *rank, struct err *e)
{
	const struct launcher *launcher = find_launcher(kind);
	const char *text;

	*rank = -1;
	if (!launcher)
		return 0;
	text = rank_value(launcher, kind);
	ASSERT(text);
	if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 9)
		return err_set(e, GPURUN_INVALID, "%s=%s: not a rank, a whole number",
			       launcher->variables[kind], text);
	*rank = atoi(text);
	return 0;
}

int rank_require(enum rank_kind kind, int *rank, struct err *e)
{
	char names[256] = "";
	size_t length = 0;

	TRY(rank_read(kind, rank, e));
	if (*rank >= 0)
		return 0;
	for (size_t i = 0; i < COUNT(launchers); i++) {
		const char *variable = launchers[i].variables[kind];

		if (variable)
			length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
						   length ? ", " : "", variable);
	}
	ASSERT(length < sizeof(names));
	err_set(e, GPURUN_INVALID, "no launcher has given this process a %srank; looked for %s",
		kind == RANK_LOCAL ? "local " : "", names);
	return err_hint(e, "a launcher starts gpurun: mpirun -np 2 gpurun ..., "
			   "srun -n 2 gpurun ...");
}
