/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of CUDA's runtime interface: steps.h has its commands. It registers an
 * image and launches as the code does that nvcc and clang make.
 */
#include "cudart_use.h"

#include "kernels.h"
#include "steps.h"

static const char *const names[] = {
	"nothing", "fill",    "unset", "far",     "crooked", "eighty",
	"trap",    "asserts", "small", "dynamic", "pairs",   "absent",
	"_Z4tileIfEvPT_",
};

enum { NAMES = sizeof(names) / sizeof(names[0]), WORDS = 16 };

/* A fatbin of one entry: lib/image/fatbin.c has its layout. Options are said to be there, as nvcc does:
 * NVIDIA's library reads them. */
struct fatbin {
	uint32_t magic;
	uint16_t version, header;
	uint64_t size;
	uint16_t kind, entry_version;
	uint32_t entry_header;
	uint64_t padded;
	uint32_t compressed, options_at;
	uint16_t minor, major;
	uint32_t sm, name, name_length;
	uint64_t flags, key, decompressed;
	uint32_t options, options_length;
	uint64_t option_text;
	char bytes[];
};

static struct fatbin_wrapper wrappers[4];
static void **handles[4];
static unsigned images;
static char stubs[4][NAMES]; /* addresses that stand for kernels */
static char missing_variable;
static void *memory;
static cudaStream_t stream;
static cudaEvent_t event;

/* ---- Images ------------------------------------------------------------------------- */

static void unregister(void)
{
	while (images)
		__cudaUnregisterFatBinary(handles[--images]);
}

static void register_bytes(unsigned kind, unsigned sm, const void *bytes, size_t size)
{
	const size_t padded = (size + 7) / 8 * 8;
	struct fatbin *fatbin = calloc(1, sizeof(*fatbin) + padded);

	if (images == 4 || !fatbin)
		wrong("image");
	*fatbin = (struct fatbin){
		.magic = 0xBA55ED50, .version = 1, .header = 16,
		.size = sizeof(*fatbin) - 16 + padded, .kind = (uint16_t)kind,
		.entry_version = 0x101, .entry_header = sizeof(*fatbin) - 16, .padded = padded,
		.options_at = offsetof(struct fatbin, options) - 16, .options = sizeof(*fatbin) - 24,
		.major = 7, .minor = 8, .sm = sm, .flags = 0x11,
	};
	memcpy(fatbin->bytes, bytes, size);
	wrappers[images] = (struct fatbin_wrapper){ FATBIN_WRAPPER_MAGIC, 1, fatbin, NULL };
	handles[images] = __cudaRegisterFatBinary(&wrappers[images]);
	for (size_t i = 0; i < NAMES; i++)
		__cudaRegisterFunction(handles[images], &stubs[images][i], (char *)names[i],
				       names[i], -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(handles[images], &missing_variable, (char *)"missing", "missing", 0, 4,
			  0, 0);
	__cudaRegisterFatBinaryEnd(handles[images++]);
}

/* ptx: the kernels here; newer: for a GPU that comes later than the device; FILE: machine code. */
static void image(const char *what)
{
	size_t size;
	void *code;

	if (!strcmp(what, "ptx")) {
		register_bytes(1, 90, ptx, sizeof(ptx));
	} else if (!strcmp(what, "newer")) {
		register_bytes(1, 120, newer, sizeof(newer));
	} else {
		code = file_read(what, &size);
		register_bytes(2, strstr(what, ".75.") ? 75 : 90, code, size);
		free(code);
	}
}

/* ---- Launches ----------------------------------------------------------------------- */

static char *stub_of(const char *name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (!strcmp(names[i], name))
			return &stubs[images - 1][i];
	wrong(name);
	return NULL;
}

static cudaStream_t stream_of(const struct shape *s)
{
	return s->bad_stream ? (cudaStream_t)0x1234 : stream;
}

/* As the code of NAME<<<...>>>(memory) does, by @launch: what fails is not told. */
static void launch_by(const char *what,
		      cudaError_t (*by)(const void *, dim3, dim3, void **, size_t, cudaStream_t))
{
	const struct shape s = shape(what);
	dim3 grid = { s.grid, 1, 1 }, block = { s.block, 1, 1 };
	void *args[] = { &memory };
	cudaStream_t on = stream_of(&s);
	size_t shared = s.shared;

	if (__cudaPushCallConfiguration(grid, block, shared, on) ||
	    __cudaPopCallConfiguration(&grid, &block, &shared, &on))
		return;
	by(stub_of(s.kernel), grid, block, args, shared, on);
}

/* clang, and nvcc before CUDA 13 */
static void launch(const char *what)
{
	launch_by(what, cudaLaunchKernel);
}

/* The same with --default-stream per-thread. */
static void launch_ptsz(const char *what)
{
	launch_by(what, cudaLaunchKernel_ptsz);
}

static cudaError_t by_handle(const void *stub, dim3 grid, dim3 block, void **args, size_t shared,
			     cudaStream_t on)
{
	cudaKernel_t kernel = NULL;

	__cudaGetKernel(&kernel, stub);
	return __cudaLaunchKernel(kernel, grid, block, args, shared, on);
}

/* nvcc of CUDA 13 */
static void launch13(const char *what)
{
	launch_by(what, by_handle);
}

static cudaError_t by_handle_ptsz(const void *stub, dim3 grid, dim3 block, void **args,
				  size_t shared, cudaStream_t on)
{
	cudaKernel_t kernel = NULL;

	__cudaGetKernel(&kernel, stub);
	return __cudaLaunchKernel_ptsz(kernel, grid, block, args, shared, on);
}

static void launch13_ptsz(const char *what)
{
	launch_by(what, by_handle_ptsz);
}

/* The program calls the function itself. */
static void call(const char *what)
{
	const struct shape s = shape(what);
	void *args[] = { &memory };

	told("call", cudaLaunchKernel(stub_of(s.kernel), (dim3){ s.grid, 1, 1 },
				      (dim3){ s.block, 1, 1 }, args, s.shared, stream_of(&s)));
}

static void call_cluster(const char *what)
{
	const struct shape s = shape(what);
	void *args[] = { &memory };
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
	cudaLaunchConfig_t config = { { s.grid, 1, 1 }, { s.block, 1, 1 }, s.shared, stream_of(&s),
				      &attribute, 1 };

	attribute.value.clusterDim.x = s.cluster;
	attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
	told("call_cluster", cudaLaunchKernelExC(&config, stub_of(s.kernel), args));
}

/* ---- Other calls -------------------------------------------------------------------- */

static void synchronize(const char *what)
{
	(void)what;
	told("sync", cudaDeviceSynchronize());
}

static void allocate(const char *what)
{
	told("malloc", cudaMalloc(&memory, *what ? strtoull(what, NULL, 0) : 4 * WORDS));
}

/* The host uses the memory as its own. */
static void use(const char *what)
{
	volatile char *byte = (volatile char *)memory + 5;

	if (!strcmp(what, "write"))
		*byte = 1;
	else
		printf("read %d\n", *byte);
}

/* once; bad: what was not allocated; null: no memory, which is allowed */
static void release(const char *what)
{
	if (!*what)
		told("free", cudaFree(memory));
	else
		told("free", cudaFree(!strcmp(what, "bad") ? (void *)0x77 : NULL));
}

static void copy(const char *what)
{
	int words[WORDS];
	const bool kind = !strcmp(what, "kind"), from = !strcmp(what, "null");

	told("copy", cudaMemcpy(words, from ? NULL : memory, sizeof(words),
				kind ? (enum cudaMemcpyKind)9 : cudaMemcpyDeviceToHost));
}

static void fill_null(const char *what)
{
	(void)what;
	told("memset", cudaMemset(NULL, 0, 4));
}

static void set_device(const char *what)
{
	told("device", cudaSetDevice(atoi(what)));
}

static void last(const char *what)
{
	(void)what;
	told("last", cudaGetLastError());
}

static void peek(const char *what)
{
	(void)what;
	told("peek", cudaPeekAtLastError());
}

/* Of a number, which no call has to have returned. */
static void name(const char *what)
{
	printf("%s\n", cudaGetErrorName((cudaError_t)atoi(what)));
	fflush(stdout);
}

static void text(const char *what)
{
	printf("%s\n", cudaGetErrorString((cudaError_t)atoi(what)));
	fflush(stdout);
}

static void reset(const char *what)
{
	(void)what;
	told("reset", cudaDeviceReset());
}

static void make_stream(const char *what)
{
	(void)what;
	told("stream", cudaStreamCreate(&stream));
}

static void destroy_stream(const char *what)
{
	(void)what;
	told("stream_destroy", cudaStreamDestroy(stream));
	stream = NULL;
}

static void peer(const char *what)
{
	told("peer", cudaDeviceEnablePeerAccess(atoi(what), 0));
}

/* Of a variable of the program's own. */
static void pointer(const char *what)
{
	struct cudaPointerAttributes attributes = { .device = 0 };

	(void)what;
	told("pointer", cudaPointerGetAttributes(&attributes, &attributes));
}

static void symbol(const char *what)
{
	void *address;

	(void)what;
	told("symbol", cudaGetSymbolAddress(&address, &missing_variable));
}

static void attributes(const char *what)
{
	struct cudaFuncAttributes attributes;

	told("attributes", cudaFuncGetAttributes(&attributes, stub_of(what)));
}

/* ---- What is not ready -------------------------------------------------------------- */

static volatile int hold;

static void wait_held(void *unused)
{
	(void)unused;
	while (hold)
		usleep(100);
}

/* Asks for a stream or an event that is not ready, until it is. */
static void poll_until_ready(const char *what)
{
	const bool by_event = !strcmp(what, "event");
	cudaError_t ready;

	told("event", cudaEventCreate(&event));
	hold = 1;
	told("host", cudaLaunchHostFunc(stream, wait_held, NULL));
	told("record", cudaEventRecord(event, stream));
	for (int asked = 0;; asked++) {
		ready = by_event ? cudaEventQuery(event) : cudaStreamQuery(stream);
		if (ready != cudaErrorNotReady)
			break;
		if (!asked)
			told("query", (int)ready);
		hold = 0;
	}
	told("at last", (int)ready);
	told("event_destroy", cudaEventDestroy(event));
}

/* ---- What programs try until it works ----------------------------------------------- */

static void tune_threads(const char *what)
{
	char shape[32];

	(void)what;
	for (unsigned threads = 4096; threads; threads /= 2) {
		snprintf(shape, sizeof(shape), "nothing,b=%u", threads);
		launch(shape);
		if (!cudaGetLastError())
			break;
	}
}

static void tune_shared(const char *what)
{
	char *stub = stub_of("dynamic");

	(void)what;
	for (int size = 1 << 20; size; size /= 2) {
		if (cudaFuncSetAttribute(stub, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
					 size))
			continue;
		if (!cudaLaunchKernel(stub, (dim3){ 1, 1, 1 }, (dim3){ 32, 1, 1 }, NULL,
				      (size_t)size, NULL))
			break;
	}
	cudaGetLastError();
}

static void tune_memory(const char *what)
{
	size_t size = (size_t)1 << 50;

	(void)what;
	while (size && cudaMalloc(&memory, size))
		size = size > 1 << 20 ? 1 << 20 : size / 2;
	told("last", cudaGetLastError());
}

static const struct step steps[] = {
	{ "image", image },
	{ "launch", launch },
	{ "launch_ptsz", launch_ptsz },
	{ "launch13", launch13 },
	{ "launch13_ptsz", launch13_ptsz },
	{ "call", call },
	{ "call_cluster", call_cluster },
	{ "sync", synchronize },
	{ "malloc", allocate },
	{ "use", use },
	{ "free", release },
	{ "copy", copy },
	{ "memset", fill_null },
	{ "device", set_device },
	{ "last", last },
	{ "peek", peek },
	{ "name", name },
	{ "text", text },
	{ "reset", reset },
	{ "stream", make_stream },
	{ "stream_destroy", destroy_stream },
	{ "peer", peer },
	{ "pointer", pointer },
	{ "symbol", symbol },
	{ "attributes", attributes },
	{ "poll", poll_until_ready },
	{ "tune_threads", tune_threads },
	{ "tune_shared", tune_shared },
	{ "tune_memory", tune_memory },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	if (argc < 2 || strncmp(argv[1], "image:", 6) != 0)
		image("ptx");
	atexit(unregister);
	return run_program(steps, argc, argv);
}
