/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of the library: what a program has left is released. */
#ifndef RUNTIME_TEARDOWN_H
#define RUNTIME_TEARDOWN_H

/*
 * Releases everything that is left, newest first, when no call is inside. A
 * step that fails does not stop the next; failures go to api_failed(), except a
 * fault that was reported before and those of a driver that has ended.
 */
void teardown(void);

#endif
