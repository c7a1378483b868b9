/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The calls as objects of LLVM 17 to 23 make them: fewer arguments in the older ones,
 * garbage in their place, narrow values without their upper bits cleared, and the two
 * orders of grid and cluster.
 */
#include "mgpu.h"

#define GARBAGE ((size_t)0xdeadbeefdeadbeef)

static void *module, *stream, *memory;

/* The functions under the types that other objects call them by; from the library
 * itself, where the compiler does not see what they are. */
static struct {
	void *(*load_one)(const void *);
	void *(*load_jit_two)(const void *, int);
	void *(*alloc_two)(uint64_t, void *);
	void *(*alloc_wide)(uint64_t, void *, uint64_t);
	void (*launch_eleven)(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
			      int32_t, void *, void **, void **);
	void (*launch_wide)(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
			    int64_t, void *, void **, void **, size_t);
	void (*cluster_fourteen)(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
				 intptr_t, intptr_t, intptr_t, intptr_t, int32_t, void *,
				 void **, void **);
} old;

static void find_old(void)
{
	old.load_one = dlsym(RTLD_DEFAULT, "mgpuModuleLoad");
	old.load_jit_two = dlsym(RTLD_DEFAULT, "mgpuModuleLoadJIT");
	old.alloc_two = dlsym(RTLD_DEFAULT, "mgpuMemAlloc");
	old.alloc_wide = dlsym(RTLD_DEFAULT, "mgpuMemAlloc");
	old.launch_eleven = dlsym(RTLD_DEFAULT, "mgpuLaunchKernel");
	old.launch_wide = dlsym(RTLD_DEFAULT, "mgpuLaunchKernel");
	old.cluster_fourteen = dlsym(RTLD_DEFAULT, "mgpuLaunchClusterKernel");
}

static void *kernel(const char *name)
{
	return mgpuModuleGetFunction(module, name);
}

static bool is_loaded(void *loaded)
{
	bool good = loaded && mgpuModuleGetFunction(loaded, "nothing");

	mgpuModuleUnload(loaded);
	return good;
}

static void test_load(void)
{
	CHECK(is_loaded(old.load_one(kernels_ptx)));
	CHECK(is_loaded(old.load_jit_two(kernels_ptx, 2)));
	CHECK(is_loaded(mgpuModuleLoad(kernels_ptx, GARBAGE)));
	CHECK(is_loaded(mgpuModuleLoad(kernels_ptx, 1)));
	CHECK(is_loaded(mgpuModuleLoadJIT(kernels_ptx, 2, GARBAGE)));
	for (int level = 0; level < 5; level++)
		CHECK(is_loaded(mgpuModuleLoadJIT(kernels_ptx, level, 0)));
}

/* Offload binaries are told by their bytes, and their sizes by their headers. */
static void test_load_offload(void)
{
	static const char *const names[] = { "v1", "v2", "v3", "zstd", "zlib" };

	for (size_t i = 0; i < 5; i++) {
		char path[64];
		void *image, *loaded;
		size_t size;

		snprintf(path, sizeof(path), "test/data/images/vadd.%s.offload", names[i]);
		image = tap_read(path, &size);
		loaded = i % 2 ? mgpuModuleLoad(image, GARBAGE) :
				 mgpuModuleLoadJIT(image, 4, GARBAGE);
		free(image);
		CHECK(loaded && mgpuModuleGetFunction(loaded, "vadd"));
		mgpuModuleUnload(loaded);
	}
}

/* The bytes of an image may go at once. */
static void test_load_copies(void)
{
	char *copy = strdup(kernels_ptx);
	void *loaded = mgpuModuleLoad(copy, 0);

	memset(copy, 0, sizeof(kernels_ptx));
	free(copy);
	CHECK(is_loaded(loaded));
}

static void expect_84(void)
{
	if (executes())
		CHECK_INT(word_at(memory, stream), 84);
	mgpuMemset32(memory, 0, 1, stream);
	mgpuStreamSynchronize(stream);
}

static void test_launch(void)
{
	void *params[] = { &memory };

	old.launch_eleven(kernel("slow"), 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
	expect_84();
	mgpuLaunchKernel(kernel("slow"), 1, 1, 1, 1, 1, 1, 0, stream, params, NULL, GARBAGE);
	expect_84();
	/* The upper half of an int32 is anything. */
	old.launch_wide(kernel("slow"), 1, 1, 1, 1, 1, 1, (int64_t)0xdeadbeef00000000, stream, params,
		    NULL, 1);
	expect_84();
}

/* Arguments in one piece. */
static void test_extra(void)
{
	size_t size = sizeof(memory);
	void *extra[] = { (void *)1, &memory, (void *)2, &size, NULL };

	mgpuLaunchKernel(kernel("slow"), 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra, 0);
	expect_84();
}

static int is_managed(void *pointer)
{
	int managed = -1;

	OK_CU(cu.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
				       (uintptr_t)pointer));
	return managed;
}

static void check_alloc(void *pointer, int managed)
{
	REQUIRE(pointer != NULL);
	if (executes())
		CHECK_INT(is_managed(pointer), managed);
	mgpuMemset32(pointer, 5, 1, stream);
	CHECK_INT(word_at(pointer, stream), 5);
	mgpuMemFree(pointer, stream);
}

static void test_alloc(void)
{
	check_alloc(old.alloc_wide(64, stream, 0), 0);
	check_alloc(old.alloc_wide(64, stream, 1), 1);
	check_alloc(old.alloc_wide(64, stream, 0xabcdef00), 0);
	check_alloc(old.alloc_wide(64, stream, 0xabcdef01), 1);
	/* Where LLVM 17 passes nothing, whatever it gets is memory. */
	for (unsigned garbage = 0; garbage < 256; garbage += 51)
		check_alloc(old.alloc_wide(64, stream, garbage), 0);
	mgpuMemFree(old.alloc_two(64, stream), stream);
}

/* Where a kernel can tell them apart, each axis has another size. */
static void test_cluster(void)
{
	void *params[] = { &memory };

	mgpuLaunchClusterKernel(kernel("shape"), 2, 1, 2, 4, 3, 2, 5, 7, 1, 0, stream, params,
				NULL, GARBAGE);
	if (executes())
		CHECK_INT(word_at(memory, stream), 432571);
	old.cluster_fourteen(kernel("shape"), 1, 1, 1, 6, 3, 2, 1, 1, 2, 0, stream, params, NULL);
	if (executes())
		CHECK_INT(word_at(memory, stream), 632112);
}

/* size(out): *out = the axes of its cluster, as the digits of a number. */
static const char clusters_ptx[] =
	".version 7.8\n"
	".target sm_90\n"
	".address_size 64\n"
	".visible .entry size(.param .u64 out)\n"
	"{\n"
	"	.reg .b32 %r<5>;\n"
	"	.reg .b64 %d<2>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	mov.u32 %r1, %cluster_nctaid.x;\n"
	"	mov.u32 %r2, %cluster_nctaid.y;\n"
	"	mov.u32 %r3, %cluster_nctaid.z;\n"
	"	mad.lo.u32 %r4, %r1, 10, %r2;\n"
	"	mad.lo.u32 %r4, %r4, 10, %r3;\n"
	"	st.global.u32 [%d1], %r4;\n"
	"	ret;\n"
	"}\n";

static void check_cooperative(void *size, const intptr_t cluster[3], int axes)
{
	void *params[] = { &memory };

	mgpuLaunchKernelCooperative(size, 6, 3, 1, cluster[0], cluster[1], cluster[2], 4, 1, 1, 0,
				    stream, params, NULL);
	if (executes())
		CHECK_INT(word_at(memory, stream), axes);
}

/* A cluster is one where each of its axes is 1 at least: 2 divides no grid of 3. */
static void test_cooperative_cluster(void)
{
	static const struct {
		intptr_t cluster[3];
		int axes;
	} rows[] = {
		{ { 0, 0, 0 }, 111 },  { { 2, 3, 1 }, 231 }, { { 1, 1, 1 }, 111 },
		{ { 0, 2, 1 }, 111 },  { { 4, 0, 1 }, 111 }, { { 4, 2, 0 }, 111 },
		{ { -1, 1, 1 }, 111 }, { { 1, 3, 1 }, 131 },
	};
	void *clusters = mgpuModuleLoadJIT(clusters_ptx, 4, sizeof(clusters_ptx)), *size;

	REQUIRE(clusters != NULL);
	size = mgpuModuleGetFunction(clusters, "size");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_cooperative(size, rows[i].cluster, rows[i].axes);
	mgpuModuleUnload(clusters);
}

static void test_cooperative(void)
{
	void *params[] = { &memory };

	mgpuLaunchKernelCooperative(kernel("shape"), 4, 3, 2, 0, 0, 0, 5, 7, 1, 0, stream, params,
				    NULL);
	if (executes())
		CHECK_INT(word_at(memory, stream), 432571);
	mgpuLaunchKernelCooperative(kernel("shape"), 4, 3, 2, 2, 3, 1, 1, 2, 3, 0, stream, params,
				    NULL);
	if (executes())
		CHECK_INT(word_at(memory, stream), 432123);
}

int main(void)
{
	cuda_open();
	hear_stderr();
	find_old();
	module = load();
	stream = mgpuStreamCreate();
	memory = mgpuMemAlloc(4, stream, 0);
	RUN(test_load);
	RUN(test_load_offload);
	RUN(test_load_copies);
	RUN(test_launch);
	RUN(test_extra);
	RUN(test_alloc);
	RUN(test_cluster);
	RUN(test_cooperative);
	RUN(test_cooperative_cluster);
	RUN(test_silence);
	return tap_end();
}
