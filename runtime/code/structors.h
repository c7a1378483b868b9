/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constructors and destructors of a module's variables. LLVM gives each one a
 * constant with its address, and the image one kernel that calls all functions of
 * an array, which the host makes: by rising priority; the kernel of the destructors
 * walks it from its end.
 */
#ifndef RUNTIME_STRUCTORS_H
#define RUNTIME_STRUCTORS_H

#include "module.h"

/* Runs the constructors of a module that has been loaded; its context is current. Returns
 * when they are done. An image without any costs nothing. */
int structors_construct(struct module *module, struct err *e);

/* Runs the destructors of a module whose kernels are done; its context is current. */
int structors_destroy(struct module *module, struct err *e);

#endif
