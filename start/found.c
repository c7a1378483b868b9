/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "found.h"

#include "debug_file.h"

enum {
	LONGEST_RUNTIME = 4 << 20, /* bytes; that of 13.0 has 490,084 */
	MOST_CONSTANTS = 1 << 28,  /* bytes of constants that are searched */
};

/* Only where the loader's lock is held: there is one search at a time. */
static struct {
	uint64_t second[NAMES]; /* a further place of a name: a function of the program's own */
	uint8_t slots[LONGEST_RUNTIME / SLOT / 8];
} work;

struct symbol {
	struct bytes name; /* from its first byte to the end of the table */
	uint64_t at;
};

static bool may_be_runtime(struct bytes name)
{
	return bytes_begin(name, "cuda", 4) || bytes_begin(name, "__cuda", 6);
}

/* Reads symbol @i; false at the end. Without a name: it is none of the runtime's. */
static bool next_symbol(struct bytes symbols, struct bytes strings, uint64_t i, struct symbol *to)
{
	Elf64_Sym symbol;

	to->name = (struct bytes){ 0 };
	to->at = 0;
	if (!bytes_read(symbols, i * sizeof(symbol), &symbol, sizeof(symbol)))
		return false;
	/* The linker leaves some hidden, and makes others local. */
	if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
	    !symbol.st_value ||
	    (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
	     ELF64_ST_VISIBILITY(symbol.st_other) != STV_HIDDEN))
		return true;
	if (symbol.st_name < strings.size)
		bytes_slice(strings, symbol.st_name, strings.size - symbol.st_name, &to->name);
	if (!may_be_runtime(to->name))
		to->name = (struct bytes){ 0 };
	to->at = symbol.st_value;
	return true;
}

static void note_name(struct found *found, const struct symbol *symbol)
{
	const enum name name = name_find(symbol->name);

	if (name == NAMES) {
		if (name_begins(symbol->name, "cudaGetDeviceProperties_v2"))
			found->kind = FOUND_TWELVE;
	} else if (!found->at[name]) {
		found->at[name] = symbol->at;
		found->count++;
	} else if (found->at[name] != symbol->at) {
		work.second[name] = symbol->at;
	}
}

static void extend(struct found *found, uint64_t at)
{
	if (!found->low || at < found->low)
		found->low = at;
	if (at > found->high)
		found->high = at;
}

static bool is_inside(const struct found *found, uint64_t at)
{
	return at >= found->low && at <= found->high;
}

/* Of a name with two places, that among the others counts. */
static bool choose(struct found *found)
{
	for (unsigned i = 0; i < NAMES; i++)
		if (found->at[i] && !work.second[i])
			extend(found, found->at[i]);
	for (unsigned i = 0; i < NAMES; i++) {
		if (!work.second[i])
			continue;
		if (is_inside(found, found->at[i]) == is_inside(found, work.second[i]))
			return false;
		if (is_inside(found, work.second[i]))
			found->at[i] = work.second[i];
	}
	return true;
}

/* Takes the slot of @at; false when another function has it, or it is no place for one. */
static bool take_slot(const struct found *found, uint64_t at)
{
	const uint64_t slot = (at - found->low) / SLOT;
	const uint8_t bit = (uint8_t)(1 << slot % 8);

	if (at % SLOT || (work.slots[slot / 8] & bit))
		return false;
	work.slots[slot / 8] |= bit;
	return true;
}

static const char *check_places(const struct found *found)
{
	if (found->high - found->low >= LONGEST_RUNTIME)
		return "its functions are too far from each other";
	memset(work.slots, 0, (found->high - found->low) / SLOT / 8 + 1);
	for (unsigned i = 0; i < NAMES; i++)
		if (found->at[i] && !take_slot(found, found->at[i]))
			return "its functions overlap";
	for (size_t i = 0; i < found->newer_count; i++)
		if (!take_slot(found, found->newer[i].at))
			return "its functions overlap";
	return NULL;
}

static bool note_newer(struct found *found, const struct symbol *symbol)
{
	struct newer *newer = &found->newer[found->newer_count];
	size_t length = 0;

	if (!symbol->name.size || name_find(symbol->name) != NAMES ||
	    !is_inside(found, symbol->at))
		return true;
	if (found->newer_count == MOST_NEWER)
		return false;
	newer->at = symbol->at;
	for (; length < symbol->name.size && symbol->name.data[length]; length++) {
		if (length == NEWER_LENGTH - 1)
			return false;
		newer->name[length] = (char)symbol->name.data[length];
	}
	newer->name[length] = '\0';
	found->newer_count++;
	return true;
}

static void conclude(struct found *found, struct bytes symbols, struct bytes strings)
{
	struct symbol symbol;

	if (found->kind == FOUND_TWELVE || found->count < ALMOST_ALL)
		return;
	found->kind = FOUND_DOUBTFUL;
	if (!choose(found)) {
		found->why = "two functions have one name";
		return;
	}
	for (uint64_t i = 0; next_symbol(symbols, strings, i, &symbol); i++)
		if (!note_newer(found, &symbol)) {
			found->why = "it has too many functions that gpurun's has not";
			return;
		}
	found->why = check_places(found);
	if (!found->why)
		found->kind = FOUND_RUNTIME;
}

void found_by_symbols(struct found *found, const struct object *names)
{
	struct bytes symbols, strings;
	struct symbol symbol;

	*found = (struct found){ .by = ".symtab" };
	if (!object_symbols(names, SHT_SYMTAB, &symbols, &strings))
		return;
	memset(work.second, 0, sizeof(work.second));
	for (uint64_t i = 0; next_symbol(symbols, strings, i, &symbol); i++)
		if (symbol.name.size)
			note_name(found, &symbol);
	conclude(found, symbols, strings);
	object_free(&symbols);
	object_free(&strings);
}

/* The table of the driver that each version of the runtime asks for, and nothing else does. */
static const uint8_t asked_table[] = {
	0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
	0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9,
};

static bool has_asked_table(struct bytes bytes)
{
	const uint8_t *at;

	for (uint64_t i = 0; (at = bytes_at(bytes, i, sizeof(asked_table))); i++)
		if (*at == asked_table[0] && !memcmp(at, asked_table, sizeof(asked_table)))
			return true;
	return false;
}

bool found_nameless(struct found *found, const struct object *object)
{
	Elf64_Shdr section;
	struct bytes constants;

	/* A shared one is no part of something else. */
	if (object_find_section(object, ".symtab", &section) ||
	    object_find_export(object, "cudaMalloc") ||
	    !object_find_section(object, ".rodata", &section) ||
	    section.sh_size > MOST_CONSTANTS ||
	    !object_read(object, section.sh_offset, section.sh_size, &constants))
		return false;
	if (has_asked_table(constants))
		found->kind = FOUND_NAMELESS;
	object_free(&constants);
	return found->kind == FOUND_NAMELESS;
}

void found_search(struct found *found, const struct object *object, const char *path)
{
	const size_t functions = found_functions(object);
	struct object debug;

	found->kind = FOUND_NONE;
	/* Most of what a process loads ends here. */
	if (functions && functions < ALMOST_ALL)
		return;
	found_by_symbols(found, object);
	if (found->count || found->kind != FOUND_NONE)
		return;
	found_by_frames(found, object);
	if (found->kind == FOUND_NONE && debug_file_open(&debug, object, path)) {
		found_by_symbols(found, &debug);
		found->by = "the debug file";
		object_close(&debug);
	}
}
