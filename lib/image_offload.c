/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The images of offload binaries. What their packager says of their kind comes
 * from a file name, so that each is told by its bytes, as other embedded images
 * are; many are for other devices, or have to be linked first.
 */
#include "array.h"
#include "image_file.h"

#include <elf.h>
#include <inttypes.h>

enum { EM_INTEL_GT = 205 };

/* ---- What never runs here --------------------------------------------- */

static const char other_device[] = "for devices of another kind than NVIDIA's";

static const struct foreign {
	const char *prefix;
	size_t size;
	unsigned machine; /* of an ELF file; 0: any */
	const char *name, *problem;
} foreigners[] = {
	{ ELFMAG, SELFMAG, EM_AMDGPU, "AMD machine code", other_device },
	{ ELFMAG, SELFMAG, EM_INTEL_GT, "Intel machine code", other_device },
	{ ELFMAG, SELFMAG, EM_CUDA, "damaged cubin", "of a form that cannot be read" },
	{ ELFMAG, SELFMAG, 0, "host ELF file", "for the host" },
	{ "\x03\x02\x23\x07", 4, 0, "SPIR-V", "has to be compiled to PTX first" },
	{ "\xED\x43\x4E\x7F", 4, 0, "NVIDIA LTO-IR", "needs a device link" },
	{ "__CLANG_OFFLOAD_BUNDLE__", 24, 0, "bundle of HIP", other_device },
	{ "CCOB", 4, 0, "compressed bundle of HIP", other_device },
	{ "!<arch>\n", 8, 0, "ar archive", "its members need a device link" },
	{ "\x10\xFF\x10\xAD", 4, 0, "offload binary", "packed into another" },
	{ "", 0, 0, "unknown image", "of a kind that this version does not know" },
};

static bool is_one(const struct foreign *foreign, struct bytes bytes)
{
	const uint8_t *machine = bytes_at(bytes, 18, 2);

	return bytes_begin(bytes, foreign->prefix, foreign->size) &&
	       (!foreign->machine || (machine && load_u16(machine) == foreign->machine));
}

static int add_foreign(struct image_file *file, const struct image_place *place,
		       struct bytes bytes, struct err *e)
{
	const struct foreign *foreign = foreigners; /* the last one takes anything */

	while (!is_one(foreign, bytes))
		foreign++;
	return image_add_foreign(file, place, foreign->name, foreign->problem, e);
}

/* ---- Offload binaries ------------------------------------------------- */

/*
 * Notes what @entry says of its images, from @first on. Of a fatbin each image is told of, so
 * that many images and many strings would be told as often as there are pairs: then only of
 * the first.
 */
static void set_offload(struct image_file *file, size_t first,
			const struct offload_entry *entry)
{
	const uint64_t most = TOLD_LEAST + TOLD_RATIO * (uint64_t)file->bytes.size;
	size_t end = file->count;
	struct err damage;
	uint64_t told;

	if (!size_mul(entry->text_size, end - first, &told) || told > most - file->told) {
		err_set(&damage, GPURUN_FORMAT,
			"offset %#" PRIx64 ": %zu images share strings of %" PRIu64 " bytes",
			entry->offset, end - first, entry->text_size);
		image_note_damage(file, &damage);
		told = 0;
		end = first + 1;
	}
	file->told += told;
	for (size_t i = first; i < end; i++)
		file->entries[i].image.offload = entry;
}

/* Adds what @entry holds; that can be a fatbin of several images. */
static int add_packed(struct image_file *file, const struct offload_entry *entry,
		      const struct image_place *place, struct err *e)
{
	struct image_place at = { entry->offset, entry->image.size, place->name, false,
				  false };
	size_t first = file->count;

	TRY(image_add_embedded(file, &at, e));
	if (file->count == first)
		TRY(add_foreign(file, &at, entry->image, e));
	set_offload(file, first, entry);
	return 0;
}

/* Keeps the entries of @offload with @file, which is their owner from now on; all else of
 * it would be many times what it takes in the file. */
static int keep(struct image_file *file, struct offload *offload,
		struct offload_entries *kept, struct err *e)
{
	struct offload_entries *slot;

	*kept = (struct offload_entries){ offload->entries, offload->count };
	if (!offload->count)
		return 0;
	slot = array_grow(&file->offloads, file->offload_count, sizeof(*slot));
	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*slot = *kept;
	offload->entries = NULL;
	file->offload_count++;
	return 0;
}

static int add_offload(struct image_file *file, struct bytes bytes, uint64_t *offset,
		       const struct image_place *place, struct err *e)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	struct offload_entries kept;

	TRY(offload_open(bytes, *offset, &offload, e));
	TRY(keep(file, offload, &kept, e));
	image_note_damage(file, &offload->damage);
	*offset = offload->end;
	for (size_t i = 0; i < kept.count; i++)
		TRY(add_packed(file, &kept.entries[i], place, e));
	return 0;
}

int image_add_offloads(struct image_file *file, const struct image_place *place,
		       struct err *e)
{
	static const struct image_series offloads = {
		"an offload binary", "\x10\xFF\x10\xAD", 4, offload_sniff, add_offload,
	};
	size_t first = file->count;

	TRY(image_add_series(file, place, &offloads, e));
	return image_join_alternatives(file, first, e);
}
