/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an image holds: it is unpacked to inspect it, and dropped afterwards. What is kept is
 * the list of its kernels. A file may be made to unpack to any size, so that there are
 * bounds, each for the whole file and in proportion to it: on the bytes that its images
 * unpack to, and on the lists of kernels.
 */
#include "array.h"
#include "cubin.h"
#include "image_file.h"
#include "ptx_needs.h"

#include <inttypes.h>

const char image_needs_link[] = "needs a device link (nvcc, nvlink, clang-linker-wrapper)";
const char image_narrow[] = "32-bit code";

enum { LARGE = 4 << 20 }; /* bytes whose memory is released at once */

static bool is_readable(const struct image *image)
{
	return image->kind == IMAGE_PTX || image->kind == IMAGE_CUBIN ||
	       image->kind == IMAGE_RELOCATABLE;
}

/* What image->offset is, in messages. */
static const char *offset_of(const struct image *image)
{
	return image->unpacked ? "unpacked offset" : "offset";
}

/* Keeps why @entry cannot be read: every further call fails the same way. */
static int note_failure(struct image_entry *entry, struct err *reason)
{
	err_wrap(reason, "%s %#" PRIx64, offset_of(&entry->image), entry->image.offset);
	entry->listed = !entry->read;
	entry->status = (int)reason->code;
	entry->failure = strdup(reason->text);
	entry->image.problem = entry->failure ? entry->failure : "unreadable";
	return entry->status;
}

/* ---- Unpacking -------------------------------------------------------- */

uint64_t image_unpack_most(uint64_t size)
{
	return size > UINT64_MAX / (2 * IMAGE_UNPACK_RATIO) ?
		       UINT64_MAX / 2 :
		       IMAGE_UNPACK_LEAST + IMAGE_UNPACK_RATIO * size;
}

int image_count_unpacked(struct image_file *file, struct image_entry *entry,
			 struct err *e)
{
	const uint64_t most = image_unpack_most(file->bytes.size);
	const struct image *image = &entry->image;
	struct err damage = { 0 };

	if (image->codec == CODEC_NONE || !is_readable(image))
		return 0;
	if (image->size <= most - file->unpacked) {
		file->unpacked += image->size;
		return 0;
	}
	err_set(&damage, GPURUN_FORMAT,
		"a %s image that unpacks from %" PRIu64 " to %" PRIu64 " bytes, after %" PRIu64
		" of others: the limit for all images of a file of %zu bytes is %" PRIu64,
		codec_name(image->codec), image->stored, image->size, file->unpacked,
		file->bytes.size, most);
	err_hint(&damage, "if it is what you want, build it without compression: nvcc "
			  "--no-compress");
	note_failure(entry, &damage);
	if (!entry->failure)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	image_note_damage(file, &damage);
	return 0;
}

/* Makes the bytes of @entry readable. */
static int unpack(const struct image_entry *entry, struct image_payload *out, struct err *e)
{
	const struct image *image = &entry->image;
	const uint8_t *nul = NULL;

	*out = (struct image_payload){ entry->stored, NULL };
	if (image->codec != CODEC_NONE) {
		TRY(decompress(image->codec, entry->stored, image->size, &out->buffer, e));
		out->bytes = (struct bytes){ out->buffer, image->size };
	}
	if (is_readable(image) && !cubin_sniff(out->bytes) && out->bytes.size)
		nul = memchr(out->bytes.data, 0, out->bytes.size);
	if (nul) /* the end of PTX */
		out->bytes.size = (size_t)(nul - out->bytes.data);
	return 0;
}

int image_unpack(const struct image_file *file, const struct image *image,
		 struct image_payload *out, struct err *e)
{
	const struct image_entry *entry = (const struct image_entry *)image;
	int status;

	*out = (struct image_payload){ 0 };
	if (entry->status)
		return err_set(e, (enum gpurun_status)entry->status, "%s: %s", file->name,
			       image->problem);
	status = unpack(entry, out, e);
	if (status) {
		err_wrap(e, "%s: %s %#" PRIx64, file->name, offset_of(image), image->offset);
		return status;
	}
	return 0;
}

struct bytes image_stored(const struct image *image)
{
	return ((const struct image_entry *)image)->stored;
}

void image_payload_release(struct image_payload *payload)
{
	free(payload->buffer);
	*payload = (struct image_payload){ 0 };
}

/* ---- Kernels ---------------------------------------------------------- */

/* What the text says counts: no tool checks what a container says about it. */
static int list_ptx(struct image *image, struct bytes text, struct err *e)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;

	TRY(ptx_open(text, &ptx, e));
	image->arch = ptx->arch;
	image->suffix = ptx->suffix;
	image->ptx_major = ptx->version_major;
	image->ptx_minor = ptx->version_minor;
	image->lines = ptx->file_count > 0;
	if (ptx->address_size != 64)
		image->problem = image_narrow;
	return ptx_kernels(ptx, &image->kernels, &image->kernel_count, e);
}

static int list_cubin(struct image *image, struct bytes bytes, struct err *e)
{
	struct cubin_head head;

	if (!cubin_sniff(bytes))
		return err_set(e, GPURUN_FORMAT, "expected a cubin");
	TRY(cubin_head(bytes, &head, e));
	image->lines = head.lines;
	if (head.relocatable) {
		image->kind = IMAGE_RELOCATABLE;
		image->problem = image_needs_link;
	}
	return cubin_kernels(bytes, &image->kernels, &image->kernel_count, e);
}

/* Lists the kernels of @image, which unpacks to @bytes, by what it is. */
static int list(struct image *image, struct bytes bytes, struct err *e)
{
	if (!bytes.size)
		return err_set(e, GPURUN_FORMAT, "an image of no bytes");
	if (image->kind == IMAGE_PTX ||
	    (image->kind == IMAGE_RELOCATABLE && ptx_sniff(bytes)))
		return list_ptx(image, bytes, e);
	if (cubin_sniff(bytes) || image->kind == IMAGE_CUBIN)
		return list_cubin(image, bytes, e);
	return 0;
}

/* The size of the list of @image, in units of about 200 bytes. */
static uint64_t size_of_list(const struct image *image)
{
	uint64_t count = 0;

	for (size_t i = 0; i < image->kernel_count; i++)
		count += 1 + image->kernels[i].param_count +
			 strlen(image->kernels[i].name) / 128;
	return count;
}

static int count_kernels(struct image_file *file, const struct image *image,
			 struct err *e)
{
	const uint64_t most = KERNELS_LEAST + file->bytes.size / KERNELS_SHARE;
	uint64_t count = size_of_list(image);

	if (count > most - file->listed)
		return err_set(e, GPURUN_FORMAT,
			       "%zu kernels; the limit for the kernels and parameters of a "
			       "file of %zu bytes is %" PRIu64,
			       image->kernel_count, file->bytes.size, most);
	file->listed += count;
	return 0;
}

static int compare_names(const void *left, const void *right)
{
	const struct kernel_info *a = *(struct kernel_info *const *)left;
	const struct kernel_info *b = *(struct kernel_info *const *)right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a > b) - (a < b);
}

static int sort_kernels(struct image_entry *entry, struct err *e)
{
	const struct image *image = &entry->image;

	entry->by_name = calloc(image->kernel_count + 1, sizeof(*entry->by_name));
	if (!entry->by_name)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < image->kernel_count; i++)
		entry->by_name[i] = &image->kernels[i];
	qsort(entry->by_name, image->kernel_count, sizeof(*entry->by_name), compare_names);
	return 0;
}

/* ---- PTX of a cubin's line info ----------------------------------------- */

static bool same_layout(const struct kernel_info *a, const struct kernel_info *b)
{
	bool same = a->param_count == b->param_count;

	for (size_t i = 0; same && i < a->param_count; i++)
		same = a->params[i].offset == b->params[i].offset &&
		       a->params[i].size == b->params[i].size;
	return same;
}

/* Uses the parameters of @from, which have types: a cubin's own have none. */
static void use_params(struct kernel_info *info, struct kernel_info *from)
{
	struct kernel_param *params = info->params;

	if (!same_layout(info, from))
		return;
	info->params = from->params;
	from->params = params;
}

/* What the texts of a cubin hold. */
struct line_ptx {
	bool *found; /* owned; of each kernel of the image */
	unsigned arch; /* as of a link of all texts: the newest */
	char suffix;
	struct ptx_names needed, defined;
};

static void release_line_ptx(struct line_ptx *line)
{
	free(line->found);
	ptx_names_release(&line->needed);
	ptx_names_release(&line->defined);
}

/* Notes the kernels that @text has. */
static int read_text(struct image_entry *entry, struct bytes text, struct line_ptx *line,
		     struct err *e)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	struct kernel_info *kernels;
	size_t count;

	TRY(ptx_open(text, &ptx, e));
	if (ptx->address_size != 64)
		return err_set(e, GPURUN_FORMAT, "%s", image_narrow);
	if (ptx->arch > line->arch) {
		line->arch = ptx->arch;
		line->suffix = ptx->suffix;
	}
	TRY(ptx_defines(ptx, &line->defined, e));
	TRY(ptx_needs(ptx, text, &line->needed, e));
	TRY(ptx_kernels(ptx, &kernels, &count, e));
	for (size_t i = 0; i < count; i++) {
		const struct kernel_info *info = image_find_kernel(&entry->image, kernels[i].name);
		const size_t at = info ? (size_t)(info - entry->image.kernels) : 0;

		if (!info || line->found[at])
			continue;
		line->found[at] = true;
		use_params(&entry->image.kernels[at], &kernels[i]);
	}
	kernel_info_free(kernels, count);
	return 0;
}

/* What the texts lack to be all of @image: a kernel, or a name that none of them has; size 0 when
 * they are. One translation unit of several may have been compiled without line info. */
static struct ptx_name find_lacking(const struct image *image, struct line_ptx *line)
{
	const struct ptx_name *missing;

	for (size_t i = 0; i < image->kernel_count; i++)
		if (!line->found[i])
			return (struct ptx_name){ image->kernels[i].name,
						  (uint32_t)strlen(image->kernels[i].name) };
	if (image->relocatable || image->kind == IMAGE_RELOCATABLE)
		return (struct ptx_name){ 0 };
	missing = ptx_first_missing(&line->needed, &line->defined);
	return missing ? *missing : (struct ptx_name){ 0 };
}

static int note_lacking(struct image_entry *entry, struct ptx_name name, struct err *e)
{
	free(entry->lacks);
	entry->lacks = strndup(name.text, name.length);
	if (!entry->lacks)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	entry->image.line_lacks = entry->lacks;
	return 0;
}

/* Finds out whether the PTX of all kernels is in the line info of the cubin @bytes; bad PTX
 * there is no damage of the cubin. GPURUN_NO_MEMORY. */
static int read_line_ptx(struct image_entry *entry, struct bytes bytes, struct err *e)
{
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };
	CLEANUP(release_line_ptx) struct line_ptx line = { 0 };
	struct image *image = &entry->image;
	struct ptx_name lacking;
	int status = 0;

	TRY(cubin_texts(bytes, &texts, e));
	line.found = calloc(image->kernel_count + 1, sizeof(*line.found));
	if (!line.found)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < texts.count && !status; i++)
		status = read_text(entry, texts.items[i], &line, e);
	if (status || !texts.count)
		return status == GPURUN_NO_MEMORY ? status : 0;
	lacking = find_lacking(image, &line);
	if (lacking.length)
		return note_lacking(entry, lacking, e);
	image->line_arch = line.arch;
	image->line_suffix = line.suffix;
	return 0;
}

/* Considers an image that needs a device link as loadable. */
static void accept_relocatable(const struct image_file *file, struct image *image)
{
	if (image->problem != image_needs_link)
		return;
	/* Headers have the version of text; other "relocatable PTX" is none. */
	image->kind = image->ptx_major ? IMAGE_PTX : IMAGE_CUBIN;
	image->problem = NULL;
	image->relocatable = true;
	if (image->kind == IMAGE_PTX)
		file->with_ptx[image->part] = true;
}

void image_file_link(struct image_file *file)
{
	file->links = true;
	for (size_t i = 0; i < file->count; i++)
		accept_relocatable(file, &file->entries[i].image);
}

/* Tells whether @image is libcudadevrt's: its kernels are launched from device code alone. */
static bool is_of_runtime(const struct image *image)
{
	for (size_t i = 0; image->relocatable && i < image->kernel_count; i++)
		if (image->kernels[i].local &&
		    !strncmp(image->kernels[i].name, "__nv_static_", 12) &&
		    strstr(image->kernels[i].name, "_cuda_device_runtime_cu_"))
			return true;
	return false;
}

static int read_entry(struct image_file *file, struct image_entry *entry, struct err *e)
{
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };

	TRY(unpack(entry, &payload, e));
	if (payload.buffer && entry->stored.size >= LARGE) /* what is listed needs memory, too */
		input_drop(&file->input, entry->stored);
	TRY(list(&entry->image, payload.bytes, e));
	if (file->links)
		accept_relocatable(file, &entry->image);
	entry->image.of_runtime = is_of_runtime(&entry->image);
	TRY(sort_kernels(entry, e));
	if (image_is_text(&entry->image) || !cubin_sniff(payload.bytes) ||
	    (file->with_ptx && file->with_ptx[entry->image.part]))
		return 0;
	return read_line_ptx(entry, payload.bytes, e);
}

static void drop_kernels(struct image *image)
{
	kernel_info_free(image->kernels, image->kernel_count);
	image->kernels = NULL;
	image->kernel_count = 0;
}

void image_read(struct image_file *file, struct image *image)
{
	struct image_entry *entry = (struct image_entry *)image;
	struct err reason = { 0 };

	if (entry->listed || entry->read || !is_readable(image))
		return;
	entry->read = true;
	if (!read_entry(file, entry, &reason))
		return;
	drop_kernels(image);
	note_failure(entry, &reason);
}

/* Releases the memory of the stored bytes of @entry: large pages, most are read in order. */
static void drop_stored(struct image_file *file, const struct image_entry *entry)
{
	const struct image *image = &entry->image;

	if (image->unpacked)
		return;
	if (image->offset < file->dropped)
		file->dropped = image->offset;
	image_drop(file, &file->dropped, image->offset + image->stored);
}

/* Counts the kernels and parameters of @entry against the file's limit. The caller's thread
 * alone does this, so that the limit does not depend on which thread has read the list. */
static void keep_list(struct image_file *file, struct image_entry *entry)
{
	struct err reason = { 0 };

	if (!entry->status && count_kernels(file, &entry->image, &reason)) {
		drop_kernels(&entry->image);
		note_failure(entry, &reason);
	}
	if (entry->image.codec != CODEC_NONE)
		drop_stored(file, entry);
}

int image_kernels(struct image_file *file, struct image *image, struct err *e)
{
	struct image_entry *entry = (struct image_entry *)image;

	image_read(file, image);
	if (entry->read)
		keep_list(file, entry);
	entry->read = false;
	entry->listed = true;
	if (entry->status)
		err_set(e, (enum gpurun_status)entry->status, "%s: %s", file->name,
			image->problem);
	return entry->status;
}

void image_forget(struct image_file *file, struct image *image)
{
	struct image_entry *entry = (struct image_entry *)image;

	drop_stored(file, entry);
	if (!entry->by_name || entry->status) /* has no list, or never will */
		return;
	file->listed -= size_of_list(image);
	drop_kernels(image);
	free(entry->by_name);
	entry->by_name = NULL;
	entry->listed = false;
}

void image_peek(const struct image_file *file, struct image *image)
{
	const struct image_entry *entry = (const struct image_entry *)image;
	struct cubin_head head;

	if (image->kind != IMAGE_CUBIN || image->codec != CODEC_NONE || image->problem ||
	    !cubin_sniff(entry->stored))
		return;
	if (!cubin_head(entry->stored, &head, NULL) && head.relocatable) {
		image->kind = IMAGE_RELOCATABLE;
		image->problem = image_needs_link;
	}
	if (file->links)
		accept_relocatable(file, image);
	input_drop(&file->input, entry->stored);
}

const struct kernel_info *image_find_kernel(const struct image *image, const char *name)
{
	const struct image_entry *entry = (const struct image_entry *)image;
	size_t from = 0, to = entry->by_name ? image->kernel_count : 0;

	while (from < to) { /* all below @from come before @name */
		size_t middle = from + (to - from) / 2;

		if (strcmp(entry->by_name[middle]->name, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (!entry->by_name || from == image->kernel_count ||
	    strcmp(entry->by_name[from]->name, name))
		return NULL;
	return entry->by_name[from];
}
