/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of the process: one struct under one lock. It is initialised by the
 * first gpurun_init(), shut down by the last gpurun_shutdown(), any number of
 * times, and ends with the process.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "asserts.h"
#include "cuda_api.h"
#include "map.h"
#include "selector.h"

struct device;
struct end_report;
struct host_call;

enum runtime_phase {
	PHASE_DOWN,    /* not initialised */
	PHASE_UP,
	PHASE_CLOSING, /* a last gpurun_shutdown() is running */
	PHASE_ENDED,   /* the exit hook has run, or runs */
	PHASE_FORKED,  /* a child of a process that had a driver */
};

struct runtime {
	_Atomic uint64_t gate;      /* GATE(phase) | calls inside */
	pthread_mutex_t lock;
	pthread_cond_t changed;     /* the phase, or the last call left a closing gate */
	_Atomic pid_t pid;          /* of the process that loaded a driver; 0: none did */
	unsigned inits;             /* gpurun_init() without its gpurun_shutdown() */
	struct selector selector;   /* by which the driver was chosen */
	struct cuda_api cuda;       /* the chosen driver; constant while the phase is UP */
	void *hooked;               /* library after which the exit hook was registered */
	struct end_report *reports; /* owned list of gpurun_on_end(), in order */
	char cpu_options[512];      /* with which the CPU device was configured */
	bool pools;                 /* driver objects are kept to be used again */
	bool report_leaks;          /* GPURUN_LOG, see usage.h */
	bool pool_memory;           /* freed device memory is kept, see reuse_memory.h */
	int device_count;
	int default_device;         /* ordinal */
	struct device **devices;    /* owned array of device_count; borrowed, NULL until used */
	bool recovers;              /* a device that was shut down had a fault */
	_Atomic int contexts;       /* that are retained, of all devices */
	struct map natives;         /* driver pointer -> handle */
	void *blocks;               /* tsearch tree of struct block, see block.h */
	struct host_call *host_calls; /* host functions that have not run yet */
};

extern struct runtime runtime;

/* A gate without calls inside: negative, as a signed number, unless the library is up. */
#define GATE(phase)                                                                        \
	((phase) == PHASE_UP ? 0 : (uint64_t)1 << 63 | (uint64_t)(phase) << 32)

void runtime_lock(void);
void runtime_unlock(void);

static inline enum runtime_phase gate_phase(uint64_t gate)
{
	return gate >> 63 ? (enum runtime_phase)(gate >> 32 & 0xff) : PHASE_UP;
}

static inline enum runtime_phase runtime_phase(void)
{
	return gate_phase(atomic_load(&runtime.gate));
}

/* Changes the phase and keeps the count of calls inside. */
void runtime_set_phase(enum runtime_phase phase);

/* Counts a call as inside and tells whether the library is up; runtime_leave() in any case. */
static inline bool runtime_enter(void)
{
	return (int64_t)(atomic_fetch_add(&runtime.gate, 1) + 1) >= 0;
}

/* Wakes threads that wait until all calls have left, if this was the last: in a phase
 * after UP. */
void runtime_left(void);

static inline void runtime_leave(void)
{
	ASSERT((uint32_t)atomic_load(&runtime.gate));
	if (__builtin_expect((int64_t)(atomic_fetch_sub(&runtime.gate, 1) - 1) < 0, 0))
		runtime_left();
}

#endif
