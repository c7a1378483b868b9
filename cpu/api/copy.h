/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by copies of one and of more dimensions. The caller holds the driver's lock. */
#ifndef CPU_COPY_H
#define CPU_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda_abi.h"

struct task_copy;

enum place {
	PLACE_ANY,      /* wherever it is */
	PLACE_PAGEABLE, /* host memory, unknown to the device */
	PLACE_DEVICE,   /* in a block */
	PLACE_INVALID,  /* in the reserved range, but not completely in a block */
};

/* Where the @size bytes at @address are. */
enum place place_of(CUdeviceptr address, size_t size);

/* Tells whether @size bytes at @address are device memory. */
bool place_is_device(CUdeviceptr address, size_t size);

/*
 * Submits the copy @what from bytes at @from to bytes at @to, and returns when it is done if
 * @wait. 1 when one of the two is invalid. Nothing to copy is a success.
 */
CUresult copy_submit(const struct task_copy *what, enum place to, enum place from,
		     CUstream stream, bool wait);

/* Makes @what from @copy, which is not empty, and returns where its two sides are; 1. */
CUresult copy_of_box(const CUDA_MEMCPY3D *copy, struct task_copy *what, enum place *to,
		     enum place *from);

#endif
