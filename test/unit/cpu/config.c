/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "config.h"
#include "conformance/sanitized.h"
#include "tap.h"

static void test_defaults(void)
{
	unsetenv("GPURUN_CPU");
	CHECK_INT(config_init(NULL), 0);
	CHECK(config.threads >= 1);
	CHECK_INT(config.cc, 90);
	CHECK_INT(config.shared, 227 << 10);
	CHECK(config.memory >= 1 << 20);
	CHECK(!config.random_schedule && !config.print_at_once && !config.wide_bounds);
	CHECK(!config.shared_with_host && !config.log_jit);
	CHECK_INT(config.jit, SANITIZED ? JIT_OFF : JIT_AUTO);
	CHECK(config.jit_after == JIT_WORTH);
	CHECK(config.jit_most == UINT64_MAX);
	CHECK_INT(config.isa, ISA_BEST);
}

/* promise: Its keys, in */
static void test_every_key(void)
{
	CHECK_INT(config_parse(
			  "threads=3,cc=8.6,mem=2Gi,smem=100Ki,sched=rand,sched-seed=42,"
			  "check=mem,race,isa=v3,warp=32,printf=line,bounds=gpu,host_memory=shared",
			  NULL),
		  0);
	CHECK_INT(config.threads, 3);
	CHECK_INT(config.cc, 86);
	CHECK(config.memory == (uint64_t)2 << 30);
	CHECK_INT(config.shared, 100 << 10);
	CHECK(config.random_schedule);
	CHECK_INT(config.seed, 42);
	CHECK_INT(config.isa, ISA_v3);
	CHECK(config.print_at_once && config.wide_bounds && config.shared_with_host);
	CHECK_INT(config.check, CHECK_MEM | CHECK_RACE);
	CHECK_INT(config_parse("check=leak,sync", NULL), 0);
	CHECK_INT(config.check, CHECK_LEAK | CHECK_SYNC);
	CHECK_INT(config_parse("check=mem,threads=2,isa=v3", NULL), 0);
	CHECK_INT(config.threads, 2);
	CHECK_INT(config_parse("threads=3,check=none", NULL), 0);
	CHECK_INT(config.check, 0);
	CHECK_INT(config.exit_code, 119);
	CHECK_INT(config_parse("error-exitcode=7", NULL), 0);
	CHECK_INT(config.exit_code, 7);
	CHECK_INT(config_parse("sched=rr,printf=sync,isa=baseline,bounds=exact", NULL), 0);
	CHECK(!config.random_schedule && !config.print_at_once && !config.wide_bounds);
	CHECK_INT(config_parse("host_memory=separate", NULL), 0);
	CHECK(!config.shared_with_host);
	CHECK_INT(config.isa, ISA_baseline);
	CHECK_INT(config.threads, 3);
	CHECK_INT(config_parse("jit=always,jit-most=3", NULL), 0);
	CHECK(config.jit == JIT_ALWAYS && config.jit_most == 3);
	CHECK_INT(config_parse("jit=off", NULL), 0);
	CHECK(config.jit == JIT_OFF && config.jit_most == 3);
	CHECK_INT(config_parse("jit=exits:7", NULL), 0);
	CHECK(config.jit == JIT_EXITS && config.jit_seed == 7);
	CHECK_INT(config_parse("jit=auto:12,jit-perf=1", NULL), 0);
	CHECK(config.jit == JIT_AUTO && config.jit_after == 12000 && config.jit_perf);
	CHECK_INT(config_parse("jit=auto,jit-perf=0", NULL), 0);
	CHECK(config.jit == JIT_AUTO && config.jit_after == JIT_WORTH && !config.jit_perf);
	CHECK_INT(config_parse("jit=off", NULL), 0);
}

static void test_trace(void)
{
	static const uint32_t block[3] = { 2, 1, 0 }, thread[3] = { 31, 0, 0 };

	CHECK_INT(config_parse("dump=ns::k,trace=ns::k", NULL), 0);
	CHECK_STR(config.dump, "ns::k");
	CHECK_STR(config.trace.kernel, "ns::k");
	CHECK(!config.trace.has_block && !config.trace.has_thread && config.no_scalar);
	CHECK_INT(config_parse("trace=k:2x1,scalar=1", NULL), 0);
	CHECK(config.trace.has_block && !config.trace.has_thread && config.no_scalar);
	CHECK(!memcmp(config.trace.block, block, sizeof(block)));
	CHECK_INT(config_parse("trace=ns::k:2x1x0:31", NULL), 0);
	CHECK_STR(config.trace.kernel, "ns::k");
	CHECK(config.trace.has_block && config.trace.has_thread);
	CHECK(!memcmp(config.trace.block, block, sizeof(block)));
	CHECK(!memcmp(config.trace.thread, thread, sizeof(thread)));
	CHECK_INT(config_init(NULL), 0);
}

/* promise: Keys of the CPU device */
static void test_environment(void)
{
	struct err e;

	setenv("GPURUN_CPU", "threads=7,mem=1048576", 1);
	CHECK_INT(config_init(&e), 0);
	CHECK_INT(config.threads, 7);
	CHECK_INT(config.memory, 1 << 20);
	CHECK_INT(config.cc, 90);
	setenv("GPURUN_CPU", "colour=red", 1);
	CHECK_INT(config_init(&e), GPURUN_INVALID);
	unsetenv("GPURUN_CPU");
	setenv("GPURUN_LOG", "leaks,jit", 1);
	CHECK_INT(config_init(&e), 0);
	CHECK(config.log_jit && !config.log_jit_time && !config.log_calls);
	setenv("GPURUN_LOG", "jit-time", 1);
	CHECK_INT(config_init(&e), 0);
	CHECK(config.log_jit_time && !config.log_jit);
	unsetenv("GPURUN_LOG");
	CHECK_INT(config_init(&e), 0);
	CHECK(!config.log_jit);
}

static void test_unknown_key(void)
{
	struct err e;

	CHECK_INT(config_parse("thread=3", &e), GPURUN_INVALID);
	CHECK_STR(e.text,
		  "CPU device: unknown key 'thread' (there are threads, cc, mem, smem, "
		  "sched, sched-seed, check, error-exitcode, check-log, isa, "
		  "warp, jit, jit-most, jit-perf, scalar, printf, bounds, host_memory, dump, trace, count)");
}

static void test_bad_values(void)
{
	/* clang-format off */
	static const char *const bad[] = {
		"threads=0", "threads=x", "threads=9999", "threads=-1", "threads=", "threads",
		"cc=9", "cc=9.0x", "cc=99.0", "mem=1", "mem=2Xi", "mem=9999999Ti",
		"mem=16777217Ti", /* 1 Ti and 2^64 */
		"mem=99999999999999999999", "smem=1Ki", "sched=fair", "sched-seed=a",
		"isa=avx9000", "jit=1", "jit=", "jit=exits:", "jit=exits:x", "jit=always:1", "jit=auto:", "jit=auto:x", "jit=aut", "jit=autos", "jit=off:1", "jit-perf=2", "jit-most=-1", "jit-most=all", "warp=64", "printf=no", "bounds=wide", "host_memory=both", "=1", ",", "threads=1,,",
		"dump=", "dump", "trace=", "trace=:1", "trace=:1:2",
		"trace=k:", "trace=k:1x2x3x4", "trace=k:a", "trace=k:1:2:3", "dump=k:1",
		"check=", "check=bugs", "check=mem,none", "check=none,mem", "check=none,none",
		"check=mem,bugs", "check-log=", "check=mem,threads", "error-exitcode=256", "error-exitcode=x",
	};
	/* clang-format on */
	const struct config before = config;
	struct err e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		e.text[0] = '\0';
		if (!CHECK_INT(config_parse(bad[i], &e), GPURUN_INVALID))
			printf("# %s\n", bad[i]);
		CHECK(e.text[0] != '\0');
	}
	CHECK(!memcmp(&before, &config, sizeof(config)));
}

static void test_bad_checks(void)
{
	struct err e;

	CHECK_INT(config_parse("check=mem,none", &e), GPURUN_INVALID);
	CHECK_STR(e.text, "CPU device: check=none stands alone in its list");
	CHECK_INT(config_parse("check=none,race", &e), GPURUN_INVALID);
	CHECK_STR(e.text, "CPU device: check=none stands alone in its list");
	CHECK_INT(config_parse("check=mem,bugs", &e), GPURUN_INVALID);
	CHECK_STR(e.text, "CPU device: check=bugs is not one or more of mem, init, race, sync, "
			  "leak, api, or all or none");
}

/* One bad value leaves everything as it was. */
static void test_all_or_nothing(void)
{
	struct err e;

	CHECK_INT(config_parse("threads=2", NULL), 0);
	CHECK_INT(config_parse("threads=5,cc=nine", &e), GPURUN_INVALID);
	CHECK_STR(e.text, "CPU device: cc=nine is not a compute capability such as 9.0");
	CHECK_INT(config.threads, 2);
}

int main(void)
{
	RUN(test_defaults);
	RUN(test_every_key);
	RUN(test_environment);
	RUN(test_trace);
	RUN(test_unknown_key);
	RUN(test_bad_values);
	RUN(test_bad_checks);
	RUN(test_all_or_nothing);
	return tap_end();
}
