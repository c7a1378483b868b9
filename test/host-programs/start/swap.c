/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An audit module as a user's own: as soon as the loader has mapped changing.so, which is before
 * gpurun's looks at its file, other.so is there under its name.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>

unsigned la_version(unsigned version);
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);

unsigned la_version(unsigned version)
{
	return version;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	(void)space;
	(void)cookie;
	if (strstr(map->l_name, "changing.so") && rename("other.so", "changing.so"))
		perror("other.so");
	return 0;
}
