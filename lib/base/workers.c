/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "workers.h"

#include <sched.h>
#include <signal.h>

#include "asserts.h"

unsigned workers_processors(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return count < WORKERS_MOST ? (unsigned)count : WORKERS_MOST;
}

/* A thread inherits the mask of the one that starts it. */
void workers_start(struct workers *workers, unsigned wanted, void *(*work)(void *),
		   void *argument)
{
	sigset_t all, old;

	workers->count = 0;
	if (wanted > WORKERS_MOST)
		wanted = WORKERS_MOST;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (workers->count < wanted &&
	       !pthread_create(&workers->threads[workers->count], NULL, work, argument))
		workers->count++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void workers_join(struct workers *workers)
{
	ASSERT(workers->count <= WORKERS_MOST);
	for (unsigned i = 0; i < workers->count; i++)
		pthread_join(workers->threads[i], NULL);
	workers->count = 0;
}
