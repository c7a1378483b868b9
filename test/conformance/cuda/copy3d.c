/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and fills of two and three dimensions: boxes out of one array into another. */
#include <pthread.h>

#include "cuda_kernels.h"

enum { WIDTH = 24, ROWS = 10, SLICES = 4, PITCH = 40, TO_PITCH = 64 };

static CUdeviceptr device_new(size_t size)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, size));
	OK_CU(cu.cuMemsetD8(address, 0, size));
	return address;
}

/* Bytes that tell where they are. */
static void number(unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 251);
}

/* From host rows to device rows of another pitch, and back out of the middle of them. */
static void test_2d(void)
{
	unsigned char from[PITCH * ROWS], to[WIDTH * ROWS] = { 0 };
	CUdeviceptr device = device_new(TO_PITCH * ROWS);
	CUDA_MEMCPY2D there = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, .srcPitch = PITCH,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device,
		.dstPitch = TO_PITCH, .WidthInBytes = PITCH, .Height = ROWS,
	};
	CUDA_MEMCPY2D back = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device,
		.srcPitch = TO_PITCH, .srcXInBytes = 3, .srcY = 2,
		.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = WIDTH,
		.dstXInBytes = 1, .dstY = 4, .WidthInBytes = 20, .Height = 5,
	};
	int wrong = 0;

	number(from, sizeof(from));
	OK_CU(cu.cuMemcpy2D(&there));
	OK_CU(cu.cuMemcpy2DUnaligned(&back));
	for (int y = 0; y < ROWS; y++) {
		for (int x = 0; x < WIDTH; x++) {
			bool in = x >= 1 && x < 21 && y >= 4 && y < 9;
			int want = in ? from[(y - 2) * PITCH + x + 2] : 0;

			wrong += to[y * WIDTH + x] != want;
		}
	}
	CHECK_INT(wrong, 0);
	OK_CU(cu.cuMemFree(device));
}

static void test_3d(void)
{
	static unsigned char from[PITCH * ROWS * SLICES], to[PITCH * ROWS * SLICES];
	CUdeviceptr device = device_new(sizeof(from)), other = device_new(sizeof(from));
	CUDA_MEMCPY3D box = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device, .srcPitch = PITCH,
		.srcHeight = ROWS, .srcXInBytes = 5, .srcY = 1, .srcZ = 1,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = other, .dstPitch = PITCH,
		.dstHeight = ROWS, .dstXInBytes = 8, .dstY = 3, .dstZ = 2,
		.WidthInBytes = 16, .Height = 4, .Depth = 2,
	};
	CUstream stream = NULL;
	int wrong = 0;

	number(from, sizeof(from));
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cu.cuMemcpyHtoD(device, from, sizeof(from)));
	OK_CU(cu.cuMemsetD8(other, 9, sizeof(to)));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemcpy3DAsync(&box, stream));
	OK_CU(cu.cuStreamSynchronize(stream));
	OK_CU(cu.cuMemcpyDtoH(to, other, sizeof(to)));
	for (int i = 0; i < PITCH * ROWS * SLICES; i++) {
		int x = i % PITCH, y = i / PITCH % ROWS, z = i / PITCH / ROWS;
		bool in = x >= 8 && x < 24 && y >= 3 && y < 7 && z >= 2;

		wrong += to[i] != (in ? from[i - 3 - 2 * PITCH - PITCH * ROWS] : 9);
	}
	CHECK_INT(wrong, 0);
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemFree(device));
	OK_CU(cu.cuMemFree(other));
}

static void *open_later(void *flag)
{
	sleep_ms(50);
	atomic_store((atomic_uint *)flag, 1);
	return NULL;
}

/* Pageable memory may be written anew once the call has returned, whatever the stream does. */
static void test_staged(void)
{
	enum { ROW = 1024, SIZE = 256 * ROW };
	CUdeviceptr address, device = device_new(SIZE * 2);
	atomic_uint *flag = cuda_flag(&address);
	CUmodule module = cuda_kernels();
	unsigned char *bytes = malloc(SIZE), last = 0;
	void *params[] = { &address };
	CUstream stream = NULL;
	pthread_t thread;
	CUDA_MEMCPY2D copy = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = bytes, .srcPitch = ROW,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device,
		.dstPitch = 2 * ROW, .WidthInBytes = ROW, .Height = SIZE / ROW,
	};

	memset(bytes, 5, SIZE);
	OK_CU(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK_CU(cuda_launch1(cuda_function(module, "wait"), stream, params));
	pthread_create(&thread, NULL, open_later, flag);
	OK_CU(cu.cuMemcpy2DAsync(&copy, stream));
	memset(bytes, 6, SIZE);
	OK_CU(cu.cuStreamSynchronize(stream));
	pthread_join(thread, NULL);
	OK_CU(cu.cuMemcpyDtoH(&last, device + SIZE * 2 - ROW - 1, 1));
	CHECK_INT(last, 5);
	OK_CU(cu.cuStreamDestroy(stream));
	OK_CU(cu.cuMemFreeHost(flag));
	OK_CU(cu.cuMemFree(device));
	OK_CU(cu.cuModuleUnload(module));
	free(bytes);
}

static void test_refused(void)
{
	unsigned char host[256];
	CUdeviceptr device = device_new(256);
	const CUDA_MEMCPY2D good = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = host, .srcPitch = 64,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device, .dstPitch = 64,
		.WidthInBytes = 64, .Height = 4,
	};
	CUDA_MEMCPY2D copy = good;

	memset(host, 1, sizeof(host));
	OK_CU(cu.cuMemcpy2D(&copy));
	copy.dstPitch = 63;
	CHECK_CU(cu.cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy = good;
	copy.srcXInBytes = 1;
	CHECK_CU(cu.cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy = good;
	copy.srcMemoryType = 0;
	CHECK_CU(cu.cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy = good;
	copy.Height = 0;
	OK_CU(cu.cuMemcpy2D(&copy));
	CHECK_CU(cu.cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(device));
}

/* One slice needs no height, and one row no pitch; but where there is one it has to be right. */
static void test_short_array(void)
{
	unsigned char host[64];
	CUdeviceptr device = device_new(1024);
	CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = device, .srcPitch = 16,
		.srcHeight = 4, .srcZ = 2,
		.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = host, .dstPitch = 16,
		.WidthInBytes = 16, .Height = 4, .Depth = 1,
	};

	OK_CU(cu.cuMemsetD8(device, 1, 1024));
	OK_CU(cu.cuMemcpy3D(&copy));
	copy.srcHeight = 3;
	CHECK_CU(cu.cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy.srcZ = 0;
	CHECK_CU(cu.cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy.srcHeight = 0;
	OK_CU(cu.cuMemcpy3D(&copy));
	copy.Height = 1;
	copy.srcPitch = 8;
	CHECK_CU(cu.cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy.srcPitch = 0;
	OK_CU(cu.cuMemcpy3D(&copy));
	OK_CU(cu.cuMemFree(device));
}

/* Plain copies of device memory, of one context and between two that are the same. */
static void test_device_to_device(void)
{
	CUdeviceptr one = device_new(64), two = device_new(64);
	CUcontext context = NULL;
	unsigned word = 0;

	OK_CU(cu.cuCtxGetCurrent(&context));
	OK_CU(cu.cuMemsetD32(one, 77, 16));
	OK_CU(cu.cuMemcpyDtoD(two, one, 32));
	OK_CU(cu.cuMemcpyPeer(two + 32, context, one, context, 32));
	OK_CU(cu.cuMemcpyDtoH(&word, two + 60, 4));
	CHECK_INT(word, 77);
	OK_CU(cu.cuMemFree(one));
	OK_CU(cu.cuMemFree(two));
}

static void test_fill(void)
{
	unsigned short to[4][16] = { { 0 } };
	CUdeviceptr device = device_new(sizeof(to));
	int wrong = 0;

	OK_CU(cu.cuMemsetD2D16(device + 4, 32, 0x1234, 3, 3));
	OK_CU(cu.cuMemsetD2D8(device + 16, 32, 0x56, 2, 2));
	OK_CU(cu.cuMemsetD2D32(device + 96, 32, 0x789abcde, 8, 1));
	OK_CU(cu.cuMemcpyDtoH(to, device, sizeof(to)));
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 16; x++)
			wrong += to[y][x] != (x >= 2 && x < 5 ? 0x1234 :
					      x == 8 && y < 2 ? 0x5656 : 0);
	CHECK_INT(wrong, 0);
	CHECK_INT(to[3][14], 0xbcde);
	CHECK_INT(to[3][15], 0x789a);
	CHECK_CU(cu.cuMemsetD2D32(device, 6, 1, 1, 2), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuMemFree(device));
}

static void test_pitch(void)
{
	CUdeviceptr device = 0;
	size_t pitch = 0;

	OK_CU(cu.cuMemAllocPitch(&device, &pitch, 100, 7, 4));
	CHECK(pitch >= 100 && pitch % 32 == 0);
	OK_CU(cu.cuMemsetD2D8(device, pitch, 1, 100, 7));
	OK_CU(cu.cuMemFree(device));
	CHECK_CU(cu.cuMemAllocPitch(&device, &pitch, 100, 7, 5), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
	cuda_start();
	RUN(test_2d);
	RUN(test_3d);
	RUN(test_staged);
	RUN(test_refused);
	RUN(test_short_array);
	RUN(test_device_to_device);
	RUN(test_fill);
	RUN(test_pitch);
	return tap_end();
}
