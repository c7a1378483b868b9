/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The memory of a case's buffers: allocated by cuMemAlloc, or in the middle of two mappings that
 * are neighbours, so that what a warp reaches there lies in both.
 */
#ifndef PTX_BUFFER_H
#define PTX_BUFFER_H

#include "cuda.h"

/* Two mappings, and how much of the buffer is in the lower one. */
struct seam {
	size_t below, above, before;
};

static struct seam seam_of(size_t size)
{
	const size_t unit = (size_t)2 << 20; /* of every device so far */
	const size_t align = size < 512 ? 32 : 128; /* of any access to a buffer of this size */
	struct seam seam = { .before = size / 2 / align * align };

	seam.below = seam.before ? (seam.before + unit - 1) / unit * unit : unit;
	seam.above = (size - seam.before + unit) / unit * unit;
	return seam;
}

static CUresult seam_map(CUdeviceptr address, size_t size)
{
	const CUmemAllocationProp props = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
	};
	const CUmemAccessDesc access = { props.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUmemGenericAllocationHandle memory;
	CUresult result = cu.cuMemCreate(&memory, size, &props, 0);

	if (result)
		return result;
	result = cu.cuMemMap(address, size, 0, memory, 0);
	cu.cuMemRelease(memory);
	return result ? result : cu.cuMemSetAccess(address, size, &access, 1);
}

static CUresult buffer_new(size_t size, bool over_seam, CUdeviceptr *address)
{
	const struct seam seam = seam_of(size);
	CUresult result;

	if (!over_seam)
		return cu.cuMemAlloc(address, size ? size : 1);
	result = cu.cuMemAddressReserve(address, seam.below + seam.above, 0, 0, 0);
	if (!result) /* not in the order of their addresses: their memory need not follow it */
		result = seam_map(*address + seam.below, seam.above);
	if (!result)
		result = seam_map(*address, seam.below);
	*address += seam.below - seam.before;
	return result;
}

static CUresult buffer_free(CUdeviceptr address, size_t size, bool over_seam)
{
	const struct seam seam = seam_of(size);
	CUresult result;

	if (!over_seam)
		return cu.cuMemFree(address);
	address -= seam.below - seam.before;
	result = cu.cuMemUnmap(address, seam.below + seam.above);
	return result ? result : cu.cuMemAddressFree(address, seam.below + seam.above);
}

#endif
