/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* live_find(): the values that are needed in small kernels, where a region may be left. */
#include "live.h"

#include "listing.h"
#include "lowered.h"

static const struct block_shape lines = { .aligned = true };

static const char *value_name(const struct ir *ir, uint32_t v, char name[REGISTER_NAME])
{
	const uint32_t r = ir->values[v].reg;

	return r == IR_NONE ? "t" : listing_register(ir->lowering->body, r, name);
}

/* What is needed when an instruction begins, for those that are not pure. */
static void say_live(FILE *to, struct ir *ir)
{
	static const char *const names[IR_OPS] = { [IR_GUARD] = "guard", [IR_CALL] =
			 "call",
						   [IR_LEAVE] = "leave", [IR_BRANCH] =
			 "branch",
						   [IR_STORE] = "store" };
	CLEANUP(live_release) struct live live = { 0 };
	char name[REGISTER_NAME];

	REQUIRE(!live_find(ir, &live, NULL));
	for (size_t i = 0; i < ir->insn_count; i++) {
		const struct ir_live *now = &live.insns[i];
		uint32_t found = 0;

		if (!names[ir->insns[i].op])
			continue;
		fprintf(to, "%s:", names[ir->insns[i].op]);
		for (uint32_t v = 0; v < ir->value_count; v++)
			for (uint32_t k = 0; k < now->count; k++) {
				if (live.values[now->first + k] != v)
					continue;
				found++;
				fprintf(to, " %s", value_name(ir, v, name));
			}
		CHECK_INT(found, now->count); /* none of them twice */
		fputs("; ", to);
	}
}

#define CHECK_LIVE(text, expected) CHECK_LOWERED(say_live, lines, text, expected)

/* What is hoisted is fixed: it is never needed, nor what is read from it alone. */
static void test_chain(void)
{
	CHECK_LIVE(AT LOAD(a, at) "add.u32 %b, %a, 1;add.u32 %c, %a, %b;" STORE(c, at)
			 RET,
		   "store: %c %at; leave:; leave:; ");
	CHECK_LIVE(AT LOAD(a, at) STORE(a, at) LOAD(b, at) STORE(b, at) STORE(a, at) RET,
		   "store: %a %at; store: %a %b %at; store: %a %at; leave:; leave:; ");
}

/* A register that is written under a guard keeps what it had in other lanes; at the guard of a
 * store what follows it is needed, too. */
static void test_guard(void)
{
	CHECK_LIVE(AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;mov.u32 %b, 1;"
			 "@%p add.u32 %b, %a, 1;"
			 STORE(b, at) RET,
		   "guard: %a %b %at %p; store: %b %at; leave:; leave:; ");
	CHECK_LIVE(AT LOAD(a, at) "setp.lt.u32 %p, %a, %n;add.u32 %b, %a, 1;@%p "
			 STORE(a, at)
			 STORE(b, at) RET,
		   "guard: %a %b %at %p; store: %a %b %at %p; store: %b %at; leave:;"
			 " leave:; ");
	/* Lanes share it: then its instructions may not be executed at all. */
	CHECK_LIVE(AT LOAD(a, to) "setp.lt.u32 %p, %a, 7;mov.u32 %b, 1;"
			 "@%p add.u32 %b, %a, 1;"
			 STORE(b, at) RET,
		   "guard: %a %b %at %p; store: %at t; leave:; leave:; ");
}

/* At the branch back of a loop: what the loop needs, and what is needed behind it. */
static void test_loop(void)
{
	CHECK_LIVE(AT LOAD(b, at) "mov.u32 %i, 0;mov.u32 %a, 0;\n"
			 "L: add.u32 %a, %a, %b;add.u32 %i, %i, 1;"
			 "setp.lt.u32 %p, %i, %n;@%p bra L;\n"
			 "mov.u32 %b, 3;" STORE(a, at) STORE(b, to) RET,
		   "branch: %a %b %i %at %p; store: %a %b %at; store: %b; leave:;"
			 " leave:; ");
}

/* What a handler reads and writes follows from the instruction of PTX. */
static void test_call(void)
{
	CHECK_LIVE(AT LOAD(a, at) LOAD(b, at) "atom.global.add.noftz.f16x2 %a, [%at], %b;"
			 STORE(a, at) RET,
		   "call: %b %at; store: %a %at; leave:; leave:; ");
	CHECK_LIVE(AT LOAD(a, at) LOAD(b, at) "bar.sync 0;" STORE(a, at) RET,
		   "leave: %a %at; store: %a %at; leave:; leave:; ");
}

int main(void)
{
	RUN(test_chain);
	RUN(test_guard);
	RUN(test_loop);
	RUN(test_call);
	return tap_end();
}
