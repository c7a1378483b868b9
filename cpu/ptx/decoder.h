/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of decoding one body. decoder.c has what all of the files decode_*.c do with it;
 * decode.c reads the statements by them. No other files include this.
 */
#ifndef CPU_DECODER_H
#define CPU_DECODER_H

#include "array.h"
#include "insn.h"
#include "ptx_lex.h"

/* A use of a label that no enclosing scope has declared so far. */
struct pending {
	struct ptx_name name;
	uint32_t line;
	uint32_t at;     /* index in operands, or in elements */
	uint32_t older;  /* the use of the same name that still waits; NO_PENDING */
	bool element;
	bool found;      /* the label was declared after all */
};

enum { NO_PENDING = UINT32_MAX };

/* How many there were when a scope began. */
struct scope {
	uint32_t names, pending;
};

/* "r + 4" as operand of an instruction. */
struct sum {
	uint32_t operand; /* which of them */
	int64_t addend;
};

enum { MOST_SUMS = 4 };

struct decoder {
	struct body *body;
	struct operand coordinates; /* of the last tensor address */
	struct ptx_lexer lexer;
	struct ptx_token token;    /* the present one */
	const struct names *globals;
	struct names names;        /* owned: what the body declares */
	uint64_t steps;            /* of look-ups in names */
	uint64_t numbered;         /* names that "x<9>" declared or listed */
	struct pending *pending;   /* owned */
	size_t pending_count;
	struct names waiting;      /* owned: of pending uses; index: of the newest that waits */
	struct scope *scopes;      /* owned: the function's, then those that are open */
	size_t scope_room;         /* how many were open at most */
	uint32_t depth;
	bool calls;                /* the operands are a call's: a parenthesis is a list */
	bool in_call;              /* in such a list, which may have vectors */
	bool moves_four;           /* the operands are those of mov.v4 */
	bool indexed;              /* the last operand was "a[2]" */
	uint32_t lanes;            /* of the vector that the last element of a list was; or 1 */
	int64_t addend;            /* of the last operand, a register; or 0 */
	struct sum sums[MOST_SUMS];/* of the instruction */
	unsigned sum_count;
	struct err *e;
};

/* Reads the next token. */
static inline void advance(struct decoder *d)
{
	ptx_next_piece(&d->lexer, &d->token);
}

static inline struct ptx_name token_name(const struct ptx_token *token)
{
	return (struct ptx_name){ token->text, token->length };
}

static inline bool at_punct(const struct decoder *d, char c)
{
	return d->token.kind == PTX_PUNCT && d->token.text[0] == c;
}

/* Fails with "line N: expected WHAT, found TOKEN". */
int decode_expected(struct decoder *d, const char *what);

/* Fails with "line N: " and the sentence, at the token's line. */
int decode_fail(struct decoder *d, uint32_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends @insn, whose operands the body has already. */
int decode_add(struct decoder *d, const struct insn *insn);

/* Adds @opcode with @count @operands, guarded as @like is. */
int decode_add_like(struct decoder *d, const struct insn *like, const char *opcode,
		    const struct operand *operands, uint8_t count);

/* Adds instructions that compute the sums in @insn; their results become its operands. */
int decode_sums(struct decoder *d, const struct insn *insn);

/* Copies @text, which lives as long as the body does. GPURUN_NO_MEMORY. */
int decode_keep_text(struct decoder *d, const char *text, uint32_t length, struct ptx_name *out);

/* Reads the rest of an opcode with blanks in it: "add .s32". */
int decode_rest(struct decoder *d, struct ptx_name *opcode);

/* Counts the elements of the vectors that @insn moves, by its opcode; 0: it moves none. */
unsigned decode_vector_moved(const struct insn *insn);

/* Adds instructions that move the vectors of @insn, element by element. */
int decode_vector_move(struct decoder *d, const struct insn *insn);

/* Skips @c or fails. */
int decode_punct(struct decoder *d, char c);

/* Skips a comma; false when there is none. */
bool decode_comma(struct decoder *d);

/* Fails when the innermost scope has declared @name, "NAME<N>" if @numbered, already. */
int decode_fresh(struct decoder *d, struct ptx_name name, bool numbered, uint32_t line);

/* Makes @count registers of @type, from *@first on. */
int decode_new_registers(struct decoder *d, enum ptx_type type, uint64_t count,
			 uint32_t *first);

/* Names the registers from @first on @name, or "NAME<@count>": vectors of @lanes. */
int decode_name_registers(struct decoder *d, struct ptx_name name, uint32_t first,
			  bool numbered, uint32_t count, uint32_t lanes);

/* Reads an integer, with its sign if any. */
int decode_integer(struct decoder *d, int64_t *value);

/* Reads operands up to ';' into body->operands. */
int decode_operands(struct decoder *d, struct insn *insn);

/* Adds @count symbols like @like, each @stride bytes after the one before, from *@first on. */
int decode_new_symbols(struct decoder *d, const struct symbol *like, uint64_t stride,
		       uint32_t count, uint32_t *first);

/* The same for @variable of the module, or @count of its numbered names from @number on. */
int decode_module_symbols(struct decoder *d, const struct ptx_variable *variable,
			  uint32_t number, uint32_t count, uint32_t *first);

/* Finds a register: by its name, or as one of a range. False when it is none. */
bool decode_register(struct decoder *d, struct ptx_name name, uint32_t *index);

/* Adds the label @name before the next instruction; fails when the innermost scope has it. */
int decode_place_label(struct decoder *d, struct ptx_name name, uint32_t line);

/* Remembers a reference to a label, from operand or element @at. */
int decode_refer(struct decoder *d, struct ptx_name name, uint32_t line, uint32_t at,
		 bool element);

/* Begins a scope, or the function's. GPURUN_NO_MEMORY. */
int decode_open_scope(struct decoder *d);

/* Fails at the first reference to a label that was declared nowhere. */
int decode_check_labels(struct decoder *d);

/*
 * Counts @count more names that numbers make, as "x<9>" makes nine. Fails when they are more
 * than a function of this size may have, so that few bytes cannot need much memory.
 */
int decode_count_numbered(struct decoder *d, uint64_t count);

/* ".reg", ".shared", ".local", ".param" and other declarations, the token being that word. */
int decode_declaration(struct decoder *d);

/* ".callprototype" of the label @name. */
int decode_prototype(struct decoder *d, struct ptx_name name);

/* ".branchtargets" or ".calltargets" of the label @name. */
int decode_targets(struct decoder *d, struct ptx_name name);

#endif
