/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A format is a row {name, sniff, add}; rows are tried in order. What is
 * recognised but cannot be read is a row in foreign.c, so that it can be said.
 */
#include "image.h"
#include "archive.h"
#include "cubin.h"
#include "fatbin.h"
#include "foreign.h"
#include "hostelf.h"
#include "image_file.h"
#include "ptx.h"

static bool sniff_fatbin(struct bytes bytes)
{
	return fatbin_sniff(bytes, 0);
}

static bool sniff_bitcode(struct bytes bytes)
{
	return bytes_begin(bytes, "BC\xC0\xDE", 4) ||
	       bytes_begin(bytes, "\xDE\xC0\x17\x0B", 4); /* in a wrapper */
}

static bool sniff_offload(struct bytes bytes)
{
	return offload_sniff(bytes, 0);
}

static int add_host(struct image_file *file, const struct image_place *place,
		    struct err *e);
static int add_archive(struct image_file *file, const struct image_place *place,
		       struct err *e);
static int add_text(struct image_file *file, const struct image_place *place, struct err *e);

/* Where an image is; a format is recognised from a file down to its own depth. */
enum depth {
	AS_FILE,
	AS_MEMBER, /* of an archive */
	EMBEDDED,  /* named by a symbol of a host file, or packed into an offload binary */
};

static const struct format {
	const char *name;
	bool (*sniff)(struct bytes bytes);
	int (*add)(struct image_file *file, const struct image_place *place,
		   struct err *e);
	enum depth depth;
	bool scattered; /* images may be anywhere in it */
} formats[] = {
	{ "fatbin", sniff_fatbin, image_add_fatbins, EMBEDDED, false },
	{ "cubin", cubin_sniff, image_add_cubin, EMBEDDED, false },
	{ "ELF file", hostelf_sniff, add_host, AS_MEMBER, true },
	{ "offload binary", sniff_offload, image_add_offloads, AS_MEMBER, false },
	{ "ar archive", archive_sniff, add_archive, AS_FILE, true },
	{ "LLVM bitcode", sniff_bitcode, image_add_bitcode, EMBEDDED, false },
	{ "PTX", ptx_sniff, add_text, EMBEDDED, true },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct format *find_format(struct bytes bytes, enum depth depth)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (formats[i].depth >= depth && formats[i].sniff(bytes))
			return &formats[i];
	return NULL;
}

/* Adds what is at @place, if it is of a kind that is recognised at @depth. */
static int add_any(struct image_file *file, const struct image_place *place,
		   enum depth depth, struct err *e)
{
	const struct format *format;
	struct bytes bytes;

	bytes_slice(place->bytes, place->offset, place->size, &bytes);
	format = find_format(bytes, depth);
	return format ? format->add(file, place, e) : 0;
}

int image_add_embedded(struct image_file *file, const struct image_place *place,
		       struct err *e)
{
	return add_any(file, place, EMBEDDED, e);
}

/* A NUL ends the text; others may follow it. */
static int add_text(struct image_file *file, const struct image_place *place, struct err *e)
{
	struct image_place text = *place;
	const uint8_t *begin = place->bytes.data + place->offset;
	const uint8_t *nul = memchr(begin, 0, place->size);

	if (nul)
		text.size = (uint64_t)(nul - begin) + 1;
	return image_add_ptx(file, &text, e);
}

/* ---- Host files ------------------------------------------------------- */

/* A symbol's name only suggests that it is an image; its bytes decide. */
static int add_hosted(struct image_file *file, const struct hostelf_place *from,
		      const struct image_place *place, struct err *e)
{
	switch (from->kind) {
	case PLACE_FATBINS:
		return image_add_fatbins(file, place, e);
	case PLACE_OFFLOADS:
		return image_add_offloads(file, place, e);
	case PLACE_SYMBOL:
		break;
	}
	return image_add_embedded(file, place, e);
}

/* Adds what is at @from of the host file at @host: "member:section" of an archive's. */
static int add_place(struct image_file *file, const struct hostelf_place *from,
		     const struct image_place *host, struct err *e)
{
	CLEANUP(free_pointer) char *name = NULL;
	struct image_place place = { host->bytes, false, host->offset + from->offset,
				     from->size, NULL,
				     from->kind == PLACE_FATBINS && !from->relocatable,
				     from->relocatable };

	if (asprintf(&name, "%s%s%s", host->name, *host->name ? ":" : "", from->name) < 0) {
		name = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	}
	place.name = name;
	return add_hosted(file, from, &place, e);
}

static int add_host(struct image_file *file, const struct image_place *place,
		    struct err *e)
{
	CLEANUP(free_hostelf) struct hostelf *host = NULL;
	struct bytes bytes;

	bytes_slice(place->bytes, place->offset, place->size, &bytes);
	TRY(hostelf_open(bytes, &host, e));
	if (bytes.size == file->bytes.size)
		file->kind = host->kind;
	file->debug_file |= host->debug_file;
	file->gcc_code |= host->gcc_code;
	file->has_content |= host->has_content;
	for (size_t i = 0; i < host->place_count; i++)
		TRY(add_place(file, &host->places[i], place, e));
	return 0;
}

/* ---- Archives --------------------------------------------------------- */

/* A damaged member is no failure: others may be whole. */
static int add_member(struct image_file *file, const struct archive_member *member,
		      struct err *e)
{
	char name[2048];
	struct image_place place = { file->bytes, false, member->offset,
				     member->bytes.size, name, false, false };
	struct err damage = { 0 };

	snprintf(name, sizeof(name), "%.*s", (int)member->name.size,
		 (const char *)member->name.data);

	if (add_any(file, &place, AS_MEMBER, &damage) == GPURUN_NO_MEMORY)
		return err_set(e, GPURUN_NO_MEMORY, "%s", damage.text);
	if (damage.code)
		err_wrap(&damage, "member %s", name);
	image_note_damage(file, &damage);
	return 0;
}

static int add_archive(struct image_file *file, const struct image_place *place,
		       struct err *e)
{
	CLEANUP(free_archive) struct archive *archive = NULL;

	(void)place; /* always the whole file */
	TRY(archive_open(file->bytes, &archive, e));
	for (size_t i = 0; i < archive->count; i++)
		TRY(add_member(file, &archive->members[i], e));
	image_note_damage(file, &archive->damage);
	return 0;
}

/* ---- The file --------------------------------------------------------- */

const char *image_file_path(const struct image_file *file)
{
	return file->has_path ? file->name : NULL;
}

/* Says what the file is instead of an image, where that is known. */
static bool report_foreign(const struct image_file *file, enum gpurun_status code, struct err *e)
{
	const struct foreign *foreign = foreign_find(file->bytes);
	char hint[ERR_TEXT_SIZE];

	if (!foreign)
		return false;
	err_set(e, code, "not a GPU image: %s", foreign->name);
	err_hint(e, "%s", foreign_hint(foreign, image_file_path(file), hint, sizeof(hint)));
	return true;
}

/* Says what is wrong with the PTX text that is the only one. */
static bool report_refused(const struct image_file *file, struct err *e)
{
	if (file->refused.code && e)
		*e = file->refused;
	return file->refused.code;
}

static int refuse(const struct image_file *file, struct err *e)
{
	const uint8_t *p = bytes_at(file->bytes, 0, 4);

	if (report_refused(file, e))
		return GPURUN_FORMAT;
	if (report_foreign(file, GPURUN_FORMAT, e))
		return GPURUN_FORMAT;
	if (!file->bytes.size)
		err_set(e, GPURUN_FORMAT, "the file is empty");
	else if (p)
		err_set(e, GPURUN_FORMAT,
			"offset 0: not a GPU image: begins with %02x %02x %02x %02x",
			p[0], p[1], p[2], p[3]);
	else
		err_set(e, GPURUN_FORMAT, "offset 0: not a GPU image: has %zu bytes",
			file->bytes.size);
	err_hint(e, "expected PTX, a cubin, a fatbin, an offload binary, or a host object, "
		    "executable, library or archive");
	return GPURUN_FORMAT;
}

static bool has_whole_image(const struct image_file *file)
{
	for (size_t i = 0; i < file->count; i++)
		if (!file->entries[i].status)
			return true;
	return false;
}

static int no_image(const struct image_file *file, struct err *e)
{
	if (report_refused(file, e))
		return GPURUN_FORMAT;
	if (report_foreign(file, GPURUN_NO_IMAGE, e))
		return GPURUN_NO_IMAGE;
	err_set(e, GPURUN_NO_IMAGE, "no GPU image in this %s", file->kind);
	if (file->debug_file) {
		err_set(e, GPURUN_NO_IMAGE,
			"a debug file: its GPU images were split off");
		err_hint(e, "give the file that it was split from");
	} else if (file->gcc_code) {
		err_set(e, GPURUN_NO_IMAGE, "no GPU image in this %s: GCC's intermediate code "
			"for one", file->kind);
		err_hint(e, "gcc makes PTX of it when it links: give the linked file");
	} else if (!strcmp(file->kind, "offload binary")) {
		err_hint(e, "its entries are about images elsewhere");
	} else if (!strcmp(file->kind, "ELF object") && !file->has_content) {
		err_hint(e, "the object is empty: did the tool that made it fail, or one before "
			    "it?");
	} else if (strcmp(file->kind, "ELF executable") != 0) {
		err_hint(e, "looked into .nv_fatbin, __nv_relfatbin, .llvm.offloading and what "
			    "MLIR's symbols NAME_binary and NAME_bin_cst name, and for fatbins, "
			    "cubins, offload binaries and PTX anywhere else");
	}
	return GPURUN_NO_IMAGE;
}

/* Finds the images in the bytes of @file. */
static int scan(struct image_file *file, struct err *e)
{
	const struct format *format = find_format(file->bytes, AS_FILE);
	CLEANUP(free_image_search) struct image_search *search = NULL;
	struct image_place place = { file->bytes, false, 0, file->bytes.size, "", false,
				     false };

	if (!format || format->scattered)
		TRY(image_search_start(&file->input, file->bytes, &search, e));
	if (!format) {
		TRY(image_add_scattered(file, search, e));
		file->kind = "file";
		return file->count ? image_file_index(file, e) : refuse(file, e);
	}
	file->kind = format->name;
	TRY(format->add(file, &place, e));
	if (format->scattered && !file->damage.code && !file->debug_file)
		TRY(image_add_scattered(file, search, e));
	if (file->damage.code && !has_whole_image(file)) {
		if (e)
			*e = file->damage;
		return GPURUN_FORMAT;
	}
	return file->count ? image_file_index(file, e) : no_image(file, e);
}

static int new_file(const char *name, struct image_file **out, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = calloc(1, sizeof(*file));

	if (file)
		file->name = strdup(name);
	if (!file || !file->name)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*out = STEAL(file);
	return 0;
}

/* Owns @input from then on; @name is the path, if @has_path. */
static int read_input(struct input *input, struct bytes bytes, const char *name,
		      bool has_path, struct image_file **out, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	int status;

	*out = NULL;
	TRY(new_file(name, &file, e));
	file->has_path = has_path;
	file->input = *input;
	*input = (struct input){ 0 };
	file->bytes = bytes;
	status = scan(file, e);
	if (status) {
		err_wrap(e, "%s", name);
		return status;
	}
	*out = STEAL(file);
	return 0;
}

int image_file_read(struct bytes bytes, const char *name, struct image_file **out,
		    struct err *e)
{
	return read_input(&(struct input){ 0 }, bytes, name, false, out, e);
}

/* Tells whether what begins with @head may be of a known format. PTX may begin with more
 * comments and white space than that. */
static bool may_be_image(struct bytes head)
{
	return find_format(head, AS_FILE) || memchr("/ \t\r\n\v\f", head.data[0], 7);
}

int image_file_open(const char *path, struct image_file **out, struct err *e)
{
	CLEANUP(input_release) struct input input = { 0 };
	const bool has_path = strcmp(path, "-");
	const char *name = has_path ? path : "standard input";
	int status;

	*out = NULL;
	status = input_open(&input, path, may_be_image, e);
	if (status) {
		err_wrap(e, "%s", name);
		return status;
	}
	return read_input(&input, input.bytes, name, has_path, out, e);
}

void image_file_free(struct image_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->count; i++) {
		struct image_entry *entry = &file->entries[i];

		kernel_info_free(entry->image.kernels, entry->image.kernel_count);
		free(entry->by_name);
		free(entry->failure);
		free(entry->lacks);
	}
	for (size_t i = 0; i < file->where_count; i++)
		free(file->wheres[i]);
	free(file->wheres);
	for (size_t i = 0; i < file->offload_count; i++)
		offload_entries_free(file->offloads[i].entries, file->offloads[i].count);
	free(file->offloads);
	for (size_t i = 0; i < file->plain_count; i++)
		free(file->plains[i]);
	free(file->plains);
	free(file->order);
	free(file->first);
	free(file->joined_order);
	free(file->joined_first);
	free(file->with_ptx);
	free(file->covered);
	free(file->entries);
	free(file->name);
	input_release(&file->input);
	free(file);
}

const char *image_file_kind(const struct image_file *file)
{
	return file->kind;
}

const char *image_file_damage(const struct image_file *file)
{
	return file->damage.code ? file->damage.text : NULL;
}

struct bytes image_file_bytes(const struct image_file *file)
{
	return file->bytes;
}

struct bytes image_container(const struct image_file *file, const struct image *image)
{
	(void)file;
	return ((const struct image_entry *)image)->container;
}

size_t image_count(const struct image_file *file)
{
	return file->count;
}

size_t image_file_empty(const struct image_file *file)
{
	return file->empty;
}

struct image *image_at(struct image_file *file, size_t index)
{
	return &file->entries[index].image;
}

/* By counting. */
int image_file_sort(const struct image_file *file, size_t **order, size_t **first, struct err *e)
{
	CLEANUP(free_pointer) size_t *sorted = calloc(file->count + 1, sizeof(*sorted));
	CLEANUP(free_pointer)
	size_t *begins = calloc((size_t)file->containers + 2, sizeof(*begins));

	if (!sorted || !begins)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < file->count; i++)
		begins[(size_t)file->entries[i].image.container + 2]++;
	for (size_t i = 2; i <= file->containers; i++)
		begins[i] += begins[i - 1];
	for (size_t i = 0; i < file->count; i++)
		sorted[begins[(size_t)file->entries[i].image.container + 1]++] = i;
	*order = STEAL(sorted);
	*first = STEAL(begins);
	return 0;
}

/* Also notes which parts have PTX. */
int image_file_index(struct image_file *file, struct err *e)
{
	TRY(image_file_sort(file, &file->order, &file->first, e));
	file->with_ptx = calloc((size_t)file->containers + 1, sizeof(*file->with_ptx));
	if (!file->with_ptx)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < file->count; i++) {
		struct image *image = &file->entries[i].image;

		image->part = image->container;
		if (image->kind == IMAGE_PTX)
			file->with_ptx[image->part] = true;
	}
	return 0;
}

uint32_t image_containers(const struct image_file *file)
{
	return file->containers;
}

size_t image_members(const struct image_file *file, uint32_t container,
		     const size_t **numbers)
{
	const size_t *first = file->joined_first ? file->joined_first : file->first;

	*numbers = NULL;
	if (container >= file->containers)
		return 0;
	*numbers = (file->joined_order ? file->joined_order : file->order) + first[container];
	return first[(size_t)container + 1] - first[container];
}

size_t image_part_members(const struct image_file *file, uint32_t part, const size_t **numbers)
{
	*numbers = NULL;
	if (part >= file->containers)
		return 0;
	*numbers = file->order + file->first[part];
	return file->first[(size_t)part + 1] - file->first[part];
}

size_t image_index(const struct image_file *file, const struct image *image)
{
	return (size_t)((const struct image_entry *)image - file->entries);
}
