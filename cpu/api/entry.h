/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Entering the driver. Every exported call that accesses its state enters here,
 * and holds the driver's lock from then on.
 *
 *	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
 *
 *	TRY(call.result);
 */
#ifndef CPU_ENTRY_H
#define CPU_ENTRY_H

#include <stdbool.h>

#include "driver.h"

/* What a call needs; each includes those above it. */
enum need {
	NEED_INIT,    /* cuInit has succeeded (else 3), the process is not ending (else 4) */
	NEED_ACTIVE,  /* the primary context lives (else 201) and no kernel has faulted */
	NEED_CONTEXT, /* and it is current in the calling thread (else 201) */
};

struct api_call {
	CUresult result; /* why the call must fail, or 0 */
	bool locked;
};

/* Reads the configuration, if no call has done so: a call before cuInit() may fail, too. */
void entry_configure(void);

/* "CUDA_ERROR_INVALID_VALUE" for 1; "an unknown error" for what is none. Static. */
const char *entry_result_name(CUresult result);

/* Acquires the lock when the result is 0. @name: the exported function, for reports. */
struct api_call enter_from(enum need need, const char *name);
#define enter(need) enter_from(need, __func__)

/*
 * The result of a call, or of a use of a stream, that host functions are not allowed: 800 inside
 * of one, or what any call answers before cuInit and at the end; else 0. Needs no lock.
 */
CUresult refused_in_host_function(void);

/* Releases the lock when it is held. */
void leave(struct api_call *call);

#endif
