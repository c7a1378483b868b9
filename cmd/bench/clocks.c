/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "clocks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 }; /* nvmlClockType_t */

/* What slows a device down; other bits say that it is idle, or set to a lower clock. */
static const struct {
	uint64_t bit;
	const char *text;
} slowing[] = {
	{ 0x04, "power cap" },
	{ 0x08, "hardware slowdown" },
	{ 0x20, "heat" },
	{ 0x40, "heat, by hardware" },
	{ 0x80, "power brake" },
};

static bool clocks_fail(struct clocks *clocks, const char *why)
{
	snprintf(clocks->missing, sizeof(clocks->missing), "%s", why);
	if (clocks->library)
		dlclose(clocks->library);
	clocks->library = NULL;
	return false;
}

/* The function has any type: that of the pointer at @to. */
static bool find(const struct clocks *clocks, const char *name, void *to)
{
	void *address = dlsym(clocks->library, name);

	memcpy(to, &address, sizeof(address));
	return address != NULL;
}

static bool open_device(struct clocks *clocks, const char *uuid)
{
	int (*begin)(void);
	int (*get_device)(const char *uuid, void **device);

	if (!find(clocks, "nvmlInit_v2", &begin) ||
	    !find(clocks, "nvmlShutdown", &clocks->end) ||
	    !find(clocks, "nvmlDeviceGetHandleByUUID", &get_device) ||
	    !find(clocks, "nvmlDeviceGetClockInfo", &clocks->get_clock) ||
	    !find(clocks, "nvmlDeviceGetCurrentClocksThrottleReasons", &clocks->get_reasons))
		return clocks_fail(clocks, LIBRARY " lacks a function");
	if (begin())
		return clocks_fail(clocks, LIBRARY " does not start");
	if (!get_device(uuid, &clocks->device))
		return true;
	clocks->end();
	return clocks_fail(clocks, LIBRARY " does not know the device");
}

void clocks_open(struct clocks *clocks, const char *uuid)
{
	*clocks = (struct clocks){ 0 };
	if (!*uuid) {
		clocks_fail(clocks, "the device has no clocks");
		return;
	}
	clocks->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!clocks->library)
		clocks_fail(clocks, "there is no " LIBRARY);
	else
		open_device(clocks, uuid);
}

bool clocks_read(const struct clocks *clocks, struct clock_reading *reading)
{
	unsigned long long reasons = 0;

	*reading = (struct clock_reading){ 0 };
	if (*clocks->missing ||
	    clocks->get_clock(clocks->device, CLOCK_SM, &reading->multiprocessor) ||
	    clocks->get_clock(clocks->device, CLOCK_MEMORY, &reading->memory) ||
	    clocks->get_reasons(clocks->device, &reasons))
		return false;
	reading->reasons = reasons;
	return true;
}

bool clocks_slowed(const struct clock_reading *reading)
{
	for (size_t i = 0; i < sizeof(slowing) / sizeof(slowing[0]); i++)
		if (reading->reasons & slowing[i].bit)
			return true;
	return false;
}

const char *clocks_describe(uint64_t reasons, char *text, size_t size)
{
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(slowing) / sizeof(slowing[0]) && at < size; i++)
		if (reasons & slowing[i].bit)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "",
					       slowing[i].text);
	return text;
}

void clocks_close(struct clocks *clocks)
{
	if (!clocks->library)
		return;
	clocks->end();
	dlclose(clocks->library);
	clocks->library = NULL;
}
