/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constructors and destructors of device variables (test/data/images/structors.c): a
 * constructor of priority 101 adds the digit 2 to "value", one of the default priority
 * 3; the destructors add 4 and 5 to what "sink" points to, in the other order. The stub
 * runs none of them.
 */
#include <sys/mman.h>

#include "ol.h"

static void *address_of(ol_program_handle_t program, const char *name)
{
	ol_symbol_handle_t variable = NULL;
	void *address = NULL;

	CHECK_OK(olGetSymbol(program, name, OL_SYMBOL_KIND_GLOBAL_VARIABLE, &variable));
	CHECK_OK(olGetSymbolInfo(variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS,
				 sizeof(address), &address));
	return address;
}

static uint32_t read_word(const void *address)
{
	uint32_t value = 0;

	CHECK_OK(olMemcpy(NULL, &value, host, address, gpu, sizeof(value)));
	return value;
}

/* Lets the destructors of @program write to @address. */
static void set_sink(ol_program_handle_t program, void *address)
{
	CHECK_OK(olMemcpy(NULL, address_of(program, "sink"), gpu, &address, host,
			  sizeof(address)));
}

/* A word of the device's, 1 at first. */
static void *new_word(void)
{
	const uint32_t one = 1;
	void *word = alloc(OL_ALLOC_TYPE_DEVICE, sizeof(one));

	CHECK_OK(olMemcpy(NULL, word, gpu, &one, host, sizeof(one)));
	return word;
}

/* By rising priority, before the program is there, of every program. */
static void test_constructors(void)
{
	for (int i = 0; i < 3; i++) {
		ol_program_handle_t program = load_image("structors");

		if (executes())
			CHECK_INT(read_word(address_of(program, "value")), 123);
		CHECK_OK(olDestroyProgram(program));
	}
}

/* Each program's own run on its own variables. */
static void test_two_programs(void)
{
	ol_program_handle_t first = load_image("structors"), second = load_image("structors");

	CHECK(address_of(first, "value") != address_of(second, "value"));
	CHECK_OK(olDestroyProgram(first));
	if (executes())
		CHECK_INT(read_word(address_of(second, "value")), 123);
	CHECK_OK(olDestroyProgram(second));
}

/* In the opposite order of constructors. */
static void test_destructors(void)
{
	for (int i = 0; i < 3; i++) {
		ol_program_handle_t program = load_image("structors");
		void *word = new_word();

		set_sink(program, word);
		CHECK_OK(olDestroyProgram(program));
		if (executes())
			CHECK_INT(read_word(word), 145);
		CHECK_OK(olMemFree(word));
	}
}

/* Of the program that goes, and of no other one. */
static void test_only_its_own(void)
{
	ol_program_handle_t programs[2] = { load_image("structors"), load_image("structors") };
	void *words[2] = { new_word(), new_word() };

	for (int i = 0; i < 2; i++)
		set_sink(programs[i], words[i]);
	CHECK_OK(olDestroyProgram(programs[0]));
	if (executes())
		CHECK_INT(read_word(words[0]), 145);
	CHECK_INT(read_word(words[1]), 1);
	CHECK_OK(olDestroyProgram(programs[1]));
	if (executes())
		CHECK_INT(read_word(words[1]), 145);
	for (int i = 0; i < 2; i++)
		CHECK_OK(olMemFree(words[i]));
}

/* Not before the kernels of the program are done. */
static void test_after_kernels(void)
{
	ol_program_handle_t program = load_image("structors");
	ol_symbol_handle_t kernel = kernel_of(program, "tell");
	ol_queue_handle_t queue = new_queue();
	void *out = new_word(), *word = new_word();

	set_sink(program, word);
	for (int i = 0; i < 50; i++)
		CHECK_OK(launch1(queue, kernel, &out, sizeof(out)));
	CHECK_OK(olDestroyProgram(program));
	if (executes()) {
		CHECK_INT(read_word(out), 123);
		CHECK_INT(read_word(word), 145);
	}
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olMemFree(out));
	CHECK_OK(olMemFree(word));
}

/* Without the kernel that calls them nothing is called, and nothing has failed. */
static void test_no_kernel(void)
{
	static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .global .u64 __init_array_object_a_1_100 = 0;\n"
				  ".visible .entry nothing() { ret; }\n";
	ol_program_handle_t program;

	REQUIRE_OK(olCreateProgram(gpu, ptx, sizeof(ptx), &program));
	CHECK_OK(olDestroyProgram(program));
}

/* ---- At the end ------------------------------------------------------------------------ */

/* A page that the device can write and that outlives the library. */
static uint32_t *shared_page(void)
{
	uint32_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0);

	return page == MAP_FAILED ? NULL : page;
}

/* Those of programs that are left run at the last shutdown. */
static void scene_left(void)
{
	uint32_t *words = shared_page();
	void *pinned;

	REQUIRE(words != NULL);
	REQUIRE_OK(ol_init());
	look_up();
	REQUIRE_OK(ol_register(gpu, words, 4096, 0, &pinned));
	for (int i = 0; i < 3; i++) {
		words[i] = 1;
		set_sink(load_image("structors"), &((uint32_t *)pinned)[i]);
	}
	CHECK_OK(ol_init());
	CHECK_OK(olShutDown());
	CHECK_INT(words[0], 1);
	CHECK_OK(olShutDown());
	for (int i = 0; i < 3; i++)
		CHECK_INT(words[i], 145);
}

static void test_left(void)
{
	if (!executes())
		SKIP("needs a GPU or the CPU device: the stub runs no destructors");
	CHECK_PLAY("scene_left", NULL, NULL);
}

/* A constructor that traps: there is no program, and that was all that was told. */
static void scene_constructor_traps(void)
{
	size_t size;
	char *text = (char *)tap_read("test/data/images/structors.ptx", &size), *load;
	ol_program_handle_t program = (ol_program_handle_t)(uintptr_t)1;

	text[size] = '\0';
	load = strstr(text, "ld.volatile.b32");
	REQUIRE(load != NULL);
	memcpy(load, "trap;//        ", 15);
	REQUIRE_OK(ol_init());
	look_up();
	CHECK_TELLS(olCreateProgram(gpu, text, size, &program), UNKNOWN, "device constructors");
	CHECK(program == NULL);
	free(text);
	CHECK_OK(olShutDown());
}

/* A destructor that traps is told; the program is gone all the same. */
static void scene_destructor_traps(void)
{
	ol_program_handle_t program;

	REQUIRE_OK(ol_init());
	look_up();
	program = load_image("structors");
	set_sink(program, (void *)8);
	CHECK_TELLS(olDestroyProgram(program), UNKNOWN, "device destructors");
	CHECK_CODE(olDestroyProgram(program), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

static void test_trap(void)
{
	if (!executes())
		SKIP("needs a GPU or the CPU device: the stub runs no destructors");
	CHECK_PLAY("scene_constructor_traps", NULL, NULL);
	CHECK_PLAY("scene_destructor_traps", NULL, NULL);
}

static const struct ol_case cases[] = {
	OL_CASE(test_constructors),
	OL_CASE(test_two_programs),
	OL_CASE(test_destructors),
	OL_CASE(test_only_its_own),
	OL_CASE(test_after_kernels),
	OL_CASE(test_no_kernel),
	OL_CASE(test_left),
	OL_CASE(test_trap),
	OL_SCENE(scene_left),
	OL_SCENE(scene_constructor_traps),
	OL_SCENE(scene_destructor_traps),
};
OL_MAIN(cases)
