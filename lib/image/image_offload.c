/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The images of offload binaries. What their packager says of their kind is from
 * a file name, so that each is recognised by its bytes, as other embedded images
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
	const struct foreign *foreign = foreigners; /* the last one matches anything */

	while (!is_one(foreign, bytes))
		foreign++;
	return image_add_foreign(file, place, foreign->name, foreign->problem, e);
}

/* ---- Offload binaries ------------------------------------------------- */

bool image_has_room(struct image_file *file, const struct image_place *place)
{
	const uint64_t most = PLAIN_IMAGES_LEAST + file->bytes.size / PLAIN_IMAGES_SHARE;
	struct err damage;

	if (!place->unpacked || file->plain_images++ < most)
		return true;
	err_set(&damage, GPURUN_FORMAT,
		"%s: the limit for images in compressed offload binaries of a file of %zu "
		"bytes is %" PRIu64,
		place->name, file->bytes.size, most);
	image_note_damage(file, &damage);
	return false;
}

/*
 * Notes what @entry says of its images, from @first on. Of a fatbin it applies to each image:
 * with many images and many strings the pairs would be too many, and only the first gets it.
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
	struct image_place at = { place->bytes, place->unpacked, entry->offset,
				  entry->image.size, place->name, false, false };
	size_t first = file->count;

	TRY(image_add_embedded(file, &at, e));
	if (file->count == first)
		TRY(add_foreign(file, &at, entry->image, e));
	set_offload(file, first, entry);
	return 0;
}

/* Moves the entries of @offload to @file, which owns them from then on; all else of it would
 * be many times its size in the file. */
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

/* Adds the images of @offload, which is not compressed. */
static int add_entries(struct image_file *file, struct offload *offload,
		       const struct image_place *place, struct err *e)
{
	struct offload_entries kept;

	TRY(keep(file, offload, &kept, e));
	for (size_t i = 0; i < kept.count && image_has_room(file, place); i++)
		TRY(add_packed(file, &kept.entries[i], place, e));
	return 0;
}

/* ---- Compressed ones -------------------------------------------------- */

/* Tells whether @packed may be unpacked beside the others of @file. */
static int check_plain(const struct image_file *file, const struct offload *packed,
		       struct err *e)
{
	const uint64_t size = file->bytes.size < DECOMPRESS_MAX ? file->bytes.size :
								  DECOMPRESS_MAX;
	uint64_t most = PLAIN_LEAST + IMAGE_UNPACK_RATIO * size;

	most = most < DECOMPRESS_MAX ? most : DECOMPRESS_MAX;
	if (packed->size <= most - file->plain_size)
		return 0;
	err_set(e, GPURUN_FORMAT,
		"an offload binary that unpacks from %zu to %" PRIu64 " bytes, after %" PRIu64
		" of others: the limit for all of a file of %zu bytes is %" PRIu64,
		packed->stored.size, packed->size, file->plain_size, file->bytes.size, most);
	return err_hint(e, "if it is what you want, pack it without --compress");
}

/* Unpacks @packed into @file, which owns *@plain from then on. */
static int unpack(struct image_file *file, const struct offload *packed,
		  struct bytes *plain, struct err *e)
{
	uint8_t **slot;

	TRY(check_plain(file, packed, e));
	slot = array_grow(&file->plains, file->plain_count, sizeof(*slot));
	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	file->plain_size += packed->size; /* also of what fails then: it took the time */
	TRY(offload_unpack(packed, slot, e));
	file->plain_count++;
	*plain = (struct bytes){ *slot, (size_t)packed->size };
	return 0;
}

/* Adds the images of @packed, which begins at @offset of @place. */
static int add_compressed(struct image_file *file, const struct offload *packed,
			  uint64_t offset, const struct image_place *place, struct err *e)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	CLEANUP(free_pointer) char *name = NULL;
	struct image_place inside = { .unpacked = true };
	struct err damage = { 0 };

	if (unpack(file, packed, &inside.bytes, &damage) == GPURUN_NO_MEMORY)
		return err_set(e, GPURUN_NO_MEMORY, "%s", damage.text);
	if (!damage.code) {
		TRY(offload_open(inside.bytes, 0, &offload, e));
		damage = offload->damage;
	}
	if (damage.code)
		err_wrap(&damage, "offset %#" PRIx64 "%s", offset, offload ? ", unpacked" : "");
	image_note_damage(file, &damage);
	if (!offload)
		return 0;
	if (asprintf(&name, "%s%s%s", place->name, *place->name ? ":" : "",
		     codec_name(packed->codec)) < 0) {
		name = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	}
	inside.name = name;
	return add_entries(file, offload, &inside, e);
}

/* ---- One of a series -------------------------------------------------- */

static int add_offload(struct image_file *file, struct input_view *view, uint64_t *offset,
		       const struct image_place *place, struct err *e)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	const uint64_t start = *offset;

	TRY(offload_open(view->bytes, start, &offload, e));
	image_note_damage(file, &offload->damage);
	*offset = offload->end;
	if (offload->codec != CODEC_NONE)
		return add_compressed(file, offload, start, place, e);
	return add_entries(file, offload, place, e);
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
