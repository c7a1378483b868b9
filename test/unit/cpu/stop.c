/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels that never end leave their workers when the launch is stopped. */
#include <pthread.h>
#include <time.h>

#include "grid.h"
#include "tap.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(body)                                                                       \
	HEAD ".func f() { ret; }\n"                            \
	     ".visible .entry k(.param .u64 flag) {\n"                                     \
	     ".reg .pred %p; .reg .b32 %r, %s; .reg .b64 %rd; .shared .u64 word;\n"        \
	     "ld.param.u64 %rd, [flag];\n" body "ret; }"

/* f(60), which calls itself 2^60 times, twice in each call by @call. */
#define RECURSION(call)                                                                    \
	HEAD ".func f(.param .u32 depth) {\n"                          \
	     ".reg .pred %p; .reg .b32 %n; .reg .b64 %f; .param .u32 n;\n"                 \
	     "P: .callprototype _ (.param .u32 _);\n"                                      \
	     "ld.param.u32 %n, [depth]; setp.eq.u32 %p, %n, 0; @%p ret;\n"                 \
	     "sub.u32 %n, %n, 1; st.param.u32 [n], %n;\n" call call "ret; }\n"             \
	     ".visible .entry k(.param .u64 flag) { .param .u32 n;\n"                      \
	     "st.param.u32 [n], 60; call f, (n); ret; }"

/* How a kernel waits for ever, by warps of one block and of a cluster of two. */
static const struct {
	const char *name, *text;
	uint32_t block, cluster;
} kernels[] = {
	{ "a loop of nothing", KERNEL("L: bra L;\n"), 1, 1 },
	{ "many warps", KERNEL("L: bra L;\n"), 1024, 1 },
	{ "a flag in memory", KERNEL("L: ld.volatile.global.u32 %r, [%rd];"
				     "setp.eq.u32 %p, %r, 0; @%p bra L;\n"), 64, 1 },
	{ "an atomic", KERNEL("L: atom.global.cas.b32 %r, [%rd], 1, 2;"
			      "setp.eq.u32 %p, %r, 0; @%p bra L;\n"), 64, 1 },
	{ "barriers", KERNEL("L: bar.sync 0; bra L;\n"), 64, 1 },
	{ "calls", KERNEL("L: call f; bra L;\n"), 32, 1 },
	{ "recursion without a loop", RECURSION("call f, (n);"), 32, 1 },
	{ "recursion by pointers", RECURSION("mov.u64 %f, f; call %f, (n), P;"), 32, 1 },
	{ "recursion of lanes apart", RECURSION("setp.lt.u32 %p, %laneid, 7;\n"
						"@%p call f, (n); @!%p call f, (n);"), 32, 1 },
	{ "sleep", KERNEL("L: nanosleep.u32 1000000; bra L;\n"), 32, 1 },
	{ "an indirect branch", KERNEL("mov.u32 %r, 0; T: .branchtargets A, B;\n"
				       "A: brx.idx %r, T;\nB:\n"), 32, 1 },
	{ "one of several lanes", KERNEL("mov.u32 %r, %laneid; setp.eq.u32 %p, %r, 0;\n"
					 "selp.u32 %r, 0, 1, %p; T: .branchtargets A, B;\n"
					 "A: brx.idx %r, T;\n"
					 "B: st.global.u32 [%rd], 1;\n"), 32, 1 },
	{ "lanes apart", KERNEL("mov.u32 %r, %laneid; and.b32 %r, %r, 1; setp.eq.u32 %p, %r, 0;\n"
				"@%p bra A; B: bra B;\nA: bra A;\n"), 32, 1 },
	{ "an mbarrier", KERNEL("mov.u32 %r, word; mbarrier.init.shared.b64 [%r], 2;\n"
				"L: mbarrier.try_wait.parity.shared.b64 %p, [%r], 0;\n"
				"@!%p bra L;\n"), 1, 1 },
	{ "a cluster", KERNEL("L: barrier.cluster.arrive; barrier.cluster.wait; bra L;\n"), 32,
	  2 },
};

struct job {
	struct launch launch;
	struct fault fault;
	enum cta_state state;
	atomic_uint slices;
};

/* As a worker does with a block: slice by slice. */
static void *work(void *data)
{
	struct job *job = data;
	struct cta *cta = NULL;
	struct err e = { 0 };

	job->state = CTA_FAULTED;
	if (cta_new(&job->launch, 0, 0, &cta, &e))
		fprintf(stderr, "cta_new: %s\n", e.text);
	while (cta && (job->state = cta_run(cta, 2048)) == CTA_YIELDED)
		atomic_fetch_add(&job->slices, 1);
	cta_free(cta);
	cta_thread_end();
	return NULL;
}

static void stop_one(const char *text, uint32_t block, uint32_t cluster)
{
	struct job job = { .launch = { .grid = { cluster, 1, 1 }, .block = { block, 1, 1 },
				       .cluster = { cluster, 1, 1 }, .id = 1 } };
	CLEANUP(free_program) struct program *program = NULL;
	const void *flag = device_alloc(4);
	_Alignas(128) uint8_t params[128] = { 0 };
	struct timespec until;
	struct err e = { 0 };
	pthread_t thread;

	memcpy(params, &flag, sizeof(flag));
	job.launch.params = params;
	job.launch.fault = &job.fault;
	job.launch.clustered = cluster > 1;
	if (program_load((struct bytes){ (const uint8_t *)text, strlen(text) }, &program, &e) ||
	    program_kernel(program, "k", &job.launch.kernel, &e))
		CHECK_STR(e.text, "");
	REQUIRE(!pthread_create(&thread, NULL, work, &job));
	while (atomic_load(&job.slices) < 3)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	atomic_store(&job.launch.stop, true);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	REQUIRE(!pthread_timedjoin_np(thread, NULL, &until));
	CHECK_STR(fault_text(&job.fault), "");
	CHECK_INT(job.state, CTA_STOPPED);
}

static void test_stop(void)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		printf("# %s\n", kernels[i].name);
		stop_one(kernels[i].text, kernels[i].block, kernels[i].cluster);
	}
}

int main(void)
{
	config_init(NULL);
	RUN(test_stop);
	return tap_end();
}
