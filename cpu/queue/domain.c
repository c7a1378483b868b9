/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "domain.h"

#include "asserts.h"
#include "cleanup.h"
#include "driver.h"
#include "lock.h"
#include "report.h"

bool domain_fail(struct domain *domain, CUresult code)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && code);
	if (domain->fault)
		return false;
	domain->fault = code;
	domain->reported = false;
	return true;
}

bool domain_report_pending(const struct domain *domain)
{
	return domain->fault && !domain->reported;
}

void domain_report(struct domain *domain, const void *record)
{
	ASSERT(lock_is_held(LOCK_DRIVER));
	if (!domain_report_pending(domain))
		return;
	domain->reported = true;
	report_fault(domain->fault, record);
	driver_changed();
}

void domain_report_text(struct domain *domain, const char *what)
{
	const struct about about = ABOUT(OTHER);
	const struct gpurun_report report = report_about(GPURUN_REPORT_FAULT, &about, what);
	CLEANUP(free_pointer) void *record = report_copy(&report);

	domain_report(domain, record);
}

void domain_task_done(struct domain *domain)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && domain->pending > domain->begun);
	if (!--domain->pending && domain->idle)
		domain->idle(domain);
}
