/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of the core does what it says, and says nothing. */
#include "mgpu.h"

static void *module, *stream;

static void *kernel(const char *name)
{
	return mgpuModuleGetFunction(module, name);
}

static void test_handles(void)
{
	CHECK(module != NULL);
	CHECK(stream != NULL);
	CHECK(kernel("add") != NULL);
	CHECK(kernel("add") == kernel("add"));
	CHECK(kernel("add") != kernel("nothing"));
}

/* The memory of a launch as gpu.launch_func makes it. */
static void test_launch(void)
{
	enum { COUNT = 1000 };
	uint32_t host[COUNT], count = COUNT;
	void *memory = mgpuMemAlloc(sizeof(host), stream, 0);
	void *params[] = { &memory, &count };

	REQUIRE(memory != NULL);
	mgpuMemset32(memory, 41, COUNT, stream);
	mgpuLaunchKernel(kernel("add"), 8, 1, 1, 128, 1, 1, 0, stream, params, NULL, 2);
	mgpuMemcpy(host, memory, sizeof(host), stream);
	mgpuStreamSynchronize(stream);
	for (int i = 0; executes() && i < COUNT; i++)
		if (!CHECK_INT(host[i], 42))
			break;
	mgpuMemFree(memory, stream);
}

static void test_memset(void)
{
	uint16_t host[8] = { 0 };
	void *memory = mgpuMemAlloc(sizeof(host), stream, 0);

	mgpuMemset16(memory, 0x1234, 8, stream);
	/* IR passes a narrow value without its upper bits cleared. */
	mgpuMemset16(memory, 0xdead5678, 4, stream);
	mgpuMemcpy(host, memory, sizeof(host), stream);
	mgpuStreamSynchronize(stream);
	CHECK_INT(host[0], 0x5678);
	CHECK_INT(host[3], 0x5678);
	CHECK_INT(host[4], 0x1234);
	CHECK_INT(host[7], 0x1234);
	mgpuMemFree(memory, stream);
}

static void test_zero(void)
{
	CHECK(mgpuMemAlloc(0, stream, 0) == NULL);
	CHECK(mgpuMemAlloc(0, NULL, 1) == NULL);
	mgpuMemFree(NULL, stream);
	mgpuMemcpy(NULL, NULL, 0, stream);
	mgpuMemset32(NULL, 0, 0, stream);
}

/* Host and device see the same memory. */
static void test_host_shared(void)
{
	uint32_t *memory = mgpuMemAlloc(4, stream, 1), count = 1;
	void *params[] = { &memory, &count };

	REQUIRE(memory != NULL);
	*memory = 6;
	launch1(kernel("add"), stream, params);
	mgpuStreamSynchronize(stream);
	CHECK_INT(*memory, executes() ? 7 : 6);
	mgpuMemFree(memory, stream);
}

/* An async token, as LLVM 23 lowers it. */
static void test_token(void)
{
	void *memory = mgpuMemAlloc(4, stream, 0);
	void *first = mgpuStreamCreate(), *second = mgpuStreamCreate();
	void *event = mgpuEventCreate();
	void *params[] = { &memory };

	CHECK(first != second);
	launch1(kernel("slow"), first, params);
	mgpuEventRecord(event, first);
	mgpuStreamDestroy(first);
	mgpuStreamWaitEvent(second, event);
	mgpuEventDestroy(event);
	if (executes())
		CHECK_INT(word_at(memory, second), 84);
	mgpuStreamDestroy(second);
	mgpuMemFree(memory, stream);
}

static void test_event(void)
{
	void *memory = mgpuMemAlloc(4, stream, 0);
	void *event = mgpuEventCreate();
	void *params[] = { &memory };

	launch1(kernel("slow"), stream, params);
	mgpuEventRecord(event, stream);
	mgpuEventSynchronize(event);
	mgpuEventDestroy(event);
	if (executes())
		CHECK_INT(word_at(memory, stream), 84);
	mgpuMemFree(memory, stream);
}

/* The driver's default stream. */
static void test_default_stream(void)
{
	void *memory = mgpuMemAlloc(4, NULL, 0);
	void *params[] = { &memory };

	launch1(kernel("slow"), NULL, params);
	mgpuStreamSynchronize(NULL);
	if (executes())
		CHECK_INT(word_at(memory, NULL), 84);
	mgpuMemFree(memory, NULL);
}

/* Each load has its own variables, in the shape of LLVM 17 to 20: a load per launch. */
static void test_fresh_variables(void)
{
	void *memory = mgpuMemAlloc(4, stream, 0);
	void *params[] = { &memory };

	for (int i = 0; executes() && i < 3; i++) {
		void *own = load();

		launch1(mgpuModuleGetFunction(own, "bump"), stream, params);
		CHECK_INT(word_at(memory, stream), 1);
		mgpuModuleUnload(own);
	}
	mgpuMemFree(memory, stream);
}

static void test_shared(void)
{
	void *memory = mgpuMemAlloc(4, stream, 0);
	void *params[] = { &memory };

	mgpuLaunchKernel(kernel("shared"), 1, 1, 1, 1, 1, 1, 1024, stream, params, NULL, 1);
	if (executes())
		CHECK_INT(word_at(memory, stream), 1024);
	mgpuMemFree(memory, stream);
}

int main(void)
{
	hear_stderr();
	module = load();
	stream = mgpuStreamCreate();
	RUN(test_handles);
	RUN(test_launch);
	RUN(test_memset);
	RUN(test_zero);
	RUN(test_host_shared);
	RUN(test_token);
	RUN(test_event);
	RUN(test_default_stream);
	RUN(test_fresh_variables);
	RUN(test_shared);
	mgpuStreamDestroy(stream);
	mgpuModuleUnload(module);
	RUN(test_silence);
	return tap_end();
}
