/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A CPU device that compares what registers hold with what kinds.h says of them. It is linked with
 * this file, which has itself called (ld's --wrap) where the device
 *
 *	places the ops of trace=   and notes which instructions they precede and follow,
 *	has lowered an entry       and keeps its body,
 *	executes an op of trace=   and, instead of printing, compares.
 *
 * It runs with GPURUN_CPU=trace=*,threads=1. With $KINDS_SLOTS bodies are simplified and registers
 * are in slots, as without trace=; else each lane computes what it holds by itself.
 *
 * A value is compared if all lanes of its warp that have not exited write it together, and so it
 * was with all that it follows from: what was written by some lanes alone may be anything
 * afterwards. What an instruction reads is compared as well.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "counts.h"
#include "kinds.h"
#include "lower_trace.h"
#include "trace.h"
#include "warp.h"

/* What an op of trace= stands before, or after. */
struct point {
	uint32_t insn;
	bool entry;                /* not of a function that the entry calls */
};

/* The kinds for one shape of blocks. */
struct shaped_kinds {
	uint32_t block[3];
	struct kinds kinds;        /* owned */
};

/* An entry that is observed, by its trace. */
struct observed {
	const struct trace *trace;
	struct body *body;         /* owned, from the end of lowering on */
	struct liveness liveness;  /* owned */
	bool lowered;
	struct point *points;      /* owned */
	size_t point_count;
	struct shaped_kinds *shapes;     /* owned */
	size_t shape_count;
};

/* What is known of a warp. */
struct history {
	const struct warp *warp;
	uint64_t launch;
	uint32_t id[3];
	const struct observed *of;
	uint8_t *apart;            /* owned: of each register: lanes wrote it by themselves */
	uint32_t insn, mask;       /* what it executes, with these lanes */
	bool together;             /* in the kinds that registers have */
};

enum { HISTORIES = 4096 };

static pthread_mutex_t observing = PTHREAD_MUTEX_INITIALIZER;
static struct observed **entries;
static size_t entry_count;
static struct history histories[HISTORIES];
static uint64_t *counts, nowhere[COUNT_ALL];
static const char *reasons; /* the file for contradictions */

int __real_trace_before(struct lowering *l);
int __wrap_trace_before(struct lowering *l);
int __real_trace_after(struct lowering *l);
int __wrap_trace_after(struct lowering *l);
void __real_trace_free(struct trace *trace);
void __wrap_trace_free(struct trace *trace);
void __real_reached_release(struct reached *reached);
void __wrap_reached_release(struct reached *reached);
int __real_lower_reach(struct lowering *l, uint32_t function, uint32_t *depth);
int __wrap_lower_reach(struct lowering *l, uint32_t function, uint32_t *depth);
void __wrap_trace_step(const struct warp *w, const struct op *ip);

static void count(enum count which, uint64_t more)
{
	__atomic_fetch_add(&counts[which], more, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void open_counts(void)
{
	const char *path = getenv("KINDS_COUNTS");
	static char text[4096];
	int fd = path ? open(path, O_RDWR | O_CREAT, 0666) : -1;
	void *map = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(nowhere)))
		map = mmap(NULL, sizeof(nowhere), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	counts = map == MAP_FAILED ? nowhere : map;
	if (fd >= 0)
		close(fd);
	snprintf(text, sizeof(text), "%s.why", path ? path : "/dev/null");
	reasons = text;
}

/* ---- Lowering ------------------------------------------------------------------------- */

static struct observed *find_observed(const struct trace *trace)
{
	static struct observed *last;

	for (size_t i = entry_count; i-- > 0 && !(last && last->trace == trace);)
		last = entries[i];
	return last && last->trace == trace ? last : NULL;
}

static struct observed *add_observed(const struct trace *trace)
{
	struct observed **slot = array_grow(&entries, entry_count, sizeof(*slot));

	*slot = calloc(1, sizeof(**slot));
	(*slot)->trace = trace;
	entry_count++;
	return *slot;
}

static void note_point(const struct lowering *l)
{
	const struct trace *trace = l->code->trace;
	struct observed *of = find_observed(trace);
	struct point *point;

	if (!of)
		of = add_observed(trace);
	while (of->point_count < trace->point_count) {
		point = array_grow(&of->points, of->point_count, sizeof(*point));
		point->insn = (uint32_t)(l->insn - l->body->insns);
		point->entry = l->body->function->entry;
		of->point_count++;
	}
	if (l->body->function->entry)
		of->body = l->now->body;
}

int __wrap_lower_reach(struct lowering *l, uint32_t function, uint32_t *depth)
{
	const bool no_scalar = config.no_scalar;
	int status;

	config.no_scalar = !getenv("KINDS_SLOTS");
	status = __real_lower_reach(l, function, depth);
	config.no_scalar = no_scalar;
	return status;
}

int __wrap_trace_before(struct lowering *l)
{
	const int status = __real_trace_before(l);

	pthread_mutex_lock(&observing);
	note_point(l);
	pthread_mutex_unlock(&observing);
	return status;
}

int __wrap_trace_after(struct lowering *l)
{
	const int status = __real_trace_after(l);

	pthread_mutex_lock(&observing);
	note_point(l);
	pthread_mutex_unlock(&observing);
	return status;
}

/* Registers that would be in slots have to be uniform for blocks of any such shape. */
static void compare_homes(const struct reached *reached)
{
	const struct block_shape shape = { .aligned = true };
	CLEANUP(kinds_release) struct kinds kinds = { 0 };
	CLEANUP(free_pointer) uint8_t *homes = NULL;

	if (uniform_find(reached->body, &reached->flow, &reached->liveness, true, &homes, NULL) ||
	    kinds_find(reached->body, &reached->liveness, &shape, &kinds, NULL))
		abort();
	for (uint32_t r = 0; r < reached->body->register_count; r++) {
		if (homes[r] == HOME_ROW)
			continue;
		count(COUNT_slots, 1);
		count(COUNT_slots_varied, register_kind(&kinds, r) != KIND_UNIFORM);
	}
}

/* Keeps the body of an entry, which would be freed. */
void __wrap_reached_release(struct reached *reached)
{
	pthread_mutex_lock(&observing);
	for (size_t i = 0; reached->body && i < entry_count; i++) {
		struct observed *of = entries[i];

		if (of->lowered || of->body != reached->body)
			continue;
		compare_homes(reached);
		of->lowered = true;
		of->liveness = reached->liveness;
		reached->body = NULL;
		memset(&reached->liveness, 0, sizeof(reached->liveness));
	}
	pthread_mutex_unlock(&observing);
	__real_reached_release(reached);
}

void __wrap_trace_free(struct trace *trace)
{
	pthread_mutex_lock(&observing);
	for (size_t i = 0; trace && i < entry_count; i++) {
		struct observed *of = entries[i];

		if (of->trace == trace)
			of->trace = NULL; /* its memory may become another's */
	}
	pthread_mutex_unlock(&observing);
	__real_trace_free(trace);
}

/* ---- Kinds ------------------------------------------------------------------------------ */

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The vectors of @kinds that no write by itself makes one. */
static uint64_t count_joined(const struct observed *of, const struct kinds *kinds)
{
	CLEANUP(free_pointer) uint8_t *made = calloc(of->body->register_count + 1, 1);
	uint64_t joined = 0;

	for (uint32_t i = 0; i < of->body->insn_count; i++) {
		const struct insn *insn = &of->body->insns[i];
		const struct operand *first = insn_operands(of->body, insn);

		if (!insn->results || first->kind != OPERAND_REGISTER)
			continue;
		made[first->index] |= kinds->results[i].kind == KIND_VECTOR ? 2 : 1;
	}
	for (uint32_t r = 0; r < of->body->register_count; r++)
		joined += made[r] == 1 && register_kind(kinds, r) == KIND_VECTOR;
	return joined;
}

static void count_insns(const struct observed *of, const struct kinds *kinds)
{
	for (uint32_t i = 0; i < of->body->insn_count; i++) {
		const struct insn *insn = &of->body->insns[i];
		const struct operand *first = insn_operands(of->body, insn);
		enum kind kind;

		if (insn->results && first->kind == OPERAND_REGISTER)
			count(COUNT_written_uniform + register_kind(kinds, first->index), 1);
		if (kinds_address(kinds, of->body, insn, &kind))
			count(COUNT_address_uniform + kind, 1);
	}
	count(COUNT_registers, of->body->register_count);
	count(COUNT_joined, count_joined(of, kinds));
}

static const struct kinds *kinds_for(struct observed *of, const uint32_t block[3])
{
	const struct block_shape shape = { { block[0], block[1], block[2] }, false };
	struct shaped_kinds *slot;
	uint64_t begin;

	for (size_t i = 0; i < of->shape_count; i++)
		if (!memcmp(of->shapes[i].block, block, sizeof(of->shapes[i].block)))
			return &of->shapes[i].kinds;
	slot = array_grow(&of->shapes, of->shape_count++, sizeof(*slot));
	memcpy(slot->block, block, sizeof(slot->block));
	begin = nanoseconds();
	if (kinds_find(of->body, &of->liveness, &shape, &slot->kinds, NULL))
		abort();
	count(COUNT_nanoseconds, nanoseconds() - begin);
	count(COUNT_instructions, of->body->insn_count);
	count_insns(of, &slot->kinds);
	return &slot->kinds;
}

/* ---- Values ------------------------------------------------------------------------------ */

/* What is being compared. */
struct step {
	const struct warp *warp;
	const struct observed *of;
	const struct kinds *kinds;
	const struct trace_point *point;
	const struct insn *insn;
	struct history *history;
	size_t next;               /* of the values of the point */
	bool write;                /* the point is after the instruction */
	bool found;                /* in the search for a check's operand */
};

static uint64_t value_in(const struct step *s, const struct trace_value *value, unsigned lane)
{
	const uint8_t *at = s->warp->rows + value->at;
	const unsigned size = type_size(value->type);
	uint64_t bits = 0;

	if (!size)
		return load_u32(at) >> lane & 1;
	memcpy(&bits, value->slot ? at : at + size * lane, size < 8 ? size : 8);
	return bits;
}

/* The next value of the point, if register is visited that it is of. */
static const struct trace_value *next_value(struct step *s, bool write)
{
	if (write != s->write)
		return NULL;
	return &s->of->trace->values[s->point->first + s->next++];
}

static void report_contradiction(const struct step *s, uint32_t r, const struct trace_value *value)
{
	FILE *to = fopen(reasons, "a");

	count(COUNT_contradictions, 1);
	if (!to)
		return;
	fprintf(to, "%s, block %ux%ux%u, line %u: %.*s: %s is ", s->warp->cta->launch->kernel->name,
		s->warp->cta->launch->block[0], s->warp->cta->launch->block[1],
		s->warp->cta->launch->block[2], s->insn->line, (int)s->insn->opcode.length,
		s->insn->opcode.text, value->name);
	kinds_print(to, s->kinds, r);
	fprintf(to, ", lanes %#x have", s->warp->mask);
	for (unsigned l = 0; l < LANES; l++)
		if (s->warp->mask >> l & 1)
			fprintf(to, " %#" PRIx64, value_in(s, value, l));
	fputc('\n', to);
	fclose(to);
}

/* Compares the value of register @r in the running lanes with its kind. */
static void compare_value(const struct step *s, uint32_t r, const struct trace_value *value)
{
	const struct register_kind *kind = &s->kinds->registers[r];
	const int64_t *steps = s->kinds->patterns[kind->pattern];
	const unsigned first = (unsigned)__builtin_ctz(s->warp->mask);
	const uint64_t mask = low_bits(kind->bits ? kind->bits : 64);
	const uint64_t of_first = value_in(s, value, first);
	const uint64_t base = of_first - (kind->pattern ? (uint64_t)steps[first] : 0);
	bool good = !((base ^ kind->base) & kind->known & mask);

	for (unsigned l = first; l < LANES; l++) {
		const uint64_t step = kind->pattern ? (uint64_t)steps[l] : 0;

		if (s->warp->mask >> l & 1)
			good &= !((value_in(s, value, l) - base - step) & mask);
	}
	count(COUNT_observed, 1);
	count(COUNT_lanes, (uint64_t)__builtin_popcount(s->warp->mask));
	if (!good)
		report_contradiction(s, r, value);
}

static void visit_written(void *context, uint32_t r, bool write)
{
	struct step *s = context;
	const struct trace_value *value = next_value(s, write);
	struct history *history = s->history;

	if (!value)
		return;
	if (!history->together) {
		history->apart[r] = 1;
		return;
	}
	if (s->warp->mask == s->warp->live)
		history->apart[r] = 0;
	if (register_kind(s->kinds, r) != KIND_VECTOR)
		compare_value(s, r, value);
}

/* What an instruction reads has its kind, too: as it was written, and not changed since. */
static void visit_compared(void *context, uint32_t r, bool write)
{
	struct step *s = context;
	const struct trace_value *value = next_value(s, write);

	if (value && register_kind(s->kinds, r) != KIND_VECTOR)
		compare_value(s, r, value);
}

static void visit_read(void *context, uint32_t r, bool write)
{
	struct step *s = context;

	if (!write && s->history->apart[r] && register_kind(s->kinds, r) != KIND_VECTOR)
		s->history->together = false;
}

/* @value of @bits, by the sign or not, as a number. */
static int64_t extended(uint64_t value, const struct kind_check *check)
{
	const unsigned spare = 64u - check->bits;

	if (check->sign)
		return (int64_t)(value << spare) >> spare;
	return (int64_t)(value << spare >> spare);
}

/*
 * Notes whether what the instruction has to be checked for holds; *@s: before it. As a compiler
 * would check it: by the base, also for lanes that a predicate leaves out.
 */
static void visit_checked(void *context, uint32_t r, bool write)
{
	struct step *s = context;
	const struct trace_value *value = next_value(s, write);
	const struct kind_check *check = &s->kinds->results[s->insn - s->of->body->insns].check;
	const struct operand *operand = &insn_operands(s->of->body, s->insn)[check->operand];
	const int64_t *steps = s->kinds->patterns[s->kinds->registers[r].pattern];
	const unsigned first = (unsigned)__builtin_ctz(s->warp->mask);
	const struct kind_check narrow = { .bits = check->bits, .sign = true };
	uint64_t base;

	if (!value || s->found || operand->kind != OPERAND_REGISTER || operand->index != r)
		return;
	s->found = true;
	base = value_in(s, value, first) - (uint64_t)steps[first];
	for (unsigned l = 0; l < LANES; l++) {
		const int64_t step = extended((uint64_t)steps[l], &narrow);

		if (s->kinds->lanes >> l & 1 &&
		    extended(base + (uint64_t)step, check) - extended(base, check) != step)
			s->history->together = false;
	}
}

/* ---- Execution ---------------------------------------------------------------------------- */

static struct history *history_of(const struct warp *w, const struct observed *of)
{
	const struct cta *cta = w->cta;
	size_t at = (uintptr_t)w / 64 * 0x9e3779b97f4a7c15u >> 52;

	while (histories[at].warp && histories[at].warp != w)
		at = (at + 1) % HISTORIES;
	if (histories[at].warp == w && histories[at].launch == cta->launch_id &&
	    histories[at].of == of && !memcmp(histories[at].id, cta->id, sizeof(cta->id)))
		return &histories[at];
	free(histories[at].apart);
	histories[at] = (struct history){ .warp = w, .launch = cta->launch_id, .of = of };
	memcpy(histories[at].id, cta->id, sizeof(cta->id));
	histories[at].apart = calloc(of->body->register_count + 1, 1);
	return &histories[at];
}

/* Whether all lanes execute @insn, though its predicate may leave out some. */
static bool all_together(const struct warp *w, const struct insn *insn)
{
	if (insn->guard != NO_GUARD && !insn_parks(insn) && flow_kind(insn) == FLOW_NEXT)
		return w->saved_mask == w->live;
	return w->mask == w->live;
}

static void step_before(struct step *s, uint32_t i)
{
	struct history *history = s->history;
	const struct operand *first = insn_operands(s->of->body, s->insn);
	enum kind kind;

	history->insn = i;
	history->mask = s->warp->mask;
	history->together = all_together(s->warp, s->insn);
	insn_registers(s->of->body, s->insn, visit_read, s);
	if (history->together)
		insn_registers(s->of->body, s->insn, visit_compared, s);
	s->next = 0;
	if (history->together && s->kinds->results[i].check.operand) {
		insn_registers(s->of->body, s->insn, visit_checked, s);
		history->together &= s->found;
		count(COUNT_checks, 1);
		count(COUNT_checks_failed, !history->together);
	}
	count(COUNT_apart, !history->together);
	if (s->insn->results && first->kind == OPERAND_REGISTER)
		count(COUNT_executed_uniform + register_kind(s->kinds, first->index), 1);
	if (kinds_address(s->kinds, s->of->body, s->insn, &kind))
		count(COUNT_reached_uniform + kind, 1);
}

static void step_after(struct step *s, uint32_t i)
{
	struct history *history = s->history;

	history->together &= history->insn == i && history->mask == s->warp->mask &&
			     all_together(s->warp, s->insn);
	insn_registers(s->of->body, s->insn, visit_written, s);
}

void __wrap_trace_step(const struct warp *w, const struct op *ip)
{
	struct step s = { .warp = w };
	struct observed *of;

	pthread_mutex_lock(&observing);
	of = find_observed(w->cta->code->trace);
	if (of && of->points[ip->imm].entry) {
		const uint32_t i = of->points[ip->imm].insn;

		s.of = of;
		s.insn = &of->body->insns[i];
		s.kinds = kinds_for(of, w->cta->launch->block);
		s.history = history_of(w, of);
		s.point = &of->trace->points[ip->imm];
		s.write = !s.point->text.size;
		if (s.write)
			step_after(&s, i);
		else
			step_before(&s, i);
	}
	pthread_mutex_unlock(&observing);
}
