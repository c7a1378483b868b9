/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --lock: runs on one device take turns. Who is on it holds an advisory lock, flock(2), of a file
 * that is empty and stays; the kernel releases it when the last process that has it open ends,
 * however that ends.
 */
#ifndef CMD_DEVICE_LOCK_H
#define CMD_DEVICE_LOCK_H

#include <stdbool.h>

#include "err.h"
#include "gpurun.h"

/*
 * Waits until this process has the lock of the device @info, whose file is @file or, where that is
 * NULL, /tmp/gpurun-UUID.lock, which is the same for all users: it is only ever opened to be read,
 * and never through a symbolic link. The lock is kept for the rest of the process; with @inherit
 * programs that this one becomes or starts keep it too, and a gpurun among them does not wait
 * for it. Says after a second on stderr what it waits for. GPURUN_IO.
 */
int device_lock(const char *file, const struct gpurun_device_info *info, bool inherit,
		struct err *e);

#endif
