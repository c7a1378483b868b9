/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of a register, as text. */
#include <inttypes.h>

#include "kinds.h"

/* How many steps from @at on follow each other by the distance of the first two. */
static unsigned run_length(const int64_t *steps, unsigned at, unsigned count)
{
	const int64_t distance = at + 1 < count ? steps[at + 1] - steps[at] : 0;
	unsigned length = 1;

	while (at + length < count && steps[at + length] - steps[at + length - 1] == distance)
		length++;
	return length;
}

/* "0..15,0..15", "0*16,1*16", "0..124/4": the steps of the first @count lanes. */
static void print_steps(FILE *to, const int64_t *steps, unsigned count)
{
	for (unsigned at = 0, length; at < count; at += length) {
		const int64_t first = steps[at], next = at + 1 < count ? steps[at + 1] : first;

		length = run_length(steps, at, count);
		if (length == 2 && next != first)
			length = 1; /* any two numbers are a run */
		fprintf(to, "%s%" PRId64, at ? "," : "", first);
		if (length > 1 && next == first)
			fprintf(to, "*%u", length);
		else if (length > 1)
			fprintf(to, "..%" PRId64, steps[at + length - 1]);
		if (length > 1 && next != first && next - first != 1)
			fprintf(to, "/%" PRId64, next - first);
	}
}

/* The value in lane 0 as far as it is known, after @before; @unknown: where that is nothing. */
static void print_base(FILE *to, const struct register_kind *r, const char *before,
		       const char *unknown)
{
	const unsigned spare = 64 - (r->bits ? r->bits : 64);
	const uint64_t run = r->known & ~(r->known + 1); /* known from the lowest bit on */

	if (r->bits && !(~r->known & low_bits(r->bits)))
		fprintf(to, "%s%" PRId64, before, r->bits == 1 ? (int64_t)r->base :
			(int64_t)(r->base << spare) >> spare);
	else if (run && !(r->base & run))
		fprintf(to, "%s%" PRIu64 "n", before, run + 1);
	else
		fputs(unknown, to);
}

void kinds_print(FILE *to, const struct kinds *kinds, uint32_t index)
{
	const struct register_kind *r = &kinds->registers[index];
	const unsigned lanes = kinds->lanes == UINT32_MAX ?
				       KIND_LANES : (unsigned)__builtin_ctz(~kinds->lanes);

	switch (register_kind(kinds, index)) {
	case KIND_UNIFORM:
		fputs("uniform", to);
		print_base(to, r, " ", "");
		return;
	case KIND_PATTERN:
		print_base(to, r, "", "base");
		fputc('+', to);
		print_steps(to, kinds->patterns[r->pattern], lanes);
		return;
	case KIND_VECTOR:
		fputs("vector", to);
		return;
	}
}
