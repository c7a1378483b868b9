/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The side of an OpenCL device: opencl FOLDER, that of kernels.cu and language.h. Takes the
 * first CPU device, or under oclgrind the one there is.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;

static void try(cl_int result, const char *call)
{
	if (result)
		work_fail("opencl", call);
}
#define TRY(call) try(call, #call)

static void *buffer(const void *data, uint32_t words)
{
	cl_int result;
	cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				       words * 4ull, (void *)data, &result);

	TRY(result);
	return memory;
}

static void read_back(void *from, void *data, uint32_t words)
{
	TRY(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, words * 4ull, data, 0, NULL, NULL));
}

static void prepare(const struct work *work, void *buffers[])
{
	cl_int result;
	cl_uint at = 0;

	if (kernel)
		TRY(clReleaseKernel(kernel));
	kernel = clCreateKernel(program, work->kernel, &result);
	TRY(result);
	for (unsigned i = 0; i < work->scalar_count; i++)
		TRY(clSetKernelArg(kernel, at++, 4, &work->scalars[i]));
	for (unsigned i = 0; i < work->buffer_count; i++)
		TRY(clSetKernelArg(kernel, at++, sizeof(cl_mem), &buffers[i]));
}

static void launch(const struct work *work)
{
	size_t local[2] = { work->block[0], work->block[1] };
	size_t global[2] = { work->grid[0] * local[0], work->grid[1] * local[1] };

	TRY(clEnqueueNDRangeKernel(queue, kernel, work->grid[1] > 1 ? 2 : 1, NULL, global, local,
				   0, NULL, NULL));
}

static void wait_all(void)
{
	TRY(clFinish(queue));
}

int main(int argc, char **argv)
{
	static const struct side side = { "opencl", buffer, read_back, prepare, launch, wait_all };
	cl_platform_id platform;
	cl_device_id device;
	char path[512], options[512];
	const char *text;
	cl_int result;

	if (argc != 2)
		work_fail("opencl", "opencl FOLDER");
	snprintf(path, sizeof(path), "%s/kernels.cu", argv[1]);
	snprintf(options, sizeof(options), "-I %s", argv[1]);
	text = work_read("opencl", path);
	TRY(clGetPlatformIDs(1, &platform, NULL));
	TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
	TRY(result);
	queue = clCreateCommandQueue(context, device, 0, &result);
	TRY(result);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &result);
	TRY(result);
	TRY(clBuildProgram(program, 1, &device, options, NULL, NULL));
	return work_serve(&side);
}
