/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Leftovers: what a library destroys at its end because the program never did. Between
 * begin and end, check=leak reports what this thread destroys; at its own end the device
 * would not find it any more. The caller holds the driver's lock.
 */
#ifndef CPU_LEFTOVER_H
#define CPU_LEFTOVER_H

#include <stdint.h>

void leftover_begin(void);

/* Reports the streams and events that were counted. Without leftover_begin() it does
 * nothing. */
void leftover_end(void);

/* To be called before the block that starts at @address is freed. */
void leftover_block(uint64_t address);

/* To be called when a stream or an event is destroyed. */
void leftover_stream(void);
void leftover_event(void);

#endif
