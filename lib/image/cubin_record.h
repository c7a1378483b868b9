/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The attribute records of a cubin: u8 format, u8 code, u16 value [, value bytes]. */
#ifndef LIB_CUBIN_RECORD_H
#define LIB_CUBIN_RECORD_H

#include "bytes.h"
#include "err.h"

struct cubin_record {
	uint8_t code;
	uint16_t value;       /* of short ones; the payload's size otherwise */
	struct bytes payload; /* of long ones; borrowed */
};

/*
 * Reads the record at *@offset of @data, which is not the end, and moves
 * *@offset after it. GPURUN_FORMAT when it is cut off.
 */
int cubin_record(struct bytes data, uint64_t *offset, struct cubin_record *record,
		 struct err *e);

#endif
