/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A domain: operations that end together, as those of one context do. The first fault of one of
 * its kernels sticks to it, and nothing submitted to it runs from then on.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_DOMAIN_H
#define CPU_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"

struct domain {
	uint64_t life;       /* different for each domain and each life of it; 0: never lived */
	CUresult fault;      /* that stuck, or 0 */
	bool reported;       /* the report of the fault is there */
	unsigned pending;    /* operations submitted to it that are not done */
	unsigned begun;      /* those of them that something works on */
	void (*idle)(struct domain *domain); /* nothing is pending any more; may free it; or NULL */
};

/*
 * Makes @code stick to @domain, if it is the first, and stops its kernels that
 * run. The report follows once the kernel that faulted has ended.
 */
void domain_fail(struct domain *domain, CUresult code);

/* Sets the report of the fault that stuck; ignored when it has one. */
void domain_report(struct domain *domain, const char *text);

/* Tells whether a fault stuck to @domain whose report has not come yet. */
bool domain_report_pending(const struct domain *domain);

/* An operation of @domain is done. @domain may be gone after it. */
void domain_task_done(struct domain *domain);

#endif
