/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "array.h"
#include "cubin.h"
#include "fatbin.h"
#include "image_file.h"

#include <inttypes.h>

void image_note_damage(struct image_file *file, const struct err *damage)
{
	if (damage->code && !file->damage.code)
		file->damage = *damage;
}

/* ---- One image -------------------------------------------------------- */

/* Finds the copy of @where that the last image has, or makes one. */
static const char *keep_where(struct image_file *file, const char *where)
{
	char **slot;

	if (file->where_count && !strcmp(file->wheres[file->where_count - 1], where))
		return file->wheres[file->where_count - 1];
	slot = array_grow(&file->wheres, file->where_count, sizeof(*slot));
	if (slot)
		*slot = strdup(where);
	file->where_count += slot && *slot;
	return slot ? *slot : NULL;
}

static struct image_entry *add_entry(struct image_file *file, const char *where,
				     struct err *e)
{
	struct image_entry *entry =
		array_grow(&file->entries, file->count, sizeof(*entry));

	if (entry)
		entry->image.where = keep_where(file, where);
	if (!entry || !entry->image.where) {
		err_set(e, GPURUN_NO_MEMORY, "out of memory");
		return NULL;
	}
	file->count++;
	entry->image.container = file->containers;
	return entry;
}

/* Adds the one image that is all of @place, its own container. */
static struct image_entry *add_whole(struct image_file *file,
				     const struct image_place *place,
				     enum image_kind kind, struct err *e)
{
	struct image_entry *entry = add_entry(file, place->name, e);

	if (!entry || (!place->unpacked && image_cover(file, place->offset, place->size, e)))
		return NULL;
	file->containers++;
	bytes_slice(place->bytes, place->offset, place->size, &entry->stored);
	entry->image.kind = kind;
	entry->image.offset = place->offset;
	entry->image.unpacked = place->unpacked;
	entry->image.stored = entry->image.size = place->size;
	return entry;
}

/* Lists immediately: for images that are a file or a symbol of their own. */
static int list_now(struct image_file *file, struct image_entry *entry, struct err *e)
{
	struct err damage;
	int status = image_kernels(file, &entry->image, NULL);

	if (status == GPURUN_NO_MEMORY)
		return err_set(e, GPURUN_NO_MEMORY, "%s", entry->image.problem);
	if (status) {
		err_set(&damage, GPURUN_FORMAT, "%s", entry->image.problem);
		image_note_damage(file, &damage);
	}
	return 0;
}

int image_add_ptx(struct image_file *file, const struct image_place *place, struct err *e)
{
	struct image_entry *entry =
		add_whole(file, place, place->relocatable ? IMAGE_RELOCATABLE : IMAGE_PTX, e);

	if (!entry)
		return GPURUN_NO_MEMORY;
	if (place->relocatable)
		entry->image.problem = image_needs_link;
	return list_now(file, entry, e);
}

int image_add_cubin(struct image_file *file, const struct image_place *place,
		    struct err *e)
{
	struct image_entry *entry = add_whole(file, place, IMAGE_CUBIN, e);
	struct cubin_head head;

	if (!entry)
		return GPURUN_NO_MEMORY;
	if (!cubin_head(entry->stored, &head, NULL)) {
		entry->image.arch = head.arch;
		entry->image.suffix = head.suffix;
		entry->image.stored = entry->image.size = head.size;
		entry->stored.size = head.size;
	}
	return list_now(file, entry, e);
}

int image_add_bitcode(struct image_file *file, const struct image_place *place,
		      struct err *e)
{
	struct image_entry *entry = add_whole(file, place, IMAGE_BITCODE, e);

	if (!entry)
		return GPURUN_NO_MEMORY;
	entry->image.problem = "has to be compiled first";
	return 0;
}

int image_add_foreign(struct image_file *file, const struct image_place *place,
		      const char *name, const char *problem, struct err *e)
{
	struct image_entry *entry = add_whole(file, place, IMAGE_FOREIGN, e);

	if (!entry)
		return GPURUN_NO_MEMORY;
	entry->image.name = name;
	entry->image.problem = problem;
	return 0;
}

enum { STUB_MOST = 4096 }; /* bytes of an empty cubin of nvcc's: they have 1,500 */

/* ---- Fatbins ---------------------------------------------------------- */

/* Sets what the header of @from says: the kind, and what is wrong with it. */
static void classify(const struct fatbin_entry *from, bool relocatable,
		     struct image *image)
{
	switch (from->kind) {
	case FATBIN_PTX:
		image->kind = relocatable ? IMAGE_RELOCATABLE : IMAGE_PTX;
		image->ptx_major = from->major;
		image->ptx_minor = from->minor;
		break;
	case FATBIN_CUBIN:
		image->kind = relocatable ? IMAGE_RELOCATABLE : IMAGE_CUBIN;
		break;
	case FATBIN_RELOCATABLE_PTX:
		image->kind = IMAGE_RELOCATABLE;
		image->ptx_major = from->major;
		image->ptx_minor = from->minor;
		break;
	case FATBIN_LTOIR:
		image->kind = IMAGE_LTOIR;
		image->problem = "needs a device link";
		break;
	default:
		image->kind = IMAGE_UNKNOWN;
		image->problem = "of a kind that this version does not know";
	}
	if (image->kind == IMAGE_RELOCATABLE)
		image->problem = image_needs_link;
	else if (!from->wide)
		image->problem = image_narrow;
}

static int add_from(struct image_file *file, const struct fatbin_entry *from,
		    struct bytes container, const struct image_place *place,
		    struct err *e)
{
	struct image_entry *entry = add_entry(file, place->name, e);
	struct image *image;

	if (!entry)
		return GPURUN_NO_MEMORY;
	image = &entry->image;
	classify(from, place->relocatable, image);
	entry->listed = image->obfuscated = from->obfuscated;
	if (from->obfuscated && !image->problem)
		image->problem = "obfuscated";
	image->codec = from->codec;
	image->arch = from->arch;
	image->suffix = from->suffix;
	image->offset = from->offset;
	image->unpacked = place->unpacked;
	image->stored = from->payload.size;
	image->size = from->size;
	entry->stored = from->payload;
	entry->container = container;
	return entry->listed ? 0 : image_count_unpacked(file, entry, e);
}

static bool is_small_cubin(const struct fatbin_entry *entry)
{
	return entry->kind == FATBIN_CUBIN && entry->size <= STUB_MOST;
}

/* Tells whether @payload has the bytes of a cubin that is known to be empty. */
static bool is_known_stub(const struct image_file *file, struct bytes payload)
{
	for (size_t i = 0; i < file->stub_count; i++)
		if (file->stubs[i].size == payload.size &&
		    !memcmp(file->stubs[i].data, payload.data, payload.size))
			return true;
	return false;
}

/* Of the 1,500 that libcublasLt has 18 differ: each of those is unpacked. */
static bool is_empty_cubin(struct image_file *file, const struct fatbin_entry *entry)
{
	CLEANUP(free_pointer) uint8_t *buffer = NULL;
	struct bytes bytes = entry->payload;
	struct cubin_head head;

	if (is_known_stub(file, bytes))
		return true;
	if (entry->codec != CODEC_NONE) {
		if (decompress(entry->codec, bytes, entry->size, &buffer, NULL))
			return false;
		bytes = (struct bytes){ buffer, entry->size };
	}
	if (!cubin_sniff(bytes) || cubin_head(bytes, &head, NULL) || !head.empty)
		return false;
	if (file->stub_count < IMAGE_STUBS)
		file->stubs[file->stub_count++] = entry->payload;
	return true;
}

/* Tells whether @fatbin is what nvcc's device link leaves in programs that have nothing
 * to link. */
static bool is_stub(struct image_file *file, const struct fatbin *fatbin)
{
	if (fatbin->damage.code)
		return false;
	for (size_t i = 0; i < fatbin->count; i++) /* headers first: nothing is unpacked */
		if (!is_small_cubin(&fatbin->entries[i]))
			return false;
	for (size_t i = 0; i < fatbin->count; i++)
		if (!is_empty_cubin(file, &fatbin->entries[i]))
			return false;
	return true;
}

int image_add_container(struct image_file *file, struct input_view *view, uint64_t *offset,
			const struct image_place *place, struct err *e)
{
	CLEANUP(free_fatbin) struct fatbin *fatbin = NULL;
	struct bytes whole = { 0 };

	TRY(fatbin_read(view, *offset, &fatbin, e));
	image_note_damage(file, &fatbin->damage);
	if (!fatbin->damage.code)
		bytes_slice(view->bytes, *offset, fatbin->end - *offset, &whole);
	*offset = fatbin->end;
	if (place->linked && is_stub(file, fatbin)) {
		file->empty += fatbin->count;
		return 0;
	}
	for (size_t i = 0; i < fatbin->count && image_has_room(file, place); i++)
		TRY(add_from(file, &fatbin->entries[i], whole, place, e));
	file->containers++;
	return 0;
}

int image_add_fatbins(struct image_file *file, const struct image_place *place,
		      struct err *e)
{
	static const struct image_series fatbins = {
		"a fatbin", "\x50\xED\x55\xBA\x01", 6, fatbin_sniff,
		image_add_container,
	};

	return image_add_series(file, place, &fatbins, e);
}

/* ---- One after the other ----------------------------------------------- */

enum {
	WINDOW = 2 << 20, /* bytes whose memory is released at once: a large page */
	HEADER = 64,	  /* bytes by which one is recognised, at most */
};

/* Tells whether one is at @offset. */
static bool is_next(struct input_view *view, uint64_t offset, const struct image_series *series)
{
	const uint64_t left = view->bytes.size - offset;
	const size_t size = left < HEADER ? left : HEADER;

	return series->sniff((struct bytes){ input_view_at(view, offset, size), size }, 0);
}

/* Finds where the next one is from @offset on; the end when there is none. */
static uint64_t find_next(struct input_view *view, uint64_t offset,
			  const struct image_series *series)
{
	const struct bytes bytes = view->bytes;

	while (offset < bytes.size && !is_next(view, offset, series)) {
		const uint8_t *p = memmem(bytes.data + offset + 1, bytes.size - offset - 1,
					  series->magic, series->magic_size);

		offset = p ? (uint64_t)(p - bytes.data) : bytes.size;
	}
	return offset;
}

/* Between containers linkers put zeros; other bytes were a container once. */
static void check_gap(struct image_file *file, struct bytes bytes, uint64_t from,
		      uint64_t to, const struct image_series *series)
{
	struct err damage;

	for (uint64_t i = from; i < to; i++) {
		if (!bytes.data[i])
			continue;
		err_set(&damage, GPURUN_FORMAT, "offset %#" PRIx64 ": expected %s", from,
			series->name);
		image_note_damage(file, &damage);
		return;
	}
}

void image_drop(struct image_file *file, uint64_t *from, uint64_t to)
{
	const uint8_t *data = file->bytes.data;
	const uint64_t part = (uintptr_t)(data + to) % WINDOW;

	if (to < part || to - part <= *from)
		return;
	input_drop(&file->input, (struct bytes){ data + *from, to - part - *from });
	*from = to - part;
}

int image_add_series(struct image_file *file, const struct image_place *place,
		     const struct image_series *series, struct err *e)
{
	struct input_view view = {
		.input = place->unpacked ? NULL : &file->input,
		.bytes = { place->bytes.data, place->offset + place->size },
	};
	uint64_t offset = place->offset, dropped = offset;

	if (!place->unpacked)
		TRY(image_cover(file, place->offset, place->size, e));
	for (;;) {
		uint64_t start = find_next(&view, offset, series);

		check_gap(file, view.bytes, offset, start, series);
		if (!place->unpacked)
			image_drop(file, &dropped, start);
		if (start >= view.bytes.size)
			return 0;
		offset = start;
		TRY(series->add(file, &view, &offset, place, e));
	}
}
