/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A substitute for NVIDIA's static CUDA runtime: all its functions, at the distances that they
 * have in the archive of 13.0, with its entries of .eh_frame and its visibility. Each returns
 * cudaErrorInsufficientDriver, as NVIDIA's do where there is no driver. They begin as most of NVIDIA's
 * do, which debuggers look at.
 *
 * -DPACKED: one after the other, which is no archive that is known; with that alone -DNEWER and
 * -DTWELVE: with a function that ours has not, with one of CUDA 12 alone. -DMOCK: others see them.
 */
#define TEXT(...)  #__VA_ARGS__
#define STRING(x)  TEXT(x)
#define FUNCTION(name)                                                              \
	".globl " #name "\n" HIDE(name) ".type " #name ", @function\n" #name ":\n"  \
	".cfi_startproc\npush %rbp\nmov %rsp, %rbp\nmov $35, %eax\npop %rbp\nret\n" \
	".cfi_endproc\n.size " #name ", .-" #name "\n"
#ifdef MOCK
#define HIDE(name) ""
#else
#define HIDE(name) ".hidden " #name "\n"
#endif

/* The name of a table of the driver that NVIDIA's asks for. */
__attribute__((used, visibility("hidden"))) const unsigned char asked_table[] = {
	0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
	0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9,
};

#ifdef PACKED

/* The twins come last, so that what is between is between two that are known. */
#define PUT(part, name) __asm__(".text " #part "\n.balign 16, 0x90\n" FUNCTION(name));
#define BOTH(name, twin) PUT(0, name) PUT(2, twin)
#define CUDART(name, ...) PUT(0, name)
#define CUDART_PTSZ(name, ...) BOTH(name, name##_ptsz)
#define CUDART_PTDS(name, ...) BOTH(name, name##_ptds)
#define CUDART_OWN_PTSZ CUDART_PTSZ
#define CUDART_OTHER(name) PUT(0, name)
#define CUDART_REFUSED(name) PUT(0, name)
#define CUDART_REFUSED_PTSZ(name) BOTH(name, name##_ptsz)
#define CUDART_REFUSED_PTDS(name) BOTH(name, name##_ptds)
#include "cudart_api.def"
#ifdef NEWER
PUT(1, cudaFooBar)
#endif
#ifdef TWELVE
PUT(1, cudaGetDeviceProperties_v2)
#endif

#else

#define AT(name, slot) __asm__(".org runtime + " STRING(slot) " * 16, 0x90\n" FUNCTION(name));
__asm__(".text\n.balign 16\nruntime:\n");
#include "archive_13_0.def"

#endif
__asm__(".text 3\n.balign 16, 0x90\n.skip 64, 0x90\n");
