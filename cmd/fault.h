/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The fault of a kernel that the run met, and how reports show it: as an object with what the
 * device's text says, the same as a finding of the checker.
 */
#ifndef CMD_FAULT_H
#define CMD_FAULT_H

#include <stdbool.h>

#include "finding_text.h"
#include "json.h"

enum { FAULT_SIZE = 4096 };

struct fault {
	int driver;            /* number of the driver's error; 0: not known */
	char text[FAULT_SIZE]; /* what the CPU device says of it; "": nothing */
};

/*
 * Notes the fault that a call of the library has just reported, with error @driver and the
 * device's @text. It is the first one that counts. Safe from any thread.
 */
void fault_note(int driver, const char *text);

/* Copies the fault that was noted; false when there was none. */
bool fault_get(struct fault *fault);

/* Reads @fault, whose text *@out borrows; the kind is set in any case. */
void fault_read(const struct fault *fault, struct finding_text *out);

/* Reads @text of a finding likewise. */
void fault_read_finding(const char *text, struct finding_text *out);

/* Writes "fault", if there was one. */
void fault_report(struct json *json);

/* Writes the object of a finding whose text is @text as an element of an array. */
void fault_report_finding(struct json *json, const char *text);

#endif
