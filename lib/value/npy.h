/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * NumPy's .npy files: one array of numbers in C order, little endian.
 */
#ifndef LIB_NPY_H
#define LIB_NPY_H

#include "bytes.h"
#include "spec.h"

struct npy {
	enum value_type type;
	bool is_void; /* 1- or 2-byte elements without a type, as e4m3, e5m2 and bf16 are
		       * written: @type is one of them */
	struct shape shape;
	struct bytes data; /* points into the file: the elements alone */
};

/* Tells whether @file begins as a .npy does. */
bool npy_sniff(struct bytes file);

/* Reads the header of @file, which is borrowed. GPURUN_FORMAT names the offset. */
int npy_read(struct bytes file, struct npy *out, struct err *e);

/*
 * Tells whether elements of @npy can be those of @type: they are such, or of no type and of
 * its size; NumPy knows no floats of 8 bits, so these may be in u8 as well.
 */
bool npy_holds(const struct npy *npy, enum value_type type);

/* No header that is written has more: numpy pads to 64 bytes, and needs less than that. */
#define NPY_HEADER_MAX 65536

/* Room for any header that npy_header() makes. */
#define NPY_HEADER_SIZE 384

/* Makes the header of a file with elements of that type and shape; its size. */
size_t npy_header(enum value_type type, const struct shape *shape,
		  char header[NPY_HEADER_SIZE]);

#endif
