/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "builtin.h"

#include <stdbool.h>
#include <string.h>

#include "kernel.h"

int builtin_find(struct ptx_name name)
{
	static const char *const names[] = {
#define BUILTIN(name, lane, ends, uses) #name,
#include "builtins.def"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (name.length == strlen(names[i]) && !memcmp(name.text, names[i], name.length))
			return (int)i;
	return -1;
}

unsigned builtin_uses(int which)
{
	static const unsigned all[] = {
#define BUILTIN(name, lane, ends, uses) uses,
#include "builtins.def"
	};

	return all[which];
}
