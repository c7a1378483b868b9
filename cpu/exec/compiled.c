/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compiled.h"

#include "clock.h"
#include "compile_thread.h"
#include "config.h"
#include "hash.h"
#include "kernel_time.h"
#include "lock.h"
#include "lower_entry.h"
#include "machine.h"
#include "output.h"
#include "region.h"
#include "warp.h"

#if JIT
#include "region_compile.h"

enum {
	MOST_BYTES = 16 << 20, /* of the code of one region */
	OP_NS = 8000,          /* to compile one op, about */
	LEAST_NS = 1000000,    /* of work, before a kernel is compiled */
	CHEAP_NS = 2500000,    /* 5 % of 50 ms */
	SPENT_NS = 4000,       /* that one of cta->spent takes at most, */
	SPENT_OP_NS = 40,      /* and for each op: more was another process's */
};

/* ---- What compiled code calls -------------------------------------------------------------- */

static const struct op *exit_diverge(struct warp *w, const struct op *ip, uint64_t taken)
{
	return warp_diverge(w, ip + 1, ip + ip->imm, (uint32_t)taken);
}

static const struct op *exit_diverge_back(struct warp *w, const struct op *ip, uint64_t taken)
{
	return warp_diverge_back(w, ip, (uint32_t)taken);
}

/* Behind the copies of ops that are called: notes that they are done. */
static void end_call(struct warp *w, const struct op *ip)
{
	w->pc = ip;
	w->running = false;
}

static bool exit_call(struct warp *w, const struct op *ip)
{
	w->pc = ip;
	do {
		ip = w->pc;
		ip->fn(w, ip);
	} while (w->running);
	if (w->cta->progress.faulted)
		return false;
	w->running = true;
	return true;
}

/* Shared memory is not that of another block of the cluster here. */
static bool find_reach(struct warp *w, uint64_t hit, uint64_t address, bool shared,
		       struct hit *found)
{
	const bool writes = hit / sizeof(struct hit) & 1;

	if (!shared)
		return memory_find(w, address, writes, found);
	*found = (struct hit){ 0, w->shared_size, (uint64_t)(uintptr_t)w->shared };
	return true;
}

static bool exit_reach(struct warp *w, uint64_t hit, uint64_t address, uint64_t size,
		       uint64_t place)
{
	const bool shared = place & EXITS_SHARED;
	const uint64_t at = place & ~(uint64_t)EXITS_SHARED;
	struct access_reach *reach = (struct access_reach *)((char *)w->hits + at);
	struct hit found;

	if (!find_reach(w, hit, address, shared, &found) || address - found.base >= found.size ||
	    size > found.size - (address - found.base))
		return false;
	if (at)
		*reach = (struct access_reach){ found.base, { found.size - size + 1 },
					 found.base + found.distance };
	else
		*(struct hit *)((char *)w->hits + hit) = found;
	return true;
}

static const struct exits exits = {
	.diverge = exit_diverge,
	.diverge_back = exit_diverge_back,
	.back_edge = warp_back_edge,
	.exit = warp_exit,
	.barrier = cta_barrier,
	.call = exit_call,
	.reach = exit_reach,
};

/* ---- Compiling ----------------------------------------------------------------------------- */

struct compiling_code {
	struct code *code;
	uint32_t insn_count;   /* of the entry's PTX */
	struct region_request request;
	struct code_region *region;
};

static int visit_lowered(struct lowering *l, void *context, struct err *e)
{
	struct compiling_code *c = context;

	ASSERT(l->code->op_count == c->code->op_count);
	c->insn_count = l->body->insn_count;
	return region_compile(l, &c->request, &c->region, e);
}

/* Puts the entries of @region in the place of handlers: warps that run find one or the other. */
static void publish_region(struct code *code, struct code_region *region)
{
	atomic_store_explicit(&code->region, region, memory_order_release);
	for (size_t i = 0; i < region->entry_count; i++) {
		const struct region_entry *entry = &region->entries[i];
		uintptr_t address = (uintptr_t)mcode_address(region->code) + entry->offset;

		__atomic_store_n((uintptr_t *)&code->ops[entry->op].fn, address, __ATOMIC_RELEASE);
	}
}

/* GPURUN_LOG=jit: @why it was not compiled, or NULL. */
static void log_compiled(const char *kernel, const char *why, const struct compiling_code *c,
			 uint64_t begin)
{
	if (!config.log_jit)
		return;
	if (why)
		output_note("jit: %s: not compiled: %s", kernel, why);
	else
		output_note("jit: %s: %u PTX instructions, %zu bytes, %llu us", kernel,
			    c->insn_count, mcode_size(c->region->code),
			    (unsigned long long)(clock_now() - begin) / 1000);
}

/* jit-perf=1: perf(1) finds the name of its kernel for what runs in @region. */
static void describe_region(const struct code_region *region, const char *kernel)
{
	char path[MCODE_PATH], name[256];

	if (!config.jit_perf)
		return;
	mcode_map_path(path);
	snprintf(name, sizeof(name), "jit:%.200s", kernel);
	mcode_describe(region->code, 0, mcode_size(region->code), name, path);
}

static void compile(const struct compile_job *job)
{
	const uint64_t begin = clock_now();
	const uint32_t *block = job->block;
	struct compiling_code c = { .code = job->code };
	const struct lower_visitor visitor = { visit_lowered, &c };
	struct err e = { 0 };

	c.request = (struct region_request){
		.isa = isa_available(ISA_v4) && (config.isa == ISA_BEST || config.isa == ISA_v4) ?
			       X86_AVX512 : X86_AVX2,
		.exits = &exits,
		.ops = job->code->ops,
		.exits_seed = config.jit == JIT_EXITS ? hash_u64(config.jit_seed) | 1 : 0,
		.end = end_call,
		.most_bytes = MOST_BYTES,
		.timed = job->code->time,
	};
	c.request.shape.aligned = !(block[0] % LANES);
	if (block[0] % LANES)
		memcpy(c.request.shape.size, block, sizeof(c.request.shape.size));
	if (entry_visit(job->kernel->entry, job->code, &visitor, &e)) {
		log_compiled(job->kernel->name, e.text, NULL, 0);
		return;
	}
	log_compiled(job->kernel->name, NULL, &c, begin);
	describe_region(c.region, job->kernel->name);
	publish_region(job->code, c.region);
}

/* Why no kernel of this process is compiled; NULL: they are. */
static const char *prevented(void)
{
	if (!config.jit)
		return "jit=off";
	if (config.check || config.count || *config.trace.kernel)
		return "check=, count= and trace= are executed by the interpreter";
	if (config.isa == ISA_baseline || !isa_available(ISA_v3))
		return "isa=baseline, or a processor without AVX2, FMA or BMI2";
	if (config.jit == JIT_AUTO && host_is_valgrind())
		return "valgrind executes the process";
	return mcode_available() ? NULL : "the system does not execute code that was just written";
}

bool compiled_wanted(void)
{
	return !prevented();
}

bool compiled_forbidden(void)
{
	return config.jit && !mcode_available();
}

/* Compiles @code for the blocks of @launch, now or, with jit=auto, meanwhile; or says why not. */
static void begin_compiling(const struct launch *launch, struct code *code)
{
	static atomic_ullong count;
	const char *name = launch->kernel->name;
	struct compile_job job = { .kernel = launch->kernel, .code = code, .compile = compile };

	memcpy(job.block, launch->block, sizeof(job.block));
	if (atomic_fetch_add(&count, 1) >= config.jit_most)
		log_compiled(name, "jit-most= is reached", NULL, 0);
	else if (config.jit != JIT_AUTO)
		compile(&job);
	else if (!compile_later(&job))
		log_compiled(name, "no thread, or no memory, to compile it", NULL, 0);
}

/* Why @code cannot be compiled; NULL: it can. */
static const char *refused(const struct launch *launch, const struct code *code)
{
	const char *why = prevented();

	if (why)
		return why;
	return entry_code_shape(launch->kernel->entry, code) == entry_shape(launch->block) ?
		       NULL : "blocks of too many shapes";
}

void compiled_prepare(const struct launch *launch, struct code *code)
{
	bool counts = false;
	const char *why;

	if (!config.jit ||
	    atomic_load_explicit(&code->compiling, memory_order_acquire) != COMPILING_NEW)
		return;
	LOCKED_BY(&launch->kernel->program->lock, LOCK_PROGRAM);
	if (atomic_load(&code->compiling) != COMPILING_NEW)
		return;
	if (config.log_jit_time)
		code->time = kernel_time_new(launch->kernel->name);
	why = refused(launch, code);
	if (why)
		log_compiled(launch->kernel->name, why, NULL, 0);
	else if (config.jit == JIT_AUTO && config.jit_after)
		counts = true;
	else
		begin_compiling(launch, code);
	atomic_store_explicit(&code->compiling, counts ? COMPILING_COUNTS : COMPILING_TRIED,
			      memory_order_release);
}

/*
 * How long @code has to be interpreted before it is compiled. Of kernels that run for 50 ms or
 * longer compiling takes 5 % at most: of long ones they have to have run 20 times as long before.
 */
static uint64_t worth_ns(const struct code *code)
{
	const uint64_t cost = (uint64_t)OP_NS * code->op_count;

	if (config.jit_after != JIT_WORTH)
		return config.jit_after;
	if (cost > CHEAP_NS)
		return 20 * cost;
	return cost > LEAST_NS ? cost : LEAST_NS;
}

void compiled_count(const struct launch *launch, struct code *code, uint64_t ns, uint64_t spent)
{
	const uint64_t most = spent * (SPENT_NS + (uint64_t)SPENT_OP_NS * code->op_count);
	const uint64_t more = ns < most ? ns : most;
	int counts = COMPILING_COUNTS;

	if (atomic_fetch_add_explicit(&code->work, more, memory_order_relaxed) + more >=
		    worth_ns(code) &&
	    atomic_compare_exchange_strong(&code->compiling, &counts, COMPILING_TRIED))
		begin_compiling(launch, code);
}
#else
bool compiled_wanted(void)
{
	return false;
}

bool compiled_forbidden(void)
{
	return false;
}

void compiled_prepare(const struct launch *launch, struct code *code)
{
	(void)launch, (void)code;
}

void compiled_count(const struct launch *launch, struct code *code, uint64_t ns, uint64_t spent)
{
	(void)launch, (void)code, (void)ns, (void)spent;
}
#endif
