// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exit() in another thread, with work under way: what a kernel prints comes out before the end.
//: differs NVIDIA's loses what the kernel printed
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "check.h"

__global__ void say()
{
	for (int i = 0; i < 100; i++)
		__nanosleep(100000);
	printf("ok\n");
}

int main()
{
	CHECK(cudaFree(0));
	std::thread([] {
		say<<<1, 1>>>();
		exit(0);
	}).detach();
	for (;;)
		pause();
}
