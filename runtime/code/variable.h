/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The variables of a module that were looked up, by name. Each is in a table of its
 * module until that is destroyed, and has its handle until the module is unloaded; the
 * driver is asked one time. The program then knows its address: the module is not kept.
 */
#ifndef RUNTIME_VARIABLE_H
#define RUNTIME_VARIABLE_H

#include "module.h"

int variable_find(struct gpurun_module handle, const char *name,
		  struct gpurun_variable *variable, struct err *e);
int variable_describe(struct gpurun_variable handle, struct gpurun_variable_info *info,
		      struct err *e);

/* Asks the driver, each time; no handle is created. Either of the results may be NULL. */
int variable_locate(struct gpurun_module handle, const char *name, uint64_t *address,
		    uint64_t *size, struct err *e);

/* Closes the handles of the variables of @module, whose own is closed. */
void variable_table_close(struct module *module);

/* Releases the variables of @module, none of which has a handle. */
void variable_table_release(struct module *module);

#endif
