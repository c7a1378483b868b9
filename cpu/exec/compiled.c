/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compiled.h"

#include "config.h"
#include "hash.h"
#include "lock.h"
#include "lower_entry.h"
#include "output.h"
#include "region.h"
#include "warp.h"

#if JIT
#include "region_compile.h"

enum compiling { COMPILING_NOT, COMPILING_TRIED };

enum { MOST_BYTES = 16 << 20 }; /* of the code of one region */

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
		*reach = (struct access_reach){ found.base, found.size - size + 1,
					 found.base + found.distance };
	else
		*(struct hit *)((char *)w->hits + hit) = found;
	return true;
}

static const struct exits exits = {
	.diverge = exit_diverge,
	.diverge_back = exit_diverge_back,
	.back_edge = warp_back_edge,
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
	code->region = region;
	for (size_t i = 0; i < region->entry_count; i++) {
		const struct region_entry *entry = &region->entries[i];
		uintptr_t address = (uintptr_t)mcode_address(region->code) + entry->offset;

		__atomic_store_n((uintptr_t *)&code->ops[entry->op].fn, address, __ATOMIC_RELEASE);
	}
}

static uint64_t microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
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
			    (unsigned long long)(microseconds() - begin));
}

static void compile(const struct launch *launch, struct code *code)
{
	const uint64_t begin = microseconds();
	const uint32_t *block = launch->block;
	struct compiling_code c = { .code = code };
	const struct lower_visitor visitor = { visit_lowered, &c };
	struct err e = { 0 };

	c.request = (struct region_request){
		.isa = isa_available(ISA_v4) && (config.isa == ISA_BEST || config.isa == ISA_v4) ?
			       X86_AVX512 : X86_AVX2,
		.exits = &exits,
		.ops = code->ops,
		.exits_seed = config.jit == JIT_EXITS ? hash_u64(config.jit_seed) | 1 : 0,
		.end = end_call,
		.most_bytes = MOST_BYTES,
	};
	c.request.shape.aligned = !(block[0] % LANES);
	if (block[0] % LANES)
		memcpy(c.request.shape.size, block, sizeof(c.request.shape.size));
	if (entry_visit(launch->kernel->entry, code, &visitor, &e)) {
		log_compiled(launch->kernel->name, e.text, NULL, 0);
		return;
	}
	log_compiled(launch->kernel->name, NULL, &c, begin);
	publish_region(code, c.region);
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
	return mcode_available() ? NULL : "the system does not execute code that was just written";
}

bool compiled_wanted(void)
{
	return !prevented();
}

/* Why @code, which the program's lock guards, is not compiled; NULL: it is. Counts for
 * jit-most=. */
static const char *refused(const struct launch *launch, const struct code *code)
{
	static atomic_ullong count;
	const char *why = prevented();

	if (why)
		return why;
	if (launch->block[0] % LANES && code == &launch->kernel->entry->code)
		return "blocks of too many shapes";
	return atomic_fetch_add(&count, 1) < config.jit_most ? NULL : "jit-most= is reached";
}

void compiled_prepare(const struct launch *launch, struct code *code)
{
	struct program *program = launch->kernel->program;
	const char *why;

	if (!config.jit ||
	    atomic_load_explicit(&code->compiling, memory_order_acquire) != COMPILING_NOT)
		return;
	LOCKED_BY(&program->lock, LOCK_PROGRAM);
	if (atomic_load(&code->compiling) != COMPILING_NOT)
		return;
	why = refused(launch, code);
	if (why)
		log_compiled(launch->kernel->name, why, NULL, 0);
	else
		compile(launch, code);
	atomic_store_explicit(&code->compiling, COMPILING_TRIED, memory_order_release);
}
#else
bool compiled_wanted(void)
{
	return false;
}

void compiled_prepare(const struct launch *launch, struct code *code)
{
	(void)launch, (void)code;
}
#endif
