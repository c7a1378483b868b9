/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_ahead.h"
#include "asserts.h"
#include "image_file.h"
#include "lock.h"
#include "workers.h"

#include <stdlib.h>

enum {
	LEAD = 128,             /* containers whose lists may be in memory */
	LEAST = 64,             /* containers for which threads are started */
	LARGEST = 1 << 20,      /* bytes that an image unpacks to, of which each thread has one */
};

struct image_ahead {
	struct image_file *file; /* borrowed */
	const bool *wanted;      /* borrowed */
	uint32_t count;          /* containers */
	pthread_mutex_t lock;    /* guards what follows */
	pthread_cond_t changed;
	uint32_t next;           /* the first that no thread has begun with */
	uint32_t used;           /* the last that the caller waits for */
	bool over;
	bool done[LEAD];         /* of the containers around used, by their number modulo LEAD */
	struct workers workers;
};

static void read_container(const struct image_ahead *ahead, uint32_t container)
{
	const size_t *numbers;
	const size_t count = image_members(ahead->file, container, &numbers);

	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(ahead->file, numbers[i]);

		if ((!ahead->wanted || ahead->wanted[numbers[i]]) && image->size <= LARGEST &&
		    (image->kind == IMAGE_PTX || image->kind == IMAGE_CUBIN))
			image_read(ahead->file, image);
	}
}

/* Claims the next container; false when there is none left. Under the lock. */
static bool claim(struct image_ahead *ahead, uint32_t *container)
{
	ASSERT(lock_is_held(LOCK_AHEAD) && ahead->next <= ahead->count);
	while (!ahead->over && ahead->next < ahead->count && ahead->next - ahead->used >= LEAD)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	if (ahead->over || ahead->next >= ahead->count)
		return false;
	*container = ahead->next++;
	return true;
}

static void *work(void *argument)
{
	struct image_ahead *ahead = argument;
	uint32_t container;

	lock_acquire(&ahead->lock, LOCK_AHEAD);
	while (claim(ahead, &container)) {
		lock_release(&ahead->lock);
		read_container(ahead, container);
		lock_acquire(&ahead->lock, LOCK_AHEAD);
		ASSERT(!ahead->done[container % LEAD] && container - ahead->used < LEAD);
		ahead->done[container % LEAD] = true;
		pthread_cond_broadcast(&ahead->changed);
	}
	lock_release(&ahead->lock);
	return NULL;
}

void image_ahead_start(struct image_file *file, const bool *wanted, struct image_ahead **out)
{
	CLEANUP(free_image_ahead) struct image_ahead *ahead = NULL;

	*out = NULL;
	if (image_containers(file) < LEAST || workers_processors() < 2)
		return;
	ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return;
	ahead->file = file;
	ahead->wanted = wanted;
	ahead->count = image_containers(file);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	workers_start(&ahead->workers, workers_processors(), work, ahead);
	if (ahead->workers.count)
		*out = STEAL(ahead);
}

void image_ahead_wait(struct image_ahead *ahead, uint32_t container)
{
	if (!ahead)
		return;
	LOCKED_BY(&ahead->lock, LOCK_AHEAD);
	ASSERT(container == ahead->used && container < ahead->count);
	while (!ahead->done[container % LEAD])
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	/* The one that has its place next can be begun from now on. */
	ahead->done[container % LEAD] = false;
	ahead->used = container + 1;
	pthread_cond_broadcast(&ahead->changed);
}

void image_ahead_free(struct image_ahead *ahead)
{
	if (!ahead)
		return;
	lock_acquire(&ahead->lock, LOCK_AHEAD);
	ahead->over = true;
	pthread_cond_broadcast(&ahead->changed);
	lock_release(&ahead->lock);
	workers_join(&ahead->workers);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
