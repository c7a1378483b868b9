/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linking PTX: calls and variables from one input to another, names of the same spelling. */
#include "cuda_kernels.h"

#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"

/* Calls twice() and reads the total of another input, and a secret of its own. */
#define CALLER                                                                             \
	HEAD ".extern .func (.param .b32 result) twice(.param .b32 x);\n"                   \
	".extern .global .align 4 .u32 total;\n"                                           \
	".global .align 4 .u32 secret = 1000;\n"                                           \
	".visible .entry caller(.param .u64 p, .param .u32 k)\n"                           \
	"{\n"                                                                              \
	"	.reg .b32 %r<6>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	ld.param.u32 %r1, [k];\n"                                                  \
	"	{\n"                                                                       \
	"	.param .b32 x;\n"                                                          \
	"	.param .b32 result;\n"                                                     \
	"	st.param.b32 [x], %r1;\n"                                                  \
	"	call.uni (result), twice, (x);\n"                                          \
	"	ld.param.b32 %r2, [result];\n"                                             \
	"	}\n"                                                                       \
	"	ld.global.u32 %r3, [total];\n"                                             \
	"	ld.global.u32 %r4, [secret];\n"                                            \
	"	add.u32 %r2, %r2, %r3;\n"                                                  \
	"	add.u32 %r2, %r2, %r4;\n"                                                  \
	"	st.global.u32 [%rd1], %r2;\n"                                              \
	"	ret;\n"                                                                    \
	"}\n"

/* twice(x) is 2 x and its own secret. */
#define CALLED                                                                             \
	HEAD ".visible .global .align 4 .u32 total = 100;\n"                                \
	".global .align 4 .u32 secret = 20000;\n"                                          \
	".visible .func (.param .b32 result) twice(.param .b32 x)\n"                       \
	"{\n"                                                                              \
	"	.reg .b32 %r<5>;\n"                                                        \
	"	ld.param.b32 %r1, [x];\n"                                                  \
	"	ld.global.u32 %r2, [secret];\n"                                            \
	"	add.u32 %r3, %r1, %r1;\n"                                                  \
	"	add.u32 %r4, %r3, %r2;\n"                                                  \
	"	st.param.b32 [result], %r4;\n"                                             \
	"	ret;\n"                                                                    \
	"}\n"

/* Each input has this variable; there is one of them. */
#define WEAK ".weak .global .align 4 .u32 common_word = 5;\n"
#define WEAK_ENTRY(name, op)                                                               \
	HEAD WEAK ".visible .entry " name "(.param .u64 p)\n"                               \
	"{\n"                                                                              \
	"	.reg .b32 %r<3>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	ld.global.u32 %r1, [common_word];\n"                                       \
	"	" op ".u32 %r2, %r1, 7;\n"                                                 \
	"	st.global.u32 [common_word], %r2;\n"                                       \
	"	st.global.u32 [%rd1], %r2;\n"                                              \
	"	ret;\n"                                                                    \
	"}\n"

static CUlinkState link_new(void)
{
	CUlinkState state = NULL;

	OK_CU(cu.cuLinkCreate(0, NULL, NULL, &state));
	return state;
}

static CUresult add(CUlinkState state, const char *text)
{
	return cu.cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text, strlen(text) + 1,
				"input", 0, NULL, NULL);
}

static CUmodule link_end(CUlinkState state)
{
	CUmodule module = NULL;
	void *image = NULL;
	size_t size = 0;

	OK_CU(cu.cuLinkComplete(state, &image, &size));
	CHECK(image && size);
	OK_CU(cu.cuModuleLoadData(&module, image));
	OK_CU(cu.cuLinkDestroy(state));
	return module;
}

static unsigned run(CUmodule module, const char *name, unsigned k)
{
	CUdeviceptr address = 0;
	unsigned word = 0;
	void *params[] = { &address, &k };

	OK_CU(cu.cuMemAlloc(&address, sizeof(word)));
	OK_CU(cuda_launch1(cuda_function(module, name), NULL, params));
	OK_CU(cu.cuMemcpyDtoH(&word, address, sizeof(word)));
	OK_CU(cu.cuMemFree(address));
	return word;
}

static void test_one(void)
{
	CUlinkState state = link_new();
	CUmodule module;

	OK_CU(add(state, PTX_ALL));
	module = link_end(state);
	CHECK(cuda_function(module, "vadd"));
	OK_CU(cu.cuModuleUnload(module));
}

static void test_two(void)
{
	CUlinkState state = link_new();
	CUmodule module;

	OK_CU(add(state, CALLER));
	OK_CU(add(state, CALLED));
	module = link_end(state);
	CHECK_INT(run(module, "caller", 3), 6 + 20000 + 100 + 1000);
	OK_CU(cu.cuModuleUnload(module));
}

static void test_weak(void)
{
	CUlinkState state = link_new();
	CUmodule module;

	OK_CU(add(state, WEAK_ENTRY("adds", "add")));
	OK_CU(add(state, WEAK_ENTRY("subtracts", "sub")));
	module = link_end(state);
	CHECK_INT(run(module, "adds", 0), 12);
	CHECK_INT(run(module, "adds", 0), 19);
	CHECK_INT(run(module, "subtracts", 0), 12);
	OK_CU(cu.cuModuleUnload(module));
}

/* *p = @one * 100 + @two. */
#define READER(name, one, two)                                                             \
	".visible .entry " name "(.param .u64 p)\n"                                        \
	"{\n"                                                                              \
	"	.reg .b32 %r<4>;\n"                                                        \
	"	.reg .b64 %rd<2>;\n"                                                       \
	"	ld.param.u64 %rd1, [p];\n"                                                 \
	"	ld.global.u32 %r1, [" one "];\n"                                           \
	"	ld.global.u32 %r2, [" two "];\n"                                           \
	"	mad.lo.u32 %r3, %r1, 100, %r2;\n"                                          \
	"	st.global.u32 [%rd1], %r3;\n"                                              \
	"	ret;\n"                                                                    \
	"}\n"

#define LIST(first, second)                                                                \
	HEAD ".weak .global .align 4 .u32 " first ", /* , */ " second ";\n"

/* Of the variables that one .weak is about, some are defined elsewhere. */
static void test_weak_list(void)
{
	static const char *const lists[] = {
		LIST("kept[2] = { 1, 5 }", "spare = 2") READER("reads", "kept", "spare"),
		LIST("spare = 2", "kept = 1") READER("reads", "kept", "spare"),
		LIST("spare", "kept = 1") READER("reads", "kept", "spare"),
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		CUlinkState state = link_new();
		CUmodule module;

		OK_CU(add(state, HEAD ".visible .global .align 4 .u32 spare = 9;\n"));
		OK_CU(add(state, lists[i]));
		module = link_end(state);
		REQUIRE(module);
		CHECK_INT(run(module, "reads", 0), 109);
		OK_CU(cu.cuModuleUnload(module));
	}
}

/* Adds to x1 and leaves the sum in *p and in a word of its own. */
#define COUNTER(name, first)                                                               \
	HEAD ".global .align 4 .u32 x<2>;\n"                                               \
	     ".visible .global .align 4 .u32 " name "_word<3>;\n"                          \
	     ".visible .entry " name "(.param .u64 p)\n"                                   \
	     "{\n"                                                                         \
	     "	.reg .b32 %r<4>;\n"                                                        \
	     "	.reg .b64 %rd<2>;\n"                                                       \
	     "	ld.param.u64 %rd1, [p];\n"                                                 \
	     "	atom.global.add.u32 %r1, [x1], " first ";\n"                               \
	     "	ld.global.u32 %r2, [x1];\n"                                                \
	     "	st.global.u32 [" name "_word2], %r2;\n"                                    \
	     "	st.global.u32 [%rd1], %r2;\n"                                              \
	     "	ret;\n"                                                                    \
	     "}\n"

/* Numbered names, "x<2>", are private too, and can be found one by one where they are used. */
static void test_numbered(void)
{
	CUlinkState state = link_new();
	CUmodule module;
	CUdeviceptr found = 0;
	unsigned word = 0;
	size_t size = 0;

	OK_CU(add(state, COUNTER("one", "3")));
	OK_CU(add(state, COUNTER("two", "4")));
	module = link_end(state);
	REQUIRE(module);
	CHECK_INT(run(module, "one", 0), 3);
	CHECK_INT(run(module, "two", 0), 4);
	CHECK_INT(run(module, "one", 0), 6);
	OK_CU(cu.cuModuleGetGlobal(&found, &size, module, "one_word2"));
	CHECK_INT(size, 4);
	OK_CU(cu.cuMemcpyDtoH(&word, found, sizeof(word)));
	CHECK_INT(word, 6);
	CHECK_CU(cu.cuModuleGetGlobal(&found, NULL, module, "one_word3"), CUDA_ERROR_NOT_FOUND);
	CHECK_CU(cu.cuModuleGetGlobal(&found, NULL, module, "one_word"), CUDA_ERROR_NOT_FOUND);
	OK_CU(cu.cuModuleUnload(module));
}

/* Private names are of one image alone, whatever others are called. */
static void test_private(void)
{
	CUlinkState state = link_new();
	CUmodule module;

	OK_CU(add(state, HEAD ".global .align 4 .u32 word = 3;\n"
			      ".visible .global .align 4 .u32 word__2 = 7;\n" READER(
				      "one", "word", "word__2")));
	OK_CU(add(state, HEAD ".global .align 4 .u32 word = 4;\n"
			      ".visible .global .align 4 .u32 word__1 = 6;\n" READER(
				      "two", "word", "word__1")));
	module = link_end(state);
	REQUIRE(module);
	CHECK_INT(run(module, "one", 0), 307);
	CHECK_INT(run(module, "two", 0), 406);
	OK_CU(cu.cuModuleUnload(module));
}

/* A private variable is found by its name, as libgomp does for a static one of C. */
static void test_private_found(void)
{
	CUlinkState state = link_new();
	CUdeviceptr found = 0;
	CUmodule module;
	unsigned word = 0;
	size_t size = 0;

	OK_CU(add(state, HEAD ".global .align 4 .u32 alone = 3;\n"
			      ".visible .global .align 4 .u32 shown = 7;\n" READER(
				      "reads", "alone", "shown")));
	OK_CU(add(state, HEAD ".visible .global .align 4 .u32 other = 6;\n"));
	module = link_end(state);
	REQUIRE(module);
	OK_CU(cu.cuModuleGetGlobal(&found, &size, module, "alone"));
	CHECK_INT(size, 4);
	OK_CU(cu.cuMemcpyDtoH(&word, found, sizeof(word)));
	CHECK_INT(word, 3);
	word = 5;
	OK_CU(cu.cuMemcpyHtoD(found, &word, sizeof(word)));
	CHECK_INT(run(module, "reads", 0), 507);
	CHECK_CU(cu.cuModuleGetGlobal(&found, &size, module, "alon"), CUDA_ERROR_NOT_FOUND);
	OK_CU(cu.cuModuleUnload(module));
}

/* What no image defines, and what two define, is in the log. */
static void test_log(void)
{
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	char log[1024] = "";
	void *values[] = { log, (void *)sizeof(log) };
	const char *inputs[][2] = { { CALLER, NULL }, { CALLED, CALLED } };

	for (int i = 0; i < 2; i++) {
		CUlinkState state = NULL;
		CUresult result;
		void *image;
		size_t size;

		log[0] = '\0';
		values[1] = (void *)sizeof(log);
		OK_CU(cu.cuLinkCreate(2, options, values, &state));
		result = add(state, inputs[i][0]);
		if (!result && inputs[i][1])
			result = add(state, inputs[i][1]);
		if (!result)
			result = cu.cuLinkComplete(state, &image, &size);
		CHECK(result != CUDA_SUCCESS);
		CHECK_HAS(log, i ? "twice" : "total");
		OK_CU(cu.cuLinkDestroy(state));
	}
}

#define CALLS(name, callee)                                                                \
	".visible .entry " name "()\n{\n	call " callee ", ();\n	ret;\n}\n"
#define NEEDS   ".extern .func absent();\n"
#define PLAIN   ".visible .entry plain()\n{\n	ret;\n}\n"
#define DEFINES ".visible .func absent()\n{\n	ret;\n}\n"

/* What a link of texts comes to; NULL: there is one text. As an H100 with driver 580.159 has it. */
static const struct outcome {
	const char *what, *texts[2];
	CUresult result; /* of the whole */
	const char *log;
} outcomes[] = {
	{ "a function that a kernel calls", { HEAD NEEDS CALLS("k", "absent") },
	  CUDA_ERROR_INVALID_SOURCE, "error   : Undefined reference to 'absent' in 'input'" },
	{ "a function that is declared alone", { HEAD NEEDS PLAIN }, CUDA_SUCCESS, "" },
	{ "a function that another defines", { HEAD NEEDS CALLS("k", "absent"), HEAD DEFINES },
	  CUDA_SUCCESS, "" },
	{ "a function in the value of a variable",
	  { HEAD NEEDS ".visible .global .u64 table[1] = { absent };\n" PLAIN },
	  CUDA_ERROR_INVALID_SOURCE, "error   : Undefined reference to 'absent' in 'input'" },
	{ "a function that no kernel leads to",
	  { HEAD NEEDS ".visible .func f()\n{\n	call absent, ();\n	ret;\n}\n" PLAIN },
	  CUDA_SUCCESS, "" },
	{ "a function that a function needs that a kernel calls",
	  { HEAD NEEDS ".func f()\n{\n	call absent, ();\n	ret;\n}\n" CALLS("k", "f") },
	  CUDA_ERROR_INVALID_SOURCE, "error   : Undefined reference to 'absent' in 'input'" },
	{ "a variable that is declared alone", { HEAD ".extern .global .u32 absent;\n" PLAIN },
	  CUDA_ERROR_INVALID_SOURCE, "error   : Undefined reference to 'absent' in 'input'" },
	{ "private kernels of one name", { HEAD ".entry k()\n{\n	ret;\n}\n",
					   HEAD ".entry k()\n{\n	ret;\n}\n" },
	  CUDA_SUCCESS, "" },
	{ "two definitions of a function", { HEAD DEFINES, HEAD DEFINES PLAIN },
	  CUDA_ERROR_INVALID_SOURCE, "error   : Multiple definition of 'absent' in 'input', first "
				     "defined in 'input'" },
};

static CUresult link_texts(const struct outcome *outcome, CUlinkState state)
{
	CUresult result = add(state, outcome->texts[0]);
	void *image = NULL;
	size_t size;

	if (!result && outcome->texts[1])
		result = add(state, outcome->texts[1]);
	/* A driver reports what is defined twice as soon as it is added. */
	return result ? result : cu.cuLinkComplete(state, &image, &size);
}

static void test_outcomes(void)
{
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		const struct outcome *outcome = &outcomes[i];
		char log[1024] = "";
		void *values[] = { log, (void *)sizeof(log) };
		CUlinkState state = NULL;
		CUresult result;

		OK_CU(cu.cuLinkCreate(2, options, values, &state));
		result = link_texts(outcome, state);
		/* Drivers differ: an H200 with another 580 had this for what is defined twice. */
		if (!cu.gpurunCpuReport && result == CUDA_ERROR_UNKNOWN)
			result = CUDA_ERROR_INVALID_SOURCE;
		if (!CHECK_CU(result, outcome->result))
			printf("# %s\n", outcome->what);
		CHECK(outcome->result ? strstr(log, outcome->log) != NULL : !*log);
		OK_CU(cu.cuLinkDestroy(state));
	}
}

/* A fat binary of one text, as fatbinary of CUDA lays it out. */
static struct {
	uint32_t magic;
	uint16_t version, header;
	uint64_t entries;
	uint16_t kind, entry_version;
	uint32_t entry_header;
	uint64_t padded;
	uint32_t no_codec[2];
	uint16_t minor, major;
	uint32_t arch, no_name[2];
	uint64_t flags, no_key[2];
	char text[512];
} one_text = { .magic = 0xba55ed50, .version = 1, .header = 16, .entries = 64 + 512,
	       .kind = 1, .entry_version = 0x101, .entry_header = 64, .padded = 512,
	       .major = 7, .arch = 52, .flags = 1, .text = HEAD NEEDS CALLS("k", "absent") };

/* The CPU device's message names the input alone, where it has one image. */
static void test_named(void)
{
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	char log[1024] = "";
	void *values[] = { log, (void *)sizeof(log) };
	CUlinkState state = NULL;
	CUresult result;
	void *image;
	size_t size;

	OK_CU(cu.cuLinkCreate(2, options, values, &state));
	result = cu.cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, &one_text, sizeof(one_text),
				  "input", 0, NULL, NULL);
	CHECK(result || cu.cuLinkComplete(state, &image, &size));
	CHECK_HAS(log, "'absent' in 'input'");
	OK_CU(cu.cuLinkDestroy(state));
}

static void test_refused(void)
{
	CUlinkState state = link_new();

	CHECK(add(state, "no PTX at all") != CUDA_SUCCESS);
	CHECK(cu.cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nonexistent", 0, NULL, NULL) !=
	      CUDA_SUCCESS);
	CHECK_CU(cu.cuLinkCreate(0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	OK_CU(cu.cuLinkDestroy(state));
}

int main(void)
{
	cuda_start();
	RUN(test_one);
	RUN(test_two);
	RUN(test_weak);
	RUN(test_weak_list);
	RUN(test_numbered);
	RUN(test_private);
	RUN(test_private_found);
	RUN(test_log);
	RUN(test_outcomes);
	if (cu.gpurunCpuReport)
		RUN(test_named);
	RUN(test_refused);
	return tap_end();
}
