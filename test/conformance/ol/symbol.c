/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols: kernels and variables of programs, and what can be asked about them. */
#include "ol.h"

static ol_symbol_handle_t variable_of(ol_program_handle_t program, const char *name)
{
	ol_symbol_handle_t variable = NULL;

	CHECK_OK(olGetSymbol(program, name, OL_SYMBOL_KIND_GLOBAL_VARIABLE, &variable));
	return variable;
}

/* There is no symbol of that name and kind. */
static ol_result_t missing(ol_program_handle_t program, const char *name,
			   ol_symbol_kind_t kind)
{
	ol_symbol_handle_t symbol;

	return olGetSymbol(program, name, kind, &symbol);
}

static void *address_of(ol_symbol_handle_t variable)
{
	void *address = NULL;

	CHECK_OK(olGetSymbolInfo(variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS,
				 sizeof(address), &address));
	return address;
}

static size_t size_of(ol_symbol_handle_t variable)
{
	size_t size = 0;

	CHECK_OK(olGetSymbolInfo(variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE, sizeof(size),
				 &size));
	return size;
}

static int kind_of(ol_symbol_handle_t symbol)
{
	ol_symbol_kind_t kind = OL_SYMBOL_KIND_LAST;

	CHECK_OK(olGetSymbolInfo(symbol, OL_SYMBOL_INFO_KIND, sizeof(kind), &kind));
	return (int)kind;
}

/* ---- Looking up -------------------------------------------------------------------- */

static void test_same_kernel(void)
{
	ol_program_handle_t program = load();
	ol_symbol_handle_t kernel = kernel_of(program, "add");

	CHECK(kernel != NULL);
	for (int i = 0; i < 3; i++)
		CHECK(kernel_of(program, "add") == kernel);
	CHECK(kernel_of(program, "bump") != kernel);
	CHECK_OK(olDestroyProgram(program));
}

static void test_same_variable(void)
{
	ol_program_handle_t program = load();
	ol_symbol_handle_t variable = variable_of(program, "counter");

	CHECK(variable != NULL);
	for (int i = 0; i < 3; i++)
		CHECK(variable_of(program, "counter") == variable);
	CHECK(variable_of(program, "table") != variable);
	CHECK_OK(olDestroyProgram(program));
}

static void test_not_found(void)
{
	ol_program_handle_t program = load();

	CHECK_TELLS(missing(program, "no_such_kernel", OL_SYMBOL_KIND_KERNEL), NOT_FOUND,
		    "no_such_kernel");
	CHECK_TELLS(missing(program, "no_such_variable", OL_SYMBOL_KIND_GLOBAL_VARIABLE),
		    NOT_FOUND, "no_such_variable");
	/* The next one is found. */
	kernel_of(program, "nothing");
	variable_of(program, "counter");
	CHECK_OK(olDestroyProgram(program));
}

/* No call takes what stood there for a symbol. */
static void test_not_found_is_null(void)
{
	ol_program_handle_t program = load();
	ol_symbol_handle_t symbol = (ol_symbol_handle_t)(uintptr_t)1;

	CHECK_CODE(olGetSymbol(program, "none", OL_SYMBOL_KIND_KERNEL, &symbol), NOT_FOUND);
	CHECK(symbol == NULL);
	CHECK_OK(olDestroyProgram(program));
}

/* A name stands for what it is looked up as, and nothing else. */
static void test_other_kind(void)
{
	ol_program_handle_t program = load();

	/* The stub finds any name in the image's bytes. */
	if (executes()) {
		CHECK_CODE(missing(program, "counter", OL_SYMBOL_KIND_KERNEL), NOT_FOUND);
		CHECK_CODE(missing(program, "add", OL_SYMBOL_KIND_GLOBAL_VARIABLE), NOT_FOUND);
	}
	CHECK_OK(olDestroyProgram(program));
}

static void test_odd_names(void)
{
	ol_program_handle_t program = load();
	char name[5000];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	CHECK_CODE(missing(program, name, OL_SYMBOL_KIND_KERNEL), NOT_FOUND);
	CHECK_CODE(missing(program, name, OL_SYMBOL_KIND_GLOBAL_VARIABLE), NOT_FOUND);
	CHECK_CODE(missing(program, "%s%n", OL_SYMBOL_KIND_KERNEL), NOT_FOUND);
	if (executes()) {
		CHECK(missing(program, "", OL_SYMBOL_KIND_KERNEL) != OL_SUCCESS);
		CHECK(missing(program, "", OL_SYMBOL_KIND_GLOBAL_VARIABLE) != OL_SUCCESS);
	}
	CHECK_OK(olDestroyProgram(program));
}

static void test_bad_kind(void)
{
	static const int kinds[] = { OL_SYMBOL_KIND_LAST, 77, -1, 0x7fffffff };
	ol_program_handle_t program = load();

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK_CODE(missing(program, "add", (ol_symbol_kind_t)kinds[i]),
			   INVALID_ENUMERATION);
	CHECK_OK(olDestroyProgram(program));
}

/* The name is copied: the caller's may change. */
static void test_name_copied(void)
{
	ol_program_handle_t program = load();
	char name[] = "counter";
	ol_symbol_handle_t variable = variable_of(program, name), kernel;

	strcpy(name, "add");
	kernel = kernel_of(program, name);
	memset(name, '#', sizeof(name) - 1);
	CHECK(variable_of(program, "counter") == variable);
	CHECK(kernel_of(program, "add") == kernel);
	CHECK_OK(olDestroyProgram(program));
}

/* More than any table has rows: each is found, and stays what it is. */
static void test_many(void)
{
	enum { COUNT = 300 };
	static ol_symbol_handle_t symbols[2][COUNT];
	char *text = malloc(COUNT * 128), *end = text, name[32];
	ol_program_handle_t program = NULL;

	REQUIRE(text != NULL);
	end += sprintf(end, ".version 6.0\n.target sm_50\n.address_size 64\n");
	for (int i = 0; i < COUNT; i++)
		end += sprintf(end, ".visible .global .u32 v%d;\n.visible .entry k%d() { ret; }\n",
			       i, i);
	CHECK_OK(olCreateProgram(gpu, text, (size_t)(end - text), &program));
	free(text);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < COUNT; i++) {
			ol_symbol_handle_t *mine[] = { &symbols[0][i], &symbols[1][i] }, found[2];

			sprintf(name, "k%d", i);
			found[0] = kernel_of(program, name);
			sprintf(name, "v%d", i);
			found[1] = variable_of(program, name);
			for (int kind = 0; kind < 2; kind++) {
				CHECK(!round || found[kind] == *mine[kind]);
				*mine[kind] = found[kind];
				CHECK_INT(kind_of(found[kind]), kind);
			}
		}
	}
	CHECK_OK(olDestroyProgram(program));
	for (int i = 0; i < COUNT; i++)
		CHECK_CODE(olGetSymbolInfo(symbols[1][i], OL_SYMBOL_INFO_KIND, sizeof(name), name),
			   INVALID_ARGUMENT);
}

/* ---- Properties --------------------------------------------------------------------- */

static void test_kind(void)
{
	ol_program_handle_t program = load();

	CHECK_INT(kind_of(kernel_of(program, "add")), OL_SYMBOL_KIND_KERNEL);
	CHECK_INT(kind_of(variable_of(program, "table")), OL_SYMBOL_KIND_GLOBAL_VARIABLE);
	CHECK_OK(olDestroyProgram(program));
}

static void test_address_and_size(void)
{
	ol_program_handle_t program = load();
	ol_symbol_handle_t counter = variable_of(program, "counter");
	ol_symbol_handle_t table = variable_of(program, "table");

	CHECK(address_of(counter) != NULL);
	CHECK(address_of(counter) != address_of(table));
	CHECK(size_of(counter) != 0);
	if (executes()) {
		CHECK_INT((long long)size_of(counter), 4);
		CHECK_INT((long long)size_of(table), 64);
	}
	CHECK_OK(olDestroyProgram(program));
}

static void test_info_sizes(void)
{
	static const struct {
		ol_symbol_info_t property;
		size_t size;
	} rows[] = {
		{ OL_SYMBOL_INFO_KIND, sizeof(ol_symbol_kind_t) },
		{ OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS, sizeof(void *) },
		{ OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE, sizeof(size_t) },
	};
	ol_program_handle_t program = load();
	ol_symbol_handle_t variable = variable_of(program, "counter");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t size = 0;

		CHECK_OK(olGetSymbolInfoSize(variable, rows[i].property, &size));
		CHECK_INT((long long)size, (long long)rows[i].size);
	}
	CHECK_OK(olDestroyProgram(program));
}

/* A kernel has no address that is told; not that it has the wrong size. */
static void test_kernel_asked(void)
{
	ol_program_handle_t program = load();
	ol_symbol_handle_t kernel = kernel_of(program, "add");
	uint64_t value = 7;
	size_t size;

	CHECK_CODE(olGetSymbolInfo(kernel, OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS, 8, &value),
		   SYMBOL_KIND);
	CHECK_CODE(olGetSymbolInfo(kernel, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE, 8, &value),
		   SYMBOL_KIND);
	CHECK_CODE(olGetSymbolInfo(kernel, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE, 1, &value),
		   SYMBOL_KIND);
	CHECK_CODE(olGetSymbolInfoSize(kernel, OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS, &size),
		   SYMBOL_KIND);
	CHECK_CODE(olGetSymbolInfoSize(kernel, OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE, &size),
		   SYMBOL_KIND);
	CHECK_INT((long long)value, 7);
	CHECK_OK(olDestroyProgram(program));
}

/* Too little room is told and nothing written; too much is left as it is. */
static void test_room(void)
{
	ol_program_handle_t program = load();
	ol_symbol_handle_t variable = variable_of(program, "counter");
	uint8_t room[24];

	memset(room, 0xa5, sizeof(room));
	for (size_t size = 1; size < sizeof(void *); size++)
		CHECK_CODE(olGetSymbolInfo(variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS, size,
					   room), INVALID_SIZE);
	CHECK_INT(room[0], 0xa5);
	CHECK_OK(olGetSymbolInfo(variable, OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS, sizeof(room),
				 room));
	CHECK(!memcmp(room, &(void *){ address_of(variable) }, sizeof(void *)));
	for (size_t i = sizeof(void *); i < sizeof(room); i++)
		CHECK_INT(room[i], 0xa5);
	CHECK_OK(olDestroyProgram(program));
}

static void test_bad_property(void)
{
	static const int properties[] = { OL_SYMBOL_INFO_LAST, 99, -1, 0x7fffffff };
	ol_program_handle_t program = load();
	ol_symbol_handle_t symbols[] = { kernel_of(program, "add"),
					 variable_of(program, "counter") };
	uint64_t value;
	size_t size;

	for (size_t i = 0; i < 8; i++) {
		ol_symbol_info_t property = (ol_symbol_info_t)properties[i / 2];

		CHECK_CODE(olGetSymbolInfo(symbols[i % 2], property, 8, &value),
			   INVALID_ENUMERATION);
		CHECK_CODE(olGetSymbolInfoSize(symbols[i % 2], property, &size),
			   INVALID_ENUMERATION);
	}
	CHECK_OK(olDestroyProgram(program));
}

/* ---- What they stand for ------------------------------------------------------------ */

/* Has @kernel write to a fresh word, and reads it. */
static uint64_t ask_kernel(ol_symbol_handle_t kernel)
{
	struct {
		void *out;
	} arguments = { alloc(OL_ALLOC_TYPE_DEVICE, 8) };
	ol_queue_handle_t queue = new_queue();
	uint64_t value = 0;

	CHECK_OK(olMemcpy(NULL, arguments.out, gpu, &value, host, 8));
	CHECK_OK(launch1(queue, kernel, &arguments, sizeof(arguments)));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemcpy(NULL, &value, host, arguments.out, gpu, 8));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olMemFree(arguments.out));
	return value;
}

/* The address is the one that kernels use. */
static void test_kernel_agrees(void)
{
	ol_program_handle_t program = load();
	void *address = address_of(variable_of(program, "table"));
	uint64_t value = ask_kernel(kernel_of(program, "where"));

	if (executes())
		CHECK(value == (uint64_t)(uintptr_t)address);
	CHECK_OK(olDestroyProgram(program));
}

/* What the host writes there the kernel reads, and the other way round. */
static void test_written(void)
{
	ol_program_handle_t program = load();
	void *counter = address_of(variable_of(program, "counter"));
	uint32_t value = 0;

	CHECK_OK(olMemcpy(NULL, &value, host, counter, gpu, 4));
	if (executes())
		CHECK_INT(value, 40);
	value = 1000;
	CHECK_OK(olMemcpy(NULL, counter, gpu, &value, host, 4));
	value = (uint32_t)ask_kernel(kernel_of(program, "bump"));
	if (executes())
		CHECK_INT(value, 1001);
	CHECK_OK(olMemcpy(NULL, &value, host, counter, gpu, 4));
	if (executes())
		CHECK_INT(value, 1001);
	CHECK_OK(olDestroyProgram(program));
}

/* Two programs of the same bytes have each its own. */
static void test_two_programs(void)
{
	ol_program_handle_t first = load(), second = load();
	ol_symbol_handle_t mine = variable_of(first, "counter");
	ol_symbol_handle_t yours = variable_of(second, "counter");

	CHECK(mine != yours);
	CHECK(kernel_of(first, "bump") != kernel_of(second, "bump"));
	CHECK(address_of(mine) != address_of(yours));
	for (uint64_t i = 41; i < 44; i++) {
		uint64_t value = ask_kernel(kernel_of(first, "bump"));

		if (executes())
			CHECK(value == i);
	}
	if (executes())
		CHECK_INT((long long)ask_kernel(kernel_of(second, "bump")), 41);
	CHECK_OK(olDestroyProgram(first));
	CHECK(address_of(yours) != NULL);
	CHECK_OK(olDestroyProgram(second));
}

/* ---- Handles ------------------------------------------------------------------------- */

static void test_null(void)
{
	ol_program_handle_t program = load();
	ol_symbol_handle_t symbol, variable = variable_of(program, "counter");
	uint64_t value;
	size_t size;

	CHECK_CODE(olGetSymbol(NULL, "add", OL_SYMBOL_KIND_KERNEL, &symbol),
		   INVALID_NULL_HANDLE);
	CHECK_CODE(olGetSymbol(program, NULL, OL_SYMBOL_KIND_KERNEL, &symbol),
		   INVALID_NULL_POINTER);
	CHECK_CODE(olGetSymbol(program, "add", OL_SYMBOL_KIND_KERNEL, NULL),
		   INVALID_NULL_POINTER);
	CHECK_CODE(olGetSymbol(NULL, NULL, OL_SYMBOL_KIND_LAST, NULL), INVALID_NULL_HANDLE);
	/* The size comes first. */
	CHECK_CODE(olGetSymbolInfo(NULL, OL_SYMBOL_INFO_KIND, 0, NULL), INVALID_SIZE);
	CHECK_CODE(olGetSymbolInfo(variable, OL_SYMBOL_INFO_KIND, 0, &value), INVALID_SIZE);
	CHECK_CODE(olGetSymbolInfo(NULL, OL_SYMBOL_INFO_KIND, 8, NULL), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetSymbolInfo(variable, OL_SYMBOL_INFO_KIND, 8, NULL),
		   INVALID_NULL_POINTER);
	CHECK_CODE(olGetSymbolInfoSize(NULL, OL_SYMBOL_INFO_KIND, &size), INVALID_NULL_HANDLE);
	CHECK_CODE(olGetSymbolInfoSize(variable, OL_SYMBOL_INFO_KIND, NULL),
		   INVALID_NULL_POINTER);
	CHECK_OK(olDestroyProgram(program));
}

/* Anything that is no symbol, or no program, is refused before it is touched. */
static void test_wrong_handles(void)
{
	ol_program_handle_t program = load();
	ol_queue_handle_t queue = new_queue();
	ol_symbol_handle_t symbol, kernel = kernel_of(program, "add");
	void *const wrong[] = { queue, gpu, host, cuda, &symbol, (void *)(uintptr_t)-1 };
	uint64_t value;
	size_t size;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CHECK_CODE(olGetSymbol(wrong[i], "add", OL_SYMBOL_KIND_KERNEL, &symbol),
			   INVALID_ARGUMENT);
		CHECK_CODE(olGetSymbolInfo(wrong[i], OL_SYMBOL_INFO_KIND, 8, &value),
			   INVALID_ARGUMENT);
		CHECK_CODE(olGetSymbolInfoSize(wrong[i], OL_SYMBOL_INFO_KIND, &size),
			   INVALID_ARGUMENT);
	}
	CHECK_CODE(olGetSymbol((void *)kernel, "add", OL_SYMBOL_KIND_KERNEL, &symbol),
		   INVALID_ARGUMENT);
	CHECK_CODE(olGetSymbolInfo((void *)program, OL_SYMBOL_INFO_KIND, 8, &value),
		   INVALID_ARGUMENT);
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(program));
}

static void check_gone(ol_symbol_handle_t symbol)
{
	uint64_t value = 7;
	size_t size;

	CHECK_CODE(olGetSymbolInfo(symbol, OL_SYMBOL_INFO_KIND, 8, &value), INVALID_ARGUMENT);
	CHECK_CODE(olGetSymbolInfoSize(symbol, OL_SYMBOL_INFO_KIND, &size), INVALID_ARGUMENT);
	CHECK_INT((long long)value, 7);
}

/* Symbols go with their program; those of another one stay. */
static void test_destroyed(void)
{
	ol_program_handle_t program = load(), other = load();
	ol_symbol_handle_t kernel = kernel_of(program, "nothing"), none;
	ol_symbol_handle_t variable = variable_of(program, "counter");
	ol_symbol_handle_t living = variable_of(other, "counter");
	ol_queue_handle_t queue = new_queue();

	CHECK_OK(olDestroyProgram(program));
	check_gone(kernel);
	check_gone(variable);
	CHECK_CODE(launch1(queue, kernel, NULL, 0), INVALID_ARGUMENT);
	CHECK_CODE(olGetSymbol(program, "nothing", OL_SYMBOL_KIND_KERNEL, &none),
		   INVALID_ARGUMENT);
	CHECK_INT(kind_of(living), OL_SYMBOL_KIND_GLOBAL_VARIABLE);
	CHECK_OK(launch1(queue, kernel_of(other, "nothing"), NULL, 0));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olDestroyProgram(other));
}

/* Those of before the last shutdown stay refused, whatever is at their place now. */
static void test_stale(void)
{
	ol_program_handle_t program;
	ol_symbol_handle_t kernel, variable, none;

	REQUIRE_OK(ol_init());
	look_up();
	program = load();
	kernel = kernel_of(program, "add");
	variable = variable_of(program, "counter");
	CHECK_OK(olShutDown());
	REQUIRE_OK(ol_init());
	look_up();
	CHECK_CODE(olGetSymbol(program, "add", OL_SYMBOL_KIND_KERNEL, &none), INVALID_ARGUMENT);
	program = load();
	CHECK(kernel_of(program, "add") != kernel);
	CHECK(variable_of(program, "counter") != variable);
	check_gone(kernel);
	check_gone(variable);
	CHECK_OK(olShutDown());
}

static void test_uninitialized(void)
{
	ol_symbol_handle_t symbol;
	uint64_t value;
	size_t size;

	CHECK_CODE(olGetSymbol(NULL, "add", OL_SYMBOL_KIND_KERNEL, &symbol), UNINITIALIZED);
	CHECK_CODE(olGetSymbolInfo(NULL, OL_SYMBOL_INFO_KIND, 0, &value), UNINITIALIZED);
	CHECK_CODE(olGetSymbolInfoSize(NULL, OL_SYMBOL_INFO_KIND, &size), UNINITIALIZED);
}

static const struct ol_case cases[] = {
	OL_CASE(test_same_kernel),
	OL_CASE(test_same_variable),
	OL_CASE(test_not_found),
	OL_CASE(test_not_found_is_null),
	OL_CASE(test_other_kind),
	OL_CASE(test_odd_names),
	OL_CASE(test_bad_kind),
	OL_CASE(test_name_copied),
	OL_CASE(test_many),
	OL_CASE(test_kind),
	OL_CASE(test_address_and_size),
	OL_CASE(test_info_sizes),
	OL_CASE(test_kernel_asked),
	OL_CASE(test_room),
	OL_CASE(test_bad_property),
	OL_CASE(test_kernel_agrees),
	OL_CASE(test_written),
	OL_CASE(test_two_programs),
	OL_CASE(test_null),
	OL_CASE(test_wrong_handles),
	OL_CASE(test_destroyed),
	OL_BARE(test_stale),
	OL_BARE(test_uninitialized),
};
OL_MAIN(cases)
