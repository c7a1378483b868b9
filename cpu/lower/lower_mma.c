/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mma: which shapes and types there are, and how many registers they need. */
#include "lower_mma.h"

#include "asserts.h"

enum family {
	HALVES = 1, BF16 = 2, TF32 = 4, FP8 = 8, DOUBLES = 16, INT8 = 32, INT4 = 64, BITS = 128,
};

static const struct {
	const char *name;
	uint8_t family; /* as the type of A and B; 0: of C and D alone */
} types[MMA_TYPES] = {
	[MMA_F16] = { "f16", HALVES },   [MMA_BF16] = { "bf16", BF16 },
	[MMA_TF32] = { "tf32", TF32 },   [MMA_E4M3] = { "e4m3", FP8 },
	[MMA_E5M2] = { "e5m2", FP8 },    [MMA_F64] = { "f64", DOUBLES },
	[MMA_S8] = { "s8", INT8 },       [MMA_U8] = { "u8", INT8 },
	[MMA_S4] = { "s4", INT4 },       [MMA_U4] = { "u4", INT4 },
	[MMA_B1] = { "b1", BITS },       [MMA_F32] = { "f32", 0 },
	[MMA_S32] = { "s32", 0 },
};

static const struct {
	uint8_t m;
	uint16_t k;
	uint8_t families;
} shapes[] = { /* n is 8 */
	{ 8, 4, DOUBLES },
	{ 8, 16, INT8 },
	{ 8, 32, INT4 },
	{ 8, 128, BITS },
	{ 16, 4, TF32 | DOUBLES },
	{ 16, 8, HALVES | BF16 | TF32 | DOUBLES },
	{ 16, 16, HALVES | BF16 | FP8 | DOUBLES | INT8 },
	{ 16, 32, FP8 | INT8 | INT4 },
	{ 16, 64, INT4 },
	{ 16, 128, BITS },
	{ 16, 256, BITS },
};

static const struct {
	uint16_t k;
	uint8_t families;
	uint8_t selectors; /* how many values the selector has; of s4 as of s8 with half of k */
} sparse_shapes[] = { /* m is 16, n is 8 */
	{ 8, TF32, 4 },
	{ 16, HALVES | BF16, 4 },
	{ 16, TF32, 2 },
	{ 32, HALVES | BF16 | INT8, 2 },
	{ 64, FP8 | INT8, 1 },
	{ 64, INT4, 2 },
	{ 128, INT4, 1 },
};

_Static_assert(sizeof(struct mma_plan) == sizeof(int64_t), "it is the imm of an op");
_Static_assert(sizeof(struct wmma_plan) == sizeof(int64_t), "likewise");
_Static_assert(!((MMA_A_COL | MMA_B_ROW) & (MMA_SATFINITE | MMA_ROUNDING)),
	       "the layouts are beside the other flags");
_Static_assert(!((MATRIX_TRANS | MATRIX_SHARED) & MATRIX_COUNT), "flags above a count");

int mma_type_of(struct ptx_name name)
{
	for (int i = 0; i < MMA_TYPES; i++)
		if (name_is(name, types[i].name))
			return i;
	return -1;
}

/* The number at *@text, after @letter; 0 when there is none. */
static unsigned dimension(const char **text, const char *end, char letter)
{
	unsigned value = 0;

	if (*text == end || **text != letter)
		return 0;
	for (++*text; *text < end && **text >= '0' && **text <= '9' && value < 1000; ++*text)
		value = value * 10 + (unsigned)(**text - '0');
	return value;
}

int mma_parse(struct lowering *l, struct mma_form *form)
{
	static const char *const roundings[] = { "rn", "rz", "rm", "rp" };
	unsigned types_seen = 0, layouts = 0;

	*form = (struct mma_form){ 0 };
	form->satfinite = opcode_remove(&l->opcode, "satfinite");
	form->and = opcode_remove(&l->opcode, "and");
	form->xor = opcode_remove(&l->opcode, "xor");
	form->popc = opcode_remove(&l->opcode, "popc");
	for (uint8_t i = 0; i < 4; i++)
		if (opcode_remove(&l->opcode, roundings[i]))
			form->rounding = i + 1;
	for (unsigned i = 0; i < l->opcode.part_count; i++) {
		struct ptx_name part = l->opcode.parts[i];
		const char *text = part.text, *end = text + part.length;
		int type = mma_type_of(part);
		bool col = name_is(part, "col");

		if (type >= 0 && types_seen < 4) {
			form->types[types_seen++] = (uint8_t)type;
		} else if ((col || name_is(part, "row")) && layouts < 2) {
			form->col[layouts++] = col;
		} else {
			form->m = dimension(&text, end, 'm');
			form->n = dimension(&text, end, 'n');
			form->k = dimension(&text, end, 'k');
			if (!form->m || !form->n || !form->k || text != end)
				return lower_unsupported(l);
		}
	}
	form->type_count = types_seen;
	form->layouts = layouts;
	return 0;
}

bool mma_types_fit(enum mma_type d, enum mma_type a, enum mma_type b, enum mma_type c)
{
	if (types[a].family != types[b].family || !types[a].family)
		return false;
	switch (types[a].family) {
	case HALVES:
	case FP8:
		return (d == MMA_F16 || d == MMA_F32) && (c == MMA_F16 || c == MMA_F32);
	case BF16:
	case TF32:
		return d == MMA_F32 && c == MMA_F32;
	case DOUBLES:
		return d == MMA_F64 && c == MMA_F64 && a == b;
	default:
		return d == MMA_S32 && c == MMA_S32;
	}
}

int mma_emit(struct lowering *l, enum handler handler, const struct mma_plan *plan,
	     const unsigned counts[4], const unsigned given[4], int32_t a, int32_t b)
{
	struct fragments all = { .count = 0 };
	const uint8_t kinds[] = { plan->d, plan->a, plan->b, plan->c };

	for (unsigned i = 1; i < 4; i++) {
		unsigned before = all.count;

		ASSERT(given[i] >= counts[i]);
		TRY(fragment_sources(l, &l->operands[i], given[i], kinds[i] == MMA_F64 ? 8 : 4,
				     &all));
		all.count = before + counts[i]; /* those after it are copies */
	}
	/* Results are first in the list; added last, none of them is a source's scratch row. */
	ASSERT(counts[0] + all.count <= MOST_FRAGMENTS);
	memmove(all.at + counts[0], all.at, all.count * sizeof(all.at[0]));
	all.count = 0;
	TRY(fragment_results(l, &l->operands[0], counts[0], plan->d == MMA_F64 ? 8 : 4, &all));
	all.count = counts[0] + counts[1] + counts[2] + counts[3];
	TRY(emit(l, handler, 0, a, b, 0, mma_pack(*plan)));
	return fragments_emit(l, &all);
}

/* Four products of halves at once, with layouts of their own. */
static int lower_quads(struct lowering *l, const struct mma_form *form)
{
	const uint8_t *t = form->types;
	struct mma_plan plan = { 1, 1, 1, t[1], t[2], t[3], t[0],
				 (form->col[0] ? MMA_A_COL : 0) |
				 (form->col[1] ? 0 : MMA_B_ROW) };
	const unsigned counts[] = { t[0] == MMA_F32 ? 8 : 4, 2, 2, t[3] == MMA_F32 ? 8 : 4 };

	return mma_emit(l, HANDLER_mma_quads, &plan, counts, counts, 0, 0);
}

static bool shape_exists(const struct mma_form *form)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (form->m == shapes[i].m && form->n == 8 && form->k == shapes[i].k)
			return shapes[i].families & types[form->types[1]].family;
	return false;
}

bool mma_flags(const struct mma_form *form, enum mma_type a, uint8_t *flags)
{
	bool logic = form->and != form->xor, whole = types[a].family & (INT8 | INT4);

	*flags = form->satfinite ? MMA_SATFINITE : form->and ? MMA_AND : 0;
	if (form->rounding)
		*flags = form->rounding - 1;
	return (!form->satfinite || whole) && (!form->rounding || a == MMA_F64) &&
	       (a == MMA_B1 ? logic && form->popc : !form->and && !form->xor && !form->popc);
}

enum handler mma_handler(enum mma_type a)
{
	return a == MMA_F64 ? HANDLER_mma_f64 : a == MMA_B1 ? HANDLER_mma_b1 : HANDLER_mma;
}

/*
 * How many values the selector of the shape has; 0: there is no such shape. With k = 32
 * ptxas allows 4 for f32 sums of halves, of which only the lowest bit can matter.
 */
static int64_t selectors_of(const struct mma_form *form)
{
	for (size_t i = 0; i < sizeof(sparse_shapes) / sizeof(sparse_shapes[0]); i++)
		if (form->m == 16 && form->n == 8 && form->k == sparse_shapes[i].k &&
		    sparse_shapes[i].families & types[form->types[1]].family)
			return form->types[0] == MMA_F32 && form->types[1] == MMA_F16 ?
				       4 : sparse_shapes[i].selectors;
	return 0;
}

/* mma.sp: half of A, and where in it the elements are. */
static int lower_sparse(struct lowering *l)
{
	const struct operand *selector = &l->operands[5];
	struct mma_form form;
	const uint8_t *t = form.types;
	int32_t meta;
	uint8_t flags;
	bool scalar;

	TRY(mma_parse(l, &form));
	TRY(expect_operands(l, 6));
	if (form.type_count != 4 || form.layouts != 2 || form.col[0] || !form.col[1] ||
	    !mma_types_fit(t[0], t[1], t[2], t[3]) || t[0] != t[3] || !selectors_of(&form) ||
	    (types[t[1]].family == FP8 && t[0] == MMA_F16) || !mma_flags(&form, t[1], &flags))
		return lower_unsupported(l);
	if (selector->kind != OPERAND_INTEGER || selector->value < 0 ||
	    selector->value >= selectors_of(&form))
		return lower_fail(l, GPURUN_FORMAT, "has no selector from 0 to %d",
				  (int)selectors_of(&form) - 1);
	TRY(source_scalar(l, &l->operands[4], 4, ELEMENT_BITS, &scalar, &meta));
	if (scalar)
		meta |= FRAGMENT_SLOT;
	else
		TRY(source_row(l, &l->operands[4], 4, ELEMENT_BITS, false, &meta));

	struct mma_plan plan = { 2, 1, (uint8_t)(form.k / 4), t[1], t[2], t[3], t[0], flags };
	const unsigned counts[] = { mma_registers(t[0], 128), mma_registers(t[1], 8 * form.k),
				    mma_registers(t[2], 8 * form.k), mma_registers(t[3], 128) };

	return mma_emit(l, HANDLER_mma_sp, &plan, counts, counts, meta, (int32_t)selector->value);
}

int lower_mma(struct lowering *l)
{
	struct mma_form form;
	uint8_t flags;

	TRY(expect_aligned(l));
	if (opcode_remove(&l->opcode, "sp") || opcode_remove(&l->opcode, "sp::ordered_metadata"))
		return lower_sparse(l);
	TRY(mma_parse(l, &form));
	TRY(expect_operands(l, 4));
	if (types[form.types[1]].family == INT4 && !form.satfinite && form.and != form.xor &&
	    form.popc) /* ptxas allows it, and ignores it */
		form.and = form.xor = form.popc = false;
	if (form.type_count != 4 || form.layouts != 2 ||
	    !mma_types_fit(form.types[0], form.types[1], form.types[2], form.types[3]) ||
	    !mma_flags(&form, form.types[1], &flags))
		return lower_unsupported(l);
	if (form.m == 8 && form.n == 8 && form.k == 4 && form.types[1] == MMA_F16 &&
	    form.types[0] >= form.types[3])
		return lower_quads(l, &form);
	if (!shape_exists(&form) || form.types[0] != form.types[3] || form.col[0] || !form.col[1])
		return lower_unsupported(l);

	const uint8_t *t = form.types;
	struct mma_plan plan = { (uint8_t)(form.m / 8), 1, (uint8_t)(form.k / 4),
				 t[1], t[2], t[3], t[0], flags };
	const unsigned counts[] = { mma_registers(t[0], form.m * 8),
				    mma_registers(t[1], form.m * form.k),
				    mma_registers(t[2], 8 * form.k),
				    mma_registers(t[3], form.m * 8) };

	return mma_emit(l, mma_handler(t[1]), &plan, counts, counts, 0, 0);
}
