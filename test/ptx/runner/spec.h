/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The test cases that a .ptx file carries in its comments; the format is told
 * in README.md. A spec is read once and lives until the process ends.
 */
#ifndef PTX_SPEC_H
#define PTX_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { KIND_UNSIGNED, KIND_SIGNED, KIND_BITS, KIND_FLOAT };

struct value_type {
	char name[4]; /* "u32" */
	enum value_kind kind;
	unsigned size; /* bytes */
};

enum element_kind { ELEMENT_VALUE, ELEMENT_ANY, ELEMENT_NAN };

/* One expected or given value; expected ones may have a second answer. */
struct element {
	uint64_t bits, other;
	enum element_kind kind;
	bool has_other;
};

enum tolerance { TOLERANCE_NONE, TOLERANCE_ULP, TOLERANCE_ABS, TOLERANCE_REL };

struct list {
	const struct value_type *type;
	struct element *elements;
	size_t count;
	enum tolerance tolerance;
	double bound;
	bool as_set; /* the order does not matter */
};

enum operand_role {
	OPERAND_BUFFER, /* device memory: its address is the kernel's parameter */
	OPERAND_SCALAR, /* the bytes themselves are the parameter */
	OPERAND_WRITE,  /* a module variable, set before the launch */
	OPERAND_READ,   /* a module variable, checked after it */
	OPERAND_TENSOR, /* a tensor map of a buffer is the parameter */
};

struct operand {
	enum operand_role role;
	char *variable;       /* OPERAND_WRITE, OPERAND_READ */
	size_t buffer;        /* OPERAND_TENSOR: the operand that it is of */
	bool im2col;          /* likewise */
	struct list given;    /* contents before; no type: a pattern */
	struct list expected; /* contents after; no type: not looked at */
};

enum { MAX_CODES = 4 };

struct test_case {
	char *kernel; /* NULL: the module must not load */
	unsigned line;
	unsigned grid[3], block[3], shared, timeout;
	bool fresh;	  /* needs the module as it was loaded */
	bool cooperative; /* the whole grid may wait for itself */
	bool cpu;	  /* a GPU may answer otherwise */
	struct operand *operands;
	size_t operand_count;
	int codes[MAX_CODES]; /* what the launch must answer, one of these */
	size_t code_count;
	char *print; /* what goes to stdout, or NULL */
	char *error; /* what stderr must have in it, or NULL */
};

struct named_list {
	char *name;
	struct list list;
};

struct spec {
	const char *path;
	char *text;         /* the whole file, NUL-terminated */
	char *words;        /* a copy, cut into the strings that the rest refers to */
	struct spec *older; /* the one read before */
	struct test_case *cases;
	size_t case_count;
	struct named_list *lists;
	size_t list_count;
};

/* Reads @path; exits with a message that names file and line when it cannot. */
struct spec *spec_read(const char *path);

/* The text under which a case is known: "add.ptx:12 add_s32". */
void case_name(const struct spec *spec, const struct test_case *test, char name[256]);

/* True if @list, of expected failures, or NULL, has a row "FILE KERNEL reason". */
bool case_is_listed(const struct spec *spec, const struct test_case *test, const char *list);

#endif
