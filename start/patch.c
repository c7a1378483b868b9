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
	for (uint64_t at = high & ~(STEP - 1); !region && at - low < REACH;)
		region = try_at(at += STEP, size);
	return region;
}

/* ---- The images of the code and the ways ----------------------------------------------------- */

struct work {
	const struct found *found;
	uint64_t base;
	uint64_t low, high; /* pages of code, in the process */
	uint64_t ways;	    /* the region's address */
	size_t ways_size;
	uint8_t *code_image, *ways_image;
	int fd;
};

static size_t size_of_ways(const struct found *found)
{
	return page_up((NAMES + found->newer_count) * WAY +
		       found->newer_count * sizeof(struct way_newer));
}

static bool write_function(struct work *work, size_t number, uint64_t at, const void *target)
{
	uint8_t *code = work->code_image + (work->base + at - work->low);

	patch_write_way(work->ways_image + number * WAY, target);
	return patch_write_jump(code, work->base + at, work->ways + number * WAY);
}

static bool write_images(struct work *work, void **targets, void *newer)
{
	const struct found *found = work->found;
	const size_t records = (NAMES + found->newer_count) * WAY;

	for (size_t i = 0; i < NAMES; i++)
		if (found->at[i] && !write_function(work, i, found->at[i], &targets[i]))
			return false;
	for (size_t i = 0; i < found->newer_count; i++) {
		const size_t at = records + i * sizeof(struct way_newer);
		struct way_newer record = { .function = newer };

		memcpy(record.name, found->newer[i].name, NEWER_LENGTH);
		memcpy(work->ways_image + at, &record, sizeof(record));
		if (!write_function(work, NAMES + i, found->newer[i].at,
				    (const void *)(work->ways + at)))
			return false;
	}
	return true;
}

/* Tells whether @memory has what @file has, but for breakpoints that a debugger has set. */
static bool is_same_code(const uint8_t *memory, const uint8_t *file, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (memory[i] != file[i] && memory[i] != 0xcc)
			return false;
	return true;
}

/* Tells whether the process has at the runtime's code what the file has there. */
static bool is_same(const struct work *work, const struct object *object)
{
	const uint64_t low = work->found->low, size = work->found->high + JUMP - low;
	struct bytes code = { 0 };
	Elf64_Phdr segment;
	bool same;

	if (!object_segment(object, PT_LOAD, PF_X, low, size, &segment) ||
	    !object_read(object, segment.p_offset + (low - segment.p_vaddr), size, &code))
		return false;
	same = is_same_code(work->code_image + (work->base + low - work->low), code.data, size);
	object_free(&code);
	return same;
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

static const char *make_and_put(struct work *work, const struct object *object, void **targets,
				void *newer)
{
	const size_t size = work->high - work->low, all = size + work->ways_size;
	const char *why = NULL;

	if (!copy_code(work))
		return "its code is not where its file says";
	if (!extend(work))
		return "there is no memory for a changed copy";
	work->code_image = kernel_map_shared(work->fd, all);
	if (!work->code_image)
		return "there is no memory for a changed copy";
	work->ways_image = work->code_image + size;
	if (!is_same(work, object))
		why = "its file has changed since it was loaded";
	else if (!write_images(work, targets, newer))
		why = "it is too far from free memory";
	kernel_unmap(work->code_image, all);
	return why ? why : put(work);
}

const char *patch_runtime(const struct found *found, const struct object *object, uint64_t base,
			  void **targets, void *newer, struct patched *patched)
{
	struct work work = {
		.found = found,
		.base = base,
		.low = (base + found->low) & ~(PAGE - 1),
		.high = page_up(base + found->high + JUMP),
		.ways_size = size_of_ways(found),
	};
	const char *why;

	*patched = (struct patched){ 0 };
	work.ways = (uint64_t)reserve(work.low, work.high, work.ways_size);
	if (!work.ways)
		return "there is no free memory near it";
	*patched = (struct patched){ (void *)work.ways, work.ways_size };
	work.fd = (int)kernel_memfd("gpurun start");
	why = work.fd < 0 ? "the system makes no memory file" :
			    make_and_put(&work, object, targets, newer);
	if (work.fd >= 0)
		kernel_close(work.fd);
	if (why)
		patch_release(patched);
	return why;
}

void patch_release(struct patched *patched)
{
	if (patched->ways)
		kernel_unmap(patched->ways, patched->size);
	*patched = (struct patched){ 0 };
}
