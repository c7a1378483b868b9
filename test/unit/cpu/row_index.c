/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From opcodes to rows of ptx_ops.def, from ops back to handlers, and these by name. */
#include "handler.h"
#include "opcode.h"
#include "tap.h"

/* Writes what @spelling spells to @text: of "a/b" the first or the last one, with what may be
 * missing or without. */
static void spell(const char *spelling, bool last, bool whole, char text[128])
{
	size_t length = 0;

	for (const char *at = spelling; *at; at += *at == '.') {
		const size_t size = strcspn(at, ".");
		const bool optional = size && at[size - 1] == '?';
		const char *from = at, *end = at + size - optional;

		for (const char *slash = at; last && slash < end; slash++)
			from = *slash == '/' ? slash + 1 : from;
		if (!last && memchr(at, '/', (size_t)(end - at)))
			end = memchr(at, '/', (size_t)(end - at));
		at += size;
		if (optional && !whole)
			continue;
		length += (size_t)snprintf(text + length, 128 - length, "%s%.*s", length ? "." : "",
					   (int)(end - from), from);
	}
}

/* Every row is found by each of its spellings, unless one before it has the same. */
static void test_rows(void)
{
	struct opcode opcode;
	char text[128];

	for (size_t i = 0; i < op_row_count; i++) {
		for (unsigned how = 0; how < 4; how++) {
			const struct op_row *found;

			spell(op_rows[i].spelling, how & 1, how & 2, text);
			if (!CHECK(opcode_parse((struct ptx_name){ text, (uint32_t)strlen(text) },
						&opcode)))
				continue;
			found = op_row_find(&opcode);
			if (!CHECK(found && found <= &op_rows[i] &&
				   opcode_matches(&opcode, found->spelling)))
				printf("# %s of %s\n", text, op_rows[i].spelling);
		}
	}
}

static void test_none(void)
{
	static const char *const texts[] = { "add", "add.s32.u32", "nosuch.s32", "add.rz.s32" };
	struct opcode opcode;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK(opcode_parse((struct ptx_name){ texts[i], (uint32_t)strlen(texts[i]) }, &opcode));
		CHECK(!op_row_find(&opcode));
	}
}

static void test_handlers(void)
{
	op_fn *const *handlers = handler_set_choose()->handlers;
	struct op op = { 0 };

	for (unsigned i = 0; i < HANDLER_COUNT; i++) {
		op.fn = handlers[i];
		CHECK(handlers[handler_of(&op)] == handlers[i]);
		CHECK(*handler_name(i) && strcmp(handler_name(i), "?") != 0);
	}
	CHECK_STR(handler_name(HANDLER_exit), "exit");
	CHECK_STR(handler_name(HANDLER_COUNT), "?");
	op.fn = (op_fn *)test_rows;
	CHECK_INT(handler_of(&op), HANDLER_COUNT);
}

static void test_accesses(void)
{
	static const struct {
		enum access_what what;
		enum access_form form;
		unsigned size, count;
		const char *name;
	} rows[] = {
		{ ACCESS_LOAD, FORM_FLAT_R8, 4, 1, "ld_flat_r8_4_v1" },
		{ ACCESS_LOAD, FORM_FLAT_R8, 8, 2, "ld_flat_r8_8_v2" },
		{ ACCESS_STORE, FORM_SHARED_R4, 1, 4, "st_shared_r4_1_v4" },
		{ ACCESS_LOAD, FORM_SHARED_S, 2, 1, "ld_shared_s_2_v1" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(handler_name(handler_of_access(rows[i].what, rows[i].form, rows[i].size,
							 rows[i].count)), rows[i].name);
}

int main(void)
{
	RUN(test_rows);
	RUN(test_none);
	RUN(test_handlers);
	RUN(test_accesses);
	return tap_end();
}
