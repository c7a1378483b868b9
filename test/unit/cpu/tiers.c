/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * jit=auto: kernels are interpreted, and compiled by a thread meanwhile. When the code comes, that
 * nothing else changes by it, and what ends while it is made. The linker leads calls of
 * region_compile() and of the system here (--wrap).
 */
#include "region_ways.h"
#include "conformance/sanitized.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile_thread.h"
#include "handler.h"
#include "kernel_time.h"
#include "region_compile.h"
#include "state.h"
#include "thread.h"

/* ---- In the place of others ---------------------------------------------------------------- */

static atomic_uint compiles; /* so far */
static atomic_bool held;     /* none ends before this is false */

int __real_region_compile(struct lowering *l, const struct region_request *request,
			  struct code_region **out, struct err *e);
int __wrap_region_compile(struct lowering *l, const struct region_request *request,
			  struct code_region **out, struct err *e);
int __wrap_region_compile(struct lowering *l, const struct region_request *request,
			  struct code_region **out, struct err *e)
{
	atomic_fetch_add(&compiles, 1);
	while (atomic_load(&held))
		usleep(1000);
	return __real_region_compile(l, request, out, e);
}

/* What the system refuses. */
static atomic_bool no_thread, no_pages, no_execution;

bool __real_thread_start(pthread_t *thread, void *(*main)(void *), void *argument);
bool __wrap_thread_start(pthread_t *thread, void *(*main)(void *), void *argument);
bool __wrap_thread_start(pthread_t *thread, void *(*main)(void *), void *argument)
{
	return !no_thread && __real_thread_start(thread, main, argument);
}

void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	errno = ENOMEM;
	return no_pages ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

int __real_mprotect(void *at, size_t size, int protection);
int __wrap_mprotect(void *at, size_t size, int protection);
int __wrap_mprotect(void *at, size_t size, int protection)
{
	errno = ENOMEM;
	return no_execution ? -1 : __real_mprotect(at, size, protection);
}

/* Ticks in compiled code of the slice before. */
static uint64_t compiled_ticks;

void __wrap_kernel_time_add(struct cta *cta, uint64_t ns, uint64_t ticks);
void __wrap_kernel_time_add(struct cta *cta, uint64_t ns, uint64_t ticks)
{
	(void)ns, (void)ticks;
	compiled_ticks = cta->warps[0].ticks;
	cta->warps[0].ticks = 0;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* A loop of %n rounds. */
#define LOOP                                                                               \
	"mov.u32 %j, 0;mov.u32 %c, 1;\n"                                                  \
	"L: mad.lo.u32 %c, %c, 3, %t;add.u32 %j, %j, 1;"                                  \
	"setp.lt.u32 %p, %j, %n;@%p bra L;\n" END

static uint32_t loop_result(uint32_t thread, uint32_t rounds)
{
	uint32_t c = 1;

	for (uint32_t i = 0; i < rounds; i++)
		c = c * 3 + thread;
	return c;
}

/* A launch of one block, by a thread of its own or this one. */
struct run {
	struct launch launch;
	struct parameters params;
	struct fault fault;
	struct cta *cta;
	pthread_t thread;
};

static const uint32_t block[3] = { 64, 1, 1 };

static void prepare(struct run *run, const struct kernel *kernel, uint32_t rounds)
{
	*run = (struct run){ .params = { device_alloc(4 * 64), params.in, rounds } };
	run->launch = (struct launch){ .kernel = kernel, .grid = { 1, 1, 1 },
				       .block = { 64, 1, 1 }, .cluster = { 1, 1, 1 },
				       .id = ++launches, .fault = &run->fault,
				       .params = (const uint8_t *)&run->params };
}

static void *run_block(void *argument)
{
	struct run *run = argument;

	if (!run->cta && cta_new(&run->launch, 0, 0, &run->cta, NULL))
		return NULL;
	while (cta_run(run->cta, 2048) == CTA_YIELDED)
		;
	cta_free(run->cta);
	cta_thread_end();
	return NULL;
}

static bool is_right(const struct run *run)
{
	for (uint32_t t = 0; t < 64; t++)
		if (run->params.out[t] != loop_result(t, run->params.n))
			return false;
	return true;
}

/* Runs it in this thread, and tells whether the result is right. */
static bool runs_right(const struct kernel *kernel, uint32_t rounds)
{
	struct run run;

	prepare(&run, kernel, rounds);
	run_block(&run);
	return is_right(&run);
}

static const struct code_region *region_of(const struct kernel *kernel)
{
	return code_of(kernel, block)->region;
}

static void begin_test(uint64_t after_ns)
{
	config.jit = JIT_AUTO;
	config.jit_after = after_ns;
	config.isa = ISA_BEST;
	atomic_store(&compiles, 0);
}

/* ---- When it is compiled ------------------------------------------------------------------- */

/* The first test: there is no thread yet. */
static void test_no_thread(void)
{
	CLEANUP(free_program) struct program *program = load(LOOP);

	begin_test(0);
	atomic_store(&no_thread, true);
	CHECK(runs_right(kernel_of(program), 100));
	atomic_store(&no_thread, false);
	CHECK(!region_of(kernel_of(program)) && !atomic_load(&compiles));
	CHECK(runs_right(kernel_of(program), 100)); /* it was tried */
	CHECK(!region_of(kernel_of(program)) && !atomic_load(&compiles));
}

static void test_short(void)
{
	CLEANUP(free_program) struct program *program = load(LOOP);

	begin_test(JIT_WORTH);
	CHECK(runs_right(kernel_of(program), 100));
	compile_finish();
	CHECK(!region_of(kernel_of(program)) && !atomic_load(&compiles));
}

static void test_long(void)
{
	CLEANUP(free_program) struct program *program = load(LOOP);

	begin_test(JIT_WORTH);
	for (unsigned i = 0; i < 1000 && !atomic_load(&compiles); i++)
		CHECK(runs_right(kernel_of(program), 20000));
	compile_finish();
	CHECK(region_of(kernel_of(program)));
	CHECK_INT(atomic_load(&compiles), 1);
	CHECK(runs_right(kernel_of(program), 20000));
	compile_finish();
	CHECK_INT(atomic_load(&compiles), 1);
}

/* A block that is in a loop goes on in compiled code, without an end of the loop. */
static void test_same_launch(void)
{
	CLEANUP(free_program) struct program *program = load(LOOP);
	struct run run;

	begin_test(0);
	config.log_jit_time = true;
	atomic_store(&held, true);
	prepare(&run, kernel_of(program), 200000);
	REQUIRE(!cta_new(&run.launch, 0, 0, &run.cta, NULL));
	CHECK_INT(cta_run(run.cta, 2048), CTA_YIELDED);
	CHECK_INT(compiled_ticks, 0);
	atomic_store(&held, false);
	compile_finish();
	CHECK_INT(cta_run(run.cta, 2048), CTA_YIELDED);
	CHECK(compiled_ticks > 0);
	run_block(&run);
	CHECK(is_right(&run));
	config.log_jit_time = false;
}

/* ---- Many threads -------------------------------------------------------------------------- */

enum { THREADS = 16 };

/* The kernel of a launch that many threads begin at once is compiled one time, while they run. */
static void test_threads(void)
{
	CLEANUP(free_program) struct program *program = load(LOOP);
	const struct kernel *kernel = kernel_of(program);
	struct run runs[THREADS];

	begin_test(0);
	for (unsigned i = 0; i < THREADS; i++)
		prepare(&runs[i], kernel, 60000 + i);
	for (unsigned i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&runs[i].thread, NULL, run_block, &runs[i]));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(runs[i].thread, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(is_right(&runs[i]));
	compile_finish();
	CHECK_INT(atomic_load(&compiles), 1);
}

/* Each shape of blocks that is not of whole lines has code of its own; beyond 16 one for all. */
static void test_shapes(void)
{
	CLEANUP(free_program) struct program *program = load(LOOP);
	const struct kernel *kernel = kernel_of(program);
	struct code *codes[24], *again;

	begin_test(JIT_WORTH);
	for (uint32_t i = 0; i < 24; i++)
		codes[i] = code_of(kernel, (uint32_t[]){ i + 1, 1, 1 });
	for (uint32_t i = 0; i < 24; i++) {
		again = code_of(kernel, (uint32_t[]){ i + 1, 1, 1 });
		CHECK(again == codes[i]);
		CHECK_INT(entry_code_shape(kernel->entry, again),
			  i <= 16 ? entry_shape((uint32_t[]){ i + 1, 1, 1 }) : SHAPE_ANY);
		CHECK((again == codes[17]) == (i > 16));
	}
	for (uint32_t i = 1; i <= 16; i++)
		CHECK(codes[i] != codes[i - 1]);
	CHECK_INT(entry_code_shape(kernel->entry, code_of(kernel, block)), SHAPE_LINES);
	CHECK(code_of(kernel, block) == code_of(kernel, (uint32_t[]){ 32, 4, 2 }));
}

/* ---- What ends meanwhile ------------------------------------------------------------------- */

/* Has a kernel of a new program compiled, which does not end. */
static struct program *begin_held(void)
{
	struct program *program = load(LOOP);

	begin_test(0);
	atomic_store(&held, true);
	CHECK(runs_right(kernel_of(program), 10));
	while (!atomic_load(&compiles))
		usleep(1000);
	return program;
}

static void *let_go(void *freed)
{
	usleep(20000);
	CHECK(!atomic_load((atomic_bool *)freed));
	atomic_store(&held, false);
	return NULL;
}

/* A program ends whose kernel waits, then the one whose kernel is being compiled. */
static void test_unload(void)
{
	struct program *compiled = begin_held(), *waits = load(LOOP);
	atomic_bool freed = false;
	pthread_t other;

	CHECK(runs_right(kernel_of(waits), 10));
	program_free(waits);
	CHECK_INT(atomic_load(&compiles), 1);
	REQUIRE(!pthread_create(&other, NULL, let_go, &freed));
	program_free(compiled);
	atomic_store(&freed, true);
	pthread_join(other, NULL);
	compile_finish();
	CHECK_INT(atomic_load(&compiles), 1);
}

/* Programs come and go while their kernels run, and are compiled or not. */
static void *load_and_free(void *argument)
{
	struct run *runs = argument;

	for (unsigned i = 0; i < 20; i++) {
		CLEANUP(free_program) struct program *program = load(LOOP);

		runs[i % 2].launch.kernel = kernel_of(program);
		runs[i % 2].cta = NULL;
		run_block(&runs[i % 2]);
		CHECK(is_right(&runs[i % 2]));
	}
	return NULL;
}

static void test_unload_often(void)
{
	struct run runs[4][2];
	pthread_t threads[4];

	begin_test(0);
	for (unsigned i = 0; i < 8; i++)
		prepare(&runs[i / 2][i % 2], NULL, i % 2 ? 3000 : 10);
	for (unsigned i = 0; i < 4; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, load_and_free, runs[i]));
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	compile_finish();
}

/* A child while the thread compiles: it ends as it wants to, and its parent goes on. */
static void test_fork(void)
{
	CLEANUP(free_program) struct program *program = begin_held();
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		free(malloc(1 << 20));
		if (SANITIZED) /* what the thread had, which is not there, would be a leak */
			_exit(0);
		exit(0);
	}
	REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
	CHECK(!region_of(kernel_of(program)));
	atomic_store(&held, false);
	compile_finish();
	CHECK(region_of(kernel_of(program)) && runs_right(kernel_of(program), 5000));
}

/* ---- The same results ---------------------------------------------------------------------- */

/* Two loops of about %n rounds, a few more for each warp, in front of what says who comes first. */
#define ORDER                                                                              \
	"shr.u32 %k, %t, 5;mad.lo.u32 %x, %k, 3, %n;mov.u32 %j, 0;mov.u32 %c, 0;\n"       \
	"L: add.u32 %j, %j, 1;add.u32 %c, %c, %a;setp.lt.u32 %p, %j, %x;@%p bra L;\n" \
	TICKET "mov.u32 %j, 0;\n"                                                            \
	"M: add.u32 %j, %j, 1;add.u32 %c, %c, %a;setp.lt.u32 %p, %j, %x;@%p bra M;\n" \
	TICKET "ret; }"
#define TICKET                                                                             \
	"atom.global.add.u32 %b, [%out], 1;mad.wide.u32 %wide, %b, 4, %out;"               \
	"st.global.u32 [%wide+4], %t;\n"

/* A block whose code comes after some of its slices. */
struct order {
	enum config_jit jit;
	unsigned arrival;      /* slices */
	uint32_t rounds, slice;
};

/* Leaves in @out who came when, and how many slices that took. */
static void leave_order(const struct order *order, uint32_t out[WORDS])
{
	CLEANUP(free_program) struct program *program = load(ORDER);
	struct run run;
	unsigned slices = 0;

	begin_test(0);
	config.jit = order->jit;
	atomic_store(&held, order->jit == JIT_AUTO);
	prepare(&run, kernel_of(program), order->rounds);
	fill_words();
	run.params.out = params.out;
	run.launch.block[0] = 160;
	REQUIRE(!cta_new(&run.launch, 0, 0, &run.cta, NULL));
	do {
		if (slices == order->arrival) {
			atomic_store(&held, false);
			compile_finish();
		}
		slices++;
	} while (cta_run(run.cta, order->slice) == CTA_YIELDED);
	atomic_store(&held, false);
	cta_free(run.cta);
	cta_thread_end();
	memcpy(out, params.out, 4 * WORDS);
	out[WORDS - 1] = slices;
}

/* The interpreter's order, compiled at once or after some slices. */
static void check_order(uint32_t rounds, uint32_t slice)
{
	static uint32_t want[WORDS], got[WORDS];
	struct order order = { JIT_OFF, 0, rounds, slice };

	leave_order(&order, want);
	CHECK_INT(want[0], 2 * 160);
	order.jit = JIT_ALWAYS;
	leave_order(&order, got);
	CHECK(!memcmp(got, want, sizeof(got)));
	order.jit = JIT_AUTO;
	for (order.arrival = 0; order.arrival < want[WORDS - 1] && order.arrival < 12;
	     order.arrival += 3) {
		leave_order(&order, got);
		CHECK(!memcmp(got, want, sizeof(got)));
	}
}

/* Loops that end where a third slice of a warp does; slices of a block that end with a warp's. */
static void test_order(void)
{
	for (unsigned random = 0; random < 2; random++) {
		config.random_schedule = random;
		check_order(3 * 4096 - 6, 700);
		for (uint32_t slice = 78; slice < 90; slice++)
			check_order(130, slice);
	}
	config.random_schedule = false;
}

/* What a warp notes at a barrier, where the entry behind that is published or not yet. */
static void check_left(bool published)
{
	CLEANUP(free_program) struct program *program =
		load("bar.sync 0;add.u32 %c, %a, 1;" END);
	const struct code_region *region;
	const struct op *behind = NULL;
	struct code *code;
	struct run run;

	begin_test(0);
	config.jit = JIT_ALWAYS;
	prepare(&run, kernel_of(program), 0);
	REQUIRE(!cta_new(&run.launch, 0, 0, &run.cta, NULL));
	code = run.cta->code;
	region = code->region;
	for (size_t i = 0; i < region->entry_count; i++) {
		struct op *op = &code->ops[region->entries[i].op];

		if (handler_of(op - 1) != HANDLER_barrier)
			continue;
		behind = op;
		if (!published)
			op->fn = region->entries[i].handler;
	}
	REQUIRE(behind);
	CHECK_INT(cta_run(run.cta, 1), CTA_YIELDED); /* one warp, up to there */
	CHECK(run.cta->warps[0].left == (published ? behind : NULL));
	run_block(&run);
}

static void test_left(void)
{
	check_left(true);
	check_left(false);
}

/* ---- What the system refuses --------------------------------------------------------------- */

static void refuse(atomic_bool *what)
{
	CLEANUP(free_program) struct program *program = load(LOOP);
	struct run run;

	begin_test(0);
	prepare(&run, kernel_of(program), 5000);
	atomic_store(what, true);
	run_block(&run);
	compile_finish();
	atomic_store(what, false);
	CHECK(is_right(&run));
	CHECK(!region_of(kernel_of(program)));
	CHECK_INT(atomic_load(&compiles), 1);
	CHECK(runs_right(kernel_of(program), 5000));
}

static void test_refused(void)
{
	refuse(&no_pages);
	refuse(&no_execution);
}

int main(void)
{
	if (!prepare_ways())
		return 1;
	if (!can_compile())
		return tap_end();
	RUN(test_no_thread);
	RUN(test_short);
	RUN(test_long);
	RUN(test_same_launch);
	RUN(test_threads);
	RUN(test_shapes);
	RUN(test_unload);
	RUN(test_unload_often);
	RUN(test_fork);
	RUN(test_order);
	RUN(test_left);
	RUN(test_refused);
	return tap_end();
}
