/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * NVIDIA's compiler at run time, libnvrtc: what programs let it make for the device that they find
 * is machine code alone, which the CPU device does not run. With line information, which is asked
 * for in addition, it brings its PTX along.
 */
#ifndef START_NVRTC_H
#define START_NVRTC_H

#include "patch.h"

/* Tells whether a library of this file name is libnvrtc, of whatever version. */
bool nvrtc_is(const char *name);

/* Has all compilations of @object, which is loaded at @base, make line information. As
 * patch_function(). */
const char *nvrtc_redirect(const struct object *object, uint64_t base, struct patched *patched);

#endif
