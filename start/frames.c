/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The runtime in a stripped file, by the begins of functions that .eh_frame has: unwinding needs
 * them, so that they stay. Of each archive that is known there is a table of the distances.
 */
#include "found.h"
#include "kernel.h"

enum { ENCODED = 12, ROW = 8 };

/* DWARF's encodings of pointers that all linkers use here (Linux Standard Base, 10.6.2). */
enum { UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };

/* A place in an archive: a function's name, and its begin in units of SLOT. */
struct place {
	uint16_t name, slot;
};

// clang-format off
#define AT(name, slot) { NAME_##name, slot },
static const struct place of_13_0[] = {
#include "archive_13_0.def"
};
#undef AT
// clang-format on

static const struct archive {
	const struct place *places; /* by rising slots */
	size_t count;
} archives[] = {
	{ of_13_0, sizeof(of_13_0) / sizeof(*of_13_0) },
};

/* The begins of functions in a file, rising. */
struct begins {
	struct bytes rows;
	uint64_t from; /* what they are counted from */
	size_t count;
};

static uint64_t begin_at(const struct begins *begins, size_t i)
{
	return begins->from + (uint64_t)(int32_t)load_u32(begins->rows.data + i * ROW);
}

/* Finds the table of begins in the section @all, which is at address @from. */
static bool read_begins(struct bytes all, uint64_t from, struct begins *begins)
{
	const uint8_t *p = bytes_at(all, 0, ENCODED);

	*begins = (struct begins){ .from = from };
	if (!p || p[0] != 1 || p[2] != UDATA4 || p[3] != DATAREL_SDATA4)
		return false;
	begins->count = load_u32(p + 8);
	return bytes_slice(all, ENCODED, (uint64_t)begins->count * ROW, &begins->rows);
}

/* Tells whether @archive's functions begin where those of the file do, the first at number @i. */
static bool fits(const struct archive *archive, const struct begins *begins, size_t i)
{
	const uint64_t first = begin_at(begins, i);

	for (size_t k = 1; k < archive->count; k++) {
		const unsigned slots = archive->places[k].slot - archive->places[0].slot;
		const uint64_t wanted = first + (uint64_t)slots * SLOT;

		while (i < begins->count && begin_at(begins, i) < wanted)
			i++;
		if (i == begins->count || begin_at(begins, i) != wanted)
			return false;
	}
	return true;
}

static void take(struct found *found, const struct archive *archive, uint64_t first)
{
	for (size_t k = 0; k < archive->count; k++) {
		const unsigned slots = archive->places[k].slot - archive->places[0].slot;

		found->at[archive->places[k].name] = first + (uint64_t)slots * SLOT;
	}
	found->kind = FOUND_RUNTIME;
	found->count = archive->count;
	found->low = first;
	found->high = found->at[archive->places[archive->count - 1].name];
}

static void search(struct found *found, const struct begins *begins)
{
	for (size_t a = 0; a < sizeof(archives) / sizeof(*archives); a++)
		for (size_t i = 0; i + archives[a].count <= begins->count; i++)
			if (begin_at(begins, i) % SLOT == 0 && fits(&archives[a], begins, i)) {
				take(found, &archives[a], begin_at(begins, i));
				return;
			}
}

size_t found_functions(const struct object *object)
{
	uint8_t begin[ENCODED];
	Elf64_Phdr segment;

	if (!object_segment(object, PT_GNU_EH_FRAME, 0, 0, 0, &segment) ||
	    !kernel_read(object->fd, segment.p_offset, begin, sizeof(begin)) || begin[0] != 1 ||
	    begin[2] != UDATA4)
		return 0;
	return load_u32(begin + 8);
}

void found_by_frames(struct found *found, const struct object *object)
{
	struct begins begins;
	Elf64_Phdr segment;
	struct bytes all;

	*found = (struct found){ .by = ".eh_frame" };
	if (!object_segment(object, PT_GNU_EH_FRAME, 0, 0, 0, &segment) ||
	    !object_read(object, segment.p_offset, segment.p_filesz, &all))
		return;
	if (read_begins(all, segment.p_vaddr, &begins))
		search(found, &begins);
	object_free(&all);
}
