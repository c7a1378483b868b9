/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The side of the CPU device: driver KERNELS.ptx. A program of the CUDA driver
 * API; opens $GPURUN_DRIVER.
 */
#include <stdlib.h>

#include "device.h"

static struct device device;

static void *buffer(const void *data, uint32_t words)
{
	return device_buffer(&device, data, words);
}

static void read_back(void *from, void *data, uint32_t words)
{
	device_read(&device, from, data, words);
}

static void prepare(const struct work *work, void *buffers[])
{
	device_prepare(&device, work, buffers);
}

static void launch(const struct work *work)
{
	device_launch(&device, work);
}

static void wait_all(void)
{
	device_wait(&device);
}

int main(int argc, char **argv)
{
	static const struct side side = { "driver", buffer, read_back, prepare, launch, wait_all };
	const char *path = getenv("GPURUN_DRIVER");
	int status;

	if (argc != 2)
		work_fail("driver", "driver KERNELS.ptx");
	device_open(&device, "driver", path ? path : "libcuda.so.1", NULL);
	device_load(&device, argv[1]);
	status = work_serve(&side);
	device_close(&device);
	return status;
}
