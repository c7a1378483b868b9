// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with kernels and variables that comes and goes.
//: library end_library_part.cu
#include <dlfcn.h>
#include <string.h>

#include "check.h"

int main(int, char **argv)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s.so", argv[0]);
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(path, RTLD_NOW);

		if (!library)
			puts(dlerror());
		EXPECT(library != NULL);
		int (*count)(int) = (int (*)(int))dlsym(library, "count");
		EXPECT(count != NULL);
		/* Each time it has variables of its own. */
		SAME(105, count(5));
		SAME(108, count(3));
		EXPECT(!dlclose(library));
		SAME(cudaSuccess, cudaGetLastError());
	}
	return ok();
}
