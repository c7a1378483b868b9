/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which containers of which files a plan needs, and which image of each suits a device.
 */
#include "units.h"

#include "cleanup.h"
#include "options.h"
#include "tap.h"

#define IMAGES "test/data/images/"

/* A plan of a command line; both last as long as the test. */
struct planned {
	struct options options;
	struct plan plan;
};

static void planned_release(struct planned *planned)
{
	plan_release(&planned->plan);
	options_release(&planned->options);
}

static int make(struct planned *planned, char **argv, struct err *e)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	TRY(options_parse(argc, argv, &planned->options, e));
	plan_begin(&planned->options, &planned->plan);
	TRY(plan_open(&planned->plan, e));
	return plan_make(&planned->plan, e);
}

/* Two launches from one fatbin need it once; a file that only --load names is needed too.
 */
/* promise: Of a file, the parts */
static void test_find(void)
{
	CLEANUP(planned_release) struct planned planned = { 0 };
	char *argv[] = { "gpurun",   IMAGES "many.fatbin",
			 "-d",	     "cpu",
			 "--launch", "hidden",
			 "-a",	     "u64=0",
			 "--launch", "hidden",
			 "-a",	     "u64=0",
			 "--load",   "other=" IMAGES "counter.ptx",
			 NULL };
	struct plan *plan = &planned.plan;
	struct err e = { 0 };
	size_t index = 99;

	if (!CHECK_INT(make(&planned, argv, &e), 0))
		printf("# %s\n", e.text);
	REQUIRE(plan->unit_count == 2 && plan->step_count >= 2);
	CHECK_INT(plan->steps[0].launch.unit, 0);
	CHECK_INT(plan->steps[1].launch.unit, 0);
	CHECK_STR(plan->units[0].source->name, "");
	CHECK_STR(plan->units[1].source->name, "other");
	CHECK_INT(units_find(plan, plan->steps[0].launch.kernel, &index, &e), 0);
	CHECK_INT(index, 0);
	CHECK_INT(units_complete(plan, &e), 0);
	CHECK_INT(plan->unit_count, 2);
}

/* Machine code of the device comes first; the CPU device takes PTX. */
/* promise: Of a file, the parts */
static void test_bind(void)
{
	static const struct {
		struct image_target target;
		enum image_kind kind;
		unsigned arch;
	} cases[] = {
		{ { .arch = 80 }, IMAGE_CUBIN, 80 },
		{ { .arch = 89 }, IMAGE_CUBIN, 80 },
		{ { .arch = 90 }, IMAGE_CUBIN, 90 },
		{ { .arch = 110 }, IMAGE_PTX, 75 },
		{ { .arch = 90, .ptx_only = true }, IMAGE_PTX, 75 },
	};
	CLEANUP(planned_release) struct planned planned = { 0 };
	char *argv[] = { "gpurun",   IMAGES "many.fatbin",
			 "-d",	     "cpu",
			 "--launch", "hidden",
			 "-a",	     "u64=0",
			 NULL };
	struct plan *plan = &planned.plan;
	struct err e = { 0 };

	REQUIRE(!make(&planned, argv, &e) && plan->unit_count == 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP(bound_units_release) struct bound_units bound = { 0 };

		CHECK_INT(units_bind(plan, &cases[i].target, "a device", &bound, &e), 0);
		REQUIRE(bound.count == 1);
		CHECK_INT(bound.at[0].chosen->kind, cases[i].kind);
		CHECK_INT(bound.at[0].chosen->arch, cases[i].arch);
		CHECK(bound.at[0].load.size > 0);
	}
}

/* Nothing for the device: the message lists what there is. */
static void test_no_image(void)
{
	CLEANUP(planned_release) struct planned planned = { 0 };
	char *argv[] = { "gpurun",   IMAGES "kernels.90.cubin",
			 "-d",	     "cpu",
			 "--launch", "hidden",
			 "-a",	     "u64=0",
			 NULL };
	struct err e = { 0 };

	/* The plan is for the CPU device, and so already bound to it. */
	CHECK_INT(make(&planned, argv, &e), GPURUN_NO_IMAGE);
	CHECK_HAS(e.text, "no image for the CPU device; it holds sm_90 SASS");
	CHECK_HAS(e.hint, "compute_90");
}

int main(void)
{
	RUN(test_find);
	RUN(test_bind);
	RUN(test_no_image);
	return tap_end();
}
