/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The CPU device's check=leak of what a program leaves to olShutDown(), or to the end of
 * the process.
 */
#include "ol.h"

static const char settings[] = "GPURUN_CPU=check=leak GPURUN_POOL=1";

/* A program and a queue, with a kernel that has run, and memory of each kind. */
static void work(void *blocks[3])
{
	static const ol_alloc_type_t types[] = { OL_ALLOC_TYPE_DEVICE, OL_ALLOC_TYPE_HOST,
						 OL_ALLOC_TYPE_MANAGED };
	ol_queue_handle_t queue;

	CHECK_OK(ol_init());
	look_up();
	queue = new_queue();
	CHECK_OK(launch1(queue, kernel_of(load(), "nothing"), NULL, 0));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	for (size_t i = 0; i < 3; i++)
		blocks[i] = alloc(types[i], 100 * (i + 1));
}

static void scene_leaves(void)
{
	void *blocks[3];

	work(blocks);
	CHECK_OK(olMemFree(blocks[1]));
	new_queue();
}

static void scene_leaves_and_shuts_down(void)
{
	scene_leaves();
	CHECK_OK(olShutDown());
}

static void scene_frees(void)
{
	void *blocks[3];

	work(blocks);
	for (size_t i = 0; i < 3; i++)
		CHECK_OK(olMemFree(blocks[i]));
	CHECK_OK(olShutDown());
}

static void check_left(const char *scene)
{
	struct ending ending = play(scene, settings);

	CHECK_INT(ending.status, 119);
	CHECK_HAS(ending.said, "leak: 100 bytes at 0x");
	CHECK_HAS(ending.said, "leak: 300 bytes at 0x");
	CHECK_HAS(ending.said, "leak: 1 stream: cuStreamDestroy is never called for it\n");
	CHECK_HAS(ending.said, "gpurun: check: 3 findings\n");
}

static void test_left(void)
{
	check_left("scene_leaves");
	check_left("scene_leaves_and_shuts_down");
}

static void test_freed(void)
{
	CHECK_PLAY("scene_frees", settings, NULL);
}

static const struct ol_case cases[] = {
	OL_SCENE(scene_leaves), OL_SCENE(scene_leaves_and_shuts_down), OL_SCENE(scene_frees),
	OL_BARE(test_left), OL_BARE(test_freed),
};
OL_MAIN(cases)
