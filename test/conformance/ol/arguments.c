/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What kernels are given: arguments in a struct, with padding within and behind, and
 * dynamic shared memory; and how many threads they run best with.
 */
#include "ol_gate.h"

static ol_program_handle_t program;
static void *out; /* 64 bytes of host memory that kernels write */

static void begin(const char *image)
{
	program = load_image(image);
	out = alloc(OL_ALLOC_TYPE_HOST, 64);
	memset(out, 0, 64);
}

static void end(void)
{
	CHECK_OK(olMemFree(out));
	CHECK_OK(olDestroyProgram(program));
}

/* Runs one thread of kernel @name with @size bytes of @arguments. */
static ol_result_t run(const char *name, const void *arguments, size_t size)
{
	return launch1(NULL, kernel_of(program, name), arguments, size);
}

static void check_out64(uint64_t want)
{
	if (executes())
		CHECK_INT((long long)*(uint64_t *)out, (long long)want);
}

/* 18 bytes of parameters, in a struct of 24. */
struct tail {
	uint64_t *out;
	uint64_t a;
	uint16_t b;
};

static void run_tail(size_t size)
{
	struct {
		struct tail tail;
		char more[40];
	} args = { { NULL, 1000000000000, 4321 }, "" };

	begin("offload");
	args.tail.out = out;
	CHECK_OK(run("tail", &args, size));
	check_out64(1000000004321);
	end();
}

static void test_packed(void)
{
	run_tail(18);
}

static void test_padded(void)
{
	CHECK_INT(sizeof(struct tail), 24);
	run_tail(sizeof(struct tail));
}

static void test_much_longer(void)
{
	run_tail(sizeof(struct tail) + 40);
}

static void test_nine_bytes_in_sixteen(void)
{
	struct {
		uint64_t *out;
		uint8_t a;
	} args;

	begin("layouts");
	args.out = out;
	args.a = 201;
	CHECK_INT(sizeof(args), 16);
	CHECK_OK(run("last", &args, sizeof(args)));
	check_out64(201);
	end();
}

/* A driver before CUDA 12.4, and the stub, cannot tell what a kernel takes. */
static bool knows_parameters(void)
{
	return executes();
}

static void test_too_short(void)
{
	struct tail args = { NULL, 1, 2 };

	if (!knows_parameters())
		return;
	begin("offload");
	args.out = out;
	for (size_t size = 1; size < 18; size++)
		CHECK_CODE(run("tail", &args, size), INVALID_ARGUMENT);
	CHECK_INT((long long)*(uint64_t *)out, 0);
	end();
}

/* The text tells what the kernel takes and what it was given. */
static void test_too_short_text(void)
{
	struct tail args = { NULL, 1, 2 };

	if (!knows_parameters())
		return;
	begin("offload");
	CHECK_TELLS(run("tail", &args, 17), INVALID_ARGUMENT, "'tail'");
	CHECK_TELLS(run("tail", &args, 17), INVALID_ARGUMENT, "18 bytes");
	CHECK_TELLS(run("tail", &args, 17), INVALID_ARGUMENT, "17 were");
	end();
}

static void test_none_given(void)
{
	struct tail args = { NULL, 1, 2 };

	if (!knows_parameters())
		return;
	begin("offload");
	CHECK_CODE(run("tail", NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(run("tail", &args, 0), INVALID_ARGUMENT);
	end();
}

/* A refused launch leaves queue and kernel as they were. */
static void test_after_too_short(void)
{
	ol_queue_handle_t queue = new_queue();
	struct tail args = { NULL, 40, 2 };

	if (!knows_parameters())
		return;
	begin("offload");
	args.out = out;
	for (int i = 0; i < 3; i++) {
		CHECK_OK(launch1(queue, kernel_of(program, "tail"), &args, sizeof(args)));
		CHECK_CODE(launch1(queue, kernel_of(program, "tail"), &args, 16),
			   INVALID_ARGUMENT);
		args.a++;
	}
	CHECK_OK(olSyncQueue(queue));
	check_out64(44);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

static void test_given_to_none(void)
{
	uint64_t args = 5;

	begin("offload");
	CHECK_OK(run("nothing", &args, sizeof(args)));
	CHECK_OK(run("nothing", &args, 0));
	end();
}

/* Padding before wider members is the parameters' own. */
static void test_mixed(void)
{
	struct {
		uint64_t *out;
		uint8_t a;
		uint16_t b;
		uint8_t c;
		uint32_t d;
		uint8_t e;
		uint64_t f;
	} args = { NULL, 11, 2222, 33, 4444444, 55, 66666666666 };
	const uint64_t want[6] = { 11, 2222, 33, 4444444, 55, 66666666666 };

	begin("layouts");
	args.out = out;
	CHECK_OK(run("mixed", &args, sizeof(args)));
	if (executes())
		CHECK(!memcmp(out, want, sizeof(want)));
	end();
}

static void test_aggregate(void)
{
	struct {
		struct {
			uint64_t a;
			uint32_t b;
			uint8_t c;
		} s;
		uint64_t *out;
	} args = { { 7000000000000, 80000000, 9 }, NULL };

	begin("layouts");
	args.out = out;
	CHECK_OK(run("aggregate", &args, sizeof(args)));
	check_out64(7000080000009);
	end();
}

static void test_floats(void)
{
	struct {
		float a;
		double b;
		double *out;
	} args = { 0.25f, 1e10, NULL };

	begin("layouts");
	args.out = out;
	CHECK_OK(run("floats", &args, sizeof(args)));
	if (executes())
		CHECK(*(double *)out == 1e10 + 0.25);
	end();
}

static void test_many(void)
{
	struct {
		uint32_t digits[8];
		uint32_t *out;
	} args = { { 8, 7, 6, 5, 4, 3, 2, 1 }, NULL };

	begin("layouts");
	args.out = out;
	CHECK_OK(run("many", &args, sizeof(args)));
	if (executes())
		CHECK_INT(*(uint32_t *)out, 12345678);
	end();
}

/* They are read before the call is back: the caller's struct may go. */
static void test_copied_at_once(void)
{
	ol_queue_handle_t queue = new_queue();
	struct tail args = { NULL, 30, 3 };
	ol_symbol_handle_t tail;
	struct gate gate;

	begin("offload");
	args.out = out;
	tail = kernel_of(program, "tail");
	CHECK_OK(launch1(NULL, tail, &args, sizeof(args)));
	memset(out, 0, 8);
	if (!hold(queue, &gate))
		return;
	CHECK_OK(launch1(queue, tail, &args, sizeof(args)));
	memset(&args, 0xff, sizeof(args));
	open_gate(&gate);
	CHECK_OK(olSyncQueue(queue));
	check_out64(33);
	CHECK_OK(olDestroyQueue(queue));
	end();
}

/* They may stand at any address. */
static void test_unaligned(void)
{
	char buffer[sizeof(struct tail) + 8];
	struct tail args = { NULL, 50, 5 };

	begin("offload");
	args.out = out;
	for (int i = 1; i < 8; i++) {
		memcpy(buffer + i, &args, sizeof(args));
		CHECK_OK(run("tail", buffer + i, sizeof(args)));
		check_out64(55);
	}
	end();
}

/* ---- Shared memory -------------------------------------------------------------------- */

/* Launches kernel @name, which takes @arguments of @size bytes, with @shared bytes. */
static ol_result_t run_shared(const char *name, const void *arguments, size_t size,
			      size_t shared)
{
	const ol_kernel_launch_size_args_t how = { 1, { 1, 1, 1 }, { 1, 1, 1 }, shared };

	return olLaunchKernel(NULL, gpu, kernel_of(program, name), arguments, size, &how);
}

static void test_shared(void)
{
	static const size_t sizes[] = { 0, 4, 1000, 48 << 10, 0 };

	begin("offload");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CHECK_OK(run_shared("shared", &out, sizeof(out), sizes[i]));
		if (executes())
			CHECK_INT(*(uint32_t *)out, (long long)sizes[i]);
	}
	end();
}

/* The kernel uses the last word of what it asked for, as the driver opted in to. */
static void reach(uint32_t bytes)
{
	struct {
		uint32_t *out;
		uint32_t bytes;
	} args = { out, bytes };

	memset(out, 0, 4);
	CHECK_OK(run_shared("reach", &args, sizeof(args), bytes));
	if (executes())
		CHECK_INT(*(uint32_t *)out, 77);
}

static void test_much_shared(void)
{
	begin("layouts");
	reach(4);
	reach(48 << 10);
	reach((48 << 10) + 4);
	reach(64 << 10);
	reach(50 << 10);
	end();
}

static void test_too_much_shared(void)
{
	begin("offload");
	CHECK_CODE(run_shared("shared", &out, sizeof(out), 4 << 20), INVALID_SIZE);
	CHECK_TELLS(run_shared("shared", &out, sizeof(out), (size_t)1 << 32), INVALID_SIZE,
		    "4294967296 bytes");
	CHECK_CODE(run_shared("shared", &out, sizeof(out), SIZE_MAX), INVALID_SIZE);
	CHECK_INT(*(uint32_t *)out, 0);
	CHECK_OK(run_shared("shared", &out, sizeof(out), 16));
	end();
}

/* The environment asks for 20000 bytes at least. */
static void scene_least_shared(void)
{
	REQUIRE_OK(olInit());
	look_up();
	begin("offload");
	CHECK_OK(run_shared("shared", &out, sizeof(out), 0));
	if (executes())
		CHECK_INT(*(uint32_t *)out, 20000);
	CHECK_OK(run_shared("shared", &out, sizeof(out), 30000));
	if (executes())
		CHECK_INT(*(uint32_t *)out, 30000);
	olShutDown();
}

static void test_least_shared(void)
{
	CHECK_PLAY("scene_least_shared", "LIBOMPTARGET_SHARED_MEMORY_SIZE=20000", NULL);
}

/* ---- Occupancy ------------------------------------------------------------------------- */

static void test_occupancy(void)
{
	size_t threads = 0;
	uint32_t most;

	CHECK_OK(olGetDeviceInfo(gpu, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE, sizeof(most), &most));
	begin("offload");
	CHECK_OK(olCalculateOptimalOccupancy(gpu, kernel_of(program, "add"), 0, &threads));
	CHECK(threads >= 32 && threads <= most);
	CHECK_OK(olCalculateOptimalOccupancy(gpu, kernel_of(program, "add"), 1024, &threads));
	CHECK(threads >= 32 && threads <= most);
	end();
}

/* What it tells can be launched. */
static void test_occupancy_launches(void)
{
	ol_kernel_launch_size_args_t how = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 4096 };
	size_t threads = 0;

	begin("layouts");
	CHECK_OK(olCalculateOptimalOccupancy(gpu, kernel_of(program, "count"),
					     how.DynSharedMemory, &threads));
	how.GroupSize.x = (uint32_t)threads;
	CHECK_OK(olLaunchKernel(NULL, gpu, kernel_of(program, "count"), &out, sizeof(out),
				&how));
	if (executes())
		CHECK_INT(*(uint32_t *)out, (long long)threads);
	end();
}

static void test_occupancy_checks(void)
{
	size_t threads;

	begin("offload");
	CHECK_TELLS(olCalculateOptimalOccupancy(NULL, NULL, 0, NULL), INVALID_NULL_HANDLE,
		    "NULL == Device");
	CHECK_TELLS(olCalculateOptimalOccupancy(gpu, NULL, 0, NULL), INVALID_NULL_HANDLE,
		    "NULL == Kernel");
	CHECK_TELLS(olCalculateOptimalOccupancy(gpu, kernel_of(program, "add"), 0, NULL),
		    INVALID_NULL_POINTER, "NULL == GroupSize");
	CHECK_CODE(olCalculateOptimalOccupancy(NULL, kernel_of(program, "add"), 0, &threads),
		   INVALID_NULL_HANDLE);
	end();
}

static void test_occupancy_of_variable(void)
{
	ol_symbol_handle_t counter = NULL;
	size_t threads;

	begin("offload");
	CHECK_OK(olGetSymbol(program, "counter", OL_SYMBOL_KIND_GLOBAL_VARIABLE, &counter));
	CHECK_CODE(olCalculateOptimalOccupancy(gpu, counter, 0, &threads), SYMBOL_KIND);
	end();
}

static void test_occupancy_refusals(void)
{
	ol_symbol_handle_t add;
	size_t threads;

	begin("offload");
	add = kernel_of(program, "add");
	CHECK_CODE(olCalculateOptimalOccupancy(host, add, 0, &threads), INVALID_DEVICE);
	CHECK_CODE(olCalculateOptimalOccupancy((ol_device_handle_t)add, add, 0, &threads),
		   INVALID_DEVICE);
	CHECK_CODE(olCalculateOptimalOccupancy(gpu, (ol_symbol_handle_t)program, 0, &threads),
		   INVALID_ARGUMENT);
	CHECK_CODE(olCalculateOptimalOccupancy(gpu, add, (size_t)1 << 32, &threads),
		   INVALID_SIZE);
	if (executes())
		CHECK_CODE(olCalculateOptimalOccupancy(gpu, add, 4 << 20, &threads),
			   INVALID_SIZE);
	end();
	CHECK_CODE(olCalculateOptimalOccupancy(gpu, add, 0, &threads), INVALID_ARGUMENT);
}

static const struct ol_case cases[] = {
	OL_CASE(test_packed),
	OL_CASE(test_padded),
	OL_CASE(test_much_longer),
	OL_CASE(test_nine_bytes_in_sixteen),
	OL_CASE(test_too_short),
	OL_CASE(test_too_short_text),
	OL_CASE(test_none_given),
	OL_CASE(test_after_too_short),
	OL_CASE(test_given_to_none),
	OL_CASE(test_mixed),
	OL_CASE(test_aggregate),
	OL_CASE(test_floats),
	OL_CASE(test_many),
	OL_CASE(test_copied_at_once),
	OL_CASE(test_unaligned),
	OL_CASE(test_shared),
	OL_CASE(test_much_shared),
	OL_CASE(test_too_much_shared),
	OL_BARE(test_least_shared),
	OL_CASE(test_occupancy),
	OL_CASE(test_occupancy_launches),
	OL_CASE(test_occupancy_checks),
	OL_CASE(test_occupancy_of_variable),
	OL_CASE(test_occupancy_refusals),
	OL_SCENE(scene_least_shared),
};
OL_MAIN(cases)
