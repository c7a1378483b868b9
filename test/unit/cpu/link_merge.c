/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is copied and what is not when texts become one; cuda_link runs what comes of it. */
#include "link_merge.h"
#include "ptx.h"
#include "tap.h"

#define HEAD ".version 7.0\n.target sm_52, debug\n.address_size 64\n"

static struct link_text text_of(const char *text, const char *name)
{
	return (struct link_text){ { (const uint8_t *)text, strlen(text) }, name, 0 };
}

/* Merges @one and @two into what is @expected behind its head, and parses. */
static void merge_limited(const char *one, const char *two, unsigned registers,
			  const char *expected)
{
	static const char head[] = ".version 7.0\n.target sm_52\n.address_size 64\n";
	struct link_text texts[] = { text_of(one, "a.o"), text_of(two, "b.o") };
	struct bytes merged;
	struct ptx *ptx = NULL;
	struct err e = { 0 };

	REQUIRE(CHECK_INT(link_merge(texts, 2, registers, &merged, &e), 0));
	REQUIRE(CHECK(merged.size >= strlen(head)));
	CHECK_STR((const char *)merged.data + strlen(head), expected);
	CHECK_INT(ptx_open(merged, &ptx, &e), 0);
	CHECK_STR(e.text, "");
	ptx_free(ptx);
	free((void *)merged.data);
}

static void merge(const char *one, const char *two, const char *expected)
{
	merge_limited(one, two, 0, expected);
}

static void test_head(void)
{
	merge(HEAD ".visible .global .b32 a;\n", HEAD ".extern .global .b32 a;\n",
	      "\n\n\n.visible .global .b32 a;\n\n\n\n\n.extern .global .b32 a;\n\n");
}

/* A value is any text up to its end; loading tells what is wrong with it. */
static void test_values(void)
{
	merge(HEAD ".global .b32 a = 1 .target { a, 2 };\n", HEAD,
	      "\n\n\n.global .b32 a__1 = 1 .target { a__1, 2 };\n\n\n\n\n\n");
	merge(HEAD ".visible .global .b32 b;\n", HEAD ".weak .global .b32 a = .weak (, b = 2, c;\n",
	      "\n\n\n.visible .global .b32 b;\n\n\n\n\n.weak .global .b32 a = .weak (; "
	      ".extern .global .b32 b ; .weak .global .b32 c;\n\n");
}

/* Bytes of which no token can be made end nothing: who needs the function is told of them. */
static void test_bad_bytes(void)
{
	merge(HEAD ".global .b32 a;\n.visible .func f()\n{\n\t\x01 1z;\n\tmov.u32 %r, a;\n}\n"
		   ".global .b32 b;\n",
	      HEAD ".visible .func g()\n{\n\t$\x7f;\n}\n.global .b32 a = 1;\n",
	      "\n\n\n.global .b32 a__1;\n.visible .func f()\n{\n\t\x01 1z;\n\tmov.u32 %r, a__1;"
	      "\n}\n.global .b32 b__1;\n\n\n\n\n.visible .func g()\n{\n\t$\x7f;\n}\n"
	      ".global .b32 a__2 = 1;\n\n");
}

/* A kernel of a template that several texts use stands in each of them. */
static void test_weak_kernels(void)
{
	merge(HEAD ".weak .entry k(.param .b32 p) .maxntid 1 { ret; }\n",
	      HEAD ".weak .entry k(.param .b32 p) .maxntid 1 { ret; }\n.weak .entry m() { ret; }\n",
	      "\n\n\n.weak .entry k(.param .b32 p) .maxntid 1 { ret; }\n\n\n\n\n\n"
	      ".weak .entry m() { ret; }\n\n");
	merge(HEAD ".weak .entry k() { ret; }", HEAD ".visible .entry k() { exit; }\n",
	      "\n\n\n\n\n\n\n.visible .entry k() { exit; }\n\n");
}

/* Functions have the registers of the kernels that call them; who has a limit keeps it. */
static void test_registers(void)
{
	merge_limited(HEAD ".visible .entry k(.param .b32 p) .maxntid 1 { { ret; } }\n"
			   ".func f() { ret; }\n.entry m() .maxnreg 64 { ret; }\n",
		      HEAD ".extern .func g();\n.entry n(){ ret; }\n", 40,
		      "\n\n\n.visible .entry k(.param .b32 p) .maxntid 1 .maxnreg 40 { { ret; } }\n"
		      ".func f__1() { ret; }\n.entry m() .maxnreg 64 { ret; }\n\n\n\n\n"
		      ".extern .func g();\n.entry n().maxnreg 40 { ret; }\n\n");
	merge_limited(HEAD ".entry k{ ret; }\n", HEAD, 40,
		      "\n\n\n.entry k .maxnreg 40 { ret; }\n\n\n\n\n\n");
}

/* Each input's files come behind those of all inputs before it. */
static void test_files(void)
{
	static const char text[] = HEAD ".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n";
	struct link_text texts[] = { text_of(text, "a"), text_of(text, "b"), text_of(text, "c") };
	struct bytes merged;
	struct err e = { 0 };

	REQUIRE(CHECK_INT(link_merge(texts, 3, 0, &merged, &e), 0));
	CHECK_HAS((const char *)merged.data, ".file 3 \"a.cu\"\n.file 4 \"b.cu\"");
	CHECK_HAS((const char *)merged.data, ".file 5 \"a.cu\"\n.file 6 \"b.cu\"");
	CHECK_HAS((const char *)merged.data + texts[2].begin, ".file 5");
	CHECK(!strstr((const char *)merged.data + texts[2].begin, ".file 4"));
	free((void *)merged.data);
}

/* A private kernel keeps the name that the host knows, unless another text uses it for one. */
static void test_private_kernels(void)
{
	merge(HEAD ".entry k() { ret; }\n.entry m() { ret; }\n",
	      HEAD ".entry k() { exit; }\n.visible .entry m() { exit; }\n",
	      "\n\n\n.entry k() { ret; }\n.entry m__1() { ret; }\n\n\n\n\n"
	      ".entry k__2() { exit; }\n.visible .entry m() { exit; }\n\n");
}

/* A driver's words, and the names that the caller has for the texts. */
static void test_twice(void)
{
	struct link_text texts[] = { text_of(HEAD ".visible .global .b32 a;\n", "one.o"),
				     text_of(HEAD ".visible .func a() { ret; }\n", "two.o") };
	struct bytes merged;
	struct err e = { 0 };

	CHECK_INT(link_merge(texts, 2, 0, &merged, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "error   : Multiple definition of 'a' in 'two.o', first defined in "
			  "'one.o'");
	texts[1] = text_of(".version 1", "two.o");
	CHECK_INT(link_merge(texts, 2, 0, &merged, &e), GPURUN_FORMAT);
	CHECK(!strncmp(e.text, "two.o: line 1: ", 15));
}

int main(void)
{
	RUN(test_head);
	RUN(test_files);
	RUN(test_weak_kernels);
	RUN(test_private_kernels);
	RUN(test_twice);
	RUN(test_registers);
	RUN(test_values);
	RUN(test_bad_bytes);
	return tap_end();
}
