/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How the process ends: what went wrong in it, whether the program has looked at that, and so its
 * exit status. Under gpurun --exec (lib/base/exec_share.h) a status that the parent sees as 0
 * becomes that of the first of these that holds:
 *
 *	117      a kernel broke down, and the program did not ask for the error
 *	119      the checker has findings (error-exitcode=), with or without --exec
 *	116      a launch by <<<>>> failed, and its thread did not ask for the error
 *	112      an image was refused, and no kernel ran
 *
 * Each is reported on stderr when it happens. Thread-safe, and safe with the driver's lock.
 */
#ifndef CPU_OUTCOME_H
#define CPU_OUTCOME_H

#include <stdbool.h>

#include "report_format.h"

struct exec_counts;

/* Prepares for the end of the process. Any number of calls; before anything else here. False
 * without memory for an exit handler. */
bool outcome_begin(void);

/* Adds @report to the file that gpurun --exec reads, if there is one. */
void outcome_log(const struct gpurun_report *report);

/* What gpurun --exec shares with this process, until that ends; NULL: nothing. */
struct exec_counts *outcome_shared(void);

/* Notes a fault, which the caller has reported. */
void outcome_fault(const struct gpurun_report *report);

/* Notes that the program has asked what @error is: a fault of that error was looked at. */
void outcome_looked(int error);

/* The same for any fault: the program has reset the device, or destroyed a context. */
void outcome_recovered(void);

/*
 * Reports a launch by <<<>>> that failed, and notes that its error has not been read. It is not
 * printed if it failed because its image was refused (@without_code), which has been reported.
 */
void outcome_launch(const struct gpurun_report *report, bool without_code);

/* Notes that the errors of so many launches were read. */
void outcome_read(unsigned refused, unsigned without_code);

/* Reports an image that this device cannot run; without gpurun --exec only if @print. */
void outcome_image(const struct gpurun_report *report, bool print);

/*
 * The same for an image of the program that the runtime has loaded: it may find another way to run
 * its kernels, so that this is reported when a use of it has failed, by outcome_image_failed().
 */
void outcome_image_later(const struct gpurun_report *report);
void outcome_image_failed(void);

/* Tells whether an image was refused. */
bool outcome_has_image(void);

/* Counts a kernel that ran to its end; @first: it is the first launch of this kernel. */
void outcome_ran(bool first);

/* Counts a launch that was refused. */
void outcome_refused(void);

/* Reports to gpurun --exec that the status of this process is @status, not the program's own. */
void outcome_log_status(int status);

/* The counts as a report. */
struct gpurun_report outcome_counts(void);

#endif
