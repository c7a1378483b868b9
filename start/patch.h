/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The entries of a runtime's functions become jumps to ours. The pages of code are replaced by
 * changed copies, which, with the code that the jumps lead to, lie in a memory file: no page is
 * ever writable and executable, nor was one that is executable writable.
 */
#ifndef START_PATCH_H
#define START_PATCH_H

#include "found.h"

/* What jumps lead to, in one region within 2 GB of the code: WAY bytes for each function. */
enum { WAY = 16, JUMP = SLOT };

/* Writes a way to the function whose address is at @target, and leaves @target in r11. */
void patch_write_way(uint8_t way[WAY], const void *target);

/*
 * Writes the jump at the entry @code, which is at address @from, to @to. false when that is too
 * far. A debugger sets the breakpoint of a function behind its first instructions, at 4 bytes or 8:
 * these bytes are jumped over. An endbr64 stays.
 */
bool patch_write_jump(uint8_t code[JUMP], uint64_t from, uint64_t to);

struct patched {
	void *ways; /* the region, for patch_release() */
	size_t size;
};

/* The way of a function that ours has not leads to @function, with this in r11. */
struct way_newer {
	void *function;
	char name[NEWER_LENGTH];
};

/*
 * Redirects the runtime @found in @object, which is loaded at @base: the difference between
 * addresses in the process and in the file. Function i leads to @targets[i], one that ours has not
 * to @newer. Returns why not, and nothing is changed then; else NULL, and @patched is to be
 * released with the object.
 */
const char *patch_runtime(const struct found *found, const struct object *object, uint64_t base,
			  void **targets, void *newer, struct patched *patched);

/*
 * Has the function at address @at of @object's file lead to the one whose address is at @ours.
 * *@original does what it did before. Returns why not, as above: also where it begins with
 * instructions that cannot stand elsewhere.
 */
const char *patch_function(const struct object *object, uint64_t at, uint64_t base,
			   const void *ours, void **original, struct patched *patched);

/*
 * How many bytes the whole instructions at @code have that a jump of 5 bytes replaces, if each of
 * them is one that functions begin with and means the same elsewhere; else 0.
 */
size_t patch_begin_length(const uint8_t *code, size_t size);

/* Unmaps the ways of an object that is gone. */
void patch_release(struct patched *patched);

#endif
