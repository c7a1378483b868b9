/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "debug_file.h"

enum { LONGEST_PATH = 4096 };

/* Tests have one of their own. */
#ifndef FOLDER
#define FOLDER "/usr/lib/debug"
#endif

/* A path that is built piece by piece; one that is too long is empty in the end. */
struct path {
	char text[LONGEST_PATH];
	size_t length;
};

static void add(struct path *path, const char *text, size_t most)
{
	size_t length = path->length;

	for (; most && *text && length < LONGEST_PATH - 1; most--)
		path->text[length++] = *text++;
	path->length = length < LONGEST_PATH - 1 ? length : 0;
	path->text[path->length] = '\0';
}

static void add_hex(struct path *path, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		add(path, &"0123456789abcdef"[bytes[i] >> 4], 1);
		add(path, &"0123456789abcdef"[bytes[i] & 15], 1);
	}
}

/* Opens the file at @path if it is the debug file of what has the build-id @id. */
static bool open_of(struct object *debug, const struct path *path, const uint8_t *id, size_t size)
{
	uint8_t other[BUILD_ID_MOST];

	if (object_open(debug, path->text) && object_build_id(debug, other) == size &&
	    !memcmp(id, other, size))
		return true;
	object_close(debug);
	return false;
}

/* The name in .gnu_debuglink, to be freed. */
static bool read_link(const struct object *object, struct bytes *name)
{
	Elf64_Shdr section;

	return object_find_section(object, ".gnu_debuglink", &section) &&
	       section.sh_size < LONGEST_PATH &&
	       object_read(object, section.sh_offset, section.sh_size, name);
}

bool debug_file_open(struct object *debug, const struct object *object, const char *path)
{
	static struct path at; /* too large for a small stack */
	uint8_t id[BUILD_ID_MOST];
	const size_t size = object_build_id(object, id);
	static const char *const places[][2] = { { "", "" }, { "", ".debug/" }, { FOLDER, "" } };
	struct bytes name;
	size_t folder = 0;
	bool found = false;

	if (size < 2)
		return false;
	at.length = 0;
	add(&at, FOLDER "/.build-id/", LONGEST_PATH);
	add_hex(&at, id, 1);
	add(&at, "/", 1);
	add_hex(&at, id + 1, size - 1);
	add(&at, ".debug", LONGEST_PATH);
	if (open_of(debug, &at, id, size))
		return true;
	if (!read_link(object, &name))
		return false;
	for (size_t i = 0; path[i]; i++)
		folder = path[i] == '/' ? i + 1 : folder;
	for (size_t i = 0; !found && i < sizeof(places) / sizeof(*places); i++) {
		at.length = 0;
		add(&at, places[i][0], LONGEST_PATH);
		add(&at, path, folder);
		add(&at, places[i][1], LONGEST_PATH);
		add(&at, (const char *)name.data, name.size);
		found = open_of(debug, &at, id, size);
	}
	object_free(&name);
	return found;
}
