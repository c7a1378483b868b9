/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Parses what the CPU device says of a fault, or of a finding of its checker. The text is
 * the interface between the device and those that report: it is from gpurun_error_log(),
 * gpurun_check_finding(), or the file of check-log=. Its lines are
 *
 *	[CHECK: ]WHAT                          write of 4 bytes at 0x80 of shared memory ...
 *	  kernel NAME, block (X,Y,Z), thread (X,Y,Z)[ and N more of its warp]
 *	  PTX line N: INSTRUCTION
 *	  source FILE:LINE
 *	  inlined at FILE:LINE                 any number of these
 *	  grid (X,Y,Z) of blocks (X,Y,Z)
 *	  N times in all
 *
 * of which all but the first may be missing. CHECK is mem, init, race, sync or leak, and only
 * findings have it. Names and files are what the PTX says: bytes of any kind but newlines.
 */
#ifndef LIB_FINDING_TEXT_H
#define LIB_FINDING_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

struct finding_text {
	const char *check;    /* "mem", "init", "race", "sync", "leak"; NULL: not known */
	const char *kind;     /* "illegal-address", "trap", "race", ...; NULL: not known */
	const char *access;   /* "read", "write" or "atomic"; NULL: not known */
	uint64_t size;        /* of the access, in bytes; 0: not known */
	bool has_address;
	bool shared;          /* the address counts from the start of the shared memory */
	uint64_t address;
	struct bytes what;    /* the first line, without the check */
	struct bytes kernel;  /* empty: not known; then there is neither block nor thread */
	unsigned block[3], thread[3];
	unsigned line;        /* of the PTX; 0: not known */
	struct bytes file;    /* of the source; empty: not known */
	unsigned source_line;
};

/* Reads @text, which *@out borrows. What is not as above counts as not known; never fails. */
void finding_text_read(struct bytes text, struct finding_text *out);

#endif
