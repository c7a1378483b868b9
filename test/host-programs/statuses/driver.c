/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program of CUDA's driver interface: steps.h has its commands. It opens the
 * driver; "asked" has it find the calls by cuGetProcAddress from then on. All it has begins with
 * "init", which makes the primary context current, or "create", one of its own.
 */
#include <dlfcn.h>

#include "cuda_abi.h"
#include "kernels.h"
#include "steps.h"

static struct {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
} cu;

static void *library;
static CUcontext context;
static CUmodule module;
static CUstream stream;
static CUevent event;
static CUdeviceptr memory;

/* ---- The driver --------------------------------------------------------------------- */

static void open_driver(const char *what)
{
	(void)what;
	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library)
		wrong("libcuda.so.1");
#define CUDA_API(name, symbol, need, params, args) cu.name = dlsym(library, symbol);
#include "cuda_api.def"
}

static void close_driver(const char *what)
{
	(void)what;
	dlclose(library);
}

/* In the form that a row of the table is: the one of the version that brought it. */
static void ask(const char *name, void *call, int version)
{
	void *found = NULL;

	if (!strstr(name, "_v") && !cu.cuGetProcAddress(name, &found, version, 0, NULL) && found)
		memcpy(call, &found, sizeof(found));
}

#define REQUIRED(since) since
#define OPTIONAL(since) since
#define OTHER(since) since

static void asked(const char *what)
{
	(void)what;
#define CUDA_API(name, symbol, need, params, args) ask(#name, &cu.name, need);
#include "cuda_api.def"
}

static void init(const char *what)
{
	(void)what;
	told("init", cu.cuInit(0));
	told("retain", cu.cuDevicePrimaryCtxRetain(&context, 0));
	told("current", cu.cuCtxSetCurrent(context));
}

static void create(const char *what)
{
	(void)what;
	told("init", cu.cuInit(0));
	told("create", cu.cuCtxCreate_v2(&context, 0, 0));
}

static void destroy(const char *what)
{
	(void)what;
	told("destroy", cu.cuCtxDestroy(context));
}

static void reset(const char *what)
{
	(void)what;
	told("reset", cu.cuDevicePrimaryCtxReset(0));
}

/* ---- Modules and launches ----------------------------------------------------------- */

static void load(const char *what)
{
	size_t size;

	told("load", cu.cuModuleLoadData(&module, image_of(what, &size)));
}

static void unload(const char *what)
{
	(void)what;
	told("unload", cu.cuModuleUnload(module));
}

static CUfunction function(const char *name)
{
	CUfunction found = NULL;

	told("function", cu.cuModuleGetFunction(&found, module, name));
	return found;
}

static CUstream stream_of(const struct shape *s)
{
	return s->bad_stream ? (CUstream)0x1234 : stream;
}

static void launch(const char *what)
{
	const struct shape s = shape(what);
	void *args[] = { &memory };

	told("launch", cu.cuLaunchKernel(function(s.kernel), s.grid, 1, 1, s.block, 1, 1, s.shared,
					 stream_of(&s), args, NULL));
}

static void launch_cluster(const char *what)
{
	const struct shape s = shape(what);
	void *args[] = { &memory };
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
	CUlaunchConfig config = { s.grid, 1, 1, s.block, 1, 1, s.shared, stream_of(&s), &attribute,
				  1 };

	attribute.value.clusterDim.x = s.cluster;
	attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
	told("launch", cu.cuLaunchKernelEx(&config, function(s.kernel), args, NULL));
}

static void launch_cooperative(const char *what)
{
	const struct shape s = shape(what);
	void *args[] = { &memory };

	told("launch", cu.cuLaunchCooperativeKernel(function(s.kernel), s.grid, 1, 1, s.block, 1, 1,
						    s.shared, stream_of(&s), args));
}

/* ---- Other calls -------------------------------------------------------------------- */

static void synchronize(const char *what)
{
	(void)what;
	told("sync", cu.cuCtxSynchronize());
}

static void sync_stream(const char *what)
{
	(void)what;
	told("sync", cu.cuStreamSynchronize(stream));
}

static void allocate(const char *what)
{
	told("alloc", cu.cuMemAlloc(&memory, *what ? strtoull(what, NULL, 0) : 64));
}

static void release(const char *what)
{
	told("free", cu.cuMemFree(*what ? 0x77 : memory));
}

static void copy(const char *what)
{
	int words[16];

	told("copy", cu.cuMemcpyDtoH(words, *what ? 0x1234 : memory, sizeof(words)));
}

static void name(const char *what)
{
	const char *name = NULL;

	told("name", cu.cuGetErrorName((CUresult)atoi(what), &name));
	puts(name ? name : "none");
	fflush(stdout);
}

static void text(const char *what)
{
	const char *text = NULL;

	told("text", cu.cuGetErrorString((CUresult)atoi(what), &text));
	puts(text ? text : "none");
	fflush(stdout);
}

static void get(const char *what)
{
	CUfunction found;

	told("get", cu.cuModuleGetFunction(&found, module, what));
}

static void global(const char *what)
{
	CUdeviceptr address;
	size_t size;

	told("global", cu.cuModuleGetGlobal(&address, &size, module, what));
}

static void address(const char *what)
{
	void *found;

	told("address", cu.cuGetProcAddress(what, &found, 13000, 0, NULL));
}

static void pointer(const char *what)
{
	CUcontext owner;

	(void)what;
	told("pointer", cu.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT,
						 (CUdeviceptr)(uintptr_t)&owner));
}

static void range(const char *what)
{
	CUdeviceptr base;
	size_t size;

	(void)what;
	told("range", cu.cuMemGetAddressRange(&base, &size, 0x1234));
}

static void attribute(const char *what)
{
	int value;

	told("attribute", cu.cuDeviceGetAttribute(&value, (CUdevice_attribute)atoi(what), 0));
}

static void make_stream(const char *what)
{
	(void)what;
	told("stream", cu.cuStreamCreate(&stream, 0));
}

static void destroy_stream(const char *what)
{
	(void)what;
	told("stream_destroy", cu.cuStreamDestroy(stream));
	stream = NULL;
}

static void shared(const char *what)
{
	told("shared", cu.cuFuncSetAttribute(function("dynamic"),
					     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
					     atoi(what)));
}

/* Access to the memory of a second device, from a context of each. */
static void peer(const char *what)
{
	static CUcontext other;

	(void)what;
	if (!other) {
		told("retain", cu.cuDevicePrimaryCtxRetain(&other, 1));
		told("current", cu.cuCtxSetCurrent(context));
	}
	told("peer", cu.cuCtxEnablePeerAccess(other, 0));
}

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
	int ready;

	told("event", cu.cuEventCreate(&event, 0));
	hold = 1;
	told("host", cu.cuLaunchHostFunc(stream, wait_held, NULL));
	told("record", cu.cuEventRecord(event, stream));
	for (int asked = 0;; asked++) {
		ready = by_event ? cu.cuEventQuery(event) : cu.cuStreamQuery(stream);
		if (ready != CUDA_ERROR_NOT_READY)
			break;
		if (!asked)
			told("query", ready);
		hold = 0;
	}
	told("at last", ready);
	told("event_destroy", cu.cuEventDestroy(event));
}

static void tune_threads(const char *what)
{
	void *args[] = { &memory };

	(void)what;
	for (unsigned threads = 4096; threads; threads /= 2)
		if (!cu.cuLaunchKernel(function("nothing"), 1, 1, 1, threads, 1, 1, 0, NULL, args,
				       NULL))
			break;
}

static void tune_memory(const char *what)
{
	size_t size = (size_t)1 << 50;

	(void)what;
	while (size && cu.cuMemAlloc(&memory, size))
		size = size > 1 << 20 ? 1 << 20 : size / 2;
}

static const struct step steps[] = {
	{ "open", open_driver },
	{ "close", close_driver },
	{ "asked", asked },
	{ "init", init },
	{ "create", create },
	{ "destroy", destroy },
	{ "reset", reset },
	{ "load", load },
	{ "unload", unload },
	{ "launch", launch },
	{ "launch_cluster", launch_cluster },
	{ "launch_cooperative", launch_cooperative },
	{ "sync", synchronize },
	{ "sync_stream", sync_stream },
	{ "alloc", allocate },
	{ "free", release },
	{ "copy", copy },
	{ "name", name },
	{ "text", text },
	{ "get", get },
	{ "global", global },
	{ "address", address },
	{ "pointer", pointer },
	{ "range", range },
	{ "attribute", attribute },
	{ "stream", make_stream },
	{ "stream_destroy", destroy_stream },
	{ "shared", shared },
	{ "peer", peer },
	{ "poll", poll_until_ready },
	{ "tune_threads", tune_threads },
	{ "tune_memory", tune_memory },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	open_driver("");
	return run_program(steps, argc, argv);
}
