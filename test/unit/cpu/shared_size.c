/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The special registers about the size of shared memory, and about its part that is the system's. */
#include "grid.h"
#include "tap.h"

enum { VALUES = 7, RESERVED = 1024 };

#define STORE(name, at) "mov.u32 %r1, %" name "; st.global.u32 [%rd1+" at "], %r1;\n"
#define ENTRY(name)                                                                        \
	".visible .entry " name "(.param .u64 out) {\n"                                    \
	".reg .b32 %r<2>; .reg .b64 %rd<2>;\n"                                             \
	"ld.param.u64 %rd1, [out];\n"                                                      \
	STORE("total_smem_size", "0") STORE("aggr_smem_size", "4")

static const char text[] =
	".version 8.5\n.target sm_90\n.address_size 64\n"
	".extern .shared .align 4 .b8 own[];\n"
	ENTRY("plain") "ret; }\n"
	ENTRY("reserved")
	STORE("reserved_smem_offset_begin", "8") STORE("reserved_smem_offset_0", "12")
	STORE("reserved_smem_offset_1", "16") STORE("reserved_smem_offset_end", "20")
	STORE("reserved_smem_offset_cap", "24") "ret; }\n"
	ENTRY("begin") STORE("reserved_smem_offset_begin", "8") "ret; }\n"
	ENTRY("first") STORE("reserved_smem_offset_0", "8") "ret; }\n"
	ENTRY("second") STORE("reserved_smem_offset_1", "8") "ret; }\n"
	ENTRY("end") STORE("reserved_smem_offset_end", "8") "ret; }\n"
	ENTRY("cap") STORE("reserved_smem_offset_cap", "8") "ret; }\n";

static struct program *program;

static void check(const char *name, uint32_t dynamic, const uint32_t want[VALUES])
{
	uint32_t *out = device_alloc(VALUES * sizeof(*out));
	const struct kernel *kernel;

	REQUIRE(!program_kernel(program, name, &kernel, NULL));
	REQUIRE(CHECK_INT(run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 1, 1, 1 },
				   dynamic, &out), 0));
	for (size_t i = 0; i < VALUES; i++)
		if (!CHECK_INT(out[i], want[i]))
			printf("#   value %zu of %s with %u bytes\n", i, name, dynamic);
}

static void test_plain(void)
{
	for (uint32_t size = 0; size <= 64; size++)
		check("plain", size, (uint32_t[VALUES]){ size, size });
}

/* The system's part begins at the next multiple of 16. */
static void test_reserved(void)
{
	for (uint32_t size = 0; size <= 64; size++) {
		const uint32_t begin = (size + 15) / 16 * 16, end = begin + RESERVED;

		check("reserved", size,
		      (uint32_t[VALUES]){ begin, end, begin, begin, begin, end, end });
	}
}

/* A kernel that reads one register about that part has it. */
static void test_each(void)
{
	static const char *const begin[] = { "begin", "first", "second" };
	static const char *const end[] = { "end", "cap" };

	for (size_t i = 0; i < 3; i++)
		check(begin[i], 20, (uint32_t[VALUES]){ 32, 32 + RESERVED, 32 });
	for (size_t i = 0; i < 2; i++)
		check(end[i], 20, (uint32_t[VALUES]){ 32, 32 + RESERVED, 32 + RESERVED });
}

int main(void)
{
	struct err e = { 0 };

	if (config_init(&e))
		abort();
	config.memory = 64 << 20;
	if (program_load((struct bytes){ (const uint8_t *)text, sizeof(text) - 1 }, &program, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	RUN(test_plain);
	RUN(test_reserved);
	RUN(test_each);
	program_free(program);
	return tap_end();
}
