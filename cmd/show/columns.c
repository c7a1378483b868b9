/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "columns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "array.h"
#include "asserts.h"
#include "visible.h"

enum {
	TOGETHER = 1000, /* rows */
	GAP = 2,	 /* blanks between columns */
	NARROW_NAME = 24, /* to which a column of names is cut, in characters */
	NARROW = 8,	 /* and to which another one */
};

static size_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

void columns_begin(struct columns *columns, unsigned names)
{
	*columns = (struct columns){ .names = names, .width = terminal_width() };
}

FILE *columns_row(struct columns *columns)
{
	ASSERT(!columns->row && !columns->text);
	columns->row = open_memstream(&columns->text, &columns->size);
	columns->lost = columns->lost || !columns->row;
	return columns->row;
}

/* ---- A row as it is ---- */

static void print_whole(const char *row)
{
	for (size_t length; *row; row += length + (row[length] == '\t')) {
		length = strcspn(row, "\t");
		visible_write(stdout, row, length, VISIBLE_NAME);
		if (row[length] && row[length + 1] && row[length + 1] != '\t')
			visible_write(stdout, "  ", 2, VISIBLE_NAME);
	}
	putchar('\n');
}

/* ---- Aligned rows ---- */

static size_t characters(const char *text, size_t size)
{
	size_t count = 0;

	for (size_t at = 0; at < size; count++)
		at += visible_next(text + at, size - at).length;
	return count;
}

/* The bytes of the first @count characters. */
static size_t bytes_of_characters(const char *text, size_t size, size_t count)
{
	size_t at = 0;

	for (; count && at < size; count--)
		at += visible_next(text + at, size - at).length;
	return at;
}

static void measure_columns(const struct columns *columns, size_t widths[COLUMNS_MAX])
{
	memset(widths, 0, COLUMNS_MAX * sizeof(*widths));
	for (size_t i = 0; i < columns->count; i++) {
		const char *cell = columns->rows[i];

		for (size_t k = 0; k < COLUMNS_MAX; k++) {
			const size_t size = strcspn(cell, "\t");
			const size_t width = characters(cell, size);

			if (width > widths[k])
				widths[k] = width;
			if (!cell[size])
				break;
			cell += size + 1;
		}
	}
}

/* Makes the widest columns narrower until all fit, or none can be cut any more. */
static void fit_columns(const struct columns *columns, size_t widths[COLUMNS_MAX])
{
	size_t total = 0;

	for (size_t k = 0; k < COLUMNS_MAX; k++)
		total += widths[k] ? widths[k] + GAP : 0;
	for (; total > columns->width + GAP; total--) {
		size_t widest = COLUMNS_MAX;

		for (size_t k = 0; k < COLUMNS_MAX; k++) {
			const size_t least = columns->names >> k & 1 ? NARROW_NAME : NARROW;

			if (widths[k] > least &&
			    (widest == COLUMNS_MAX || widths[k] > widths[widest]))
				widest = k;
		}
		if (widest == COLUMNS_MAX)
			return;
		widths[widest]--;
	}
}

/* Prints @size bytes of @cell in @width characters, padded where another cell follows. */
static void print_cell(const char *cell, size_t size, size_t width, bool padded)
{
	const size_t have = characters(cell, size);

	if (have <= width) {
		visible_write(stdout, cell, size, VISIBLE_NAME);
		visible_printf(stdout, "%*s", padded ? (int)(width - have + GAP) : 0, "");
		return;
	}
	const size_t head = bytes_of_characters(cell, size, width / 2);
	const size_t tail = bytes_of_characters(cell, size, have - (width - width / 2 - 1));

	visible_write(stdout, cell, head, VISIBLE_NAME);
	visible_write(stdout, "…", strlen("…"), VISIBLE_NAME);
	visible_write(stdout, cell + tail, size - tail, VISIBLE_NAME);
	visible_printf(stdout, "%*s", padded ? GAP : 0, "");
}

/* Tells whether a cell of @row, which begins one, has a character. */
static bool has_more(const char *row)
{
	return row[strspn(row, "\t")];
}

static void print_aligned(struct columns *columns)
{
	size_t widths[COLUMNS_MAX];

	measure_columns(columns, widths);
	fit_columns(columns, widths);
	for (size_t i = 0; i < columns->count; i++) {
		const char *cell = columns->rows[i];

		for (size_t k = 0; k < COLUMNS_MAX && has_more(cell); k++) {
			const size_t size = strcspn(cell, "\t");
			const char *next = cell + size + (cell[size] == '\t');

			if (widths[k])
				print_cell(cell, size, widths[k], has_more(next));
			cell = next;
		}
		putchar('\n');
		free(columns->rows[i]);
	}
	columns->count = 0;
}

void columns_end_row(struct columns *columns)
{
	char **slot;

	ASSERT(columns->row);
	if (fclose(STEAL(columns->row))) {
		columns->lost = true;
		free(STEAL(columns->text));
		return;
	}
	if (!columns->width) {
		print_whole(columns->text);
		free(STEAL(columns->text));
		return;
	}
	slot = array_grow(&columns->rows, columns->count, sizeof(*slot));
	if (!slot) {
		columns->lost = true;
		free(STEAL(columns->text));
		return;
	}
	*slot = STEAL(columns->text);
	if (++columns->count == TOGETHER)
		print_aligned(columns);
}

int columns_end(struct columns *columns, struct err *e)
{
	print_aligned(columns);
	return columns->lost ? err_set(e, GPURUN_NO_MEMORY, "no memory for the list") : 0;
}

void columns_release(struct columns *columns)
{
	if (columns->row)
		fclose(columns->row);
	free(columns->text);
	for (size_t i = 0; i < columns->count; i++)
		free(columns->rows[i]);
	free(columns->rows);
	*columns = (struct columns){ 0 };
}
