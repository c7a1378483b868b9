/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each row of the tables of cpu/x86/ in all its sizes, with registers and addresses of every kind
 * that changes the encoding, against LLVM's assembler, which reads the text of each instruction.
 */
#include <unistd.h>

#include "tap.h"
#include "x86_row.h"

#define ASSEMBLER "llvm-mc-22"
#define FEATURES "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+avx512f,+avx512cd,+avx512bw,+avx512dq,+avx512vl"

enum { MOST_LINES = 200000, LINE = 160 };
/* How many addresses each instruction has; the last one is of a label. */
enum { ADDRESSES = 18 };

/* What is assembled. */
static struct {
	char (*text)[LINE];
	struct x86_encoding *encodings;
	size_t count;
	bool *reached; /* of each row */
	size_t unmatched;
} all;

/* Numbers of registers that change bits of the encoding, as many as is prime. */
static const uint8_t low_numbers[11] = { 0, 4, 5, 7, 8, 12, 13, 15, 1, 3, 9 };
static const uint8_t high_numbers[11] = { 0, 4, 5, 7, 8, 12, 13, 15, 16, 31, 20 };

/*
 * LLVM exchanges operands, or chooses a store's opcode for a move, where that makes a prefix
 * shorter. Instructions here are as written: which NaN results depends on the order. Distances of
 * jumps are always of 32 bits.
 */
static const char *prefix(const struct x86_row *row, const struct x86_encoding *encoding)
{
	if (row->specs[0] == X86_SPEC_Jd)
		return "{disp32} ";
	return row->class == X86_VEX && encoding->bytes[0] == 0xc4 && row->map == X86_MAP_0F &&
			       row->w != X86_W_W1 ? "{vex3} " : "";
}

/* Adds an instruction to what is assembled. */
static void add(enum x86_isa isa, enum x86_name name, const struct x86_operand *operands,
		size_t count)
{
	unsigned size;
	const struct x86_row *row = x86_find(isa, name, operands, count, &size);
	size_t used;

	if (!row) {
		all.unmatched++;
		return;
	}
	if (!CHECK(all.count < MOST_LINES))
		return;
	all.reached[row - x86_rows] = true;
	x86_encode(row, size, operands, &all.encodings[all.count]);
	used = (size_t)snprintf(all.text[all.count], LINE, "%s",
				prefix(row, &all.encodings[all.count]));
	used += x86_text(isa, name, operands, count, all.text[all.count] + used, LINE - used);
	CHECK(used < LINE);
	all.count++;
}

/* What the operands of one instruction are made from. */
struct choice {
	const struct x86_row *row;
	unsigned size;
	unsigned turn; /* which of the numbers, addresses, ... */
	bool memory;   /* where there can be */
};

static struct x86_operand address(const struct choice *choice, const struct x86_spec *spec)
{
	static const uint8_t bases[] = { X86_RAX, X86_RSP, X86_RBP, X86_RSI, X86_R8, X86_R12, X86_R13,
					 X86_NO_REGISTER, X86_R15 };
	static const uint8_t indices[] = { X86_NO_REGISTER, X86_RCX, X86_RBP, X86_R8, X86_R12, X86_R13,
					   X86_R15 };
	const unsigned turn = choice->turn + (unsigned)(choice->row - x86_rows);
	const int unit = choice->row->flags & X86_N4 ? 4 : choice->row->flags & X86_N8 ? 8 :
			 spec->memory == X86_ANY ? 1 :
			 (int)x86_memory_bytes(choice->row, spec, choice->size, false);
	const int32_t displacements[] = { 0, 1, -1, 127, 128, -128, -129, unit, -unit, 127 * unit,
					  128 * unit, -128 * unit, -129 * unit, 127 * unit + 1,
					  0x12345678, INT32_MIN, INT32_MAX };
	const unsigned numbers = choice->row->class == X86_EVEX ? 32 : 16;
	struct x86_operand memory = x86_at(bases[turn * 4 % sizeof(bases)],
					   displacements[choice->turn % (ADDRESSES - 1)]);

	if (choice->turn == ADDRESSES - 1 && spec->kind != X86_INDEXED)
		memory = x86_at_label(0);
	if (spec->kind == X86_INDEXED) {
		memory.index_bytes = (uint8_t)x86_spec_bytes(spec->bytes, choice->size, 16);
		memory.index = (uint8_t)(turn * 7 % numbers);
		memory.scale = (uint8_t)(1 << turn % 4);
	} else if (memory.base != X86_RIP && indices[turn * 3 % sizeof(indices)] != X86_NO_REGISTER) {
		memory.index = indices[turn * 3 % sizeof(indices)];
		memory.scale = (uint8_t)(1 << turn % 4);
	}
	/* Where no register says it. */
	if (spec->memory == X86_FULL)
		memory.bytes = (uint8_t)choice->size;
	return memory;
}

static struct x86_operand immediate(const struct choice *choice, const struct x86_spec *spec)
{
	static const int64_t bytes[] = { 0, 1, 7, 127, 128, 255 }, small[] = { 0, 1, -1, 127, -128 };
	static const int64_t words[] = { 128, -129, 0x1234, INT16_MAX, INT16_MIN };
	static const int64_t longs[] = { 128, -129, 0x12345678, INT32_MAX, INT32_MIN };
	static const int64_t wide[] = { 0, -1, 0x123456789abcdef0, INT64_MAX, INT64_MIN };

	if (spec == &x86_specs[X86_SPEC_I1])
		return x86_immediate(1);
	if (spec == &x86_specs[X86_SPEC_Ib])
		return x86_immediate(bytes[choice->turn % 6]);
	if (spec == &x86_specs[X86_SPEC_Is])
		return x86_immediate(small[choice->turn % 5]);
	if (spec == &x86_specs[X86_SPEC_Iq])
		return x86_immediate(wide[choice->turn % 5]);
	return x86_immediate(choice->size == 2 ? words[choice->turn % 5] : longs[choice->turn % 5]);
}

static struct x86_operand operand(const struct choice *choice, unsigned place)
{
	const struct x86_spec *spec = &x86_specs[choice->row->specs[place]];
	const bool vector = spec->kind == X86_VECTOR, evex = choice->row->class == X86_EVEX;
	const unsigned salt = (unsigned)(choice->row - x86_rows) + 3 * place;
	const unsigned number = (choice->turn * (place + 1) + salt) % 11;
	struct x86_operand out = { 0 };

	if (spec->kind == X86_LABEL)
		return x86_to(0);
	if (spec->kind == X86_IMMEDIATE)
		return immediate(choice, spec);
	if (spec->memory && (choice->memory || spec->kind == X86_MEMORY || spec->kind == X86_INDEXED))
		return address(choice, spec);
	out.kind = spec->kind;
	out.bytes = (uint8_t)x86_spec_bytes(spec->bytes, choice->size, vector ? 16 : 0);
	out.number = vector && evex ? high_numbers[number] : low_numbers[number];
	if (spec->kind == X86_MASK)
		out.number = (uint8_t)((choice->turn + salt) % 8);
	if (spec->place == X86_IN_NOTHING)
		out.number = spec == &x86_specs[X86_SPEC_Cb] ? X86_RCX : X86_RAX;
	return out;
}

/* Adds what @choice makes, with the first operand masked where @mask; what there is of operands. */
static unsigned add_choice(const struct choice *choice, unsigned mask, bool zeroed, bool broadcast,
			   unsigned rounding)
{
	const bool evex = choice->row >= &x86_rows[x86_first_rows[1][X86_vaddps]];
	struct x86_operand operands[X86_OPERANDS];
	unsigned count = 0, last = 0;

	for (; count < X86_OPERANDS && choice->row->specs[count] != X86_SPEC__; count++) {
		operands[count] = operand(choice, count);
		if (operands[count].kind == X86_MEMORY)
			operands[count].broadcast = broadcast;
		if (operands[count].kind <= X86_MASK)
			last = count;
	}
	operands[0].mask = (uint8_t)mask;
	operands[0].zeroed = zeroed;
	operands[last].rounding = (uint8_t)rounding;
	add(evex ? X86_AVX512 : X86_AVX2, choice->row->name, operands, count);
	return count;
}

static bool can_be_memory(const struct x86_row *row)
{
	for (unsigned i = 0; i < X86_OPERANDS; i++)
		if (x86_specs[row->specs[i]].memory)
			return true;
	return false;
}

static bool needs_memory(const struct x86_row *row)
{
	for (unsigned i = 0; i < X86_OPERANDS; i++)
		if (x86_specs[row->specs[i]].kind == X86_MEMORY || x86_specs[row->specs[i]].kind == X86_INDEXED)
			return true;
	return false;
}

/* All that EVEX has besides: masks, broadcasts, roundings. */
static void add_evex(struct choice choice)
{
	const unsigned flags = choice.row->flags;
	const bool memory = can_be_memory(choice.row);

	for (unsigned mask = 1; flags & X86_K && mask < 8; mask++) {
		choice.turn = mask;
		choice.memory = false;
		add_choice(&choice, mask, false, false, 0);
		if (flags & X86_Z && !needs_memory(choice.row))
			add_choice(&choice, mask, true, false, 0);
		choice.memory = true;
		if (memory)
			add_choice(&choice, mask, flags & X86_Z && mask & 1 &&
				   !x86_specs[choice.row->specs[0]].memory, false, 0);
	}
	for (unsigned turn = 0; flags & (X86_B4 | X86_B8) && turn < ADDRESSES; turn++) {
		choice.turn = turn;
		choice.memory = true;
		add_choice(&choice, flags & X86_K ? turn % 8 : 0, false, true, 0);
	}
	choice.memory = false;
	for (unsigned rounding = X86_RN; rounding <= X86_SAE; rounding++) {
		choice.turn = rounding;
		if (flags & (rounding == X86_SAE ? X86_SAE_ONLY : X86_ER) &&
		    (choice.size == 64 || choice.row->sizes == 16))
			add_choice(&choice, flags & X86_K ? rounding : 0, false, false, rounding);
	}
}

static void add_row(const struct x86_row *row, unsigned size)
{
	struct choice choice = { row, size, 0, false };
	const bool needs_mask = row->flags & X86_NEEDS_MASK;

	for (unsigned turn = 0; turn < 11 && !needs_memory(row); turn++) {
		choice.turn = turn;
		if (!add_choice(&choice, 0, false, false, 0))
			return;
	}
	choice.memory = true;
	for (unsigned turn = 0; turn < ADDRESSES && can_be_memory(row); turn++) {
		choice.turn = turn;
		add_choice(&choice, needs_mask ? 1 + turn % 7 : 0, false, false, 0);
	}
	add_evex(choice);
}

/* Every base with every index, scale and kind of displacement. */
static void add_addresses(void)
{
	static const int32_t displacements[] = { 0, 1, -128, 127, 128, INT32_MIN };

	for (unsigned base = 0; base <= X86_NO_REGISTER; base++)
		for (unsigned index = 0; index <= X86_NO_REGISTER; index++)
			for (unsigned i = 0; i < 4 * 6; i++) {
				const unsigned scale = index == X86_NO_REGISTER ? 1 : 1 << i % 4;
				struct x86_operand both[2] = { x86_r64((base + index) % 16),
					x86_indexed(base, index, scale, displacements[i / 4]) };

				if (index != X86_RSP)
					add(X86_AVX2, X86_lea, both, 2);
			}
}

static bool assemble(const char *source, const char *result)
{
	char command[512];
	FILE *file = fopen(source, "w");
	int status;

	if (!CHECK(file))
		return false;
	fprintf(file, ".intel_syntax noprefix\nL0:\n");
	for (size_t i = 0; i < all.count; i++)
		fprintf(file, "%s\n", all.text[i]);
	fclose(file);
	snprintf(command, sizeof(command), ASSEMBLER
		 " -triple=x86_64 -no-warn -mattr=" FEATURES " -show-encoding -o %s %s 2>&1 | head -n 20 | sed 's/^/# /'",
		 result, source);
	fflush(stdout);
	status = system(command);
	return CHECK_INT(status, 0);
}

static void show(const char *who, const uint8_t *bytes, unsigned size)
{
	printf("#   %s", who);
	for (unsigned i = 0; i < size; i++)
		printf(" %02x", bytes[i]);
	printf("\n");
}

/* Compares the bytes between brackets at @text with those of instruction @i; A is one of a label. */
static bool same_bytes(size_t i, const char *text)
{
	const struct x86_encoding *ours = &all.encodings[i];
	uint8_t bytes[32];
	unsigned size = 0;

	while (size < sizeof(bytes) && *text && *text != ']') {
		char *end = *text == 'A' ? (char *)text + 1 : NULL;

		bytes[size++] = end ? 0 : (uint8_t)strtoul(text, &end, 16);
		text = *end == ',' ? end + 1 : end;
	}
	if (size == ours->size && !memcmp(bytes, ours->bytes, size))
		return true;
	printf("# %s\n", all.text[i]);
	show("ours  ", ours->bytes, ours->size);
	show("LLVM's", bytes, size);
	return false;
}

static void compare(const char *result)
{
	static const char mark[] = "encoding: [";
	FILE *file = fopen(result, "r");
	char line[512];
	size_t i = 0, wrong = 0;

	if (!CHECK(file))
		return;
	while (fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, mark);

		if (at && i < all.count)
			wrong += !same_bytes(i++, at + strlen(mark));
		if (wrong > 20)
			break;
	}
	fclose(file);
	CHECK_INT(wrong, 0);
	CHECK_INT(i, all.count);
}

static void test_against_llvm(void)
{
	char source[] = "/tmp/x86-source-XXXXXX", result[] = "/tmp/x86-result-XXXXXX";

	if (system("command -v " ASSEMBLER " >/dev/null") != 0)
		SKIP("needs llvm-22, whose " ASSEMBLER " says how instructions are encoded");
	REQUIRE(close(mkstemp(source)) == 0 && close(mkstemp(result)) == 0);
	if (assemble(source, result))
		compare(result);
	printf("# %zu instructions\n", all.count);
	unlink(source);
	unlink(result);
}

/* A digit of ModRM.reg is where no operand is there, and ModRM is. */
static void test_digits(void)
{
	for (size_t i = 1; i + 1 < x86_row_count; i++) {
		bool reg = false, rm = false;

		for (unsigned k = 0; k < X86_OPERANDS; k++) {
			reg |= x86_specs[x86_rows[i].specs[k]].place == X86_IN_REG;
			rm |= x86_specs[x86_rows[i].specs[k]].place == X86_IN_RM;
		}
		if (!CHECK((x86_rows[i].digit != X86_DIGIT_r) == (rm && !reg)))
			printf("#   row %zu, opcode %#x\n", i, x86_rows[i].opcode);
	}
}

/* No row is in the shadow of one above it, and none refuses what it says it has. */
static void test_rows(void)
{
	for (size_t i = 1; i + 1 < x86_row_count; i++)
		if (!all.reached[i]) {
			const struct x86_row *row = &x86_rows[i];

			printf("# row %zu, opcode %#x, operands %s %s %s %s\n", i, row->opcode,
			       x86_specs[row->specs[0]].name, x86_specs[row->specs[1]].name,
			       x86_specs[row->specs[2]].name, x86_specs[row->specs[3]].name);
			CHECK(all.reached[i]);
		}
	CHECK_INT(all.unmatched, 0);
}

int main(void)
{
	all.text = calloc(MOST_LINES, sizeof(all.text[0]));
	all.encodings = calloc(MOST_LINES, sizeof(all.encodings[0]));
	all.reached = calloc(x86_row_count, sizeof(all.reached[0]));
	for (size_t i = 1; i + 1 < x86_row_count; i++) {
		const struct x86_row *row = &x86_rows[i];

		for (unsigned size = 1; size <= 64; size *= 2)
			if (row->sizes & size)
				add_row(row, size);
		if (!row->sizes)
			add_row(row, 0);
	}
	add_addresses();
	RUN(test_digits);
	RUN(test_rows);
	RUN(test_against_llvm);
	free(all.text);
	free(all.encodings);
	free(all.reached);
	return tap_end();
}
