/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A libnvidia-ml.so.1 for tests: the calls that cmd/bench/clocks.c makes, with what NVML's
 * documentation says of them. GPURUN_NVML says what it answers: "reasons=N" are the bits of what
 * slows the device down, from the "after=N"th reading on; "fail=NAME" is a call that fails. A reading
 * takes 2 ms, after which cmd/bench reads again: then each run has a reading of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NVML_SUCCESS = 0, NVML_ERROR_UNKNOWN = 999 };

#define EXPORT __attribute__((visibility("default")))

EXPORT int nvmlInit_v2(void);
EXPORT int nvmlShutdown(void);
EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
EXPORT int nvmlDeviceGetClockInfo(void *device, int domain, unsigned *mhz);
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);

static const char *setting(const char *key)
{
	const char *all = getenv("GPURUN_NVML");
	const char *found = all ? strstr(all, key) : NULL;

	return found ? found + strlen(key) : NULL;
}

static int answer(const char *name)
{
	const char *fails = setting("fail=");

	return fails && !strncmp(fails, name, strlen(name)) ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}

int nvmlInit_v2(void)
{
	return answer(__func__);
}

int nvmlShutdown(void)
{
	return answer(__func__);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	*device = NULL;
	return strncmp(uuid, "GPU-", 4) != 0 ? NVML_ERROR_UNKNOWN : answer(__func__);
}

int nvmlDeviceGetClockInfo(void *device, int domain, unsigned *mhz)
{
	static unsigned readings;

	(void)device;
	*mhz = domain == 1 ? 1980 - readings++ % 2 * 15 : 2619;
	return answer(__func__);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
	static unsigned long readings;
	const char *bits = setting("reasons="), *after = setting("after=");

	(void)device;
	usleep(2000);
	*reasons = 1; /* it is idle now and then */
	if (bits && readings++ >= (after ? strtoul(after, NULL, 10) : 0))
		*reasons |= strtoull(bits, NULL, 0);
	return answer(__func__);
}
