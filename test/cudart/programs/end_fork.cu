// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork: before the first use both sides work; after it the child is refused, and ends quietly.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void set(int *data) { *data = 9; }

static void use()
{
	int *data, got;

	CHECK(cudaMalloc(&data, sizeof(int)));
	set<<<1, 1>>>(data);
	CHECK(cudaMemcpy(&got, data, sizeof(int), cudaMemcpyDeviceToHost));
	SAME(9, got);
	CHECK(cudaFree(data));
}

static int status_of(pid_t child)
{
	int status;

	EXPECT(waitpid(child, &status, 0) == child);
	return status;
}

int main()
{
	pid_t child = fork();
	void *memory;

	use();
	if (!child)
		return 0;
	SAME(0, status_of(child));
	if (getenv("GPURUN_TEST_GPU"))
		return ok(); /* NVIDIA's breaks down in such a child */
	child = fork();
	if (!child)
		return cudaMalloc(&memory, 4) == cudaErrorInitializationError ? 0 : 1;
	SAME(0, status_of(child));
	use();
	return ok();
}
