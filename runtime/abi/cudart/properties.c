/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * cudaGetDeviceProperties: a struct whose members are, but for a name, two
 * identifiers and the size of the memory, attributes of the device. An attribute
 * that the driver does not know stays 0.
 */
#include <stddef.h>
#include <string.h>

#include "cleanup.h"
#include "device.h"

/* A member of 4 or 8 bytes, and the number of its attribute. */
static const struct {
	unsigned short offset, size;
	int attribute;
} rows[] = {
#define ROW(member, attribute)                     \
	{ offsetof(struct cudaDeviceProp, member), \
	  sizeof(((struct cudaDeviceProp *)0)->member), attribute }
	ROW(maxThreadsPerBlock, 1),
	ROW(maxThreadsDim[0], 2),
	ROW(maxThreadsDim[1], 3),
	ROW(maxThreadsDim[2], 4),
	ROW(maxGridSize[0], 5),
	ROW(maxGridSize[1], 6),
	ROW(maxGridSize[2], 7),
	ROW(sharedMemPerBlock, 8),
	ROW(totalConstMem, 9),
	ROW(warpSize, 10),
	ROW(memPitch, 11),
	ROW(regsPerBlock, 12),
	ROW(textureAlignment, 14),
	ROW(multiProcessorCount, 16),
	ROW(integrated, 18),
	ROW(canMapHostMemory, 19),
	ROW(maxTexture1D, 21),
	ROW(maxTexture2D[0], 22),
	ROW(maxTexture2D[1], 23),
	ROW(maxTexture3D[0], 24),
	ROW(maxTexture3D[1], 25),
	ROW(maxTexture3D[2], 26),
	ROW(maxTexture2DLayered[0], 27),
	ROW(maxTexture2DLayered[1], 28),
	ROW(maxTexture2DLayered[2], 29),
	ROW(surfaceAlignment, 30),
	ROW(concurrentKernels, 31),
	ROW(ECCEnabled, 32),
	ROW(pciBusID, 33),
	ROW(pciDeviceID, 34),
	ROW(tccDriver, 35),
	ROW(memoryBusWidth, 37),
	ROW(l2CacheSize, 38),
	ROW(maxThreadsPerMultiProcessor, 39),
	ROW(asyncEngineCount, 40),
	ROW(unifiedAddressing, 41),
	ROW(maxTexture1DLayered[0], 42),
	ROW(maxTexture1DLayered[1], 43),
	ROW(maxTexture2DGather[0], 45),
	ROW(maxTexture2DGather[1], 46),
	ROW(maxTexture3DAlt[0], 47),
	ROW(maxTexture3DAlt[1], 48),
	ROW(maxTexture3DAlt[2], 49),
	ROW(pciDomainID, 50),
	ROW(texturePitchAlignment, 51),
	ROW(maxTextureCubemap, 52),
	ROW(maxTextureCubemapLayered[0], 53),
	ROW(maxTextureCubemapLayered[1], 54),
	ROW(maxSurface1D, 55),
	ROW(maxSurface2D[0], 56),
	ROW(maxSurface2D[1], 57),
	ROW(maxSurface3D[0], 58),
	ROW(maxSurface3D[1], 59),
	ROW(maxSurface3D[2], 60),
	ROW(maxSurface1DLayered[0], 61),
	ROW(maxSurface1DLayered[1], 62),
	ROW(maxSurface2DLayered[0], 63),
	ROW(maxSurface2DLayered[1], 64),
	ROW(maxSurface2DLayered[2], 65),
	ROW(maxSurfaceCubemap, 66),
	ROW(maxSurfaceCubemapLayered[0], 67),
	ROW(maxSurfaceCubemapLayered[1], 68),
	ROW(maxTexture2DLinear[0], 70),
	ROW(maxTexture2DLinear[1], 71),
	ROW(maxTexture2DLinear[2], 72),
	ROW(maxTexture2DMipmap[0], 73),
	ROW(maxTexture2DMipmap[1], 74),
	ROW(major, 75),
	ROW(minor, 76),
	ROW(maxTexture1DMipmap, 77),
	ROW(streamPrioritiesSupported, 78),
	ROW(globalL1CacheSupported, 79),
	ROW(localL1CacheSupported, 80),
	ROW(sharedMemPerMultiprocessor, 81),
	ROW(regsPerMultiprocessor, 82),
	ROW(managedMemory, 83),
	ROW(isMultiGpuBoard, 84),
	ROW(multiGpuBoardGroupID, 85),
	ROW(hostNativeAtomicSupported, 86),
	ROW(pageableMemoryAccess, 88),
	ROW(concurrentManagedAccess, 89),
	ROW(computePreemptionSupported, 90),
	ROW(canUseHostPointerForRegisteredMem, 91),
	ROW(cooperativeLaunch, 95),
	ROW(sharedMemPerBlockOptin, 97),
	ROW(hostRegisterSupported, 99),
	ROW(pageableMemoryAccessUsesHostPageTables, 100),
	ROW(directManagedMemAccessFromHost, 101),
	ROW(maxBlocksPerMultiProcessor, 106),
	ROW(persistingL2CacheMaxSize, 108),
	ROW(accessPolicyMaxWindowSize, 109),
	ROW(reservedSharedMemPerBlock, 111),
	ROW(sparseCudaArraySupported, 112),
	ROW(hostRegisterReadOnlySupported, 113),
	ROW(timelineSemaphoreInteropSupported, 114),
	ROW(memoryPoolsSupported, 115),
	ROW(gpuDirectRDMASupported, 116),
	ROW(gpuDirectRDMAFlushWritesOptions, 117),
	ROW(gpuDirectRDMAWritesOrdering, 118),
	ROW(memoryPoolSupportedHandleTypes, 119),
	ROW(clusterLaunch, 120),
	ROW(deferredMappingCudaArraySupported, 121),
	ROW(ipcEventSupported, 125),
	ROW(unifiedFunctionPointers, 129),
	ROW(deviceNumaConfig, 130),
	ROW(deviceNumaId, 131),
	ROW(mpsEnabled, 133),
	ROW(hostNumaId, 134),
	ROW(gpuPciDeviceID, 139),
	ROW(gpuPciSubsystemID, 140),
	ROW(hostNumaMultinodeIpcSupported, 143),
#undef ROW
};

static void store(char *member, size_t size, int value)
{
	size_t wide = (size_t)value;

	if (size == sizeof(value))
		memcpy(member, &value, size);
	else
		memcpy(member, &wide, size);
}

/* What the driver does not know stays 0; any other failure is the call's. */
static CUresult if_known(CUresult result)
{
	return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED ?
		       CUDA_SUCCESS : result;
}

static cudaError_t get_attribute(struct cudaDeviceProp *out, size_t i, int device)
{
	int value = 0;

	TRY(if_known(cuda.cuDeviceGetAttribute(&value, (CUdevice_attribute)rows[i].attribute,
					       device)));
	store((char *)out + rows[i].offset, rows[i].size, value);
	return cudaSuccess;
}

cudaError_t properties_get(struct cudaDeviceProp *out, int device)
{
	int value;

	if (!out)
		return cudaErrorInvalidValue;
	TRY(cuda.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
	memset(out, 0, sizeof(*out));
	TRY(cuda.cuDeviceGetName(out->name, sizeof(out->name), device));
	TRY(cuda.cuDeviceTotalMem(&out->totalGlobalMem, device));
	TRY(if_known(cuda.cuDeviceGetUuid(&out->uuid, device)));
	TRY(if_known(cuda.cuDeviceGetLuid(out->luid, &out->luidDeviceNodeMask, device)));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		TRY(get_attribute(out, i, device));
	return cudaSuccess;
}
