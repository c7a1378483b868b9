/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Children of fork(). One whose parent was up, or has been, has no driver: that is
 * told by olInit() already. One whose parent never was comes up by itself.
 */
#include "ol.h"

/* Tells whether all checks of @child, in a child, pass. */
static bool in_child(void (*child)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(30);
		child();
		fflush(stdout);
		_exit(tap.failed);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

static bool count_device(ol_device_handle_t device, void *data)
{
	(void)device;
	++*(int *)data;
	return true;
}

static int devices(void)
{
	int count = 0;

	CHECK_OK(olIterateDevices(count_device, &count));
	return count;
}

static void child_of_up(void)
{
	CHECK_TELLS(ol_init(), BACKEND_FAILURE, "initialise in the child, not before fork()");
	CHECK_CODE(olIterateDevices(count_device, NULL), BACKEND_FAILURE);
	CHECK_CODE(ol_init_twin(NULL), BACKEND_FAILURE);
}

/* What the child was refused has not counted, here or there. */
static void test_while_up(void)
{
	CHECK(in_child(child_of_up));
	CHECK_OK(ol_init());
	CHECK(devices() >= 2);
	CHECK_OK(olShutDown());
	CHECK(devices() >= 2);
}

static void child_of_down(void)
{
	CHECK_TELLS(ol_init(), BACKEND_FAILURE, "initialise in the child, not before fork()");
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

static void test_after_shutdown(void)
{
	REQUIRE_OK(ol_init());
	CHECK_OK(olShutDown());
	CHECK(in_child(child_of_down));
}

static void child_comes_up(void)
{
	CHECK_OK(ol_init());
	CHECK(devices() >= 1);
	CHECK_OK(olShutDown());
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

/* In a process of its own, which never was up. */
static void before_init(void)
{
	CHECK(in_child(child_comes_up));
	CHECK_OK(ol_init());
	CHECK_OK(olShutDown());
}

static void test_before_init(void)
{
	CHECK_PLAY("before_init", NULL, NULL);
}

/* The parent's olInit() counts for the child too. */
static void child_without_driver(void)
{
	CHECK_OK(ol_init());
	CHECK_INT(devices(), 1);
	CHECK_OK(olShutDown());
	CHECK_OK(olShutDown());
	CHECK_CODE(olShutDown(), UNINITIALIZED);
}

/* With the host device alone there is no driver that a child could not have. */
static void without_driver(void)
{
	CHECK_OK(ol_init());
	CHECK(in_child(child_without_driver));
	CHECK_OK(olShutDown());
}

static void test_without_driver(void)
{
	CHECK_PLAY("without_driver", "GPURUN_DEVICE GPURUN_DRIVER=/nonexistent/libcuda.so.1",
		   NULL);
}

static const struct ol_case cases[] = {
	OL_CASE(test_while_up),
	OL_BARE(test_after_shutdown),
	OL_BARE(test_before_init),
	OL_BARE(test_without_driver),
	OL_SCENE(before_init),
	OL_SCENE(without_driver),
};
OL_MAIN(cases)
