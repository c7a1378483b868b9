/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "patch.h"

#include <sys/syscall.h>

#include "entry.h"
#include "maker.h"

enum { PAGE = 4096, INT3 = 0xcc };

/* ---- the jump ---- */

static void check_jump(const uint8_t code[JUMP], size_t kept, uint64_t from, uint64_t to)
{
	const size_t at = kept ? 10 : 9;
	int32_t distance;

	/* The short jump leads to the long one, over the bytes of a debugger's breakpoint. */
	CHECK_INT(code[kept], 0xeb);
	CHECK_INT(kept + 2 + code[kept + 1], at);
	CHECK_INT(code[at], 0xe9);
	memcpy(&distance, code + at + 1, 4);
	CHECK_INT(from + at + 5 + (uint64_t)(int64_t)distance, to);
}

static void test_a_jump(void)
{
	uint8_t code[JUMP] = "\x55\x48\x89\xe5\x41\x57\x41\x56\x41\x55\x41\x54\x53\x48\x81";
	uint8_t before[JUMP];

	memcpy(before, code, JUMP);
	CHECK(patch_write_jump(code, 0x400000, 0x500000));
	check_jump(code, 0, 0x400000, 0x500000);
	CHECK(!memcmp(code + 2, before + 2, 7));
	CHECK(!memcmp(code + 14, before + 14, 2));
	memcpy(code, before, JUMP);
	CHECK(patch_write_jump(code, 0x500000, 0x400000));
	check_jump(code, 0, 0x500000, 0x400000);
}

static void test_a_jump_behind_endbr64(void)
{
	uint8_t code[JUMP] = "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x41\x57\x41\x56\x41\x55\x41";
	uint8_t before[JUMP];

	memcpy(before, code, JUMP);
	CHECK(patch_write_jump(code, 0x400000, 0x500000));
	CHECK(!memcmp(code, "\xf3\x0f\x1e\xfa", 4));
	check_jump(code, 4, 0x400000, 0x500000);
	CHECK(!memcmp(code + 6, before + 6, 4));
	CHECK(!memcmp(code + 15, before + 15, 1));
}

static void test_far_jumps(void)
{
	const uint64_t from = 0x7f0000000000, end = from + 9 + 5;
	uint8_t code[JUMP] = { 0 }, zeros[JUMP] = { 0 };

	CHECK(!patch_write_jump(code, from, end + (1ULL << 31)));
	CHECK(!patch_write_jump(code, from, end - (1ULL << 31) - 1));
	CHECK(!patch_write_jump(code, from, 0x400000));
	CHECK(!memcmp(code, zeros, JUMP));
	CHECK(patch_write_jump(code, from, end + (1ULL << 31) - 1));
	check_jump(code, 0, from, end + (1ULL << 31) - 1);
	CHECK(patch_write_jump(code, from, end - (1ULL << 31)));
	check_jump(code, 0, from, end - (1ULL << 31));
}

/* ---- a runtime that is mapped ---- */

static struct maker maker;
static struct found found;
static struct object object;
static struct patched patched;
static void *targets[NAMES];
static uint8_t *text;

static int answer(int a, int b, int c, int d, int e, int f)
{
	return a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 ? 4242 : -1;
}

static uint64_t base(void)
{
	return (uint64_t)text - (AT + TEXT);
}

static int call(uint64_t at)
{
	int (*function)(int, int, int, int, int, int);
	const uint64_t address = base() + at;

	memcpy(&function, &address, sizeof(function));
	return function(1, 2, 3, 4, 5, 6);
}

/* Maps the code of a file with all names, as the loader does, with the byte @value at @changed. */
static bool load_at(void *where, bool endbr, size_t changed, uint8_t value)
{
	static const uint8_t with_endbr[] = "\xf3\x0f\x1e\xfa\xb8\x23\0\0\0\xc3";

	maker_init(&maker);
	for (size_t i = 0; endbr && i < TEXT_SIZE; i += 16)
		memcpy(maker.text + i, with_endbr, 10);
	maker_runtime(&maker, NAMES);
	maker.symbols[NAMES].st_value = maker_place(NAMES + 2);
	maker_symbol(&maker, "cudaFooBar", maker_place(NAMES));
	if (!object_open(&object, maker_path(&maker)))
		return false;
	found_by_symbols(&found, &object);
	text = mmap(where, TEXT_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, maker.fd, TEXT);
	if (text == MAP_FAILED)
		return false;
	if (changed)
		text[changed] = value;
	for (size_t i = 0; i < NAMES; i++)
		targets[i] = (void *)answer;
	return !mprotect(text, TEXT_SIZE, PROT_READ | PROT_EXEC) && found.kind == FOUND_RUNTIME;
}

static bool load(bool endbr, size_t changed, uint8_t value)
{
	return load_at(NULL, endbr, changed, value);
}

static void unload(void)
{
	munmap(text, TEXT_SIZE);
	object_close(&object);
}

static const char *patch(void)
{
	return patch_runtime(&found, &object, base(), targets, (void *)entry_newer, &patched);
}

/* What /proc/self/maps has of the page at @at: "r-xp", with the file's name behind it; "". */
static const char *page_of(uint64_t at)
{
	static char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	bool is = false;

	while (!is && fgets(line, sizeof(line), maps)) {
		uint64_t low, high;

		is = sscanf(line, "%" SCNx64 "-%" SCNx64, &low, &high) == 2 && at >= low &&
		     at < high;
	}
	fclose(maps);
	return is ? strchr(line, ' ') + 1 : "";
}

static size_t writable_and_executable(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	size_t count = 0;

	while (fgets(line, sizeof(line), maps)) {
		const char *rights = strchr(line, ' ');

		count += rights && rights[2] == 'w' && rights[3] == 'x';
	}
	fclose(maps);
	return count;
}

static void check_calls(bool endbr)
{
	REQUIRE(load(endbr, 0, 0));
	CHECK_INT(call(maker_place(5)), 35);
	CHECK_STR(patch(), NULL);
	for (size_t i = 0; i < NAMES; i++)
		CHECK_INT(call(found.at[i]), 4242);
	/* What is between the functions is as it was: below, and in the gap. */
	CHECK_INT(call(FIRST - 16), 35);
	CHECK_INT(call(maker_place(NAMES + 1)), 35);
	patch_release(&patched);
	unload();
}

static void test_calls(void)
{
	check_calls(false);
	check_calls(true);
}

/* There is no room below it: so are programs under valgrind. */
static void test_code_at_low_addresses(void)
{
	REQUIRE(load_at((void *)0x109000, false, 0, 0));
	if (text != (void *)0x109000) {
		tap.skip = "the system has no memory there";
		unload();
		return;
	}
	CHECK_STR(patch(), NULL);
	CHECK(patched.ways > (void *)text);
	CHECK_INT(call(found.at[9]), 4242);
	patch_release(&patched);
	unload();
}

/* A target is read at each call. */
static int other(void)
{
	return 77;
}

static void test_targets_change(void)
{
	REQUIRE(load(false, 0, 0));
	CHECK_STR(patch(), NULL);
	targets[3] = (void *)other;
	CHECK_INT(call(found.at[3]), 77);
	CHECK_INT(call(found.at[4]), 4242);
	patch_release(&patched);
	unload();
}

/* It is named once, on standard error. */
static void test_a_newer_function(void)
{
	const int kept = dup(2), to = memfd_create("stderr", MFD_CLOEXEC);
	char line[256] = "";

	REQUIRE(load(false, 0, 0));
	CHECK_STR(patch(), NULL);
	fflush(stderr);
	dup2(to, 2);
	CHECK_INT(call(maker_place(NAMES)), 801);
	CHECK_INT(call(maker_place(NAMES)), 801);
	dup2(kept, 2);
	CHECK(pread(to, line, sizeof(line) - 1, 0) > 0);
	CHECK_STR(line, "gpurun: the program's CUDA runtime has cudaFooBar, gpurun's, which is that "
			"of CUDA 13.0, has not: it returns cudaErrorNotSupported\n");
	close(kept);
	close(to);
	patch_release(&patched);
	unload();
}

static void test_never_writable_and_executable(void)
{
	const char *const wanted = "/memfd:gpurun start (deleted)\n";
	const size_t before = writable_and_executable();
	const char *page;

	REQUIRE(load(false, 0, 0));
	CHECK_STR(patch(), NULL);
	CHECK_INT(writable_and_executable(), before);
	page = page_of(base() + found.low);
	CHECK(!strncmp(page, "r-xp", 4));
	CHECK(strstr(page, wanted) != NULL);
	page = page_of((uint64_t)patched.ways);
	CHECK(!strncmp(page, "r-xp", 4));
	CHECK(strstr(page, wanted) != NULL);
	/* Pages without a function of the runtime stay those of the file. */
	CHECK(!strstr(page_of((uint64_t)text + TEXT_SIZE - PAGE), "gpurun start"));
	patch_release(&patched);
	unload();
}

static void test_release(void)
{
	void *ways;

	REQUIRE(load(false, 0, 0));
	CHECK_STR(patch(), NULL);
	ways = patched.ways;
	CHECK_INT(patched.size % PAGE, 0);
	CHECK(*page_of((uint64_t)ways));
	patch_release(&patched);
	CHECK(!patched.ways);
	CHECK_STR(page_of((uint64_t)ways), "");
	patch_release(&patched);
	unload();
}

/* Neither memory nor a file, however often a library comes and goes. */
static void test_nothing_is_kept(void)
{
	unsigned long pages = 0;
	int file = 0, next;

	for (int i = 0; i < 20; i++) {
		REQUIRE(load(false, i % 2 ? FIRST - AT - TEXT : 0, 0x42));
		CHECK_INT(!patch(), i % 2 == 0);
		patch_release(&patched);
		unload();
		maker_release(&maker);
		next = dup(0);
		close(next);
		file = i ? file : next;
		pages = i ? pages : maker_pages();
		CHECK_INT(next, file);
		CHECK_INT(maker_pages(), pages);
	}
}

static void check_unchanged(const char *why, uint8_t *copy)
{
	const size_t files = writable_and_executable();

	memcpy(copy, text, TEXT_SIZE);
	CHECK_STR(patch(), why);
	CHECK(!patched.ways);
	CHECK(!memcmp(copy, text, TEXT_SIZE));
	CHECK(!strstr(page_of(base() + found.low), "gpurun start"));
	CHECK_INT(writable_and_executable(), files);
}

/* The file was written since, or the process changed its code. */
static void test_a_changed_byte(void)
{
	static uint8_t copy[TEXT_SIZE];
	static const size_t at[] = { FIRST - AT - TEXT, FIRST - AT - TEXT + 16 * 100 + 3,
				     FIRST - AT - TEXT + 16 * (NAMES + 2) - 1 };

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		REQUIRE(load(false, at[i], 0x42));
		check_unchanged("its file has changed since it was loaded", copy);
		unload();
	}
	/* What is outside is not looked at. */
	REQUIRE(load(false, FIRST - AT - TEXT - 1, 0x42));
	CHECK_STR(patch(), NULL);
	patch_release(&patched);
	unload();
}

/* Of a debugger, which puts the byte back that it knows: it is there still, in the copy. */
static void test_a_breakpoint(void)
{
	const size_t at = FIRST - AT - TEXT + 16 * 7 + 4;

	REQUIRE(load(false, at, INT3));
	CHECK_STR(patch(), NULL);
	CHECK_INT(text[at], INT3);
	CHECK_INT(call(found.at[7]), 4242);
	patch_release(&patched);
	unload();
}

/* A file whose code is not where it was mapped, or not mapped at all. */
static void test_nothing_is_mapped(void)
{
	static uint8_t copy[TEXT_SIZE];

	REQUIRE(load(false, 0, 0));
	memcpy(copy, text, TEXT_SIZE);
	munmap(text, TEXT_SIZE);
	CHECK_STR(patch(), "its code is not where its file says");
	CHECK(!patched.ways);
	object_close(&object);
}

static void test_a_file_that_was_cut(void)
{
	static uint8_t copy[TEXT_SIZE];

	/* Its header says more than it has; the object says what it had. */
	REQUIRE(load(false, 0, 0));
	found.high += TEXT_SIZE;
	CHECK(patch() != NULL);
	found.high -= TEXT_SIZE;
	memset(copy, 0, sizeof(copy));
	munmap(text, TEXT_SIZE);
	text = mmap(NULL, TEXT_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check_unchanged("its file has changed since it was loaded", copy);
	unload();
}

int main(void)
{
	RUN(test_a_jump);
	RUN(test_a_jump_behind_endbr64);
	RUN(test_far_jumps);
	RUN(test_calls);
	RUN(test_code_at_low_addresses);
	RUN(test_targets_change);
	RUN(test_a_newer_function);
	RUN(test_never_writable_and_executable);
	RUN(test_release);
	RUN(test_nothing_is_kept);
	RUN(test_a_changed_byte);
	RUN(test_a_breakpoint);
	RUN(test_nothing_is_mapped);
	RUN(test_a_file_that_was_cut);
	maker_release(&maker);
	return tap_end();
}
