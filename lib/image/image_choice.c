/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which image runs where, as ptxas and nvlink of CUDA 13 accept them (every
 * target with every architecture), and which is the best.
 *
 *	PTX	sm_X on X and later; sm_Xa on X alone; sm_Xf on its family
 *	cubin	sm_X and sm_Xf on the same major version, X and later; sm_Xa on X
 *		alone; embedded and desktop devices never run each other's
 *
 * Where PTX alone runs, that of a cubin's line info replaces the cubin.
 */
#include "image_file.h"

#include <ctype.h>
#include <stdio.h>

/* sm_101 became sm_110 in CUDA 13. */
static unsigned renamed(unsigned arch)
{
	return arch == 101 ? 110 : arch;
}

/* Same major version, and not older. Families are the same thing. */
static bool same_major(unsigned arch, unsigned device)
{
	return arch / 10 == device / 10 && arch <= device;
}

/* Architectures that run no other's machine code, nor others theirs. */
static bool has_own_code(unsigned arch)
{
	return arch == 53 || arch == 62 || arch == 72 || arch == 87 || arch == 88;
}

/* Tells whether PTX for @arch and @suffix runs on @target. */
static bool text_runs_on(unsigned arch, char suffix, const struct image_target *target)
{
	if (!target->arch)
		return true;
	if (suffix == 'a')
		return renamed(arch) == target->arch;
	if (suffix == 'f')
		return same_major(renamed(arch), target->arch);
	return arch <= target->arch;
}

static bool ptx_runs_on(const struct image *image, const struct image_target *target)
{
	if (target->ptx_version &&
	    image->ptx_major * 10 + image->ptx_minor > target->ptx_version)
		return false;
	return text_runs_on(image->arch, image->suffix, target);
}

static bool cubin_runs_on(const struct image *image, const struct image_target *target)
{
	unsigned arch = renamed(image->arch);

	if (target->ptx_only)
		return image->line_arch &&
		       text_runs_on(image->line_arch, image->line_suffix, target);
	if (!target->arch || arch == target->arch)
		return true;
	return image->suffix != 'a' && !has_own_code(arch) && !has_own_code(target->arch) &&
	       same_major(arch, target->arch);
}

bool image_runs_on(const struct image *image, const struct image_target *target)
{
	if (image->problem)
		return false;
	if (image->kind == IMAGE_PTX)
		return ptx_runs_on(image, target);
	return image->kind == IMAGE_CUBIN && cubin_runs_on(image, target);
}

/* Machine code before PTX, then by SM number, then 'a' before 'f' before none. */
static unsigned rank(const struct image *image)
{
	unsigned suffix = image->suffix == 'a' ? 2 : image->suffix == 'f' ? 1 : 0;

	return (image->kind == IMAGE_CUBIN ? 1u << 30 : 0) +
	       (image->arch & 0xffffff) * 4 + suffix;
}

/* Best first; of equals the one that is first in the file. */
static int by_rank(const void *left, const void *right)
{
	const struct image *a = *(struct image *const *)left, *b = *(struct image *const *)right;

	if (rank(a) != rank(b))
		return rank(a) > rank(b) ? -1 : 1;
	return (a > b) - (a < b);
}

/* Tells whether @image may run on @target, as far as headers say; @by_line: by line info, of
 * which they say nothing. */
static bool may_run_on(const struct image *image, const struct image_target *target, bool by_line)
{
	if (target->ptx_only && (image->kind == IMAGE_CUBIN) != by_line)
		return false;
	return by_line ? !image->problem : image_runs_on(image, target);
}

/* The best of @count images in @fit, which are sorted. Headers can be wrong about what is inside,
 * so the winner is inspected. One without kernels is chosen if no other is whole. */
static struct image *first_whole(struct image_file *file, struct image **fit, size_t count,
				 const struct image_target *target)
{
	struct image *empty = NULL; /* with variables alone */

	for (size_t i = 0; i < count; i++) {
		if (image_kernels(file, fit[i], NULL) || !image_runs_on(fit[i], target))
			continue;
		if (fit[i]->kernel_count)
			return fit[i];
		empty = empty ? empty : fit[i];
	}
	return empty;
}

/* Chooses among @all images: those with @numbers, or of the whole file; @linked: also one that is
 * to be linked. */
static struct image *choose(struct image_file *file, const size_t *numbers, size_t all,
			    const struct image_target *target, bool linked)
{
	CLEANUP(free_pointer)
	struct image **fit = calloc(all + 1, sizeof(struct image *));
	struct image *best = NULL;

	for (int by_line = 0; fit && !best && by_line <= target->ptx_only; by_line++) {
		size_t count = 0;

		for (size_t i = 0; i < all; i++) {
			struct image *image = &file->entries[numbers ? numbers[i] : i].image;

			if (may_run_on(image, target, by_line) && (linked || !image->relocatable))
				fit[count++] = image;
		}
		qsort(fit, count, sizeof(struct image *), by_rank);
		best = first_whole(file, fit, count, target);
	}
	return best;
}

struct image *image_choose(struct image_file *file, uint32_t container,
			   const struct image_target *target)
{
	const size_t *numbers;
	size_t count;

	if (container == UINT32_MAX)
		return choose(file, NULL, file->count, target, true);
	count = image_members(file, container, &numbers);
	return choose(file, numbers, count, target, false);
}

struct image *image_choose_part(struct image_file *file, uint32_t part,
				const struct image_target *target)
{
	const size_t *numbers;
	const size_t count = image_part_members(file, part, &numbers);

	return choose(file, numbers, count, target, true);
}

/* ---- Description ------------------------------------------------------ */

/* What an offload binary says that @image is for: "gfx90a". */
static struct bytes packed_arch(const struct image *image)
{
	return image->offload ? image->offload->arch : (struct bytes){ 0 };
}

/* Images without an architecture of their own; no other byte of a name is printed. */
static void describe_other(const struct image *image, const char *name, char *text,
			   size_t size)
{
	struct bytes arch = packed_arch(image);
	size_t length = 0;

	while (length < arch.size && length < 16 &&
	       (isalnum(arch.data[length]) || memchr("_-+:", arch.data[length], 4)))
		length++;
	snprintf(text, size, "%.*s%s%s", (int)length, (const char *)arch.data,
		 length ? " " : "", name);
}

/* NVIDIA's code: "sm_90 SASS", "sm_75 relocatable PTX 8.1". */
static void describe_code(const struct image *image, char *text, size_t size)
{
	const bool relocatable = image->relocatable || image->kind == IMAGE_RELOCATABLE;
	const char *before = relocatable ? "relocatable " : "";

	if (image->kind == IMAGE_LTOIR)
		snprintf(text, size, "sm_%u%.1s LTO-IR", image->arch, &image->suffix);
	else if (image_is_text(image))
		snprintf(text, size, "sm_%u%.1s %sPTX %u.%u", image->arch, &image->suffix, before,
			 image->ptx_major, image->ptx_minor);
	else
		snprintf(text, size, "sm_%u%.1s %sSASS%s", image->arch, &image->suffix, before,
			 image->line_arch ? " with PTX (from line info)" : "");
}

const char *image_describe(const struct image *image, char *text, size_t size)
{
	switch (image->kind) {
	case IMAGE_PTX:
	case IMAGE_CUBIN:
	case IMAGE_RELOCATABLE:
	case IMAGE_LTOIR:
		describe_code(image, text, size);
		break;
	case IMAGE_BITCODE:
		describe_other(image, "LLVM bitcode", text, size);
		break;
	case IMAGE_UNKNOWN:
		describe_other(image, "an unknown image", text, size);
		break;
	case IMAGE_FOREIGN:
		describe_other(image, image->name, text, size);
		break;
	}
	return text;
}

/* Tells whether @words are in the list @text. */
static bool is_listed(const char *text, const char *words)
{
	size_t length = strlen(words);

	for (const char *p = text; (p = strstr(p, words)); p++)
		if ((p == text || p[-1] == ' ') && (p[length] == ',' || !p[length]))
			return true;
	return false;
}

void image_describe_all(const struct image_file *file, char *text, size_t size)
{
	size_t length = 0;

	if (size)
		text[0] = '\0';
	for (size_t i = 0; i < file->count && length < size; i++) {
		char words[64];

		image_describe(&file->entries[i].image, words, sizeof(words));
		if (is_listed(text, words))
			continue;
		if (length + strlen(words) + 8 > size) {
			snprintf(text + length, size - length, ", ...");
			return;
		}
		length += (size_t)snprintf(text + length, size - length, "%s%s",
					   length ? ", " : "", words);
	}
}
