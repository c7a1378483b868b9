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

/* ---- Which are alternatives ------------------------------------------- */

enum { MOST_PAIRS = 1024 }; /* compared to join two modules; a bound on the time */

/*
 * Images for different devices that share a kernel are one module, compiled
 * several times: one of them is to be chosen. Two for the same device are not,
 * whatever their kernels are called.
 */
struct alternative {
	size_t image; /* index in the file */
	const char *kernel;
	size_t turn; /* which image of that kernel for that device it is */
};

/* Images from @first on, and which are one module: those with one container. */
struct modules {
	struct image_file *file;
	size_t first;
	size_t *next;            /* owned; of each image the next of its module, in a ring */
	struct alternative *all; /* owned */
	size_t count;
};

static void release_modules(struct modules *modules)
{
	free(modules->next);
	free(modules->all);
}

static struct image *image_of(const struct modules *modules, size_t index)
{
	return &modules->file->entries[index].image;
}

static size_t *next_of(const struct modules *modules, size_t index)
{
	return &modules->next[index - modules->first];
}

static int compare_devices(const struct image *a, const struct image *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->arch != b->arch)
		return a->arch < b->arch ? -1 : 1;
	return a->suffix - b->suffix;
}

/* By kernel, device and place. */
static int by_device(const void *left, const void *right, void *data)
{
	const struct alternative *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	order = order ? order :
			compare_devices(image_of(data, a->image), image_of(data, b->image));
	return order ? order : (a->image > b->image) - (a->image < b->image);
}

/* By kernel, turn and place. */
static int by_turn(const void *left, const void *right)
{
	const struct alternative *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	order = order ? order : (a->turn > b->turn) - (a->turn < b->turn);
	return order ? order : (a->image > b->image) - (a->image < b->image);
}

/* Tells whether the modules of @a and @b are two, without images for the same device. */
static bool can_join(const struct modules *modules, size_t a, size_t b)
{
	size_t i = a, j = b, pairs = 0;

	if (image_of(modules, a)->container == image_of(modules, b)->container)
		return false;
	do {
		do {
			if (!compare_devices(image_of(modules, i), image_of(modules, j)) ||
			    ++pairs > MOST_PAIRS)
				return false;
			j = *next_of(modules, j);
		} while (j != b);
		i = *next_of(modules, i);
	} while (i != a);
	return true;
}

/* Makes the modules of @a and @b one, in the container of @a. */
static void join(const struct modules *modules, size_t a, size_t b)
{
	size_t i = b, behind = *next_of(modules, a);

	do {
		image_of(modules, i)->container = image_of(modules, a)->container;
		i = *next_of(modules, i);
	} while (i != b);
	*next_of(modules, a) = *next_of(modules, b);
	*next_of(modules, b) = behind;
}

static void join_all(struct modules *modules)
{
	struct alternative *all = modules->all;

	qsort_r(all, modules->count, sizeof(*all), by_device, modules);
	for (size_t i = 1; i < modules->count; i++)
		if (!strcmp(all[i].kernel, all[i - 1].kernel) &&
		    !compare_devices(image_of(modules, all[i].image),
				     image_of(modules, all[i - 1].image)))
			all[i].turn = all[i - 1].turn + 1;
	qsort(all, modules->count, sizeof(*all), by_turn);
	for (size_t i = 1; i < modules->count; i++)
		if (!strcmp(all[i].kernel, all[i - 1].kernel) &&
		    all[i].turn == all[i - 1].turn &&
		    can_join(modules, all[i - 1].image, all[i].image))
			join(modules, all[i - 1].image, all[i].image);
}

/* Tells whether image @index may be joined: those of a fatbin, which stand in a container
 * of their own, stay there. */
static bool is_single(const struct modules *modules, size_t index)
{
	return !modules->file->entries[index].container.size;
}

/* Makes room for the kernels of all images. */
static int make_room(struct modules *modules, struct err *e)
{
	size_t end = modules->file->count, kernels = 0;

	for (size_t i = modules->first; i < end; i++)
		kernels += image_of(modules, i)->kernel_count;
	modules->next = calloc(end - modules->first + 1, sizeof(*modules->next));
	modules->all = calloc(kernels + 1, sizeof(*modules->all));
	if (!modules->next || !modules->all)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	return 0;
}

/* Finds the alternatives among the images from @first on. */
static int find_alternatives(struct image_file *file, size_t first, struct err *e)
{
	CLEANUP(release_modules)
	struct modules modules = { .file = file, .first = first };

	TRY(make_room(&modules, e));
	for (size_t i = first; i < file->count; i++) {
		const struct image *image = image_of(&modules, i);

		*next_of(&modules, i) = i;
		for (size_t j = 0; is_single(&modules, i) && j < image->kernel_count; j++)
			modules.all[modules.count++] =
				(struct alternative){ i, image->kernels[j].name, 0 };
	}
	join_all(&modules);
	return 0;
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
	return find_alternatives(file, first, e);
}
