/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cleanup.h"
#include "decompress.h"
#include "fuzz.h"

/* A codec, a size, and any bytes: they give just that size, or are refused. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free_pointer) uint8_t *out = NULL;
	struct bytes stored = { data + 5, size - 5 };
	uint64_t wanted;

	if (size < 5)
		return 0;
	wanted = load_u32(data + 1) & 0xC00FFFFF; /* small, or above the limit */
	if (!decompress(CODEC_ZLIB + data[0] % 4, stored, wanted, &out, NULL) &&
	    (!out || out[wanted]))
		abort();
	return 0;
}
