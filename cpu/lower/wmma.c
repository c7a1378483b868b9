/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * wmma: loads, stores and products. The layout of elements in registers is up to
 * the implementation; ours is that of mma.
 */
#include "lower_mma.h"

_Static_assert(MMA_TYPES <= 16, "shapes have a bit for each type of an element");

/* The shapes that matrices of a type, as A or B, have. */
static const struct {
	uint16_t m, n, k;
	uint16_t types; /* bit per enum mma_type */
} shapes[] = {
	{ 16, 16, 16, 1 << MMA_F16 | 1 << MMA_BF16 | 1 << MMA_S8 | 1 << MMA_U8 },
	{ 32, 8, 16, 1 << MMA_F16 | 1 << MMA_BF16 | 1 << MMA_S8 | 1 << MMA_U8 },
	{ 8, 32, 16, 1 << MMA_F16 | 1 << MMA_BF16 | 1 << MMA_S8 | 1 << MMA_U8 },
	{ 16, 16, 8, 1 << MMA_TF32 },
	{ 8, 8, 4, 1 << MMA_F64 },
	{ 8, 8, 32, 1 << MMA_S4 | 1 << MMA_U4 },
	{ 8, 8, 128, 1 << MMA_B1 },
};

/* The types of A that the shape has; 0 when there is no such shape. */
static unsigned types_of(const struct mma_form *form)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (form->m == shapes[i].m && form->n == shapes[i].n && form->k == shapes[i].k)
			return shapes[i].types;
	return 0;
}

/* Tells whether sums of products of any of @types can be of type @sum. */
static bool sums_fit(unsigned types, enum mma_type sum)
{
	for (int a = 0; a < MMA_TYPES; a++)
		if (types >> a & 1 && mma_types_fit(sum, a, a, sum))
			return true;
	return false;
}

/* Halves are in 8 registers whatever the shape: some of them are copies. */
static unsigned registers_of(enum mma_type type, unsigned elements)
{
	return type == MMA_F16 ? 8 : mma_registers(type, elements);
}

/* What is loaded or stored: matrix @which of the shape. */
static int plan_of(struct lowering *l, const struct mma_form *form, char which,
		   struct wmma_plan *plan)
{
	bool sum = which == 'c' || which == 'd', col = form->col[0];
	enum mma_type type = form->types[0];
	unsigned rows = which == 'b' ? form->n : form->m, columns = sum ? form->n : form->k;
	unsigned bits = mma_bits(type), types = types_of(form), width;
	uint8_t flags;

	if (form->type_count != 1 || form->layouts != 1 || !mma_flags(form, MMA_F32, &flags) ||
	    !(sum ? sums_fit(types, type) : types >> type & 1))
		return lower_unsupported(l);
	plan->bits = (uint8_t)bits;
	plan->pairs = sum && bits >= 32;
	plan->along = which == 'b' ? col : !col;
	if (bits < 8 && !plan->along)
		return lower_unsupported(l);
	width = plan->pairs ? 8 : bits == 64 ? 4 : 128 / bits;
	plan->rows8 = (uint8_t)(rows / 8);
	plan->across = (uint8_t)(columns / width);
	plan->registers = (uint8_t)(sum ? mma_registers(type, rows * columns) :
				    registers_of(type, rows * columns));
	return 0;
}

/* The stride in elements, or what follows from the shape, as a fragment. */
static int stride_of(struct lowering *l, const struct mma_form *form, char which, int32_t *at)
{
	bool col = form->col[0], scalar;
	unsigned k = which == 'c' || which == 'd' ? form->n : form->k;

	if (l->insn->count == 2) {
		TRY(constant_slot(l, which == 'b' ? (col ? k : form->n) : (col ? form->m : k),
				  BASE_NONE, at));
		*at |= FRAGMENT_SLOT;
		return 0;
	}
	TRY(expect_operands(l, 3));
	TRY(source_scalar(l, &l->operands[2], 4, ELEMENT_BITS, &scalar, at));
	if (!scalar)
		return source_row(l, &l->operands[2], 4, ELEMENT_BITS, false, at);
	*at |= FRAGMENT_SLOT;
	return 0;
}

static int lower_move(struct lowering *l, char which, bool store)
{
	int32_t hit = next_hit(l, store), stride;
	struct fragments all = { .count = 0 };
	struct wmma_plan plan = { 0 };
	struct matrix_place place;
	struct mma_form form;
	unsigned size;

	if (l->insn->count < 2)
		return expect_operands(l, 3);
	TRY(matrix_place(l, &l->operands[!store], &place));
	TRY(mma_parse(l, &form));
	TRY(plan_of(l, &form, which, &plan));
	plan.shared = place.shared;
	TRY(stride_of(l, &form, which, &stride));
	size = plan.bits == 64 ? 8 : 4;
	if (store)
		TRY(fragment_sources(l, &l->operands[1], plan.registers, size, &all));
	else
		TRY(fragment_results(l, &l->operands[0], plan.registers, size, &all));
	TRY(emit(l, store ? HANDLER_wmma_store : HANDLER_wmma_load, 0, place.row, hit, stride,
		 place.offset));
	TRY(emit(l, HANDLER_halt, 0, 0, 0, 0, wmma_pack(plan)));
	return fragments_emit(l, &all);
}

static int lower_product(struct lowering *l)
{
	struct mma_form form;
	uint8_t flags;
	const uint8_t *t = form.types;
	unsigned m, n, k;

	TRY(mma_parse(l, &form));
	TRY(expect_operands(l, 4));
	if (form.type_count == 2) { /* of halves: those of the sums alone are spelt */
		form.types[3] = form.types[1];
		form.types[1] = form.types[2] = MMA_F16;
	} else if (form.type_count != 4 || t[1] == MMA_F16) {
		return lower_unsupported(l);
	}
	if (mma_bits(t[1]) < 8 && (form.col[0] || !form.col[1]))
		return lower_unsupported(l);
	if (form.layouts != 2 || t[1] != t[2] || !(types_of(&form) >> t[1] & 1) ||
	    !mma_types_fit(t[0], t[1], t[2], t[3]) || !mma_flags(&form, t[1], &flags))
		return lower_unsupported(l);
	m = form.m;
	n = form.n;
	k = form.k;

	struct mma_plan plan = { (uint8_t)(m / 8), (uint8_t)(n / 8), (uint8_t)(k / 4),
				 t[1], t[2], t[3], t[0], flags };
	const unsigned counts[] = { mma_registers(t[0], m * n), mma_registers(t[1], m * k),
				    mma_registers(t[2], n * k), mma_registers(t[3], m * n) };
	const unsigned given[] = { counts[0], registers_of(t[1], m * k),
				   registers_of(t[2], n * k), counts[3] };

	return mma_emit(l, mma_handler(t[1]), &plan, counts, given, 0, 0);
}

/* Before PTX 6.3 .aligned is implied, and cannot be written. */
static int remove_sync(struct lowering *l)
{
	const struct ptx *ptx = l->program->ptx;

	if (ptx->version_major * 10 + ptx->version_minor >= 63)
		return expect_aligned(l);
	if (!opcode_remove(&l->opcode, "sync"))
		return lower_fail(l, GPURUN_FORMAT, "has to be .sync");
	if (opcode_remove(&l->opcode, "aligned"))
		return lower_fail(l, GPURUN_FORMAT, "is .aligned, which PTX has from 6.3 on: "
						    "leave it out, or raise .version");
	return 0;
}

int lower_wmma(struct lowering *l)
{
	static const char *const loads[] = { "a", "b", "c" };

	TRY(remove_sync(l));
	if (opcode_remove(&l->opcode, "mma"))
		return lower_product(l);
	if (opcode_remove(&l->opcode, "store") && opcode_remove(&l->opcode, "d"))
		return lower_move(l, 'd', true);
	if (opcode_remove(&l->opcode, "load"))
		for (unsigned i = 0; i < 3; i++)
			if (opcode_remove(&l->opcode, loads[i]))
				return lower_move(l, loads[i][0], false);
	return lower_unsupported(l);
}
