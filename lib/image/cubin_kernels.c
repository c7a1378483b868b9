/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A kernel K is a symbol: STT_FUNC with bit 0x10 in st_other and a section,
 * ".text.K". What is known of it is in
 *
 *	.nv.info	records "u32 symbol, u32 value" (registers, stack)
 *	.nv.info.K	records of parameters, block and cluster sizes, barriers
 *	.nv.shared.K	its size is the static shared memory; once linked for sm_90
 *			and later, 1,024 bytes of it are reserved by the system
 *	.nv.constant0.K	its size is that of the constant bank with the parameters
 *	.text.K		CUDA 11, 12: bits 20-26 of sh_flags count the barriers
 *
 * sh_info of .nv.info.K and .nv.shared.K is the index of ".text.K", or 0 in some relocatable
 * cubins, where the name has to do. Parameters: 12 bytes,
 *
 *	u32 index, u16 ordinal, u16 offset, then
 *	v1	u32: bits 8-11 pointer space, bits 18-31 size
 *	v2	u16 size, u16: bits 8-11 pointer space
 *
 * An offset in a message counts from the beginning of the cubin.
 */
#include "array.h"
#include "cleanup.h"
#include "cubin.h"
#include "cubin_record.h"
#include "elf64.h"

#include <elf.h>
#include <inttypes.h>

enum {
	INFO = 0x70000000,
	SYMBOL_KERNEL = 0x10,
	RESERVED_SHARED = 1024,
	OSABI_OLD = 0x33, /* of CUDA 11 and 12 */
};

enum {
	FORMAT_PAYLOAD = 4,
	MAX_THREADS = 0x05,
	REQUIRED_THREADS = 0x10,
	FRAME_BYTES = 0x11,
	STACK_BYTES = 0x12,
	PARAM = 0x17,
	PARAM_BYTES = 0x19,
	MAX_REGISTERS = 0x1B,
	REGISTERS = 0x2F,
	CLUSTER = 0x3D,
	MAX_CLUSTER = 0x3F,
	PARAM_V2 = 0x45,
	BARRIERS = 0x4C,
	BLOCKS_ARE_CLUSTERS = 0x5B,
};

enum { NO_LIMIT = 0xFF }; /* of MAX_REGISTERS */

/* Which symbol a kernel is, and the section of its code. */
struct place {
	size_t symbol;
	uint32_t text;
};

struct kernel_reader {
	struct elf64 elf;
	struct cubin_head head;
	struct kernel_info *kernels;  /* owned */
	struct place *places;         /* owned; one per kernel, by rising symbol */
	uint32_t *by_text;            /* owned; per section: index of its kernel + 1, or 0 */
	struct kernel_info **by_name; /* owned; sorted */
	size_t count;
	uint64_t left;       /* kernels and parameters that may still follow: kernel_info_most() */
	uint64_t names_left; /* bytes that names may still have: see elf64_name() */
};

static void release_reader(struct kernel_reader *reader)
{
	kernel_info_free(reader->kernels, reader->count);
	free(reader->places);
	free(reader->by_text);
	free(reader->by_name);
}

int cubin_record(struct bytes data, uint64_t *offset, struct cubin_record *record,
		 struct err *e)
{
	const uint8_t *p = bytes_at(data, *offset, 4);

	*record = (struct cubin_record){ 0 };
	if (p) {
		record->code = p[1];
		record->value = load_u16(p + 2);
	}
	if (!p || (p[0] == FORMAT_PAYLOAD &&
		   !bytes_slice(data, *offset + 4, record->value, &record->payload)))
		return err_set(e, GPURUN_FORMAT,
			       "attribute %#x of %u bytes in the %" PRIu64 " left",
			       record->code, record->value, data.size - *offset);
	*offset += 4 + record->payload.size;
	return 0;
}

/* ---- The list of kernels ---------------------------------------------- */

/* Subtracts @count from reader->left. */
static int count_declared(struct kernel_reader *reader, size_t count, struct err *e)
{
	const size_t size = reader->elf.bytes.size;

	if (count > reader->left)
		return err_set(e, GPURUN_FORMAT,
			       "more than %" PRIu64 " kernels and parameters in a cubin of %zu "
			       "bytes",
			       kernel_info_most(size), size);
	reader->left -= count;
	return 0;
}

static int add_kernel(struct kernel_reader *reader, const struct elf64_symbol *symbol,
		      const char *name, size_t index, struct err *e)
{
	struct kernel_info *info;
	struct place *place =
		array_grow(&reader->places, reader->count, sizeof(*reader->places));

	TRY(count_declared(reader, 1, e));
	info = place ? array_grow(&reader->kernels, reader->count, sizeof(*info)) : NULL;
	if (!info)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*place = (struct place){ index, symbol->section };
	reader->count++;
	info->local = symbol->binding == STB_LOCAL;
	kernel_info_begin(info);
	info->static_shared = info->barriers = 0; /* unless a section or record says so */
	info->name = strdup(name);
	if (!info->name)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	return 0;
}

static bool is_kernel(const struct elf64 *elf, const struct elf64_symbol *symbol)
{
	return symbol->type == STT_FUNC && (symbol->other & SYMBOL_KERNEL) &&
	       symbol->section && symbol->section < elf->section_count;
}

static int list_symbols(struct kernel_reader *reader, const struct elf64_section *table,
			struct err *e)
{
	for (size_t i = 0; i < elf64_symbol_count(&reader->elf, table); i++) {
		struct elf64_symbol symbol;
		const char *name;

		elf64_symbol(&reader->elf, table, i, &symbol);
		if (!is_kernel(&reader->elf, &symbol))
			continue;
		name = elf64_name(symbol.name, &reader->names_left);
		if (!reader->names_left)
			return err_set(
				e, GPURUN_FORMAT,
				"the names of %zu kernels are larger than the cubin",
				reader->count + 1);
		if (*name)
			TRY(add_kernel(reader, &symbol, name, i, e));
	}
	return 0;
}

static int compare_kernel(const void *a, const void *b)
{
	return strcmp((*(struct kernel_info *const *)a)->name,
		      (*(struct kernel_info *const *)b)->name);
}

static int index_kernels(struct kernel_reader *reader, struct err *e)
{
	reader->by_text =
		calloc(reader->elf.section_count + 1, sizeof(reader->by_text[0]));
	reader->by_name = calloc(reader->count + 1, sizeof(reader->by_name[0]));
	if (!reader->by_text || !reader->by_name)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < reader->count; i++) {
		reader->by_text[reader->places[i].text] = (uint32_t)(i + 1);
		reader->by_name[i] = &reader->kernels[i];
	}
	qsort(reader->by_name, reader->count, sizeof(reader->by_name[0]), compare_kernel);
	return 0;
}

static int list_kernels(struct kernel_reader *reader, struct err *e)
{
	struct elf64_section section;

	for (size_t i = 0; i < reader->elf.section_count; i++) {
		elf64_section(&reader->elf, i, &section);
		if (section.type == SHT_SYMTAB) {
			TRY(list_symbols(reader, &section, e));
			break;
		}
	}
	return index_kernels(reader, e);
}

/* ---- Attributes ------------------------------------------------------- */

static void read_param(const struct cubin_record *record, struct kernel_param *param)
{
	const uint8_t *p = record->payload.data;
	uint32_t size = record->code == PARAM ? load_u32(p + 8) >> 18 : load_u16(p + 8);
	uint32_t flags = record->code == PARAM ? load_u32(p + 8) : load_u16(p + 10);
	unsigned space = (flags >> 8) & 15;

	param->kind = PARAM_UNKNOWN;
	param->space =
		space <= PARAM_GENERIC ? (enum param_space)space : PARAM_NOT_POINTER;
	param->offset = load_u16(p + 6);
	param->size = param->width = size;
	param->count = 1;
}

static bool is_param(const struct cubin_record *record)
{
	return (record->code == PARAM || record->code == PARAM_V2) &&
	       record->payload.size == 12;
}

/* Reads three numbers, if there are three. */
static void read_dims(const struct cubin_record *record, unsigned dims[3])
{
	for (size_t i = 0; i < 3 && record->payload.size == 12; i++)
		dims[i] = load_u32(record->payload.data + 4 * i);
}

/* Reads a record of .nv.info.K about the whole kernel. */
static void read_limit(const struct cubin_record *record, struct kernel_info *info)
{
	switch (record->code) {
	case PARAM_BYTES:
		info->param_bytes = record->value;
		return;
	case MAX_THREADS:
		read_dims(record, info->max_block);
		return;
	case REQUIRED_THREADS:
		read_dims(record, info->required_block);
		return;
	case CLUSTER:
		read_dims(record, info->cluster);
		return;
	case MAX_CLUSTER:
		if (record->payload.size == 4)
			info->max_cluster = load_u32(record->payload.data);
		return;
	case MAX_REGISTERS:
		info->max_registers = record->value == NO_LIMIT ? 0 : record->value;
		return;
	case BARRIERS:
		info->barriers = record->value & 0xff;
		return;
	default:
		return;
	}
}

/* Reads one record of .nv.info.K. */
static int read_attribute(const struct cubin_record *record, struct kernel_info *info,
			  struct err *e)
{
	const uint8_t *p = record->payload.data;

	read_limit(record, info);
	if (!is_param(record))
		return 0;
	if (load_u16(p + 4) >= info->param_count)
		return err_set(e, GPURUN_FORMAT, "parameter %u of %zu", load_u16(p + 4),
			       info->param_count);
	read_param(record, &info->params[load_u16(p + 4)]);
	return 0;
}

static int check_params(const struct kernel_info *info, struct err *e)
{
	for (size_t i = 0; i < info->param_count; i++) {
		const struct kernel_param *param = &info->params[i];

		if (!param->count)
			return err_set(e, GPURUN_FORMAT,
				       "parameter %zu of %zu is missing", i,
				       info->param_count);
		if (param->offset + param->size > info->param_bytes)
			return err_set(e, GPURUN_FORMAT,
				       "parameter %zu ends at byte %" PRIu64
				       " of %" PRIu64,
				       i, param->offset + param->size, info->param_bytes);
	}
	return 0;
}

static int read_info(struct kernel_reader *reader, struct bytes data,
		     struct kernel_info *info, struct err *e)
{
	struct cubin_record record;
	bool in_clusters = false;
	uint64_t offset = 0;
	size_t count = 0;

	while (offset < data.size) {
		TRY(cubin_record(data, &offset, &record, e));
		count += is_param(&record);
	}
	if (info->params)
		return 0;
	TRY(count_declared(reader, count, e));
	info->params = calloc(count + 1, sizeof(info->params[0]));
	if (!info->params)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	info->param_count = count;
	for (offset = 0; offset < data.size;) {
		TRY(cubin_record(data, &offset, &record, e));
		TRY(read_attribute(&record, info, e));
		in_clusters |= record.code == BLOCKS_ARE_CLUSTERS;
	}
	if (in_clusters) /* the grid is of clusters then, and need not be divided */
		memset(info->cluster, 0, sizeof(info->cluster));
	return check_params(info, e);
}

static int compare_place(const void *key, const void *element)
{
	size_t symbol = *(const size_t *)key;
	const struct place *place = element;

	return (symbol > place->symbol) - (symbol < place->symbol);
}

/* Reads a record of .nv.info, of @value, about the kernel of @info. */
static void read_value(struct kernel_info *info, unsigned code, uint32_t value)
{
	if (code == REGISTERS)
		info->registers = (int)(value & 0xffff);
	else if ((code == FRAME_BYTES || code == STACK_BYTES) && (int64_t)value > info->stack)
		info->stack = value;
}

/* Reads .nv.info: what the whole cubin keeps by symbol. */
static int read_module_info(struct kernel_reader *reader, struct bytes data,
			    struct err *e)
{
	struct cubin_record record;
	uint64_t offset = 0;

	while (offset < data.size) {
		struct place *place;
		size_t symbol;

		TRY(cubin_record(data, &offset, &record, e));
		if (record.payload.size != 8 || !reader->count)
			continue;
		symbol = load_u32(record.payload.data);
		place = bsearch(&symbol, reader->places, reader->count, sizeof(*place),
				compare_place);
		if (place)
			read_value(&reader->kernels[place - reader->places], record.code,
				   load_u32(record.payload.data + 4));
	}
	return 0;
}

/* ---- Sections --------------------------------------------------------- */

/*
 * Finds the kernel that a section "@prefix<name>" belongs to; NULL when there is none, or
 * when the sections' names overlap too much.
 */
static struct kernel_info *owner(struct kernel_reader *reader,
				 const struct elf64_section *section, const char *prefix)
{
	struct kernel_info wanted, *key = &wanted, **found;
	const char *name;

	if (!elf64_begins(section->name, prefix))
		return NULL;
	if (section->info && section->info < reader->elf.section_count) {
		uint32_t index = reader->by_text[section->info];

		return index ? &reader->kernels[index - 1] : NULL;
	}
	name = elf64_name(section->name, &reader->names_left);
	if (!*name)
		return NULL;
	wanted.name = (char *)name + strlen(prefix);
	found = bsearch(&key, reader->by_name, reader->count, sizeof(key),
			compare_kernel);
	return found ? *found : NULL;
}

static int read_section(struct kernel_reader *reader, const struct elf64_section *section,
			struct err *e)
{
	struct bytes data = elf64_data(&reader->elf, section);
	struct kernel_info *info;
	bool with_reserved = reader->head.arch >= 90 && !reader->head.relocatable;
	uint64_t reserved = with_reserved ? RESERVED_SHARED : 0;
	int status;

	if (section->type == INFO && elf64_is_named(section->name, ".nv.info"))
		return read_module_info(reader, data, e);
	info = section->type == INFO ? owner(reader, section, ".nv.info.") : NULL;
	status = info ? read_info(reader, data, info, e) : 0;
	if (status) {
		err_wrap(e, "kernel '%s'", info->name);
		return status;
	}
	info = section->size <= INT64_MAX ? owner(reader, section, ".nv.shared.") : NULL;
	if (info)
		info->static_shared =
			(int64_t)(section->size > reserved ? section->size - reserved
							   : 0);
	info = section->size <= INT64_MAX ? owner(reader, section, ".nv.constant0.") : NULL;
	if (info)
		info->constant = (int64_t)section->size;
	return 0;
}

/* What CUDA 11 and 12 keep with the code; CUDA 13 has a record. */
static void read_code(struct kernel_reader *reader, size_t index,
		      const struct elf64_section *section)
{
	const uint32_t kernel = reader->by_text[index];

	if (kernel && reader->elf.bytes.data[EI_OSABI] == OSABI_OLD)
		reader->kernels[kernel - 1].barriers = (int)(section->flags >> 20 & 0x7f);
}

int cubin_kernels(struct bytes bytes, struct kernel_info **kernels, size_t *count,
		  struct err *e)
{
	CLEANUP(release_reader) struct kernel_reader reader = { 0 };
	struct elf64_section section;
	int status;

	*kernels = NULL;
	*count = 0;
	TRY(cubin_head(bytes, &reader.head, e));
	TRY(elf64_open(bytes, &reader.elf, e));
	reader.left = kernel_info_most(bytes.size);
	reader.names_left = bytes.size;
	TRY(list_kernels(&reader, e));
	reader.names_left = bytes.size; /* the sections' are in a table of their own */
	for (size_t i = 0; i < reader.elf.section_count; i++) {
		elf64_section(&reader.elf, i, &section);
		read_code(&reader, i, &section);
		status = read_section(&reader, &section, e);
		if (status) {
			err_wrap(e, "section at offset %#" PRIx64, section.offset);
			return status;
		}
	}
	*count = reader.count;
	*kernels = STEAL(reader.kernels);
	reader.count = 0;
	return 0;
}
