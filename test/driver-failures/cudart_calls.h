/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the scenarios over libcudart share: cudart_calls.c runs them, cudart_work*.c has them. */
#ifndef FAULTS_CUDART_CALLS_H
#define FAULTS_CUDART_CALLS_H

#include "cudart_use.h"

/* Tells of a failure; returns whether there was one. */
bool told(cudaError_t result, const char *call);

/* Returns from a scenario when a call fails: the reset at its end releases what there is. */
#define STEP(call)                                                                         \
	do {                                                                               \
		if (told(call, #call))                                                     \
			return;                                                            \
	} while (0)

/* Registered once, for all scenarios. */
extern struct cudart_image cudart_code;

/* What the scenarios have in libraries and pools, which no reset ends. */
extern cudaLibrary_t cudart_library;
extern cudaMemPool_t cudart_pool;

void cudart_devices(void);
void cudart_memory(void);
void cudart_copies(void);
void cudart_fills(void);
void cudart_pools(void);
void cudart_managed(void);
void cudart_kernels(void);
void cudart_libraries(void);
void cudart_streams(void);
void cudart_peers(void);

#endif
