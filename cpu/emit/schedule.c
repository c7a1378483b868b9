/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The order of steps. Instructions that only compute follow each other strip by strip: what
 * they pass on to each other is then needed for one strip at a time, in a few registers. Such a
 * run ends before what concerns all lanes, before another rounding, and before an instruction
 * changes what lanes share and an earlier one of the run reads in later strips; a long one where
 * the fewest vectors are needed.
 */
#include "array.h"
#include "compile.h"

/* Not long, since a processor has to find the next strip to do two things at a time; longer ones
 * need fewer registers. Each instruction is compared with all of its run. */
enum { LEAST_RUN = 6, MOST_RUN = 16 };

bool is_strip(const struct compile *c, const struct ir_insn *insn)
{
	return ir_effect(insn) == IR_PURE && insn->op != IR_TAKE && in_vectors(c, insn->d[0]);
}

/* What computes one time, in a run or not. */
static bool is_value(const struct compile *c, const struct ir_insn *insn)
{
	return ir_effect(insn) == IR_PURE && insn->op != IR_TAKE && !in_vectors(c, insn->d[0]);
}

/* A run that is being collected. */
struct run {
	uint32_t first, end;
	uint32_t mode;
};

static int add_step(struct compile *c, uint32_t insn, unsigned strip, bool first)
{
	struct step *step = array_grow(&c->steps, c->step_count, sizeof(*step));

	if (!step)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the steps of a kernel");
	*step = (struct step){ insn, (uint8_t)strip, first };
	c->step_count++;
	return 0;
}

static int end_run(struct compile *c, struct run *run)
{
	bool first = true, strips = false;

	for (unsigned strip = 0; strip < c->strips && (!strip || strips); strip++) {
		for (uint32_t i = run->first; i < run->end; i++) {
			const bool is = is_strip(c, &c->ir->insns[i]);

			if (c->ir->insns[i].op == IR_MADE || c->ir->insns[i].op == IR_GUARD)
				continue;
			strips |= is;
			if (!is && strip)
				continue;
			TRY(add_step(c, i, is ? strip : WHOLE, first));
			first = false;
		}
	}
	run->first = run->end;
	run->mode = MODE_UNKNOWN;
	return 0;
}

/* How many registers hold the vectors that are needed in front of @insn, for a strip. */
static unsigned vectors_needed(const struct compile *c, uint32_t insn)
{
	const struct ir_live *live = &c->live.insns[insn];
	unsigned count = 0;

	for (uint32_t k = 0; k < live->count; k++) {
		const struct ir_value *value = value_of(c, c->live.values[live->first + k]);

		if (value->kind == KIND_VECTOR)
			count += part_count(value->bytes);
	}
	return count;
}

/* Ends @run where least is passed on to the next one. */
static int cut_run(struct compile *c, struct run *run)
{
	const uint32_t end = run->end, mode = run->mode;
	unsigned fewest = UINT32_MAX;

	for (uint32_t at = end; at >= run->first + LEAST_RUN; at--) {
		const unsigned needed = vectors_needed(c, at);

		if (needed >= fewest)
			continue;
		fewest = needed;
		run->end = at;
	}
	TRY(end_run(c, run));
	run->end = end;
	run->mode = mode; /* which what is left may have */
	return 0;
}

/* Where the home of a value ends. */
static int32_t home_end(const struct ir_value *value)
{
	return value->at + (value->slot || !value->bytes ? 8 : 32 * value->bytes);
}

/*
 * Tells whether writing @d, when the run computes its first strip, changes what @value has for
 * later ones: what lanes share, or another value that has had the same place in the row file so
 * far. Two vectors with elements of one size have the same strips there.
 */
static bool overwrites(const struct compile *c, uint32_t d, uint32_t value)
{
	const struct ir_value *to = value_of(c, d), *from = value_of(c, value);

	if (value == d)
		return !in_vectors(c, d);
	if (to->temporary || from->temporary || from->fixed || to->made.index ||
	    to->at >= home_end(from) || from->at >= home_end(to))
		return false;
	return !in_vectors(c, d) || !in_vectors(c, value) || to->at != from->at ||
	       to->bytes != from->bytes;
}

/* Tells whether writing @d changes what strips of @run read, or is changed by what they write. */
static bool disturbs(const struct compile *c, const struct run *run, uint32_t d)
{
	for (uint32_t i = run->first; i < run->end; i++) {
		const struct ir_insn *insn = &c->ir->insns[i];

		if (!is_strip(c, insn))
			continue;
		for (unsigned k = 0; k < insn->sources; k++)
			if (overwrites(c, d, insn->a[k]))
				return true;
		if ((insn->guard != IR_NONE && overwrites(c, d, insn->guard)) ||
		    (insn->d[0] != d && overwrites(c, d, insn->d[0])))
			return true;
	}
	return false;
}

/* Tells whether strips of @insn have to follow each other: each takes long. */
static bool is_long(const struct compile *c, const struct ir_insn *insn)
{
	return insn->op == IR_ROW && is_strip(c, insn) &&
	       select_is_long(c->select.isa, &op_rows[insn->row]);
}

/* Tells whether the last instruction of @run that is executed takes long. */
static bool ends_long(const struct compile *c, const struct run *run)
{
	uint32_t i = run->end;

	while (i > run->first && (c->ir->insns[i - 1].op == IR_GUARD ||
				  c->ir->insns[i - 1].op == IR_MADE))
		i--;
	return i > run->first && is_long(c, &c->ir->insns[i - 1]);
}

/* Tells whether instruction @i begins a run of its own behind what is in @run. */
static bool begins_run(const struct compile *c, const struct run *run, uint32_t i)
{
	const struct ir_insn *insn = &c->ir->insns[i];
	const uint32_t mode = insn_mode(insn);

	if (run->end == run->first)
		return false;
	return is_long(c, insn) || ends_long(c, run) || insn->checked != IR_NONE ||
	       (mode && run->mode && mode != run->mode) || c->insn_labels[i] ||
	       disturbs(c, run, insn->d[0]);
}

static int schedule_block(struct compile *c, const struct ir_block *block)
{
	struct run run = { block->first, block->first, MODE_UNKNOWN };

	for (uint32_t i = block->first; i < block->end; i++) {
		const struct ir_insn *insn = &c->ir->insns[i];

		if (insn->op == IR_GUARD && insn->skipped && !insn->tested) {
			if (c->insn_labels[i])
				TRY(end_run(c, &run));
			run.end = i + 1; /* nothing is executed for it */
			continue;
		}
		if (!is_strip(c, insn) && !is_value(c, insn)) {
			TRY(end_run(c, &run));
			TRY(add_step(c, i, WHOLE, true));
			run.first = run.end = i + 1;
			continue;
		}
		if (begins_run(c, &run, i))
			TRY(end_run(c, &run));
		else if (run.end - run.first >= MOST_RUN)
			TRY(cut_run(c, &run));
		run.end = i + 1;
		if (insn_mode(insn))
			run.mode = insn_mode(insn);
	}
	return end_run(c, &run);
}

int schedule_labels(struct compile *c)
{
	c->insn_labels = calloc(c->ir->insn_count + 1, sizeof(*c->insn_labels));
	if (!c->insn_labels)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for labels");
	for (size_t i = 0; i < c->ir->insn_count; i++) {
		const struct ir_insn *insn = &c->ir->insns[i];

		if (insn->op == IR_GUARD && (!insn->skipped || insn->tested) &&
		    !c->insn_labels[insn->imm])
			c->insn_labels[insn->imm] = x86_label(c->x) + 1;
	}
	return 0;
}

int schedule_find(struct compile *c)
{
	for (size_t i = 0; i < c->ir->block_count; i++)
		TRY(schedule_block(c, &c->ir->blocks[i]));
	return 0;
}
