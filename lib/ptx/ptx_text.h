/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * PTX text among other bytes: in the data of a host file, in a container of any kind. It begins
 * with the comments and white space that precede ".version", and ends with a NUL, with the next
 * text, or where what follows is no PTX.
 */
#ifndef LIB_PTX_TEXT_H
#define LIB_PTX_TEXT_H

#include "bytes.h"
#include "err.h"

#define PTX_TEXT_MARK ".version"
#define PTX_TEXT_MARK_SIZE 8

struct ptx_text {
	uint64_t begin, end; /* of the text; of what was refused, too */
	bool begun;          /* of what was refused: something is declared in it */
	bool torn;           /* and it ends inside a statement */
	bool gcc;            /* a part of what GCC compiled, to be linked with the others */
};

/* Tells whether a text begins at @offset, but for comments: ".version M.N .target SM". */
bool ptx_text_sniff(struct bytes bytes, uint64_t offset);

/*
 * Measures the text whose head is at @offset of @bytes, and nowhere before @first. The time
 * grows with what is between @first and text->end, which is beyond @offset also after a failure:
 * GPURUN_FORMAT, "line 3: ..." of the text, when the reader of PTX does not accept it or when
 * nothing is declared in it; GPURUN_NO_MEMORY.
 */
int ptx_text_measure(struct bytes bytes, uint64_t offset, uint64_t first, struct ptx_text *text,
		     struct err *e);

#endif
