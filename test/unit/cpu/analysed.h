/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel written in a test, decoded and analysed: what is known of its flow and registers. */
#ifndef TEST_UNIT_DRIVER_ANALYSED_H
#define TEST_UNIT_DRIVER_ANALYSED_H

#include <stdio.h>
#include <stdlib.h>

#include "flow.h"
#include "tap.h"

/* What stands before the text of every kernel: the registers that it may use. */
#define ANALYSED_HEAD                                                                      \
	".version 8.0\n.target sm_90\n.address_size 64\n"                                  \
	".visible .entry k(.param .u32 n, .param .u64 to)\n{\n"                            \
	".reg .b32 %a, %b, %c, %i, %j, %t, %u, %n, %x, %y;\n"                              \
	".reg .b64 %to, %from;\n.reg .pred %p, %q;\n"

struct analysed {
	char text[4096], said[1024];
	struct ptx *ptx;      /* owned */
	struct names globals; /* owned; of no names */
	struct body *body;    /* owned */
	struct flow flow;     /* owned */
	struct liveness liveness; /* owned */
};

static inline void analysed_release(struct analysed *k)
{
	liveness_release(&k->liveness);
	flow_release(&k->flow);
	body_free(k->body);
	names_release(&k->globals);
	ptx_free(k->ptx);
}

/* Analyses a kernel of @text: without its declarations and braces. False after a failure. */
static inline bool analysed_from(struct analysed *k, const char *text)
{
	struct err e = { 0 };
	int status;

	memset(k, 0, sizeof(*k));
	snprintf(k->text, sizeof(k->text), "%s%s}\n", ANALYSED_HEAD, text);
	status = ptx_open((struct bytes){ (uint8_t *)k->text, strlen(k->text) }, &k->ptx, &e);
	if (!status)
		status = body_decode(k->ptx, &k->globals, &k->ptx->functions[0], &k->body, &e);
	if (!status)
		status = flow_find(k->body, &k->flow, &e);
	if (!status)
		status = liveness_find(k->body, &k->flow, &k->liveness, &e);
	CHECK_STR(e.text, "");
	return CHECK_INT(status, 0);
}

/* The label in front of block @b; "start" of the first, "end" behind the last. */
static inline void analysed_name(const struct analysed *k, uint32_t b, char name[16])
{
	snprintf(name, 16, "%s", b == k->flow.block_count ? "end" : b ? "?" : "start");
	if (b == UINT32_MAX)
		snprintf(name, 16, "none");
	for (size_t i = 0; b < k->flow.block_count && i < k->body->label_count; i++)
		if (k->body->labels[i].insn == k->flow.blocks[b].first)
			snprintf(name, 16, "%.*s", (int)k->body->labels[i].name.length,
				 k->body->labels[i].name.text);
}

/* Adds " text" to what is said; the first word without a space. */
static inline void analysed_say(struct analysed *k, const char *text)
{
	size_t length = strlen(k->said);

	snprintf(k->said + length, sizeof(k->said) - length, "%s%s", length ? " " : "", text);
}

/* The name of register @r. */
static inline struct ptx_name analysed_register(const struct analysed *k, uint32_t r)
{
	for (size_t i = 0; i < k->body->declared_count; i++)
		if (k->body->declared[i].first == r)
			return k->body->declared[i].name;
	return (struct ptx_name){ "?", 1 };
}

/* Checks what @say, a function of a struct analysed, says of a kernel of @text. */
#define CHECK_SAYS(say, text, expected)                                                    \
	do {                                                                               \
		CLEANUP(analysed_release) struct analysed k_;                              \
                                                                                           \
		CHECK_STR(say(&k_, text), expected);                                       \
	} while (0)

#endif
