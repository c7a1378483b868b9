/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "debug_file.h"

#include <limits.h>
#include <sys/stat.h>

#include "found.h"
#include "maker.h"

static struct maker maker;
static struct object object, debug;
static char folder[64];
static const uint8_t id[20] = { 0x12, 0x34, 0x56 };

/* The folders of the file at @path. */
static void make_folders(char *path)
{
	for (char *c = path + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			mkdir(path, 0755);
			*c = '/';
		}
}

/* Puts a file that the maker makes at a place below the folder, or at a whole path, with all names
 * when it is debug. */
static void put(const char *name, const void *build_id, const char *link, bool names)
{
	char path[PATH_MAX], buffer[1 << 16];
	ssize_t size;
	FILE *to;

	maker_init(&maker);
	if (build_id)
		maker_note(&maker, NT_GNU_BUILD_ID, "GNU", build_id, 20);
	if (link)
		maker.link_size = (size_t)snprintf((char *)maker.link, sizeof(maker.link), "%s",
						   link) + 5;
	if (names)
		maker_runtime(&maker, NAMES);
	maker_path(&maker);
	snprintf(path, sizeof(path), "%s/%s", *name == '/' ? "" : folder, name);
	make_folders(path);
	to = fopen(path, "we");
	for (off_t at = 0; (size = pread(maker.fd, buffer, sizeof(buffer), at)) > 0; at += size)
		fwrite(buffer, 1, (size_t)size, to);
	fclose(to);
}

static bool find(void)
{
	char path[PATH_MAX];
	bool found;

	snprintf(path, sizeof(path), "%s/prog", folder);
	if (!CHECK(object_open(&object, path)))
		return false;
	debug = (struct object){ .fd = -1 };
	found = debug_file_open(&debug, &object, path);
	object_close(&object);
	return found;
}

static void drop(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", *name == '/' ? "" : folder, name);
	unlink(path);
}

static void check_found(bool wanted)
{
	const bool is = find();

	CHECK_INT(is, wanted);
	if (is)
		object_close(&debug);
	CHECK_INT(debug.fd, -1);
}

static void test_none(void)
{
	put("prog", id, NULL, false);
	check_found(false);
	put("prog", NULL, NULL, false);
	check_found(false);
	put("prog", id, "prog.debug", false);
	check_found(false);
}

static void test_beside(void)
{
	put("prog", id, "prog.debug", false);
	put("prog.debug", id, NULL, true);
	check_found(true);
	drop("prog.debug");
	put(".debug/prog.debug", id, NULL, true);
	check_found(true);
	drop(".debug/prog.debug");
}

static void test_of_another_build(void)
{
	static const uint8_t another[20] = { 0x12, 0x34, 0x57 };

	put("prog", id, "prog.debug", false);
	put("prog.debug", another, NULL, true);
	check_found(false);
	put("prog.debug", NULL, NULL, true);
	check_found(false);
	/* The right one is in the next place. */
	put(".debug/prog.debug", id, NULL, true);
	check_found(true);
	drop("prog.debug");
	drop(".debug/prog.debug");
}

/* Neither has a build-id: nothing says that they are of one build. */
static void test_without_a_build_id(void)
{
	put("prog", NULL, "prog.debug", false);
	put("prog.debug", NULL, NULL, true);
	check_found(false);
	drop("prog.debug");
}

static void test_a_debug_file_that_is_none(void)
{
	char path[PATH_MAX];

	put("prog", id, "prog.debug", false);
	snprintf(path, sizeof(path), "%s/prog.debug", folder);
	REQUIRE(!mkdir(path, 0755));
	check_found(false);
	rmdir(path);
	REQUIRE(!symlink("/dev/null", path));
	check_found(false);
	drop("prog.debug");
}

/* The name in .gnu_debuglink has no end, or is of another place. */
static void test_links_that_lie(void)
{
	put("prog", id, "", false);
	check_found(false);
	put("prog", id, "sixtythreebytes-sixtythreebytes-sixtythreebytes-sixtythreebyte", false);
	check_found(false);
}

/* Where packages of distributions put them. */
static void test_by_build_id(void)
{
	static const char place[] = FOLDER "/.build-id/12/34560000000000000000000000000000000000.debug";
	static const uint8_t another[20] = { 0x12, 0x34, 0x57 };

	put("prog", id, NULL, false);
	put(place, id, NULL, true);
	check_found(true);
	put(place, another, NULL, true);
	check_found(false);
	/* It is looked for beside the program then. */
	put("prog", id, "prog.debug", false);
	put("prog.debug", id, NULL, true);
	check_found(true);
	drop("prog.debug");
	drop(place);
}

static void test_below_the_folder(void)
{
	char place[PATH_MAX];

	snprintf(place, sizeof(place), FOLDER "%s/prog.debug", folder);
	put("prog", id, "prog.debug", false);
	put(place, id, NULL, true);
	check_found(true);
	drop(place);
	check_found(false);
	*strrchr(place, '/') = '\0';
	rmdir(place);
}

/* A path that is as long as one can be is too long with what comes before it, and is no other. */
static void test_long_paths(void)
{
	static char path[PATH_MAX + 16];

	put("prog", id, "prog.debug", false);
	memset(path, '/', sizeof(path) - 1);
	for (size_t length = PATH_MAX - 16; length < sizeof(path); length++) {
		path[length - 1] = 'p';
		path[length] = '\0';
		debug = (struct object){ .fd = -1 };
		CHECK(object_open(&object, maker.path));
		CHECK(!debug_file_open(&debug, &object, path));
		object_close(&object);
		path[length - 1] = path[length] = '/';
	}
}

static void test_nothing_is_kept(void)
{
	unsigned long pages;
	char path[PATH_MAX];

	put("prog", id, "prog.debug", false);
	snprintf(path, sizeof(path), "%s/prog", folder);
	REQUIRE(object_open(&object, path));
	pages = maker_pages();
	for (int i = 0; i < 50; i++)
		CHECK(!debug_file_open(&debug, &object, path));
	CHECK_INT(maker_pages(), pages);
	object_close(&object);
}

static void test_the_names(void)
{
	static struct found found;
	char path[PATH_MAX];

	put("prog.debug", id, NULL, true);
	put("prog", id, "prog.debug", false);
	snprintf(path, sizeof(path), "%s/prog", folder);
	REQUIRE(object_open(&object, path));
	found_search(&found, &object, path);
	CHECK_INT(found.kind, FOUND_RUNTIME);
	CHECK_STR(found.by, "the debug file");
	CHECK_INT(found.count, NAMES);
	object_close(&object);
}

int main(void)
{
	char path[PATH_MAX];

	strcpy(folder, "/tmp/debug_file.XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/.debug", folder);
	mkdir(path, 0755);
	RUN(test_none);
	RUN(test_beside);
	RUN(test_of_another_build);
	RUN(test_without_a_build_id);
	RUN(test_a_debug_file_that_is_none);
	RUN(test_links_that_lie);
	RUN(test_by_build_id);
	RUN(test_below_the_folder);
	RUN(test_long_paths);
	RUN(test_nothing_is_kept);
	RUN(test_the_names);
	drop("prog");
	drop("prog.debug");
	rmdir(path);
	rmdir(folder);
	maker_release(&maker);
	return tap_end();
}
