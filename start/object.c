/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object.h"

#include <sys/mman.h>

#include "kernel.h"

enum { MOST_SEGMENTS = 1024, MOST_NOTES = 1 << 16 };

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_NONE
#endif

bool object_read(const struct object *object, uint64_t offset, uint64_t size, struct bytes *bytes)
{
	void *memory;

	*bytes = (struct bytes){ 0 };
	if (!size || offset > object->size || size > object->size - offset)
		return false;
	memory = kernel_map(NULL, size, PROT_READ | PROT_WRITE, MAP_POPULATE, -1, 0);
	if (!memory)
		return false;
	*bytes = (struct bytes){ memory, size };
	if (kernel_read(object->fd, offset, memory, size))
		return true;
	object_free(bytes);
	return false;
}

void object_free(struct bytes *bytes)
{
	if (bytes->data)
		kernel_unmap((void *)bytes->data, bytes->size);
	*bytes = (struct bytes){ 0 };
}

static bool is_ours(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == MACHINE &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum &&
	       header->e_phnum <= MOST_SEGMENTS;
}

bool object_open(struct object *object, const char *path)
{
	const Elf64_Ehdr *header = &object->header;
	long size;

	*object = (struct object){ .fd = (int)kernel_open(path) };
	if (object->fd < 0)
		return false;
	size = kernel_size(object->fd);
	object->size = size > 0 ? (uint64_t)size : 0;
	if (object->size < sizeof(*header) ||
	    !kernel_read(object->fd, 0, &object->header, sizeof(*header)) || !is_ours(header) ||
	    !object_read(object, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr),
			 &object->segments))
		return false;
	if (header->e_shentsize == sizeof(Elf64_Shdr))
		object_read(object, header->e_shoff,
			    (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), &object->sections);
	return true;
}

void object_close(struct object *object)
{
	object_free(&object->segments);
	object_free(&object->sections);
	if (object->fd >= 0)
		kernel_close(object->fd);
	object->fd = -1;
}

static bool read_section(const struct object *object, uint32_t index, Elf64_Shdr *section)
{
	return bytes_read(object->sections, (uint64_t)index * sizeof(*section), section,
			  sizeof(*section));
}

bool object_symbols(const struct object *object, uint32_t type, struct bytes *symbols,
		    struct bytes *strings)
{
	Elf64_Shdr table, names;
	uint32_t index = 0;

	*symbols = *strings = (struct bytes){ 0 };
	do
		if (!read_section(object, index++, &table))
			return false;
	while (table.sh_type != type);
	if (!read_section(object, table.sh_link, &names) || names.sh_type != SHT_STRTAB)
		return false;
	if (object_read(object, table.sh_offset, table.sh_size, symbols) &&
	    object_read(object, names.sh_offset, names.sh_size, strings))
		return true;
	object_free(symbols);
	return false;
}

static bool is_named(struct bytes names, uint32_t at, const char *wanted)
{
	size_t i = 0;

	for (; wanted[i]; i++) {
		const uint8_t *c = bytes_at(names, (uint64_t)at + i, 1);

		if (!c || *c != (uint8_t)wanted[i])
			return false;
	}
	return bytes_at(names, (uint64_t)at + i, 1) && !names.data[at + i];
}

bool object_find_section(const struct object *object, const char *name, Elf64_Shdr *section)
{
	struct bytes names;
	bool found = false;

	if (!read_section(object, object->header.e_shstrndx, section) ||
	    !object_read(object, section->sh_offset, section->sh_size, &names))
		return false;
	for (uint32_t i = 0; !found && read_section(object, i, section); i++)
		found = is_named(names, section->sh_name, name);
	object_free(&names);
	return found;
}

uint64_t object_find_export(const struct object *object, const char *name)
{
	struct bytes symbols, strings;
	Elf64_Sym symbol;
	uint64_t found = 0;

	if (!object_symbols(object, SHT_DYNSYM, &symbols, &strings))
		return 0;
	for (uint64_t i = 0;
	     !found && bytes_read(symbols, i * sizeof(symbol), &symbol, sizeof(symbol)); i++)
		if (symbol.st_shndx != SHN_UNDEF && is_named(strings, symbol.st_name, name))
			found = symbol.st_value;
	object_free(&symbols);
	object_free(&strings);
	return found;
}

bool object_segment(const struct object *object, uint32_t type, uint32_t flags, uint64_t at,
		    uint64_t size, Elf64_Phdr *segment)
{
	for (uint64_t i = 0;
	     bytes_read(object->segments, i * sizeof(*segment), segment, sizeof(*segment)); i++) {
		const uint64_t offset = at - segment->p_vaddr;

		if (segment->p_type != type || (segment->p_flags & flags) != flags)
			continue;
		if (!size || (at >= segment->p_vaddr && offset <= segment->p_filesz &&
			      size <= segment->p_filesz - offset))
			return true;
	}
	return false;
}

/* Notes are aligned to 4 bytes; those of GNU properties to 8, and they are no build-id. */
static size_t find_id(struct bytes notes, uint8_t id[BUILD_ID_MOST])
{
	Elf64_Nhdr note;
	uint64_t at = 0;

	while (bytes_read(notes, at, &note, sizeof(note))) {
		const uint64_t name = at + sizeof(note);
		const uint64_t text = name + (((uint64_t)note.n_namesz + 3) & ~3ULL);
		const uint8_t *owner = bytes_at(notes, name, 4);

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && owner &&
		    !memcmp(owner, "GNU", 4) && note.n_descsz <= BUILD_ID_MOST &&
		    bytes_read(notes, text, id, note.n_descsz))
			return note.n_descsz;
		at = text + (((uint64_t)note.n_descsz + 3) & ~3ULL);
	}
	return 0;
}

size_t object_build_id(const struct object *object, uint8_t id[BUILD_ID_MOST])
{
	Elf64_Phdr segment;
	size_t size = 0;

	for (uint64_t i = 0; !size && bytes_read(object->segments, i * sizeof(segment), &segment,
						 sizeof(segment));
	     i++) {
		struct bytes notes;

		if (segment.p_type != PT_NOTE || segment.p_filesz > MOST_NOTES ||
		    !object_read(object, segment.p_offset, segment.p_filesz, &notes))
			continue;
		size = find_id(notes, id);
		object_free(&notes);
	}
	return size;
}
