/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A domain: operations that end together, as those of one context do. The first fault of one of
 * its kernels is permanent: nothing submitted to the domain runs from then on.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_DOMAIN_H
#define CPU_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"

struct domain {
	uint64_t life;       /* different for each domain and each life of it; 0: it had none yet */
	CUresult fault;      /* the permanent fault, or 0 */
	bool reported;       /* the fault has its report */
	unsigned pending;    /* submitted operations that are not done */
	unsigned begun;      /* those of them that are being executed */
	void (*idle)(struct domain *domain); /* nothing is pending: may free it; or NULL */
};

/*
 * Makes @code the fault of @domain, and tells whether it is the first; grid_fail() stops the
 * running kernels, too. The report follows when the kernel that faulted has ended.
 */
bool domain_fail(struct domain *domain, CUresult code);

/* Sets the report of the fault, struct fault's @record; ignored when it has one. */
void domain_report(struct domain *domain, const void *record);

/* The same, of @what, where no kernel is the cause. */
void domain_report_text(struct domain *domain, const char *what);

/* Tells whether @domain has a fault without a report yet. */
bool domain_report_pending(const struct domain *domain);

/* Counts an operation of @domain as done. May free @domain. */
void domain_task_done(struct domain *domain);

#endif
