/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules that the driver's linker joins of several images. */
#include "kernels.h"

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
#define TWICE "(.param .b32 out) twice(.param .b32 x)"

static const char caller[] =
	HEAD ".extern .func " TWICE ";\n"
	".extern .global .align 4 .u32 calls;\n"
	".visible .entry apply(.param .u64 at)\n"
	"{\n"
	"	.reg .b32 %r<4>;\n"
	"	.reg .b64 %d;\n"
	"	ld.param.u64 %d, [at];\n"
	"	ld.global.u32 %r1, [%d];\n"
	"	{\n"
	"	.param .b32 p;\n"
	"	.param .b32 q;\n"
	"	st.param.b32 [p], %r1;\n"
	"	call (q), twice, (p);\n"
	"	ld.param.b32 %r2, [q];\n"
	"	}\n"
	"	st.global.u32 [%d], %r2;\n"
	"	ld.global.u32 %r3, [calls];\n"
	"	add.u32 %r3, %r3, 1;\n"
	"	st.global.u32 [calls], %r3;\n"
	"	ret;\n"
	"}\n";

static const char callee[] =
	HEAD ".visible .global .align 4 .u32 calls = 6;\n"
	".visible .func " TWICE "\n"
	"{\n"
	"	.reg .b32 %r<3>;\n"
	"	ld.param.b32 %r1, [x];\n"
	"	add.u32 %r2, %r1, %r1;\n"
	"	st.param.b32 [out], %r2;\n"
	"	ret;\n"
	"}\n"
	".visible .entry other() { ret; }\n";

static const struct gpurun_link_input both[] = {
	{ caller, 0, "caller.ptx" },
	{ callee, sizeof(callee) - 1, NULL },
};

static void test_joined(void)
{
	struct gpurun_module module = { 0 };
	struct gpurun_kernel kernel;
	uint64_t size = 0, calls = 0, at = 0;
	unsigned words[2] = { 21, 0 };
	struct gpurun_stream stream = new_stream();
	void *args[] = { &at };

	at = alloc(4);
	REQUIRE(gpurun_module_link(device, both, 2, &module) == GPURUN_OK);
	kernel = kernel_of(module, "apply");
	kernel_of(module, "other");
	CHECK_INT(gpurun_memory_copy(at, host(words), 4, stream), GPURUN_OK);
	CHECK_INT(launch1(kernel, stream, args), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(words), at, 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_module_global(module, "calls", &calls, &size), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&words[1]), calls, 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	if (executes())
		CHECK(words[0] == 42 && words[1] == 7 && size == 4);
	CHECK_INT(gpurun_memory_free(at), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static int link_status(const struct gpurun_link_input *inputs, size_t count)
{
	struct gpurun_module module = { 0 };
	int status = gpurun_module_link(device, inputs, count, &module);

	if (!status)
		gpurun_module_unload(module);
	else
		CHECK_INT(module.id, 0);
	return status;
}

static void test_refused(void)
{
	struct gpurun_link_input nothing = { NULL, 0, "nothing" };
	struct gpurun_link_input noise = { "noise", 5, "noise.bin" };

	CHECK_INT(link_status(NULL, 1), GPURUN_INVALID);
	CHECK_INT(link_status(both, 0), GPURUN_INVALID);
	CHECK_STR(gpurun_error_text(), "nothing to link: there are no inputs");
	CHECK_INT(link_status(&nothing, 1), GPURUN_INVALID);
	CHECK_STR(gpurun_error_text(), "nothing: no image: the pointer is NULL");
	CHECK_INT(gpurun_module_link(device, both, 2, NULL), GPURUN_INVALID);
	if (!executes())
		return;
	CHECK(link_status(&noise, 1) != GPURUN_OK);
	CHECK_HAS(gpurun_error_text(), "noise.bin: ");
	CHECK_INT(link_status(both, 1), GPURUN_NO_IMAGE);
	CHECK_HAS(gpurun_error_text(), "cuLink");
	CHECK(strlen(gpurun_error_log()) > 0);
	CHECK_INT(link_status((const struct gpurun_link_input[]){ both[0], both[1], both[1] }, 3),
		  GPURUN_NO_IMAGE);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_joined);
	RUN(test_refused);
	gpurun_shutdown();
	return tap_end();
}
