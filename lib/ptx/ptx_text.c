/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How PTX text is left in data: as a string that ends in a NUL (bin2c, GCC, MLIR, Halide); as a
 * file between others without one (ld -b binary, .incbin, include_str!). A text is searched for
 * from its ".version" to the next head of one, so that each byte is read a bounded number of
 * times, whatever there is.
 */
#include "ptx_text.h"
#include "ptx.h"
#include "ptx_lex.h"

enum {
	HEAD_MOST = 4096,  /* bytes of a head, and of a line of comment before it */
	PIECE = 64 << 10,  /* bytes that are searched for the end at a time */
};

/* ---- The head --------------------------------------------------------- */

/* Finds the mark that is nearest to @offset, in the bytes up to @end; @end if there is none. */
static uint64_t find_mark(struct bytes bytes, uint64_t offset, uint64_t end)
{
	const uint8_t *p = NULL;

	if (offset < end)
		p = memmem(bytes.data + offset, end - offset, PTX_TEXT_MARK, PTX_TEXT_MARK_SIZE);
	return p ? (uint64_t)(p - bytes.data) : end;
}

/* The least of @offset + @size and the end of @bytes. */
static uint64_t limit(struct bytes bytes, uint64_t offset, uint64_t size)
{
	return size < bytes.size - offset ? offset + size : bytes.size;
}

bool ptx_text_sniff(struct bytes bytes, uint64_t offset)
{
	struct ptx_lexer lexer;
	struct ptx_token token;
	struct bytes head;
	uint64_t end;

	if (!bytes_slice(bytes, offset, bytes.size - offset, &head) ||
	    !bytes_begin(head, PTX_TEXT_MARK, PTX_TEXT_MARK_SIZE))
		return false;
	/* Up to the next mark: many of them cost no more than one. */
	end = find_mark(bytes, offset + 1, limit(bytes, offset, HEAD_MOST));
	head.size = end - offset;
	lexer = ptx_lexer(head, 1);
	ptx_next(&lexer, &token);
	if (!ptx_is(&token, PTX_TEXT_MARK))
		return false;
	ptx_next(&lexer, &token);
	if (token.kind != PTX_FLOAT)
		return false;
	ptx_next(&lexer, &token);
	if (!ptx_is(&token, ".target"))
		return false;
	ptx_next(&lexer, &token);
	return token.kind == PTX_WORD && token.length > 3 && !memcmp(token.text, "sm_", 3);
}

/* ---- The beginning ---------------------------------------------------- */

/* As the reader of PTX, and ptxas, have it. */
static bool is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

/* Finds where the comment of one line begins that ends at @end; @end if there is none. */
static uint64_t find_line_comment(struct bytes bytes, uint64_t first, uint64_t end)
{
	uint64_t at = end, found = end;

	if (end - first > HEAD_MOST)
		first = end - HEAD_MOST;
	while (at > first && (bytes.data[at - 1] >= ' ' || bytes.data[at - 1] == '\t')) {
		at--;
		if (end - at >= 2 && bytes.data[at] == '/' && bytes.data[at + 1] == '/')
			found = at;
	}
	return found;
}

/* Finds where the comment begins that ends with the star and slash before @end; @end if there
 * is none. */
static uint64_t find_block_comment(struct bytes bytes, uint64_t first, uint64_t end)
{
	if (end - first < 4 || memcmp(bytes.data + end - 2, "*/", 2))
		return end;
	for (uint64_t at = end - 3; at-- > first && bytes.data[at];)
		if (bytes.data[at] == '/' && bytes.data[at + 1] == '*')
			return at;
	return end;
}

/* Moves @offset back over white space and comments, not before @first. */
static uint64_t find_begin(struct bytes bytes, uint64_t offset, uint64_t first)
{
	for (;;) {
		uint64_t end = offset, begin;
		bool line = false;

		while (end > first && is_space(bytes.data[end - 1]))
			line |= bytes.data[--end] == '\n';
		begin = find_block_comment(bytes, first, end);
		if (begin == end && line)
			begin = find_line_comment(bytes, first, end);
		if (begin == end)
			return end;
		offset = begin;
	}
}

/* ---- The end ---------------------------------------------------------- */

/* Finds the head of a text that is nearest to @offset, in the bytes up to @end; else @end. */
static uint64_t find_head(struct bytes bytes, uint64_t offset, uint64_t end)
{
	uint64_t at = find_mark(bytes, offset, end);

	while (at < end && !ptx_text_sniff(bytes, at))
		at = find_mark(bytes, at + 1, end);
	return at;
}

/* Finds what no text from @offset on reaches beyond: a NUL, the next head, the end. */
static uint64_t find_limit(struct bytes bytes, uint64_t offset)
{
	for (;;) {
		const uint64_t end = limit(bytes, offset, PIECE);
		const uint8_t *nul = memchr(bytes.data + offset, 0, end - offset);
		const uint64_t stop = nul ? (uint64_t)(nul - bytes.data) : end;
		const uint64_t head = find_head(bytes, offset, stop);

		if (head < stop || nul || end == bytes.size)
			return head;
		offset = end - (PTX_TEXT_MARK_SIZE - 1);
	}
}

/* Tells whether functions follow in @rest: then it is the middle of a text. */
static bool goes_on(struct bytes rest)
{
	return rest.size && (memmem(rest.data, rest.size, ".entry", 6) ||
			     memmem(rest.data, rest.size, ".func", 5));
}

/* Reads the text that @whole begins with, up to *@size: as every reader does. */
static int read_text(struct bytes whole, struct ptx_text *text, struct ptx_extent *extent,
		     struct err *e)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	struct kernel_info *kernels;
	size_t count;
	int status = ptx_open_first(whole, &ptx, extent, e);

	text->begun = extent->begun;
	text->torn = extent->torn;
	TRY(status);
	if (!extent->begun)
		return err_set(e, GPURUN_FORMAT, "nothing is declared");
	TRY(ptx_kernels(ptx, &kernels, &count, e));
	kernel_info_free(kernels, count);
	return 0;
}

/* Says what the reader of all of @whole does. */
static int refuse(struct bytes whole, struct ptx_text *text, struct err *e)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;

	text->begun = true;
	return ptx_open(whole, &ptx, e);
}

/* Reads the text in @whole, which ends before any other, and where it ends by itself. */
static int measure(struct bytes whole, bool last, struct ptx_text *text, struct err *e)
{
	struct ptx_extent extent;
	struct bytes rest = { 0 };

	TRY(read_text(whole, text, &extent, e));
	if (extent.all && last) /* comments after it are its own */
		return 0;
	while (extent.size < whole.size && is_space(whole.data[extent.size]))
		extent.size++;
	bytes_slice(whole, extent.size, whole.size - extent.size, &rest);
	if (!extent.all && goes_on(rest))
		return refuse(whole, text, e);
	text->end = text->begin + extent.size;
	return 0;
}

/* Tells whether the first comment of @whole is how GCC begins each of its parts. */
static bool is_gcc(struct bytes whole)
{
	static const char preamble[] = "// BEGIN PREAMBLE";

	while (whole.size && is_space(*whole.data)) {
		whole.data++;
		whole.size--;
	}
	return bytes_begin(whole, preamble, sizeof(preamble) - 1);
}

int ptx_text_measure(struct bytes bytes, uint64_t offset, uint64_t first, struct ptx_text *text,
		     struct err *e)
{
	struct bytes whole = { 0 };
	bool last;

	*text = (struct ptx_text){ .begin = find_begin(bytes, offset, first),
				   .end = find_limit(bytes, offset + PTX_TEXT_MARK_SIZE) };
	bytes_slice(bytes, text->begin, text->end - text->begin, &whole);
	text->gcc = is_gcc(whole);
	last = text->end == bytes.size || !bytes.data[text->end];
	return measure(whole, last, text, e);
}
