/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ptx.h"
#include "fixture.h"

#include <time.h>

#define HEAD ".version 8.1\n.target sm_75\n.address_size 64\n"

static struct bytes text_of(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static bool is(struct ptx_name name, const char *spelling)
{
	return name.length == strlen(spelling) &&
	       !memcmp(name.text, spelling, name.length);
}

static bool spans(struct bytes bytes, const char *spelling)
{
	return bytes.size == strlen(spelling) &&
	       !memcmp(bytes.data, spelling, bytes.size);
}

/* Parses what has to be right. */
static struct ptx *parse(const char *text)
{
	struct ptx *ptx = NULL;
	struct err e = { 0 };

	if (!CHECK_INT(ptx_open(text_of(text), &ptx, &e), 0))
		printf("#   %s\n", e.text);
	return ptx;
}

/* Parses what has to be wrong, and say so in these words. */
static void refuse(const char *text, const char *words)
{
	struct ptx *ptx = NULL;
	struct err e = { 0 };

	CHECK_INT(ptx_open(text_of(text), &ptx, &e), GPURUN_FORMAT);
	CHECK(!ptx);
	CHECK_HAS(e.text, words);
	ptx_free(ptx);
}

static void test_head(void)
{
	CLEANUP(free_ptx)
	struct ptx *ptx = parse(
		"// text\n.version 7.10 .target sm_90a, debug, texmode_independent\n");
	CLEANUP(free_ptx)
	struct ptx *family = parse(".version 8.8 .target sm_100f\n"
				   ".address_size 32");

	REQUIRE(ptx && family);
	CHECK_INT(ptx->version_major, 7);
	CHECK_INT(ptx->version_minor, 10);
	CHECK(is(ptx->target, "sm_90a"));
	CHECK_INT(ptx->arch, 90);
	CHECK_INT(ptx->suffix, 'a');
	CHECK_INT(ptx->address_size, 64);
	CHECK_INT(family->arch, 100);
	CHECK_INT(family->suffix, 'f');
	CHECK_INT(family->address_size, 32);
}

static void test_bad_heads(void)
{
	refuse("", "line 1: expected '.version', found the end of the text");
	refuse("\n .target sm_75", "line 2: expected '.version', found '.target'");
	refuse(".version eight",
	       "expected a version such as 8.0 after .version, found 'eight'");
	refuse(".version 8e1 .target sm_75", "expected a version such as 8.0");
	refuse(".version.0 .target sm_75", "expected a version such as 8.0");
	refuse(".version .5 .target sm_75", "expected a version such as 8.0");
	refuse(".version 7. .target sm_75", "expected a version such as 8.0");
	refuse(".version 8.0 .entry k() {}", "expected '.target', found '.entry'");
	refuse(".version 8.0 .target gfx90a",
	       "expected a target such as sm_90, found 'gfx90a'");
	refuse(".version 8.0 .target sm_", "expected a target such as sm_90");
	refuse(".version 8.0 .target sm_90b", "expected a target such as sm_90");
	refuse(".version 8.0 .target sm_99999999999", "expected a target such as sm_90");
	refuse(".version 8.0 .target sm_90 .address_size 48",
	       "expected .address_size 32 or 64");
	refuse(HEAD ".nonsense 3", "line 4: expected a directive such as .entry");
	refuse(HEAD ".visible .file 1 \"x\"", "expected .entry, .func or a variable");
	refuse(HEAD ".param .u32 x;", "expected a variable that is not a parameter");
}

static void test_functions(void)
{
	CLEANUP(free_ptx)
	struct ptx *ptx = parse(
		HEAD
		".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
		".entry twice;\n"
		".visible .entry twice(.param .u32 n) .maxntid 64 .minnctapersm 2\n"
		".maxclusterrank 4 .maxnreg 40 "
		".pragma \"a;b\", \"}\"; .reqntid 8, 4, 2 {\n  ret; // }\n}\n"
		".weak .func .attribute(.unified(1, 2)) dead .noreturn { { trap; } }\n"
		".func (.reg .u32 %r1) old (.reg .u32 %r2, .param .b8 v[]) {}");
	const struct ptx_function *f;

	REQUIRE(ptx && CHECK_INT(ptx->function_count, 5));
	f = ptx->functions;
	CHECK(!f[0].entry && !f[0].defined && is(f[0].name, "vprintf"));
	CHECK_INT(f[0].linkage, PTX_EXTERN);
	CHECK_INT(f[0].return_count, 1);
	CHECK_INT(f[0].param_count, 2);
	CHECK(f[1].entry && !f[1].defined);
	CHECK(f[2].entry && f[2].defined && is(f[2].name, "twice"));
	CHECK_INT(f[2].linkage, PTX_VISIBLE);
	CHECK_INT(f[2].line, 6);
	CHECK_INT(f[2].max_block[0], 64);
	CHECK_INT(f[2].max_block[1], 1);
	CHECK_INT(f[2].required_block[2], 2);
	CHECK_INT(f[2].min_blocks, 2);
	CHECK_INT(f[2].max_cluster, 4);
	CHECK_INT(f[2].max_registers, 40);
	CHECK(spans(f[2].body, "\n  ret; // }\n"));
	CHECK_INT(f[2].body_line, 7);
	CHECK(f[3].noreturn && f[3].linkage == PTX_WEAK &&
	      spans(f[3].body, " { trap; } "));
	CHECK_INT(f[4].params[0].space, PTX_REG);
	CHECK(f[4].params[1].unsized && f[4].params[1].count == 0);
	CHECK(f[4].defined && f[4].body.size == 0);
}

static void test_bad_functions(void)
{
	refuse(HEAD ".entry ( ) {}", "expected the name of an entry, found '('");
	refuse(HEAD ".entry k", "expected a directive, '{' or ';', found the end");
	refuse(HEAD ".entry k() .hurry {}",
	       "expected a directive, '{' or ';', found '.hurry'");
	refuse(HEAD ".entry k(.global .u32 x) {}", "expected '.param' or '.reg'");
	refuse(HEAD ".entry k(.param .u32 x", "expected ')', found the end");
	refuse(HEAD ".entry k(.param x) {}", "expected a type, found 'x'");
	refuse(HEAD ".entry k(.param .u32) {}", "expected a name, found ')'");
	refuse(HEAD ".entry k() {\n { }\n", "line 4: '{' has no matching '}'");
	refuse(HEAD ".entry k() { /* }", "'{' has no matching '}'");
	refuse(HEAD ".entry k() .maxntid {}",
	       "expected a number up to 4294967295, found '{'");
	refuse(HEAD ".entry k() .pragma 3; {}", "expected a string after .pragma");
	refuse(HEAD ".func f() .attribute(", "expected ')'");
	refuse(HEAD ".entry k(.param .align 3 .b8 x) {}",
	       "expected a power of two after .align");
}

static const struct ptx_variable *only_variable(struct ptx *ptx, const char *name)
{
	for (size_t i = 0; ptx && i < ptx->variable_count; i++)
		if (is(ptx->variables[i].name, name))
			return &ptx->variables[i];
	CHECK(!"variable is there");
	exit(1);
}

static void test_variables(void)
{
	CLEANUP(free_ptx)
	struct ptx *ptx = parse(
		HEAD ".visible .global .align 4 .b8 g[64];\n"
		     ".const .align 16 .v4.f32 c[2][3] = {{1, 2}, {3}};\n"
		     ".extern .shared .align 16 .b8 dynamic[]; .extern .shared .b8 zero[0];\n"
		     ".global .u32 list[] = {1, 2, 3}, one = 5, plain;\n"
		     ".global .attribute(.managed) .s64 m;\n"
		     ".global .f64 rows[][2] = {{1, 2}, {3, 4}, {5, 6}};\n"
		     ".global .u64 none[] = {};\n"
		     ".common .global .samplerref s;\n"
		     ".global .b16 text[3] = {\"};\", 2}; .global .align 2 .u64 wide;\n");
	const struct ptx_variable *v;

	v = only_variable(ptx, "g");
	CHECK(v->linkage == PTX_VISIBLE && v->space == PTX_GLOBAL && v->array);
	CHECK_INT(v->size, 64);
	CHECK_INT(v->align, 4);
	v = only_variable(ptx, "c");
	CHECK_STR(v->type, "f32");
	CHECK_INT(v->vector, 4);
	CHECK_INT(v->count, 6);
	CHECK_INT(v->size, 96);
	CHECK_INT(v->align, 16);
	CHECK(spans(v->init, " {{1, 2}, {3}}"));
	v = only_variable(ptx, "dynamic");
	CHECK(v->unsized && v->linkage == PTX_EXTERN && v->count == 0 && v->size == 0);
	v = only_variable(ptx, "zero");
	CHECK(v->unsized && v->count == 0 && v->size == 0);
	v = only_variable(ptx, "list");
	CHECK(!v->unsized && v->array && v->count == 3 && v->size == 12);
	v = only_variable(ptx, "one");
	CHECK(!v->array && v->count == 1 && spans(v->init, " 5"));
	v = only_variable(ptx, "plain");
	CHECK(!v->init.size && v->line == 7);
	CHECK(only_variable(ptx, "m")->managed);
	CHECK_INT(only_variable(ptx, "rows")->count, 6);
	CHECK_INT(only_variable(ptx, "none")->count, 0);
	v = only_variable(ptx, "s");
	CHECK_STR(v->type, "samplerref");
	CHECK(v->linkage == PTX_COMMON && v->size == 8);
	CHECK(spans(only_variable(ptx, "text")->init, " {\"};\", 2}"));
	CHECK_INT(only_variable(ptx, "wide")->align, 8);
}

/* "x<3>" is three variables. */
static void test_numbered(void)
{
	CLEANUP(free_ptx)
	struct ptx *ptx = parse(HEAD ".global .align 16 .u64 x<3>, one, y<0>;\n"
				     ".shared .v2 .f32 z<2>;\n");
	const struct ptx_variable *v = only_variable(ptx, "x");

	CHECK(v->numbered && !v->array && v->count == 3 && v->stride == 16 && v->size == 48);
	v = only_variable(ptx, "one");
	CHECK(!v->numbered && v->count == 1 && v->size == 8);
	v = only_variable(ptx, "y");
	CHECK(v->numbered && v->count == 0 && v->size == 0);
	v = only_variable(ptx, "z");
	CHECK(v->numbered && v->stride == 8 && v->size == 16);
	refuse(HEAD ".global .u32 x<4294967296>;", "expected a number up to 4294967295");
	refuse(HEAD ".global .align 1048576 .v4 .u32 x<4294967295>, y<3>[2];",
	       "expected ';', found '['");
	refuse(HEAD ".global .u32 x<3;", "expected '>', found ';'");
	refuse(HEAD ".entry k(.param .u32 x<2>) {}", "a parameter has one name");
	refuse(HEAD ".global .v8 .u32 x;", "expected a type, found '.v8'");
}

/* What bodies declare for the module is found where the name stands. */
static void test_bodies(void)
{
	static const char text[] =
		HEAD ".global .u32 own;\n.func f() { .reg .b32 a; ld.global.u32 a, [own]; }\n"
		     ".entry k() { L: .global .u32 x[2] = {1, 2}, y = 3; .loc 1 2 3\n"
		     ".const.align 8 .b8 z;\n{ /* .global .u32 no; */ .global .u32 x<3>; }\n"
		     "ld.global.u32 a, [b];\n}";
	CLEANUP(free_ptx) struct ptx *ptx = parse(text);
	CLEANUP(free_ptx) struct ptx *bad = parse(HEAD ".entry k() {\n.global .u32 x }");
	const struct ptx_variable *v;
	struct err e = { 0 };

	CHECK_INT(ptx->variable_count, 1);
	CHECK_INT(ptx_open_bodies(ptx, &e), 0);
	CHECK_INT(ptx->module_variables, 1);
	CHECK_INT(ptx->variable_count, 5);
	for (size_t i = 1; i < ptx->variable_count; i++) {
		v = &ptx->variables[i];
		CHECK(ptx_of_body(ptx, v->name.text) == v);
		CHECK(!ptx_of_body(ptx, v->name.text + 1));
	}
	v = &ptx->variables[1];
	CHECK(v->array && v->size == 8 && spans(v->init, " {1, 2}"));
	CHECK(ptx->variables[3].space == PTX_CONST && ptx->variables[3].align == 8);
	CHECK(ptx->variables[4].numbered && ptx->variables[4].count == 3);
	CHECK(!ptx_of_body(ptx, ptx->variables[0].name.text));
	CHECK_INT(ptx_open_bodies(bad, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "line 5: expected ',' or ';', found the end of the text");
}

static void test_bad_variables(void)
{
	refuse(HEAD ".global .u32 x", "expected ';', found the end");
	refuse(HEAD ".global .u32 x[4294967296][4294967296];",
	       "the size of 'x' overflows");
	refuse(HEAD ".global .u64 x[4611686018427387904];", "the size of 'x' overflows");
	refuse(HEAD ".global .u32 x[-1];", "expected a number");
	refuse(HEAD ".global .u32 x[2][];", "expected a number");
	refuse(HEAD ".global .u32 x = {1, 2;", "expected ';' after the initialiser");
	refuse(HEAD ".global .nonsense x;", "expected a type, found '.nonsense'");
	refuse(HEAD ".global .attribute .u32 x;", "expected ')'");
	refuse(HEAD ".global .attribute(.managed .u32 x", "expected ')'");
	refuse(HEAD ".global .u32 .x;", "expected a name");
	refuse(HEAD ".global .u32 \x01;", "found '?'");
}

static void test_other_statements(void)
{
	CLEANUP(free_ptx)
	struct ptx *ptx =
		parse(HEAD ".file 1 \"a.cu\"\n.file 2 \"b \\\" }.h\", 1700000000, 512\n"
			   ".pragma \"nounroll\";\n.func f() {}\n.alias other, f;\n"
			   ".loc 1 2 3, function_name $L, inlined_at 1 2 3\n"
			   "@@DWARF .byte 0x01, }\n"
			   ".section .debug_str { L: .b8 1, 2 // }\n { } }\n"
			   ".reg .b32 %r<8>;");

	REQUIRE(ptx && CHECK_INT(ptx->file_count, 2) && CHECK_INT(ptx->alias_count, 1));
	CHECK_INT(ptx->files[1].index, 2);
	CHECK(is(ptx->files[1].name, "b \\\" }.h"));
	CHECK(is(ptx->aliases[0].name, "other") && is(ptx->aliases[0].aimed, "f"));
	CHECK(ptx->variables[0].space == PTX_REG && ptx->variables[0].count == 8);
	refuse(HEAD ".file x", "expected a number");
	refuse(HEAD ".file 1 x", "expected the name of a file");
	refuse(HEAD ".alias a b;", "expected ','");
	refuse(HEAD ".section .x 3", "expected '{' after .section");
	refuse(HEAD ".section .x { ", "'{' has no matching '}'");
	refuse(HEAD "@@x /* y", "line 4: expected a directive");
}

static void test_sniff(void)
{
	CHECK(ptx_sniff(text_of("  // c\n/* d */ .version 3.2")));
	CHECK(!ptx_sniff(text_of("version 3.2")));
	CHECK(!ptx_sniff(text_of("")));
	CHECK(!ptx_sniff(text_of("/* .version")));
}

static void test_nul_ends_the_text(void)
{
	static const char text[] = HEAD "\0.nonsense";
	CLEANUP(free_ptx) struct ptx *ptx = NULL;

	CHECK_INT(ptx_open((struct bytes){ (const uint8_t *)text, sizeof(text) }, &ptx,
			   NULL),
		  0);
}

struct kernels {
	struct kernel_info *list;
	size_t count;
};

static void release(struct kernels *kernels)
{
	kernel_info_free(kernels->list, kernels->count);
}

static void test_kernels(void)
{
	CLEANUP(free_ptx)
	struct ptx *ptx =
		parse(HEAD ".shared .align 8 .b8 used[24]; .shared .b8 unused[99];\n"
			   ".extern .shared .b8 dynamic[];\n"
			   ".entry later;\n"
			   ".visible .entry k(.param .u8 a, .param .align 8 .b8 s[24],\n"
			   ".param .u64 .ptr .global .align 16 p, .param .f16 h,\n"
			   ".param .align 2 .b8 half[2]) {\n"
			   "  .shared .align 4 .b8 own[10];\n"
			   "  ld.shared.u32 %r1, [used+4]; st.shared.u32 [used], 1; }\n"
			   ".entry d() { mov.u32 %r1, dynamic; // unused\n }");
	CLEANUP(release) struct kernels k = { 0 };
	const struct kernel_param *p;

	REQUIRE(ptx && !ptx_kernels(ptx, &k.list, &k.count, NULL));
	REQUIRE(CHECK_INT(k.count, 2));
	CHECK_STR(k.list[0].name, "k");
	CHECK(!k.list[0].local && k.list[1].local);
	CHECK_INT(k.list[0].static_shared, 40); /* as ptxas -v counts */
	CHECK(!k.list[0].dynamic_shared && k.list[1].dynamic_shared);
	CHECK_INT(k.list[1].static_shared, 0);
	CHECK_INT(k.list[0].registers, -1);
	REQUIRE(CHECK_INT(k.list[0].param_count, 5));
	CHECK_INT(k.list[0].param_bytes, 44);
	p = k.list[0].params;
	CHECK(p[0].kind == PARAM_UNSIGNED && p[0].offset == 0 && p[0].size == 1);
	CHECK(p[1].kind == PARAM_BITS && p[1].offset == 8 && p[1].size == 24 &&
	      p[1].array);
	CHECK(p[2].space == PARAM_GLOBAL && p[2].offset == 32 && p[2].width == 8);
	CHECK(p[3].kind == PARAM_FLOAT && p[3].offset == 40 && p[3].size == 2);
	CHECK(p[4].offset == 42 && p[4].count == 2);
	CHECK_STR(p[3].type, "f16");
}

static void test_huge_parameters(void)
{
	CLEANUP(free_ptx)
	struct ptx *ptx = parse(
		HEAD ".entry k(.param .b8 a[18446744073709551615], .param .u64 b) {}");
	CLEANUP(release) struct kernels k = { 0 };
	struct err e = { 0 };

	REQUIRE(ptx);
	CHECK_INT(ptx_kernels(ptx, &k.list, &k.count, &e), GPURUN_FORMAT);
	CHECK_HAS(e.text, "the parameters' size overflows");
}

/* What nvcc makes; offsets and sizes as ptxas gave them to the cubin (see cubin.c). */
static void test_nvcc(void)
{
	CLEANUP(fixture_release) struct fixture file = fixture("kernels.75.ptx");
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	CLEANUP(release) struct kernels k = { 0 };

	REQUIRE(!ptx_open(bytes_of(&file), &ptx, NULL));
	REQUIRE(!ptx_kernels(ptx, &k.list, &k.count, NULL));
	REQUIRE(CHECK_INT(k.count, 5));
	CHECK_STR(k.list[0].name, "vadd");
	CHECK_STR(k.list[1].name, "mixed");
	CHECK_INT(k.list[1].max_block[0], 64);
	CHECK_INT(k.list[1].static_shared, 256);
	CHECK_INT(k.list[1].param_bytes, 32);
	CHECK_STR(k.list[2].name, "_Z6hiddenPi");
	CHECK(k.list[2].local && k.list[2].dynamic_shared);
	CHECK_STR(k.list[3].name, "_ZN4math4axpbIfEEvPT_S1_S1_i");
	CHECK(!k.list[3].local && !k.list[3].dynamic_shared);
}

/* HEAD, @first, and @count times @again. */
static char *repeat(const char *first, const char *again, size_t count)
{
	const size_t size = strlen(HEAD) + strlen(first) + count * strlen(again);
	char *text = malloc(size + 1), *end;

	if (!text)
		abort();
	end = stpcpy(stpcpy(text, HEAD), first);
	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, again);
	return text;
}

/* One word of 450,000 bytes: to read it anew for each of its pieces takes 11e9 steps. */
static void test_many_pieces(void)
{
	CLEANUP(free_pointer) char *text = repeat(".entry k() ", ".noreturn", 50000);
	clock_t before = clock();

	refuse(text, "expected a directive, '{' or ';', found the end of the text");
	CHECK(clock() - before < slower() * CLOCKS_PER_SEC);
}

/* What is told of a variable takes ten times what declares it. */
/* promise: An image beyond that is damage */
static void test_many_declarations(void)
{
	CLEANUP(free_pointer) char *few = repeat("", ".const .b8 a;", 260000);
	CLEANUP(free_pointer) char *many = repeat("", ".const .b8 a;", 300000);
	CLEANUP(free_ptx) struct ptx *ptx = parse(few);

	CHECK(ptx && ptx->variable_count == 260000);
	refuse(many, "more than 292613 declarations in a text of 3900044 bytes");
}

int main(void)
{
	RUN(test_head);
	RUN(test_bad_heads);
	RUN(test_functions);
	RUN(test_bad_functions);
	RUN(test_variables);
	RUN(test_bad_variables);
	RUN(test_numbered);
	RUN(test_bodies);
	RUN(test_other_statements);
	RUN(test_sniff);
	RUN(test_nul_ends_the_text);
	RUN(test_kernels);
	RUN(test_huge_parameters);
	RUN(test_nvcc);
	RUN(test_many_pieces);
	RUN(test_many_declarations);
	return tap_end();
}
