/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "patch.h"

#include <errno.h>
#include <sys/mman.h>

#include "kernel.h"

#define PAGE 4096ULL
#define STEP (1ULL << 20)

/* A jump reaches 2 GB; the code and the region itself have their part of it. */
#define REACH 0x70000000ULL
#define LOWEST 0x10000ULL

/* ---- Code ---------------------------------------------------------------------------------- */

void patch_write_way(uint8_t way[WAY], const void *target)
{
	const uint64_t address = (uint64_t)target;

	memset(way, 0xcc, WAY);
	memcpy(way, "\x49\xbb", 2); /* movabs $target, %r11 */
	memcpy(way + 2, &address, 8);
	memcpy(way + 10, "\x41\xff\x23", 3); /* jmp *(%r11) */
}

bool patch_write_jump(uint8_t code[JUMP], uint64_t from, uint64_t to)
{
	const size_t kept = memcmp(code, "\xf3\x0f\x1e\xfa", 4) ? 0 : 4;
	const size_t at = kept ? 10 : 9; /* of the jump */
	const int64_t distance = (int64_t)(to - (from + at + 5));
	const int32_t near = (int32_t)distance;

	if (near != distance)
		return false;
	code[kept] = 0xeb; /* jmp over what follows */
	code[kept + 1] = (uint8_t)(at - kept - 2);
	code[at] = 0xe9; /* jmp to */
	memcpy(code + at + 1, &near, 4);
	return true;
}

/* ---- The region of the ways ------------------------------------------------------------------ */

static uint64_t page_up(uint64_t size)
{
	return (size + PAGE - 1) & ~(PAGE - 1);
}

static void *try_at(uint64_t at, size_t size)
{
	void *region = kernel_map((void *)at, size, PROT_NONE, MAP_FIXED_NOREPLACE, -1, 0);

	/* Linux before 4.17 takes the address for a wish. */
	if (region && (uint64_t)region != at) {
		kernel_unmap(region, size);
		return NULL;
	}
	return region;
}

/* Reserves @size bytes that jumps from @low to @high reach: below, else above. NULL: no room. */
static void *reserve(uint64_t low, uint64_t high, size_t size)
{
	void *region = NULL;

	for (uint64_t at = low & ~(STEP - 1); !region && at > LOWEST + STEP && high - at < REACH;)
		region = try_at(at -= STEP, size);
	for (uint64_t at = (high + STEP - 1) & ~(STEP - 1); !region && at - low < REACH; at += STEP)
		region = try_at(at, size);
	return region;
}

/* ---- The images of the code and the ways ----------------------------------------------------- */

struct work {
	const struct object *object;
	uint64_t base;
	uint64_t from, to;  /* what is changed, in the file */
	uint64_t low, high; /* pages of code, in the process */
	uint64_t ways;	    /* the region's address */
	size_t ways_size;
	uint8_t *code_image, *ways_image;
	int fd;
};

/* Tells whether @memory has what @file has, but for breakpoints that a debugger has set. */
static bool is_same_code(const uint8_t *memory, const uint8_t *file, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		while (size - i > 8 && load_u64(memory + i) == load_u64(file + i))
			i += 8;
		if (memory[i] != file[i] && memory[i] != 0xcc)
			return false;
	}
	return true;
}

/* Tells whether the process has at the runtime's code what the file has there. The file is read
 * by parts: memory for all of it costs more than the comparison. */
static bool is_same(const struct work *work)
{
	static uint8_t part[1 << 14]; /* the loader's lock is held */
	const uint64_t size = work->to - work->from;
	const uint8_t *code = work->code_image + (work->base + work->from - work->low);
	Elf64_Phdr segment;
	uint64_t at;

	if (!object_segment(work->object, PT_LOAD, PF_X, work->from, size, &segment))
		return false;
	at = segment.p_offset + (work->from - segment.p_vaddr);
	for (uint64_t done = 0; done < size; done += sizeof(part)) {
		const uint64_t left = size - done;
		const size_t length = left < sizeof(part) ? left : sizeof(part);

		if (!kernel_read(work->object->fd, at + done, part, length) ||
		    !is_same_code(code + done, part, length))
			return false;
	}
	return true;
}

/* Copies the code into the memory file by a system call: where nothing is mapped, it is refused. */
static bool copy_code(const struct work *work)
{
	uint64_t at = work->low;

	while (at < work->high) {
		const long done = kernel_write(work->fd, (const void *)at, work->high - at);

		if (done == -EINTR)
			continue;
		if (done <= 0)
			return false;
		at += (uint64_t)done;
	}
	return true;
}

static bool extend(const struct work *work)
{
	static const uint8_t zeros[PAGE];

	for (size_t done = 0; done < work->ways_size; done += PAGE)
		if (kernel_write(work->fd, zeros, PAGE) != PAGE)
			return false;
	return true;
}

/* Puts both images in their places; after the first the process has been changed. */
static const char *put(const struct work *work)
{
	const int flags = MAP_FIXED, protection = PROT_READ | PROT_EXEC;
	const size_t size = work->high - work->low;

	/* The ways first: what jumps there comes after them. */
	if (!kernel_map((void *)work->ways, work->ways_size, protection, flags, work->fd, size) ||
	    !kernel_map((void *)work->low, size, protection, flags, work->fd, 0))
		return "the system does not map code of a memory file";
	return NULL;
}

/* Changes the images; returns why not, or NULL. */
typedef const char *write_fn(struct work *work, void *context);

static const char *make_and_put(struct work *work, write_fn *write, void *context)
{
	const size_t size = work->high - work->low, all = size + work->ways_size;
	const char *why;

	if (!copy_code(work))
		return "its code is not where its file says";
	if (!extend(work))
		return "there is no memory for a changed copy";
	work->code_image = kernel_map_shared(work->fd, all);
	if (!work->code_image)
		return "there is no memory for a changed copy";
	work->ways_image = work->code_image + size;
	why = is_same(work) ? write(work, context) : "its file has changed since it was loaded";
	kernel_unmap(work->code_image, all);
	return why ? why : put(work);
}

/* Changes the code from @work->from to @work->to by @write. */
static const char *change(struct work *work, write_fn *write, void *context,
			  struct patched *patched)
{
	const char *why;

	*patched = (struct patched){ 0 };
	work->low = (work->base + work->from) & ~(PAGE - 1);
	work->high = page_up(work->base + work->to);
	work->ways = (uint64_t)reserve(work->low, work->high, work->ways_size);
	if (!work->ways)
		return "there is no free memory near it";
	*patched = (struct patched){ (void *)work->ways, work->ways_size };
	work->fd = (int)kernel_memfd("gpurun start");
	why = work->fd < 0 ? "the system makes no memory file" :
			     make_and_put(work, write, context);
	if (work->fd >= 0)
		kernel_close(work->fd);
	if (why)
		patch_release(patched);
	return why;
}

static uint8_t *code_at(const struct work *work, uint64_t at)
{
	return work->code_image + (work->base + at - work->low);
}

/* ---- A runtime ------------------------------------------------------------------------------- */

static const char too_far[] = "it is too far from free memory";

struct runtime {
	const struct found *found;
	void **targets;
	void *newer;
};

static size_t size_of_ways(const struct found *found)
{
	return page_up((NAMES + found->newer_count) * WAY +
		       found->newer_count * sizeof(struct way_newer));
}

static bool write_entry(struct work *work, size_t number, uint64_t at, const void *target)
{
	patch_write_way(work->ways_image + number * WAY, target);
	return patch_write_jump(code_at(work, at), work->base + at, work->ways + number * WAY);
}

static const char *write_runtime(struct work *work, void *context)
{
	const struct runtime *runtime = context;
	const struct found *found = runtime->found;
	const size_t records = (NAMES + found->newer_count) * WAY;

	for (size_t i = 0; i < NAMES; i++)
		if (found->at[i] && !write_entry(work, i, found->at[i], &runtime->targets[i]))
			return too_far;
	for (size_t i = 0; i < found->newer_count; i++) {
		const size_t at = records + i * sizeof(struct way_newer);
		struct way_newer record = { .function = runtime->newer };

		memcpy(record.name, found->newer[i].name, NEWER_LENGTH);
		memcpy(work->ways_image + at, &record, sizeof(record));
		if (!write_entry(work, NAMES + i, found->newer[i].at,
				 (const void *)(work->ways + at)))
			return too_far;
	}
	return NULL;
}

const char *patch_runtime(const struct found *found, const struct object *object, uint64_t base,
			  void **targets, void *newer, struct patched *patched)
{
	struct work work = { .object = object, .base = base, .from = found->low,
			     .to = found->high + JUMP, .ways_size = size_of_ways(found) };
	struct runtime runtime = { found, targets, newer };

	return change(&work, write_runtime, &runtime, patched);
}

/* ---- A function that is still to be called --------------------------------------------------- */

/* What is looked at of a function's begin, and the size of a near jump. */
enum { BEGIN = 32, NEAR_JUMP = 5 };

/* The length of the instruction at @code: pushes, moves between registers, room on the stack. */
static size_t instruction_length(const uint8_t *code)
{
	const size_t rex = (code[0] & 0xf0) == 0x40;
	const uint8_t op = code[rex], operands = code[rex + 1];

	if (!memcmp(code, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
		return 4;
	if ((op & 0xf8) == 0x50) /* push */
		return rex + 1;
	if ((op == 0x89 || op == 0x8b || op == 0x31 || op == 0x33) && operands >= 0xc0)
		return rex + 2; /* mov, xor */
	if (op == 0x83 && operands == 0xec) /* sub $byte, %rsp */
		return rex + 3;
	return op == 0x81 && operands == 0xec ? rex + 6 : 0; /* sub $word, %rsp */
}

size_t patch_begin_length(const uint8_t *code, size_t size)
{
	size_t length = 0;

	while (length < NEAR_JUMP) {
		const size_t next = size - length < 8 ? 0 : instruction_length(code + length);

		if (!next)
			return 0;
		length += next;
	}
	return length;
}

static bool write_near(uint8_t *code, uint64_t from, uint64_t to)
{
	const int64_t distance = (int64_t)(to - (from + NEAR_JUMP));
	const int32_t near = (int32_t)distance;

	code[0] = 0xe9;
	memcpy(code + 1, &near, 4);
	return near == distance;
}

/* Behind the way: the instructions that the jump replaces, and a jump to what follows them. */
static const char *write_function(struct work *work, void *ours)
{
	uint8_t *code = code_at(work, work->from), *moved = work->ways_image + WAY;
	const size_t length = patch_begin_length(code, BEGIN);
	const uint64_t at = work->base + work->from;

	if (!length)
		return "it begins with instructions that gpurun does not know";
	patch_write_way(work->ways_image, ours);
	memcpy(moved, code, length);
	if (!write_near(moved + length, work->ways + WAY + length, at + length) ||
	    !write_near(code, at, work->ways))
		return too_far;
	return NULL;
}

const char *patch_function(const struct object *object, uint64_t at, uint64_t base,
			   const void *ours, void **original, struct patched *patched)
{
	struct work work = { .object = object, .base = base, .from = at, .to = at + BEGIN,
			     .ways_size = PAGE };
	const char *why = change(&work, write_function, (void *)ours, patched);

	*original = why ? NULL : (uint8_t *)patched->ways + WAY;
	return why;
}

void patch_release(struct patched *patched)
{
	if (patched->ways)
		kernel_unmap(patched->ways, patched->size);
	*patched = (struct patched){ 0 };
}
