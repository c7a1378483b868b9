/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the programs of the fault injection share. A scenario is a function that
 * returns at its first failure. Every failure is told on stderr, one line each,
 * those of the exit hook too, and makes the exit status 1.
 */
#ifndef FAULTS_PROGRAM_H
#define FAULTS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpurun.h"

/* Tells of a failure; returns whether there was one. */
bool told(int status);

/* Tells whether a failure was told. */
bool program_failed(void);

/* Returns from a scenario when a call fails. */
#define STEP(call)                                                                         \
	do {                                                                               \
		if (told(call))                                                            \
			return;                                                            \
	} while (0)

/* Kernels "work" and "more", variable "counter". */
extern const char program_ptx[];

/* The device, once program_start() has initialised the library. */
extern struct gpurun_device program_device;

/* Initialises; false, and told, when that fails. */
bool program_start(void);

/* Ends what program_start() began. */
void program_stop(void);

/* Launches one block of @name of @module on @stream. */
int program_launch(struct gpurun_module module, const char *name,
		   struct gpurun_stream stream);

static inline uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* The scenarios: scenario_*.c */
void scenario_plain(void);
void scenario_leave(void);
void scenario_modules(void);
void scenario_streams(void);
void scenario_pools(void);
void scenario_again(void);
void scenario_memory(void);
void scenario_freed(void);
void scenario_launches(void);
void scenario_interop(void);
void scenario_devices(void);
void scenario_threads(void);
void scenario_structors(void);
void scenario_profile(void);
void scenario_on_device(void);
void scenario_link(void);
void scenario_careless(void);
void scenario_loud(void);
void scenario_vague(void);
void scenario_fragile(void);
void scenario_stuck(void);
void scenario_leaky(void);

#endif
