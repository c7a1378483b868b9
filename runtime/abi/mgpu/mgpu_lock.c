/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>

#include "mgpu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void mgpu_lock(void)
{
	pthread_mutex_lock(&lock);
}

void mgpu_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* Another thread of the parent may have held it, and does not exist to release it. */
static void renew(void)
{
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void watch_fork(void)
{
	pthread_atfork(NULL, NULL, renew);
}
