/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What findings say of accesses. */
#include <stdio.h>

#include "access.h"
#include "local.h"

const char *access_verb(enum access_kind kind)
{
	return kind == ACCESS_READ ? "read" : kind == ACCESS_WRITE ? "write" : "atomic operation";
}

const char *access_name(enum access_kind kind)
{
	return kind == ACCESS_READ ? "read" : kind == ACCESS_WRITE ? "write" : "atomic";
}

struct about access_about(enum report_kind kind, const struct check_access *access, uint64_t at)
{
	struct about about = about_access(kind, access_name(access->kind), access->size, at);

	about.shared = access->shared;
	return about;
}

void access_describe(const struct warp *w, const struct op *ip, bool shared, uint64_t at,
		     char *text, size_t size)
{
	char where[256];

	if (shared) {
		snprintf(text, size, "%#llx of shared memory, of which the block has %llu bytes%s",
			 (unsigned long long)at, (unsigned long long)w->shared_size,
			 at < w->shared_size ? "" : memory_shared_hint(w));
		return;
	}
	if (local_has(w->cta, at, 1))
		local_describe(w, ip, at, where, sizeof(where));
	else
		memory_describe(w, at, where, sizeof(where));
	snprintf(text, size, "%#llx%s%s", (unsigned long long)at, where[0] ? ": " : "", where);
}
