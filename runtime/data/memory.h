/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory. Every allocation and registration is a block that is in the table until
 * it is freed; only here is decided where its memory is from and how it is freed.
 */
#ifndef RUNTIME_MEMORY_H
#define RUNTIME_MEMORY_H

#include <stdbool.h>

#include "err.h"

struct device;
struct stream;

/* @alignment: a power of two, 1 where the driver's own suffices. */
int memory_alloc(struct gpurun_device device, uint64_t size, enum gpurun_memory_kind kind,
		 uint64_t alignment, uint64_t *address, struct err *e);
int memory_free(uint64_t address, struct err *e);
int memory_adopt(struct gpurun_device device, uint64_t address, struct err *e);
int memory_describe(uint64_t address, struct gpurun_memory_info *info, struct err *e);
int memory_copy(uint64_t destination, uint64_t source, uint64_t size,
		struct gpurun_stream stream, struct err *e);
int memory_prefetch(uint64_t address, uint64_t size, bool to_host,
		    struct gpurun_stream stream, struct err *e);
int memory_register(void *pointer, uint64_t size, struct err *e);
int memory_unregister(void *pointer, struct err *e);

/*
 * Finds the stream of @handle; without one (*@stream is NULL), the device of @address,
 * whose default stream is used. References for put_object, also on failure.
 */
int memory_target(struct gpurun_stream handle, uint64_t address, struct stream **stream,
		  struct device **device, struct err *e);

/* gpurun_memory_keep(), before and after the gate. */
int memory_keep(uint64_t address, struct err *e);

/* Releases every block that is left; failures go to api_failed(). */
void memory_release_all(void);

#endif
