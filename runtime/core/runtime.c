/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime.h"

#include "asserts.h"
#include "lock.h"

struct runtime runtime = {
	.gate = GATE(PHASE_DOWN),
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

void runtime_lock(void)
{
	lock_acquire(&runtime.lock, LOCK_RUNTIME);
}

void runtime_unlock(void)
{
	lock_release(&runtime.lock);
}

void runtime_set_phase(enum runtime_phase phase)
{
	uint64_t gate = atomic_load(&runtime.gate);

	ASSERT(phase <= PHASE_FORKED && gate_phase(GATE(phase)) == phase);
	while (!atomic_compare_exchange_weak(&runtime.gate, &gate,
					     GATE(phase) | (uint32_t)gate))
		continue;
	pthread_cond_broadcast(&runtime.changed);
}

void runtime_left(void)
{
	uint64_t gate = atomic_load(&runtime.gate);

	if (gate_phase(gate) <= PHASE_UP || (uint32_t)gate)
		return;
	runtime_lock();
	pthread_cond_broadcast(&runtime.changed);
	runtime_unlock();
}
