/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Atomic operations, one lane after the other. Those on shared memory need no
 * host atomics: a CTA is run by one thread at a time.
 */
#include "op_float.h"
#include "op_half.h"
#include "simd.h"

static inline bool in_shared(const struct warp *w, uint64_t address)
{
	return address - (uint64_t)w->shared < w->shared_size;
}

/* Where lane @l's @size bytes are, or 0 after a fault. */
static inline uint64_t reach(struct warp *w, const struct op *ip, uint64_t address,
			     uint32_t size, unsigned l)
{
	struct hit *hit = (struct hit *)((char *)w->hits + ip->c);

	if (likely(address - hit->base < hit->size &&
		   size <= hit->size - (address - hit->base) && !(address & (size - 1))))
		return address;
	return memory_reach(w, ip, hit, address, size, size, l, true) ? address : 0;
}

/* d = *a; *a = expr of old and b. The address is row a plus ip[1].imm, b: row of values. */
#define ATOMIC(name, T, U, expr)                                                           \
	static inline T new_##name(T old, T b)                                             \
	{                                                                                  \
		return expr;                                                               \
	}                                                                                  \
	HANDLE(atom_##name)                                                                \
	{                                                                                  \
		T *d = ROW(T, d);                                                          \
		const uint64_t *a = ROW(uint64_t, a);                                      \
		const T *b = ROW(T, b);                                                    \
                                                                                           \
		SET_MODE_RN;                                                               \
		EACH_ACTIVE                                                                \
		{                                                                          \
			uint64_t at = reach(w, ip, a[l] + (uint64_t)ip->imm, sizeof(T), l);\
			T value = b[l], old, new;                                          \
			U before, after;                                                   \
                                                                                           \
			if (unlikely(!at))                                                 \
				HALT;                                                      \
			if (in_shared(w, at)) {                                            \
				old = *(T *)at;                                            \
				*(T *)at = new_##name(old, value);                         \
				d[l] = old;                                                \
				continue;                                                  \
			}                                                                  \
			before = __atomic_load_n((U *)at, __ATOMIC_RELAXED);               \
			do {                                                               \
				__builtin_memcpy(&old, &before, sizeof(T));                \
				new = new_##name(old, value);                              \
				__builtin_memcpy(&after, &new, sizeof(T));                 \
			} while (!__atomic_compare_exchange_n((U *)at, &before, after,     \
							      false, __ATOMIC_SEQ_CST,     \
							      __ATOMIC_RELAXED));          \
			d[l] = old;                                                        \
		}                                                                          \
		NEXT;                                                                      \
	}

/* The same where the host has an instruction that gives the old value. */
#define ATOMIC_FETCH(name, T, expr, fetch)                                                 \
	HANDLE(atom_##name)                                                                \
	{                                                                                  \
		T *d = ROW(T, d);                                                          \
		const uint64_t *a = ROW(uint64_t, a);                                      \
		const T *row = ROW(T, b);                                                  \
                                                                                           \
		EACH_ACTIVE                                                                \
		{                                                                          \
			uint64_t at = reach(w, ip, a[l] + (uint64_t)ip->imm, sizeof(T), l);\
			T b = row[l], old;                                                 \
                                                                                           \
			if (unlikely(!at))                                                 \
				HALT;                                                      \
			if (in_shared(w, at)) {                                            \
				old = *(T *)at;                                            \
				*(T *)at = expr;                                           \
			} else {                                                           \
				old = fetch((T *)at, b, __ATOMIC_SEQ_CST);                 \
			}                                                                  \
			d[l] = old;                                                        \
		}                                                                          \
		NEXT;                                                                      \
	}

/* The value to put stands in row ip[1].d. */
#define ATOMIC_CAS(width, T)                                                               \
	HANDLE(atom_cas_##width)                                                           \
	{                                                                                  \
		T *d = ROW(T, d);                                                          \
		const uint64_t *a = ROW(uint64_t, a);                                      \
		const T *b = ROW(T, b);                                                    \
		const T *c = (const T *)(w->rows + ip[1].d);                               \
                                                                                           \
		EACH_ACTIVE                                                                \
		{                                                                          \
			uint64_t at = reach(w, ip, a[l] + (uint64_t)ip->imm, sizeof(T), l);\
			T old = b[l], new = c[l];                                          \
                                                                                           \
			if (unlikely(!at))                                                 \
				HALT;                                                      \
			__atomic_compare_exchange_n((T *)at, &old, new, false,             \
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
			d[l] = old;                                                        \
		}                                                                          \
		GOTO(ip + 2);                                                              \
	}

#define INTEGER(width, T)                                                                  \
	ATOMIC_FETCH(add_##width, T, old + b, __atomic_fetch_add)                          \
	ATOMIC_FETCH(and_##width, T, old &b, __atomic_fetch_and)                           \
	ATOMIC_FETCH(or_##width, T, old | b, __atomic_fetch_or)                            \
	ATOMIC_FETCH(xor_##width, T, old ^ b, __atomic_fetch_xor)                          \
	ATOMIC_FETCH(exch_##width, T, b, __atomic_exchange_n)                              \
	ATOMIC_CAS(width, T)
INTEGER(4, uint32_t)
INTEGER(8, uint64_t)
ATOMIC_CAS(2, uint16_t)

#define ORDERED(type, T, U)                                                                \
	ATOMIC(min_##type, T, U, b < old ? b : old)                                        \
	ATOMIC(max_##type, T, U, b > old ? b : old)
ORDERED(u32, uint32_t, uint32_t)
ORDERED(s32, int32_t, uint32_t)
ORDERED(u64, uint64_t, uint64_t)
ORDERED(s64, int64_t, uint64_t)
ATOMIC(inc_u32, uint32_t, uint32_t, old >= b ? 0 : old + 1)
ATOMIC(dec_u32, uint32_t, uint32_t, !old || old > b ? b : old - 1)
ATOMIC(add_f32, f32, uint32_t, op_add_f32(old, b))
ATOMIC(add_f64, f64, uint64_t, op_add_f64(old, b))
ATOMIC(add_f16, f16, uint16_t, op_add_f16(old, b))
ATOMIC(add_bf16, bf16, uint16_t, op_add_bf16(old, b))

#define HALVES(op) (uint32_t)op((uint16_t)old, (uint16_t)b) |                               \
	(uint32_t)op((uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16
ATOMIC(add_f16x2, uint32_t, uint32_t, HALVES(op_add_f16))
ATOMIC(add_bf16x2, uint32_t, uint32_t, HALVES(op_add_bf16))
