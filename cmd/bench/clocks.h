/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The clocks of a GPU and why they are lower than they could be, by NVIDIA's management library,
 * libnvidia-ml.so.1, where there is one. Names, numbers and bits are those of NVML's documentation,
 * nvmlDeviceGetClockInfo and nvmlDeviceGetCurrentClocksThrottleReasons.
 */
#ifndef CMD_CLOCKS_H
#define CMD_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clocks {
	void *library, *device;
	char missing[96];   /* why nothing is known; "": it is */
	int (*get_clock)(void *device, int domain, unsigned *mhz);
	int (*get_reasons)(void *device, unsigned long long *reasons);
	int (*end)(void);
};

struct clock_reading {
	unsigned multiprocessor, memory; /* MHz */
	uint64_t reasons;                /* bits of NVML */
};

/* Opens the library for the device with @uuid, "GPU-xxxxxxxx-..."; "": for none. */
void clocks_open(struct clocks *clocks, const char *uuid);

/* Reads them. Returns false where nothing is known. */
bool clocks_read(const struct clocks *clocks, struct clock_reading *reading);

/* Tells whether heat or power has slowed the device down. */
bool clocks_slowed(const struct clock_reading *reading);

/* Names the reasons that slow it down, in @text: "power cap, heat"; "" when there is none. */
const char *clocks_describe(uint64_t reasons, char *text, size_t size);

void clocks_close(struct clocks *clocks);

#endif
