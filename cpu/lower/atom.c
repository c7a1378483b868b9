/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* atom and red: their address is made generic, their operands rows. */
#include "lower_check.h"

enum shape { SHAPE_ONE, SHAPE_SWAP, SHAPE_VECTOR };

/* An operation: what it is called, for which types, and where it is legal. */
static const struct atomic {
	const char *op, *types;  /* "/u32/s32/" */
	uint16_t handler;
	uint8_t shape;           /* enum shape; SHAPE_SWAP has a third operand */
	bool noftz;              /* must be said */
	bool only_atom;          /* there is no red */
} atomics[] = {
	{ "add", "/u32/s32/", HANDLER_atom_add_4, SHAPE_ONE, false, false },
	{ "add", "/u64/", HANDLER_atom_add_8, SHAPE_ONE, false, false },
	{ "add", "/f32/", HANDLER_atom_add_f32, SHAPE_ONE, false, false },
	{ "add", "/f64/", HANDLER_atom_add_f64, SHAPE_ONE, false, false },
	{ "add", "/f16/", HANDLER_atom_add_f16, SHAPE_ONE, true, false },
	{ "add", "/bf16/", HANDLER_atom_add_bf16, SHAPE_ONE, true, false },
	{ "add", "/f16x2/", HANDLER_atom_add_f16x2, SHAPE_ONE, true, false },
	{ "add", "/bf16x2/", HANDLER_atom_add_bf16x2, SHAPE_ONE, true, false },
	{ "and", "/b32/", HANDLER_atom_and_4, SHAPE_ONE, false, false },
	{ "and", "/b64/", HANDLER_atom_and_8, SHAPE_ONE, false, false },
	{ "or", "/b32/", HANDLER_atom_or_4, SHAPE_ONE, false, false },
	{ "or", "/b64/", HANDLER_atom_or_8, SHAPE_ONE, false, false },
	{ "xor", "/b32/", HANDLER_atom_xor_4, SHAPE_ONE, false, false },
	{ "xor", "/b64/", HANDLER_atom_xor_8, SHAPE_ONE, false, false },
	{ "exch", "/b32/", HANDLER_atom_exch_4, SHAPE_ONE, false, true },
	{ "exch", "/b64/", HANDLER_atom_exch_8, SHAPE_ONE, false, true },
	{ "exch", "/b128/", HANDLER_atom_exch_16, SHAPE_ONE, false, true },
	{ "cas", "/b16/", HANDLER_atom_cas_2, SHAPE_SWAP, false, true },
	{ "cas", "/b32/", HANDLER_atom_cas_4, SHAPE_SWAP, false, true },
	{ "cas", "/b64/", HANDLER_atom_cas_8, SHAPE_SWAP, false, true },
	{ "cas", "/b128/", HANDLER_atom_cas_16, SHAPE_SWAP, false, true },
	{ "min", "/u32/", HANDLER_atom_min_u32, SHAPE_ONE, false, false },
	{ "min", "/s32/", HANDLER_atom_min_s32, SHAPE_ONE, false, false },
	{ "min", "/u64/", HANDLER_atom_min_u64, SHAPE_ONE, false, false },
	{ "min", "/s64/", HANDLER_atom_min_s64, SHAPE_ONE, false, false },
	{ "max", "/u32/", HANDLER_atom_max_u32, SHAPE_ONE, false, false },
	{ "max", "/s32/", HANDLER_atom_max_s32, SHAPE_ONE, false, false },
	{ "max", "/u64/", HANDLER_atom_max_u64, SHAPE_ONE, false, false },
	{ "max", "/s64/", HANDLER_atom_max_s64, SHAPE_ONE, false, false },
	{ "inc", "/u32/", HANDLER_atom_inc_u32, SHAPE_ONE, false, false },
	{ "dec", "/u32/", HANDLER_atom_dec_u32, SHAPE_ONE, false, false },
	{ "add", "/f32/", HANDLER_atom_vector_add_f32, SHAPE_VECTOR, false, false },
	{ "add", "/f16/", HANDLER_atom_vector_add_f16, SHAPE_VECTOR, true, false },
	{ "min", "/f16/", HANDLER_atom_vector_min_f16, SHAPE_VECTOR, true, false },
	{ "max", "/f16/", HANDLER_atom_vector_max_f16, SHAPE_VECTOR, true, false },
	{ "add", "/f16x2/", HANDLER_atom_vector_add_f16x2, SHAPE_VECTOR, true, false },
	{ "min", "/f16x2/", HANDLER_atom_vector_min_f16x2, SHAPE_VECTOR, true, false },
	{ "max", "/f16x2/", HANDLER_atom_vector_max_f16x2, SHAPE_VECTOR, true, false },
	{ "add", "/bf16/", HANDLER_atom_vector_add_bf16, SHAPE_VECTOR, true, false },
	{ "min", "/bf16/", HANDLER_atom_vector_min_bf16, SHAPE_VECTOR, true, false },
	{ "max", "/bf16/", HANDLER_atom_vector_max_bf16, SHAPE_VECTOR, true, false },
	{ "add", "/bf16x2/", HANDLER_atom_vector_add_bf16x2, SHAPE_VECTOR, true, false },
	{ "min", "/bf16x2/", HANDLER_atom_vector_min_bf16x2, SHAPE_VECTOR, true, false },
	{ "max", "/bf16x2/", HANDLER_atom_vector_max_bf16x2, SHAPE_VECTOR, true, false },
};

/* A parsed instruction. */
struct atom_access {
	const struct atomic *atomic;
	const struct operand *result, *address, *values; /* result NULL: none */
	const struct operand *mbarrier; /* of red.async; else NULL */
	enum ptx_space space;
	unsigned count, size;    /* elements, bytes of each */
	int32_t at;              /* row of generic addresses */
	int64_t offset;
};

/* Removes at most one of @words ("a b c") from the opcode. */
static void remove_one(struct lowering *l, const char *words)
{
	char word[32];

	while (*words) {
		size_t length = strcspn(words, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (opcode_remove(&l->opcode, word))
			return;
		words += length + (words[length] == ' ');
	}
}

/* What is left of the opcode must be one operation and one type, in either order. */
static int find_atom_operation(struct lowering *l, struct atom_access *access)
{
	bool noftz = opcode_remove(&l->opcode, "noftz"), type_first = l->opcode.type_of[0];
	const struct ptx_name *type = &l->opcode.parts[!type_first];
	char spelt[16];

	if (l->opcode.part_count != 2 || l->opcode.type_count != 1)
		return lower_unsupported(l);
	snprintf(spelt, sizeof(spelt), "/%.*s/", (int)type->length, type->text);
	for (unsigned i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++) {
		const struct atomic *atomic = &atomics[i];

		if (!name_is(l->opcode.parts[type_first], atomic->op) ||
		    !strstr(atomic->types, spelt) || atomic->noftz != noftz ||
		    (atomic->only_atom && !access->result) ||
		    (atomic->shape == SHAPE_VECTOR) != (access->count > 1))
			continue;
		access->atomic = atomic;
		access->size = type_size(l->opcode.types[0]);
		/* the widest access there is has 16 bytes */
		return access->count * access->size > 16 ? lower_unsupported(l) : 0;
	}
	return lower_unsupported(l);
}

/* add.s64 is add.u64, and does not exist for atom. */
static void replace_signed_add(struct opcode *opcode)
{
	static const struct ptx_name u64 = { "u64", 3 };

	if (!opcode_has(opcode, "add") || opcode->types[0] != TYPE_S64)
		return;
	for (unsigned i = 0; i < opcode->part_count; i++) {
		if (!opcode->type_of[i])
			continue;
		opcode->parts[i] = u64;
		opcode->type_of[i] = TYPE_U64;
	}
	opcode->types[0] = TYPE_U64;
}

/* red.async [to], value, [mbarrier]: of integers in the cluster's shared memory. */
static int parse_async(struct lowering *l, struct atom_access *access)
{
	TRY(expect_operands(l, 3));
	remove_one(l, "mbarrier::complete_tx::bytes");
	replace_signed_add(&l->opcode);
	access->mbarrier = access->values + 1;
	access->space = opcode_remove(&l->opcode, "shared::cluster") ? PTX_SHARED_CLUSTER : PTX_REG;
	TRY(find_atom_operation(l, access));
	return access->size == 4 || access->atomic->handler == HANDLER_atom_add_8 ?
		       0 : lower_unsupported(l);
}

/* Finds what the instruction does, and to what; checks what it must not have. */
static int parse_insn(struct lowering *l, struct atom_access *access)
{
	static const char async[] =
		"red.async.relaxed.cluster.shared::cluster?.mbarrier::complete_tx::bytes."
		"add/min/max/inc/dec/and/or/xor.b32/u32/s32/u64/s64";
	bool returns = l->insn->base == INSN_ATOM;
	bool is_async = !returns && opcode_has(&l->opcode, "async");
	bool policy = opcode_remove(&l->opcode, "L2::cache_hint");
	bool elsewhere = opcode_has(&l->opcode, "const") || opcode_has(&l->opcode, "local") ||
			 opcode_has(&l->opcode, "param");
	bool shared = opcode_has(&l->opcode, "shared") || opcode_has(&l->opcode, "shared::cta") ||
		      opcode_has(&l->opcode, "shared::cluster");

	if (is_async && !opcode_matches(&l->opcode, async))
		return lower_unsupported(l);
	access->count = opcode_remove(&l->opcode, "v2") ? 2 :
			opcode_remove(&l->opcode, "v4") ? 4 :
			opcode_remove(&l->opcode, "v8") ? 8 : 1;
	elsewhere |= access->count > 1 && shared;
	if (elsewhere)
		return lower_fail(l, GPURUN_FORMAT, "is for other spaces");
	remove_one(l, returns ? "relaxed acquire release acq_rel" : "relaxed release");
	remove_one(l, "cta cluster gpu sys");
	if (l->insn->count < 2u + returns)
		return expect_operands(l, 2u + returns);
	access->result = returns ? l->operands : NULL;
	access->address = l->operands + returns;
	access->values = access->address + 1;
	if (is_async) {
		opcode_remove(&l->opcode, "async");
		return parse_async(l, access);
	}
	access->space = take_space(l);
	TRY(find_atom_operation(l, access));
	if (policy && (shared || access->atomic->shape == SHAPE_SWAP))
		return lower_fail(l, GPURUN_FORMAT, "takes no cache policy");
	return expect_operands(l, 2u + returns + (access->atomic->shape == SHAPE_SWAP) + policy);
}

/* The last ops before the operation: what is compiled takes both as one (ir/build_access.c). */
static int find_address(struct lowering *l, struct atom_access *access)
{
	return address_in(l, access->address, access->space, &access->at, &access->offset);
}

static int source(struct lowering *l, const struct operand *operand, unsigned size, int32_t *row)
{
	enum ptx_type type = l->opcode.types[0];

	return source_row(l, operand, size,
			  type == TYPE_F32 ? ELEMENT_F32 :
			  type == TYPE_F64 ? ELEMENT_F64 : ELEMENT_BITS,
			  false, row);
}

/* Element @i of @operand; of '_', every one is '_'. */
static int element(struct lowering *l, const struct atom_access *access,
		   const struct operand *operand, unsigned i, const struct operand **out)
{
	*out = operand;
	if (operand->kind == OPERAND_SINK)
		return 0;
	if (operand->kind != OPERAND_VECTOR || operand->value != access->count)
		return lower_fail(l, GPURUN_FORMAT, "has no vector of %u elements",
				  access->count);
	*out = &l->body->elements[operand->index + i];
	if ((*out)->kind == OPERAND_REGISTER &&
	    register_size(l, (*out)->index) != access->size)
		return lower_fail(l, GPURUN_FORMAT, "has a register of another width");
	return 0;
}

/* Elements have registers of their own width, so that results need no further ops. */
static int emit_vector(struct lowering *l, struct atom_access *access)
{
	static const struct operand sink = { .kind = OPERAND_SINK };
	int32_t d[8], b[8], unused = scratch_row(l);

	for (unsigned i = 0; i < access->count; i++) {
		const struct operand *to = &sink, *from;

		TRY(element(l, access, access->values, i, &from));
		TRY(source(l, from, access->size, &b[i]));
		if (access->result)
			TRY(element(l, access, access->result, i, &to));
		d[i] = unused;
		if (to->kind != OPERAND_SINK)
			TRY(result_row(l, to, access->size, &d[i]));
	}
	TRY(find_address(l, access));
	TRY(check_generic(l, access->at, access->offset, access->count * access->size,
			  ACCESS_ATOMIC));
	TRY(emit(l, access->atomic->handler, 0, access->at, (int32_t)access->count,
		 next_hit(l, true), access->offset));
	for (unsigned i = 0; i < access->count; i++)
		TRY(emit(l, HANDLER_halt, d[i], b[i], 0, 0, 0));
	TRY(check_after(l));
	for (unsigned i = 0; access->result && i < access->count; i++) {
		const struct operand *to;

		TRY(element(l, access, access->result, i, &to));
		TRY(result_done(l, to, access->size, false, d[i]));
	}
	return 0;
}

int lower_atom(struct lowering *l)
{
	static const struct operand sink = { .kind = OPERAND_SINK };
	struct atom_access access = { 0 };
	const struct operand *result;
	int32_t d, b, c = 0;

	TRY(parse_insn(l, &access));
	if (access.atomic->shape == SHAPE_VECTOR)
		return emit_vector(l, &access);
	result = access.result ? access.result : &sink;
	TRY(source(l, &access.values[0], access.size, &b));
	if (access.atomic->shape == SHAPE_SWAP)
		TRY(source(l, &access.values[1], access.size, &c));
	TRY(result_row(l, result, access.size, &d));
	TRY(find_address(l, &access));
	TRY(check_generic(l, access.at, access.offset, access.size, ACCESS_ATOMIC));
	TRY(emit(l, access.atomic->handler, d, access.at, b, next_hit(l, true), access.offset));
	if (access.atomic->shape == SHAPE_SWAP)
		TRY(emit(l, HANDLER_halt, c, 0, 0, 0, 0));
	TRY(check_after(l));
	if (access.mbarrier)
		return lower_complete(l, access.mbarrier, access.space, access.size);
	return result_done(l, result, access.size, false, d);
}
