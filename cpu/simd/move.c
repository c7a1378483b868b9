/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Moves between rows, from slots, packing, widening, predicates. */
#include <time.h>

#include "simd.h"
#include "special.h"

#define MOVE(width, T)                                                                     \
	HANDLE(mov_##width##_r)                                                            \
	{                                                                                  \
		T *d = ROW(T, d);                                                          \
		const T *a = ROW(T, a);                                                    \
                                                                                           \
		BLEND(T, d, a[l]);                                                         \
		NEXT;                                                                      \
	}                                                                                  \
	HANDLE(mov_##width##_s)                                                            \
	{                                                                                  \
		T *d = ROW(T, d);                                                          \
		const T a = SLOT(T, a);                                                    \
                                                                                           \
		BLEND(T, d, a);                                                            \
		NEXT;                                                                      \
	}
MOVE(1, uint8_t)
MOVE(2, uint16_t)
MOVE(4, uint32_t)
MOVE(8, uint64_t)

HANDLE(mov_16_r)
{
	unsigned __int128 *d = ROW(unsigned __int128, d);
	const unsigned __int128 *a = ROW(unsigned __int128, a);

	EACH_ACTIVE d[l] = a[l];
	NEXT;
}

/* Slots: from one to another, or from a row whose running lanes have the same value. */
#define MOVE_SLOT(width, T)                                                                \
	HANDLE(slot_mov_##width)                                                           \
	{                                                                                  \
		PUT(T, d, SLOT(T, a));                                                     \
		NEXT;                                                                      \
	}                                                                                  \
	HANDLE(slot_take_##width)                                                          \
	{                                                                                  \
		PUT(T, d, ROW(T, a)[__builtin_ctz(w->mask)]);                              \
		NEXT;                                                                      \
	}
MOVE_SLOT(1, uint8_t)
MOVE_SLOT(2, uint16_t)
MOVE_SLOT(4, uint32_t)
MOVE_SLOT(8, uint64_t)

#define SELECT_SLOT(width, T)                                                              \
	HANDLE(slot_selp_##width)                                                          \
	{                                                                                  \
		PUT(T, d, PRED(c) & w->mask ? SLOT(T, a) : SLOT(T, b));                    \
		NEXT;                                                                      \
	}
SELECT_SLOT(2, uint16_t)
SELECT_SLOT(4, uint32_t)
SELECT_SLOT(8, uint64_t)

/* d = c ? a : b */
#define SELECT_FORM(form, T, aexpr, aat, bexpr, bat)                                       \
	HANDLE(form)                                                                       \
	{                                                                                  \
		T *d = ROW(T, d);                                                          \
		const T aexpr;                                                             \
		const T bexpr;                                                             \
		const uint32_t p = PRED(c);                                                \
                                                                                           \
		BLEND(T, d, p >> l & 1 ? aat : bat);                                       \
		NEXT;                                                                      \
	}
#define SELECT(width, T)                                                                   \
	SELECT_FORM(selp_##width##_rr, T, *a = ROW(T, a), a[l], *b = ROW(T, b), b[l])      \
	SELECT_FORM(selp_##width##_rs, T, *a = ROW(T, a), a[l], b = SLOT(T, b), b)         \
	SELECT_FORM(selp_##width##_sr, T, a = SLOT(T, a), a, *b = ROW(T, b), b[l])         \
	SELECT_FORM(selp_##width##_ss, T, a = SLOT(T, a), a, b = SLOT(T, b), b)
SELECT(2, uint16_t)
SELECT(4, uint32_t)
SELECT(8, uint64_t)

/* From elements of one width to another: narrowing cuts, widening extends by A's sign. */
#define RESIZE(from, A, to, D)                                                             \
	HANDLE(resize_##from##_##to)                                                       \
	{                                                                                  \
		D *d = ROW(D, d);                                                          \
		const A *a = ROW(A, a);                                                    \
                                                                                           \
		BLEND(D, d, (D)a[l]);                                                      \
		NEXT;                                                                      \
	}
RESIZE(u1, uint8_t, 2, uint16_t)
RESIZE(u1, uint8_t, 4, uint32_t)
RESIZE(u1, uint8_t, 8, uint64_t)
RESIZE(s1, int8_t, 2, uint16_t)
RESIZE(s1, int8_t, 4, uint32_t)
RESIZE(s1, int8_t, 8, uint64_t)
RESIZE(u2, uint16_t, 1, uint8_t)
RESIZE(u2, uint16_t, 4, uint32_t)
RESIZE(u2, uint16_t, 8, uint64_t)
RESIZE(s2, int16_t, 4, uint32_t)
RESIZE(s2, int16_t, 8, uint64_t)
RESIZE(u4, uint32_t, 1, uint8_t)
RESIZE(u4, uint32_t, 2, uint16_t)
RESIZE(u4, uint32_t, 8, uint64_t)
RESIZE(s4, int32_t, 8, uint64_t)
RESIZE(u8, uint64_t, 1, uint8_t)
RESIZE(u8, uint64_t, 2, uint16_t)
RESIZE(u8, uint64_t, 4, uint32_t)

/* Puts a into element imm of the wider d. */
HANDLE(insert)
{
	uint8_t *d = ROW(uint8_t, d);
	const uint8_t *a = ROW(uint8_t, a);
	uint32_t wide = (uint32_t)ip->b, narrow = (uint32_t)ip->c;

	d += narrow * (uint32_t)ip->imm;
	EACH_ACTIVE __builtin_memcpy(d + l * wide, a + l * narrow, narrow);
	NEXT;
}

/* Reads element imm of the wider a. */
HANDLE(extract)
{
	uint8_t *d = ROW(uint8_t, d);
	const uint8_t *a = ROW(uint8_t, a);
	uint32_t wide = (uint32_t)ip->b, narrow = (uint32_t)ip->c;

	a += narrow * (uint32_t)ip->imm;
	EACH_ACTIVE __builtin_memcpy(d + l * narrow, a + l * wide, narrow);
	NEXT;
}

#define LOGIC(name, expr)                                                                  \
	HANDLE(pred_##name)                                                                \
	{                                                                                  \
		uint32_t a = PRED(a), b = PRED(b);                                         \
                                                                                           \
		(void)b;                                                                   \
		SET_PRED(d, expr);                                                         \
		NEXT;                                                                      \
	}
LOGIC(and, a &b)
LOGIC(or, a | b)
LOGIC(xor, a ^ b)
LOGIC(not, ~a)
LOGIC(mov, a)

/* The address of imm bytes into each lane's frame, as an offset in .local. */
HANDLE(frame)
{
	uint64_t *d = ROW(uint64_t, d);

	EACH_ACTIVE d[l] = w->frame[l] + (uint64_t)ip->imm;
	NEXT;
}

/* From an offset in .local to a generic address, and back. */
HANDLE(local_address)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);
	uint64_t base = (uint64_t)w->cta->local + (uint64_t)w->index * LANES * w->cta->stack;

	EACH_ACTIVE d[l] = a[l] + base + (uint64_t)l * w->cta->stack;
	NEXT;
}

HANDLE(local_offset)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);
	uint64_t base = (uint64_t)w->cta->local + (uint64_t)w->index * LANES * w->cta->stack;

	EACH_ACTIVE d[l] = a[l] - base - (uint64_t)l * w->cta->stack;
	NEXT;
}

static uint64_t read_clock(enum special special)
{
	struct timespec time;
	uint64_t value;

	if (special == SPECIAL_CLOCK || special == SPECIAL_CLOCK64 ||
	    special == SPECIAL_CLOCK_HI) {
		value = host_ticks();
		return special == SPECIAL_CLOCK_HI ? value >> 32 : value;
	}
	clock_gettime(CLOCK_REALTIME, &time);
	value = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
	return special == SPECIAL_GLOBALTIMER_HI ? value >> 32 : value;
}

/* imm: enum special, b: bytes of an element */
HANDLE(clock)
{
	uint8_t *d = ROW(uint8_t, d);
	uint64_t value = read_clock((enum special)ip->imm);

	EACH_ACTIVE __builtin_memcpy(d + l * (uint32_t)ip->b, &value, (uint32_t)ip->b);
	NEXT;
}

/* Whether a is in one range (b: enum, c: 1 for addresses below it are offsets) */
HANDLE(within)
{
	const uint64_t *a = ROW(uint64_t, a);
	uint32_t bits = 0;

	EACH_ACTIVE bits |= (uint32_t)memory_within(w, a[l], (enum ptx_space)ip->imm) << l;
	SET_PRED(d, bits);
	NEXT;
}
