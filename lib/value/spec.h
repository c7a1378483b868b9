/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The grammar of values on a command line: the type and the initial contents of a
 * buffer (SPEC, INIT), and what is passed to a kernel's parameter (ARG).
 *
 *	SPEC := TYPE:SHAPE[:INIT] | TYPE:list=V,V,... | TYPE:text=S | [TYPE:]@FILE
 *	INIT := zero | uninit | poison | fill=V | iota[=START[,STEP[,MOD]]]
 *	      | rand[=LO,HI]
 *	      | randn[=MEAN,SD] | list=V,V,... | text=S | @FILE
 *	ARG  := TYPE=VALUE | LITERAL | BUF[+ELEMS] | NAME=SPEC | SPEC | len:BUF
 *	      | sym:GLOBAL | raw:HEX | raw:@FILE | null | memref:(BUF | NAME=SPEC | SPEC)
 *	      | struct:PART,PART,... | ptrs:PART,PART,...
 *	PART := ARG without commas | pad:BYTES
 *
 * Everything parsed borrows the text it was parsed from.
 */
#ifndef LIB_SPEC_H
#define LIB_SPEC_H

#include "value.h"

#define NAME_SIZE 64

/* Copies @length bytes to @out as the name of a stream or event. GPURUN_INVALID. */
int name_parse(const char *text, size_t length, char out[NAME_SIZE], struct err *e);

/* The same for a buffer: refuses the words that mean something else there. */
int buffer_name_parse(const char *text, size_t length, char out[NAME_SIZE],
		      struct err *e);

#define SHAPE_MAX_RANK 8

struct shape {
	unsigned rank;
	uint64_t dims[SHAPE_MAX_RANK];
	uint64_t count; /* elements: the product */
};

/* Reads SIZE{xSIZE} in @length bytes. GPURUN_INVALID. */
int shape_parse(const char *text, size_t length, struct shape *out, struct err *e);

/* Prints "4096x4096" to @text. */
void shape_format(const struct shape *shape, char *text, size_t size);

bool shape_equal(const struct shape *a, const struct shape *b);

enum init_kind {
	INIT_ZERO, INIT_UNINIT, INIT_POISON, INIT_FILL, INIT_IOTA, INIT_RAND, INIT_RANDN,
	INIT_LIST, INIT_TEXT, INIT_FILE,
};

struct init {
	enum init_kind kind;
	const char *text;         /* as written: "iota=2,1" */
	bool given[3];            /* FILL, IOTA, RAND, RANDN: which of values are there */
	struct number values[3];
	const char *payload;      /* LIST: the items; TEXT: the text; FILE: the path */
};

/* Reads an INIT; NUL-terminated, to its end. GPURUN_INVALID. */
int init_parse(const char *text, struct init *out, struct err *e);

/* Tells whether @text begins with a word of INIT, or @: it is no buffer's name then. */
bool init_sniff(const char *text);

struct spec {
	bool has_type, has_shape; /* neither: @FILE must be .npy */
	enum value_type type;
	struct shape shape;
	struct init init;
};

/* Reads a SPEC; NUL-terminated, to its end. GPURUN_INVALID. */
int spec_parse(const char *text, struct spec *out, struct err *e);

enum arg_kind {
	ARG_SCALAR,  /* type, number */
	ARG_LITERAL, /* number */
	ARG_BUFFER,  /* name, elements */
	ARG_DECLARE, /* name ("": anonymous), spec */
	ARG_LENGTH,  /* name */
	ARG_SYMBOL,  /* payload */
	ARG_RAW,     /* payload: hexadecimal digits, two a byte */
	ARG_RAW_FILE,/* payload: a path */
	ARG_NULL,
	ARG_STRUCT,  /* payload: ARG,ARG,... */
	ARG_POINTERS,/* payload: ARG,ARG,... */
	ARG_PAD,     /* elements: bytes of a structure without a name */
};

struct arg {
	enum arg_kind kind;
	bool memref;       /* BUFFER and DECLARE: as an MLIR memref descriptor */
	const char *text;  /* as written */
	enum value_type type;
	struct number number;
	char name[NAME_SIZE];
	uint64_t elements; /* "+ELEMS" */
	struct spec spec;
	const char *payload;
};

/* Reads an ARG; NUL-terminated, to its end. GPURUN_INVALID. */
int arg_parse(const char *text, struct arg *out, struct err *e);

/* Reads NAME=SPEC, as after --buf. GPURUN_INVALID. */
int declaration_parse(const char *text, char name[NAME_SIZE], struct spec *spec,
		      struct err *e);

#endif
