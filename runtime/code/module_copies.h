/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The image of a module on other devices: loaded there when it is first asked for. */
#ifndef RUNTIME_MODULE_COPIES_H
#define RUNTIME_MODULE_COPIES_H

#include "module.h"

int module_on_device(struct gpurun_module module, struct gpurun_device device,
		     struct gpurun_module *other, struct err *e);

/* Unloads the copies of a module whose handle is closed; failures go to api_failed(). */
void module_unload_copies(struct module *module);

#endif
