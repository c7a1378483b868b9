/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tree as PTX. */
#ifndef RANDOM_TEXT_H
#define RANDOM_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "random_tree.h"

struct text {
	const struct tree *tree;
	char bytes[1 << 17];
	size_t length;
	unsigned labels;
};

static void put(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(t->bytes + t->length, sizeof(t->bytes) - t->length, format,
			   arguments);
	va_end(arguments);
	t->length += (size_t)length;
	if (t->length >= sizeof(t->bytes))
		abort();
}

static void put_source(struct text *t, char letter, const struct source *s)
{
	if (!s->immediate)
		put(t, "%%%c%u", classes[class_of(letter)].letter, s->index);
	else if (letter == 'f')
		put(t, "0f%08X", (unsigned)s->value);
	else
		put(t, "0x%llx", (unsigned long long)s->value);
}

static void put_guard(struct text *t, const struct statement *s)
{
	put(t, "\t");
	if (s->guard >= 0)
		put(t, "@%s%%p%d ", s->negated ? "!" : "", s->guard);
}

static void put_list(struct text *t, int at, unsigned exits[NESTED + 1][2],
		     unsigned depth);

static void put_operation(struct text *t, const struct statement *s)
{
	put_guard(t, s);
	put(t, "%s %%%c%u", opcodes[s->op], destinations[s->op], s->destination);
	for (unsigned i = 0; signatures[s->op][i]; i++) {
		put(t, ", ");
		put_source(t, signatures[s->op][i], &s->sources[i]);
	}
	put(t, ";\n");
}

/* %a = %base + 4 * (source & most) */
static void put_address(struct text *t, const struct statement *s, const char *base,
			unsigned most)
{
	put(t, "\tand.b32 %%t0, ");
	put_source(t, 'r', &s->sources[0]);
	put(t, ", %u;\n\tmul.wide.u32 %%a, %%t0, 4;\n\tadd.s64 %%a, %%a, %%%s;\n", most,
	    base);
}

static void put_access(struct text *t, const struct statement *s)
{
	static const struct {
		const char *base, *opcode;
		unsigned most;
		bool store;
	} rows[] = {
		[LOAD] = { "in", "ld.global.nc.u32", INPUTS - 1, false },
		[LOAD_OWN] = { "own", "ld.global.u32", OWN - 1, false },
		[STORE_OWN] = { "own", "st.global.u32", OWN - 1, true },
		[LOAD_LOCAL] = { "loc", "ld.local.u32", OWN - 1, false },
		[STORE_LOCAL] = { "loc", "st.local.u32", OWN - 1, true },
	};

	put_address(t, s, rows[s->kind].base, rows[s->kind].most);
	if (!rows[s->kind].store) {
		put_guard(t, s);
		put(t, "%s %%r%u, [%%a];\n", rows[s->kind].opcode, s->destination);
		return;
	}
	put(t, "\tmov.b32 %%t1, ");
	put_source(t, 'r', &s->sources[1]);
	put(t, ";\n");
	put_guard(t, s);
	put(t, "%s [%%a], %%t1;\n", rows[s->kind].opcode);
}

static void put_loop(struct text *t, const struct statement *s,
		     unsigned exits[NESTED + 1][2], unsigned depth)
{
	unsigned at = (unsigned)(s - t->tree->statements), label = t->labels;

	t->labels += 4;
	exits[depth][0] = label;
	exits[depth][1] = label + 1;
	put(t, "\tand.b32 %%n%u, ", at);
	put_source(t, 'r', &s->sources[0]);
	put(t, ", %u;\n\tmov.b32 %%k%u, 0;\n", most_rounds(s), at);
	if (s->op & 1)
		put(t, "\tsetp.eq.u32 %%q, %%n%u, 0;\n\t@%%q bra L%u;\nL%u:\n", at, label,
		    label + 2);
	else
		put(t, "L%u:\n\tsetp.ge.u32 %%q, %%k%u, %%n%u;\n\t@%%q bra L%u;\n",
		    label + 2, at, at, label);
	put_list(t, s->body, exits, depth + 1);
	put(t, "L%u:\n\tadd.u32 %%k%u, %%k%u, 1;\n", label + 1, at, at);
	if (s->op & 1)
		put(t, "\tsetp.lt.u32 %%q, %%k%u, %%n%u;\n\t@%%q bra L%u;\n", at, at,
		    label + 2);
	else
		put(t, "\tbra L%u;\n", label + 2);
	put(t, "L%u:\n", label);
}

static void put_if(struct text *t, const struct statement *s,
		   unsigned exits[NESTED + 1][2], unsigned depth)
{
	unsigned label = t->labels;

	t->labels += 2;
	put(t, "\t@%s%%p%d bra L%u;\n", s->negated ? "" : "!", s->guard, label);
	put_list(t, s->body, exits, depth);
	put(t, "\tbra L%u;\nL%u:\n", label + 1, label);
	put_list(t, s->other, exits, depth);
	put(t, "L%u:\n", label + 1);
}

static void put_switch(struct text *t, const struct statement *s,
		       unsigned exits[NESTED + 1][2], unsigned depth)
{
	unsigned label = t->labels;

	t->labels += 4;
	put(t, "\tand.b32 %%t0, ");
	put_source(t, 'r', &s->sources[0]);
	put(t,
	    ", 3;\nT%u: .branchtargets L%u, L%u, L%u, L%u;\n\tbrx.idx %%t0, T%u;\nL%u:\n",
	    label, label, label + 1, label + 2, label + 2, label, label);
	put_list(t, s->body, exits, depth);
	put(t, "\tbra L%u;\nL%u:\n", label + 2, label + 1);
	put_list(t, s->other, exits, depth);
	put(t, "L%u:\n", label + 2);
}

static void put_call(struct text *t, const struct statement *s)
{
	put(t,
	    "\t{\n\t.param .b32 ax, ay, au0, au1, result;\n\t.param .b64 ai, ao, as;\n");
	for (unsigned i = 0; i < 2; i++) {
		put(t, "\tmov.b32 %%t0, ");
		put_source(t, 'r', &s->sources[i]);
		put(t, ";\n\tst.param.b32 [%s], %%t0;\n", i ? "ay" : "ax");
	}
	put(t,
	    "\tst.param.b32 [au0], %%u0;\n\tst.param.b32 [au1], %%u1;\n\tst.param.b64 "
	    "[ai], %%in;\n"
	    "\tst.param.b64 [ao], %%own;\n\tst.param.b64 [as], %%sum;\n"
	    "\tcall (result), f%u, (ax, ay, au0, au1, ai, ao, as);\n\tld.param.b32 "
	    "%%r%u, [result];\n\t}\n",
	    s->op, s->destination);
}

static void put_together(struct text *t, const struct statement *s)
{
	unsigned threads = t->tree->block[0] * t->tree->block[1];

	put(t, "\tmov.b32 %%t1, ");
	put_source(t, 'r', &s->sources[0]);
	put(t, ";\n");
	switch (s->kind) {
	case EXCHANGE:
		put(t,
		    "\tmul.lo.u32 %%t0, %%lin, 4;\n\tmov.u32 %%t2, words;\n\tadd.u32 "
		    "%%t0, %%t0, %%t2;\n"
		    "\tst.shared.u32 [%%t0], %%t1;\n\tbar.sync 0;\n\tadd.u32 %%t0, "
		    "%%lin, %u;\n"
		    "\trem.u32 %%t0, %%t0, %u;\n\tmad.lo.u32 %%t0, %%t0, 4, %%t2;\n"
		    "\tld.shared.u32 %%r%u, [%%t0];\n\tbar.sync 0;\n",
		    1 + s->op, threads, s->destination);
		break;
	case SHUFFLE:
		put(t, "\tshfl.sync.bfly.b32 %%r%u, %%t1, %u, 31, -1;\n", s->destination,
		    1 + s->op);
		break;
	case BALLOT:
		put(t, "\tvote.sync.ballot.b32 %%r%u, %%p%u, %%all;\n", s->destination,
		    s->op & 3);
		break;
	default:
		put(t, "\tredux.sync.add.u32 %%r%u, %%t1, %%all;\n", s->destination);
	}
}

static void put_repeat(struct text *t, const struct statement *s,
		       unsigned exits[NESTED + 1][2])
{
	unsigned at = (unsigned)(s - t->tree->statements), label = t->labels;

	t->labels += 2;
	put(t,
	    "\tmov.b32 %%k%u, 0;\nL%u:\n\tsetp.eq.u32 %%q, %%k%u, %u;\n\t@%%q bra L%u;\n",
	    at, label, at, s->op, label + 1);
	put_list(t, s->body, exits, 0);
	put(t, "\tadd.u32 %%k%u, %%k%u, 1;\n\tbra.uni L%u;\nL%u:\n", at, at, label,
	    label + 1);
}

static void put_uniform_if(struct text *t, const struct statement *s,
			   unsigned exits[NESTED + 1][2])
{
	unsigned label = t->labels;

	t->labels += 2;
	put(t,
	    "\tand.b32 %%t0, %%u0, %u;\n\tsetp.eq.u32 %%q, %%t0, 0;\n\t@%%q bra L%u;\n",
	    1u << s->op, label);
	put_list(t, s->body, exits, 0);
	put(t, "\tbra.uni L%u;\nL%u:\n", label + 1, label);
	put_list(t, s->other, exits, 0);
	put(t, "L%u:\n", label + 1);
}

static void put_statement(struct text *t, const struct statement *s,
			  unsigned exits[NESTED + 1][2], unsigned depth)
{
	static const char *const specials[] = { "%%tid.x",   "%%tid.x",	 "%%tid.y",
						"%%ctaid.x", "%%ntid.x", "%%nctaid.x",
						"%%u0",	     "%%u1" };

	switch (s->kind) {
	case COMPUTE:
		put_operation(t, s);
		break;
	case SPECIAL:
		put_guard(t, s);
		put(t, "mov.u32 %%r%u, %s;\n", s->destination, specials[s->op] + 1);
		break;
	case SUM:
		put(t, "\tmov.b32 %%t0, ");
		put_source(t, 'r', &s->sources[0]);
		put(t, ";\n");
		put_guard(t, s);
		put(t, "red.global.add.u32 [%%sum+%u], %%t0;\n", 4 * (s->op % SUMS));
		break;
	case IF:
		put_if(t, s, exits, depth);
		break;
	case LOOP:
		put_loop(t, s, exits, depth);
		break;
	case BREAK:
		put_guard(t, s);
		put(t, "bra L%u;\n", exits[depth - s->level][0]);
		break;
	case CONTINUE:
		put_guard(t, s);
		put(t, "bra L%u;\n", exits[depth - 1][1]);
		break;
	case LEAVE:
		put_guard(t, s);
		put(t, "exit;\n");
		break;
	case CALL:
		put_call(t, s);
		break;
	case SWITCH:
		put_switch(t, s, exits, depth);
		break;
	case REPEAT:
		put_repeat(t, s, exits);
		break;
	case UNIFORM_IF:
		put_uniform_if(t, s, exits);
		break;
	case EXCHANGE:
	case SHUFFLE:
	case BALLOT:
	case REDUCE:
		put_together(t, s);
		break;
	default:
		put_access(t, s);
	}
}

static void put_list(struct text *t, int at, unsigned exits[NESTED + 1][2],
		     unsigned depth)
{
	for (; at >= 0; at = t->tree->statements[at].next)
		put_statement(t, &t->tree->statements[at], exits, depth);
}

/* Declares everything and sets it to 0; the caller sets %in, %own, %sum, %u0 and %u1. */
static void put_registers(struct text *t)
{
	static const char *const types[] = { "b32", "b64", "b16", "f32", "f64", "pred" };
	static const char *const zeros[] = { "mov.b32", "mov.b64", "mov.b16",
					     "mov.f32", "mov.f64", NULL };

	for (unsigned c = 0; c < CLASSES; c++)
		put(t, "\t.reg .%s %%%c<%u>;\n", types[c], classes[c].letter,
		    classes[c].count);
	put(t,
	    "\t.reg .b32 %%t<3>, %%k<%u>, %%n<%u>, %%u<2>, %%lin, %%all, %%tx, %%ty;\n"
	    "\t.reg .b64 %%a, %%in, %%out, %%own, %%sum, %%loc;\n\t.reg .pred %%q;\n"
	    "\t.local .align 4 .b8 local[%u];\n\tmov.u64 %%loc, local;\n",
	    MOST_STATEMENTS, MOST_STATEMENTS, 4 * OWN);
	for (unsigned i = 0; i < OWN; i++)
		put(t, "\tst.local.u32 [%%loc+%u], 0;\n", 4 * i);
	for (unsigned c = 0; c < CLASSES; c++)
		for (unsigned i = 0; i < classes[c].count; i++)
			if (zeros[c])
				put(t, "\t%s %%%c%u, %s;\n", zeros[c], classes[c].letter,
				    i,
				    c == 3   ? "0f00000000"
				    : c == 4 ? "0d0000000000000000"
					     : "0");
			else
				put(t, "\tsetp.ne.u32 %%p%u, 0, 0;\n", i);
}

static void put_function(struct text *t, unsigned function)
{
	unsigned exits[NESTED + 1][2];

	put(t,
	    ".func (.param .b32 back) f%u(.param .b32 x, .param .b32 y, .param .b32 u0, "
	    ".param .b32 u1,\n"
	    "\t.param .b64 pi, .param .b64 po, .param .b64 ps)\n{\n",
	    function);
	put_registers(t);
	put(t, "\tld.param.b32 %%r0, [x];\n\tld.param.b32 %%r1, [y];\n\tld.param.b32 "
	       "%%u0, [u0];\n"
	       "\tld.param.b32 %%u1, [u1];\n\tld.param.b64 %%in, [pi];\n\tld.param.b64 "
	       "%%own, [po];\n"
	       "\tld.param.b64 %%sum, [ps];\n");
	put_list(t, t->tree->function[function], exits, 0);
	put(t, "\tst.param.b32 [back], %%r0;\n\tret;\n}\n");
}

/* Where a thread's registers go: 8 bytes each, class after class. */
static void put_results(struct text *t)
{
	static const char *const stores[] = { "u32", "u64", "u16", "f32", "f64" };
	unsigned at = 0;

	for (unsigned c = 0; c < CLASSES; c++) {
		for (unsigned i = 0; i < classes[c].count; i++, at += 8) {
			if (classes[c].letter == 'p')
				put(t,
				    "\tselp.u32 %%t0, 1, 0, %%p%u;\n\tst.global.u32 "
				    "[%%out+%u], %%t0;\n",
				    i, at);
			else
				put(t, "\tst.global.%s [%%out+%u], %%%c%u;\n", stores[c],
				    at, classes[c].letter, i);
		}
	}
	put(t, "\tret;\n}\n");
}

static void put_kernel(struct text *t)
{
	unsigned exits[NESTED + 1][2], slots = 0,
				       threads = t->tree->block[0] * t->tree->block[1];

	for (unsigned c = 0; c < CLASSES; c++)
		slots += classes[c].count;
	put(t,
	    ".visible .entry kernel(.param .u64 in, .param .u64 out, .param .u64 own, "
	    ".param .u64 sum,\n"
	    "\t.param .u32 u0, .param .u32 u1)\n{\n\t.shared .align 4 .b8 words[%u];\n",
	    4 * threads);
	put_registers(t);
	put(t,
	    "\tld.param.u64 %%in, [in];\n\tld.param.u64 %%out, [out];\n\tld.param.u64 "
	    "%%own, [own];\n"
	    "\tld.param.u64 %%sum, [sum];\n\tld.param.u32 %%u0, [u0];\n\tld.param.u32 "
	    "%%u1, [u1];\n"
	    "\tmov.u32 %%tx, %%tid.x;\n\tmov.u32 %%ty, %%tid.y;\n\tmad.lo.u32 %%lin, "
	    "%%ty, %u, %%tx;\n"
	    "\tand.b32 %%t0, %%lin, 0x3e0;\n\tsub.u32 %%t0, %u, %%t0;\n\tmin.u32 %%t0, "
	    "%%t0, 32;\n"
	    "\tsub.u32 %%t0, 32, %%t0;\n\tmov.u32 %%all, -1;\n\tshr.u32 %%all, %%all, "
	    "%%t0;\n"
	    "\tmov.u32 %%t1, %%ctaid.x;\n\tmad.lo.u32 %%t0, %%t1, %u, %%lin;\n"
	    "\tmul.wide.u32 %%a, %%t0, %u;\n\tadd.s64 %%out, %%out, %%a;\n"
	    "\tmul.wide.u32 %%a, %%t0, %u;\n\tadd.s64 %%own, %%own, %%a;\n",
	    t->tree->block[0], threads, threads, 8 * slots, 4 * OWN);
	put(t,
	    "\tand.b32 %%t0, %%lin, %u;\n\tmul.wide.u32 %%a, %%t0, 4;\n\tadd.s64 %%a, "
	    "%%a, %%in;\n"
	    "\tld.global.u32 %%r0, [%%a];\n\tmov.u32 %%r1, %%lin;\n\tmov.u32 %%r2, "
	    "%%u0;\n"
	    "\tmov.u32 %%r3, %%u1;\n\tmul.wide.u32 %%d0, %%r0, %%r1;\n\tcvt.rn.f32.s32 "
	    "%%f0, %%r0;\n"
	    "\tcvt.rn.f64.s32 %%g0, %%r0;\n\tcvt.u16.u32 %%h0, %%r0;\n\tsetp.lt.u32 "
	    "%%p0, %%r1, 5;\n"
	    "\tsetp.lt.u32 %%p1, %%r2, 128;\n",
	    INPUTS - 1);
	put_list(t, t->tree->function[FUNCTIONS], exits, 0);
	put_results(t);
}

static void put_module(struct text *t, const struct tree *tree)
{
	t->tree = tree;
	put(t, ".version 8.0\n.target sm_90\n.address_size 64\n");
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_function(t, i);
	put_kernel(t);
}

#endif
