/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions in Intel's syntax, without a prefix of registers, as LLVM's assembler reads it. */
#include <stdarg.h>
#include <stdio.h>

#include "x86_row.h"

static const char *const names[] = {
	[X86_NO_NAME] = "",
#define FIRST(name, ...) [X86_##name] = #name,
#define NEXT(...)
#define AGAIN(...)
#include "rows.def"
};

/* Of the caller; used: how long the text would be. */
struct x86_line {
	char *text;
	size_t size, used;
};

__attribute__((format(printf, 2, 3)))
static void say_format(struct x86_line *line, const char *format, ...)
{
	const size_t left = line->used < line->size ? line->size - line->used : 0;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(left ? line->text + line->used : NULL, left, format, arguments);
	va_end(arguments);
	line->used += length > 0 ? (size_t)length : 0;
}

static void say_gpr(struct x86_line *line, unsigned bytes, unsigned number)
{
	static const char *const low[4][8] = {
		{ "al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil" },
		{ "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" },
		{ "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi" },
		{ "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi" },
	};
	static const char *const suffixes[4] = { "b", "w", "d", "" };
	const unsigned row = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;

	if (number < 8)
		say_format(line, "%s", low[row][number]);
	else
		say_format(line, "r%u%s", number, suffixes[row]);
}

static void say_vector(struct x86_line *line, unsigned bytes, unsigned number)
{
	say_format(line, "%cmm%u", bytes == 64 ? 'z' : bytes == 32 ? 'y' : 'x', number);
}

static void say_memory(struct x86_line *line, const struct x86_operand *memory, unsigned bytes)
{
	static const struct {
		unsigned bytes;
		const char *text;
	} sizes[] = {
		{ 1, "byte ptr " }, { 2, "word ptr " }, { 4, "dword ptr " }, { 8, "qword ptr " },
		{ 16, "xmmword ptr " }, { 32, "ymmword ptr " }, { 64, "zmmword ptr " },
	};
	const int64_t displacement = memory->displacement;
	const char *plus = "";

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].bytes == bytes)
			say_format(line, "%s", sizes[i].text);
	say_format(line, "[");
	if (memory->base == X86_RIP)
		say_format(line, "rip + L%u", memory->label);
	else if (memory->base != X86_NO_REGISTER)
		say_gpr(line, 8, memory->base);
	if (memory->base != X86_NO_REGISTER)
		plus = " + ";
	if (memory->index_bytes != 8 || memory->index != X86_NO_REGISTER) {
		say_format(line, "%s%u*", plus, memory->scale);
		plus = " + ";
		if (memory->index_bytes == 8)
			say_gpr(line, 8, memory->index);
		else
			say_vector(line, memory->index_bytes, memory->index);
	}
	if (displacement < 0 && *plus)
		say_format(line, " - %lld]", (long long)-displacement);
	else if (displacement || !*plus)
		say_format(line, "%s%lld]", plus, (long long)displacement);
	else
		say_format(line, "]");
}

static const char *rounding_text(unsigned rounding)
{
	static const char *const texts[] = {
		[X86_AS_MXCSR] = "", [X86_RN] = "{rn-sae}", [X86_RD] = "{rd-sae}",
		[X86_RU] = "{ru-sae}", [X86_RZ] = "{rz-sae}", [X86_SAE] = "{sae}",
	};

	return texts[rounding];
}

/* A rounding follows the last register, but is before one that is converted. */
static void say_register(struct x86_line *line, const struct x86_operand *operand)
{
	const char *rounding = rounding_text(operand->rounding);

	if (operand->rounding && operand->kind == X86_GPR)
		say_format(line, "%s, ", rounding);
	if (operand->kind == X86_GPR)
		say_gpr(line, operand->bytes, operand->number);
	else if (operand->kind == X86_VECTOR)
		say_vector(line, operand->bytes, operand->number);
	else
		say_format(line, "k%u", operand->number);
	if (operand->rounding && operand->kind != X86_GPR)
		say_format(line, ", %s", rounding);
}

static void say_operand(struct x86_line *line, const struct x86_row *row, unsigned size,
			const struct x86_spec *spec, const struct x86_operand *operand)
{
	unsigned bytes;

	switch ((enum x86_kind)operand->kind) {
	case X86_GPR:
	case X86_VECTOR:
	case X86_MASK:
		say_register(line, operand);
		break;
	case X86_MEMORY:
		bytes = x86_memory_bytes(row, spec, size, operand->broadcast);
		say_memory(line, operand, bytes);
		if (operand->broadcast)
			say_format(line, "{1to%u}",
				   x86_memory_bytes(row, spec, size, false) / bytes);
		break;
	case X86_IMMEDIATE:
		say_format(line, "%lld",
			   (long long)x86_immediate_value(spec, operand->value, size));
		break;
	case X86_LABEL:
		say_format(line, "L%u", operand->label);
		break;
	}
	if (operand->mask)
		say_format(line, " {k%u}%s", operand->mask, operand->zeroed ? " {z}" : "");
}

size_t x86_text(enum x86_isa isa, enum x86_name name, const struct x86_operand *operands,
		size_t count, char *text, size_t size)
{
	struct x86_line line = { text, size, 0 };
	unsigned instruction_size;
	const struct x86_row *row = x86_find(isa, name, operands, count, &instruction_size);

	if (size)
		*text = '\0';
	if (!row)
		return 0;
	say_format(&line, "%s%s", names[name], count ? " " : "");
	for (size_t i = 0; i < count; i++) {
		say_format(&line, "%s", i ? ", " : "");
		say_operand(&line, row, instruction_size, &x86_specs[row->specs[i]],
			    &operands[i]);
	}
	return line.used;
}
