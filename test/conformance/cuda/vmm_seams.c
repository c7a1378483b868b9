/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Neighbouring mappings are one range for kernels, as they are for copies: every kind of access
 * over the seam of two, over thirty seams, and into a hole, which faults.
 */
#include <sys/mman.h>

#include "seams.h"
#include "seam_accesses.h"

/* One launch: from which place to which, and how far from each other those of two lanes are. */
struct way {
	ptrdiff_t to, to_step, from, from_step; /* places are offsets in a range */
	unsigned blocks, threads, pieces;       /* each block is a mapping further */
};

static char *text_of(const struct access *first, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fputs(SEAM_HEAD, file);
	for (const struct access *a = first; a < first + count; a++)
		fprintf(file, ".visible .entry copy_%s%s%s\n%s\nret;\n}\n", a->name, SEAM_START,
			a->load, a->store);
	fclose(file);
	return text;
}

static CUfunction function_of(CUmodule module, const struct access *access)
{
	char name[64];

	snprintf(name, sizeof(name), "copy_%s", access->name);
	return cuda_function(module, name);
}

static CUresult launch(CUfunction function, const struct range *to, const struct range *from,
		       const struct way *way)
{
	CUdeviceptr to_at = to->base + way->to, from_at = from->base + way->from;
	int64_t to_far = unit, to_step = way->to_step, from_far = unit, from_step = way->from_step;
	void *params[] = { &to_at, &to_far, &to_step, &from_at, &from_far, &from_step };

	return cu.cuLaunchKernel(function, way->blocks, 1, 1, way->threads, 1, 1, 0, NULL, params,
				 NULL);
}

/* The bytes around all seams of @range. */
static uint8_t *windows(const struct range *range)
{
	uint8_t *bytes = calloc(SEAMS, 2 * WINDOW);
	const CUDA_MEMCPY2D copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE,
		.srcDevice = seam(range, 0) - WINDOW,
		.srcPitch = unit,
		.dstMemoryType = CU_MEMORYTYPE_HOST,
		.dstHost = bytes,
		.dstPitch = 2 * WINDOW,
		.WidthInBytes = 2 * WINDOW,
		.Height = SEAMS,
	};

	OK_CU(cu.cuMemcpy2D(&copy));
	return bytes;
}

/* What windows() has to return after @way from a range with the pattern. */
static uint8_t *expected(const struct access *access, const struct way *way)
{
	uint8_t *bytes = calloc(SEAMS, 2 * WINDOW);

	for (unsigned b = 0; b < way->blocks; b++)
		for (unsigned p = 0; p < way->pieces; p++)
			for (unsigned i = 0; i < access->size; i++) {
				size_t far = b * unit + i;
				size_t to = far + way->to + p * way->to_step + WINDOW;
				size_t from = far + way->from + p * way->from_step;

				bytes[(to / unit - 1) * 2 * WINDOW + to % unit] = pattern(from);
			}
	return bytes;
}

static void copies(CUfunction function, const struct access *access, const struct range *to,
		   const struct range *from, const struct way *way)
{
	uint8_t *want = expected(access, way), *got;

	OK_CU(cu.cuMemsetD2D32(seam(to, 0) - WINDOW, unit, 0, 2 * WINDOW / 4, SEAMS));
	OK_CU(launch(function, to, from, way));
	if (!OK_CU(cu.cuCtxSynchronize())) {
		printf("# %s: steps %td and %td\n", access->name, way->from_step, way->to_step);
		exit(1);
	}
	got = windows(to);
	if (!CHECK(!memcmp(got, want, SEAMS * 2 * WINDOW)))
		printf("# %s: steps %td and %td\n", access->name, way->from_step, way->to_step);
	free(want);
	free(got);
}

static unsigned pieces_of(const struct access *access)
{
	return access->pieces ? access->pieces : 32;
}

/* The way whose pieces lie on both sides of the seam, by steps of that many pieces. */
static struct way over(const struct access *access, int from_step, int to_step, unsigned blocks)
{
	const ptrdiff_t size = access->size, pieces = pieces_of(access);
	const ptrdiff_t below = pieces == 1 ? 0 : pieces / 2 - 3;
	const ptrdiff_t half = pieces == 1 ? size / 2 : 0, at = (ptrdiff_t)unit - half;

	return (struct way){ .to = at - below * to_step * size,
			     .to_step = to_step * size,
			     .from = at - below * from_step * size,
			     .from_step = from_step * size,
			     .blocks = blocks,
			     .threads = access->threads ? access->threads : 32,
			     .pieces = (unsigned)pieces };
}

/* Each lane at a seam of its own, @off from it. */
static struct way each_seam(const struct access *access, ptrdiff_t off)
{
	const unsigned pieces = access->pieces ? access->pieces : SEAMS;
	const ptrdiff_t step = (ptrdiff_t)unit;

	return (struct way){ step + off, step, step + off, step, 1,
			     access->threads ? access->threads : SEAMS, pieces };
}

static void all_copies(const struct range *to, const struct range *from)
{
	char *text = text_of(accesses, ACCESSES);
	CUmodule module = module_of(text);

	free(text);
	for (const struct access *a = accesses; a < accesses + ACCESSES; a++) {
		CUfunction f = function_of(module, a);
		struct way ways[] = { over(a, 1, 1, SEAMS), over(a, 3, 1, SEAMS),
				      over(a, 1, 3, SEAMS), each_seam(a, 0),
				      each_seam(a, -(ptrdiff_t)a->size), over(a, -1, 3, SEAMS),
				      over(a, 3, -1, SEAMS) };
		/* One piece has no steps, and those of a matrix lead upwards. */
		size_t count = pieces_of(a) == 1 ? 1 : a->threads ? 5 : 7;

		for (size_t i = 0; i < count; i++)
			copies(f, a, to, from, &ways[i]);
	}
	OK_CU(cu.cuModuleUnload(module));
}

static void copies_body(void)
{
	const struct range to = range_map(SEAMS + 1, SEAMS + 1), from = range_map(SEAMS + 1, SEAMS + 1);

	range_fill(&from);
	all_copies(&to, &from);
	no_findings();
	range_unmap(&to);
	range_unmap(&from);
}

static void test_copies(void)
{
	in_child(NULL, copies_body);
}

static void test_copies_with_gpu_bounds(void)
{
	in_child("bounds=gpu", copies_body);
}

static void test_copies_without_scalars(void)
{
	in_child("scalar=0,isa=baseline,threads=1", copies_body);
}

static void test_copies_checked(void)
{
	in_child("check=all,-api", copies_body);
}

/* ---- What is no neighbour ------------------------------------------------------------- */

static const struct access *tried;
static bool to_hole;

/* One of the two ranges has a hole after its first mapping. */
static void hole_body(void)
{
	const struct range to = range_map(3, to_hole ? 1 : 3), from = range_map(3, to_hole ? 3 : 1);
	const struct way way = over(tried, 1, 1, 1);
	char *text = text_of(tried, 1);
	CUmodule module = module_of(text);

	free(text);
	OK_CU(launch(function_of(module, tried), &to, &from, &way));
	if (!CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS))
		printf("# %s, hole at its %s\n", tried->name, to_hole ? "store" : "load");
}

static void test_hole(void)
{
	for (tried = accesses; tried < accesses + ACCESSES; tried++)
		for (int side = LOADS; side <= STORES; side++) {
			to_hole = side == STORES;
			if (tried->kinds & side)
				in_child(NULL, hole_body);
		}
}

/* The upper mapping is unmapped between two launches of one kernel. */
static void unmapped_body(void)
{
	struct range to = range_map(3, 3), from = range_map(3, 3);
	const struct way way = over(&accesses[2], 1, 1, 1);
	char *text = text_of(&accesses[2], 1);
	CUfunction function = function_of(module_of(text), &accesses[2]);

	free(text);
	OK_CU(launch(function, &to, &from, &way));
	OK_CU(cu.cuCtxSynchronize());
	OK_CU(cu.cuMemUnmap(from.base + unit, unit));
	OK_CU(launch(function, &to, &from, &way));
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* A mapping to which no device has been given access is there, but for no access. */
static void closed_body(void)
{
	const struct range to = range_map(3, 3), from = range_map(3, 3);
	const struct way way = over(&accesses[2], 1, 1, 1);
	CUmemAccessDesc none = seam_access;
	char *text = text_of(&accesses[2], 1);

	none.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	OK_CU(cu.cuMemSetAccess(from.base + unit, unit, &none, 1));
	OK_CU(launch(function_of(module_of(text), &accesses[2]), &to, &from, &way));
	CHECK_CU(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	free(text);
}

static void test_gone(void)
{
	in_child(NULL, unmapped_body);
	in_child(NULL, closed_body);
}

/* A range that grows, shrinks and grows again between launches. */
static void grow_body(void)
{
	struct range to = range_map(SEAMS + 1, SEAMS + 1), from = range_map(SEAMS + 1, 1);
	const struct way way = over(&accesses[2], 1, 1, 1);
	char *text = text_of(&accesses[2], 1);
	CUfunction function = function_of(module_of(text), &accesses[2]);

	free(text);
	for (int i = 0; i < 3; i++) {
		map_one(&from, 1);
		from.hole = from.count;
		range_fill(&from);
		copies(function, &accesses[2], &to, &from, &way);
		OK_CU(cu.cuMemUnmap(from.base + unit, unit));
	}
}

static void test_grows(void)
{
	in_child(NULL, grow_body);
}

/* ---- Registered memory ---------------------------------------------------------------- */

/* Memory of the host, registered in pieces that are neighbours. */
static void registered_body(void)
{
	enum { PIECES = 4 };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct access *a = &accesses[2];
	char *text = text_of(a, 1);
	CUfunction function = function_of(module_of(text), a);
	uint8_t *host = mmap(NULL, PIECES * page, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct range to = range_map(2, 2), from = { (CUdeviceptr)host, 0, 0 };
	unsigned got[32];

	free(text);
	for (int i = 0; i < PIECES; i++)
		OK_CU(cu.cuMemHostRegister(host + i * page, page, CU_MEMHOSTALLOC_DEVICEMAP));
	for (size_t i = 0; i < PIECES * page; i++)
		host[i] = pattern(i);
	for (size_t s = page; s < PIECES * page; s += page) {
		struct way way = over(a, 1, 1, 1);

		way.from += (ptrdiff_t)s - (ptrdiff_t)unit;
		OK_CU(launch(function, &to, &from, &way));
		OK_CU(cu.cuCtxSynchronize());
		OK_CU(cu.cuMemcpyDtoH(got, to.base + way.to, sizeof(got)));
		CHECK(!memcmp(got, host + way.from, sizeof(got)));
		OK_CU(launch(function, &from, &to, &(struct way){ way.from, 4, way.to, 4, 1, 32, 32 }));
		OK_CU(cu.cuCtxSynchronize());
		CHECK(!memcmp(got, host + way.from, sizeof(got)));
	}
	for (int i = 0; i < PIECES; i++)
		OK_CU(cu.cuMemHostUnregister(host + i * page));
	range_unmap(&to);
	no_findings();
}

static void test_registered(void)
{
	in_child(NULL, registered_body);
	in_child("check=all,-api", registered_body);
}

int main(void)
{
	RUN(test_copies);
	RUN(test_copies_with_gpu_bounds);
	RUN(test_copies_without_scalars);
	RUN(test_copies_checked);
	RUN(test_hole);
	RUN(test_gone);
	RUN(test_grows);
	RUN(test_registered);
	return tap_end();
}
