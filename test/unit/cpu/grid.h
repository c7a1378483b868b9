/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs kernels of PTX text to their end, in this thread, without the driver API. */
#ifndef TEST_UNIT_DRIVER_GRID_H
#define TEST_UNIT_DRIVER_GRID_H

#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "cleanup.h"
#include "config.h"
#include "exec.h"
#include "fault_text.h"

DEFINE_CLEANUP(free_program, struct program *, program_free)

/* Device memory of @size bytes, zeroed, which the test reads and writes, too. */
static inline void *device_alloc(size_t size)
{
	uint64_t address = 0;
	struct err e;

	config.shared_with_host = true;
	if (arena_alloc(size, 256, BLOCK_DEVICE, &address, &e)) {
		fprintf(stderr, "arena_alloc: %s\n", e.text);
		exit(1);
	}
	return (void *)address;
}

static struct fault grid_fault;
static uint64_t launches;

/* Gives every resident CTA a slice in turn, so that CTAs may wait for each other. */
static inline void run_resident(struct launch *launch, uint64_t first, uint64_t count)
{
	struct cta **ctas = calloc(count, sizeof(struct cta *));
	uint64_t left = count;
	struct err e;

	for (uint64_t i = 0; i < count; i++)
		if (cta_new(launch, first + i, 0, &ctas[i], &e))
			fprintf(stderr, "cta_new: %s\n", e.text);
	while (left && !atomic_load(&grid_fault.code)) {
		for (uint64_t i = 0; i < count; i++) {
			if (!ctas[i] || cta_run(ctas[i], 100000) == CTA_YIELDED)
				continue;
			cta_free(ctas[i]);
			ctas[i] = NULL;
			left--;
		}
	}
	for (uint64_t i = 0; i < count; i++)
		cta_free(ctas[i]);
	free(ctas);
}

/* Runs a grid with the parameter block @params; returns the fault's code. */
static inline int run_grid(const struct kernel *kernel, const uint32_t grid[3],
			   const uint32_t block[3], uint32_t dynamic_shared, const void *params)
{
	struct launch launch = { .kernel = kernel, .dynamic_shared = dynamic_shared };
	uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2], at = 0, step;

	for (int k = 0; k < 3; k++) {
		launch.grid[k] = grid[k];
		launch.block[k] = block[k];
		launch.cluster[k] = 1;
	}
	launch.params = params;
	launch.id = ++launches;
	launch.fault = &grid_fault;
	fault_reset(&grid_fault);
	for (; at < total && !atomic_load(&grid_fault.code); at += step) {
		step = total - at < 4 ? total - at : 4;
		run_resident(&launch, at, step);
	}
	cta_thread_end();
	return atomic_load(&grid_fault.code);
}

#endif
