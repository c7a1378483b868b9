/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pages of machine code: executed, never writable then, refused as the system refuses them; and the
 * names of code for perf. What changes the process happens in a child.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcode.h"
#include "refused.h"
#include "tap.h"

/* A function that returns 42. */
#if defined(__x86_64__)
static const uint8_t forty_two[] = { 0xb8, 42, 0, 0, 0, 0xc3 };
#elif defined(__aarch64__)
static const uint32_t forty_two[] = { 0x52800540, 0xd65f03c0 };
#else
static const uint8_t forty_two[1];
#endif
enum { CAN_CALL = sizeof(forty_two) > 1 };

static struct mcode *new_forty_two(size_t size)
{
	CLEANUP(free_mcode) struct mcode *code = NULL;

	if (mcode_new(size, &code, NULL))
		return NULL;
	memcpy(mcode_address(code), forty_two, sizeof(forty_two));
	if (mcode_seal(code, sizeof(forty_two), NULL))
		return NULL;
	return STEAL(code);
}

static int call_code(const struct mcode *code)
{
	void *address = mcode_address(code);
	int (*function)(void);

	memcpy(&function, &address, sizeof(function));
	return function();
}

/* What the process that runs @main ends with, as wait() has it. */
static int status_of_child(void (*main)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		main();
		fflush(stdout);
		_exit(tap.failed);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return status;
}

static void test_call(void)
{
	CLEANUP(free_mcode) struct mcode *code = NULL;

	if (!CAN_CALL)
		SKIP("needs a processor with code that is known here");
	code = new_forty_two(1);
	REQUIRE(code);
	CHECK_INT(call_code(code), 42);
	CHECK_INT(mcode_size(code), sizeof(forty_two));
	CHECK(mcode_available());
}

static struct mcode *shared;

static void call_shared(void)
{
	CHECK_INT(call_code(shared), 42);
}

static void test_fork(void)
{
	if (!CAN_CALL)
		SKIP("needs a processor with code that is known here");
	shared = new_forty_two(1);
	REQUIRE(shared);
	CHECK_INT(status_of_child(call_shared), 0);
	mcode_free(shared);
}

/* Tells whether /proc/self/maps has @address, with @access ("r-xp"). */
static bool has_mapping(const void *address, const char *access)
{
	CLEANUP(close_file) FILE *maps = fopen("/proc/self/maps", "r");
	const unsigned long at = (unsigned long)(uintptr_t)address;
	unsigned long first, end;
	char line[512], has[8];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &first, &end, has) == 3 && at >= first && at < end)
			return !access || !strcmp(has, access);
	return false;
}

/* Pages after those that are used are gone. */
static void test_tail(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	CLEANUP(free_mcode) struct mcode *code = NULL;
	const uint8_t *address;

	REQUIRE(!mcode_new(8 * page, &code, NULL));
	address = mcode_address(code);
	CHECK(has_mapping(address, "rw-p") && has_mapping(address + 7 * page, "rw-p"));
	REQUIRE(!mcode_seal(code, page + 1, NULL));
	CHECK_INT(mcode_size(code), page + 1);
	CHECK(has_mapping(address, "r-xp") && has_mapping(address + page, "r-xp"));
	CHECK(!has_mapping(address + 2 * page, "r-xp") && !has_mapping(address + 2 * page, "rw-p"));
}

static void write_shared(void)
{
	signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own */
	*(volatile uint8_t *)mcode_address(shared) = 0;
}

static void test_sealed(void)
{
	int status;

	shared = new_forty_two(1);
	REQUIRE(shared);
	status = status_of_child(write_shared);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	mcode_free(shared);
}

/* ---- Systems that refuse ---- */

static void use_refused(void)
{
	struct mcode *code;
	struct err e = { 0 };

	if (!refuse_execution())
		_exit(NO_FILTER);
	CHECK(!mcode_available());
	CHECK_INT(mcode_new(1, &code, &e), GPURUN_UNSUPPORTED);
	CHECK(!code);
	CHECK_STR(e.text, "making memory executable: Permission denied");
	CHECK_HAS(e.hint, "seccomp");
}

/* Execution is refused only after it was found to be possible. */
static void seal_refused(void)
{
	CLEANUP(free_mcode) struct mcode *code = NULL;
	struct err e = { 0 };

	REQUIRE(!mcode_new(1, &code, NULL));
	if (!refuse_execution())
		_exit(NO_FILTER);
	CHECK_INT(mcode_seal(code, 1, &e), GPURUN_UNSUPPORTED);
	CHECK_STR(e.text, "making memory executable: Permission denied");
	*(uint8_t *)mcode_address(code) = 1;
}

/* The first test: mcode_available() has not been called in this process. */
static void test_refused(void)
{
	int status = status_of_child(use_refused);

	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
		SKIP("needs seccomp filters");
	CHECK_INT(status, 0);
	CHECK_INT(status_of_child(seal_refused), 0);
}

static void map_without_addresses(void)
{
	const struct rlimit none = { 0, 0 };
	struct mcode *code;
	struct err e = { 0 };

	CHECK(mcode_available());
	REQUIRE(!setrlimit(RLIMIT_AS, &none));
	CHECK_INT(mcode_new(1 << 20, &code, &e), GPURUN_NO_MEMORY);
	CHECK(!code);
	CHECK_STR(e.text, "1048576 bytes of machine code: Cannot allocate memory");
}

static void test_no_memory(void)
{
	CHECK_INT(status_of_child(map_without_addresses), 0);
}

static void test_limit(void)
{
	struct mcode *parts[4], *more;
	const size_t part = MCODE_MOST / 4;
	struct err e = { 0 };

	for (unsigned i = 0; i < 4; i++)
		REQUIRE(!mcode_new(part, &parts[i], NULL));
	CHECK_INT(mcode_new(1, &more, &e), GPURUN_NO_MEMORY);
	CHECK_STR(e.text, "1 bytes of machine code: the process has 268435456 of 268435456");
	CHECK_INT(mcode_new(SIZE_MAX, &more, NULL), GPURUN_NO_MEMORY);
	/* What is unmapped is not counted, of any of them. */
	REQUIRE(!mcode_seal(parts[0], 1, NULL));
	CHECK(!mcode_new(part / 2, &more, NULL));
	mcode_free(more);
	for (unsigned i = 0; i < 4; i++)
		mcode_free(parts[i]);
	REQUIRE(!mcode_new(MCODE_MOST, &more, NULL));
	mcode_free(more);
	mcode_free(NULL);
}

static void *use_pages(void *wrong)
{
	for (unsigned i = 0; i < 200; i++) {
		struct mcode *code = new_forty_two(1 + i * 100);

		if (!code || (CAN_CALL && call_code(code) != 42))
			*(bool *)wrong = true;
		mcode_free(code);
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[4];
	bool wrong[4] = { false };
	struct mcode *code;

	for (unsigned i = 0; i < 4; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, use_pages, &wrong[i]));
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CHECK(!wrong[i]);
	}
	REQUIRE(!mcode_new(MCODE_MOST, &code, NULL)); /* nothing stays counted */
	mcode_free(code);
}

/* ---- perf ---- */

static void read_text(const char *path, char *text, size_t size)
{
	CLEANUP(close_file) FILE *file = fopen(path, "r");

	text[file ? fread(text, 1, size - 1, file) : 0] = 0;
}

static void test_describe(void)
{
	CLEANUP(free_mcode) struct mcode *code = NULL;
	char folder[] = "/tmp/mcode-XXXXXX", path[64], link[64], text[256], want[256];
	struct stat about;

	REQUIRE(!mcode_new(4096, &code, NULL) && !mcode_seal(code, 4096, NULL));
	REQUIRE(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/map", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	mcode_describe(code, 0, 64, "first", path);
	mcode_describe(code, 64, 4032, "second kernel", path);
	read_text(path, text, sizeof(text));
	snprintf(want, sizeof(want), "%lx 40 first\n%lx fc0 second kernel\n",
		 (unsigned long)(uintptr_t)mcode_address(code),
		 (unsigned long)(uintptr_t)mcode_address(code) + 64);
	CHECK_STR(text, want);
	CHECK(!stat(path, &about) && (about.st_mode & 0777) == 0600);
	/* Through a link nothing is added, nor made; a folder is left alone. */
	REQUIRE(!symlink(path, link));
	mcode_describe(code, 0, 64, "third", link);
	read_text(path, text, sizeof(text));
	CHECK_STR(text, want);
	REQUIRE(!unlink(path));
	mcode_describe(code, 0, 64, "third", link);
	CHECK(access(path, F_OK));
	mcode_describe(code, 0, 64, "third", folder);
	unlink(link);
	rmdir(folder);
}

static void test_map_path(void)
{
	char path[MCODE_PATH], want[MCODE_PATH];

	mcode_map_path(path);
	snprintf(want, sizeof(want), "/tmp/perf-%d.map", (int)getpid());
	CHECK_STR(path, want);
}

int main(void)
{
	RUN(test_refused);
	RUN(test_call);
	RUN(test_fork);
	RUN(test_tail);
	RUN(test_sealed);
	RUN(test_no_memory);
	RUN(test_limit);
	RUN(test_threads);
	RUN(test_describe);
	RUN(test_map_path);
	return tap_end();
}
