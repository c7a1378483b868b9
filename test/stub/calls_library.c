/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries: as modules, but of no context; a kernel is a function in every one. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

CUresult stub_cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
				void **values, unsigned count, CUlibraryOption *library_options,
				void **library_values, unsigned library_count)
{
	size_t size;
	CUresult result = stub_image_size(image, count, options, values, &size);
	struct thing *thing;

	(void)library_options, (void)library_values, (void)library_count;
	if (result)
		return result;
	thing = thing_new(LIBRARY, NULL);
	stub_image_keep(thing, image, size);
	*library = (CUlibrary)thing;
	return CUDA_SUCCESS;
}

/* A file of text, which has to be PTX. */
CUresult stub_cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
				    void **values, unsigned count,
				    CUlibraryOption *library_options, void **library_values,
				    unsigned library_count)
{
	char text[4096] = "";
	FILE *file = fopen(path, "r");

	if (!file)
		return CUDA_ERROR_FILE_NOT_FOUND;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return stub_cuLibraryLoadData(library, text, options, values, count, library_options,
				      library_values, library_count);
}

CUresult stub_cuLibraryUnload(CUlibrary library)
{
	struct thing *thing;
	CUresult result = thing_find(library, LIBRARY, &thing);

	if (!result)
		stub_image_end(thing);
	return result;
}

CUresult stub_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	struct thing *thing;
	CUresult result = thing_find(library, LIBRARY, &thing);

	return result ? result : stub_image_function(thing, name, (CUfunction *)kernel);
}

CUresult stub_cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library,
				 const char *name)
{
	struct thing *thing;
	CUresult result = thing_find(library, LIBRARY, &thing);

	return result ? result : stub_image_variable(thing, name, address, size);
}

CUresult stub_cuLibraryGetManaged(CUdeviceptr *address, size_t *size, CUlibrary library,
				  const char *name)
{
	return stub_cuLibraryGetGlobal(address, size, library, name);
}

/* Writes the first @most kernels of @library into @kernels, as its PTX declares them. */
static unsigned kernels_of(struct thing *library, CUkernel *kernels, unsigned most)
{
	const char *at = library->data, *end = at + library->size;
	unsigned count = 0;
	char name[64];

	while ((at = memmem(at, (size_t)(end - at), ".entry ", 7))) {
		at += 7;
		if (count < most && sscanf(at, "%63[A-Za-z0-9_]", name) == 1)
			stub_image_function(library, name, (CUfunction *)&kernels[count]);
		count++;
	}
	return count;
}

CUresult stub_cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
	struct thing *thing;
	CUresult result = thing_find(library, LIBRARY, &thing);

	if (!result)
		*count = kernels_of(thing, NULL, 0);
	return result;
}

CUresult stub_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
	struct thing *thing;
	CUresult result = thing_find(library, LIBRARY, &thing);

	if (!result)
		kernels_of(thing, kernels, count);
	return result;
}

CUresult stub_cuLibraryGetUnifiedFunction(void **function, CUlibrary library,
					  const char *symbol)
{
	return stub_cuLibraryGetKernel((CUkernel *)function, library, symbol);
}

/* ---- Kernels ---------------------------------------------------------------------- */

CUresult stub_cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	struct thing *thing;
	CUresult result = thing_find(kernel, FUNCTION, &thing);

	if (!result)
		*function = (CUfunction)kernel;
	return result;
}

CUresult stub_cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	struct thing *thing;
	CUresult result = thing_find(kernel, FUNCTION, &thing);

	if (!result)
		*library = (CUlibrary)thing->owner;
	return result;
}

CUresult stub_cuKernelGetName(const char **name, CUkernel kernel)
{
	struct thing *thing;
	CUresult result = thing_find(kernel, FUNCTION, &thing);

	if (!result)
		*name = thing->data;
	return result;
}

CUresult stub_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
	return stub_cuFuncGetParamInfo((CUfunction)kernel, index, offset, size);
}

CUresult stub_cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
				   CUdevice device)
{
	(void)device;
	return stub_cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}
