/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver's log of errors: messages about calls beyond their results. The last
 * messages are kept; programs read them, or register functions that get each one
 * immediately (cuLogs*). Has its own lock.
 */
#ifndef CPU_LOGS_H
#define CPU_LOGS_H

/* Adds one line. Calls what programs have registered: the caller holds no lock. */
void logs_add(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
