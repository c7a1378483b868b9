/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Device memory: blocks inside one reserved range of addresses, which no memory of the program
 * has. The bytes of managed and pinned memory are at its address, as those of host memory are;
 * those of memory that is the device's alone at a constant distance (arena_bytes()), so that the
 * host cannot use its address as a pointer. Committed per block, with red zones;
 * after a free the pages read as zero and never fault, but no access check
 * lets a kernel reach them. Registered host memory is entered as a block too.
 */
#ifndef CPU_ARENA_H
#define CPU_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

enum block_kind {
	BLOCK_DEVICE,     /* cuMemAlloc */
	BLOCK_RETIRED,    /* a device block, until cuMemFreeAsync is executed */
	BLOCK_HOST,       /* cuMemHostAlloc */
	BLOCK_MANAGED,    /* cuMemAllocManaged */
	BLOCK_REGISTERED, /* the caller's memory; the arena does not free it */
	BLOCK_MAPPED,     /* cuMemMap */
	BLOCK_VARIABLE,   /* .global of a module */
	BLOCK_MANAGED_VARIABLE, /* .global .attribute(.managed) */
	BLOCK_CONSTANT,   /* .const of a module */
	BLOCK_CODE,       /* the addresses of a module's functions: without memory */
	BLOCK_HEAP,       /* malloc() of a kernel */
};

struct block {
	uint64_t base;
	uint64_t size;    /* bytes asked for: accesses are checked against it */
	enum block_kind kind;
	uint64_t serial;  /* counts allocations, for reports */
	uint64_t owner;   /* set by arena_note(), 0 before */
	uint32_t flags;
	const char *made_by, *freed_by; /* the calls, for reports; NULL: none */
};

/* The CUDA call that the thread executes; static text, NULL: none. Set by enter(). */
extern _Thread_local const char *arena_caller;

/* The addresses of memory that is the device's alone. Use arena_distance(). */
extern struct arena_hidden {
	_Atomic uint64_t base, size, distance;
} arena_hidden;

/*
 * The distance from @address to its byte, which depends on nothing but @address: 0 for all that
 * is the host's memory, too. Lock-free; safe in handlers of signals.
 */
static inline uint64_t arena_distance(uint64_t address)
{
	const uint64_t size = atomic_load_explicit(&arena_hidden.size, memory_order_acquire);
	const uint64_t base = atomic_load_explicit(&arena_hidden.base, memory_order_relaxed);

	return address - base < size ?
		       atomic_load_explicit(&arena_hidden.distance, memory_order_relaxed) :
		       0;
}

/*
 * The byte of @address, and those after it as far as its block goes. Whatever gets an address
 * from a program or a kernel reads and writes by this, or by a struct hit; of host memory it is
 * the same address.
 */
static inline void *arena_bytes(uint64_t address)
{
	return (void *)(uintptr_t)(address + arena_distance(address));
}

/* Reserves the range and its shadow; arena_alloc() does that, too. Not while other threads use the
 * arena. GPURUN_NO_MEMORY. */
int arena_prepare(struct err *e);

/* Allocates @size bytes aligned to @align (at least 256), zeroed. GPURUN_NO_MEMORY. */
int arena_alloc(uint64_t size, uint64_t align, enum block_kind kind, uint64_t *address,
		struct err *e);

/* Enters the caller's memory. GPURUN_INVALID when it overlaps a block. */
int arena_register(void *pointer, uint64_t size, struct err *e);

/* Stores the owner and the flags of the block that starts at @address, for arena_find(). */
void arena_note(uint64_t address, uint64_t owner, uint32_t flags);

/* Makes the device block that starts at @address a retired one. */
void arena_retire(uint64_t address);

/* Frees or unregisters the block that starts at @address; GPURUN_INVALID otherwise.
 * The caller has made sure that no kernel uses it. */
int arena_free(uint64_t address, struct err *e);

/* Frees the block that starts at @address if it is a @kind of @owner, and returns its size; false
 * otherwise. Checking and freeing are one atomic step. */
bool arena_free_of(uint64_t address, enum block_kind kind, uint64_t owner, uint64_t *size);

/*
 * Finds the block that holds @address (base <= address < base + size). Lock-free
 * and fast; a kernel may keep the answer for one slice, while arena_ends is unchanged.
 */
bool arena_find(uint64_t address, struct block *block);

/* How many blocks were freed or unregistered: what was found before may not be valid any more. */
extern _Atomic uint64_t arena_ends;

/*
 * Finds the live or formerly live block nearest to @address, for reports;
 * *@freed: whether it is freed.
 */
bool arena_nearest(uint64_t address, struct block *block, bool *freed);

/*
 * Finds the live or formerly live block that holds @address, or that it is beyond, without a lock:
 * for handlers of signals.
 */
bool arena_look(uint64_t address, struct block *block, bool *freed);

/* Tells whether @address lies in the reserved range: no host memory of the program does. */
bool arena_owns(uint64_t address);

/* Frees, or unregisters, every block for whose owner @is_ending(owner, @ending) is true, except
 * those of modules. No kernel uses them. */
void arena_clear(bool (*is_ending)(uint64_t owner, uint64_t ending), uint64_t ending);

/*
 * Addresses without memory: reserves @size bytes of them, a multiple of 64 KiB, and frees them.
 * arena_map() makes a block (BLOCK_MAPPED) of memory that the caller has mapped to their bytes, and
 * arena_unmap() ends it. GPURUN_NO_MEMORY.
 */
int arena_reserve(uint64_t size, uint64_t align, uint64_t *address, struct err *e);
void arena_unreserve(uint64_t address, uint64_t size);
int arena_map(uint64_t address, uint64_t size, struct err *e);
void arena_unmap(uint64_t address);

/* Counts @bytes more, or less, as allocated; false when that is more than there are. */
bool arena_charge(int64_t bytes);

/* The kinds of blocks that a program has to free. */
#define LEAKING (1u << BLOCK_DEVICE | 1u << BLOCK_HOST | 1u << BLOCK_MANAGED)

/*
 * Reports as never freed (check=leak) every block whose kind is in @kinds (bits), of the owners
 * that @is_ending selects as for arena_clear() (NULL: all).
 */
void arena_report_leaks(unsigned kinds, bool (*is_ending)(uint64_t owner, uint64_t ending),
			uint64_t ending);

/* The same for the block that starts at @address, if a program has to free its kind. */
void arena_report_leak(uint64_t address);

/*
 * What programs may allocate still, and the memory of the device (GPURUN_CPU mem=). Less than all:
 * a reserve is kept for what modules bring along and what kernels need (every kind of block but
 * those that a program allocates), so that the last byte that a program gets leaves room for it.
 */
void arena_usage(uint64_t *available, uint64_t *limit);

#endif
