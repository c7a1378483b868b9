/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Handles: what a program holds is a number (generation, kind and slot), never
 * an address, so that a stale, foreign or wrong-kind handle is refused without
 * touching memory. The caller holds the driver's lock.
 */
#ifndef CPU_HANDLE_H
#define CPU_HANDLE_H

#include <stdint.h>

#include "asserts.h"

enum handle_kind {
	HANDLE_NONE,
	HANDLE_STREAM,
	HANDLE_EVENT,
	HANDLE_MODULE,
	HANDLE_FUNCTION,
	HANDLE_LIBRARY,
	HANDLE_KERNEL,
	HANDLE_LINK,
	HANDLE_POOL,
	HANDLE_CONTEXT,
	HANDLE_ALLOCATION,
	HANDLE_KINDS, /* 16 at most */
};

static_assert(HANDLE_KINDS <= 16, "a kind has 4 bits of a handle");

/* Makes a handle for @object; NULL when memory is exhausted. */
void *handle_new(enum handle_kind kind, void *object);

/* Finds the object of @handle; NULL when it is not a live handle of @kind. */
void *handle_object(const void *handle, enum handle_kind kind);

/* What kind @handle has or had; HANDLE_NONE for a value that was never one. */
enum handle_kind handle_kind(const void *handle);

/* Makes @handle stale. Accepts NULL. */
void handle_free(void *handle);

#endif
