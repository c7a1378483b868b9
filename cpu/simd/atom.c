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

/* Where the @size bytes at @address are, most often in shared memory; 0: lane @l has a fault. */
static inline uint64_t reach(struct warp *w, const struct op *ip, uint64_t address,
			     uint32_t size, unsigned l)
{
	struct hit *hit = (struct hit *)((char *)w->hits + ip->c);
	const uint64_t offset = address - (uint64_t)w->shared;

	if (offset < w->shared_size && size <= w->shared_size - offset && !(address & (size - 1)))
		return address;
	if (likely(address - hit->base < hit->size &&
		   size <= hit->size - (address - hit->base) && !(address & (size - 1))))
		return address + hit->distance;
	return memory_reach(w, ip, hit, address, size, size, l, true) ? address + hit->distance :
									0;
}

/* update_X(): *@at = expr of old and b; returns old. */
#define UPDATE(name, T, U, expr)                                                           \
	static inline T new_##name(T old, T b)                                             \
	{                                                                                  \
		return expr;                                                               \
	}                                                                                  \
	static inline T update_##name(const struct warp *w, uint64_t at, T value)          \
	{                                                                                  \
		U before, after;                                                           \
		T old, new;                                                                \
                                                                                           \
		if (in_shared(w, at)) {                                                    \
			old = *(T *)at;                                                    \
			*(T *)at = new_##name(old, value);                                 \
			return old;                                                        \
		}                                                                          \
		before = __atomic_load_n((U *)at, __ATOMIC_RELAXED);                       \
		do {                                                                       \
			__builtin_memcpy(&old, &before, sizeof(T));                        \
			new = new_##name(old, value);                                      \
			__builtin_memcpy(&after, &new, sizeof(T));                         \
		} while (!__atomic_compare_exchange_n((U *)at, &before, after, false,      \
						      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
		return old;                                                                \
	}

/* d = *a; *a = expr of old and b. The address is row a plus imm, b: row of values. */
#define ATOMIC(name, T, U, expr)                                                           \
	UPDATE(name, T, U, expr)                                                           \
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
                                                                                           \
			if (unlikely(!at))                                                 \
				HALT;                                                      \
			d[l] = update_##name(w, at, b[l]);                                 \
		}                                                                          \
		NEXT;                                                                      \
	}

enum { MOST_ELEMENTS = 8 };

/* The same for vectors of b elements; rows d and a of each are in an op of its own after it. */
#define ATOMIC_VECTOR(name, T)                                                             \
	HANDLE(atom_vector_##name)                                                         \
	{                                                                                  \
		const uint64_t *a = ROW(uint64_t, a);                                      \
		uint32_t count = (uint32_t)ip->b;                                          \
                                                                                           \
		SET_MODE_RN;                                                               \
		EACH_ACTIVE                                                                \
		{                                                                          \
			uint64_t at = reach(w, ip, a[l] + (uint64_t)ip->imm,               \
					    count * (uint32_t)sizeof(T), l);               \
			T values[MOST_ELEMENTS];                                           \
                                                                                           \
			if (unlikely(!at))                                                 \
				HALT;                                                      \
			for (uint32_t i = 0; i < count; i++)                               \
				values[i] = ((const T *)(w->rows + ip[1 + i].a))[l];       \
			for (uint32_t i = 0; i < count; i++)                               \
				((T *)(w->rows + ip[1 + i].d))[l] =                        \
					update_##name(w, at + i * sizeof(T), values[i]);   \
		}                                                                          \
		GOTO(ip + 1 + count);                                                      \
	}

/* The same where the host has an instruction that returns the old value. */
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

/* The new value is in row ip[1].d. */
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

/* The only two of 16 bytes. */
HANDLE(atom_exch_16)
{
	u128 *d = ROW(u128, d);
	const uint64_t *a = ROW(uint64_t, a);
	const u128 *b = ROW(u128, b);

	EACH_ACTIVE
	{
		uint64_t at = reach(w, ip, a[l] + (uint64_t)ip->imm, sizeof(*d), l);
		u128 old = 0, seen, new = b[l];

		if (unlikely(!at))
			HALT;
		while ((seen = cas16((u128 *)at, old, new)) != old)
			old = seen;
		d[l] = old;
	}
	NEXT;
}

HANDLE(atom_cas_16)
{
	u128 *d = ROW(u128, d);
	const uint64_t *a = ROW(uint64_t, a);
	const u128 *b = ROW(u128, b);
	const u128 *c = (const u128 *)(w->rows + ip[1].d);

	EACH_ACTIVE
	{
		uint64_t at = reach(w, ip, a[l] + (uint64_t)ip->imm, sizeof(*d), l);

		if (unlikely(!at))
			HALT;
		d[l] = cas16((u128 *)at, b[l], c[l]);
	}
	GOTO(ip + 2);
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
/* Of two NaNs it is b's, whichever operand a compiler takes first: emit/atomic.c does the same. */
ATOMIC(add_f64, f64, uint64_t, op_add_f64(b == b ? old : 0, b))
ATOMIC(add_f16, f16, uint16_t, op_add_f16(old, b))
ATOMIC(add_bf16, bf16, uint16_t, op_add_bf16(old, b))

#define HALVES(op) (uint32_t)op((uint16_t)old, (uint16_t)b) |                               \
	(uint32_t)op((uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16
ATOMIC(add_f16x2, uint32_t, uint32_t, HALVES(op_add_f16))
ATOMIC(add_bf16x2, uint32_t, uint32_t, HALVES(op_add_bf16))

ATOMIC_VECTOR(add_f32, f32)
#define HALF_VECTORS(T)                                                                    \
	UPDATE(min_##T, T, uint16_t, op_min_##T(old, b))                                   \
	UPDATE(max_##T, T, uint16_t, op_max_##T(old, b))                                   \
	UPDATE(min_##T##x2, uint32_t, uint32_t, HALVES(op_min_##T))                        \
	UPDATE(max_##T##x2, uint32_t, uint32_t, HALVES(op_max_##T))                        \
	ATOMIC_VECTOR(add_##T, T) ATOMIC_VECTOR(add_##T##x2, uint32_t)                     \
	ATOMIC_VECTOR(min_##T, T) ATOMIC_VECTOR(min_##T##x2, uint32_t)                     \
	ATOMIC_VECTOR(max_##T, T) ATOMIC_VECTOR(max_##T##x2, uint32_t)
HALF_VECTORS(f16)
HALF_VECTORS(bf16)
