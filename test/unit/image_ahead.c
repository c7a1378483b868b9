/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads have read ahead is what one thread finds, in the same order. */
#include "image_ahead.h"
#include "lookup.h"
#include "tap.h"

#include <sched.h>

enum { TEXTS = 3000, MOST = 2 * TEXTS };

/* Texts of one or two kernels. */
static struct bytes make_texts(void)
{
	static char data[TEXTS * 256];
	size_t size = 1;

	data[0] = 'x';
	for (int i = 0; i < TEXTS; i++) {
		size += (size_t)sprintf(data + size, ".version 8.0\n.target sm_75\n"
				".extern .shared .b8 s[];\n"
				".visible .entry k%d() { mov.u32 %%r1, s; }\n", i);
		if (i % 3 == 0)
			size += (size_t)sprintf(data + size,
						".entry also%d(.param .u64 p) { ret; }\n", i);
		data[size++] = '\0';
	}
	return (struct bytes){ (const uint8_t *)data, size };
}

struct seen {
	char names[MOST][16];
	size_t count, most;
};

static bool see(const struct lookup *lookup, void *data)
{
	struct seen *seen = data;

	for (size_t i = 0; i < lookup->count && seen->count < MOST; i++)
		snprintf(seen->names[seen->count++], 16, "%s%s", lookup->kernels[i].name,
			 lookup->kernels[i].info->dynamic_shared ? "+" : "");
	return seen->count < seen->most;
}

static void visit(struct image_file *file, struct seen *seen, size_t most)
{
	struct err e = { 0 };

	*seen = (struct seen){ .most = most };
	CHECK_INT(lookup_each("", file, NULL, see, seen, &e), 0);
}

static void use_one_processor(cpu_set_t *old)
{
	cpu_set_t one;

	CHECK_INT(sched_getaffinity(0, sizeof(*old), old), 0);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, old))
			CPU_SET(i, &one);
	CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void test_order(void)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	static struct seen alone, ahead;
	struct image_ahead *threads;
	struct err e = { 0 };
	cpu_set_t old;

	CHECK_INT(image_file_read(make_texts(), "texts", &file, &e), 0);
	CHECK_INT(image_count(file), TEXTS);
	use_one_processor(&old);
	image_ahead_start(file, NULL, &threads);
	CHECK(!threads);
	visit(file, &alone, MOST);
	CHECK_INT(sched_setaffinity(0, sizeof(old), &old), 0);
	CHECK_INT(alone.count, TEXTS + TEXTS / 3);
	CHECK_STR(alone.names[0], "k0+");
	CHECK_STR(alone.names[1], "also0");
	for (int i = 0; i < 3; i++) {
		visit(file, &ahead, MOST);
		CHECK_INT(ahead.count, alone.count);
		CHECK_INT(memcmp(ahead.names, alone.names, sizeof(alone.names)), 0);
	}
}

/* The list ends early; the threads end, and what they had read is found as before. */
static void test_end(void)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	static struct seen seen;
	struct err e = { 0 };

	CHECK_INT(image_file_read(make_texts(), "texts", &file, &e), 0);
	for (size_t most = 1; most < 400; most += 57) {
		visit(file, &seen, most);
		CHECK(seen.count >= most && seen.count < most + 2);
		CHECK_STR(seen.names[0], "k0+");
	}
	visit(file, &seen, MOST);
	CHECK_INT(seen.count, TEXTS + TEXTS / 3);
}

/* Some images are not wanted: those are not read. */
static void test_wanted(void)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	static struct seen seen;
	static bool wanted[TEXTS];
	struct err e = { 0 };

	wanted[1] = wanted[100] = wanted[TEXTS - 1] = true;
	CHECK_INT(image_file_read(make_texts(), "texts", &file, &e), 0);
	seen = (struct seen){ .most = MOST };
	CHECK_INT(lookup_each("", file, wanted, see, &seen, &e), 0);
	CHECK_INT(seen.count, 3);
	CHECK_STR(seen.names[1], "k100+");
}

int main(void)
{
	RUN(test_order);
	RUN(test_end);
	RUN(test_wanted);
	return tap_end();
}
