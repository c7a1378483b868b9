/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What handlers need of the host's processor that C cannot say: the
 * floating-point mode, a clock, and one bit per lane from rows of 0 and -1.
 * Everything that is not portable is here.
 */
#ifndef CPU_MACHINE_H
#define CPU_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <x86intrin.h>

/* MXCSR: all exceptions masked, a rounding, flushing of subnormals or not. */
enum fp_mode {
	FP_RN = 0x1f80,
	FP_RM = 0x3f80,
	FP_RP = 0x5f80,
	FP_RZ = 0x7f80,
	FP_RN_FTZ = 0x9fc0,
	FP_RM_FTZ = 0xbfc0,
	FP_RP_FTZ = 0xdfc0,
	FP_RZ_FTZ = 0xffc0,
};

/* The memory clobber keeps the operands' loads after the switch. */
static inline void fp_write(uint32_t mode)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mode) : "memory");
}

/* A counter that never goes back. */
static inline uint64_t host_ticks(void)
{
	return __rdtsc();
}

/*
 * Tells whether valgrind executes this process: it answers what a processor takes for rotations by
 * 128 bits (VALGRIND_DO_CLIENT_REQUEST, RUNNING_ON_VALGRIND).
 */
static inline bool host_is_valgrind(void)
{
	const uint64_t request[6] = { 0x1001 };
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer;
}
#elif defined(__aarch64__)

/* FPCR: a rounding in bits 22 and 23, flushing of subnormals in bit 24. */
enum fp_mode {
	FP_RN = 0,
	FP_RM = 2 << 22,
	FP_RP = 1 << 22,
	FP_RZ = 3 << 22,
	FP_RN_FTZ = FP_RN | 1 << 24,
	FP_RM_FTZ = FP_RM | 1 << 24,
	FP_RP_FTZ = FP_RP | 1 << 24,
	FP_RZ_FTZ = FP_RZ | 1 << 24,
};

static inline void fp_write(uint32_t mode)
{
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)mode) : "memory");
}

static inline uint64_t host_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}
#else
#error "no floating-point mode is known for this processor"
#endif

/*
 * VECTOR_BYTES: what a vector register holds. collect: one bit per element from
 * 32 that are 0 or -1, aligned to 64 bytes. widen_floats: 8 elements; compilers
 * do not see that a conversion of half a vector from memory is one instruction.
 */
#if defined(__AVX512DQ__)
enum { VECTOR_BYTES = 64 };

static inline uint32_t collect32(const int32_t *t)
{
	return _mm512_movepi32_mask(_mm512_load_si512(t)) |
	       (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(t + 16)) << 16;
}

static inline uint32_t collect64(const int64_t *t)
{
	uint32_t bits = 0;

	for (int l = 0; l < 32; l += 8)
		bits |= (uint32_t)_mm512_movepi64_mask(_mm512_load_si512(t + l)) << l;
	return bits;
}

static inline void widen_floats(double to[8], const float from[8])
{
	_mm512_storeu_pd(to, _mm512_cvtps_pd(_mm256_loadu_ps(from)));
}
#elif defined(__AVX2__)
enum { VECTOR_BYTES = 32 };

static inline uint32_t collect32(const int32_t *t)
{
	uint32_t bits = 0;

	for (int l = 0; l < 32; l += 8)
		bits |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)(t + l))) << l;
	return bits;
}

static inline uint32_t collect64(const int64_t *t)
{
	uint32_t bits = 0;

	for (int l = 0; l < 32; l += 4)
		bits |= (uint32_t)_mm256_movemask_pd(_mm256_load_pd((const double *)(t + l))) << l;
	return bits;
}

static inline void widen_floats(double to[8], const float from[8])
{
	_mm256_storeu_pd(to, _mm256_cvtps_pd(_mm_loadu_ps(from)));
	_mm256_storeu_pd(to + 4, _mm256_cvtps_pd(_mm_loadu_ps(from + 4)));
}
#elif defined(__SSE2__)
enum { VECTOR_BYTES = 16 };

static inline uint32_t collect32(const int32_t *t)
{
	uint32_t bits = 0;

	for (int l = 0; l < 32; l += 4)
		bits |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)(t + l))) << l;
	return bits;
}

static inline uint32_t collect64(const int64_t *t)
{
	uint32_t bits = 0;

	for (int l = 0; l < 32; l += 2)
		bits |= (uint32_t)_mm_movemask_pd(_mm_load_pd((const double *)(t + l))) << l;
	return bits;
}
#else
enum { VECTOR_BYTES = 16 };

static inline uint32_t collect32(const int32_t *t)
{
	uint32_t bits = 0;

	for (int l = 0; l < 32; l++)
		bits |= ((uint32_t)t[l] & 1) << l;
	return bits;
}

static inline uint32_t collect64(const int64_t *t)
{
	uint32_t bits = 0;

	for (int l = 0; l < 32; l++)
		bits |= ((uint32_t)t[l] & 1) << l;
	return bits;
}
#endif

#ifndef __AVX2__
static inline void widen_floats(double to[8], const float from[8])
{
	for (int i = 0; i < 8; i++)
		to[i] = from[i];
}
#endif

#ifdef __F16C__
/* 8 halves, exactly; a NaN becomes a quiet one. */
static inline void widen_halves(float to[8], const uint16_t from[8])
{
	_mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from)));
}
#endif

#endif
