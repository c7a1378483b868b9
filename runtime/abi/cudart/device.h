/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The devices of the process: which one a thread uses, and the primary context of
 * each, which is retained at its first use and stays so until a reset. Devices go
 * by the ordinals of the driver.
 */
#ifndef CUDART_DEVICE_H
#define CUDART_DEVICE_H

#include "cudart.h"

/* Reads how many devices there are; once, when the driver is up. */
cudaError_t device_begin(void);

/* How many there are, and the context of one that is in use, or NULL; no lock is acquired. */
int device_number(void);
CUcontext device_primary(int device);

/* Gives the primary context of @device; cudaErrorInvalidDevice where there is no such device. */
cudaError_t device_context(int device, CUcontext *context);

/* The calls of these names, less what cudart_api.def says about STATE. */
cudaError_t device_choose(int *device, const struct cudaDeviceProp *prop);
cudaError_t device_count(int *count);
cudaError_t device_disable_peer(int peer);
cudaError_t device_driver_version(int *version);
cudaError_t device_enable_peer(int peer, unsigned flags);
cudaError_t device_flags(unsigned *flags);
cudaError_t device_get(int *device);
cudaError_t device_init(int device, unsigned device_flags, unsigned flags);
cudaError_t device_of_stream(cudaStream_t stream, int *device);
cudaError_t device_reset(void);
cudaError_t device_runtime_version(int *version);
cudaError_t device_set(int device);
cudaError_t device_set_flags(unsigned flags);
cudaError_t device_set_valid(const int *devices, int count);
cudaError_t properties_get(struct cudaDeviceProp *properties, int device);

#endif
