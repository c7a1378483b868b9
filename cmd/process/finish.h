/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What comes after main(). The library releases everything in its exit hook, and
 * what fails there is a failure of the run like any other: only then is the exit
 * status known, and the report written.
 */
#ifndef CMD_FINISH_H
#define CMD_FINISH_H

#include "report.h"

/*
 * Has all this happen at the end of the process. Called before the library is
 * initialised, since what is registered first runs last. GPURUN_NO_MEMORY.
 */
int finish_prepare(struct err *e);

/*
 * Has @report, which has been begun, ended and written. Keeps a copy of @ending; *@report and
 * the findings are taken, and empty afterwards.
 */
void finish_report(struct report **report, const struct ending *ending);

/*
 * Waits until the report that finish_report() has is written, if that has begun; abandons all
 * unfinished files, as file_abandon() does; then writes that report if it is not written, with
 * @ending, but the findings it had. What happens at the end of the process then waits for ever:
 * the caller ends it. GPURUN_IO, GPURUN_NO_MEMORY.
 */
int finish_at_once(const struct ending *ending, struct err *e);

/*
 * Has the exit hook say under --verbose, and in the report, which of the modules of @history it
 * unloads. @history is taken, and empty afterwards.
 */
void finish_modules(struct history *history);

/* At the end of the process, if that is a success: says under --verbose that nothing was found. */
void finish_checked(void);

#endif
