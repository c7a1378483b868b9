/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lower_count.h"

#include <stdio.h>

#include "asserts.h"
#include "config.h"
#include "counted.h"
#include "lower_mma.h"

/* The column counts of bases.def. */
enum counts {
	COUNTS_NOTHING,
	COUNTS_TYPE,    /* operations, of its first type */
	COUNTS_LOAD,    /* bytes of memory */
	COUNTS_STORE,
	COUNTS_ATOMIC,  /* bytes read and written, and operations of its type */
	COUNTS_COPY,    /* cp.async; exec/bulk.c counts what bulk copies move */
	COUNTS_MATRIX,  /* ldmatrix and stmatrix */
	COUNTS_PRODUCT, /* operations of a product, by its shape; without one, those of the row */
};

struct counting {
	enum counts counts;
	unsigned operations;
};

static struct counting counting_of(const struct insn *insn)
{
	static const struct counting countings[] = {
#define BASE(id, spelling, lowering, parks, results, control, kind, flow, lanes, counts, \
	     operations)                                                                \
	{ COUNTS_##counts, operations },
#include "bases.def"
	};

	ASSERT(insn->base < INSN_BASES);
	return countings[insn->base];
}

static int add(struct lowering *l, enum counted_kind kind, uint64_t amount)
{
	return amount ? emit(l, HANDLER_count, (int32_t)kind, 0, 0, 0, (int64_t)amount) : 0;
}

/* ---- operations ---- */

/* The first type of the opcode; "" when it has none. */
static struct ptx_name first_type(const struct opcode *opcode)
{
	for (unsigned i = 0; i < opcode->part_count; i++)
		if (opcode->type_of[i] != TYPE_NONE)
			return opcode->parts[i];
	return (struct ptx_name){ "", 0 };
}

static bool name_begins(struct ptx_name name, const char *text)
{
	return name.length >= strlen(text) && !memcmp(name.text, text, strlen(text));
}

static enum counted_kind kind_of_type(struct ptx_name type)
{
	if (name_begins(type, "f16") || name_begins(type, "bf16"))
		return COUNTED_F16;
	if (name_begins(type, "f32"))
		return COUNTED_F32;
	return name_begins(type, "f64") ? COUNTED_F64 : COUNTED_INTEGER;
}

/* How many values of @type are in a register: two in f16x2. */
static unsigned packed(struct ptx_name type)
{
	const char *last = type.text + type.length - 2;

	return type.length > 2 && last[0] == 'x' ? (unsigned)(last[1] - '0') : 1;
}

/* Elements of a vector: 2 of .v2. */
static unsigned elements(const struct opcode *opcode)
{
	for (unsigned i = 0; i < opcode->part_count; i++)
		if (opcode->parts[i].length == 2 && name_begins(opcode->parts[i], "v"))
			return (unsigned)(opcode->parts[i].text[1] - '0');
	return 1;
}

/* Operations on predicates are none. */
static int count_type(struct lowering *l, unsigned operations)
{
	const struct ptx_name type = first_type(&l->opcode);

	if (name_is(type, "pred"))
		return 0;
	return add(l, kind_of_type(type),
		   (uint64_t)operations * packed(type) * elements(&l->opcode));
}

/* ---- memory ---- */

/* Bytes at @operand, an address. Memory of constants, parameters and stacks is not counted. */
static int count_access(struct lowering *l, const struct operand *operand, uint32_t read,
			uint32_t written)
{
	static const char *const others[] = { "const", "local", "param", "param::entry",
					      "param::func" };
	const struct scratch used = l->scratch;
	const struct opcode *opcode = &l->opcode;
	const bool shared = opcode_has(opcode, "shared") || opcode_has(opcode, "shared::cta") ||
			    opcode_has(opcode, "shared::cluster");
	int64_t offset;
	int32_t row;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (opcode_has(opcode, others[i]))
			return 0;
	if (shared || opcode_has(opcode, "global") || l->insn->base == INSN_LDU) {
		TRY(add(l, shared ? COUNTED_SHARED_READ : COUNTED_GLOBAL_READ, read));
		return add(l, shared ? COUNTED_SHARED_WRITTEN : COUNTED_GLOBAL_WRITTEN, written);
	}
	TRY(generic_address(l, operand, &row, &offset));
	TRY(emit(l, HANDLER_count_generic, 0, row, (int32_t)read, (int32_t)written, offset));
	l->scratch = used;
	return 0;
}

/* Bytes that a thread moves with the type and the vector of the opcode. */
static uint32_t bytes_moved(const struct lowering *l)
{
	const struct opcode *opcode = &l->opcode;

	return type_size(opcode->types[0]) * elements(opcode);
}

static int count_atomic(struct lowering *l, unsigned operations)
{
	const struct operand *address = &l->operands[l->insn->base == INSN_ATOM];

	if (l->insn->count < 2)
		return 0;
	TRY(count_access(l, address, bytes_moved(l), bytes_moved(l)));
	if (opcode_has(&l->opcode, "exch") || opcode_has(&l->opcode, "cas"))
		return 0;
	return count_type(l, operations);
}

/* cp.async [to], [from], SIZE {, bytes to read, or a predicate to read none} {, policy} */
static int count_copy(struct lowering *l)
{
	const struct operand *size = &l->operands[2], *limit = &l->operands[3];
	const unsigned policy = opcode_has(&l->opcode, "L2::cache_hint");
	const struct scratch used = l->scratch;
	int32_t at;

	if (opcode_has(&l->opcode, "bulk") || l->insn->count < 3 || size->kind != OPERAND_INTEGER)
		return 0;
	TRY(add(l, COUNTED_SHARED_WRITTEN, (uint64_t)size->value));
	if (l->insn->count != 4 + policy)
		return add(l, COUNTED_GLOBAL_READ, (uint64_t)size->value);
	if (limit->kind == OPERAND_REGISTER && !register_size(l, limit->index)) {
		TRY(source_predicate(l, limit, &at));
		TRY(emit(l, HANDLER_count_unless, COUNTED_GLOBAL_READ, at, 0, 0, size->value));
	} else {
		TRY(source_row(l, limit, 4, ELEMENT_BITS, false, &at));
		TRY(emit(l, HANDLER_count_limited, COUNTED_GLOBAL_READ, at, 0, 0, size->value));
	}
	l->scratch = used;
	return 0;
}

/* ---- matrices ---- */

/* Fragments are in registers of 32 bits. */
static int count_matrix(struct lowering *l)
{
	const bool store = l->insn->base == INSN_STMATRIX;
	const struct operand *fragments = &l->operands[store];

	if (l->insn->count < 2 || fragments->kind != OPERAND_VECTOR)
		return 0;
	return add(l, store ? COUNTED_SHARED_WRITTEN : COUNTED_SHARED_READ,
		   4 * (uint64_t)fragments->value);
}

struct product_shape {
	unsigned m, n, k;
};

static bool find_shape(const struct opcode *opcode, struct product_shape *shape)
{
	for (unsigned i = 0; i < opcode->part_count; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%.*s", (int)opcode->parts[i].length,
			 opcode->parts[i].text);
		if (sscanf(text, "m%3un%3uk%3u", &shape->m, &shape->n, &shape->k) == 3)
			return true;
	}
	return false;
}

/* wmma.load.a: matrix a, b, c or d of the shape, of one type. */
static int count_fragment(struct lowering *l, const struct product_shape *shape)
{
	const struct opcode *opcode = &l->opcode;
	const bool store = opcode_has(opcode, "store");
	int type = -1;
	const unsigned elements = opcode_has(opcode, "a") ? shape->m * shape->k :
				  opcode_has(opcode, "b") ? shape->k * shape->n :
							    shape->m * shape->n;
	uint32_t bytes;

	for (unsigned i = 0; type < 0 && i < opcode->part_count; i++)
		type = mma_type_of(opcode->parts[i]);
	if (type < 0 || l->insn->count < 2)
		return 0;
	bytes = elements * mma_bits((enum mma_type)type) / 8 / LANES;
	return count_access(l, &l->operands[!store], store ? 0 : bytes, store ? bytes : 0);
}

/* Tells whether the matrices of the product are of integers, or of bits. */
static bool is_integer(const struct opcode *opcode)
{
	static const char *const types[] = { "s8", "u8", "s4", "u4", "b1" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (opcode_has(opcode, types[i]))
			return true;
	return false;
}

/* A warp, or the four of wgmma, share a product; mma.m8n8k4 of f16 is four of them. */
static int count_product(struct lowering *l, unsigned operations)
{
	const struct opcode *opcode = &l->opcode;
	struct product_shape shape;
	uint64_t total;

	if (!find_shape(opcode, &shape))
		return add(l, COUNTED_MATRIX_INTEGER, operations);
	if (opcode_has(opcode, "load") || opcode_has(opcode, "store"))
		return count_fragment(l, &shape);
	total = 2ull * shape.m * shape.n * shape.k;
	if (l->insn->base == INSN_MMA && shape.k == 4 && opcode_has(opcode, "f16"))
		total *= 4;
	return add(l, is_integer(opcode) ? COUNTED_MATRIX_INTEGER : COUNTED_MATRIX_FLOAT,
		   total / (l->insn->base == INSN_WGMMA ? 4 * LANES : LANES));
}

int count_before(struct lowering *l)
{
	const struct counting counting = counting_of(l->insn);

	if (!config.count)
		return 0;
	switch (counting.counts) {
	case COUNTS_NOTHING:
		return 0;
	case COUNTS_TYPE:
		return count_type(l, counting.operations);
	case COUNTS_LOAD:
		return l->insn->count < 2 ? 0 :
					    count_access(l, &l->operands[1], bytes_moved(l), 0);
	case COUNTS_STORE:
		return l->insn->count < 2 ? 0 :
					    count_access(l, &l->operands[0], 0, bytes_moved(l));
	case COUNTS_ATOMIC:
		return count_atomic(l, counting.operations);
	case COUNTS_COPY:
		return count_copy(l);
	case COUNTS_MATRIX:
		return count_matrix(l);
	case COUNTS_PRODUCT:
		return count_product(l, counting.operations);
	}
	return 0;
}
