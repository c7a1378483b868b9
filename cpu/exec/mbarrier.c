/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The layout is our own: bits 0-19 the arrivals of each phase, 20-39 those that the
 * current one still misses, 40-60 the bytes that it still misses (signed), 62 set
 * while the object is valid, 63 the parity of the phase.
 */
#include "mbarrier.h"

#include "asserts.h"
#include "cluster_address.h"
#include "async_copy.h"
#include "race.h"
#include "warp.h"

#define VALID  (1ull << 62)
#define PARITY (1ull << 63)

static_assert(MBARRIER_MOST < 1 << 20, "arrivals have 20 bits each, bytes 21 with their sign");

struct mbarrier {
	int64_t expected, pending, bytes;
	bool odd;
};

static struct mbarrier unpack(uint64_t word)
{
	return (struct mbarrier){
		.expected = word & MBARRIER_MOST,
		.pending = mbarrier_pending(word),
		.bytes = (int64_t)(word << 3) >> 43,
		.odd = word >> 63,
	};
}

static uint64_t pack(const struct mbarrier *m)
{
	const uint64_t bytes = (uint64_t)m->bytes & 0x1fffff;

	ASSERT(m->expected >= 0 && m->expected <= MBARRIER_MOST);
	ASSERT(m->pending >= 0 && m->pending <= MBARRIER_MOST);
	ASSERT(m->bytes >= -MBARRIER_MOST && m->bytes <= MBARRIER_MOST);
	return (uint64_t)m->expected | (uint64_t)m->pending << 20 | bytes << 40 | VALID |
	       (m->odd ? PARITY : 0);
}

/* Begins the next phase when this one is complete. */
static void begin_next_phase(struct warp *w, struct mbarrier *m)
{
	if (m->pending || m->bytes)
		return;
	m->pending = m->expected;
	m->odd = !m->odd;
	w->cta->cluster->events++;
}

static bool refuse(struct warp *w, const struct op *ip, unsigned lane, const char *what,
		   uint64_t address)
{
	fault_set(w, ip, 1u << lane, ABOUT(MBARRIER), "mbarrier at %#llx %s",
		  (unsigned long long)address, what);
	return false;
}

/* The word at @address is not the state of a valid object. */
static bool refuse_state(struct warp *w, const struct op *ip, unsigned lane, uint64_t address,
			 uint64_t word)
{
	char what[160];

	snprintf(what, sizeof(what), "is used without mbarrier.init, or something else was "
		 "written there since: its 8 bytes are %#llx", (unsigned long long)word);
	return refuse(w, ip, lane, what, address);
}

static bool init(struct warp *w, const struct op *ip, uint64_t address, uint64_t *word,
		 uint32_t count, unsigned lane)
{
	if (!count || count > MBARRIER_MOST)
		return refuse(w, ip, lane, "is made for a number of arrivals that is not 1 to "
			      "1048575", address);
	*word = pack(&(struct mbarrier){ .expected = count, .pending = count });
	return true;
}

/* Changes the counts of @m as @op does. */
static void count(struct mbarrier *m, enum mbarrier_op op, uint32_t value)
{
	const bool expects = op == MBARRIER_ARRIVE_EXPECT || op == MBARRIER_DROP_EXPECT;

	switch (op) {
	case MBARRIER_DROP:
	case MBARRIER_DROP_EXPECT:
		m->expected -= expects ? 1 : value;
		/* fallthrough */
	case MBARRIER_ARRIVE:
	case MBARRIER_ARRIVE_EXPECT:
		m->pending -= expects ? 1 : value;
		m->bytes += expects ? value : 0;
		break;
	case MBARRIER_EXPECT:
		m->bytes += value;
		break;
	case MBARRIER_COMPLETE:
		m->bytes -= value;
		break;
	default:
		break;
	}
}

static bool change(struct warp *w, const struct op *ip, enum mbarrier_op op, uint64_t address,
		   uint64_t *word, uint32_t value, unsigned lane)
{
	struct mbarrier m = unpack(*word);

	if (!(*word & VALID))
		return refuse_state(w, ip, lane, address, *word);
	count(&m, op, value);
	if (m.pending < 0 || m.expected < 0)
		return refuse(w, ip, lane, "gets more arrivals than its phase lacks", address);
	if (m.bytes > MBARRIER_MOST || m.bytes < -MBARRIER_MOST)
		return refuse(w, ip, lane, "waits for more than 1048575 bytes", address);
	begin_next_phase(w, &m);
	*word = pack(&m);
	return true;
}

/* Where the object at @address is; NULL after a fault. */
static uint64_t *find_mbarrier(struct warp *w, const struct op *ip, uint64_t address, unsigned lane)
{
	if (address & 7) {
		fault_set(w, ip, 1u << lane,
			  about_access(KIND_MISALIGNED_ADDRESS, NULL, 0, address),
			  "misaligned address: mbarrier at %#llx", (unsigned long long)address);
		return NULL;
	}
	if (cluster_owner(w->cta, address, 8))
		return (uint64_t *)address;
	fault_set(w, ip, 1u << lane, about_access(KIND_ILLEGAL_ADDRESS, NULL, 0, address),
		  "illegal address: mbarrier at %#llx, which is not in shared memory",
		  (unsigned long long)address);
	return NULL;
}

bool mbarrier_complete(struct warp *w, const struct op *ip, uint64_t address, uint32_t bytes,
		       unsigned lane)
{
	uint64_t *word = find_mbarrier(w, ip, address, lane);

	return word && change(w, ip, MBARRIER_COMPLETE, address, word, bytes, lane);
}

/* Tells whether the phase that row b names is over. */
static bool test(const struct warp *w, const struct op *ip, uint64_t word, unsigned lane)
{
	const uint8_t *row = w->rows + ip->b;
	bool odd = word >> 63;

	if (ip->c == MBARRIER_TEST)
		return odd != ((const uint64_t *)row)[lane] >> 63;
	return odd != (((const uint32_t *)row)[lane] & 1);
}

static bool execute_lane(struct warp *w, const struct op *ip, unsigned lane, bool *over)
{
	const uint64_t address = ((const uint64_t *)(w->rows + ip->a))[lane] + (uint64_t)ip->imm;
	uint64_t *word = find_mbarrier(w, ip, address, lane), before;

	*over = true;
	if (!word)
		return false;
	before = *word;
	switch ((enum mbarrier_op)ip->c) {
	case MBARRIER_INIT:
		return init(w, ip, address, word, ((uint32_t *)(w->rows + ip->b))[lane], lane);
	case MBARRIER_INVAL:
		*word = 0;
		return true;
	case MBARRIER_TEST:
	case MBARRIER_TEST_PARITY:
		*over = test(w, ip, before, lane);
		if (config.check & CHECK_KERNELS && *over)
			async_copy_complete(w, address, !(before >> 63));
		return before & VALID || change(w, ip, ip->c, address, word, 0, lane);
	case MBARRIER_COPIED:
		return change(w, ip, ip->c, address, word, 0, lane);
	case MBARRIER_ARRIVE:
	case MBARRIER_ARRIVE_EXPECT:
	case MBARRIER_DROP:
	case MBARRIER_DROP_EXPECT:
		((uint64_t *)(w->rows + ip->d))[lane] = before;
		break;
	case MBARRIER_EXPECT:
	case MBARRIER_COMPLETE:
		break;
	}
	return change(w, ip, ip->c, address, word, ((uint32_t *)(w->rows + ip->b))[lane], lane);
}

bool mbarrier_execute(struct warp *w, const struct op *ip, bool *waits)
{
	const bool tests = ip->c == MBARRIER_TEST || ip->c == MBARRIER_TEST_PARITY;
	uint32_t bits = 0, *predicate = (uint32_t *)(w->rows + ip->d);

	if (w->race && !tests)
		race_fence(w);
	FOR_BITS(l, w->mask) {
		bool over;

		if (!execute_lane(w, ip, l, &over))
			return false;
		bits |= (uint32_t)over << l;
	}
	if (tests)
		*predicate = (*predicate & ~w->mask) | bits;
	if (w->race && tests && bits)
		race_acquire_all(w);
	*waits = tests && bits != w->mask;
	return true;
}
