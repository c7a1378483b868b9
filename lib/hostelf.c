/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hostelf.h"
#include "array.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>

enum {
	SHT_LLVM_OFFLOADING = 0x6fff4c0b,
	LONGEST_NAME = 1024, /* what is behind is cut: many symbols may share one name */
};

struct reader {
	struct bytes bytes;
	Elf *elf; /* owned */
	GElf_Ehdr header;
	size_t names;         /* index of the section of section names */
	uint64_t left;        /* bytes that places may still claim: no two overlap */
	struct hostelf *host; /* owned */
};

static void release_reader(struct reader *reader)
{
	elf_end(reader->elf);
	hostelf_free(reader->host);
}

bool hostelf_sniff(struct bytes bytes)
{
	return bytes_begin(bytes, ELFMAG, SELFMAG);
}

static int libelf_failed(struct err *e, const char *what)
{
	return err_set(e, GPURUN_FORMAT, "%s: %s", what, elf_errmsg(-1));
}

static int add_place(struct reader *reader, const char *name, enum hostelf_kind kind,
		     uint64_t offset, uint64_t size, struct err *e)
{
	struct hostelf *host = reader->host;
	struct hostelf_place *place;

	if (!bytes_at(reader->bytes, offset, size))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": %.64s of %" PRIu64
			       " bytes in a file of %zu",
			       offset, name, size, reader->bytes.size);
	if (size > reader->left)
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": %.64s of %" PRIu64
			       " bytes, and more before it, overlap in a file of %zu",
			       offset, name, size, reader->bytes.size);
	reader->left -= size;
	place = array_grow(&host->places, host->place_count, sizeof(*place));
	if (!place)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*place = (struct hostelf_place){ strndup(name, LONGEST_NAME), kind,
					 !strcmp(name, "__nv_relfatbin"), offset, size };
	if (!place->name)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	host->place_count++;
	return 0;
}

/* ---- Sections --------------------------------------------------------- */

static bool holds_fatbins(const char *name)
{
	return !strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin");
}

static int take_section(struct reader *reader, Elf_Scn *scn, struct err *e)
{
	GElf_Shdr section;
	const char *name;

	if (!gelf_getshdr(scn, &section))
		return libelf_failed(e, "section header");
	name = elf_strptr(reader->elf, reader->names, section.sh_name);
	name = name ? name : "";
	if (section.sh_type == SHT_LLVM_OFFLOADING)
		return add_place(reader, name, PLACE_OFFLOADS, section.sh_offset,
				 section.sh_size, e);
	if (section.sh_type == SHT_NOBITS)
		reader->host->debug_file |=
			holds_fatbins(name) || !strcmp(name, ".llvm.offloading");
	else if (holds_fatbins(name))
		return add_place(reader, name, PLACE_FATBINS, section.sh_offset,
				 section.sh_size, e);
	return 0;
}

static int take_sections(struct reader *reader, struct err *e)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(reader->elf, scn));)
		TRY(take_section(reader, scn, e));
	return 0;
}

/* ---- Symbols ---------------------------------------------------------- */

static bool ends_in(const char *name, const char *ending)
{
	size_t length = strlen(name);

	return length > strlen(ending) && !strcmp(name + length - strlen(ending), ending);
}

/* How MLIR names the data that hold an image: the second, up to LLVM 20. */
static bool names_binary(const char *name)
{
	return ends_in(name, "_binary") || ends_in(name, "_bin_cst");
}

/* Finds where the bytes of @symbol are in the file; false when they are not there. */
static bool locate(struct reader *reader, const GElf_Sym *symbol, uint64_t *offset)
{
	Elf_Scn *scn = elf_getscn(reader->elf, symbol->st_shndx);
	GElf_Shdr section;
	uint64_t within = symbol->st_value;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE || !scn ||
	    !gelf_getshdr(scn, &section) || section.sh_type == SHT_NOBITS)
		return false;
	if (reader->header.e_type != ET_REL)
		within -= section.sh_addr;
	return within <= section.sh_size && symbol->st_size <= section.sh_size - within &&
	       size_add(section.sh_offset, within, offset);
}

/* Tells whether @offset is in a section that is a place already. */
static bool is_known(const struct hostelf *host, uint64_t offset)
{
	for (size_t i = 0; i < host->place_count && host->places[i].kind != PLACE_SYMBOL; i++)
		if (offset >= host->places[i].offset &&
		    offset - host->places[i].offset < host->places[i].size)
			return true;
	return false;
}

static int take_symbol(struct reader *reader, Elf_Data *data, size_t strings, int index,
		       struct err *e)
{
	GElf_Sym symbol;
	const char *name;
	uint64_t offset;

	if (!gelf_getsym(data, index, &symbol) ||
	    GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || !symbol.st_size)
		return 0;
	name = elf_strptr(reader->elf, strings, symbol.st_name);
	if (!name || !names_binary(name) || !locate(reader, &symbol, &offset) ||
	    is_known(reader->host, offset))
		return 0;
	return add_place(reader, name, PLACE_SYMBOL, offset, symbol.st_size, e);
}

static int take_symbols(struct reader *reader, struct err *e)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(reader->elf, scn));) {
		GElf_Shdr section;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_SYMTAB ||
		    !section.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data)
			return libelf_failed(e, "symbol table");
		for (size_t i = 0; i < data->d_size / section.sh_entsize; i++)
			TRY(take_symbol(reader, data, section.sh_link, (int)i, e));
	}
	return 0;
}

/* ---- The file --------------------------------------------------------- */

static bool has_interpreter(Elf *elf)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
			return true;
	return false;
}

static const char *describe(const struct reader *reader)
{
	switch (reader->header.e_type) {
	case ET_REL:
		return "ELF object";
	case ET_EXEC:
		return "ELF executable";
	case ET_DYN:
		return has_interpreter(reader->elf) ? "ELF executable"
						    : "ELF shared library";
	default:
		return "ELF file";
	}
}

int hostelf_open(struct bytes bytes, struct hostelf **out, struct err *e)
{
	CLEANUP(release_reader) struct reader reader = { .bytes = bytes, .left = bytes.size };

	*out = NULL;
	elf_version(EV_CURRENT);
	reader.host = calloc(1, sizeof(*reader.host));
	if (!reader.host)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	/* The image is only read: libelf writes to it on elf_update alone. */
	reader.elf = elf_memory((char *)bytes.data, bytes.size);
	if (!reader.elf || !gelf_getehdr(reader.elf, &reader.header))
		return libelf_failed(e, "ELF header");
	if (reader.header.e_shoff > bytes.size) /* libelf then knows of no sections */
		return err_set(e, GPURUN_FORMAT, "an ELF file cut off: its section headers are "
			       "at offset %#llx, it has %zu bytes",
			       (unsigned long long)reader.header.e_shoff, bytes.size);
	reader.host->kind = describe(&reader);
	if (elf_getshdrstrndx(reader.elf, &reader.names))
		return libelf_failed(e, "section names");
	TRY(take_sections(&reader, e));
	TRY(take_symbols(&reader, e));
	*out = STEAL(reader.host);
	return 0;
}

void hostelf_free(struct hostelf *host)
{
	if (!host)
		return;
	for (size_t i = 0; i < host->place_count; i++)
		free(host->places[i].name);
	free(host->places);
	free(host);
}
