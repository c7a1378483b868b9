/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The encodings of ops: the bits of their operands, which lowering writes and handlers read, by
 * kind of op.
 */
#ifndef CPU_BITS_H
#define CPU_BITS_H

#include <stdint.h>

/* Of a CTA: its barriers, how many ops have a struct hit, and how many compiled ones a struct
 * access_reach. */
enum { LANES = 32, BARRIERS = 16, HITS = 64, REACHES = 128 };

/* The statement that follows, for each bit of @mask that is set: @bit is its place, the lowest
 * first. Of a mask of lanes: for each lane. */
#define FOR_BITS(bit, mask)                                                                \
	for (uint32_t bit##_rest = (mask), bit;                                            \
	     bit##_rest && (bit = (uint32_t)__builtin_ctz(bit##_rest), 1);                 \
	     bit##_rest &= bit##_rest - 1)

/* What one memory op reached last. */
struct hit {
	uint64_t base, size;
	uint64_t distance; /* from an address to its byte */
};

/* The same for one access in compiled code: it may be at an address if address - base < limit.
 * Where the address is made of a base and an index, of 32 bits, the base is this one, and the index
 * may be from -least to -least + more. They are behind the hits, which are forgotten together with
 * them. */
struct access_reach {
	uint64_t base;
	union {
		uint64_t limit;
		struct {
			uint32_t least, more;
		};
	};
	uint64_t host;     /* where the byte of base is; 0: nothing is known */
};

/* Bytes of each block's shared memory that the system reserves, for cooperative groups. */
enum { CTA_RESERVED = 1024 };

/* ---- Barriers ----------------------------------------------------------------- */

/* What a barrier op does, in the low bits of its imm; above them is a predicate's slot. */
enum barrier_kind {
	BARRIER_SYNC,
	BARRIER_ARRIVE,
	BARRIER_POPC,
	BARRIER_AND,
	BARRIER_OR,
	BARRIER_KIND = 7, /* mask */
	BARRIER_SHIFT = 8,
};

/* Of the imm of a barrier op: all threads of a warp have to reach it together. */
enum { BARRIER_ALIGNED = 8 };

/* ---- Accesses that are checked ---------------------------------------------------- */

/* How an op addresses memory: generic or shared; by row of 8 or 4 bytes, or slot. */
enum access_form {
	FORM_FLAT_R8,
	FORM_FLAT_S,
	FORM_SHARED_R8,
	FORM_SHARED_R4,
	FORM_SHARED_S,
	ACCESS_FORMS,
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

/* c of a check op: the bytes of a lane, then these. */
enum {
	ACCESS_KIND_SHIFT = 8,
	ACCESS_NARROW = 1 << 10, /* an address of 32 bits, which wraps around */
	ACCESS_STRONG = 1 << 11, /* an atomic, volatile or ordered access */
	ACCESS_RELEASE = 1 << 12,
	ACCESS_ACQUIRE = 1 << 13,
	ACCESS_SYSTEM = 1 << 14, /* the host may see what is released */
	ACCESS_FOLLOWED = 1 << 15, /* check=init follows the value in registers */
	ACCESS_WIDTH_SHIFT = 16, /* bytes of an element, if the next op is a store */
	ACCESS_EARLY = 1 << 24,  /* of a variable by its name: a compiler may read it too early */
};

enum async_copy_kind {
	ASYNC_COPY_IN,   /* cp.async: waited for by its thread */
	ASYNC_COPY_OUT,  /* cp.async.bulk in a group: likewise */
	ASYNC_COPY_LOAD, /* cp.async.bulk: an mbarrier's phase is waited for */
};

/* What a check_copies op does. */
enum copies_op { COPIES_COMMIT, COPIES_WAIT, COPIES_WAIT_ALL };

/* ---- Registers that check=init watches --------------------------------------------- */

/* Follows the registers in the row file. The first of a function stays empty. */
struct uninit {
	uint32_t lanes;        /* of which some bit is uninitialised */
	uint32_t never;        /* of lanes: that have not written this very register */
	uint32_t whole;        /* whose value is all uninitialised, or computed so: uninit.h */
	uint32_t op;           /* where it was loaded, if it was */
	uint32_t given;        /* while gathering: lanes that merge with an initialised value */
	uint64_t origin;       /* and from which generic address, in one of the lanes */
	uint64_t bits[32];     /* of each lane; of registers of 16 bytes one for two of theirs,
				* of predicates 8 */
};

/* b of a gather op, whose imm are the bits that it reads: where they are, and move to. */
struct uninit_bits {
	uint8_t right;         /* the first is this one, */
	uint8_t left;          /* and becomes this one, */
	uint8_t fill;          /* 0, or: any of them makes this many uninitialised */
	uint8_t merges;        /* lanes in which all of them are initialised are noted in given */
};

/* c of a put op, and imm of a flow op: bits that were gathered, those of the register, */
enum {
	PUT_REGISTER_SHIFT = 8,
	PUT_GROUP_SHIFT = 16,  /* how many in a row depend on each of them; 0: none does */
	PUT_SIGN = 1 << 24,    /* the state of the last one spreads upwards */
	PUT_UP = 1 << 25,      /* each depends on all below it */
	PUT_TOTAL = 64 << PUT_GROUP_SHIFT,
};

/* d of a stored op: bytes, then the first of them, and: */
enum {
	STORED_FIRST_SHIFT = 8,
	STORED_FIRST = 0xff,
	STORED_SILENT = 1 << 16, /* it is not reported */
};

/* imm of a shift op, in addition to those of put. */
#define SHIFT_LEFT (1ll << 32)
#define SHIFT_SIGN (1ll << 33)

/* ---- Bulk copies ------------------------------------------------------------------- */

/* What a bulk op is: its d. */
enum {
	BULK_TENSOR = 1 << 0,
	BULK_TO_GLOBAL = 1 << 1,
	BULK_COMPLETES = 1 << 2,  /* signals an mbarrier */
	BULK_MULTICAST = 1 << 3,
	BULK_IM2COL = 1 << 4,
	BULK_REDUCES = 1 << 5,    /* c: enum reduction, imm: enum ptx_type */
	BULK_GROUPED = 1 << 6,    /* in a bulk group of its thread */
};

/* Its operands are in the ops after it: at d; c is BULK_SLOT or a row; imm is added. */
enum bulk_operand {
	BULK_TO,     /* a generic address; of a tensor map where a tensor is written */
	BULK_FROM,   /* likewise, where one is read */
	BULK_SIZE,   /* bytes */
	BULK_SIGNAL, /* the generic address of an mbarrier */
	BULK_MASK,   /* ranks */
	BULK_COORDS, /* b of them, then offsets of im2col */
	BULK_OFFSETS = BULK_COORDS + 5,
	BULK_OPERANDS = BULK_OFFSETS + 3,
};

enum { BULK_SLOT, BULK_ROW_2, BULK_ROW_4, BULK_ROW_8 };

enum reduction {
	REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_INC, REDUCE_DEC, REDUCE_AND, REDUCE_OR,
	REDUCE_XOR,
};

/* ---- Barriers in memory, maps of tensors -------------------------------------------- */

enum mbarrier_op {
	MBARRIER_INIT,
	MBARRIER_INVAL,
	MBARRIER_ARRIVE,        /* b: of how many */
	MBARRIER_ARRIVE_EXPECT, /* of one; b: bytes to expect */
	MBARRIER_DROP,          /* as ARRIVE; later phases expect as many fewer */
	MBARRIER_DROP_EXPECT,
	MBARRIER_EXPECT,        /* b: bytes */
	MBARRIER_COMPLETE,      /* b: bytes */
	MBARRIER_COPIED,        /* an arrival that another one has been added for */
	MBARRIER_TEST,          /* b: a state of the phase to wait for */
	MBARRIER_TEST_PARITY,   /* b: its parity */
};

enum { MBARRIER_MOST = (1 << 20) - 1 }; /* arrivals, or bytes, of one phase */

/* Of a tensor, at most. */
enum { TENSOR_DIMS = 5 };

/* The fields that tensormap.replace changes. */
enum tensor_field {
	FIELD_ADDRESS, FIELD_RANK, FIELD_BOX, FIELD_DIM, FIELD_STRIDE, FIELD_STEP, FIELD_TYPE,
	FIELD_INTERLEAVE, FIELD_SWIZZLE, FIELD_FILL,
};

#endif
