/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "archive.h"
#include "fixture.h"

/* "!<arch>\n" and members, as make() puts them together. */
struct text {
	char data[8192];
	size_t size;
};

static struct text make(void)
{
	struct text text = { "!<arch>\n", 8 };

	return text;
}

static void add(struct text *text, const char *name, const char *content)
{
	size_t size = strlen(content);

	text->size += (size_t)snprintf(text->data + text->size,
				       sizeof(text->data) - text->size,
				       "%-16s%-12d%-6d%-6d%-8o%-10zu`\n%s%s", name, 0, 0, 0,
				       0644, size, content, size % 2 ? "\n" : "");
}

static struct archive *open_text(const struct text *text)
{
	struct archive *archive = NULL;
	struct bytes bytes = { (const uint8_t *)text->data, text->size };

	CHECK(archive_sniff(bytes));
	CHECK_INT(archive_open(bytes, &archive, NULL), 0);
	return archive;
}

static void check_member(const struct archive *archive, size_t index, const char *name,
			 const char *content)
{
	const struct archive_member *member = &archive->members[index];

	CHECK_INT(member->name.size, strlen(name));
	CHECK(!memcmp(member->name.data, name, strlen(name)));
	CHECK_INT(member->bytes.size, strlen(content));
	CHECK(!memcmp(member->bytes.data, content, strlen(content)));
}

static void test_gnu(void)
{
	CLEANUP(free_archive) struct archive *archive = NULL;
	struct text text = make();

	add(&text, "/", "symbols");
	add(&text, "/SYM64/", "more");
	add(&text, "//", "a/long name of one.o/\na long name of two.o/\n");
	add(&text, "one.o/", "123");
	add(&text, "/0", "4567");
	add(&text, "/22", "");
	add(&text, "/99", "89");
	archive = open_text(&text);
	CHECK_INT(archive->damage.code, 0);
	REQUIRE(CHECK_INT(archive->count, 4));
	check_member(archive, 0, "one.o", "123");
	check_member(archive, 1, "a/long name of one.o", "4567");
	check_member(archive, 2, "a long name of two.o", "");
	/* A name that is nowhere is no reason to leave a member out. */
	check_member(archive, 3, "", "89");
}

static void test_bsd(void)
{
	CLEANUP(free_archive) struct archive *archive = NULL;
	struct text text = make();

	add(&text, "#1/8", "long n.o123");
	add(&text, "one.o", "456");
	add(&text, "#1/9", "short");
	archive = open_text(&text);
	REQUIRE(CHECK_INT(archive->count, 3));
	check_member(archive, 0, "long n.o", "123");
	check_member(archive, 1, "one.o", "456");
	check_member(archive, 2, "#1", "short");
	CHECK_INT(archive->members[0].offset, 8 + 60 + 8);
}

/* Many members may share one name: it is cut, and not copied for each of them. */
static void test_endless_names(void)
{
	CLEANUP(free_archive) struct archive *archive = NULL;
	char names[2048] = "", bsd[2048] = "";
	struct text text = make();

	memset(names, 'n', sizeof(names) - 1);
	memset(bsd, 'b', sizeof(bsd) - 1);
	memcpy(bsd + 2000, "12", 3);
	add(&text, "//", names);
	add(&text, "/0", "3");
	add(&text, "#1/2000", bsd);
	archive = open_text(&text);
	CHECK_INT(archive->damage.code, 0);
	REQUIRE(CHECK_INT(archive->count, 2));
	CHECK_INT(archive->members[0].name.size, 1024);
	CHECK_INT(archive->members[1].name.size, 1024);
	CHECK(archive->members[0].name.data == (const uint8_t *)text.data + 8 + 60);
	CHECK(!memcmp(archive->members[1].bytes.data, "12", 2));
}

static void test_damaged(void)
{
	CLEANUP(free_archive) struct archive *cut = NULL, *sized = NULL, *ended = NULL;
	struct text text = make(), other;

	add(&text, "one.o/", "123");
	add(&text, "two.o/", "456");
	other = text;
	other.size -= 10;
	cut = open_text(&other);
	CHECK_INT(cut->count, 1);
	CHECK_STR(cut->damage.text, "offset 0x48: expected a member of an archive");
	other = text;
	memcpy(other.data + 72 + 48, "x", 1);
	sized = open_text(&other);
	CHECK_INT(sized->count, 1);
	CHECK_HAS(sized->damage.text, "offset 0x48: expected a member");
	other = text;
	memcpy(other.data + 72 + 48, "9999999999", 10);
	ended = open_text(&other);
	CHECK_INT(ended->count, 1);
	CHECK_STR(ended->damage.text, "offset 0x48: member of 9999999999 bytes in 4");
}

static void test_none(void)
{
	struct archive *archive;
	struct err e = { 0 };

	CHECK_INT(archive_open((struct bytes){ (const uint8_t *)"!<thin>\n", 8 }, &archive,
			       &e),
		  GPURUN_FORMAT);
	CHECK(!archive);
	CHECK_STR(e.text, "offset 0: expected an archive");
}

int main(void)
{
	RUN(test_gnu);
	RUN(test_bsd);
	RUN(test_endless_names);
	RUN(test_damaged);
	RUN(test_none);
	return tap_end();
}
