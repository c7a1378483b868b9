/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files of a run: FILE and those of --link, whose kernels have plain names, and those of
 * --load NAME=FILE, whose kernels are NAME:KERNEL too.
 */
#ifndef CMD_SOURCES_H
#define CMD_SOURCES_H

#include "json.h"
#include "plan.h"

/*
 * Opens the files that the options name and lists their kernels in
 * plan->lookup. GPURUN_INVALID for a wrong --load or none at all; what opening
 * a file can fail with.
 */
int sources_open(struct plan *plan, struct err *e);

/* Takes a plan without any. */
void sources_release(struct plan *plan);

/* Warns of files that are damaged, although what is launched from them is whole. */
void sources_warn(const struct plan *plan);

/* Tells whether image @index of @source may be used: --image picks some. */
static inline bool sources_wants(const struct source *source, size_t index)
{
	return !source->wanted || source->wanted[index];
}

/* The file that @kernel was found in. */
const struct source *sources_of(const struct plan *plan,
				const struct lookup_kernel *kernel);

/*
 * Finds what --launch @text means: KERNEL, or NAME:KERNEL where NAME is that of
 * a --load and no "::" follows. GPURUN_NOT_FOUND; GPURUN_INVALID when it was
 * unloaded further left.
 */
int sources_find_kernel(const struct plan *plan, struct launch *launch, const char *text,
			struct err *e);

/* Prints a note that the kernel of @launch was guessed from @name, if so; refuses with
 * GPURUN_NOT_FOUND where it would not be read. */
int sources_accept_prefix(const struct plan *plan, const struct launch *launch,
			  const char *name, struct err *e);

/* Plans the --unload that @step is. GPURUN_INVALID. */
int sources_unload(struct plan *plan, struct step *step, struct err *e);

/* Writes more about a file that is open. */
typedef void sources_more(struct json *json, const struct source *source, const void *data);

/*
 * Writes FILE as "image" and the others as arrays "linked" and "loaded": name, path, kind
 * and what @more, which may be NULL, writes with @data.
 */
void sources_json(struct json *json, const struct plan *plan, sources_more *more,
		  const void *data);

#endif
