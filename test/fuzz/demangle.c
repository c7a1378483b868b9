/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any name of Rust, D and C++: it is taken apart, or stays as it is, in time and memory that its
 * length bounds. What else C++ has is the run-time library's.
 * covers: lib/base/demangle_rust.c lib/base/demangle_d.c lib/base/demangle_cpp.c
 */
#include "demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "demangle_text.h"

enum { LONGEST = 4096 };

/* What is shown of a name is a part of what it was made into. */
static void take_apart(char *signature)
{
	char *qualified = signature ? demangle_qualified(signature) : NULL;
	char *base = qualified ? demangle_base(qualified) : NULL;

	if (base && strlen(base) > strlen(signature))
		__builtin_trap();
	free(base);
	free(qualified);
	free(signature);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[LONGEST] = "";

	memcpy(name, data, size < LONGEST ? size : LONGEST - 1);
	take_apart(demangle_rust(name));
	take_apart(demangle_d(name));
	take_apart(demangle_cpp(name));
	return 0;
}
