/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * -lineinfo and -G keep the PTX in the cubin, found by analysing what nvcc, ptxas and
 * nvlink of CUDA 13.0 write for sm_75 to sm_120:
 *
 *	.nv_debug_ptx_txt	one translation unit (SHT_PROGBITS)
 *	.nv_debug_ptx_txt.ID	the same under -rdc=true, before the link and after it: one for
 *				each unit that was compiled so
 *
 * NUL ends each line, and nothing else the text. Lines are those of the PTX, so that their
 * numbers are right, but .file, .loc, comments and the data of debug sections are empty lines;
 * blanks at the beginning are left out. From sm_100 on .nv.merc.nv_debug_ptx_txt is a second
 * header of the same bytes. The section itself is never compressed; a fatbin compresses whole
 * cubins.
 */
#include "array.h"
#include "cleanup.h"
#include "cubin.h"
#include "elf64.h"

static const char section_name[] = ".nv_debug_ptx_txt";

/* Of the number of a section, at most: any number of sections may share a long name. */
enum { DIGITS = 20 };

uint64_t cubin_text_id(struct bytes name)
{
	const size_t begin = sizeof(section_name) - 1;
	uint64_t id = 0;
	size_t at = begin + 1;

	if (!bytes_begin(name, section_name, begin))
		return UINT64_MAX;
	if (name.size == begin || !name.data[begin])
		return 0;
	for (; name.data[begin] == '.' && at < name.size && name.data[at]; at++)
		if (at > begin + DIGITS || name.data[at] < '0' || name.data[at] > '9' ||
		    !size_mul(id, 10, &id) || !size_add(id, name.data[at] - '0', &id))
			return UINT64_MAX;
	return at > begin + 1 ? id : UINT64_MAX;
}

static bool is_text(const struct elf64_section *section)
{
	return elf64_is_named(section->name, section_name) ||
	       elf64_begins(section->name, ".nv_debug_ptx_txt.");
}

static int add_text(struct cubin_texts *texts, const struct elf64_section *section,
		    struct bytes data, struct err *e)
{
	struct bytes *slot = array_grow(&texts->items, texts->count, sizeof(*slot));
	uint64_t *id = array_grow(&texts->ids, texts->count, sizeof(*id));
	uint8_t *text = slot && id ? malloc(data.size + 1) : NULL;

	if (!text)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu bytes of PTX", data.size);
	for (size_t i = 0; i < data.size; i++)
		text[i] = data.data[i] ? data.data[i] : '\n';
	text[data.size] = '\0';
	*slot = (struct bytes){ text, data.size };
	*id = cubin_text_id(section->name);
	texts->count++;
	return 0;
}

int cubin_texts(struct bytes bytes, struct cubin_texts *texts, struct err *e)
{
	struct elf64_section section;
	struct elf64 elf;

	*texts = (struct cubin_texts){ 0 };
	TRY(elf64_open(bytes, &elf, e));
	for (size_t i = 0; i < elf.section_count; i++) {
		elf64_section(&elf, i, &section);
		if (is_text(&section))
			TRY(add_text(texts, &section, elf64_data(&elf, &section), e));
	}
	return 0;
}

void cubin_texts_release(struct cubin_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free((void *)texts->items[i].data);
	free(texts->items);
	free(texts->ids);
	*texts = (struct cubin_texts){ 0 };
}
