/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Initialisation, at the first call: modules load from constructors, which may
 * run before this library's own. And the default device, which each thread chooses
 * for itself; the others get what was chosen last by any thread.
 */
#include <stdatomic.h>

#include "mgpu.h"

enum state { UNTRIED, UP, FAILED };

static _Atomic int state;
static _Atomic bool chosen;

/* Handles of devices; 0: not up yet, not chosen. */
static _Atomic uint64_t common;
static _Thread_local uint64_t own;

static int find_device(void)
{
	struct gpurun_device device;
	uint64_t none = 0;
	int status = gpurun_device_get(-1, &device);

	if (!status)
		atomic_compare_exchange_strong(&common, &none, device.id);
	return status;
}

/*
 * No lock: a thread that waited for another one's initialisation might hold the
 * loader's lock, which that needs. Several threads may initialise; one counts.
 */
static bool initialise(const char *who)
{
	int status, before = UNTRIED;

	gpurun_error_relay();
	status = gpurun_init(NULL) ?: find_device();
	if (!status) {
		if (atomic_exchange(&state, UP) == UP)
			gpurun_shutdown();
		else
			mgpu_ok(who, gpurun_on_end(mgpu_report_end, NULL));
		return true;
	}
	/* Without a default device nothing works; the exit hook ends what was initialised. */
	if (atomic_compare_exchange_strong(&state, &before, FAILED))
		return mgpu_ok(who, status);
	return before == UP;
}

bool mgpu_ready(const char *who)
{
	switch ((enum state)atomic_load_explicit(&state, memory_order_acquire)) {
	case UP:
		return true;
	case FAILED:
		return false;
	case UNTRIED:
		break;
	}
	return initialise(who);
}

struct gpurun_device mgpu_device(void)
{
	return (struct gpurun_device){ own ? own : atomic_load(&common) };
}

bool mgpu_device_was_chosen(void)
{
	return atomic_load_explicit(&chosen, memory_order_relaxed);
}

void mgpuSetDefaultDevice(int32_t ordinal)
{
	struct gpurun_device device;

	if (!mgpu_ready(__func__))
		return;
	/* -1 is an ordinal of gpurun's, not of this interface. */
	if (ordinal < 0) {
		mgpu_refuse(__func__, GPURUN_NO_DEVICE, "no device %d", ordinal);
		return;
	}
	if (!mgpu_ok(__func__, gpurun_device_get(ordinal, &device)))
		return;
	own = device.id;
	atomic_store(&common, device.id);
	atomic_store(&chosen, true);
}
