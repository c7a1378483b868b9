/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Host accesses to device memory by its address: SIGSEGV for memory of every call, and EFAULT from
 * system calls. On the CPU device a line first names the allocation, unless the program has a
 * handler of its own. Host and kernels both reach managed, pinned and registered memory.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "cuda_kernels.h"
#include "process.h"

#define KERNELS                                                                            \
	PTX_HEAD ".visible .global .align 8 .b8 variable[64];\n"                           \
	".visible .const .align 8 .b8 constant[64];\n"                                     \
	".visible .global .attribute(.managed) .align 8 .b8 both[64];\n"                   \
	".extern .func (.param .b64 r) malloc (.param .b64 n);\n"                          \
	".visible .entry heap(.param .u64 out)\n{\n"                                       \
	"	.reg .b64 %rd<4>;\n"                                                       \
	"	.param .b64 n, r;\n"                                                       \
	"	ld.param.u64 %rd1, [out];\n"                                               \
	"	mov.u64 %rd2, 128;\n"                                                      \
	"	st.param.b64 [n], %rd2;\n"                                                 \
	"	call.uni (r), malloc, (n);\n"                                              \
	"	ld.param.b64 %rd3, [r];\n"                                                 \
	"	st.global.u64 [%rd1], %rd3;\n"                                             \
	"	ret;\n}\n" PTX_STEP

enum { SIZE = 256, HANDLED = 7 };

static CUmodule module;

/* ---- Kinds of memory ---------------------------------------------------------------- */

static CUdeviceptr from_alloc(void)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, SIZE));
	return address;
}

static CUdeviceptr from_large(void)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAlloc(&address, 1 << 20));
	return address;
}

static CUdeviceptr from_pitch(void)
{
	CUdeviceptr address = 0;
	size_t pitch;

	OK_CU(cu.cuMemAllocPitch(&address, &pitch, 100, 4, 4));
	return address;
}

static CUdeviceptr from_pool(void)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuMemAllocAsync(&address, SIZE, NULL));
	OK_CU(cu.cuStreamSynchronize(NULL));
	return address;
}

/* Mapped, unmapped and mapped again. */
static CUdeviceptr from_mapping(void)
{
	const CUmemAllocationProp props = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	const CUmemAccessDesc access = { props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemGenericAllocationHandle memory = 0;
	CUdeviceptr address = 0;
	size_t unit = 0;

	OK_CU(cu.cuMemGetAllocationGranularity(&unit, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	OK_CU(cu.cuMemAddressReserve(&address, unit, 0, 0, 0));
	OK_CU(cu.cuMemCreate(&memory, unit, &props, 0));
	for (int i = 0; i < 2; i++) {
		if (i)
			OK_CU(cu.cuMemUnmap(address, unit));
		OK_CU(cu.cuMemMap(address, unit, 0, memory, 0));
		OK_CU(cu.cuMemSetAccess(address, unit, &access, 1));
	}
	return address;
}

static CUdeviceptr global(const char *name)
{
	CUdeviceptr address = 0;

	OK_CU(cu.cuModuleGetGlobal(&address, NULL, module, name));
	return address;
}

static CUdeviceptr from_variable(void)
{
	return global("variable");
}

static CUdeviceptr from_constant(void)
{
	return global("constant");
}

static CUdeviceptr from_heap(void)
{
	CUdeviceptr out = from_alloc(), address = 0;
	void *params[] = { &out };

	OK_CU(cuda_launch1(cuda_function(module, "heap"), NULL, params));
	OK_CU(cu.cuMemcpyDtoH(&address, out, sizeof(address)));
	return address;
}

static CUdeviceptr from_freed(void)
{
	const CUdeviceptr address = from_alloc();

	OK_CU(cu.cuMemFree(address));
	return address;
}

static const struct {
	const char *name;
	CUdeviceptr (*make)(void);
	const char *said; /* by the CPU device */
} kinds[] = {
	{ "alloc", from_alloc, " of the 256 bytes at 0x" },
	{ "large", from_large, " of the 1048576 bytes at 0x" },
	{ "pitch", from_pitch, " from cuMemAllocPitch" },
	{ "pool", from_pool, " from cuMemAllocAsync" },
	{ "mapping", from_mapping, " from cuMemSetAccess" },
	{ "variable", from_variable, " from a variable of a module" },
	{ "constant", from_constant, " from a variable of a module" },
	{ "heap", from_heap, " of the 128 bytes at 0x" },
	{ "freed", from_freed, " from cuMemAlloc, which cuMemFree freed" },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- Ways to end ---------------------------------------------------------------------- */

static void begin(void)
{
	cuda_start();
	OK_CU(cu.cuModuleLoadData(&module, KERNELS));
}

static void use(CUdeviceptr address)
{
	*(volatile int *)(uintptr_t)(address + 20) = 1;
	_exit(0); /* it is not to come this far */
}

#define KIND(number)                                                                       \
	static void leave_kind_##number(void)                                              \
	{                                                                                  \
		begin();                                                                   \
		use(kinds[number].make());                                                 \
	}
KIND(0)
KIND(1)
KIND(2)
KIND(3)
KIND(4)
KIND(5)
KIND(6)
KIND(7)
KIND(8)

static void leave_read(void)
{
	begin();
	_exit(*(volatile char *)(uintptr_t)(from_alloc() + 20));
}

static void leave_memcpy(void)
{
	static char bytes[SIZE];

	begin();
	memcpy((void *)(uintptr_t)from_alloc(), bytes, sizeof(bytes));
	_exit(0);
}

static void handle(int number)
{
	(void)number;
	_exit(HANDLED);
}

static void leave_handled_before(void)
{
	signal(SIGSEGV, handle);
	begin();
	use(from_alloc());
}

static void leave_handled_after(void)
{
	begin();
	signal(SIGSEGV, handle);
	use(from_alloc());
}

static struct sigaction before;

/* Leaves it to the handler that was there before, and returns. */
static void chain(int number)
{
	if (write(STDOUT_FILENO, "# chained\n", 10) == 10)
		sigaction(number, &before, NULL);
}

static void leave_chained(void)
{
	const struct sigaction action = { .sa_handler = chain };

	begin();
	sigaction(SIGSEGV, &action, &before);
	use(from_alloc());
}

static void *use_at(void *address)
{
	use((uintptr_t)address);
	return NULL;
}

/* At once, perhaps. */
static void leave_threads(void)
{
	const CUdeviceptr address = (begin(), from_alloc());
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, use_at, (void *)(uintptr_t)address);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void use_from_stream(void *address)
{
	use((uintptr_t)address);
}

static void leave_host_function(void)
{
	const CUdeviceptr address = (begin(), from_alloc());

	OK_CU(cu.cuLaunchHostFunc(NULL, use_from_stream, (void *)(uintptr_t)address));
	cu.cuStreamSynchronize(NULL);
}

/* In a child of fork(), and then here: each has its line. */
static void leave_forked(void)
{
	const CUdeviceptr address = (begin(), from_alloc());
	const pid_t child = fork();
	int status = 0;

	if (!child)
		use(address);
	waitpid(child, &status, 0);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
		_exit(1);
	use(address);
}

static void leave_null(void)
{
	begin();
	use(64 - 20);
}

static void leave_killed(void)
{
	begin();
	kill(getpid(), SIGSEGV);
	_exit(0);
}

/* The CPU device's own: the host sees what a kernel has written. */
static void leave_shared(void)
{
	CUdeviceptr address;
	unsigned k = 5;
	void *params[] = { &address, &k };

	setenv("GPURUN_CPU", "host_memory=shared", 1);
	begin();
	address = from_alloc();
	*(unsigned *)(uintptr_t)address = 2;
	OK_CU(cuda_launch1(cuda_function(module, "step"), NULL, params));
	OK_CU(cu.cuCtxSynchronize());
	_exit(*(unsigned *)(uintptr_t)address == 67 ? HANDLED : 1);
}

static const struct ending endings[] = {
	{ "alloc", leave_kind_0 }, { "large", leave_kind_1 }, { "pitch", leave_kind_2 },
	{ "pool", leave_kind_3 }, { "mapping", leave_kind_4 }, { "variable", leave_kind_5 },
	{ "constant", leave_kind_6 }, { "heap", leave_kind_7 }, { "freed", leave_kind_8 },
	{ "read", leave_read }, { "memcpy", leave_memcpy },
	{ "handled before", leave_handled_before }, { "handled after", leave_handled_after },
	{ "chained", leave_chained }, { "threads", leave_threads },
	{ "host function", leave_host_function }, { "forked", leave_forked },
	{ "null", leave_null }, { "killed", leave_killed }, { "shared", leave_shared },
};

/* ---- Tests ------------------------------------------------------------------------------ */

static unsigned lines_in(const char *text)
{
	unsigned lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Ends as @name says, by SIGSEGV; the CPU device says @count lines, the first with @said. */
static void faults(const char *name, unsigned count, const char *said)
{
	const struct ended ended = ending_run(name);

	if (!CHECK(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGSEGV))
		printf("#   %s: wait status %#x\n", name, (unsigned)ended.status);
	if (!cu.gpurunCpuReport)
		return;
	CHECK_INT(lines_in(ended.said), count);
	if (!count)
		return;
	CHECK_HAS(ended.said, "gpurun: segmentation fault: the host uses device memory as its own");
	CHECK_HAS(ended.said, said);
	CHECK_HAS(ended.said, "; copy it, or use managed memory\n");
}

static void test_kinds(void)
{
	for (int i = 0; i < KINDS; i++)
		faults(kinds[i].name, 1, kinds[i].said);
	faults("read", 1, ", byte 20 of the 256 bytes at 0x");
	faults("memcpy", 1, " from cuMemAlloc;");
}

static void test_handlers(void)
{
	ends_leaving("handled before", HANDLED);
	ends_leaving("handled after", HANDLED);
	faults("chained", 1, "byte 20 of");
}

static void test_threads(void)
{
	for (int i = 0; i < 20; i++)
		faults("threads", 1, "byte 20 of");
	faults("host function", 1, "byte 20 of");
	faults("forked", 2, "byte 20 of");
}

static void test_other_faults(void)
{
	faults("null", 0, "");
	faults("killed", 0, "");
}

static void test_shared(void)
{
	if (!cu.gpurunCpuReport)
		SKIP("an option of the CPU device");
	ends_leaving("shared", HANDLED);
}

/* The system looks at the address, and no signal comes. */
static void test_system_calls(void)
{
	int fds[2];

	begin();
	REQUIRE(!pipe(fds));
	for (int i = 0; i < KINDS; i++) {
		void *at = (void *)(uintptr_t)kinds[i].make();

		CHECK(write(fds[1], at, 4) == -1 && errno == EFAULT);
		CHECK(write(fds[1], "1234", 4) == 4);
		CHECK(read(fds[0], at, 4) == -1 && errno == EFAULT);
		close(fds[0]);
		close(fds[1]);
		REQUIRE(!pipe(fds));
	}
	close(fds[0]);
	close(fds[1]);
}

/* The host and a kernel, at one address. */
static void both_reach(unsigned *pointer, CUdeviceptr address)
{
	unsigned k = 5;
	void *params[] = { &address, &k };

	REQUIRE(address && pointer);
	*pointer = 2;
	OK_CU(cuda_launch1(cuda_function(module, "step"), NULL, params));
	OK_CU(cu.cuCtxSynchronize());
	CHECK_INT(*pointer, 67);
}

static void test_of_both(void)
{
	CUdeviceptr address = 0;
	void *pinned = NULL, *own = aligned_alloc(4096, 4096);

	OK_CU(cu.cuMemAllocManaged(&address, SIZE, CU_MEM_ATTACH_GLOBAL));
	both_reach((void *)(uintptr_t)address, address);
	OK_CU(cu.cuMemFree(address));
	OK_CU(cu.cuMemAllocHost(&pinned, SIZE));
	OK_CU(cu.cuMemHostGetDevicePointer(&address, pinned, 0));
	both_reach(pinned, address);
	OK_CU(cu.cuMemFreeHost(pinned));
	OK_CU(cu.cuMemHostRegister(own, 4096, 0));
	OK_CU(cu.cuMemHostGetDevicePointer(&address, own, 0));
	both_reach(own, address);
	OK_CU(cu.cuMemHostUnregister(own));
	free(own);
	address = global("both");
	both_reach((void *)(uintptr_t)address, address);
}

/* Either side of a copy may be the device's. */
static void test_copies(void)
{
	CUdeviceptr one = from_alloc(), two = from_large(), managed = 0;
	char bytes[SIZE], got[SIZE];

	for (int i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 7);
	OK_CU(cu.cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL));
	OK_CU(cu.cuMemcpyHtoD(one, bytes, SIZE));
	OK_CU(cu.cuMemcpyHtoD(two, (void *)(uintptr_t)one, SIZE));
	OK_CU(cu.cuMemcpyDtoH((void *)(uintptr_t)managed, two, SIZE));
	CHECK(!memcmp((void *)(uintptr_t)managed, bytes, SIZE));
	OK_CU(cu.cuMemsetD8(one, 0, SIZE));
	OK_CU(cu.cuMemcpyDtoH((void *)(uintptr_t)one, managed, SIZE));
	OK_CU(cu.cuMemcpy((uintptr_t)got, one, SIZE));
	CHECK(!memcmp(got, bytes, SIZE));
	OK_CU(cu.cuMemFree(one));
	OK_CU(cu.cuMemFree(two));
	OK_CU(cu.cuMemFree(managed));
}

int main(int argc, char **argv)
{
	setenv("ASAN_OPTIONS", "handle_segv=0:detect_leaks=0", 1);
	setenv("TSAN_OPTIONS", "handle_segv=0", 1);
	if (ENDING_LEAVE(argc, argv, endings))
		return 0;
	cuda_open();
	RUN(test_kinds);
	RUN(test_handlers);
	RUN(test_threads);
	RUN(test_other_faults);
	RUN(test_shared);
	RUN(test_system_calls);
	RUN(test_of_both);
	RUN(test_copies);
	return tap_end();
}
