/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the cudart_* programs share: the runtime library's calls, as its table has
 * them, and an image of device code that is registered as a compiler's code does.
 */
#ifndef CONFORMANCE_CUDART_USE_H
#define CONFORMANCE_CUDART_USE_H

#include "cudart_abi.h"
#include "tap.h"

#define CUDART(name, state, params, call) cudaError_t name params;
#define CUDART_PTSZ(name, state, params, call) \
	cudaError_t name params;               \
	cudaError_t name##_ptsz params;
#define CUDART_PTDS(name, state, params, call) \
	cudaError_t name params;               \
	cudaError_t name##_ptds params;
#define CUDART_OWN_PTSZ CUDART_PTSZ
#include "cudart_api.def"

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaGetLastError(void);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
			    int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
		       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
			      int external, size_t size, int constant, int global);
char __cudaInitModule(void **handle);

/* A GPU runs the test, which scripts/gpu-check says. */
TAP_UNUSED static bool on_gpu(void)
{
	return getenv("GPURUN_TEST_GPU") != NULL;
}

/* The library is NVIDIA's. */
TAP_UNUSED static bool on_nvidia(void)
{
	return getenv("GPURUN_TEST_NVIDIA") != NULL;
}

/* bump(out): *out = ++counter; nothing(); trap(); wait(p): ends once *p is not 0. */
static const char cudart_ptx[] TAP_UNUSED =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .global .align 4 .u32 counter;\n"
	".visible .global .attribute(.managed) .align 4 .u32 both;\n"
	".visible .entry nothing() { ret; }\n"
	".visible .entry trap() { trap; ret; }\n"
	".visible .entry bump(.param .u64 out)\n"
	"{\n"
	"	.reg .b32 %r<3>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	atom.global.add.u32 %r1, [counter], 1;\n"
	"	add.u32 %r2, %r1, 1;\n"
	"	st.global.u32 [%d1], %r2;\n"
	"	ret;\n"
	"}\n"
	".visible .entry wait(.param .u64 p)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r;\n"
	"	.reg .b64 %d;\n"
	"	ld.param.u64 %d, [p];\n"
	"loop:\n"
	"	ld.volatile.global.u32 %r, [%d];\n"
	"	setp.eq.u32 %p, %r, 0;\n"
	"	@%p bra loop;\n"
	"	ret;\n"
	"}\n";

/* A fatbin of one entry, PTX for sm_50 that is not compressed: see lib/image/fatbin.c. Options are said
 * to be there, as nvcc does, and are empty. */
struct cudart_image {
	struct fatbin_wrapper wrapper;
	struct {
		uint32_t magic;
		uint16_t version, header;
		uint64_t size;
		uint16_t kind, entry_version;
		uint32_t entry_header;
		uint64_t padded;
		uint32_t compressed, options_at;
		uint16_t minor, major;
		uint32_t sm, name, name_length;
		uint64_t flags, key, decompressed;
		uint32_t options, options_length;
		uint64_t option_text;
		char ptx[(sizeof(cudart_ptx) + 7) / 8 * 8];
	} fatbin;
	void **handle;
	char bump, nothing, trap, wait, missing; /* addresses that stand for kernels */
	char counter, absent;		   /* and for variables */
};

TAP_UNUSED static void cudart_function(struct cudart_image *image, char *host, const char *name)
{
	__cudaRegisterFunction(image->handle, host, (char *)name, name, -1, NULL, NULL, NULL,
			       NULL, NULL);
}

TAP_UNUSED static void cudart_register(struct cudart_image *image)
{
	memset(image, 0, sizeof(*image));
	image->fatbin.magic = 0xBA55ED50;
	image->fatbin.version = 1;
	image->fatbin.header = 16;
	image->fatbin.size = 80 + sizeof(image->fatbin.ptx);
	image->fatbin.kind = 1;
	image->fatbin.entry_version = 0x101;
	image->fatbin.entry_header = 80;
	image->fatbin.options_at = 64;
	image->fatbin.options = 72;
	image->fatbin.padded = sizeof(image->fatbin.ptx);
	image->fatbin.major = 6;
	image->fatbin.sm = 50;
	image->fatbin.flags = 0x11;
	memcpy(image->fatbin.ptx, cudart_ptx, sizeof(cudart_ptx));
	image->wrapper = (struct fatbin_wrapper){ FATBIN_WRAPPER_MAGIC, 1, &image->fatbin, NULL };
	image->handle = __cudaRegisterFatBinary(&image->wrapper);
	cudart_function(image, &image->bump, "bump");
	cudart_function(image, &image->nothing, "nothing");
	cudart_function(image, &image->trap, "trap");
	cudart_function(image, &image->wait, "wait");
	cudart_function(image, &image->missing, "missing");
	__cudaRegisterVar(image->handle, &image->counter, "counter", "counter", 0, 4, 0, 0);
	__cudaRegisterVar(image->handle, &image->absent, "absent", "absent", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(image->handle);
}

#endif
