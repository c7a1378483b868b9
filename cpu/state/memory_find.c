/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a generic address reaches: shared memory, stacks, parameters, device memory. */
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "asserts.h"
#include "cluster_address.h"
#include "config.h"

/* Kinds that a GPU allocates in units; the arena keeps as much for each. */
#define IN_UNITS (1u << BLOCK_DEVICE | 1u << BLOCK_RETIRED | 1u << BLOCK_HOST | 1u << BLOCK_MANAGED)
#define UNIT 512ull

/* Kinds of blocks that may have a neighbour without a gap between them. */
#define WITHOUT_GAP (1u << BLOCK_MAPPED | 1u << BLOCK_REGISTERED)

/*
 * As many neighbours as one access can reach in each direction: it is at most as long as all the
 * shared memory of a block of threads, and registered memory may be one page.
 */
#define MOST_NEIGHBOURS 64

static bool has_no_gap(uint64_t address, struct block *neighbour)
{
	return arena_find(address, neighbour) && WITHOUT_GAP >> neighbour->kind & 1;
}

/* For a kernel, memory that lies side by side is one range. */
static void add_neighbours(struct block *block)
{
	struct block next;

	for (int i = 0; i < MOST_NEIGHBOURS && has_no_gap(block->base + block->size, &next); i++)
		block->size += next.size;
	for (int i = 0; i < MOST_NEIGHBOURS && has_no_gap(block->base - 1, &next); i++) {
		block->size += block->base - next.base;
		block->base = next.base;
	}
}

/* As arena_find(), with what is beyond a block where a GPU does not notice. */
static bool find_in_units(uint64_t address, struct block *block)
{
	if (!arena_find(address, block) &&
	    !(arena_find(address & ~(UNIT - 1), block) && IN_UNITS >> block->kind & 1))
		return false;
	if (IN_UNITS >> block->kind & 1)
		block->size = (block->size + UNIT - 1) & ~(UNIT - 1);
	return true;
}

bool memory_block(uint64_t address, struct block *block)
{
	if (!(config.wide_bounds ? find_in_units : arena_find)(address, block))
		return false;
	if (WITHOUT_GAP >> block->kind & 1)
		add_neighbours(block);
	ASSERT(block->size && block->base + block->size - 1 >= block->base);
	return true;
}

bool memory_find(const struct warp *w, uint64_t address, bool write, struct hit *hit)
{
	const struct cta *cta = w->cta;
	const struct cta *owner = cluster_owner(cta, address, 1);
	struct block block;

	if (owner) {
		*hit = (struct hit){ (uint64_t)owner->shared, owner->shared_size, 0 };
		return true;
	}
	*hit = (struct hit){ (uint64_t)cta->local, cta->local_size, 0 };
	if (address - hit->base < hit->size)
		return true;
	*hit = (struct hit){ (uint64_t)cta->launch->params, cta->launch->kernel->param_bytes, 0 };
	if (!write && address - hit->base < hit->size)
		return true;
	*hit = (struct hit){ 0 };
	if (!memory_block(address, &block) || block.kind == BLOCK_CODE)
		return false;
	*hit = (struct hit){ block.base, block.size, arena_distance(block.base) };
	ASSERT(address - hit->base < hit->size);
	return true;
}

/* "byte 12 of the 400 bytes at 0x... (from cuMemAlloc), which cuMemFree freed"; @what: "of x" */
static void describe_block(const struct block *block, bool freed, const char *what,
			   uint64_t address, char *text, size_t size)
{
	bool inside = address >= block->base && address - block->base < block->size;
	uint64_t distance = inside	      ? address - block->base :
			    address < block->base ? block->base - address :
						    address - block->base - block->size + 1;
	const char *by = freed ? block->freed_by : NULL;
	const char *from = what[0] ? NULL : block->made_by;

	snprintf(text, size, "%s%llu%s%s the %llu bytes at %#llx%s%s%s%s%s%s%s",
		 inside ? "byte " : "", (unsigned long long)distance,
		 inside ? "" : distance == 1 ? " byte" : " bytes",
		 inside		      ? " of" :
		 address < block->base ? " before" : " beyond",
		 (unsigned long long)block->size, (unsigned long long)block->base, what,
		 from ? " (from " : "", from ? from : "", from ? ")" : "", by ? ", which " : "",
		 by ? by : "",
		 by ? " freed" : freed ? ", which are freed" :
		 !inside			  ? "" :
		 block->kind == BLOCK_CONSTANT ? ", which are constant" :
		 block->kind == BLOCK_CODE     ? ", which are functions" : "");
}

/* Finds what only @w's CTA has, as a block without an owner; false when @address is not near. */
static bool own_block(const struct warp *w, uint64_t address, struct block *block,
		      const char **what)
{
	enum { NEAR = 4096 }; /* bytes */
	const struct cta *cta = w->cta;
	const uint64_t params = (uint64_t)cta->launch->params, bytes =
		cta->launch->kernel->param_bytes;

	*block = (struct block){ .base = (uint64_t)cta->shared, .size = cta->shared_size };
	*what = " of shared memory";
	if (address - block->base < block->size)
		return true;
	*block = (struct block){ .base = params, .size = bytes };
	*what = " of the kernel's parameters";
	return address - params + NEAR < bytes + 2 * NEAR;
}

/* " of x": the variable of the kernel's module that @block is; else "". */
static void name_variable(const struct warp *w, const struct block *block, char *text,
			  size_t size)
{
	const struct program *program = w->cta->launch->kernel->program;

	text[0] = '\0';
	for (size_t i = 0; i < program->ptx->variable_count; i++) {
		const struct ptx_name *name = &program->ptx->variables[i].name;

		if (program->addresses[i] == block->base)
			snprintf(text, size, " of %.*s", (int)name->length, name->text);
	}
}

enum { NULL_REACH = 65536 }; /* bytes: offsets of members and elements from a null pointer */

/* "a null pointer", "24 bytes behind a null pointer"; for an index below 0 "... before ..." */
static bool describe_null(uint64_t address, char *text, size_t size)
{
	uint64_t distance = address < NULL_REACH ? address : -address;

	if (distance >= NULL_REACH)
		return false;
	if (!distance)
		snprintf(text, size, "a null pointer");
	else
		snprintf(text, size, "%llu bytes %s a null pointer",
			 (unsigned long long)distance, address == distance ? "behind" : "before");
	return true;
}

/* A block that is further away explains nothing about an address. */
static bool is_near(const struct block *block, uint64_t address)
{
	enum { FAR = 1 << 30 };

	return address + FAR - block->base < block->size + 2ull * FAR;
}

/*
 * Tells whether @address is memory of the host that the device does not know. A block of such
 * memory, a registered one, that is near is more likely to be meant.
 */
static bool is_unknown_host(uint64_t address, const struct block *near)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned char resident;

	return !arena_owns(address) && (!near || arena_owns(near->base)) &&
	       !mincore((void *)(uintptr_t)(address & ~(page - 1)), 1, &resident);
}

void memory_describe(const struct warp *w, uint64_t address, char *text, size_t size)
{
	struct block block;
	char variable[128] = "";
	const char *what;
	bool freed, near;

	text[0] = 0;
	if (describe_null(address, text, size))
		return;
	if (address >> 48 == CLUSTER_NOWHERE >> 48) {
		snprintf(text, size, "in the shared memory of no block of the cluster");
		return;
	}
	if (w && own_block(w, address, &block, &what)) {
		describe_block(&block, false, what, address, text, size);
		return;
	}
	near = arena_nearest(address, &block, &freed) && is_near(&block, address);
	if (is_unknown_host(address, near ? &block : NULL)) {
		snprintf(text, size, "which is memory of the host: pass what cudaMalloc returned");
	} else if (near) {
		if (w && !freed)
			name_variable(w, &block, variable, sizeof(variable));
		describe_block(&block, freed, variable, address, text, size);
	}
}

const char *memory_shared_hint(const struct warp *w)
{
	if (w->cta->code->dynamic && !w->cta->launch->dynamic_shared)
		return ", and the launch asked for no dynamic ones";
	return "";
}

bool memory_within(const struct warp *w, uint64_t address, enum ptx_space space)
{
	const struct cta *cta = w->cta;
	bool shared = address - (uint64_t)cta->shared < cta->shared_size;
	bool cluster = cluster_owner(cta, address, 1);
	bool local = address - (uint64_t)cta->local < cta->local_size;
	bool param = address - (uint64_t)cta->launch->params < cta->launch->kernel->param_bytes;
	struct block block;

	switch (space) {
	case PTX_SHARED:
		return shared;
	case PTX_SHARED_CLUSTER:
		return cluster;
	case PTX_LOCAL:
		return local;
	case PTX_PARAM:
		return param;
	case PTX_CONST:
		return arena_find(address, &block) && block.kind == BLOCK_CONSTANT;
	default:
		return !cluster && !local && !param &&
		       !(arena_find(address, &block) && block.kind == BLOCK_CONSTANT);
	}
}
