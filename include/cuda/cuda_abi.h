/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The CUDA driver's binary interface: the types, codes and numbers that the
 * runtime (above the driver) and the CPU device (a driver) have to agree on.
 * Names are the CUDA driver API's; values are those of CUDA 11 to 13 and are
 * checked against the real cuda.h by a test where one is found.
 */
#ifndef CUDA_ABI_H
#define CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "cuda_abi_memory.h"

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;

typedef struct CUuuid_st {
	char bytes[16];
} CUuuid;

typedef void (*CUhostFn)(void *user_data);
typedef size_t (*CUoccupancyB2DSize)(int block_size);

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgreenCtx_st *CUgreenCtx;

typedef struct CUgraphEdgeData_st {
	unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef enum CUexecAffinityType_enum {
	CU_EXEC_AFFINITY_TYPE_SM_COUNT = 0,
} CUexecAffinityType;

typedef struct CUexecAffinityParam_st {
	CUexecAffinityType type;
	unsigned smCount;
} CUexecAffinityParam;

typedef enum CUdevResourceType_enum {
	CU_DEV_RESOURCE_TYPE_INVALID = 0,
	CU_DEV_RESOURCE_TYPE_SM = 1,
} CUdevResourceType;

/* Numbers of multiprocessors: all, the fewest of a share, what each share is a multiple of. */
typedef struct CUdevSmResource_st {
	unsigned smCount, minSmPartitionSize, smCoscheduledAlignment;
} CUdevSmResource;

typedef struct CUdevResource_st {
	CUdevResourceType type;
	unsigned char internal[92]; /* of the driver itself */
	union {
		CUdevSmResource sm;
		unsigned char pad[48];
	};
} CUdevResource;

/* At most one of the two is to be given. */
typedef struct CUctxCreateParams_st {
	CUexecAffinityParam *execAffinityParams;
	int numExecAffinityParams;
	void *cigParams;
} CUctxCreateParams;

typedef struct CUdevprop_st {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	int sharedMemPerBlock, totalConstantMemory;
	int SIMDWidth; /* of a warp */
	int memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

typedef enum CUdevice_P2PAttribute_enum {
	CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
	CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
	CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
	CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
} CUdevice_P2PAttribute;

typedef enum CUatomicOperation_enum {
	CU_ATOMIC_OPERATION_INTEGER_ADD = 0,
	CU_ATOMIC_OPERATION_CAS = 9,
	CU_ATOMIC_OPERATION_FLOAT_MAX = 12,
} CUatomicOperation;

typedef enum CUflushGPUDirectRDMAWritesTarget_enum {
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0,
} CUflushGPUDirectRDMAWritesTarget;

typedef enum CUflushGPUDirectRDMAWritesScope_enum {
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100,
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200,
} CUflushGPUDirectRDMAWritesScope;

/* Messages of the driver. An iterator is the number of the next one. */
typedef enum CUlogLevel_enum { CU_LOG_LEVEL_ERROR = 0, CU_LOG_LEVEL_WARNING = 1 } CUlogLevel;
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef void (*CUlogsCallback)(void *data, CUlogLevel level, char *message, size_t length);
typedef unsigned int CUlogIterator;

/* Streams that are numbers, not objects. */
#define CU_STREAM_LEGACY     ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

enum {
	CU_CTX_SCHED_AUTO = 0,
	CU_CTX_SCHED_SPIN = 1,
	CU_CTX_SCHED_YIELD = 2,
	CU_CTX_SCHED_BLOCKING_SYNC = 4,
	CU_CTX_SCHED_MASK = 7,
	CU_CTX_MAP_HOST = 8,
	CU_CTX_LMEM_RESIZE_TO_MAX = 16,
};
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
typedef enum CUstreamCaptureStatus_enum {
	CU_STREAM_CAPTURE_STATUS_NONE = 0,
	CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
	CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
} CUstreamCaptureStatus;

typedef enum CUstreamCaptureMode_enum {
	CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
	CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
	CU_STREAM_CAPTURE_MODE_RELAXED = 2,
} CUstreamCaptureMode;

/* When cuStreamWaitValue ends: (int)(*p - value) >= 0, *p == value, *p & value, ~(*p | value). */
enum {
	CU_STREAM_WAIT_VALUE_GEQ = 0,
	CU_STREAM_WAIT_VALUE_EQ = 1,
	CU_STREAM_WAIT_VALUE_AND = 2,
	CU_STREAM_WAIT_VALUE_NOR = 3,
	CU_STREAM_WAIT_VALUE_FLUSH = 1073741824,
};
enum { CU_STREAM_WRITE_VALUE_DEFAULT = 0, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 1 };

typedef enum CUstreamBatchMemOpType_enum {
	CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
	CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
	CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
	CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
	CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
	CU_STREAM_MEM_OP_BARRIER = 6,
} CUstreamBatchMemOpType;

/* The operations with a value are of one shape. */
typedef union CUstreamBatchMemOpParams_union {
	CUstreamBatchMemOpType operation;
	struct {
		CUstreamBatchMemOpType operation;
		CUdeviceptr address;
		union {
			uint32_t value;
			uint64_t value64;
		};
		unsigned flags;
		CUdeviceptr alias;
	} waitValue, writeValue;
	uint64_t pad[6];
} CUstreamBatchMemOpParams;

enum { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2, CU_MEM_ATTACH_SINGLE = 4 };
enum {
	CU_MEMHOSTALLOC_PORTABLE = 1,
	CU_MEMHOSTALLOC_DEVICEMAP = 2,
	CU_MEMHOSTALLOC_WRITECOMBINED = 4,
};
enum { CU_MEMHOSTREGISTER_IOMEMORY = 4 };

/* cuGetProcAddress: which default stream the call is to have, and what was found. */
enum {
	CU_GET_PROC_ADDRESS_DEFAULT = 0,
	CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
	CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2,
};
typedef enum CUdriverProcAddressQueryResult_enum {
	CU_GET_PROC_ADDRESS_SUCCESS = 0,
	CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
	CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
} CUdriverProcAddressQueryResult;

/* The extra argument of cuLaunchKernel. */
#define CU_LAUNCH_PARAM_END            ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)

typedef union CUlaunchAttributeValue_union {
	char pad[64];
	int cooperative;
	int syncPolicy;
	struct {
		unsigned x, y, z;
	} clusterDim;
	int clusterSchedulingPolicyPreference;
	struct {
		CUevent event;
		int flags, triggerAtBlockStart;
	} programmaticEvent;
	struct {
		CUevent event;
		int flags;
	} launchCompletionEvent;
	int priority;
	struct {
		unsigned char default_, remote;
	} memSyncDomainMap;
	int memSyncDomain;
} CUlaunchAttributeValue;

typedef enum CUlaunchAttributeID_enum {
	CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
	CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
	CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
	CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
	CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
	CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
	CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
	CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
} CUlaunchAttributeID;

typedef struct CUlaunchAttribute_st {
	CUlaunchAttributeID id;
	char pad[4];
	CUlaunchAttributeValue value;
} CUlaunchAttribute;

/* What a stream has is some of what a launch may have. */
typedef CUlaunchAttributeID CUstreamAttrID;
typedef CUlaunchAttributeValue CUstreamAttrValue;

enum {
	CU_CLUSTER_SCHEDULING_POLICY_SPREAD = 1,
	CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING = 2,
};

typedef struct CUlaunchConfig_st {
	unsigned gridDimX, gridDimY, gridDimZ;
	unsigned blockDimX, blockDimY, blockDimZ;
	unsigned sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned numAttrs;
} CUlaunchConfig;

/* Cooperative launches on several devices. */
enum {
	CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC = 1,
	CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC = 2,
};
typedef struct CUDA_LAUNCH_PARAMS_st {
	CUfunction function;
	unsigned gridDimX, gridDimY, gridDimZ;
	unsigned blockDimX, blockDimY, blockDimZ;
	unsigned sharedMemBytes;
	CUstream hStream;
	void **kernelParams;
} CUDA_LAUNCH_PARAMS;

typedef struct CUtensorMap_st {
	_Alignas(64) uint64_t opaque[16];
} CUtensorMap;

/*
 * CUresult: CUDA_ERROR(name, number, meaning), in order of number. The meaning
 * is ours: cuGetErrorName fails once the driver is down.
 */
/* clang-format off */
#define CUDA_RESULTS                                                                         \
	CUDA_ERROR(CUDA_SUCCESS, 0, "success")                                               \
	CUDA_ERROR(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                          \
	CUDA_ERROR(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                             \
	CUDA_ERROR(CUDA_ERROR_NOT_INITIALIZED, 3, "the driver is not initialised")           \
	CUDA_ERROR(CUDA_ERROR_DEINITIALIZED, 4, "the driver is shutting down")               \
	CUDA_ERROR(CUDA_ERROR_STUB_LIBRARY, 34, "a stub library, not a driver")              \
	CUDA_ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, "the device is busy or unavailable")   \
	CUDA_ERROR(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device")                      \
	CUDA_ERROR(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                 \
	CUDA_ERROR(CUDA_ERROR_DEVICE_NOT_LICENSED, 102, "the device is not licensed")        \
	CUDA_ERROR(CUDA_ERROR_INVALID_IMAGE, 200, "the image is invalid")                    \
	CUDA_ERROR(CUDA_ERROR_INVALID_CONTEXT, 201, "no or invalid context")                 \
	CUDA_ERROR(CUDA_ERROR_MAP_FAILED, 205, "mapping failed")                             \
	CUDA_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no code for this device")             \
	CUDA_ERROR(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error")             \
	CUDA_ERROR(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "unsupported limit")                   \
	CUDA_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, "no access between these devices") \
	CUDA_ERROR(CUDA_ERROR_INVALID_PTX, 218, "invalid PTX")                               \
	CUDA_ERROR(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219, "no OpenGL or DirectX context") \
	CUDA_ERROR(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220, "uncorrectable NVLink error")       \
	CUDA_ERROR(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, "no PTX compiler library")        \
	CUDA_ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, "PTX newer than the driver")     \
	CUDA_ERROR(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223, "PTX compilation is disabled")  \
	CUDA_ERROR(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224, "no such share of a device")   \
	CUDA_ERROR(CUDA_ERROR_INVALID_SOURCE, 300, "invalid source")                         \
	CUDA_ERROR(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                         \
	CUDA_ERROR(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, "unresolved symbol")      \
	CUDA_ERROR(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, "shared object failed")        \
	CUDA_ERROR(CUDA_ERROR_OPERATING_SYSTEM, 304, "operating system call failed")         \
	CUDA_ERROR(CUDA_ERROR_INVALID_HANDLE, 400, "invalid handle")                         \
	CUDA_ERROR(CUDA_ERROR_ILLEGAL_STATE, 401, "illegal state")                           \
	CUDA_ERROR(CUDA_ERROR_NOT_FOUND, 500, "not found")                                   \
	CUDA_ERROR(CUDA_ERROR_NOT_READY, 600, "not ready")                                   \
	CUDA_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "illegal memory access by a kernel")     \
	CUDA_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested")  \
	CUDA_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the kernel took too long")               \
	CUDA_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is enabled already") \
	CUDA_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access is not enabled")    \
	CUDA_ERROR(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "primary context is active")      \
	CUDA_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "the context was destroyed")        \
	CUDA_ERROR(CUDA_ERROR_ASSERT, 710, "a device assertion failed")                      \
	CUDA_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "already registered")     \
	CUDA_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, "not registered")             \
	CUDA_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")             \
	CUDA_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "illegal instruction")               \
	CUDA_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                 \
	CUDA_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, "invalid address space")           \
	CUDA_ERROR(CUDA_ERROR_INVALID_PC, 718, "invalid program counter")                    \
	CUDA_ERROR(CUDA_ERROR_LAUNCH_FAILED, 719, "the kernel trapped")                      \
	CUDA_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "cooperative grid too large") \
	CUDA_ERROR(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721, "tensor memory leak")                 \
	CUDA_ERROR(CUDA_ERROR_NOT_PERMITTED, 800, "not permitted")                           \
	CUDA_ERROR(CUDA_ERROR_NOT_SUPPORTED, 801, "not supported")                           \
	CUDA_ERROR(CUDA_ERROR_SYSTEM_NOT_READY, 802, "system services are not ready")        \
	CUDA_ERROR(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, "driver and library differ")      \
	CUDA_ERROR(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, "no forward compatibility") \
	CUDA_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, "invalid cluster size")             \
	CUDA_ERROR(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914, "invalid type of resource")        \
	CUDA_ERROR(CUDA_ERROR_UNKNOWN, 999, "unknown error")
/* clang-format on */

typedef enum cudaError_enum {
#define CUDA_ERROR(name, number, meaning) name = number,
	CUDA_RESULTS
#undef CUDA_ERROR
} CUresult;

typedef void (*CUstreamCallback)(CUstream stream, CUresult result, void *user_data);

typedef enum CUdevice_attribute_enum {
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
	CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
	CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
	CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
	CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
	CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
	CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
	CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
	CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
	CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
	CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
	CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
	CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
	CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
	CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
	CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
	CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
	CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
	CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
	CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
	CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
	CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
	CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
	CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
	CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
	CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
	CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
	CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
	CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
	CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
	CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
	CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
	CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 = 92,
	CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 93,
	CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 94,
	CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
	CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
	CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
	CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
	CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
	CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
	CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
	CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
	CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
	CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
	CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
	CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
	CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
	CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126,
	CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
	CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
} CUdevice_attribute;

typedef enum CUfunction_attribute_enum {
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
	CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
	CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
	CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
	CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
	CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
	CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
	CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
} CUfunction_attribute;

typedef enum CUjit_option_enum {
	CU_JIT_MAX_REGISTERS = 0,
	CU_JIT_THREADS_PER_BLOCK = 1,
	CU_JIT_WALL_TIME = 2,
	CU_JIT_INFO_LOG_BUFFER = 3,
	CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
	CU_JIT_ERROR_LOG_BUFFER = 5,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
	CU_JIT_OPTIMIZATION_LEVEL = 7,
	CU_JIT_TARGET = 9,
	CU_JIT_LOG_VERBOSE = 12,
	CU_JIT_GENERATE_LINE_INFO = 13,
} CUjit_option;

/* What cuLinkAddData is given. */
typedef enum CUjitInputType_enum {
	CU_JIT_INPUT_CUBIN = 0,
	CU_JIT_INPUT_PTX = 1,
	CU_JIT_INPUT_FATBINARY = 2,
	CU_JIT_INPUT_OBJECT = 3,
	CU_JIT_INPUT_LIBRARY = 4,
	CU_JIT_INPUT_NVVM = 5,
} CUjitInputType;

typedef enum CUlibraryOption_enum {
	CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
	CU_LIBRARY_BINARY_IS_PRESERVED = 1,
} CUlibraryOption;

typedef enum CUmoduleLoadingMode_enum {
	CU_MODULE_EAGER_LOADING = 1,
	CU_MODULE_LAZY_LOADING = 2,
} CUmoduleLoadingMode;

typedef enum CUfunctionLoadingState_enum {
	CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
	CU_FUNCTION_LOADING_STATE_LOADED = 1,
} CUfunctionLoadingState;

typedef enum CUfunc_cache_enum {
	CU_FUNC_CACHE_PREFER_NONE = 0,
	CU_FUNC_CACHE_PREFER_SHARED = 1,
	CU_FUNC_CACHE_PREFER_L1 = 2,
	CU_FUNC_CACHE_PREFER_EQUAL = 3,
} CUfunc_cache;

typedef enum CUsharedconfig_enum {
	CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0,
	CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1,
	CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2,
} CUsharedconfig;

typedef enum CUlimit_enum {
	CU_LIMIT_STACK_SIZE = 0,
	CU_LIMIT_PRINTF_FIFO_SIZE = 1,
	CU_LIMIT_MALLOC_HEAP_SIZE = 2,
	CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
	CU_LIMIT_SHMEM_SIZE = 7,
	CU_LIMIT_CIG_ENABLED = 8,
} CUlimit;

typedef enum CUpointer_attribute_enum {
	CU_POINTER_ATTRIBUTE_CONTEXT = 1,
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
	CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
	CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
	CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
	CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
	CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
	CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
	CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
	CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
	CU_POINTER_ATTRIBUTE_MAPPED = 13,
	CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
	CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
	CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
	CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
	CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,
	CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,
	CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20,
	CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE = 21,
} CUpointer_attribute;

/*
 * The three calls that only the CPU device has (see cuda_api.def). A report is
 * what a fault or the checker has to say, in lines.
 */
enum {
	GPURUN_CPU_REPORT_FAULT = 1,
	GPURUN_CPU_REPORT_FINDING = 2, /* of the checker: the oldest that was not taken yet */
	/* No text: what this thread destroys from here on, up to LEFT_END, the program left
	 * to its library. check=leak reports it. */
	GPURUN_CPU_REPORT_LEFT = 3,
	GPURUN_CPU_REPORT_LEFT_END = 4,
	GPURUN_CPU_REPORT_LAUNCHES = 5, /* a record alone: how many there were */
	GPURUN_CPU_REPORT_RUNNING = 6, /* a record alone: of the launch that runs longest */
	GPURUN_CPU_REPORT_CAUSE = 7, /* text alone: why this thread's last call failed */
	/* Added to one of the above: no lines, but a record (lib/base/report_format.h). */
	GPURUN_CPU_REPORT_RECORD = 0x100,
};

/* What the runtime library tells the device about its program, for reports and the exit status. */
enum {
	/* A launch by <<<>>> failed: the record, of @number bytes, says which, and its error. */
	GPURUN_CPU_NOTE_LAUNCH = 1,
	/* The program has read the error of this thread's launches. */
	GPURUN_CPU_NOTE_READ = 2,
	/* The program has asked what error @number is, or for the last one, which it is. */
	GPURUN_CPU_NOTE_LOOKED = 3,
	/* The program has reset the device. */
	GPURUN_CPU_NOTE_RECOVERED = 4,
	/* A call of the runtime failed: the record says which, and its error. */
	GPURUN_CPU_NOTE_CALL = 5,
	/* @record is the name of a call that was out of memory before, and has worked. */
	GPURUN_CPU_NOTE_WORKED = 6,
	/* A library has made @number of the exit status; also after the end. */
	GPURUN_CPU_NOTE_STATUS = 7,
};

#endif
