/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_facts.h"

#include "tap.h"

/* What is read of PTX with @variables, for the CPU device. */
static struct image_facts read_facts(const char *variables)
{
	struct device device = { .info = { .kind = GPURUN_DEVICE_CPU } };
	struct image_facts facts;
	char text[2048];

	snprintf(text, sizeof(text), ".version 8.0\n.target sm_70\n.address_size 64\n"
		 ".func f() { ret; }\n%s\n.visible .entry k() { ret; }\n", variables);
	CHECK_INT(image_facts_read(&device, (struct bytes){ (uint8_t *)text, strlen(text) },
				   &facts, NULL), 0);
	return facts;
}

/* The ends of the names of @role, in their order. */
static void check_order(const char *variables, enum image_role role, const char *wanted)
{
	CLEANUP(image_facts_release) struct image_facts facts = read_facts(variables);
	char got[256] = "";

	for (size_t i = 0; i < facts.roles[role].count; i++) {
		const char *name = facts.roles[role].items[i].text;

		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ",
			 name + strcspn(name, "ABCDEFG"));
	}
	CHECK_STR(got, wanted);
}

/* By the number, not by its digits; equal ones as they stand; what has none is last. */
static void test_priorities(void)
{
	check_order(".const .u64 __init_array_object_B_h_65535 = f;\n"
		    ".const .u64 __init_array_object_C_h_9 = f;\n"
		    ".const .u64 __init_array_object_A_h_x = f;\n"
		    ".const .u64 __init_array_object_E_h_10 = f;\n"
		    ".const .u64 __init_array_object_D_h_10 = f;\n"
		    ".const .u64 __init_array_object_F_h_ = f;\n"
		    ".const .u64 __init_array_object_G_h_99999999999999999999 = f;\n",
		    ROLE_INIT, "C_h_9 E_h_10 D_h_10 B_h_65535 A_h_x F_h_ "
			       "G_h_99999999999999999999 ");
	check_order(".const .u64 __fini_array_object_B_h_2 = f;\n"
		    ".const .u64 __init_array_object_C_h_1 = f;\n", ROLE_FINI, "B_h_2 ");
}

static void test_profile(void)
{
	const char *variables = ".global .u64 __profc_B;\n.global .u64 __profc_A;\n"
				".global .b8 __profd_A[64];\n"
				".global .b8 __llvm_prf_nm[3];\n"
				".global .b8 __llvm_prf_nm_of_mine[3];\n"
				".global .u64 __llvm_profile_raw_version;\n";

	check_order(variables, ROLE_COUNTERS, "A B ");
	check_order(variables, ROLE_DATA, "A ");
	check_order(variables, ROLE_NAMES, " ");
	check_order(variables, ROLE_VERSION, " ");
	check_order(variables, ROLE_INIT, "");
}

static void test_variables(void)
{
	CHECK(!read_facts("").variables);
	CHECK(!read_facts(".shared .u32 a;").variables);
	CHECK(read_facts(".global .u32 a;").variables);
}

/* What cannot be read, or could not be run, may have anything. */
static void test_unknown(void)
{
	struct device device = { .info = { .kind = GPURUN_DEVICE_CPU } };
	static const char *const texts[] = { "", "no image", "\177ELF",
					     ".version 8.0\n.target sm_70\n.what is this" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CLEANUP(image_facts_release) struct image_facts facts = { 0 };
		struct bytes bytes = { (const uint8_t *)texts[i], strlen(texts[i]) };

		CHECK_INT(image_facts_read(&device, bytes, &facts, NULL), 0);
		CHECK(facts.variables);
	}
}

int main(void)
{
	RUN(test_priorities);
	RUN(test_profile);
	RUN(test_variables);
	RUN(test_unknown);
	return tap_end();
}
