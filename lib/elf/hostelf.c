/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hostelf.h"
#include "array.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>

enum {
	SHT_LLVM_OFFLOADING = 0x6fff4c0b,
	LONGEST_NAME = 1024,    /* longer ones are cut: many symbols may share one name */
	LONGEST_STRING = 65536, /* one without an end up to there has no name */
	SHARING = 4, /* how often names and tables may share a byte, on average */
};

/* A section that is a place, in the file; of several in order the end of the last so far. */
struct span {
	uint64_t begin, end;
};

struct reader {
	struct bytes bytes;
	Elf *elf; /* owned */
	GElf_Ehdr header;
	size_t names;         /* index of the section of section names */
	uint64_t left;        /* bytes that places may still claim: no two overlap */
	uint64_t names_left, symbols_left; /* the same of names, and of tables of symbols */
	struct hostelf *host; /* owned */
	struct span *spans;   /* owned; of the sections that are places, by their begin */
	size_t span_count;
};

static void release_reader(struct reader *reader)
{
	elf_end(reader->elf);
	hostelf_free(reader->host);
	free(reader->spans);
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

/* ---- Names ------------------------------------------------------------ */

/*
 * Finds the string at @offset of section @table, which is borrowed from the file; NULL when
 * it has no end. libelf looks for that from the end of the table on, at each call.
 */
static const char *find_name(struct reader *reader, size_t table, uint64_t offset)
{
	Elf_Scn *scn = elf_getscn(reader->elf, table);
	struct bytes strings, rest;
	const uint8_t *nul;
	GElf_Shdr section;

	if (!scn || !gelf_getshdr(scn, &section) || section.sh_type != SHT_STRTAB ||
	    !bytes_slice(reader->bytes, section.sh_offset, section.sh_size, &strings) ||
	    offset > strings.size ||
	    !bytes_slice(strings, offset, strings.size - offset, &rest))
		return NULL;
	rest.size = rest.size < LONGEST_STRING ? rest.size : LONGEST_STRING;
	nul = memchr(rest.data, 0, rest.size);
	if (nul)
		rest.size = (size_t)(nul - rest.data);
	reader->names_left -= rest.size < reader->names_left ? rest.size : reader->names_left;
	return nul ? (const char *)rest.data : NULL;
}

/* Fails when no more names can be read: they overlap too much. */
static int check_names(const struct reader *reader, struct err *e)
{
	if (reader->names_left)
		return 0;
	return err_set(e, GPURUN_FORMAT,
		       "the names in an ELF file of %zu bytes overlap: they are larger than it",
		       reader->bytes.size);
}

/* ---- Sections --------------------------------------------------------- */

static bool holds_fatbins(const char *name)
{
	return !strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin");
}

/* How gcc -fopenmp -foffload and -fopenacc name what they compile when they link. */
#define GCC_CODE ".gnu.offload_lto_"

/* By its type, whatever its name; objcopy --add-section knows only names. */
static bool holds_offloads(const GElf_Shdr *section, const char *name)
{
	return section->sh_type == SHT_LLVM_OFFLOADING ||
	       (section->sh_type == SHT_PROGBITS && !strcmp(name, ".llvm.offloading"));
}

static int add_section(struct reader *reader, Elf_Scn *scn, struct err *e)
{
	GElf_Shdr section;
	const char *name;

	if (!gelf_getshdr(scn, &section))
		return libelf_failed(e, "section header");
	name = find_name(reader, reader->names, section.sh_name);
	TRY(check_names(reader, e));
	name = name ? name : "";
	if (holds_offloads(&section, name))
		return add_place(reader, name, PLACE_OFFLOADS, section.sh_offset,
				 section.sh_size, e);
	/* A compiler may leave notes about itself in an object that has nothing else. */
	reader->host->has_content |= section.sh_flags & SHF_ALLOC && section.sh_size &&
				     section.sh_type != SHT_NOTE;
	reader->host->gcc_code |= !strncmp(name, GCC_CODE, strlen(GCC_CODE));
	if (section.sh_type == SHT_NOBITS)
		reader->host->debug_file |=
			holds_fatbins(name) || !strcmp(name, ".llvm.offloading");
	else if (holds_fatbins(name))
		return add_place(reader, name, PLACE_FATBINS, section.sh_offset,
				 section.sh_size, e);
	return 0;
}

static int add_sections(struct reader *reader, struct err *e)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(reader->elf, scn));)
		TRY(add_section(reader, scn, e));
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

static int compare_begins(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Sorts the places that there are, which are sections, for is_known(). */
static int sort_spans(struct reader *reader, struct err *e)
{
	const struct hostelf *host = reader->host;

	reader->spans = calloc(host->place_count + 1, sizeof(*reader->spans));
	if (!reader->spans)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < host->place_count; i++)
		reader->spans[i] = (struct span){ host->places[i].offset,
						  host->places[i].offset +
							  host->places[i].size };
	reader->span_count = host->place_count;
	qsort(reader->spans, reader->span_count, sizeof(*reader->spans), compare_begins);
	for (size_t i = 1; i < reader->span_count; i++)
		if (reader->spans[i].end < reader->spans[i - 1].end)
			reader->spans[i].end = reader->spans[i - 1].end;
	return 0;
}

/* Tells whether @offset is in a section that is a place already. */
static bool is_known(const struct reader *reader, uint64_t offset)
{
	size_t from = 0, to = reader->span_count;

	while (from < to) { /* the spans below @from begin up to @offset */
		size_t middle = from + (to - from) / 2;

		if (reader->spans[middle].begin <= offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from && offset < reader->spans[from - 1].end;
}

static int add_symbol(struct reader *reader, Elf_Data *data, size_t strings, int index,
		      struct err *e)
{
	GElf_Sym symbol;
	const char *name;
	uint64_t offset;

	if (!gelf_getsym(data, index, &symbol) ||
	    GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || !symbol.st_size)
		return 0;
	name = find_name(reader, strings, symbol.st_name);
	TRY(check_names(reader, e));
	if (!name || !names_binary(name) || !locate(reader, &symbol, &offset) ||
	    is_known(reader, offset))
		return 0;
	return add_place(reader, name, PLACE_SYMBOL, offset, symbol.st_size, e);
}

/* Several tables of symbols may be one: each walk of it counts. */
static int count_table(struct reader *reader, const GElf_Shdr *section, size_t size,
		       struct err *e)
{
	if (size > reader->symbols_left)
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": a table of symbols of %zu bytes, and more "
			       "before it, overlap in a file of %zu",
			       (uint64_t)section->sh_offset, size, reader->bytes.size);
	reader->symbols_left -= size;
	return 0;
}

static int add_symbols(struct reader *reader, struct err *e)
{
	TRY(sort_spans(reader, e));
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(reader->elf, scn));) {
		GElf_Shdr section;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_SYMTAB ||
		    !section.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data)
			return libelf_failed(e, "symbol table");
		TRY(count_table(reader, &section, data->d_size, e));
		for (size_t i = 0; i < data->d_size / section.sh_entsize; i++)
			TRY(add_symbol(reader, data, section.sh_link, (int)i, e));
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
	reader.names_left = reader.symbols_left = SHARING * (uint64_t)bytes.size;
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
	TRY(add_sections(&reader, e));
	TRY(add_symbols(&reader, e));
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
