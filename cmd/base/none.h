/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where there is no index: of an action, a step, a unit, a buffer, a stream or an event. */
#ifndef CMD_NONE_H
#define CMD_NONE_H

#include <stdint.h>

#define NONE SIZE_MAX

#endif
