/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "local.h"

#include <stdio.h>
#include <sys/mman.h>

#include "asserts.h"
#include "config.h"

int local_start(struct cta *cta, struct err *e)
{
	struct cta_check *check = cta->check;
	void *at;

	if (!(config.check & CHECK_INIT) || check->local_size >= cta->local_size)
		return 0;
	local_release(check);
	at = mmap(NULL, 2 * cta->local_size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return err_set(e, GPURUN_NO_MEMORY, "no memory to check %llu bytes of stacks",
			       (unsigned long long)cta->local_size);
	check->local = at;
	check->saved = check->local + cta->local_size;
	check->local_size = cta->local_size;
	return 0;
}

void local_release(struct cta_check *check)
{
	if (!check || !check->local)
		return;
	ASSERT(check->saved == check->local + check->local_size);
	munmap(check->local, 2 * check->local_size);
	check->local = check->saved = NULL;
	check->local_size = 0;
}

/* The op at which the function that @op belongs to begins: functions follow each other. */
static uint32_t start_of(const struct code *code, uint32_t op)
{
	uint32_t start = op >= code->start ? code->start : 0;

	for (size_t i = 0; i < code->callee_count; i++)
		if (code->callees[i].start <= op && code->callees[i].start > start)
			start = code->callees[i].start;
	return start;
}

static const struct frame_variable *find_variable(const struct code *code, uint32_t op,
						  uint64_t offset)
{
	const uint32_t start = start_of(code, op);

	for (size_t i = 0; i < code->variable_count; i++) {
		const struct frame_variable *variable = &code->variables[i];

		if (variable->start == start && offset - variable->offset < variable->size)
			return variable;
	}
	return NULL;
}

/* The offset of a lane's frame @up calls ago, and *@op, at which it was then. */
static uint32_t frame_above(const struct warp *w, const struct op *ip, unsigned lane, uint32_t up,
			    uint32_t *op)
{
	const struct call_level *level;

	ASSERT(up <= w->depth[lane]);
	*op = (uint32_t)(ip - w->cta->code->ops);
	if (!up)
		return w->frame[lane];
	level = &w->levels[w->depth[lane] - up];
	*op = level->pc[lane];
	return level->frame[lane];
}

void local_describe(const struct warp *w, const struct op *ip, uint64_t address, char *text,
		    size_t size)
{
	const uint64_t at = address - (uint64_t)w->cta->local, stack = w->cta->stack;
	const unsigned lane = (unsigned)(at / stack % LANES);
	const struct frame_variable *found;
	uint32_t up = 0, op, frame;

	ASSERT(stack && at < w->cta->local_size);
	snprintf(text, size, "byte %llu of a thread's local memory",
		 (unsigned long long)(at % stack));
	if (at / stack / LANES != w->index)
		return;
	while ((frame = frame_above(w, ip, lane, up, &op)) > at % stack && up < w->depth[lane])
		up++;
	if (frame > at % stack)
		return;
	found = find_variable(w->cta->code, op, at % stack - frame);
	if (found)
		snprintf(text, size, "byte %llu of the %u bytes of %.*s in the frame of %.*s",
			 (unsigned long long)(at % stack - frame - found->offset), found->size,
			 (int)found->name.length, found->name.text, (int)found->function.length,
			 found->function.text);
}
