/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Libraries with kernels that are closed, while their kernels run or when they have, and
 * the ends of processes that have them.
 */
#include <pthread.h>

#include "beside.h"
#include "cudart_process.h"

static struct cudart_image *theirs;
static unsigned *flag;

static void *open_kernels(void)
{
	void *library = open_beside("library/libkernels.so");
	struct cudart_image *(*get)(void) = dlsym(library, "kernels_image");

	if (!get)
		_exit(57);
	theirs = get();
	return library;
}

static void launch_theirs(const void *kernel, void *argument)
{
	void *args[] = { &argument };

	EXPECT(cudaLaunchKernel(kernel, one, one, args, 0, NULL), cudaSuccess);
}

/* Each time its variables are new. */
static void leave_closed(void)
{
	unsigned *out;

	ending_up();
	EXPECT(cudaHostAlloc((void **)&out, 4, 0), cudaSuccess);
	for (int i = 0; i < 3; i++) {
		void *library = open_kernels();

		launch_theirs(&theirs->bump, out);
		EXPECT(cudaDeviceSynchronize(), cudaSuccess);
		EXPECT(*out, 1);
		EXPECT(dlclose(library), 0);
	}
	EXPECT(cudaLaunchKernel(theirs, one, one, NULL, 0, NULL), cudaErrorInvalidResourceHandle);
}

static void leave_closed_unused(void)
{
	EXPECT(dlclose(open_kernels()), 0);
}

static void leave_open(void)
{
	open_kernels();
	launch_theirs(&theirs->nothing, NULL);
}

static void leave_open_after_use(void)
{
	setenv("KERNELS_ATEXIT", "1", 1);
	ending_up();
	leave_open();
}

static void *raise_flag(void *unused)
{
	(void)unused;
	usleep(200 * 1000);
	ending_let_go(flag);
	return NULL;
}

/* What was launched ends well: the library waits for it. */
static void leave_closed_at_work(void)
{
	void *library = open_kernels();
	unsigned *out;
	pthread_t thread;

	EXPECT(cudaHostAlloc((void **)&flag, 8, 0), cudaSuccess);
	out = flag + 1;
	*flag = *out = 0;
	launch_theirs(&theirs->wait, flag);
	launch_theirs(&theirs->bump, out);
	pthread_create(&thread, NULL, raise_flag, NULL);
	EXPECT(dlclose(library), 0);
	EXPECT(*out, 1);
	EXPECT(cudaDeviceSynchronize(), cudaSuccess);
	pthread_join(thread, NULL);
}

/* Not for ever, though: they go on, and so does the process. */
static void leave_closed_endless(void)
{
	void *library;

	setenv("GPURUN_EXIT_WAIT", "0.5", 1);
	library = open_kernels();
	launch_theirs(&theirs->nothing, NULL);
	ending_launch_waiting();
	EXPECT(dlclose(library), 0);
	launch_theirs(&image.nothing, NULL);
}

/* Its handler runs before the library's own end. */
static void leave_open_endless(void)
{
	setenv("GPURUN_EXIT_WAIT", "0.5", 1);
	leave_open_after_use();
	ending_launch_waiting();
}

static void *close_thread(void *library)
{
	dlclose(library);
	return NULL;
}

/* One thread closes it, waiting, and another one ends the process. */
static void leave_while_closing(void)
{
	void *library = open_kernels();
	pthread_t thread;

	setenv("GPURUN_EXIT_WAIT", "0.5", 1);
	launch_theirs(&theirs->nothing, NULL);
	ending_launch_waiting();
	pthread_create(&thread, NULL, close_thread, library);
	pthread_detach(thread);
	usleep(100 * 1000);
}

static const struct ending endings[] = {
	{ "closed", leave_closed },
	{ "closed-unused", leave_closed_unused },
	{ "open", leave_open },
	{ "open-after-use", leave_open_after_use },
	{ "closed-at-work", leave_closed_at_work },
	{ "closed-endless", leave_closed_endless },
	{ "open-endless", leave_open_endless },
	{ "while-closing", leave_while_closing },
};

static void test_closed(void)
{
	ends_with("closed", 0);
	ends_with("closed-unused", 0);
}

static void test_open(void)
{
	ends_with("open", 0);
	ends_with("open-after-use", 0);
}

static void test_closed_at_work(void)
{
	ends_with("closed-at-work", 0);
}

static void ends_late(const char *name)
{
	struct ended ended = ending_run(name);

	CHECK(WIFEXITED(ended.status));
	CHECK_INT(WEXITSTATUS(ended.status), 0);
	CHECK_STR(ended.said, "gpurun: libcudart: work on a device had not ended 0.5 s after "
			      "exit(): it is left to the driver\n");
	CHECK(ended.seconds >= 0.5 && ended.seconds < 4 * slower());
}

static void test_endless(void)
{
	ends_late("closed-endless");
	ends_late("open-endless");
	ends_late("while-closing");
}

int main(int argc, char **argv)
{
	cudart_register(&image);
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_closed);
	RUN(test_open);
	RUN(test_closed_at_work);
	RUN(test_endless);
	return tap_end();
}
