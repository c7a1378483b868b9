/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Operations across the lanes of a warp. A .sync op begins when every live lane
 * of its member mask has reached it. Operands that may be immediates are
 * distinguished by bits of the next op's imm: set for a row, clear for a slot.
 */
#include "simd.h"
#include "sync.h"

/* Element @l of the operand at @at: of a row when @row, else a slot's value. */
#define ELEMENT(at, row, l) (((const uint32_t *)(w->rows + (at)))[(row) ? (l) : 0])

/*
 * The lanes that participate: those of the first running lane's member mask.
 * Lanes that run with another mask wait at @ip and execute it later.
 */
static inline uint32_t members_of(struct warp *w, const struct op *ip, int32_t at, bool row)
{
	uint32_t members = ELEMENT(at, row, (unsigned)__builtin_ctz(w->mask)), other = 0;

	if (!row)
		return members;
	EACH_ACTIVE if (ELEMENT(at, true, l) != members) other |= 1u << l;
	if (unlikely(other)) {
		warp_wait(w, ip, other, GROUP_READY, 0);
		warp_set_mask(w, w->mask & ~other);
		w->rotated = true;
	}
	return members;
}

/* Waits for the members; when some are missing, continues with another group. */
#define GATHER(at, row)                                                                    \
	do {                                                                               \
		uint32_t members_ = members_of(w, ip, at, row);                            \
		const struct op *next_ = NULL;                                             \
                                                                                           \
		if (unlikely(w->mask & ~members_) && config.check & CHECK_SYNC)            \
			sync_nonmember(w, ip, w->mask & ~members_);                         \
		if (unlikely(members_ & w->live & ~w->mask))                               \
			next_ = warp_gather(w, ip, members_);                              \
		if (unlikely(next_))                                                       \
			GOTO(next_);                                                       \
	} while (0)

enum { ROW_B = 1, ROW_C = 2, ROW_MEMBERS = 4 };

/* d, predicate ip[1].d = a of the lane that b and c name; imm: member masks */
#define SHUFFLE(mode, source, inside)                                                      \
	HANDLE(shfl_##mode)                                                                \
	{                                                                                  \
		uint32_t *d = ROW(uint32_t, d), bits = 0, absent = 0;                      \
		uint32_t a[LANES];                                                         \
		int64_t rows = ip[1].imm;                                                  \
                                                                                           \
		GATHER((int32_t)ip->imm, rows & ROW_MEMBERS);                              \
		__builtin_memcpy(a, ROW(uint32_t, a), sizeof(a));                          \
		EACH_ACTIVE                                                                \
		{                                                                          \
			uint32_t b = ELEMENT(ip->b, rows & ROW_B, l) & 31;                 \
			uint32_t c = ELEMENT(ip->c, rows & ROW_C, l);                      \
			uint32_t segment = c >> 8 & 31;                                    \
			int32_t most = (int32_t)((l & segment) | (c & 31 & ~segment));     \
			int32_t from = (int32_t)(source);                                  \
			bool in = inside;                                                  \
                                                                                           \
			d[l] = a[in ? (uint32_t)from & 31 : l];                            \
			bits |= (uint32_t)in << l;                                         \
			absent |= (uint32_t)(in && !(w->mask >> (from & 31) & 1)) << l;    \
		}                                                                          \
		if (unlikely(absent) && config.check & CHECK_SYNC)                         \
			sync_absent(w, ip, absent);                                        \
		*(uint32_t *)(w->rows + ip[1].d) =                                         \
			(*(uint32_t *)(w->rows + ip[1].d) & ~w->mask) | bits;              \
		GOTO(ip + 2);                                                              \
	}
SHUFFLE(up, l - b, from >= most)
SHUFFLE(down, l + b, from <= most)
SHUFFLE(bfly, l ^ b, from <= most)
SHUFFLE(idx, (l & segment) | (b & ~segment), from <= most)

/* a: predicate, b: member masks, imm: 1 when b is a row */
#define VOTE(name, result)                                                                 \
	HANDLE(vote_##name)                                                                \
	{                                                                                  \
		uint32_t a;                                                                \
                                                                                           \
		GATHER(ip->b, ip->imm & 1);                                                \
		a = PRED(a) & w->mask;                                                     \
		result;                                                                    \
		NEXT;                                                                      \
	}
VOTE(all, SET_PRED(d, a == w->mask ? ~0u : 0))
VOTE(any, SET_PRED(d, a ? ~0u : 0))
VOTE(uni, SET_PRED(d, a == w->mask || !a ? ~0u : 0))
VOTE(ballot, BLEND(uint32_t, ROW(uint32_t, d), a))

HANDLE(activemask)
{
	uint32_t *d = ROW(uint32_t, d);

	BLEND(uint32_t, d, w->mask);
	NEXT;
}

/* d: lanes with the same a; c: member masks, imm: 1 when it is a row */
#define MATCH_ANY(width, T)                                                                \
	HANDLE(match_any_##width)                                                          \
	{                                                                                  \
		uint32_t *d = ROW(uint32_t, d), same[LANES] = { 0 };                       \
		const T *a = ROW(T, a);                                                    \
                                                                                           \
		GATHER(ip->c, ip->imm & 1);                                                \
		EACH_ACTIVE for (uint32_t k = 0; k < LANES; k++) same[l] |=                \
			(w->mask >> k & 1 && a[k] == a[l] ? 1u : 0) << k;                  \
		EACH_ACTIVE d[l] = same[l];                                                \
		NEXT;                                                                      \
	}                                                                                  \
	HANDLE(match_all_##width)                                                          \
	{                                                                                  \
		uint32_t *d = ROW(uint32_t, d);                                            \
		const T *a = ROW(T, a);                                                    \
		bool all = true;                                                           \
		T first;                                                                   \
                                                                                           \
		GATHER(ip->c, ip->imm & 1);                                                \
		first = a[__builtin_ctz(w->mask)];                                         \
		EACH_ACTIVE all &= a[l] == first;                                          \
		EACH_ACTIVE d[l] = all ? w->mask : 0;                                      \
		SET_PRED(b, all ? ~0u : 0);                                                \
		NEXT;                                                                      \
	}
MATCH_ANY(4, uint32_t)
MATCH_ANY(8, uint64_t)

/* d: the combination of all a; b: member masks, imm: 1 when it is a row */
#define REDUCE(name, T, expr)                                                              \
	HANDLE(redux_##name)                                                               \
	{                                                                                  \
		T *d = ROW(T, d);                                                          \
		const T *a = ROW(T, a);                                                    \
		T x;                                                                       \
                                                                                           \
		GATHER(ip->b, ip->imm & 1);                                                \
		x = a[__builtin_ctz(w->mask)];                                             \
		FOR_BITS(l, w->mask & (w->mask - 1)) {                                     \
			T y = a[l];                                                        \
                                                                                           \
			x = expr;                                                          \
		}                                                                          \
		BLEND(T, d, x);                                                            \
		NEXT;                                                                      \
	}
REDUCE(add, uint32_t, x + y)
REDUCE(and, uint32_t, x &y)
REDUCE(or, uint32_t, x | y)
REDUCE(xor, uint32_t, x ^ y)
REDUCE(min_u32, uint32_t, x < y ? x : y)
REDUCE(max_u32, uint32_t, x > y ? x : y)
REDUCE(min_s32, int32_t, x < y ? x : y)
REDUCE(max_s32, int32_t, x > y ? x : y)

/* d: the lowest lane that runs, predicate a: whether it is this one; b: members */
HANDLE(elect)
{
	uint32_t *d = ROW(uint32_t, d);
	uint32_t leader;

	GATHER(ip->b, ip->imm & 1);
	leader = (uint32_t)__builtin_ctz(w->mask);
	EACH_ACTIVE d[l] = leader;
	SET_PRED(a, 1u << leader);
	NEXT;
}
