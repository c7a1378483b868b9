/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The guards: which objects of the driver may be used again after their handle was
 * closed. Every reuse asks here, so that a test that answers yes to all shows what
 * each guard is for.
 */
#ifndef RUNTIME_REUSE_RULES_H
#define RUNTIME_REUSE_RULES_H

#include <stdbool.h>

#include "cuda_abi.h"

/*
 * Asks whether the parked @stream can be used as a new one: CUDA_SUCCESS when all
 * its work is done; CUDA_ERROR_NOT_READY when a new owner would wait for an old
 * one's; or what is wrong with it.
 */
CUresult reuse_rule_stream(CUstream stream);

/*
 * Asks in the same way whether the work is done that came before @fence: then
 * nothing uses the memory any more that was freed before it was placed.
 */
CUresult reuse_rule_fence(CUevent fence);

/*
 * Tells whether a module, unloaded and no more in use, can be used for a new load
 * of the same bytes: nothing in it can have changed, and nothing has to happen
 * when it is loaded or unloaded. @variables: it has such as change, or functions for its load or
 * unload; @exposed: the program has asked for an address.
 */
bool reuse_rule_module(bool variables, bool exposed);

#endif
