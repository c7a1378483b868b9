/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "decoder.h"

#include <stdarg.h>

#include "asserts.h"

int decode_fail(struct decoder *d, uint32_t line, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(d->e, GPURUN_FORMAT, "line %u: %s", line, text);
}

int decode_expected(struct decoder *d, const char *what)
{
	if (d->token.kind == PTX_END)
		return decode_fail(d, d->token.line, "expected %s, found the end of the function",
				   what);
	return decode_fail(d, d->token.line, "expected %s, found '%.*s'", what,
			   (int)(d->token.length < 80 ? d->token.length : 80), d->token.text);
}

int decode_punct(struct decoder *d, char c)
{
	char what[4] = { '\'', c, '\'', 0 };

	if (!at_punct(d, c))
		return decode_expected(d, what);
	advance(d);
	return 0;
}

bool decode_comma(struct decoder *d)
{
	if (!at_punct(d, ','))
		return false;
	advance(d);
	return true;
}

int decode_integer(struct decoder *d, int64_t *value)
{
	bool negative = false;

	for (; at_punct(d, '-') || at_punct(d, '+'); advance(d))
		negative ^= d->token.text[0] == '-';
	if (d->token.kind != PTX_INT)
		return decode_expected(d, "an integer");
	*value = (int64_t)(negative ? -d->token.integer : d->token.integer);
	advance(d);
	return 0;
}

int decode_add(struct decoder *d, const struct insn *insn)
{
	struct body *body = d->body;
	struct insn *slot = array_grow(&body->insns, body->insn_count, sizeof(*slot));

	ASSERT(insn->base < INSN_BASES && insn->operand + insn->count <= body->operand_count);
	ASSERT(insn->guard == NO_GUARD || insn->guard < body->register_count);
	if (!slot)
		return err_set(d->e, GPURUN_NO_MEMORY, "no memory for instructions");
	body->insn_count++;
	*slot = *insn;
	slot->results = (uint8_t)insn_results(body, insn);
	return 0;
}
