/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any argument: it is refused, or what it declares is made and reads back as printed.
 * covers: lib/value/value.c lib/value/spec.c lib/value/fill.c lib/value/guess.c
 */
#include "compare.h"
#include "fill.h"

#include <string.h>

static void check(const struct spec *spec)
{
	uint8_t made[16384] = { 0 }, again[16384] = { 0 };
	unsigned size = value_info(spec->type)->size;
	struct comparison result;

	if (spec->shape.count > 1024 || !spec->has_shape ||
	    spec->init.kind == INIT_FILE ||
	    init_fill(&spec->init, spec->type, spec->shape.count, 1, 2, made, NULL))
		return;
	for (uint64_t i = 0; i < spec->shape.count; i++) {
		char text[VALUE_TEXT_SIZE];
		struct number number;

		value_format(spec->type, made + i * size, text);
		/* A bool of 0xff, from poison, prints as what no bool can be. */
		if (number_parse(text, strlen(text), &number, NULL) ||
		    number_store(&number, spec->type, again + i * size, NULL))
			again[i * size] = spec->init.kind == INIT_POISON ? 0xff : 0xee;
	}
	compare_values(spec->type, made, again, spec->shape.count,
		       &(struct tolerance){ 0 }, &result);
	if (result.bad)
		__builtin_trap();
}

/* What stands behind --buf: it is a declaration, and what it declares is itself. */
static void check_declaration(const char *text)
{
	char name[NAME_SIZE], shape[64];
	struct spec spec;

	init_sniff(text);
	if (declaration_parse(text, name, &spec, NULL))
		return;
	shape_format(&spec.shape, shape, sizeof(shape));
	if (!shape_equal(&spec.shape, &spec.shape) || strlen(shape) >= sizeof(shape))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[512] = "";
	uint8_t bits[VALUE_MAX_SIZE];
	struct arg arg;

	memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
	check_declaration(text);
	if (arg_parse(text, &arg, NULL))
		return 0;
	if (arg.kind == ARG_DECLARE)
		check(&arg.spec);
	if (arg.kind == ARG_SCALAR)
		number_store(&arg.number, arg.type, bits, NULL);
	return 0;
}
