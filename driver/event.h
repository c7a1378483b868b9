/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events: each refers to the operation it was recorded as last. Whoever waits
 * for it waits for that operation, whatever happens to the event afterwards.
 */
#ifndef DRIVER_EVENT_H
#define DRIVER_EVENT_H

/* Destroys every event of the context. The caller holds the driver's lock. */
void event_clear(void);

#endif
