/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fused.def: every pair as one op against its two rows, under every set of handlers. */
#include "fused.h"

#include "config.h"
#include "handler.h"
#include "machine.h"
#include "op_types.h"
#include "tap.h"
#include "warp.h"

/* Where operands stand: rows of 256 bytes, the slots behind them. */
enum { ROW_A, ROW_B, ROW_C, ROW_X, ROW_Y, ROW_T, ROW_D, ROWS, SLOTS = ROWS * 256, ROUNDS = 40 };

static const struct pair {
	const char *name;
	uint16_t pair, first, second;
	uint8_t places;
	const char *first_form, *second_form;
	uint8_t size;
	bool is_float;
} pairs[] = {
#define FIRST(...)
#define SECOND(...)
#define IS_FLOAT(T) _Generic((T)0, f32: true, f64: true, default: false)
#define FUSE(second, form2, op2, D, X, Y, first, form1, ...)                               \
	{ #first "_" #form1 " " #second "_" #form2,                                        \
	  HANDLER_##first##_##form1##_##second##_##form2, HANDLER_##first##_##form1,       \
	  FUSED_##form2(second), #form1, #form2, sizeof(D), IS_FLOAT(D) },
#define FUSE_SETP(...) FUSE(__VA_ARGS__) /* bits in what is the first word of the row */
#include "fused.def"
};

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Numbers whose sums and products neither vanish nor overflow, and now and then any bits. */
static void fill_float(uint8_t *at, unsigned size)
{
	uint64_t bits = next();
	f32 narrow = (f32)(int32_t)bits / 65536;
	f64 wide = (f64)(int64_t)bits / 65536;

	if (!(bits >> 60))
		memcpy(at, &bits, size);
	else if (size == 4)
		memcpy(at, &narrow, size);
	else
		memcpy(at, &wide, size);
}

/* Every other row and slot has small numbers, as shifts want them. */
static void fill(uint8_t *rows, const struct pair *pair)
{
	for (unsigned at = 0; at < SLOTS + ROWS * 8; at += pair->size) {
		uint64_t bits = next() >> (next() & 1 ? 0 : 58);

		if (pair->is_float)
			fill_float(rows + at, pair->size);
		else
			memcpy(rows + at, &bits, pair->size);
	}
}

/* The place of operand @row as a form's letter has it. */
static int32_t place(char form, int row)
{
	return form == 's' ? SLOTS + 8 * row : 256 * row;
}

static void run(op_fn *const *handlers, struct op *ops, unsigned count, uint8_t *rows,
		uint32_t mask)
{
	struct warp warp = { .rows = rows, .mask = mask, .full = mask == ~0u, .live = ~0u,
			     .running = true };
	const struct op *ip = ops;

	ops[count] = (struct op){ .fn = handlers[HANDLER_halt] };
	while (warp.running) {
		ip->fn(&warp, ip);
		ip = warp.pc;
	}
	fp_write(FP_RN);
}

/* The operands of the second row, where the first one's value is number @t of them. */
static struct op second_op(op_fn *const *handlers, const struct pair *pair, unsigned t)
{
	int32_t at[3] = { 0 };
	unsigned count = (unsigned)strlen(pair->second_form), other = 0;
	char letters[3];

	for (unsigned i = 0, k = 0; i < count; i++) /* without the value's */
		if (pair->second_form[i] != 't' && pair->second_form[i] != 'e')
			letters[k++] = pair->second_form[i];
	for (unsigned i = 0; i < count; i++) {
		at[i] = i == t ? 256 * ROW_T : place(letters[other], ROW_X + (int)other);
		other += i != t;
	}
	return (struct op){ handlers[pair->second], 256 * ROW_D, at[0], at[1], at[2], 0 };
}

static struct op first_op(op_fn *fn, const struct pair *pair, int32_t d)
{
	char third = pair->first_form[2] ? pair->first_form[2] : 'r';

	return (struct op){ fn, d, place(pair->first_form[0], ROW_A),
			    place(pair->first_form[1], ROW_B),
			    place(third, ROW_C), 0 };
}

static void check(op_fn *const *handlers, const struct pair *pair, unsigned t, uint32_t mask)
{
	static uint8_t alone[SLOTS + 64] __attribute__((aligned(64)));
	static uint8_t together[SLOTS + 64] __attribute__((aligned(64)));
	struct op ops[3] = { 0 }, one[2] = { 0 };
	uint64_t others[2] = { 0 };
	unsigned found = 0;

	fill(alone, pair);
	memcpy(together, alone, sizeof(alone));
	ops[0] = first_op(handlers[pair->first], pair, 256 * ROW_T);
	ops[1] = second_op(handlers, pair, t);
	run(handlers, ops, 2, alone, mask);
	one[0] = first_op(handlers[pair->pair], pair, 256 * ROW_D);
	for (unsigned i = 0; i < strlen(pair->second_form); i++)
		if (i != t)
			others[found++] = (uint32_t)(&ops[1].a)[i];
	one[0].imm = (int64_t)(others[1] << 32 | others[0]);
	run(handlers, one, 1, together, mask);
	if (memcmp(alone + 256 * ROW_D, together + 256 * ROW_D, 256))
		CHECK_STR("", pair->name);
}

static void test_set(op_fn *const *handlers)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (unsigned round = 0; round < ROUNDS; round++)
			for (unsigned t = 0; t < 3; t++)
				if (pairs[i].places >> t & 1)
					check(handlers, &pairs[i], t,
					      round & 1 ? ~0u : (uint32_t)next());
}

static void test_sets(void)
{
	const struct handler_set *set = NULL;

	for (int isa = ISA_BEST + 1; isa <= ISA_BEST + 3; isa++) {
		config.isa = (enum config_isa)isa;
		if (handler_set_choose() == set)
			break; /* what this machine does not have */
		set = handler_set_choose();
		test_set(set->handlers);
	}
}

int main(void)
{
	RUN(test_sets);
	return tap_end();
}
