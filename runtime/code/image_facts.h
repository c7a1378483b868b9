/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of an image about its module, read one time when it is loaded. */
#ifndef RUNTIME_IMAGE_FACTS_H
#define RUNTIME_IMAGE_FACTS_H

#include "bytes.h"
#include "device.h"

/* The variables that LLVM defines for the host. */
enum image_role {
	ROLE_INIT,     /* __init_array_object_NAME_HASH_PRIORITY: a device constructor */
	ROLE_FINI,     /* __fini_array_object_...: a destructor */
	ROLE_COUNTERS, /* __profc_NAME: the counters of a function */
	ROLE_DATA,     /* __profd_NAME: what they belong to */
	ROLE_NAMES,    /* __llvm_prf_nm: the names of all functions */
	ROLE_VERSION,  /* __llvm_profile_raw_version */
	ROLES,
};

/* Variables of one role. Constructors and destructors: by rising priority, then as the
 * image has them; others by name. */
struct image_names {
	struct image_name {
		char *text; /* owned */
		uint64_t priority;
		size_t order; /* in the image; both 0 where the name counts */
	} *items;           /* owned */
	size_t count;
};

struct image_facts {
	bool variables;  /* it defines some, or it could not be read */
	bool calls_host; /* it may, as LLVM's C library for GPUs does; or it could not be read */
	struct image_names roles[ROLES];
};

/*
 * Reads the facts about @image as @device may load it. The flags are for every part of
 * it that the driver could choose, the roles for the best part. *@facts is to be
 * released. GPURUN_NO_MEMORY.
 */
int image_facts_read(const struct device *device, struct bytes image,
		     struct image_facts *facts, struct err *e);

/* Accepts zeroed and half-read facts. */
void image_facts_release(struct image_facts *facts);

#endif
