/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels of a module by name: each is looked up in the driver one time. */
#ifndef RUNTIME_KERNEL_TABLE_H
#define RUNTIME_KERNEL_TABLE_H

#include "module.h"

/* Closes the handles of the kernels of @module. */
void kernel_table_close(struct module *module);

/* Releases the kernels of @module, none of which has a handle. */
void kernel_table_release(struct module *module);

#endif
