/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The images of offload binaries. What their packager says of their kind comes
 * from a file name, so that each is told by its bytes, as other embedded images
 * are; many are for other devices, or have to be linked first.
 */
#include "array.h"
#include "image_file.h"

#include <elf.h>

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

/*
 * Images for different devices that share a kernel are one module, compiled
 * several times: one of them is to be chosen. Two for the same device are not,
 * whatever their kernels are called.
 */
struct alternative {
	struct image *image; /* of the file's array: its address tells its place */
	const char *kernel;  /* the first of its names */
	size_t turn;         /* which image of that kernel for that device it is */
};

/* NULL when @image has none. */
static const char *first_kernel(const struct image *image)
{
	const char *first = NULL;

	for (size_t i = 0; i < image->kernel_count; i++)
		if (!first || strcmp(image->kernels[i].name, first) < 0)
			first = image->kernels[i].name;
	return first;
}

static int compare_devices(const struct image *a, const struct image *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->arch != b->arch)
		return a->arch < b->arch ? -1 : 1;
	return a->suffix - b->suffix;
}

static int compare_places(const struct alternative *a, const struct alternative *b)
{
	return a->image < b->image ? -1 : a->image > b->image;
}

/* By kernel, device and place. */
static int by_device(const void *left, const void *right)
{
	const struct alternative *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	order = order ? order : compare_devices(a->image, b->image);
	return order ? order : compare_places(a, b);
}

/* By kernel, turn and place. */
static int by_turn(const void *left, const void *right)
{
	const struct alternative *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	if (!order && a->turn != b->turn)
		return a->turn < b->turn ? -1 : 1;
	return order ? order : compare_places(a, b);
}

/* Puts the alternatives of each kernel into the container of the first of them. */
static void join(struct alternative *all, size_t count)
{
	qsort(all, count, sizeof(*all), by_device);
	for (size_t i = 1; i < count; i++)
		if (!strcmp(all[i].kernel, all[i - 1].kernel) &&
		    !compare_devices(all[i].image, all[i - 1].image))
			all[i].turn = all[i - 1].turn + 1;
	qsort(all, count, sizeof(*all), by_turn);
	for (size_t i = 1; i < count; i++)
		if (!strcmp(all[i].kernel, all[i - 1].kernel) &&
		    all[i].turn == all[i - 1].turn)
			all[i].image->container = all[i - 1].image->container;
}

/* Finds the alternatives among the images from @first on; those of a fatbin, which stand
 * in a container of their own, stay there. */
static int find_alternatives(struct image_file *file, size_t first, struct err *e)
{
	CLEANUP(free_pointer)
	struct alternative *all = calloc(file->count - first + 1, sizeof(*all));
	size_t count = 0;

	if (!all)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = first; i < file->count; i++) {
		struct image *image = &file->entries[i].image;
		const char *kernel = first_kernel(image);

		if (kernel && !file->entries[i].container.size)
			all[count++] = (struct alternative){ image, kernel, 0 };
	}
	join(all, count);
	return 0;
}

/* ---- Offload binaries ------------------------------------------------- */

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
	for (size_t i = first; i < file->count; i++)
		file->entries[i].image.offload = entry;
	return 0;
}

/* Keeps @offload with @file, which is its owner from now on. */
static int keep(struct image_file *file, struct offload **offload, struct err *e)
{
	struct offload **slot = array_grow(&file->offloads, file->offload_count,
					   sizeof(struct offload *));

	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*slot = STEAL(*offload);
	file->offload_count++;
	return 0;
}

static int add_offload(struct image_file *file, struct bytes bytes, uint64_t *offset,
		       const struct image_place *place, struct err *e)
{
	CLEANUP(free_offload) struct offload *offload = NULL;
	const struct offload *kept;

	TRY(offload_open(bytes, *offset, &offload, e));
	kept = offload;
	TRY(keep(file, &offload, e));
	image_note_damage(file, &kept->damage);
	*offset = kept->end;
	for (size_t i = 0; i < kept->count; i++)
		TRY(add_packed(file, &kept->entries[i], place, e));
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
