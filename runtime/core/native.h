/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the handles that the driver's pointers belong to. Adopted objects are not
 * in the table: this library has not created them.
 */
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "object.h"

/*
 * Adds @native for @object, to which only the caller has a reference. When memory is
 * exhausted the object is closed and released. GPURUN_NO_MEMORY.
 */
int native_enter(struct object *object, const void *native, struct err *e);

/* Removes @native, if it is in the table for @handle. */
void native_forget(const void *native, uint64_t handle);

/* The kind that @handle claims, live or not. */
enum gpurun_native_kind native_handle_kind(uint64_t handle);

enum gpurun_native_kind native_kind(const void *native, uint64_t *id);

#endif
