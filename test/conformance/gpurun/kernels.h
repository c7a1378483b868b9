/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the gpurun_* programs share: kernels as PTX that every device since
 * sm_50 runs, and the device under test. On the stub driver kernels load and
 * launch but do nothing: what they compute is checked where executes() holds.
 */
#ifndef CONFORMANCE_KERNELS_H
#define CONFORMANCE_KERNELS_H

#include "gpurun.h"
#include "tap.h"

/* add(a, b, c, n): c[i] = a[i] + b[i], f32; trap(); nothing();
 * bump(out): *out = ++counter, a variable of the module;
 * meet(mine, theirs): sets *mine, then waits for *theirs. */
static const char kernels_ptx[] TAP_UNUSED =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .global .align 4 .u32 counter;\n"
	".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<6>;\n"
	"	.reg .f32 %f<4>;\n"
	"	.reg .b64 %d<8>;\n"
	"	ld.param.u64 %d1, [a];\n"
	"	ld.param.u64 %d2, [b];\n"
	"	ld.param.u64 %d3, [c];\n"
	"	ld.param.u32 %r1, [n];\n"
	"	mov.u32 %r2, %ctaid.x;\n"
	"	mov.u32 %r3, %ntid.x;\n"
	"	mov.u32 %r4, %tid.x;\n"
	"	mad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"	setp.ge.u32 %p, %r5, %r1;\n"
	"	@%p ret;\n"
	"	mul.wide.u32 %d4, %r5, 4;\n"
	"	add.s64 %d5, %d1, %d4;\n"
	"	add.s64 %d6, %d2, %d4;\n"
	"	add.s64 %d7, %d3, %d4;\n"
	"	ld.global.f32 %f1, [%d5];\n"
	"	ld.global.f32 %f2, [%d6];\n"
	"	add.f32 %f3, %f1, %f2;\n"
	"	st.global.f32 [%d7], %f3;\n"
	"	ret;\n"
	"}\n"
	".visible .entry nothing() { ret; }\n"
	".visible .entry trap() { trap; ret; }\n"
	".visible .entry bump(.param .u64 out)\n"
	"{\n"
	"	.reg .b32 %r<3>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	ld.global.u32 %r1, [counter];\n"
	"	add.u32 %r2, %r1, 1;\n"
	"	st.global.u32 [counter], %r2;\n"
	"	st.global.u32 [%d1], %r2;\n"
	"	ret;\n"
	"}\n"
	".visible .entry meet(.param .u64 mine, .param .u64 theirs)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %d<3>;\n"
	"	ld.param.u64 %d1, [mine];\n"
	"	ld.param.u64 %d2, [theirs];\n"
	"	mov.u32 %r1, 1;\n"
	"	st.volatile.global.u32 [%d1], %r1;\n"
	"again:\n"
	"	ld.volatile.global.u32 %r1, [%d2];\n"
	"	setp.eq.u32 %p, %r1, 0;\n"
	"	@%p bra again;\n"
	"	ret;\n"
	"}\n";

/* The device under test, set by up(). */
static struct gpurun_device device TAP_UNUSED;
static struct gpurun_device_info device_info TAP_UNUSED;

/* Initialises and looks the device up; tells whether all went well. */
TAP_UNUSED static bool up(void)
{
	device_info.struct_size = sizeof(device_info);
	if (gpurun_init(NULL)) {
		printf("# gpurun_init: %s\n", gpurun_error_text());
		return false;
	}
	return !gpurun_device_get(0, &device) &&
	       !gpurun_device_get_info(device, &device_info);
}

/* Tells whether the device runs kernels: the stub driver does not. */
TAP_UNUSED static bool executes(void)
{
	return strcmp(device_info.name, "gpurun stub") != 0;
}

TAP_UNUSED static struct gpurun_module load(void)
{
	struct gpurun_module module;

	CHECK_INT(gpurun_module_load(device, kernels_ptx, 0, &module), GPURUN_OK);
	return module;
}

TAP_UNUSED static struct gpurun_kernel kernel_of(struct gpurun_module module,
						 const char *name)
{
	struct gpurun_kernel kernel;

	CHECK_INT(gpurun_module_kernel(module, name, &kernel), GPURUN_OK);
	return kernel;
}

TAP_UNUSED static struct gpurun_stream new_stream(void)
{
	struct gpurun_stream stream;

	CHECK_INT(gpurun_stream_create(device, &stream), GPURUN_OK);
	return stream;
}

TAP_UNUSED static uint64_t alloc(uint64_t size)
{
	uint64_t address;

	CHECK_INT(gpurun_memory_alloc(device, size, GPURUN_MEMORY_DEVICE, &address), GPURUN_OK);
	return address;
}

/* Launches one thread of @kernel on @stream. */
TAP_UNUSED static int launch1(struct gpurun_kernel kernel, struct gpurun_stream stream,
			      void **args)
{
	return gpurun_launch(kernel, &(struct gpurun_launch){ .stream = stream }, args);
}

static const struct gpurun_stream no_stream TAP_UNUSED;

TAP_UNUSED static uint64_t host(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

#endif
