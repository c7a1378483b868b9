/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes: they are refused, or the header written for what was read reads the same. */
#include "npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char header[NPY_HEADER_SIZE + 8] = { 0 };
	struct npy npy, again;
	size_t length;

	if (npy_read((struct bytes){ data, size }, &npy, NULL))
		return 0;
	if (npy.data.size && !bytes_at(npy.data, npy.data.size - 1, 1))
		__builtin_trap();
	length = npy_header(npy.type, &npy.shape, header);
	if (npy.data.size > 8)
		return 0;
	length += npy.data.size;
	if (npy_read((struct bytes){ (uint8_t *)header, length }, &again, NULL) ||
	    !shape_equal(&npy.shape, &again.shape))
		__builtin_trap();
	return 0;
}
