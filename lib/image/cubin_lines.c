/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What ptxas removed from the PTX and where it is found:
 *
 *	.nv_debug_line_sass	code -> line of the PTX; the file is the name of the PTX's section,
 *				none under .nv_debug_ptx_txt
 *	.debug_line		code -> line of a source file, and what it was inlined into
 *
 * The PTX has an empty line where a .loc was, which applies to all instructions up to the next.
 * So those between two empty lines have one source line, that of any of their code; the rows
 * of both tables at the same address are compared by the last of each, since the others there have
 * no code. Where they do not agree, or no code is left, it is unknown: a .loc with line 0 says so.
 * Columns are in neither table.
 *
 * All of it is taken out of one budget. Beyond it all lines of the source are left out, not some of
 * them, and the texts are what they were: a user of a kernel wants its results, which do not
 * depend on them, and a report names the line of the PTX then. Part of them would be worse than
 * none: an instruction without a .loc of its own would seem to be of the line before it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "array.h"
#include "cleanup.h"
#include "cubin.h"
#include "cubin_table.h"

enum {
	DEEPEST = 16,   /* .loc lines for one place; more are left out */
	LONGEST = 4096, /* path of a file */
};

/* A line of PTX that has code, and the row of the source that the code has. */
struct mark {
	uint32_t text, line;
	uint32_t row;
};

struct text_id {
	uint64_t id;
	uint32_t text;
};

struct lines {
	struct cubin_table source, ptx; /* owned */
	struct line_budget budget;
	uint32_t *order;     /* owned: the source's rows by their addresses */
	struct text_id *ids; /* owned: of the texts, sorted */
	size_t id_count;
	uint32_t *named;     /* owned: of each file of the PTX's table 1 + the text that it is, or
			      * 0; then of rows whose file is unknown */
	struct mark *marks;  /* owned; by text and line */
	size_t mark_count;
	uint32_t *files;     /* owned: of each file 1 + the last text that names it */
	uint32_t *used;      /* owned: the files that the text names */
	size_t used_count;
};

static void lines_release(struct lines *lines)
{
	cubin_table_release(&lines->source);
	cubin_table_release(&lines->ptx);
	free(lines->order);
	free(lines->ids);
	free(lines->named);
	free(lines->marks);
	free(lines->files);
	free(lines->used);
}

static int no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the lines of a cubin");
}

static int compare_place(const struct cubin_row *a, const struct cubin_row *b)
{
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* A sequence ends before another begins at the same address. */
static int by_place(const void *a, const void *b, void *data)
{
	const struct cubin_row *rows = data;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	int place = compare_place(&rows[left], &rows[right]);

	if (!place)
		place = rows[right].end - rows[left].end;
	return place ? place : (left > right) - (left < right);
}

static int sort_source(struct lines *lines, struct err *e)
{
	TRY(line_budget_take(&lines->budget,
			     (lines->source.row_count + lines->source.file_count) *
				     sizeof(uint32_t), "rows of line tables", e));
	lines->order = calloc(lines->source.row_count + 1, sizeof(*lines->order));
	lines->files = calloc(lines->source.file_count + 1, sizeof(*lines->files));
	if (!lines->order || !lines->files)
		return no_memory(e);
	for (size_t i = 0; i < lines->source.row_count; i++)
		lines->order[i] = (uint32_t)i;
	qsort_r(lines->order, lines->source.row_count, sizeof(*lines->order), by_place,
		lines->source.rows);
	return 0;
}

/* The source's row that the code of @place has; UINT32_MAX: none. */
static uint32_t find_source(const struct lines *lines, const struct cubin_row *place)
{
	size_t low = 0, high = lines->source.row_count;
	const struct cubin_row *row;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		row = &lines->source.rows[lines->order[middle]];
		if (compare_place(row, place) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return UINT32_MAX;
	row = &lines->source.rows[lines->order[low - 1]];
	return row->section == place->section && !row->end ? lines->order[low - 1] : UINT32_MAX;
}

static int by_id(const void *a, const void *b)
{
	const struct text_id *left = a, *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

static int sort_ids(struct lines *lines, const struct cubin_texts *texts, struct err *e)
{
	lines->ids = calloc(texts->count + 1, sizeof(*lines->ids));
	if (!lines->ids)
		return no_memory(e);
	for (size_t i = 0; i < texts->count; i++)
		lines->ids[i] = (struct text_id){ texts->ids[i], (uint32_t)i };
	lines->id_count = texts->count;
	qsort(lines->ids, lines->id_count, sizeof(*lines->ids), by_id);
	return 0;
}

/* 1 + the text of that @id, or 0. */
static uint32_t find_text(const struct lines *lines, uint64_t id)
{
	const struct text_id wanted = { .id = id }, *found;

	found = bsearch(&wanted, lines->ids, lines->id_count, sizeof(wanted), by_id);
	return found ? 1 + found->text : 0;
}

/* Finds the text that each file of the PTX's table names. */
static int find_named(struct lines *lines, struct err *e)
{
	const struct cubin_table *ptx = &lines->ptx;

	TRY(line_budget_take(&lines->budget, ptx->file_count * sizeof(*lines->named),
			     "files of line tables", e));
	lines->named = calloc(ptx->file_count + 1, sizeof(*lines->named));
	if (!lines->named)
		return no_memory(e);
	for (size_t i = 0; i < ptx->file_count; i++)
		lines->named[i] = find_text(lines, ptx->files[i].name.size ?
						   cubin_text_id(ptx->files[i].name) : 0);
	lines->named[ptx->file_count] = find_text(lines, 0);
	return 0;
}

static int by_line(const void *a, const void *b)
{
	const struct mark *left = a, *right = b;

	if (left->text != right->text)
		return left->text < right->text ? -1 : 1;
	return (left->line > right->line) - (left->line < right->line);
}

static int add_mark(struct lines *lines, const struct cubin_row *ptx, struct err *e)
{
	const size_t unknown = lines->ptx.file_count;
	const uint32_t text = lines->named[ptx->file < unknown ? ptx->file : unknown];
	uint32_t row = find_source(lines, ptx);
	struct mark *slot;

	if (!text || row == UINT32_MAX)
		return 0;
	TRY(line_budget_take(&lines->budget, sizeof(*slot), "lines with code", e));
	slot = array_grow(&lines->marks, lines->mark_count, sizeof(*slot));
	if (!slot)
		return no_memory(e);
	*slot = (struct mark){ text - 1, ptx->line, row };
	lines->mark_count++;
	return 0;
}

static int join(struct lines *lines, struct err *e)
{
	for (size_t i = 0; i < lines->ptx.row_count; i++)
		if (lines->ptx.rows[i].last && !lines->ptx.rows[i].end)
			TRY(add_mark(lines, &lines->ptx.rows[i], e));
	if (lines->mark_count)
		qsort(lines->marks, lines->mark_count, sizeof(*lines->marks), by_line);
	return 0;
}

/* One text while its new version is written. */
struct copy {
	struct lines *lines;
	struct bytes text;
	FILE *out;
	uint64_t added;      /* bytes that were written and not yet taken from the budget */
	size_t at;           /* the first byte that was not read yet */
	uint32_t number;     /* of the text */
	uint32_t line;       /* that @at is in, from 1 on */
	size_t mark;         /* the first one of this line or after it */
	size_t depth;        /* of braces */
	size_t empty;        /* empty lines that were read and not written yet */
	bool inside;         /* of a statement */
	bool directive;      /* that statement is no instruction */
	bool known;          /* a .loc that was written applies here */
};

/* Whether the name of @file can be in a string of PTX. */
static bool is_plain(const struct dwarf_line_file *file)
{
	const struct bytes parts[] = { file->directory, file->name };

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < parts[i].size; j++)
			if (parts[i].data[j] < ' ' || parts[i].data[j] == '"')
				return false;
	return file->name.size && file->name.data[file->name.size - 1] != '\\' &&
	       file->directory.size + file->name.size < LONGEST;
}

/* Whether a .loc may name file @index: from now on it has a .file in this text. */
static bool use_file(struct copy *copy, uint32_t index)
{
	struct lines *lines = copy->lines;
	const struct dwarf_line_file *file;
	uint32_t *slot;

	if (index >= lines->source.file_count)
		return false;
	if (lines->files[index] == copy->number + 1)
		return true;
	file = &lines->source.files[index];
	if (!is_plain(file))
		return false;
	slot = array_grow(&lines->used, lines->used_count, sizeof(*slot));
	if (!slot)
		return false;
	*slot = index;
	lines->used_count++;
	lines->files[index] = copy->number + 1;
	return true;
}

static bool same_place(const struct cubin_table *source, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < DEEPEST && a != b; i++) {
		const struct cubin_row *left = &source->rows[a], *right = &source->rows[b];

		if (left->file != right->file || left->line != right->line ||
		    !left->caller != !right->caller)
			return false;
		if (!left->caller)
			return true;
		a = left->caller - 1;
		b = right->caller - 1;
	}
	return true;
}

/* The one row that all code of lines up to @end has; UINT32_MAX when there are several or none. */
static uint32_t common_row(struct copy *copy, uint32_t end)
{
	const struct lines *lines = copy->lines;
	uint32_t row = UINT32_MAX;
	bool agree = true;

	for (; copy->mark < lines->mark_count; copy->mark++) {
		const struct mark *mark = &lines->marks[copy->mark];

		if (mark->text > copy->number ||
		    (mark->text == copy->number && mark->line >= end))
			break;
		if (mark->text < copy->number || mark->line < copy->line)
			continue;
		agree &= row == UINT32_MAX || same_place(&lines->source, row, mark->row);
		row = mark->row;
	}
	return agree ? row : UINT32_MAX;
}

/* Writes what the text has not; a failure is kept in the stream. */
__attribute__((format(printf, 2, 3)))
static void put(struct copy *copy, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vfprintf(copy->out, format, args);
	va_end(args);
	copy->added += length > 0 ? (unsigned)length : 0;
}

static void write_location(struct copy *copy, uint32_t index)
{
	const struct cubin_row *rows = copy->lines->source.rows, *row = &rows[index];

	put(copy, ".loc %u %u 0", row->file + 1, row->line);
	if (row->caller && use_file(copy, rows[row->caller - 1].file))
		put(copy, ", inlined_at %u %u 0", rows[row->caller - 1].file + 1,
		    rows[row->caller - 1].line);
}

/* Writes the empty lines that were read, the last ones with the places of @row and its callers. */
static void write_locations(struct copy *copy, uint32_t row)
{
	const struct cubin_row *rows = copy->lines->source.rows;
	uint32_t chain[DEEPEST];
	size_t count = 0;

	while (count < copy->empty && count < DEEPEST && use_file(copy, rows[row].file)) {
		chain[count++] = row;
		if (!rows[row].caller)
			break;
		row = rows[row].caller - 1;
	}
	for (; copy->empty; copy->empty--) {
		if (copy->empty <= count)
			write_location(copy, chain[copy->empty - 1]);
		fputc('\n', copy->out);
	}
	copy->known |= count;
}

/* Writes the empty lines that were read; the last says that what follows has no known place. */
static void write_unknown(struct copy *copy)
{
	for (; copy->empty > 1; copy->empty--)
		fputc('\n', copy->out);
	if (copy->empty)
		put(copy, ".loc 0 0 0\n");
	copy->known &= !copy->empty;
	copy->empty = 0;
}

static void write_empty(struct copy *copy)
{
	for (; copy->empty; copy->empty--)
		fputc('\n', copy->out);
}

/* The end of the line that @at is in: its newline, or the end of the text. */
static size_t line_end(struct bytes text, size_t at)
{
	const void *end = at < text.size ? memchr(text.data + at, '\n', text.size - at) : NULL;

	return end ? (size_t)((const uint8_t *)end - text.data) : text.size;
}

/* Follows the character @c, which is in no comment or string; @first: of its line. */
static void follow_character(struct copy *copy, uint8_t c, bool first)
{
	if (c == '{') {
		copy->depth++;
		copy->inside &= !(copy->directive && first);
	} else if (c == '}') {
		copy->depth -= copy->depth > 0;
	} else if (c == ';' || c == ':') { /* of a label; that of a name continues after it */
		copy->inside = false;
	} else if (!copy->inside) {
		copy->inside = true;
		copy->directive = c == '.';
	}
}

/* Follows the line of @text, whether it ends in a statement. */
static void follow_line(struct copy *copy, struct bytes text)
{
	bool first = true;

	for (size_t i = 0; i < text.size; i++) {
		const uint8_t c = text.data[i];

		if (c == '/' && i + 1 < text.size && text.data[i + 1] == '/')
			return;
		if (c == '"') {
			const void *end = memchr(text.data + i + 1, '"', text.size - i - 1);

			if (!end)
				return;
			i = (size_t)((const uint8_t *)end - text.data);
		} else if (c > ' ') {
			follow_character(copy, c, first);
			first = false;
		}
	}
}

/* Copies the lines up to the next that is empty. */
static void copy_block(struct copy *copy)
{
	const size_t from = copy->at;
	uint32_t end = copy->line, row;
	size_t stop = from, next;

	for (; (next = line_end(copy->text, stop)) > stop; end++)
		stop = next < copy->text.size ? next + 1 : next;
	row = common_row(copy, end);
	if (copy->depth && !copy->inside && row != UINT32_MAX)
		write_locations(copy, row);
	else if (copy->depth && !copy->inside && copy->known)
		write_unknown(copy);
	write_empty(copy);
	fwrite(copy->text.data + from, 1, stop - from, copy->out);
	for (; copy->at < stop; copy->at = next + 1) {
		next = line_end(copy->text, copy->at);
		follow_line(copy, (struct bytes){ copy->text.data + copy->at, next - copy->at });
	}
	copy->at = stop;
	copy->line = end;
	copy->known &= copy->depth > 0;
}

static int take(struct copy *copy, struct err *e)
{
	const uint64_t added = copy->added;

	copy->added = 0;
	return line_budget_take(&copy->lines->budget, added, ".loc and .file of the source", e);
}

static int write_files(struct copy *copy, struct err *e)
{
	const struct lines *lines = copy->lines;

	if (copy->text.data[copy->text.size - 1] != '\n' && lines->used_count)
		fputc('\n', copy->out);
	for (size_t i = 0; i < lines->used_count; i++) {
		const struct dwarf_line_file *file = &lines->source.files[lines->used[i]];
		const bool whole = !file->directory.size || file->name.data[0] == '/';

		put(copy, ".file %u \"%.*s%s%.*s\"\n", lines->used[i] + 1,
		    whole ? 0 : (int)file->directory.size, (const char *)file->directory.data,
		    whole ? "" : "/", (int)file->name.size, (const char *)file->name.data);
		TRY(take(copy, e));
	}
	return 0;
}

static int copy_text(struct copy *copy, struct err *e)
{
	while (copy->at < copy->text.size) {
		if (copy->text.data[copy->at] == '\n') {
			copy->empty++;
			copy->at++;
			copy->line++;
		} else {
			copy_block(copy);
			TRY(take(copy, e));
		}
	}
	write_empty(copy);
	return write_files(copy, e);
}

/* Writes a new version of @text, which is the @number-th and whose first mark is @mark, to
 * *@out, which the caller frees. */
static int add_lines(struct lines *lines, struct bytes text, uint32_t number, size_t *mark,
		     struct bytes *out, struct err *e)
{
	struct copy copy = { .lines = lines, .text = text, .number = number, .line = 1,
			     .mark = *mark };
	CLEANUP(free_pointer) char *written = NULL;
	size_t size = 0;
	bool whole;
	int status;

	if (!text.size)
		return 0;
	copy.out = open_memstream(&written, &size);
	if (!copy.out)
		return no_memory(e);
	lines->used_count = 0;
	status = copy_text(&copy, e);
	whole = !fflush(copy.out) && !ferror(copy.out);
	if (fclose(copy.out) || !whole)
		return no_memory(e);
	TRY(status);
	*mark = copy.mark;
	*out = (struct bytes){ (uint8_t *)STEAL(written), size };
	return 0;
}

/* The new versions of texts. */
struct versions {
	struct bytes *items; /* owned, as each; without data where the text has no marks */
	size_t count;
};

static void versions_release(struct versions *versions)
{
	for (size_t i = 0; i < versions->count; i++)
		free((void *)versions->items[i].data);
	free(versions->items);
}

/* Writes all of them, and then puts them in the place of the others: all or none. */
static int replace_texts(struct lines *lines, struct cubin_texts *texts, struct err *e)
{
	CLEANUP(versions_release) struct versions new = { 0 };
	size_t mark = 0;

	new.items = calloc(texts->count + 1, sizeof(*new.items));
	if (!new.items)
		return no_memory(e);
	for (new.count = 0; new.count < texts->count; new.count++) {
		const size_t i = new.count;

		while (mark < lines->mark_count && lines->marks[mark].text < i)
			mark++;
		if (mark < lines->mark_count && lines->marks[mark].text == i)
			TRY(add_lines(lines, texts->items[i], (uint32_t)i, &mark, &new.items[i],
				      e));
	}
	for (size_t i = 0; i < texts->count; i++) {
		const struct bytes before = texts->items[i];

		if (!new.items[i].data)
			continue;
		texts->items[i] = new.items[i];
		new.items[i] = before;
	}
	return 0;
}

int cubin_add_lines(struct bytes bytes, struct cubin_texts *texts, struct err *e)
{
	CLEANUP(lines_release) struct lines lines = { .budget = line_budget_of(bytes.size) };
	struct elf64 elf;

	TRY(elf64_open(bytes, &elf, e));
	TRY(cubin_table(&elf, ".nv_debug_line_sass", &lines.budget, &lines.ptx, e));
	TRY(cubin_table(&elf, ".debug_line", &lines.budget, &lines.source, e));
	TRY(sort_source(&lines, e));
	TRY(sort_ids(&lines, texts, e));
	TRY(find_named(&lines, e));
	TRY(join(&lines, e));
	return replace_texts(&lines, texts, e);
}
