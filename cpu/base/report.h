/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report of the last fault, refused kernel or image, for gpurunCpuReport(). It is
 * printed on stderr for a program that never asks. Lives as long as the context.
 * The caller holds the driver's lock.
 */
#ifndef CPU_REPORT_H
#define CPU_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda_abi.h"
#include "report_format.h"

/* What is known where a fault or a finding is detected. */
struct about {
	enum report_kind kind;
	const char *access; /* "read", "write", "atomic operation"; NULL: no access */
	uint64_t bytes;     /* of the access, in each lane; of what is leaked */
	bool has_address, shared;
	uint64_t address;   /* shared: an offset */
	const char *call, *error_name; /* of a call that failed; NULL: none */
	int error;
	/* of a race: who made the other access, which; the thread, if it is of the same launch */
	const char *other, *other_access;
	bool has_other;
	uint32_t other_block[3], other_thread[3];
};

/* Of no access. */
#define ABOUT(name) (struct about){ .kind = KIND_##name }

/* Of an access at generic @address; @access NULL: what is done there has no such name. */
static inline struct about about_access(enum report_kind kind, const char *access, uint32_t bytes,
					uint64_t address)
{
	return (struct about){ .kind = kind, .access = access, .bytes = bytes,
			       .has_address = true, .address = address };
}

/* Of an access at @offset in shared memory. */
static inline struct about about_shared(enum report_kind kind, const char *access, uint32_t bytes,
					uint64_t offset)
{
	struct about about = about_access(kind, access, bytes, offset);

	about.shared = true;
	return about;
}

/* A report of @about, in which @what happened; it borrows both. */
struct gpurun_report report_about(int event, const struct about *about, const char *what);

/* Sets the report of a fault of error @code by the @record that was made of it, or NULL. */
void report_fault(CUresult code, const void *record);

/* Keeps @report, and prints it unless the program asks for reports itself. */
void report_set(const struct gpurun_report *report);

/* The same for a kernel or an image that cannot run. */
void report_refusal(enum report_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Keeps a report without printing it: the program has it already, in its log. */
void report_set_quietly(const char *text);

/* Forgets the report. */
void report_clear(void);

/* Stops the printing of reports: the program asks for them itself from now on. */
void report_mute(void);
bool report_is_muted(void);

/* The report, whose strings are valid until the next one is set; of no event: there is none. */
void report_get(struct gpurun_report *report);

#endif
