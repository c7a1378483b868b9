/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "end.h"
#include "line_rank.h"
#include "lock.h"
#include "visible.h"

struct image {
	const struct fatbin_wrapper *wrapper; /* in the program */
	CUlibrary library;		      /* NULL: not loaded */
	void *linked;			      /* what it was loaded from, if that is ours */
	struct symbol *symbols;		      /* owned */
	bool managed;			      /* its managed variables have their addresses */
	struct image *next;
};

static struct image *images;
/* Of the list, of loading, and of a symbol's kernel while it is looked up. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED LOCKED_BY(&lock, LOCK_IMAGES)

void image_lock(void)
{
	lock_acquire(&lock, LOCK_IMAGES);
}

bool image_trylock(void)
{
	return !pthread_mutex_trylock(&lock);
}

void image_unlock(void)
{
	lock_release(&lock);
}

/* In a child of fork() a lock may be held for ever, by a thread that it does not have. */
static bool is_forked(void)
{
	return cudart_phase() == PHASE_FORKED;
}

/* ---- Loading ------------------------------------------------------------------ */

static cudaError_t load_data(const void *data, CUlibrary *library)
{
	return (cudaError_t)cuda.cuLibraryLoadData(library, data, NULL, NULL, 0, NULL, NULL, 0);
}

static void end_link(CUlinkState *state)
{
	if (*state)
		cuda.cuLinkDestroy(*state);
}

/* What a fatbin begins with. */
struct fatbin_header {
	uint32_t magic;
	uint16_t version, size; /* of this header */
	uint64_t following;	/* bytes */
};

/* Drivers may want the size, which is in the fatbin alone. */
static size_t fatbin_size(const void *fatbin)
{
	const struct fatbin_header *header = fatbin;

	return header->size + header->following;
}

/* What has no code for this device is left out, as is the library for launches from device
 * code, which nvcc adds unasked; what is missing then, cuLinkComplete tells. */
static cudaError_t add_fatbins(CUlinkState state, const void **fatbins)
{
	cudaError_t result = cudaErrorNoKernelImageForDevice;

	for (; *fatbins; fatbins++) {
		CUresult added = cuda.cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, (void *)*fatbins,
						    fatbin_size(*fatbins), NULL, 0, NULL, NULL);

		if (added && added != CUDA_ERROR_NO_BINARY_FOR_GPU)
			return (cudaError_t)added;
		if (!added)
			result = cudaSuccess;
	}
	return result;
}

/* Without a message a user would not know which function of which file is missing. */
static cudaError_t not_linked(CUresult result, const char *log)
{
	static atomic_bool said;

	if (*log && !atomic_exchange(&said, true))
		visible_printf(stderr, "gpurun: %slibcudart: device code is not linked: %.*s\n",
			       line_rank(), (int)strcspn(log, "\n"), log);
	return (cudaError_t)result;
}

/* Links the relocatable images in @fatbins, up to NULL. *@image is the caller's (free). */
static cudaError_t link_fatbins(const void **fatbins, void **image)
{
	char log[512] = "";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)sizeof(log) };
	CLEANUP(end_link) CUlinkState state = NULL;
	CUresult result;
	void *cubin;
	size_t size;

	TRY(cuda.cuLinkCreate(2, options, values, &state));
	TRY(add_fatbins(state, fatbins));
	result = cuda.cuLinkComplete(state, &cubin, &size);
	if (result)
		return not_linked(result, log);
	*image = malloc(size);
	if (!*image)
		return cudaErrorMemoryAllocation;
	memcpy(*image, cubin, size);
	return cudaSuccess;
}

/* Code that nvlink has linked is there as machine code alone, or not at all where it was
 * compiled to PTX alone; the images it was linked from may have PTX. */
static cudaError_t load_linked(struct image *image)
{
	TRY(link_fatbins(image->wrapper->linked, &image->linked));
	return load_data(image->linked, &image->library);
}

/* Tells whether there is code for this device; a driver may look no sooner than it has to. */
static bool has_code(CUlibrary library)
{
	CUmodule module;

	return !cuda.cuLibraryGetModule(&module, library);
}

static cudaError_t load(struct image *image)
{
	const struct fatbin_wrapper *wrapper = image->wrapper;
	cudaError_t result;

	if (image->library)
		return cudaSuccess;
	if (cudart_phase() != PHASE_UP)
		return cudaErrorCudartUnloading;
	if (!wrapper || wrapper->magic != FATBIN_WRAPPER_MAGIC)
		return cudaErrorInvalidKernelImage;
	result = load_data(wrapper->fatbin, &image->library);
	if (wrapper->version != 2 || !wrapper->linked || !wrapper->linked[0])
		return result;
	if (!result && has_code(image->library))
		return cudaSuccess;
	if (!result)
		cuda.cuLibraryUnload(image->library);
	image->library = NULL;
	return load_linked(image);
}

cudaError_t image_library(struct image *image, CUlibrary *library)
{
	LOCKED;

	TRY(load(image));
	*library = image->library;
	return cudaSuccess;
}

/* Enters a copy of @symbol as one of @image's. */
static cudaError_t enter(struct image *image, struct symbol symbol)
{
	CLEANUP(free_pointer) struct symbol *copy = malloc(sizeof(*copy));

	if (!copy)
		return cudaErrorMemoryAllocation;
	*copy = symbol;
	copy->image = image;
	copy->next = image->symbols;
	TRY(symbol_add(copy));
	image->symbols = STEAL(copy);
	return cudaSuccess;
}

/* Enters the handle @kernel of @symbol, so that it can be launched itself. */
static cudaError_t add_handle(struct symbol *symbol, CUkernel kernel)
{
	return enter(symbol->image, (struct symbol){ .key = kernel, .kind = SYMBOL_KERNEL,
						     .name = symbol->name, .kernel = kernel });
}

static cudaError_t find_kernel(struct symbol *symbol, CUkernel *kernel)
{
	CUresult result;

	TRY(load(symbol->image));
	result = cuda.cuLibraryGetKernel(kernel, symbol->image->library, symbol->name);
	TRY(result);
	TRY(add_handle(symbol, *kernel));
	atomic_store_explicit(&symbol->kernel, *kernel, memory_order_release);
	return cudaSuccess;
}

cudaError_t image_kernel(struct symbol *symbol, CUkernel *kernel)
{
	*kernel = atomic_load_explicit(&symbol->kernel, memory_order_acquire);
	if (*kernel)
		return cudaSuccess;
	LOCKED;
	*kernel = symbol->kernel;
	return *kernel ? cudaSuccess : find_kernel(symbol, kernel);
}

/* The kernels' handles go with the library; functions look theirs up again. */
static void forget_kernels(struct image *image)
{
	struct symbol **at = &image->symbols;

	while (*at) {
		struct symbol *symbol = *at;

		if (symbol->kind != SYMBOL_KERNEL) {
			atomic_store(&symbol->kernel, NULL);
			at = &symbol->next;
			continue;
		}
		*at = symbol->next;
		symbol_remove(symbol);
		free(symbol);
	}
}

static void unload(struct image *image)
{
	if (!image->library)
		return;
	forget_kernels(image);
	cuda.cuLibraryUnload(image->library);
	image->library = NULL;
	free(image->linked);
	image->linked = NULL;
}

void image_unload_all(void)
{
	for (struct image *image = images; image; image = image->next)
		unload(image);
}

/* ---- Registration ------------------------------------------------------------- */

static void register_image(struct image *image, const struct fatbin_wrapper *wrapper)
{
	LOCKED;

	image->wrapper = wrapper;
	image->next = images;
	images = image;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct image *image = is_forked() ? NULL : calloc(1, sizeof(*image));

	if (image)
		register_image(image, wrapper);
	return (void **)image;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* Without memory for a symbol, it is missing at its first use. */
static void add_named(void **handle, struct symbol symbol)
{
	if (!handle || is_forked())
		return;
	LOCKED;
	enter((struct image *)handle, symbol);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
			    int *warp_size)
{
	(void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
	(void)warp_size;
	add_named(handle, (struct symbol){ .key = host, .kind = SYMBOL_FUNCTION, .name = name });
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
		       size_t size, int constant, int global)
{
	(void)device, (void)external, (void)constant, (void)global;
	add_named(handle, (struct symbol){ .key = host, .kind = SYMBOL_VARIABLE, .name = name,
					   .size = size });
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
			      int external, size_t size, int constant, int global)
{
	(void)device, (void)external, (void)constant, (void)global;
	add_named(handle, (struct symbol){ .key = host, .kind = SYMBOL_POINTER, .name = name,
					   .size = size });
}

/* Host variables that device code reaches by unified memory: it does so by their address. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
	(void)handle, (void)name, (void)host, (void)size;
}

cudaError_t __cudaRegisterUnifiedTable(void **handle, void *table)
{
	(void)handle, (void)table;
	return cudaSuccess;
}

/* ---- Managed variables ---------------------------------------------------------- */

/* A program says &variable with what it finds in the pointer. A later call for it, where
 * another variable was missing, finds this one entered. */
static cudaError_t set_pointer(struct symbol *symbol)
{
	struct symbol managed = { .kind = SYMBOL_MANAGED, .name = symbol->name };
	const struct symbol *entered;
	CUdeviceptr address;

	TRY(load(symbol->image));
	TRY(cuda.cuLibraryGetManaged(&address, &managed.size, symbol->image->library,
				     symbol->name));
	managed.key = *(void **)symbol->key = (void *)address;
	entered = symbol_find(managed.key);
	if (entered && entered->image == symbol->image)
		return cudaSuccess;
	return enter(symbol->image, managed);
}

static cudaError_t set_managed(struct image *image)
{
	for (struct symbol *symbol = image->symbols; symbol; symbol = symbol->next)
		if (symbol->kind == SYMBOL_POINTER)
			TRY(set_pointer(symbol));
	image->managed = true;
	return cudaSuccess;
}

/* Called before the program's first access to a managed variable of the image. */
char __cudaInitModule(void **handle)
{
	struct image *image = (struct image *)handle;
	cudaError_t result = cudart_enter_CONTEXT();

	if (!image || result)
		return (char)!cudart_leave(CALL___cudaInitModule, result);
	LOCKED;
	if (!image->managed)
		result = set_managed(image);
	return (char)!cudart_leave(CALL___cudaInitModule, result);
}

/* ---- The end of an image --------------------------------------------------------- */

/* Takes @image out of the list, if it is there: false. *@loaded: it may be at work. */
static bool take_out(struct image *image, bool *loaded)
{
	LOCKED;

	for (struct image **at = &images; *at; at = &(*at)->next)
		if (*at == image) {
			*at = image->next;
			*loaded = image->library && cudart_phase() == PHASE_UP;
			return true;
		}
	return false;
}

static void free_symbols(struct symbol *symbols)
{
	struct symbol *next;

	for (; symbols; symbols = next) {
		next = symbols->next;
		symbol_remove(symbols);
		free(symbols);
	}
}

/* A library of the driver's that may be at work stays as it is. */
static void release(struct image *image, bool idle)
{
	LOCKED;

	if (idle && cudart_phase() == PHASE_UP)
		unload(image);
	free_symbols(image->symbols);
	free(image->linked);
	free(image);
}

/* From an atexit handler or, when a library is closed, while the process continues: its
 * kernels may still run then. Other threads go on while this one waits. */
void __cudaUnregisterFatBinary(void **handle)
{
	struct image *image = (struct image *)handle;
	bool loaded;

	if (image && !is_forked() && take_out(image, &loaded))
		release(image, loaded && end_wait());
}
