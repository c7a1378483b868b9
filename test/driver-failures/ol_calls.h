/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the scenarios over libLLVMOffload share: ol_calls is built for 22.1, ol23_calls for
 * 23.1. A scenario is a function that is
 * called while the library is up, and returns at its first failure. Every failure is
 * told on stderr, one line each, and makes the exit status 1.
 */
#ifndef FAULTS_OL_CALLS_H
#define FAULTS_OL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ol_abi.h"

/* The calls that are not the same in each ABI: test/conformance/ol/ol_form22.h. */
#define TAP_UNUSED __attribute__((unused))
#if OL_ABI == 22
#include "ol_form22.h"
#else
#include "ol_form23.h"
#endif

/* Tells of a failure; returns whether there was one. */
bool ol_told(ol_result_t result);

/* Tells whether a failure of this run was told. */
bool ol_failed(void);

/* Returns from a scenario when a call fails. */
#define STEP(call)                                                                         \
	do {                                                                               \
		if (ol_told(call))                                                         \
			return;                                                            \
	} while (0)

/* The same with a part of a scenario. */
#define PART(call)                                                                         \
	do {                                                                               \
		call;                                                                      \
		if (ol_failed())                                                           \
			return;                                                            \
	} while (0)

/* Kernels "work" and "more", variable "counter"; its size has the NUL. */
extern const char ol_ptx[];
extern const size_t ol_ptx_size;

/* The devices; the second is NULL where there is none. */
extern ol_device_handle_t ol_gpu, ol_second_gpu, ol_host;

/* Looks the devices up. */
ol_result_t ol_find_devices(void);

/* Launches one group of one thread. */
ol_result_t ol_launch_one(ol_queue_handle_t queue, ol_device_handle_t device,
			  ol_symbol_handle_t kernel);

/* ol_use.c */
void ol_plain(void);
void ol_plain_left(void);
void ol_again(void);
void ol_programs(void);
void ol_structors(void);
void ol_profile(void);
void ol_info(void);
void ol_host_alone(void);

/* ol_work.c */
void ol_memory(void);
void ol_fills(void);
void ol_order(void);
void ol_two_devices(void);

/* ol23_work.c, for 23.1 alone */
void ol23_memory(void);
void ol23_launches(void);
void ol23_time(void);

#endif
