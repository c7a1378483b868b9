/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "race_transfer.h"

#include <stdio.h>

#include "arena.h"
#include "asserts.h"
#include "findings.h"
#include "segment.h"
#include "shadow_memory.h"

enum { PAGE = 1 << PAGE_SHIFT };

/* Tells whether the access of @tag is in no order with @t. */
static bool conflicts(const struct race_transfer *t, uint32_t tag)
{
	const struct segment *segment = segment_of(tag);
	uint64_t released;

	if (tag < t->order->floor || order_covers(t->order, segment->line, segment->number))
		return false;
	if (tag & TAG_STRONG && segment->cta != SEGMENT_TRANSFER)
		return false;
	released = atomic_load_explicit(&segment->released, memory_order_acquire);
	return !released || released > atomic_load(&t->order->acquired);
}

/* One finding for all conflicts of copies, say, with operations of one name. */
static void report(struct race_transfer *t, uint64_t at, uint32_t tag, bool written)
{
	const char *verb = t->source ? "writes" : "reads", *past = written ? "wrote" : "read";
	char who[320], stream[40], where[256], key[300];
	const uint64_t number = segment_of(tag)->number;
	struct order_description other;
	struct about about = about_access(KIND_RACE, t->source ? "write" : "read", 0, at);

	if (t->reported[written] == number)
		return;
	t->reported[written] = number;
	order_describe(number, &other);
	race_describe(t->order->number, tag, who, sizeof(who), &about);
	about.other_access = written ? "write" : "read";
	order_name_stream(t->order->stream, stream, sizeof(stream));
	memory_describe(NULL, at, where, sizeof(where));
	snprintf(key, sizeof(key), "%s %s %s %s", t->name, verb, past, other.name);
	finding_report_once(key, CHECK_RACE, about,
			    "%s %s %s %#llx, which %s %s; nothing orders the two: %s", t->name,
			    stream, verb, (unsigned long long)at, who, past, where);
}

/* The bytes that @t writes to @at, which is @done bytes after its first. */
static const uint8_t *bytes_for(const struct race_transfer *t, uint64_t at, uint64_t done)
{
	return t->source ? t->source + (t->repeated ? at & 3 : done) : NULL;
}

/* Checks the cells of the @size bytes at @at. */
static void check_cell(struct race_transfer *t, uint64_t at, unsigned size,
		       const uint32_t *writes, const uint32_t *reads, const uint8_t *bytes)
{
	uint32_t tag = cell_load(writes);

	if (conflicts(t, tag) &&
	    !(bytes && race_wait_for_bytes(arena_bytes(at), bytes, size, t->hold)))
		report(t, at, tag, true);
	tag = cell_load(reads);
	if (bytes && conflicts(t, tag))
		report(t, at, tag, false);
}

static void record_cell(const struct race_transfer *t, uint32_t *writes, uint32_t *reads)
{
	uint32_t tag;

	if (t->source) {
		cell_store(writes, t->tag);
		return;
	}
	tag = cell_load(reads);
	if (!conflicts(t, tag) || !TAG_STAYS(tag, t->tag))
		cell_store(reads, t->tag);
}

/* Checks and records each of @count bytes at @at, which are of one word. */
static void touch_bytes(struct race_transfer *t, uint64_t at, unsigned count, uint64_t done)
{
	const struct race_cells *cells = &race_global;
	const uint64_t offset = at - shadow.base;

	ASSERT(count <= 4 - (at & 3));
	race_note_bytes(cells, offset);
	for (unsigned i = 0; i < count; i++) {
		uint32_t *writes = cells->byte_writes + offset + i;
		uint32_t *reads = cells->byte_reads + offset + i;
		const uint8_t *bytes = bytes_for(t, at + i, done + i);

		check_cell(t, at + i, 1, cells->writes + offset / 4, cells->reads + offset / 4,
			   bytes);
		check_cell(t, at + i, 1, writes, reads, bytes);
		record_cell(t, writes, reads);
	}
}

static void touch_word(struct race_transfer *t, uint64_t at, uint64_t done)
{
	const struct race_cells *cells = &race_global;
	const uint64_t offset = at - shadow.base;
	uint32_t *writes = cells->writes + offset / 4, *reads = cells->reads + offset / 4;

	check_cell(t, at, 4, writes, reads, bytes_for(t, at, done));
	for (unsigned i = 0; race_has_bytes(cells, offset) && i < 4; i++)
		check_cell(t, at + i, 1, cells->byte_writes + offset + i,
			   cells->byte_reads + offset + i, bytes_for(t, at + i, done + i));
	record_cell(t, writes, reads);
}

/* Tells whether all accesses of a page's words came before. */
static bool all_before(const uint32_t *cells, uint32_t floor)
{
	uint32_t newer = 0;

	for (unsigned i = 0; i < PAGE / 4; i++)
		newer |= (uint32_t)(cells[i] >= floor);
	return !newer;
}

/* A whole page at a time, if all accesses of it came before. Its cells are locked. */
static bool touch_page(const struct race_transfer *t, uint64_t at)
{
	const uint64_t offset = at - shadow.base;
	uint32_t *writes = race_global.writes + offset / 4, *reads = race_global.reads + offset / 4;
	uint32_t *own = t->source ? writes : reads;

	if (offset % PAGE || race_has_bytes(&race_global, offset) ||
	    !all_before(writes, t->order->floor) || !all_before(reads, t->order->floor))
		return false;
	for (unsigned i = 0; i < PAGE / 4; i++)
		own[i] = t->tag;
	return true;
}

/* The bytes from @done to @end of those at @address, which are in one stripe. */
static void touch_stripe(struct race_transfer *t, uint64_t address, uint64_t done, uint64_t end)
{
	while (done < end) {
		const uint64_t at = address + done, left = end - done;
		const unsigned here = 4 - (at & 3) < left ? 4 - (at & 3) : (unsigned)left;

		if (left >= PAGE && touch_page(t, at)) {
			done += PAGE;
			continue;
		}
		if (here == 4)
			touch_word(t, at, done);
		else
			touch_bytes(t, at, here, done);
		done += here;
	}
}

void race_transfer(struct race_transfer *t, uint64_t address, uint64_t size)
{
	const uint64_t offset = address - shadow.base, stripe = 1 << STRIPE_SHIFT;
	uint64_t end;

	if (!t->order || !t->order->floor || t->order->exclusive || offset >= shadow.size ||
	    size > shadow.size - offset)
		return;
	if (!t->tag)
		t->tag = race_new_segment(t->order, SEGMENT_TRANSFER, 0) << TAG_SHIFT;
	if (!t->tag)
		return;
	ASSERT(!(t->tag & TAG_LANE));
	t->tag |= TAG_STRONG;
	for (uint64_t done = 0; done < size; done = end) {
		const uint64_t here = stripe - (offset + done) % stripe;

		end = here < size - done ? done + here : size;
		t->hold = race_hold(&race_global, offset + done, end - done);
		touch_stripe(t, address, done, end);
		race_unhold(t->hold);
	}
}
