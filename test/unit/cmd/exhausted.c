/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A command line is parsed and planned again and again, with one allocation more that succeeds,
 * until it is: each failure before is reported as that, and leaves nothing behind (a build with the
 * address sanitizer looks). The linker leads the allocations here (--wrap).
 */
#include "plan.h"

#include <unistd.h>

#include "cleanup.h"
#include "options.h"
#include "tap.h"

/* The linker has libgpurun's allocations in mind as well, though they stay as they are. */
#define WRAPPED __attribute__((visibility("default")))

static int left = -1; /* allocations that succeed before one fails; negative: all do */

static bool fails(void)
{
	return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t size);
WRAPPED void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
WRAPPED void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *old, size_t size);
WRAPPED void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__real_reallocarray(void *old, size_t count, size_t size);
WRAPPED void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

char *__real_strdup(const char *text);
WRAPPED char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

/* A command line with something of everything that is allocated. */
static const char text[] = "test/data/images/many.fatbin\n"
			   "-d cpu\n"
			   "--load other=test/data/images/counter.ptx\n"
			   "--buf x=f32:64:iota\n"
			   "--buf y=f32:64\n"
			   "--fill x=zero\n"
			   "--copy y=x\n"
			   "--launch hidden\n"
			   "-a ptrs:x,y,null\n"
			   "--event done\n"
			   "--launch hidden\n"
			   "-a x+1\n"
			   "--stream s1\n"
			   "--after done\n"
			   "--expect y=x\n"
			   "--out y=/tmp/gpurun-exhausted.npy\n"
			   "--set given=fill=3\n"
			   "--get counter=u32:1\n"
			   "--untyped\n"
			   "--seed 7\n";

static int parse(const char *path, struct options *options, struct plan *plan, struct err *e)
{
	char file[80], *argv[] = { "gpurun", file, "-f", NULL };

	snprintf(file, sizeof(file), "@%s", path);
	TRY(options_parse(3, argv, options, e));
	plan_begin(options, plan);
	TRY(plan_open(plan, e));
	return plan_make(plan, e);
}

static int parse_with(const char *path, int allocations, struct err *e)
{
	CLEANUP(options_release) struct options options = { 0 };
	CLEANUP(plan_release) struct plan plan = { 0 };
	int status;

	left = allocations;
	status = parse(path, &options, &plan, e);
	left = -1;
	if (!status) {
		CHECK_INT(plan.step_count, options.action_count);
		CHECK_INT(plan.unit_count, 2);
		CHECK_INT(plan.seed, 7);
	}
	return status;
}

static void test_plan(void)
{
	char path[] = "/tmp/gpurun-exhausted-XXXXXX";
	int fd = mkstemp(path), status = GPURUN_NO_MEMORY, failed = 0;

	REQUIRE(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
	while (status == GPURUN_NO_MEMORY && failed < 1000) {
		struct err e = { 0 };

		status = parse_with(path, failed, &e);
		failed += status != 0;
		if (status && (status != GPURUN_NO_MEMORY || e.code != GPURUN_NO_MEMORY ||
			       !strstr(e.text, "memory")))
			printf("# after %d allocations: %s\n", failed - 1, e.text);
	}
	CHECK_INT(status, 0);
	CHECK(failed > 50);
	unlink(path);
}

int main(void)
{
	RUN(test_plan);
	return tap_end();
}
