/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The configuration of the CPU device: GPURUN_CPU=key=value,..., of which
 * gpurunCpuConfigure replaces single keys; CUDA_LAUNCH_BLOCKING as any CUDA driver
 * reads it; GPURUN_LOG, which libgpurun reads as well. Fixed after cuInit has succeeded.
 */
#ifndef CPU_CONFIG_H
#define CPU_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

/* What the checker looks for: bits of config.check. */
enum check {
#define REPORT_CHECK(name, text, bit, meaning) CHECK_##name = bit,
#include "report_kinds.def"
	CHECK_ALL = 63,
	CHECK_KERNELS = CHECK_MEM | CHECK_INIT | CHECK_RACE | CHECK_SYNC, /* in their code */
};

/* ISA_BEST, then the instruction sets of isas.def in their order. */
enum config_isa {
	ISA_BEST,
#define ISA(name, test) ISA_##name,
#include "isas.def"
};

/* Tells whether this machine has the instructions of @isa; not of ISA_BEST. */
bool isa_available(enum config_isa isa);

/* Of jit_after: the time depends on how large a kernel is. */
#define JIT_WORTH UINT64_MAX

struct config {
	unsigned threads;     /* threads=N: worker threads; default: online CPUs */
	unsigned cc;          /* cc=9.0: compute capability, as 90 */
	uint64_t memory;      /* mem=2Gi: bytes of device memory */
	uint32_t shared;      /* smem=227Ki: bytes of shared memory per block, opt-in */
	bool random_schedule; /* sched=rr|rand */
	uint64_t seed;        /* sched-seed=N */
	enum config_isa isa;  /* isa=best|NAME of isas.def: which handlers at best (for tests) */
	bool no_scalar;       /* scalar=0: values that all lanes share are computed in each; every
			       * instruction unchanged, by itself */
	bool launch_blocking; /* CUDA_LAUNCH_BLOCKING=1: a launch waits for its kernel */
	unsigned check;       /* check=mem,init,race,sync,leak,api: enum check */
	unsigned exit_code;   /* error-exitcode=N: instead of 0 when the checker found something */
	char check_log[256];  /* check-log=FILE: findings are added to it; "": none */
	bool log_calls;      /* GPURUN_LOG=calls: the end reports what was launched and refused */
	bool log_jit;        /* GPURUN_LOG=jit: what is compiled, and why something is not */
	bool log_jit_time;   /* GPURUN_LOG=jit-time: how long compiled code ran, at the end */
	bool wide_bounds;     /* bounds=gpu: kernels may go as far past an allocation as on a GPU */
	bool shared_with_host; /* host_memory=shared: the host reaches device memory, too */
	bool print_at_once;   /* printf=line: each call of device printf writes its text out */
	bool count;           /* count=1: the bytes and operations of each launch are counted */
	enum config_jit {     /* jit=off|auto[:US]|always|exits[:SEED]: */
		JIT_OFF,
		JIT_AUTO,     /* kernels are compiled that have run for a while */
		JIT_ALWAYS,   /* kernels are compiled at their first launch */
		JIT_EXITS,    /* ... and left where it need not be, at places chosen by jit_seed */
	} jit;
	uint64_t jit_seed;
	uint64_t jit_after;   /* jit=auto: nanoseconds; or JIT_WORTH */
	uint64_t jit_most;    /* jit-most=N: the first N of them (for tests) */
	bool jit_perf;        /* jit-perf=1: a map of compiled code is written for perf(1) */
	char dump[128];       /* dump=KERNEL: what it was lowered to, on stderr; "": none */
	struct {              /* trace=KERNEL[:BLOCK[:THREAD]]: what its threads execute */
		char kernel[128]; /* "": none */
		bool has_block, has_thread;
		uint32_t block[3], thread[3];
	} trace;
};

/* The configuration in force. */
extern struct config config;

/*
 * Reads "key=value,..." on top of the present values; "" and NULL change nothing. On
 * failure nothing is changed: GPURUN_INVALID names the key and the valid ones, or the
 * value and what it may be.
 */
int config_parse(const char *options, struct err *e);

/* Sets the defaults, then what the environment says. */
int config_init(struct err *e);

#endif
