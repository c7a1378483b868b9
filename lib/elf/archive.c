/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Layout, from ar(5) and the archives that binutils and LLVM write: "!<arch>\n",
 * then members at even offsets. A member's header is text, filled with blanks:
 *
 *	00 name (16)	30 size in decimal (10)	3A "`\n"
 *
 * Names, as GNU writes them: "NAME/"; "/N" means the name at N of the member "//", which
 * ends with "/\n"; "/" and "/SYM64/" are tables of symbols. As BSD writes them:
 * "NAME"; "#1/N" says that the member begins with a name of N bytes.
 */
#include "archive.h"
#include "array.h"

#include <inttypes.h>

enum {
	MAGIC = 8,
	HEADER = 60,
	NAME = 16,
	SIZE_AT = 48,
	SIZE = 10,
	LONGEST_NAME = 1024, /* longer ones are cut: to find the end of a name takes time */
};

bool archive_sniff(struct bytes bytes)
{
	return bytes_begin(bytes, "!<arch>\n", MAGIC);
}

/* Reads a number of at most @length digits, followed by blanks; false when it is none. */
static bool read_number(const uint8_t *p, size_t length, uint64_t *number)
{
	size_t digits = 0;

	*number = 0;
	while (digits < length && p[digits] >= '0' && p[digits] <= '9')
		*number = *number * 10 + (uint64_t)(p[digits++] - '0');
	for (size_t i = digits; i < length; i++)
		if (p[i] != ' ')
			return false;
	return digits > 0;
}

/* The length of the text at @p, up to one of @ends, two at most, or @most bytes, or the
 * longest name. */
static size_t length_until(const uint8_t *p, size_t most, const char ends[])
{
	size_t length = 0;

	most = most < LONGEST_NAME ? most : LONGEST_NAME;
	while (length < most && p[length] && p[length] != ends[0] &&
	       (!ends[0] || p[length] != ends[1]))
		length++;
	return length;
}

/* Finds the name whose header is at @p; what BSD put before the member's bytes is cut off. */
static struct bytes find_name(const uint8_t *p, struct bytes names, struct bytes *member)
{
	struct bytes name = { p, length_until(p, NAME, "/ ") };
	uint64_t number;

	if (!memcmp(p, "#1/", 3) && read_number(p + 3, NAME - 3, &number) &&
	    bytes_slice(*member, 0, number, &name)) {
		*member = (struct bytes){ member->data + number, member->size - number };
		name.size = length_until(name.data, name.size, "");
	} else if (*p == '/' && read_number(p + 1, NAME - 1, &number) &&
		   bytes_at(names, number, 1)) {
		name.data = names.data + number;
		name.size = length_until(name.data, names.size - number, "\n");
		name.size -= name.size && name.data[name.size - 1] == '/';
	}
	return name;
}

static bool is_named(const uint8_t *p, const char *name)
{
	size_t length = strlen(name);

	return !memcmp(p, name, length) && p[length] == ' ';
}

/* Adds the member whose header is at @p, unless it is one of the tables. */
static int add_member(struct archive *archive, struct bytes bytes, const uint8_t *p,
		      struct bytes content, struct bytes *names, struct err *e)
{
	struct archive_member *member;

	if (is_named(p, "//"))
		*names = content;
	if (is_named(p, "/") || is_named(p, "//") || is_named(p, "/SYM64/"))
		return 0;
	member = array_grow(&archive->members, archive->count, sizeof(*member));
	if (!member)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	member->name = find_name(p, *names, &content);
	member->bytes = content;
	member->offset = (uint64_t)(content.data - bytes.data);
	archive->count++;
	return 0;
}

/* Finds the bytes of the member whose header is at @offset. */
static int read_header(struct bytes bytes, uint64_t offset, struct bytes *content,
		       struct err *e)
{
	const uint8_t *p = bytes_at(bytes, offset, HEADER);
	uint64_t size;

	if (!p || memcmp(p + HEADER - 2, "`\n", 2) ||
	    !read_number(p + SIZE_AT, SIZE, &size))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": expected a member of an archive",
			       offset);
	if (!bytes_slice(bytes, offset + HEADER, size, content))
		return err_set(e, GPURUN_FORMAT,
			       "offset %#" PRIx64 ": member of %" PRIu64
			       " bytes in %" PRIu64,
			       offset, size, bytes.size - offset - HEADER);
	return 0;
}

int archive_open(struct bytes bytes, struct archive **out, struct err *e)
{
	CLEANUP(free_archive) struct archive *archive = NULL;
	struct bytes names = { 0 }, content = { 0 };

	*out = NULL;
	if (!archive_sniff(bytes))
		return err_set(e, GPURUN_FORMAT, "offset 0: expected an archive");
	archive = calloc(1, sizeof(*archive));
	if (!archive)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (uint64_t offset = MAGIC; offset < bytes.size;) {
		if (read_header(bytes, offset, &content, &archive->damage))
			break;
		TRY(add_member(archive, bytes, bytes.data + offset, content, &names, e));
		offset += HEADER + content.size;
		offset += offset & 1;
	}
	*out = STEAL(archive);
	return 0;
}

void archive_free(struct archive *archive)
{
	if (!archive)
		return;
	free(archive->members);
	free(archive);
}
