/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arguments as they are written, checked by the parameters of a kernel. */
#include "args.h"

#include "buffers.h"
#include "cleanup.h"
#include "texts.h"
#include "tap.h"

enum { MOST = 12 };

/* What a parameter is declared as, by one letter. */
static const struct letter {
	char letter;
	struct kernel_param param;
} letters[] = {
	{ 'f', { PARAM_FLOAT, .width = 4, .count = 1, .size = 4, .type = "f32" } },
	{ 'd', { PARAM_FLOAT, .width = 8, .count = 1, .size = 8, .type = "f64" } },
	{ 'h', { PARAM_FLOAT, .width = 2, .count = 1, .size = 2, .type = "f16" } },
	{ 'u', { PARAM_UNSIGNED, .width = 4, .count = 1, .size = 4, .type = "u32" } },
	{ 's', { PARAM_SIGNED, .width = 4, .count = 1, .size = 4, .type = "s32" } },
	{ 'c', { PARAM_UNSIGNED, .width = 1, .count = 1, .size = 1, .type = "u8" } },
	{ 'l', { PARAM_UNSIGNED, .width = 8, .count = 1, .size = 8, .type = "u64" } },
	{ 'b', { PARAM_BITS, .width = 4, .count = 1, .size = 4, .type = "b32" } },
	{ 'p', { PARAM_UNSIGNED, PARAM_GLOBAL, 8, 1, .size = 8, .type = "u64" } },
	{ 'a', { PARAM_BITS, .width = 1, .count = 16, .size = 16, .array = true, .type = "b8" } },
	{ 't', { PARAM_OPAQUE, .width = 8, .count = 1, .size = 8, .type = "texref" } },
	{ '4', { PARAM_UNKNOWN, .width = 4, .count = 1, .size = 4 } },
	{ '8', { PARAM_UNKNOWN, .width = 8, .count = 1, .size = 8 } },
};

/* A launch of kernel k, whose parameters are letters, with arguments with blanks between. */
struct bound {
	char text[256];
	struct kernel_param params[MOST];
	struct kernel_info info;
	struct lookup_kernel kernel;
	struct texts buffers, args;
	struct plan plan;
	struct arg_list list;
	struct launch launch;
	struct err e;
};

static void release(struct bound *bound)
{
	for (size_t i = 0; i < bound->launch.slot_count; i++) {
		free(bound->launch.slots[i].large);
		free(bound->launch.slots[i].fixups.at);
	}
	free(bound->launch.slots);
	arg_list_release(&bound->list);
	for (size_t i = 0; i < bound->plan.buffer_count; i++)
		buffer_release(&bound->plan.buffers[i]);
	free(bound->plan.buffers);
	free(bound->buffers.at);
	free(bound->args.at);
}

/* Declares the parameters, each after the one before it, aligned to its size. */
static void declare(struct bound *bound, const char *params)
{
	uint64_t at = 0;

	bound->info = (struct kernel_info){ .params = bound->params };
	for (; *params; params++) {
		struct kernel_param *param = &bound->params[bound->info.param_count++];

		for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
			if (letters[i].letter == *params)
				*param = letters[i].param;
		at = (at + param->width - 1) / param->width * param->width;
		param->offset = at;
		at += param->size;
	}
	bound->info.param_bytes = at;
}

/* Buffers x, of four floats, and n, of two by three integers, are there beside the arguments. */
static int bind(struct bound *bound, const char *params, const char *signature,
		const char *arguments)
{
	char *rest = bound->text, *word;

	declare(bound, params);
	bound->kernel = (struct lookup_kernel){ .base = "k", .name = "k", .scope = "",
						.info = &bound->info,
						.signature = (char *)signature };
	bound->launch.kernel = &bound->kernel;
	TRY(texts_add(&bound->buffers, "x=f32:4", &bound->e));
	TRY(texts_add(&bound->buffers, "n=i32:2x3", &bound->e));
	TRY(buffers_collect(&bound->plan, &bound->buffers, &bound->e));
	snprintf(bound->text, sizeof(bound->text), "%s", arguments);
	while (*bound->text && (word = strsep(&rest, " ")))
		TRY(texts_add(&bound->args, word, &bound->e));
	TRY(args_parse(&bound->plan, &bound->args, &bound->list, &bound->e));
	TRY(args_resolve(&bound->plan, &bound->list, &bound->e));
	return args_bind(&bound->plan, &bound->launch, &bound->list, &bound->e);
}

/* ---- what is bound, as text: bytes in memory's order, and addresses by their buffers ---- */

static void put_fixup(FILE *to, const struct bound *bound, const struct fixup *fixup)
{
	fprintf(to, "@%llu:%s", (unsigned long long)fixup->at,
		fixup->symbol ? fixup->symbol : bound->plan.buffers[fixup->buffer].name);
	if (fixup->elements)
		fprintf(to, "+%llu", (unsigned long long)fixup->elements);
}

static void put_slot(FILE *to, const struct bound *bound, const struct slot *slot)
{
	const uint8_t *bytes = slot->large ? slot->large : slot->bytes;

	fprintf(to, "%s%llu=", slot == bound->launch.slots ? "" : " ",
		(unsigned long long)slot->offset);
	for (uint64_t i = 0; i < slot->size; i++)
		fprintf(to, "%02x", bytes[i]);
	for (size_t i = 0; i < slot->fixups.count; i++)
		put_fixup(to, bound, &slot->fixups.at[i]);
}

/* Owned by the caller (free). */
static char *describe(const struct bound *bound)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (size_t i = 0; i < bound->launch.slot_count; i++)
		put_slot(to, bound, &bound->launch.slots[i]);
	fclose(to);
	return text;
}

/* ---- */

static void test_bound(void)
{
	static const struct {
		const char *params, *arguments, *want;
	} rows[] = {
		{ "", "", "" },
		/* A type of its own. */
		{ "f", "f32=2.0", "0=00000040" },
		{ "fd", "f32=1.5 f64=-1.5", "0=0000c03f 8=000000000000f8bf" },
		{ "hc", "f16=1 u8=255", "0=003c 2=ff" },
		{ "us", "u32=4294967295 i32=-1", "0=ffffffff 4=ffffffff" },
		{ "us", "i32=-2 u32=7", "0=feffffff 4=07000000" },
		{ "b", "f32=1.0", "0=0000803f" },
		{ "b", "u32=0x10", "0=10000000" },
		{ "48", "f32=1 i64=-1", "0=0000803f 8=ffffffffffffffff" },
		{ "8", "c64=1+2j", "0=0000803f00000040" },
		/* A number alone takes the parameter's. */
		{ "fus", "2.0 7 -7", "0=00000040 4=07000000 8=f9ffffff" },
		{ "ub", "-1 4294967295", "0=ffffffff 4=ffffffff" },
		{ "hl", "0.5 1Ki", "0=0038 8=0004000000000000" },
		/* Buffers. */
		{ "pp", "x n", "0=0000000000000000@0:x 8=0000000000000000@0:n" },
		{ "l8", "x+3 x+4", "0=0000000000000000@0:x+3 8=0000000000000000@0:x+4" },
		{ "pp", "y=f32:8 y+2", "0=0000000000000000@0:y 8=0000000000000000@0:y+2" },
		{ "pp", "f32:8 i32:2", "0=0000000000000000@0:arg0 8=0000000000000000@0:arg1" },
		{ "ul", "len:x len:n", "0=04000000 8=0600000000000000" },
		{ "pl", "null null", "0=0000000000000000 8=0000000000000000" },
		{ "8", "sym:table", "0=0000000000000000@0:table" },
		/* MLIR's descriptor: base, aligned, offset, sizes, strides. */
		{ "pplllll", "memref:n",
		  "0=0000000000000000@0:n 8=0000000000000000@0:n 16=0000000000000000 "
		  "24=0200000000000000 32=0300000000000000 40=0300000000000000 "
		  "48=0100000000000000" },
		/* Structs by value. */
		{ "a", "raw:000102030405060708090a0b0c0d0eFf",
		  "0=000102030405060708090a0b0c0d0eff" },
		{ "a", "struct:x+1,i32=8,f32=2.0", "0=00000000000000000800000000000040@0:x+1" },
		{ "a", "struct:i32=1,null", "0=01000000000000000000000000000000" },
		{ "a", "struct:u8=1,pad:3,u8=2,pad:11", "0=01000000020000000000000000000000" },
		{ "a", "struct:u64=1,sym:table", "0=01000000000000000000000000000000@8:table" },
		{ "p", "ptrs:x,n,null,x+2", "0=0000000000000000@0:arg0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(release) struct bound bound = { 0 };
		CLEANUP(free_pointer) char *got = NULL;

		if (!CHECK_INT(bind(&bound, rows[i].params, "k", rows[i].arguments), 0))
			printf("# %s: %s\n", rows[i].arguments, bound.e.text);
		got = describe(&bound);
		CHECK_STR(got, rows[i].want);
	}
}

struct refused {
	const char *params, *arguments, *text, *hint;
};

/* Too few arguments: a line to begin with follows the signature; test/cli/args.bats has those. */
static void cut_sample(char *hint)
{
	char *sample = strstr(hint, "; for instance: gpurun ... --launch k ");

	if (sample)
		*sample = '\0';
}

static void check_refused(const struct refused *row, const char *signature)
{
	CLEANUP(release) struct bound bound = { 0 };

	if (!CHECK_INT(bind(&bound, row->params, signature, row->arguments), GPURUN_INVALID))
		printf("# %s\n", row->arguments);
	CHECK_STR(bound.e.text, row->text);
	cut_sample(bound.e.hint);
	CHECK_STR(bound.e.hint, row->hint);
}

/* What does not fit the parameter: the hint is the signature. */
static void test_unfit(void)
{
	static const struct refused rows[] = {
		{ "f", "", "k has 1 parameter, 0 arguments given", "the kernel is k(f32@0)" },
		{ "uu", "1 2 3", "k has 2 parameters, 3 arguments given",
		  "the kernel is k(u32@0, u32@4)" },
		{ "p", "memref:x", "k has 1 parameter, the arguments fill 5",
		  "the kernel is k(u64*@0)" },
		{ "f", "2", "arg0 ('2') of k: the parameter is .f32: say 2.0 or f32=2",
		  "the kernel is k(f32@0)" },
		{ "u", "2.5", "arg0 ('2.5') of k: the parameter is .u32: say TYPE=VALUE",
		  "the kernel is k(u32@0)" },
		{ "u", "4294967296", "arg0 ('4294967296') of k: u32 cannot hold 4294967296 exactly",
		  "the kernel is k(u32@0)" },
		{ "fp", "1.0 7", "arg1 ('7') of k: the parameter is a pointer: say u64=7 if an "
				 "address is meant", "the kernel is k(f32@0, u64*@8)" },
		{ "4", "7", "arg0 ('7') of k: a cubin does not have the parameter's type: say i32=7",
		  "the kernel is k(4B@0)" },
		{ "8", "1.5",
		  "arg0 ('1.5') of k: a cubin does not have the parameter's type: say f64=1.5",
		  "the kernel is k(8B@0)" },
		{ "l", "c64=1+2j", "arg0 ('c64=1+2j') of k: the parameter is .u64, not c64",
		  "the kernel is k(u64@0)" },
		{ "u", "i64=1", "arg0 ('i64=1') of k: i64 has 8 bytes, the parameter 4 (.u32)",
		  "the kernel is k(u32@0)" },
		{ "f", "i32=1", "arg0 ('i32=1') of k: the parameter is .f32, not i32",
		  "the kernel is k(f32@0)" },
		{ "s", "f32=1", "arg0 ('f32=1') of k: the parameter is .s32, not f32",
		  "the kernel is k(s32@0)" },
		{ "t", "u64=1", "arg0 ('u64=1') of k: the parameter is .texref, not u64",
		  "the kernel is k(texref@0)" },
		{ "u", "x", "arg0 ('x') of k: an address has 8 bytes, the parameter is .u32",
		  "the kernel is k(u32@0)" },
		{ "d", "null", "arg0 ('null') of k: an address has 8 bytes, the parameter is .f64",
		  "the kernel is k(f64@0)" },
		{ "f", "len:x", "arg0 ('len:x') of k: it is an integer, the parameter is .f32",
		  "the kernel is k(f32@0)" },
		{ "p", "x+5", "arg0 ('x+5') of k: element 5 of a buffer of 4",
		  "the kernel is k(u64*@0)" },
		{ "a", "raw:00", "arg0 ('raw:00') of k: 1 bytes, the parameter has 16 (.b8[16])",
		  "the kernel is k(b8[16]@0)" },
		{ "a", "struct:i32=1",
		  "arg0 ('struct:i32=1') of k: a structure of 4 bytes, the parameter has 16 "
		  "(.b8[16])", "the kernel is k(b8[16]@0)" },
		{ "u", "pad:4",
		  "arg0 ('pad:4') of k: it is a part of a structure: struct:...,pad:N,...",
		  "the kernel is k(u32@0)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_refused(&rows[i], "k");
}

/* What is no argument at all, whatever the kernel has. */
static void test_unreadable(void)
{
	static const struct refused rows[] = {
		{ "p", "z", "arg0: there is no buffer z", "there are: x n" },
		{ "pp", "x N", "arg1: there is no buffer N", "did you mean n? there are: x n" },
		{ "pp", "total=f32:1 totl", "arg1: there is no buffer totl",
		  "did you mean total? there are: x n total" },
		{ "pu", "x len:z", "arg1: there is no buffer z", "there are: x n" },
		{ "p", "x=f32:1", "buffer x is declared twice", "" },
		{ "pp", "arg1 f32:1 x", "k has 2 parameters, 3 arguments given",
		  "the kernel is k(u64*@0, u64*@8)" },
		{ "a", "struct:x,len:x", "arg0: struct:x,len:x: 'len:x' cannot be a part of it",
		  "parts are TYPE=VALUE, BUF[+ELEMS], sym:NAME, null and pad:BYTES" },
		{ "p", "ptrs:x,i32=1", "arg0: ptrs:x,i32=1: 'i32=1' cannot be a part of it",
		  "parts are BUF[+ELEMS] and null" },
		{ "a", "struct:x,x+9", "arg0: part 1: element 9 of a buffer of 4", "" },
		{ "a", "struct:x,y", "arg0: part 1: there is no buffer y", "there are: x n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_refused(&rows[i], "k");
}

/* What a kernel's C++ name tells of its parameters holds too, unless --untyped. */
static void test_named(void)
{
	static const char signature[] = "k(float const*, int)";
	static const struct refused row = {
		"pu", "n 1",
		"arg0 ('n') of k: the parameter is float const*, not i32*: --untyped takes it",
		"the kernel is k(u64*@0, u32@8)"
	};
	CLEANUP(release) struct bound good = { 0 }, untyped = { .plan.untyped = true };

	check_refused(&row, signature);
	CHECK_INT(bind(&good, "pu", signature, "x 1"), 0);
	CHECK_INT(bind(&untyped, "pu", signature, "n 1"), 0);
}

static void test_signature(void)
{
	struct bound bound = { 0 };
	char text[32], brief[8];

	declare(&bound, "pfa8");
	args_signature("k", &bound.info, text, sizeof(text));
	CHECK_STR(text, "k(u64*@0, f32@8, b8[16]@12, 8B@");
	args_signature("k", &bound.info, brief, sizeof(brief));
	CHECK_STR(brief, "k(u64*@");
	bound.info.param_count = 0;
	args_signature("k", &bound.info, text, sizeof(text));
	CHECK_STR(text, "k()");
}

int main(void)
{
	RUN(test_bound);
	RUN(test_unfit);
	RUN(test_unreadable);
	RUN(test_named);
	RUN(test_signature);
	return tap_end();
}
