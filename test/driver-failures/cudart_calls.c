/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * cudart_calls SCENARIO: runs a scenario over libcudart for the fault injection. The first
 * failure ends it and is told; then the device is reset and all of it runs once more,
 * which must succeed unless the library or its driver is gone for good.
 */
#include "cudart_calls.h"

struct cudart_image cudart_code;
cudaLibrary_t cudart_library;
cudaMemPool_t cudart_pool;

static bool bad; /* a failure was told */

bool told(cudaError_t result, const char *call)
{
	if (!result)
		return false;
	fprintf(stderr, "error: %.60s: %s (%d)\n", call, cudaGetErrorName(result), (int)result);
	bad = true;
	return true;
}

/* A release that fails is told, and tried again: what it was for must not be left. */
static void release(cudaError_t (*call)(void))
{
	if (told(call(), "at the end"))
		call();
}

static cudaError_t end_library(void)
{
	cudaError_t result = cudart_library ? cudaLibraryUnload(cudart_library) : cudaSuccess;

	cudart_library = result ? cudart_library : NULL;
	return result;
}

static cudaError_t end_pool(void)
{
	cudaError_t result = cudart_pool ? cudaMemPoolDestroy(cudart_pool) : cudaSuccess;

	cudart_pool = result ? cudart_pool : NULL;
	return result;
}

/* One failure is told: what follows a first one is its consequence. */
static void end(void)
{
	if (bad) {
		cudaDeviceReset();
		end_library();
		end_pool();
		return;
	}
	release(end_library);
	if (!bad)
		release(end_pool);
	if (!bad)
		release(cudaDeviceReset);
}

/* Tells whether the run after a failure has to succeed: not when more is to fail. */
static bool goes_on(void)
{
	const char *fail = getenv("GPURUN_STUB_FAIL");
	int count;

	return !getenv("GPURUN_STUB_GONE") && fail && strchr(fail, ':') &&
	       !cudaGetDeviceCount(&count);
}

static void run(void (*scenario)(void))
{
	scenario();
	end();
	if (!bad)
		return;
	cudaDeviceReset();
	cudaGetLastError();
	if (!goes_on())
		return;
	bad = false;
	scenario();
	end();
	if (bad)
		fprintf(stderr, "error: and once more, after the reset\n");
	bad = true;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} rows[] = {
		{ "devices", cudart_devices }, { "memory", cudart_memory },
		{ "copies", cudart_copies },   { "fills", cudart_fills },
		{ "pools", cudart_pools },     { "managed", cudart_managed },
		{ "kernels", cudart_kernels }, { "libraries", cudart_libraries },
		{ "streams", cudart_streams }, { "peers", cudart_peers },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, argv[1])) {
			cudart_register(&cudart_code);
			run(rows[i].run);
			__cudaUnregisterFatBinary(cudart_code.handle);
			return bad ? EXIT_FAILURE : EXIT_SUCCESS;
		}
	fprintf(stderr, "cudart_calls: no such scenario\n");
	return 2;
}
