/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a fuzz target defines: takes any bytes, returns 0, aborts when something is wrong. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
