/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A failure is one line and status 115; a status of the program's own stays; what
 * follows from a failure is not told again.
 */
#include "mgpu.h"

#define REPORT "GPURUN_ON_ERROR=report"
#define ABORT  "GPURUN_ON_ERROR=abort"

static const char not_ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\nnonsense\n";

/* ---- Scenes ---------------------------------------------------------------------- */

static void all_well(void)
{
	void *module = load(), *stream = mgpuStreamCreate();

	launch1(mgpuModuleGetFunction(module, "nothing"), stream, NULL);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
	mgpuModuleUnload(module);
}

static void no_kernel(void)
{
	mgpuModuleGetFunction(load(), "nosuch");
}

/* A launch of what was not found says nothing new. */
static void cascade(void)
{
	void *stream = mgpuStreamCreate(), *function;

	function = mgpuModuleGetFunction(load(), "nosuch");
	launch1(function, stream, NULL);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
}

static void bad_image(void)
{
	void *module = mgpuModuleLoadJIT(not_ptx, 2, 0);

	launch1(mgpuModuleGetFunction(module, "nothing"), NULL, NULL);
	mgpuModuleUnload(module);
}

static void bitcode(void)
{
	mgpuModuleLoad("BC\xc0\xde\0\0\0", 8);
}

static void null_image(void)
{
	mgpuModuleLoad(NULL, 0);
}

static void own_status(void)
{
	no_kernel();
	exit(3);
}

static void twice(void)
{
	no_kernel();
	no_kernel();
}

static void nulls(void)
{
	mgpuModuleUnload(NULL);
	mgpuModuleGetFunction(NULL, "nothing");
	mgpuStreamDestroy(NULL);
	mgpuEventDestroy(NULL);
	mgpuEventSynchronize(NULL);
	mgpuStreamWaitEvent(NULL, NULL);
	mgpuEventRecord(NULL, NULL);
}

static void null_function(void)
{
	launch1(NULL, NULL, NULL);
}

static void null_name(void)
{
	mgpuModuleGetFunction(load(), NULL);
}

/* A module without variables: when it is unloaded the driver's is kept, and known. */
static void *load_constant(void)
{
	return mgpuModuleLoad(".version 6.0\n.target sm_50\n.address_size 64\n"
			      ".visible .entry nothing() { ret; }\n", 0);
}

/* Every destruction but the first. */
static void destroyed_twice(void)
{
	void *module = load_constant(), *stream = mgpuStreamCreate(), *event = mgpuEventCreate();
	void *memory = mgpuMemAlloc(64, stream, 0);

	for (int i = 0; i < 2; i++) {
		mgpuMemFree(memory, stream);
		mgpuEventDestroy(event);
		mgpuStreamDestroy(stream);
		mgpuModuleUnload(module);
	}
}

static void used_after(void)
{
	void *module = load_constant(), *stream = mgpuStreamCreate();
	void *function = mgpuModuleGetFunction(module, "nothing");

	mgpuStreamDestroy(stream);
	launch1(function, stream, NULL);
	stream = mgpuStreamCreate();
	mgpuModuleUnload(module);
	launch1(function, stream, NULL);
}

/* Things taken for others. */
static void wrong_kinds(void)
{
	void *module = load(), *stream = mgpuStreamCreate(), *event = mgpuEventCreate();
	void *function = mgpuModuleGetFunction(module, "nothing");

	mgpuModuleUnload(stream);
	mgpuModuleGetFunction(event, "nothing");
	mgpuStreamSynchronize(event);
	mgpuStreamDestroy(function);
	mgpuEventSynchronize(module);
	mgpuEventDestroy(module);
	mgpuEventRecord(function, stream);
	launch1(stream, stream, NULL);
	launch1(function, event, NULL);
}

static void geometry(void)
{
	void *function = mgpuModuleGetFunction(load(), "nothing");
	void *stream = mgpuStreamCreate();

	mgpuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, stream, NULL, NULL, 0);
	mgpuLaunchKernel(function, 1, -1, 1, 1, 1, 1, 0, stream, NULL, NULL, 0);
	mgpuLaunchKernel(function, 1, 1, (intptr_t)1 << 32, 1, 1, 1, 0, stream, NULL, NULL, 0);
	mgpuLaunchKernel(function, 1, 1, 1, 4096, 1, 1, 0, stream, NULL, NULL, 0);
	mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 0, 0, stream, NULL, NULL, 0);
	mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, -1, stream, NULL, NULL, 0);
	mgpuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 1 << 24, stream, NULL, NULL, 0);
	mgpuLaunchClusterKernel(function, 2, 0, 1, 2, 1, 1, 1, 1, 1, 0, stream, NULL, NULL, 0);
	mgpuLaunchClusterKernel(function, 2, 1, 1, 3, 1, 1, 1, 1, 1, 0, stream, NULL, NULL, 0);
}

static void cooperative_geometry(void)
{
	void *function = mgpuModuleGetFunction(load(), "nothing");
	const intptr_t wide = (intptr_t)1 << 32;

	mgpuLaunchKernelCooperative(function, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, NULL, NULL, NULL);
	mgpuLaunchKernelCooperative(function, 1, 1, 1, 0, 0, 0, 1, -1, 1, 0, NULL, NULL, NULL);
	mgpuLaunchKernelCooperative(function, 1, 1, 1, 0, 0, 0, 1, 1, 1, -2, NULL, NULL, NULL);
	mgpuLaunchKernelCooperative(function, 3, 1, 1, 2, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
	mgpuLaunchKernelCooperative(function, 1, 1, 1, 1, 1, wide, 1, 1, 1, 0, NULL, NULL, NULL);
	mgpuLaunchKernelCooperative(NULL, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void no_arguments(void)
{
	launch1(mgpuModuleGetFunction(load(), "bump"), NULL, NULL);
}

static void bad_memory(void)
{
	static char host[16];

	mgpuMemAlloc((uint64_t)1 << 60, NULL, 0);
	mgpuMemFree(host, NULL);
	mgpuMemcpy(NULL, host, 4, NULL);
	mgpuMemset32(NULL, 0, 4, NULL);
	mgpuMemHostUnregister(host);
	mgpuMemHostRegister(NULL, 4);
}

/* The fault sticks: every later call answers with it, and one line tells. */
static void fault(void)
{
	void *module = load(), *stream = mgpuStreamCreate();
	void *memory = mgpuMemAlloc(4, stream, 0);

	launch1(mgpuModuleGetFunction(module, "trap"), stream, NULL);
	mgpuStreamSynchronize(stream);
	mgpuStreamSynchronize(stream);
	mgpuMemset32(memory, 0, 1, stream);
	launch1(mgpuModuleGetFunction(module, "nothing"), stream, NULL);
	mgpuMemFree(memory, stream);
	mgpuStreamDestroy(stream);
	mgpuModuleUnload(module);
}

/* Nothing waits for it but the exit hook. */
static void fault_at_exit(void)
{
	launch1(mgpuModuleGetFunction(load(), "trap"), mgpuStreamCreate(), NULL);
}

static void no_device(void)
{
	void *module = load(), *stream = mgpuStreamCreate(), *event = mgpuEventCreate();
	void *memory = mgpuMemAlloc(4, stream, 0);

	mgpuSetDefaultDevice(0);
	mgpuMemset32(memory, 0, 1, stream);
	mgpuMemcpy(memory, memory, 4, stream);
	launch1(mgpuModuleGetFunction(module, "nothing"), stream, NULL);
	mgpuEventRecord(event, stream);
	mgpuStreamWaitEvent(stream, event);
	mgpuEventSynchronize(event);
	mgpuEventDestroy(event);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
	mgpuMemHostRegister(&module, 8);
	mgpuMemHostUnregister(&module);
	mgpuMemFree(memory, stream);
	mgpuModuleUnload(module);
}

static void *late_module, *late_stream, *late_event, *late_memory;

/* Registered before the driver came up: it is gone by now. */
static void release_late(void)
{
	mgpuMemFree(late_memory, late_stream);
	mgpuEventDestroy(late_event);
	mgpuStreamDestroy(late_stream);
	mgpuModuleUnload(late_module);
	mgpuModuleUnload(NULL);
	mgpuEventDestroy(late_stream);
}

static void come_up_late(void)
{
	late_module = load();
	late_stream = mgpuStreamCreate();
	late_event = mgpuEventCreate();
	late_memory = mgpuMemAlloc(4, late_stream, 0);
}

static void released_late(void)
{
	atexit(release_late);
	come_up_late();
}

static void launch_late(void)
{
	void *function = mgpuModuleGetFunction(late_module, "nothing");

	launch1(function, mgpuStreamCreate(), NULL);
	mgpuMemcpy(late_memory, late_memory, 4, late_stream);
}

/* Not done, told once, and no reason to take the program's status away. */
static void launched_late(void)
{
	atexit(launch_late);
	come_up_late();
}

static void fail_late(void)
{
	mgpuCreateSparseEnv();
}

/* The last handler of all, in time to count. */
static void failed_late(void)
{
	atexit(fail_late);
	come_up_late();
}

static void sparse(void)
{
	if (mgpuCreateDnVec(0, NULL, 0, NULL) || mgpuSpMVBufferSize(0, NULL, NULL, NULL, 0, NULL))
		exit(1);
	mgpuCreateSparseLtEnv();
}

static void child_alone(void)
{
	int status;
	pid_t child;

	no_kernel();
	child = fork();
	if (!child)
		exit(0);
	waitpid(child, &status, 0);
	exit(WEXITSTATUS(status));
}

static void device_ordinal(void)
{
	mgpuSetDefaultDevice(1000);
	mgpuSetDefaultDevice(-1);
}

static void buffered(void)
{
	no_kernel();
	setvbuf(stdout, NULL, _IOFBF, 4096);
	dup2(2, 1);
	printf("flushed\n");
}

static const struct scene scenes[] = {
	SCENE(all_well),
	SCENE(no_kernel),
	SCENE(cascade),
	SCENE(bad_image),
	SCENE(bitcode),
	SCENE(null_image),
	SCENE(own_status),
	SCENE(twice),
	SCENE(nulls),
	SCENE(null_function),
	SCENE(null_name),
	SCENE(destroyed_twice),
	SCENE(used_after),
	SCENE(wrong_kinds),
	SCENE(geometry),
	SCENE(cooperative_geometry),
	SCENE(no_arguments),
	SCENE(bad_memory),
	SCENE(fault),
	SCENE(fault_at_exit),
	SCENE(no_device),
	SCENE(released_late),
	SCENE(launched_late),
	SCENE(failed_late),
	SCENE(sparse),
	SCENE(child_alone),
	SCENE(device_ordinal),
	SCENE(buffered),
};

/* ---- Tests ------------------------------------------------------------------------ */

/* The scene says one thing, which has @part in it, and ends with 115. */
static void says(const char *scene, const char *part)
{
	struct ending ending = play(scene);

	CHECK_ENDING(ending, 115, 1);
	CHECK_HAS(ending.text, part);
}

static void test_all_well(void)
{
	CHECK_ENDING(play("all_well"), 0, 0);
}

static void test_one_line(void)
{
	says("no_kernel", "mlir_cuda_runtime: mgpuModuleGetFunction: no kernel 'nosuch'");
	CHECK_ENDING(play("twice"), 115, 2);
}

static void test_cascade(void)
{
	says("cascade", "mgpuModuleGetFunction: no kernel 'nosuch'");
}

static void test_own_status(void)
{
	CHECK_ENDING(play("own_status"), 3, 1);
}

static void test_on_error(void)
{
	CHECK_ENDING(play_with("no_kernel", REPORT), 0, 1);
	CHECK_ENDING(play_with("twice", ABORT), 128 + 6, 1);
	CHECK_ENDING(play_with("all_well", ABORT), 0, 0);
}

static void test_images(void)
{
	says("bitcode", "mgpuModuleLoad: the image is LLVM bitcode");
	says("null_image", "mgpuModuleLoad: no image: the pointer is NULL");
	if (!executes())
		return;
	CHECK_INT(play("bad_image").status, 115);
	CHECK_HAS(play("bad_image").text, "mgpuModuleLoadJIT: ");
	CHECK(!strstr(play("bad_image").text, "mgpuModuleGetFunction"));
	CHECK(!strstr(play("bad_image").text, "mgpuLaunchKernel"));
}

static void test_nulls(void)
{
	CHECK_ENDING(play("nulls"), 115, 7);
	says("null_function", "mgpuLaunchKernel: no kernel");
	says("null_name", "mgpuModuleGetFunction: no kernel name: the pointer is NULL");
}

static void test_destroyed_twice(void)
{
	static const char *const settings[] = { "GPURUN_POOL=1", "GPURUN_POOL=0" };

	/* Without pools a driver has to know what it destroyed; a real one may crash. */
	for (int i = 0; i < (is_gpu() ? 1 : 2); i++) {
		struct ending ending = play_with("destroyed_twice", settings[i]);

		CHECK_ENDING(ending, 115, 4);
		CHECK_HAS(ending.text, "mgpuMemFree: 0x");
		CHECK_HAS(ending.text, "mgpuEventDestroy: ");
		CHECK_HAS(ending.text, "mgpuStreamDestroy: ");
		CHECK_HAS(ending.text, "mgpuModuleUnload: ");
	}
}

static void test_used_after(void)
{
	CHECK_ENDING(play("used_after"), 115, 2);
}

static void test_wrong_kinds(void)
{
	CHECK_ENDING(play("wrong_kinds"), 115, 9);
	CHECK_HAS(play("wrong_kinds").text, "mgpuStreamSynchronize: no stream: ");
}

static void test_geometry(void)
{
	struct ending ending = play("geometry");

	CHECK_ENDING(ending, 115, 9);
	CHECK_HAS(ending.text, "grid.x is 0: it has to be 1 to 4294967295");
	CHECK_HAS(ending.text, "grid.y is -1");
	CHECK_HAS(ending.text, "grid.z is 4294967296");
	CHECK_HAS(ending.text, "block.z is 0");
	CHECK_HAS(ending.text, "-1 bytes of dynamic shared memory");
	CHECK_HAS(ending.text, "16777216 bytes of shared memory");
	CHECK_HAS(ending.text, "cluster.y is 0");
	ending = play("cooperative_geometry");
	CHECK_ENDING(ending, 115, 6);
	CHECK_HAS(ending.text, "mgpuLaunchKernelCooperative: grid.x is 0");
	CHECK_HAS(ending.text, "block.y is -1");
	CHECK_HAS(ending.text, "-2 bytes of dynamic shared memory");
	CHECK_HAS(ending.text, "cluster.x 2 does not divide");
	CHECK_HAS(ending.text, "cluster.z is 4294967296");
	if (executes())
		says("no_arguments", "takes 1 arguments, none were given");
}

static void test_memory(void)
{
	struct ending ending = play("bad_memory");

	/* The uses of a NULL that an allocation gave are its failure's consequences. */
	CHECK_ENDING(ending, 115, 4);
	CHECK_HAS(ending.text, "mgpuMemAlloc: 1152921504606846976 bytes asked for");
	CHECK_HAS(ending.text, "mgpuMemFree: ");
	CHECK_HAS(ending.text, "mgpuMemHostUnregister: ");
}

static int count(const char *text, const char *part)
{
	int times = 0;

	for (; (text = strstr(text, part)); text++)
		times++;
	return times;
}

static void test_fault(void)
{
	struct ending ending;

	if (!executes())
		return;
	ending = play("fault");
	CHECK_INT(ending.status, 115);
	CHECK_INT(count(ending.text, "mlir_cuda_runtime: "), 1);
	CHECK_HAS(ending.text, "mgpuStreamSynchronize: ");
	ending = play("fault_at_exit");
	CHECK_INT(ending.status, 115);
	CHECK_INT(count(ending.text, "mlir_cuda_runtime: "), 1);
	CHECK_HAS(ending.text, "mlir_cuda_runtime: at exit: ");
}

/* Said once, and nothing that follows from it. */
static void test_no_device(void)
{
	struct ending ending = play_with("no_device", "GPURUN_DEVICE=gpu "
					 "GPURUN_DRIVER=/nosuch/libcuda.so.1");

	CHECK_ENDING(ending, 115, 1);
	CHECK_HAS(ending.text, "/nosuch/libcuda.so.1");
	CHECK_HAS(ending.text, "GPURUN_DEVICE=cpu");
	CHECK_ENDING(play_with("no_device", "GPURUN_DEVICE=nonsense"), 115, 1);
}

static void test_late(void)
{
	struct ending ending = play("launched_late");

	CHECK_ENDING(play("released_late"), 0, 0);
	CHECK_ENDING(ending, 0, 1);
	CHECK_HAS(ending.text, "mgpuModuleGetFunction: the driver has ended");
	CHECK_ENDING(play("failed_late"), 115, 1);
}

/* What the driver says no to while it lives: a line each, in main and at the end. */
static void test_driver_fails(void)
{
	struct ending ending;

	if (executes())
		return;
	ending = play_with("all_well", "GPURUN_STUB_FAIL=cuModuleUnload=400");
	CHECK_ENDING(ending, 115, 1);
	CHECK_HAS(ending.text, "mgpuModuleUnload: cuModuleUnload: CUDA_ERROR_INVALID_HANDLE");
	/* The driver is gone, and the module with it. */
	CHECK_ENDING(play_with("all_well", "GPURUN_STUB_FAIL=cuModuleUnload=4"), 0, 0);
	ending = play_with("all_well", "GPURUN_STUB_FAIL=cuStreamSynchronize=709");
	CHECK_INT(ending.status, 115);
	CHECK_HAS(ending.text, "mgpuStreamSynchronize: cuStreamSynchronize: "
			       "CUDA_ERROR_CONTEXT_IS_DESTROYED");
	ending = play_with("released_late",
			   "GPURUN_STUB_FAIL=cuStreamDestroy=999,cuModuleUnload=709");
	CHECK_ENDING(ending, 115, 2);
	CHECK_HAS(ending.text, "at exit: cuModuleUnload: CUDA_ERROR_CONTEXT_IS_DESTROYED");
	CHECK_HAS(ending.text, "at exit: cuStreamDestroy: CUDA_ERROR_UNKNOWN");
}

static void test_sparse(void)
{
	struct ending ending = play("sparse");

	CHECK_ENDING(ending, 115, 3);
	CHECK_HAS(ending.text, "mgpuCreateDnVec: needs cuSPARSE, which");
	CHECK_HAS(ending.text, "mgpuCreateSparseLtEnv: needs cuSPARSELt, which");
}

/* A child has seen no failure: its status is its own. */
static void test_child(void)
{
	CHECK_ENDING(play("child_alone"), 115, 1);
}

static void test_device_ordinal(void)
{
	struct ending ending = play("device_ordinal");

	CHECK_ENDING(ending, 115, 2);
	CHECK_HAS(ending.text, "mgpuSetDefaultDevice: no device 1000");
	CHECK_HAS(ending.text, "mgpuSetDefaultDevice: no device -1");
}

/* What stdio holds is written all the same. */
static void test_flushed(void)
{
	struct ending ending = play("buffered");

	CHECK_ENDING(ending, 115, 2);
	CHECK_HAS(ending.text, "\nflushed\n");
}

int main(int argc, char **argv)
{
	SCENES(scenes, argc, argv);
	RUN(test_all_well);
	RUN(test_one_line);
	RUN(test_cascade);
	RUN(test_own_status);
	RUN(test_on_error);
	RUN(test_images);
	RUN(test_nulls);
	RUN(test_destroyed_twice);
	RUN(test_used_after);
	RUN(test_wrong_kinds);
	RUN(test_geometry);
	RUN(test_memory);
	RUN(test_fault);
	RUN(test_no_device);
	RUN(test_late);
	RUN(test_driver_fails);
	RUN(test_sparse);
	RUN(test_child);
	RUN(test_device_ordinal);
	RUN(test_flushed);
	return tap_end();
}
