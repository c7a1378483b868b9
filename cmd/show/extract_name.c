/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "extract_name.h"

#include <ctype.h>
#include <stdio.h>

#include "offload.h"

enum { LONGEST_ORIGIN = 100 };

/* A name that is being put together. */
struct name {
	char *text;
	size_t length;
};

/* Adds a point, and of @part what a name may have; nothing where that is nothing. */
static void add_name_part(struct name *name, struct bytes part, size_t most)
{
	const size_t begin = name->length;

	for (size_t i = 0; i < part.size && part.data[i] && name->length < begin + most; i++) {
		const unsigned char byte = part.data[i];
		const bool plain = byte < 0x80 && (isalnum(byte) || memchr("._+-", byte, 4));

		if (name->length == begin && byte == '.')
			continue;
		if (name->length == begin)
			name->text[name->length++] = '.';
		name->text[name->length++] = plain ? (char)byte : '_';
	}
}

static void add_text(struct name *name, const char *text)
{
	add_name_part(name, (struct bytes){ (const uint8_t *)text, strlen(text) }, LONGEST_ORIGIN);
}

static void add_arch(struct name *name, const struct image *image)
{
	char text[24];

	if (image->arch) {
		snprintf(text, sizeof(text), "sm_%u%.1s", image->arch, &image->suffix);
		add_text(name, text);
	} else if (image->offload) {
		add_name_part(name, image->offload->arch, 16);
	}
}

/* The ending of what is of no kind of NVIDIA's. */
static const char *foreign_ending(const struct image *image)
{
	static const struct {
		const char *name, *ending;
	} rows[] = {
		{ "AMD machine code", "hsaco" }, { "SPIR-V", "spv" },
		{ "NVIDIA LTO-IR", "ltoir" },	 { "ar archive", "a" },
		{ "host ELF file", "elf" },	 { "damaged cubin", "cubin" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(image->name, rows[i].name))
			return rows[i].ending;
	return "bin";
}

static const char *ending(const struct image *image)
{
	switch (image->kind) {
	case IMAGE_PTX:
	case IMAGE_CUBIN:
	case IMAGE_RELOCATABLE:
		if (image->relocatable || image->kind == IMAGE_RELOCATABLE)
			return image_is_text(image) ? "relocatable.ptx" : "relocatable.cubin";
		return image_is_text(image) ? "ptx" : "cubin";
	case IMAGE_LTOIR:
		return image->obfuscated ? "obfuscated.ltoir" : "ltoir";
	case IMAGE_BITCODE:
		return "bc";
	case IMAGE_FOREIGN:
		return foreign_ending(image);
	case IMAGE_UNKNOWN:
		break;
	}
	return "bin";
}

void extract_name(const char *scope, size_t number, const struct image *image,
		  char text[EXTRACT_NAME_SIZE])
{
	struct name name = { text, (size_t)snprintf(text, 24, "%04zu", number) };

	add_name_part(&name, (struct bytes){ (const uint8_t *)scope, strlen(scope) }, 32);
	add_arch(&name, image);
	add_text(&name, image->where);
	add_text(&name, ending(image));
	text[name.length] = '\0';
}
