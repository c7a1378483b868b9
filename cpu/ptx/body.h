/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The body of a PTX function, decoded: its instructions with every name
 * resolved. Borrows the text and the module. Made to check a module when it is
 * loaded, and again when a kernel that reaches the function is lowered.
 */
#ifndef CPU_BODY_H
#define CPU_BODY_H

#include "names.h"
#include "opcode.h"

enum operand_kind {
	OPERAND_NONE,      /* in brackets: an absolute address */
	OPERAND_REGISTER,  /* index: of the register; value: the letters of the part "b2", or 0 */
	OPERAND_INTEGER,   /* value */
	OPERAND_FLOAT,     /* value: the bits of a double, or of a float when single */
	OPERAND_SPECIAL,   /* index: enum special */
	OPERAND_VARIABLE,  /* index: of the symbol, value: bytes beyond it */
	OPERAND_FUNCTION,  /* index: of the function in the module */
	OPERAND_LABEL,     /* index: of the label */
	OPERAND_TABLE,     /* index: of the .branchtargets or .calltargets list */
	OPERAND_PROTOTYPE, /* index: of the .callprototype */
	OPERAND_VECTOR,    /* {a, b}: value elements from index */
	OPERAND_LIST,      /* (a, b) of a call: value elements from index */
	OPERAND_ADDRESS,   /* [base+value]: base says what index is */
	OPERAND_TENSOR,    /* [base+value, {a, b}]: the vector is the next operand */
	OPERAND_SINK,      /* _ */
};

struct operand {
	uint8_t kind;   /* enum operand_kind */
	uint8_t base;   /* OPERAND_ADDRESS: the kind of what is in the brackets */
	bool negated;   /* !p; or -x of a register */
	bool single;    /* OPERAND_FLOAT: 32 bits */
	bool paired;    /* "a|b": the next operand is the second half */
	uint32_t index;
	int64_t value;
};

struct insn {
	struct ptx_name opcode;
	uint32_t line;
	uint32_t operand;      /* the first of count in body->operands */
	uint32_t guard;        /* register of @p; NO_GUARD */
	uint8_t base;          /* enum insn_base (insn.h) */
	uint8_t count;
	uint8_t results;       /* how many of them, from the first, are written */
	bool guard_negated;
	bool whole;            /* what it writes is read under the same guard alone, right after */
};

enum { NO_GUARD = UINT32_MAX };

/* A variable that a body can name. */
struct symbol {
	enum symbol_home { SYMBOL_MODULE, SYMBOL_PARAM, SYMBOL_RETURN, SYMBOL_BODY } home;
	enum ptx_space space;
	struct ptx_name name;
	uint32_t index;        /* in the module's variables, the params or the returns */
	uint64_t size, align;
	uint64_t from;         /* of a numbered variable: bytes that precede it */
	uint32_t element;      /* bytes of one, of an array that can be indexed; or 0 */
	uint32_t reg, lanes;   /* space PTX_REG: the register, or the first of a vector */
};

struct label {
	struct ptx_name name;
	uint32_t insn;         /* the one after it */
	uint32_t line;
	bool placed;           /* and used */
};

/* The names in a .branchtargets or .calltargets list. */
struct label_table {
	uint32_t first, count; /* in operands */
};

/* A parameter, or a result, of a prototype. */
struct prototype_item {
	uint64_t size, align;
	uint8_t lanes;         /* of registers: of a vector; or 1 */
};

/* What an indirect call passes, from .callprototype. */
struct prototype {
	uint32_t first[2], counts[2]; /* in prototype_items: of returns (0), parameters (1) */
};

/* Registers declared together: "%r<9>", or one. */
struct declared_registers {
	struct ptx_name name;
	uint32_t first;
	bool range;
};

struct body {
	const struct ptx *module;
	const struct ptx_function *function;
	struct insn *insns;           /* owned */
	size_t insn_count;
	struct operand *operands;     /* owned */
	size_t operand_count;
	struct operand *elements;     /* owned: of vectors and lists */
	size_t element_count;
	uint8_t *register_types;      /* owned: enum ptx_type of each register */
	size_t register_count;
	struct declared_registers *declared; /* owned; sorted by first */
	size_t declared_count;
	struct symbol *symbols;       /* owned */
	size_t symbol_count;
	struct label *labels;         /* owned */
	size_t label_count;
	struct label_table *tables;   /* owned */
	size_t table_count;
	struct prototype *prototypes; /* owned */
	size_t prototype_count;
	struct prototype_item *prototype_items; /* owned */
	size_t prototype_item_count;
	char **texts;                 /* owned, each too: opcodes with blanks, without them; and
				       * the names in "L<9>" */
	size_t text_count;
};

/*
 * Decodes @function of @module, whose names are @globals. GPURUN_FORMAT with
 * the line, GPURUN_NO_MEMORY. *@out is owned by the caller (body_free).
 */
int body_decode(const struct ptx *module, const struct names *globals,
		const struct ptx_function *function, struct body **out, struct err *e);

/* Accepts NULL. */
void body_free(struct body *body);
DEFINE_CLEANUP(free_body, struct body *, body_free)

static inline const struct operand *insn_operands(const struct body *body,
						   const struct insn *insn)
{
	return body->operands + insn->operand;
}

#endif
