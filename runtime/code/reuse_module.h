/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unloaded modules that are kept to be loaded again: programs load the same
 * bytes around every launch. A parked module has no handle, and its device owns
 * it: a limited number of modules and bytes for each device, the ones used last.
 */
#ifndef RUNTIME_REUSE_MODULE_H
#define RUNTIME_REUSE_MODULE_H

#include "module.h"

/* Removes the module made of @image at @level from those that @device keeps; NULL: there
 * is none. */
struct module *reuse_module_take(struct device *device, struct bytes image, int level);

/*
 * Keeps @module, which reuse_rule_module() allows. Returns those for which there is no
 * more room, owned by the caller: a chain by ->parked; NULL when there is room.
 */
struct module *reuse_module_put(struct module *module);

/* Removes all that @device keeps: a chain as above. */
struct module *reuse_module_take_all(struct device *device);

#endif
