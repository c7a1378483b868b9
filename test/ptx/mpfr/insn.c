/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[BASES] = {
	[ADD] = "add",	   [SUB] = "sub",   [MUL] = "mul",   [FMA] = "fma",
	[MAD] = "mad",	   [DIV] = "div",   [SQRT] = "sqrt", [RCP] = "rcp",
	[RSQRT] = "rsqrt", [EX2] = "ex2",   [LG2] = "lg2",   [SIN] = "sin",
	[COS] = "cos",	   [TANH] = "tanh", [MIN] = "min",   [MAX] = "max",
	[ABS] = "abs",	   [NEG] = "neg",   [CVT] = "cvt",   [COPYSIGN] = "copysign",
};

static bool is(const char *part, const char *name)
{
	return !strcmp(part, name);
}

/* A direction of rounding; with an i behind it, to an integral number. */
static bool rounding(struct insn *insn, const char *part)
{
	static const struct {
		char name[4];
		mpfr_rnd_t rnd;
	} modes[] = { { "rn", MPFR_RNDN },
		      { "rz", MPFR_RNDZ },
		      { "rm", MPFR_RNDD },
		      { "rp", MPFR_RNDU },
		      { "rna", MPFR_RNDN } };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		bool integral = !strncmp(part, modes[i].name, 2) && is(part + 2, "i");

		if (!integral && !is(part, modes[i].name))
			continue;
		insn->rnd = modes[i].rnd;
		insn->away = is(part, "rna");
		insn->integral = integral;
		return true;
	}
	return false;
}

static bool flag(struct insn *insn, const char *part)
{
	struct {
		const char *name;
		bool *set;
	} flags[] = { { "ftz", &insn->ftz },	{ "sat", &insn->sat },
		      { "relu", &insn->relu },	{ "satfinite", &insn->satfinite },
		      { "NaN", &insn->nan },	{ "xorsign", &insn->xorsign },
		      { "abs", &insn->xorsign } };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (is(part, flags[i].name))
			return *flags[i].set = true;
	if (is(part, "approx"))
		insn->precision = APPROX;
	else if (is(part, "full"))
		insn->precision = FULL;
	else
		return false;
	return true;
}

static bool type(const char *part, struct operand_type *type)
{
	size_t length = strlen(part);
	char *end;

	*type = (struct operand_type){ .lanes = 1 };
	if (length > 2 && is(part + length - 2, "x2")) {
		type->lanes = 2;
		length -= 2;
	}
	type->format = format_find(part, length);
	if (type->format) {
		type->bits = is(part, "tf32") ? 32 : type->format->bits;
		return true;
	}
	type->is_signed = part[0] == 's';
	type->bits = (unsigned)strtoul(part + 1, &end, 10);
	return strchr("us", part[0]) && !*end && type->bits;
}

static bool modifiers(struct insn *insn, char *parts, const char **unknown)
{
	bool first = true;

	for (char *save, *part = strtok_r(parts, ".", &save); part;
	     part = strtok_r(NULL, ".", &save)) {
		if (type(part, &insn->from)) {
			if (first)
				insn->to = insn->from;
			first = false;
		} else if (!rounding(insn, part) && !flag(insn, part)) {
			*unknown = strstr(insn->text, part);
		}
	}
	if (!insn->to.format && !insn->from.format)
		*unknown = NULL; /* an integer instruction */
	return (insn->to.format || insn->from.format) && !*unknown;
}

/* "%r0, %r1, %h2": registers alone, numbered as they come. */
static bool operands(struct insn *insn, const char *text)
{
	unsigned count = 0;

	for (const char *at = text; (at = strchr(at, '%')); at++, count++) {
		if (count > MAX_SOURCES || !strchr("hrd", at[1]) ||
		    at[2] != (char)('0' + count))
			return false;
		insn->registers[count] = at[1];
	}
	insn->sources = count ? count - 1 : 0;
	return count > 1 && strlen(text) == count * 5 - 1;
}

bool insn_parse(const char *form, struct insn *insn, const char **unknown)
{
	size_t length = strcspn(form, " "), name = strcspn(form, ". ");
	char parts[64];
	int base;

	*insn = (struct insn){ .rnd = MPFR_RNDN };
	*unknown = NULL;
	for (base = 0; base < BASES; base++)
		if (strlen(names[base]) == name && !strncmp(form, names[base], name))
			break;
	if (base == BASES || length >= sizeof(parts))
		return false;
	insn->base = (enum insn_base)base;
	snprintf(insn->text, sizeof(insn->text), "%.*s", (int)length, form);
	snprintf(parts, sizeof(parts), "%s", insn->text + name);
	return modifiers(insn, parts, unknown) && operands(insn, form + length);
}

unsigned register_bits(char kind)
{
	return kind == 'h' ? 16 : kind == 'r' ? 32 : 64;
}
