/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A list per device, newest first, under the runtime's lock. It is short: size and
 * fingerprint exclude all but one module, whose bytes are then compared. */
#include "reuse_module.h"

#include "asserts.h"
#include "hash.h"

enum { MOST_MODULES = 16, MOST_BYTES = 64 << 20, SAMPLES = 64 };

/* A hash of some words from all parts of @image. */
static uint64_t fingerprint(struct bytes image)
{
	size_t step = image.size / SAMPLES > 8 ? image.size / SAMPLES : 8;
	uint64_t hash = image.size;

	for (size_t at = 0; at + 8 <= image.size; at += step)
		hash = hash_add(hash, load_u64(image.data + at));
	return hash;
}

/* Removes the first module that may be @image from the list. */
static struct module *unlink_like(struct device *device, struct bytes image, int level,
				  uint64_t hash)
{
	struct module **link, *found;

	ASSERT(image.data && level >= 0 && level <= MODULE_LEVEL);
	runtime_lock();
	link = &device->parked;
	while (*link && ((*link)->size != image.size || (*link)->level != level ||
			 (*link)->fingerprint != hash))
		link = &(*link)->parked;
	found = *link;
	if (found)
		*link = found->parked;
	runtime_unlock();
	return found;
}

static void link_first(struct module *module)
{
	ASSERT(!module->adopted && module->image && !module->stream_count);
	runtime_lock();
	module->parked = module->device->parked;
	module->device->parked = module;
	runtime_unlock();
}

struct module *reuse_module_take(struct device *device, struct bytes image, int level)
{
	struct module *found = unlink_like(device, image, level, fingerprint(image));

	if (found && memcmp(found->image, image.data, image.size)) {
		link_first(found);
		return NULL;
	}
	return found;
}

/* Cuts the list where it becomes too long. Returns the rest. */
static struct module *cut(struct device *device)
{
	struct module **link, *rest;
	size_t modules = 0, bytes = 0;

	runtime_lock();
	for (link = &device->parked; *link; link = &(*link)->parked) {
		bytes += (*link)->size;
		if (++modules > MOST_MODULES || bytes > MOST_BYTES)
			break;
	}
	rest = *link;
	*link = NULL;
	runtime_unlock();
	return rest;
}

struct module *reuse_module_put(struct module *module)
{
	module->fingerprint = fingerprint((struct bytes){ module->image, module->size });
	link_first(module);
	return cut(module->device);
}

struct module *reuse_module_take_all(struct device *device)
{
	struct module *all;

	runtime_lock();
	all = device->parked;
	device->parked = NULL;
	runtime_unlock();
	return all;
}
