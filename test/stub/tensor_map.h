/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the stub's cuTensorMapEncodeTiled writes into the 128 bytes: its arguments,
 * for a test to look at. What is beyond the rank is 0.
 */
#ifndef STUB_TENSOR_MAP_H
#define STUB_TENSOR_MAP_H

#include <stdint.h>

struct stub_tensor_map {
	uint64_t address;
	uint8_t type, rank, interleave, swizzle, l2, oob;
	uint8_t unused[2];
	uint64_t dims[5];    /* elements, the fastest first */
	uint64_t strides[4]; /* bytes; of dimension 1 and up */
	uint32_t box[5];     /* elements */
	uint32_t element_strides[5];
};

_Static_assert(sizeof(struct stub_tensor_map) == 128, "as large as a CUtensorMap");

#endif
