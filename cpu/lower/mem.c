/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ld and st: spaces, vectors, widths; the hints about caches and order that follow from both. */
#include "lower_check.h"

/* What an access reaches: the handler's address form and its operand. */
struct mem_place {
	enum access_form form;
	int32_t at;
	int64_t offset;
	bool narrow; /* FORM_SHARED_S: an address of 32 bits, which wraps around */
};

void remove_words(struct lowering *l, const char *words)
{
	char word[32];

	while (*words) {
		size_t length = strcspn(words, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		opcode_remove(&l->opcode, word);
		words += length + (words[length] == ' ');
	}
}

static bool in_shared(enum ptx_space space)
{
	return space == PTX_SHARED || space == PTX_SHARED_CLUSTER;
}

enum ptx_space take_space(struct lowering *l)
{
	static const char *const words[] = { "global", "const", "shared", "shared::cta",
					     "shared::cluster", "local", "param", "param::entry",
					     "param::func" };
	static const uint8_t spaces[] = { PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_SHARED,
					  PTX_SHARED_CLUSTER, PTX_LOCAL, PTX_PARAM, PTX_PARAM,
					  PTX_PARAM };

	for (size_t i = 0; i < sizeof(spaces); i++)
		if (opcode_remove(&l->opcode, words[i]))
			return spaces[i];
	return PTX_REG; /* generic */
}

/* The forms that PTX has of each, most frequent first; vectors of wide types separately. */
#define TYPES ".b8/u8/s8/b16/u16/s16/b32/u32/s32/b64/u64/s64/f32/f64/b128"
#define SHARED "shared/shared::cta/shared::cluster"
#define SCOPE ".cta/cluster/gpu/sys"
#define L1 ".L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate?"
#define HINTS L1 ".L2::cache_hint?"
#define FETCH "L2::64B/L2::128B/L2::256B?"
static const char *const load_forms[] = {
	"ld.weak?.global/const/local/param/param::entry/param::func/" SHARED "?"
	".ca/cg/cs/cv/lu?.v2/v4/v8?" TYPES,
	"ld.volatile.global/" SHARED "?.v2/v4/v8?" TYPES,
	"ld.relaxed/acquire" SCOPE ".global/" SHARED "?.v2/v4/v8?" TYPES,
	"ld.global.nc.ca/cg/cs?.v2/v4/v8?" TYPES,
	"ld.global.nc." FETCH HINTS ".v2/v4/v8?" TYPES,
	"ld.weak?.global?." FETCH HINTS ".v2/v4/v8?" TYPES,
	"ld.relaxed/acquire" SCOPE ".global?." FETCH HINTS ".v2/v4/v8?" TYPES,
	"ld.volatile.global?." FETCH ".v2/v4/v8?" TYPES,
	"ld.mmio.relaxed.sys.global?" TYPES,
	"ldu.global?.v2/v4/v8?" TYPES,
};
static const char *const store_forms[] = {
	"st.weak?.global/local/param/param::func/" SHARED "?.wb/cg/cs/wt?.v2/v4/v8?" TYPES,
	("st.volatile.global/" SHARED "?.v2/v4/v8?" TYPES),
	"st.relaxed/release" SCOPE ".global/" SHARED "?.v2/v4/v8?" TYPES,
	"st.weak?.global?" HINTS ".v2/v4/v8?" TYPES,
	"st.relaxed/release" SCOPE ".global?" HINTS ".v2/v4/v8?" TYPES,
	"st.mmio.relaxed.sys.global?" TYPES,
};

enum {
	LOADS = sizeof(load_forms) / sizeof(load_forms[0]),
	STORES = sizeof(store_forms) / sizeof(store_forms[0]),
};

/* What an opcode says of an access; order and hints about caches have no effect. */
struct access {
	enum ptx_space space;
	enum ptx_type type;
	unsigned size, count; /* bytes of an element, elements */
	bool policy;          /* one more operand, without effect */
	bool entry;           /* it is a parameter of the entry, also in a function */
};

/* Removes what only accesses of 256 bits say of L2; without effect here. */
static bool remove_eviction(struct lowering *l)
{
	return opcode_remove(&l->opcode, "L2::evict_last") ||
	       opcode_remove(&l->opcode, "L2::evict_normal") ||
	       opcode_remove(&l->opcode, "L2::evict_first");
}

/* 256 bits in one access: eight of 32 or four of 64, of global memory, from sm_100 on. */
static int check_wide(struct lowering *l, const struct access *access)
{
	const struct ptx *ptx = l->program->ptx;

	if (access->count * access->size != 32 || access->size < 4 || access->size > 8 ||
	    (access->space != PTX_GLOBAL && access->space != PTX_REG) ||
	    opcode_has(&l->opcode, "ldu"))
		return lower_unsupported(l);
	if (ptx->arch < 100 || ptx->version_major * 10 + ptx->version_minor < 88)
		return lower_fail(l, GPURUN_UNSUPPORTED, "is 256 bits wide, which needs .target "
				  "sm_100 and .version 8.8, or newer ones");
	return 0;
}

/*
 * Reads the opcode, which must be one of @forms. The host's loads and stores are
 * ordered at least as strongly as any of them; hints about caches are ignored.
 */
static int read_access(struct lowering *l, const char *const *forms, size_t count,
		       struct access *access)
{
	const struct opcode *opcode = &l->opcode;
	const bool kept = remove_eviction(l);
	size_t i = 0;

	while (i < count && !opcode_matches(opcode, forms[i]))
		i++;
	if (i == count)
		return lower_unsupported(l);
	*access = (struct access){ .type = opcode->types[0], .count = 1 };
	access->size = type_size(access->type);
	for (unsigned part = 0; part < opcode->part_count; part++) {
		struct ptx_name name = opcode->parts[part];

		if (name.length == 2 && name.text[0] == 'v')
			access->count = (unsigned)(name.text[1] - '0');
		access->policy |= name_is(name, "L2::cache_hint");
	}
	access->entry = opcode_has(opcode, "param::entry");
	access->space = take_space(l);
	if (access->count * access->size > 16 || access->count == 8 || kept)
		TRY(check_wide(l, access));
	return expect_operands(l, 2 + access->policy);
}

/* An address in a register, in @space. */
static int register_place(struct lowering *l, const struct operand *operand,
			  enum ptx_space space, struct mem_place *place)
{
	const struct operand base = { .kind = OPERAND_REGISTER, .index = operand->index };
	unsigned size = register_size(l, operand->index);

	if (size != 8 && (size != 4 || space == PTX_REG || space == PTX_GLOBAL))
		return lower_fail(l, GPURUN_FORMAT, "has an address of %u bits", size * 8);
	if (register_slot(l, operand->index) && space != PTX_LOCAL) {
		place->at = register_at(l, operand->index);
		place->form = in_shared(space) ? FORM_SHARED_S : FORM_FLAT_S;
		place->narrow = size == 4;
		return 0;
	}
	TRY(source_row(l, &base, size, ELEMENT_BITS, false, &place->at));
	if (in_shared(space)) {
		place->form = size == 8 ? FORM_SHARED_R8 : FORM_SHARED_R4;
		return 0;
	}
	place->form = FORM_FLAT_R8;
	if (size == 4) {
		int32_t wide = scratch_row(l);

		TRY(resize(l, wide, 8, place->at, 4, false));
		place->at = wide;
	}
	if (space == PTX_LOCAL) {
		int32_t generic = scratch_row(l);

		TRY(emit(l, HANDLER_local_address, generic, place->at, 0, 0, 0));
		place->at = generic;
	}
	return 0;
}

/* Tells whether an instruction for @space can name a variable in @has. */
static bool space_fits(enum ptx_space space, enum ptx_space has)
{
	if (space == PTX_REG)
		return has != PTX_CONST && has != PTX_PARAM;
	return space == has || (in_shared(space) && in_shared(has));
}

/* The address of a named variable. */
static int variable_place(struct lowering *l, const struct operand *operand,
			  enum ptx_space space, struct mem_place *place)
{
	const struct symbol *symbol = &l->body->symbols[operand->index];
	struct operand start = *operand;
	bool scalar;

	if (!space_fits(space, symbol->space))
		return lower_fail(l, GPURUN_FORMAT, "names '%.*s', which is in another state space",
				  (int)symbol->name.length, symbol->name.text);
	start.value = 0;
	TRY(symbol_value(l, &start, &scalar, &place->at));
	if (symbol->space == PTX_SHARED) {
		place->form = FORM_SHARED_S;
		return 0;
	}
	if (scalar) {
		place->form = FORM_FLAT_S;
		return 0;
	}
	place->form = FORM_FLAT_R8;
	if (symbol->space != PTX_LOCAL)
		return 0;
	return emit(l, HANDLER_local_address, place->at, place->at, 0, 0, 0);
}

/* Registers that hold addresses of a function's own parameters, as from mov, are for .local. */
static enum ptx_space loaded_space(const struct lowering *l, const struct access *access)
{
	const bool entry = access->entry || l->body->function->entry;

	if (access->space == PTX_PARAM && !entry && l->operands[1].base == OPERAND_REGISTER)
		return PTX_LOCAL;
	return access->space;
}

static int find_place(struct lowering *l, const struct operand *operand,
		      enum ptx_space space, struct mem_place *place)
{
	int32_t zero;

	if (operand->kind != OPERAND_ADDRESS)
		return lower_fail(l, GPURUN_FORMAT, "has no address in brackets");
	place->offset = operand->value;
	place->narrow = false;
	if (operand->base == OPERAND_REGISTER)
		return register_place(l, operand, space, place);
	if (operand->base == OPERAND_VARIABLE)
		return variable_place(l, operand, space, place);
	if (space != PTX_LOCAL)
		return lower_fail(l, GPURUN_FORMAT,
				  "has a number for an address, which only .local may have");
	place->form = FORM_FLAT_R8;
	place->at = scratch_row(l);
	TRY(constant_slot(l, 0, BASE_NONE, &zero));
	TRY(emit(l, HANDLER_mov_8_s, place->at, zero, 0, 0, 0));
	return emit(l, HANDLER_local_address, place->at, place->at, 0, 0, 0);
}

/* The handler for vectors of @count elements of @size bytes. */
static enum handler handler_for(bool store, const struct mem_place *place, unsigned size,
				unsigned count)
{
	return handler_of_access(store ? ACCESS_STORE : ACCESS_LOAD, place->form, size, count);
}

static int emit_access(struct lowering *l, enum handler handler, bool store,
		       const struct mem_place *place, unsigned size, unsigned count,
		       const int32_t rows[4])
{
	const bool early = !store && l->operands[1].base == OPERAND_VARIABLE;
	int32_t hit = next_hit(l, store);

	TRY(check_before(l, place->form, place->at, place->offset,
			 size * count, store ? ACCESS_WRITE : ACCESS_READ,
			 (store ? size << ACCESS_WIDTH_SHIFT : 0) | ACCESS_FOLLOWED |
				 (place->narrow ? ACCESS_NARROW : 0) |
				 (early ? ACCESS_EARLY : 0)));
	if (!store)
		TRY(check_elements(l, false, size * count));
	TRY(emit(l, handler, rows[0], place->at, hit, place->narrow, place->offset));
	if (count > 1)
		TRY(emit(l, HANDLER_halt, rows[1], rows[2], rows[3], 0, 0));
	if (store)
		TRY(check_elements(l, true, size * count));
	return check_after(l);
}

/* The elements of a vector operand, or the operand itself. */
static int elements_of(struct lowering *l, const struct operand *operand, unsigned count,
		       const struct operand **elements)
{
	*elements = operand;
	if (operand->kind == OPERAND_VECTOR) {
		if (operand->value != count)
			return lower_fail(l, GPURUN_FORMAT, "has a vector of %d elements, where "
				"%u are expected", (int)operand->value, count);
		*elements = l->body->elements + operand->index;
	} else if (count > 1) {
		return lower_fail(l, GPURUN_FORMAT, "has no vector operand");
	}
	return 0;
}

/* Registers may be wider than what is loaded or stored, never narrower. */
static int check_widths(struct lowering *l, const struct operand *elements, unsigned count,
			unsigned size)
{
	for (unsigned i = 0; i < count; i++) {
		if (elements[i].kind != OPERAND_REGISTER)
			continue;
		if (register_size(l, elements[i].index) < size)
			return lower_fail(l, GPURUN_FORMAT,
					  "has a register of %u bits for an access of %u",
					  register_size(l, elements[i].index) * 8, size * 8);
	}
	return 0;
}

/* b128: two halves in one access. */
static int load_wide(struct lowering *l, const struct mem_place *place,
		     const struct operand *to)
{
	int32_t rows[4] = { scratch_row(l), scratch_row(l) }, d;

	TRY(emit_access(l, handler_for(false, place, 8, 2), false, place, 8, 2, rows));
	TRY(result_row(l, to, 16, &d));
	TRY(emit(l, HANDLER_insert, d, rows[0], 16, 8, 0));
	return emit(l, HANDLER_insert, d, rows[1], 16, 8, 1);
}

/* Eight of 32 bits: four of 64 in one access, and their halves. */
static int load_eight(struct lowering *l, const struct mem_place *place,
		      const struct operand *elements, bool sign)
{
	int32_t rows[4] = { scratch_row(l), scratch_row(l), scratch_row(l), scratch_row(l) };

	TRY(emit_access(l, handler_for(false, place, 8, 4), false, place, 8, 4, rows));
	for (unsigned i = 0; i < 8; i++) {
		struct scratch used = l->scratch;
		int32_t d;

		TRY(result_row(l, &elements[i], 4, &d));
		TRY(emit(l, HANDLER_extract, d, rows[i / 2], 8, 4, i % 2));
		TRY(result_done(l, &elements[i], 4, sign, d));
		l->scratch = used;
	}
	return 0;
}

static int store_eight(struct lowering *l, const struct mem_place *place,
		       const struct operand *elements, enum element_class class)
{
	int32_t rows[4] = { scratch_row(l), scratch_row(l), scratch_row(l), scratch_row(l) };

	for (unsigned i = 0; i < 8; i++) {
		struct scratch used = l->scratch;
		int32_t a;

		TRY(source_row(l, &elements[i], 4, class, false, &a));
		TRY(emit(l, HANDLER_insert, rows[i / 2], a, 8, 4, i % 2));
		l->scratch = used;
	}
	return emit_access(l, handler_for(true, place, 8, 4), true, place, 8, 4, rows);
}

static int store_wide(struct lowering *l, const struct mem_place *place,
		      const struct operand *from)
{
	int32_t rows[4] = { scratch_row(l), scratch_row(l) }, a;

	TRY(source_row(l, from, 16, ELEMENT_BITS, false, &a));
	TRY(emit(l, HANDLER_extract, rows[0], a, 16, 8, 0));
	TRY(emit(l, HANDLER_extract, rows[1], a, 16, 8, 1));
	return emit_access(l, handler_for(true, place, 8, 2), true, place, 8, 2, rows);
}

/* One address for all lanes, and slots for the values: loaded one time. */
static int load_slots(struct lowering *l, const struct mem_place *place, unsigned size,
		      unsigned count, const struct operand *elements, bool sign,
		      bool *done)
{
	int32_t slots[4] = { 0 };

	*done = place->form == FORM_FLAT_S || place->form == FORM_SHARED_S;
	for (unsigned i = 0; i < count && *done; i++) {
		unsigned have = elements[i].kind == OPERAND_REGISTER ?
					register_size(l, elements[i].index) : 0;

		*done = have && (have == size || !sign) &&
			result_slot(l, &elements[i], have, &slots[i]);
	}
	if (!*done)
		return 0;
	return emit_access(l, handler_of_access(ACCESS_LOAD_SLOT, place->form, size, count), false,
			   place, size, count, slots);
}

int lower_load(struct lowering *l)
{
	const struct operand *elements;
	struct access access;
	struct mem_place place;
	unsigned count, size;
	int32_t rows[4] = { 0 };
	bool done;

	TRY(read_access(l, load_forms, LOADS, &access));
	count = access.count;
	size = access.size;
	TRY(elements_of(l, &l->operands[0], count, &elements));
	TRY(check_widths(l, elements, count, size));
	TRY(find_place(l, &l->operands[1], loaded_space(l, &access), &place));
	if (size == 16)
		return load_wide(l, &place, elements);
	if (count == 8)
		return load_eight(l, &place, elements, type_signed(access.type));
	TRY(load_slots(l, &place, size, count, elements, type_signed(access.type), &done));
	if (done)
		return 0;
	for (unsigned i = 0; i < count; i++)
		TRY(result_row(l, &elements[i], size, &rows[i]));
	TRY(emit_access(l, handler_for(false, &place, size, count), false, &place, size, count,
			rows));
	for (unsigned i = 0; i < count; i++)
		TRY(result_done(l, &elements[i], size, type_signed(access.type), rows[i]));
	return 0;
}

static enum element_class class_of(enum ptx_type type)
{
	return type == TYPE_F32 ? ELEMENT_F32 : type == TYPE_F64 ? ELEMENT_F64 : ELEMENT_BITS;
}

/* Parameters are written by the caller; an entry or a function only reads its own. */
static int check_written(struct lowering *l, const struct operand *address)
{
	const struct symbol *symbol;

	if (address->base == OPERAND_REGISTER)
		return lower_fail(l, GPURUN_FORMAT, "stores to a parameter that it does not name");
	if (address->base != OPERAND_VARIABLE)
		return 0;
	symbol = &l->body->symbols[address->index];
	if (symbol->home != SYMBOL_PARAM)
		return 0;
	return lower_fail(l, GPURUN_FORMAT, "writes to '%.*s', a parameter that can only be read",
			  (int)symbol->name.length, symbol->name.text);
}

static int store(struct lowering *l)
{
	const struct operand *elements;
	struct access access;
	struct mem_place place;
	unsigned count, size;
	int32_t rows[4] = { 0 };

	TRY(read_access(l, store_forms, STORES, &access));
	count = access.count;
	size = access.size;
	if (access.space == PTX_PARAM)
		TRY(check_written(l, &l->operands[0]));
	TRY(elements_of(l, &l->operands[1], count, &elements));
	TRY(check_widths(l, elements, count, size));
	TRY(find_place(l, &l->operands[0], access.space, &place));
	if (size == 16)
		return store_wide(l, &place, elements);
	if (count == 8)
		return store_eight(l, &place, elements, class_of(access.type));
	for (unsigned i = 0; i < count; i++)
		TRY(source_row(l, &elements[i], size, class_of(access.type), false, &rows[i]));
	return emit_access(l, handler_for(true, &place, size, count), true, &place, size, count,
			   rows);
}

/* st.async [to], value, [mbarrier]: the bytes are complete immediately. */
static int store_async(struct lowering *l)
{
	static const char form[] =
		"st.async.weak?.mbarrier::complete_tx::bytes.v2/v4?."
		"b32/u32/s32/f32/b64/u64/s64/f64";
	const enum ptx_type type = l->opcode.types[0];
	const unsigned size = type_size(type);
	const unsigned count = opcode_has(&l->opcode, "v4") ? 4 :
			       opcode_has(&l->opcode, "v2") ? 2 : 1;
	const enum ptx_space space = take_space(l);
	struct mem_place place = { .form = FORM_FLAT_R8 };
	const struct operand *elements;
	int32_t rows[4] = { 0 };

	if (!opcode_has(&l->opcode, "mbarrier::complete_tx::bytes"))
		return lower_fail(l, GPURUN_FORMAT, "does not say how it completes "
				  "(.mbarrier::complete_tx::bytes)");
	if (!opcode_matches(&l->opcode, form) || count * size > 16)
		return lower_unsupported(l);
	TRY(expect_operands(l, 3));
	TRY(elements_of(l, &l->operands[1], count, &elements));
	TRY(check_widths(l, elements, count, size));
	TRY(address_in(l, &l->operands[0], space, &place.at, &place.offset));
	for (unsigned i = 0; i < count; i++)
		TRY(source_row(l, &elements[i], size, class_of(type), false, &rows[i]));
	TRY(emit_access(l, handler_for(true, &place, size, count), true, &place, size, count,
			rows));
	return lower_complete(l, &l->operands[2], space, count * size);
}

int lower_store(struct lowering *l)
{
	return opcode_has(&l->opcode, "async") ? store_async(l) : store(l);
}

int generic_address(struct lowering *l, const struct operand *operand, int32_t *row,
		    int64_t *offset)
{
	return address_in(l, operand, take_space(l), row, offset);
}

int address_in(struct lowering *l, const struct operand *operand, enum ptx_space space,
	       int32_t *row, int64_t *offset)
{
	struct mem_place place;
	int32_t wide;

	TRY(find_place(l, operand, space, &place));
	*offset = place.offset;
	*row = place.at;
	if (place.form == FORM_FLAT_R8)
		return 0;
	*row = wide = scratch_row(l);
	if (place.form == FORM_SHARED_R4) {
		*offset = 0;
		return emit(l, HANDLER_cluster_window_4, wide, place.at, 0, 0, place.offset);
	}
	if (place.form == FORM_FLAT_S || place.form == FORM_SHARED_S)
		TRY(emit(l, HANDLER_mov_8_s, wide, place.at, 0, 0, 0));
	else
		TRY(resize(l, wide, 8, place.at, 8, false));
	if (place.form == FORM_FLAT_S)
		return 0;
	*offset = 0;
	return emit(l, HANDLER_cluster_window, wide, wide, place.narrow, 0, place.offset);
}
