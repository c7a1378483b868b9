/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules that the driver's linker makes of several images. */
#ifndef RUNTIME_LINK_H
#define RUNTIME_LINK_H

#include "err.h"
#include "gpurun.h"

/* What gpurun_module_link() does. */
int link_load(struct gpurun_device device, const struct gpurun_link_input *inputs,
	      size_t count, struct gpurun_module *handle, struct err *e);

#endif
