/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A body is a sequence of statements: declarations, labels, nested scopes in
 * braces, directives and instructions. A label may be used before it is
 * declared; what a nested scope declares is forgotten when it closes.
 */
#include "asserts.h"
#include "decoder.h"

/* The token after the present one, without advancing. */
static struct ptx_token peek(const struct decoder *d)
{
	struct ptx_lexer lexer = d->lexer;
	struct ptx_token token;

	ptx_next(&lexer, &token);
	return token;
}

static int open_scope(struct decoder *d)
{
	advance(d);
	d->depth++;
	return decode_open_scope(d);
}

static int close_scope(struct decoder *d)
{
	if (!d->depth)
		return decode_expected(d, "a statement");
	advance(d);
	ASSERT(d->depth < d->scope_room && d->scopes[d->depth].pending <= d->pending_count);
	names_cut(&d->names, d->scopes[d->depth--].names);
	return 0;
}

/* "@p" or "@!p" before an instruction. */
static int guard(struct decoder *d, struct insn *insn)
{
	if (!at_punct(d, '@'))
		return 0;
	advance(d);
	if (at_punct(d, '!')) {
		insn->guard_negated = true;
		advance(d);
	}
	if (d->token.kind != PTX_WORD)
		return decode_expected(d, "a predicate");
	if (!decode_register(d, token_name(&d->token), &insn->guard))
		return decode_fail(d, d->token.line, "'%.*s' is not declared",
				   (int)d->token.length, d->token.text);
	if (d->body->register_types[insn->guard] != TYPE_PRED)
		return decode_fail(d, d->token.line, "'%.*s' is no predicate",
				   (int)d->token.length, d->token.text);
	advance(d);
	return 0;
}

/* The opcode's first part has to be an instruction's; lowering decides whether the rest
 * is supported. */
static int find_base(struct decoder *d, struct insn *insn)
{
	const struct ptx_name name = token_name(&d->token);
	const char *dot = memchr(name.text, '.', name.length);
	const int length = (int)(dot ? dot - name.text : name.length);
	const enum insn_base base = insn_base_find(name);

	insn->base = (uint8_t)base;
	if (base != INSN_BASES)
		return 0;
	return decode_fail(d, d->token.line, "'%.*s' is no PTX instruction",
			   length < 80 ? length : 80, name.text);
}

static int instruction(struct decoder *d)
{
	struct body *body = d->body;
	struct insn insn = { .guard = NO_GUARD, .line = d->token.line };

	TRY(guard(d, &insn));
	if (d->token.kind != PTX_WORD || d->token.text[0] == '.')
		return decode_expected(d, "an instruction");
	TRY(find_base(d, &insn));
	insn.opcode = token_name(&d->token);
	insn.line = d->token.line;
	insn.operand = (uint32_t)body->operand_count;
	advance(d);
	TRY(decode_rest(d, &insn.opcode));
	TRY(decode_operands(d, &insn));
	TRY(decode_punct(d, ';'));
	TRY(decode_sums(d, &insn));
	return decode_vector_moved(&insn) ? decode_vector_move(d, &insn) : decode_add(d, &insn);
}

/* Skips up to @count numbers. */
static void skip_numbers(struct decoder *d, unsigned count)
{
	while (count-- && d->token.kind == PTX_INT)
		advance(d);
}

/* ".loc FILE LINE COLUMN [, function_name LABEL[+N], inlined_at FILE LINE COLUMN]": no ';' ends it,
 * and it may be in several lines. */
static int location(struct decoder *d)
{
	advance(d);
	skip_numbers(d, 3);
	while (decode_comma(d)) {
		const bool caller = ptx_is(&d->token, "inlined_at");

		advance(d);
		if (caller) {
			skip_numbers(d, 3);
			continue;
		}
		advance(d);
		if (at_punct(d, '+')) {
			advance(d);
			skip_numbers(d, 1);
		}
	}
	return 0;
}

static int skip_statement(struct decoder *d)
{
	while (!at_punct(d, ';')) {
		if (d->token.kind == PTX_END || d->token.kind == PTX_BAD)
			return decode_expected(d, "';'");
		advance(d);
	}
	advance(d);
	return 0;
}

static int directive(struct decoder *d)
{
	if (ptx_is(&d->token, ".loc"))
		return location(d);
	if (ptx_is(&d->token, ".pragma"))
		return skip_statement(d);
	return decode_declaration(d);
}

static int labelled(struct decoder *d)
{
	struct ptx_token token = d->token;
	struct ptx_name name = token_name(&token);

	advance(d);
	advance(d);
	if (ptx_is(&d->token, ".callprototype"))
		return decode_prototype(d, name);
	if (ptx_is(&d->token, ".branchtargets") || ptx_is(&d->token, ".calltargets"))
		return decode_targets(d, name);
	return decode_place_label(d, name, token.line);
}

static int statement(struct decoder *d)
{
	struct ptx_token next;

	if (at_punct(d, '{'))
		return open_scope(d);
	if (at_punct(d, '}'))
		return close_scope(d);
	if (at_punct(d, '@'))
		return instruction(d);
	if (d->token.kind != PTX_WORD)
		return decode_expected(d, "an instruction");
	if (d->token.text[0] == '.')
		return directive(d);
	next = peek(d);
	if (next.kind == PTX_PUNCT && next.text[0] == ':')
		return labelled(d);
	return instruction(d);
}

static void decoder_release(struct decoder *d)
{
	names_release(&d->names);
	names_release(&d->waiting);
	free(d->pending);
	free(d->scopes);
}

/* A parameter that is a register, or a vector of them. */
static int declare_register(struct decoder *d, const struct ptx_variable *variable,
			    struct symbol *symbol)
{
	struct ptx_name type = { variable->type, (uint32_t)strlen(variable->type) };

	if (!variable->width || variable->width > 8)
		return err_set(d->e, GPURUN_FORMAT, "line %u: '%.*s' is a register of type .%s, "
			       "which the CPU device passes to no function", variable->line,
			       (int)variable->name.length, variable->name.text, variable->type);
	TRY(decode_new_registers(d, type_parse(type), variable->vector, &symbol->reg));
	return decode_name_registers(d, variable->name, symbol->reg, false, 1, variable->vector);
}

/* Enters the function's own parameters. */
static int declare_params(struct decoder *d, const struct ptx_variable *variables, size_t count,
			  enum symbol_home home)
{
	for (size_t i = 0; i < count; i++) {
		const struct ptx_variable *variable = &variables[i];
		struct body *body = d->body;
		struct symbol *symbol;

		if (!variable->name.length)
			continue;
		symbol = array_grow(&body->symbols, body->symbol_count, sizeof(*symbol));
		if (!symbol)
			return err_set(d->e, GPURUN_NO_MEMORY, "no memory for parameters");
		*symbol = (struct symbol){ .home = home, .space = variable->space,
					   .name = variable->name, .index = (uint32_t)i,
					   .size = variable->size, .align = variable->align,
					   .lanes = variable->vector };
		body->symbol_count++;
		if (variable->space == PTX_REG)
			TRY(declare_register(d, variable, symbol));
		else
			TRY(names_add(&d->names, variable->name, NAME_SYMBOL,
				      (uint32_t)body->symbol_count - 1, 1, d->e));
	}
	return 0;
}

/*
 * Real functions need two comparisons a look-up. Scopes that hide each other's numbered names,
 * or names of one bucket, could need as many as there are declarations.
 */
static int check_steps(struct decoder *d)
{
	const uint64_t most = ((uint64_t)1 << 22) + 16 * (uint64_t)d->body->function->body.size;

	if (d->steps <= most)
		return 0;
	return decode_fail(d, d->token.line, "names hide each other too often: more than %llu "
			   "comparisons in a function of %zu bytes", (unsigned long long)most,
			   d->body->function->body.size);
}

int body_decode(const struct ptx *module, const struct names *globals,
		const struct ptx_function *function, struct body **out, struct err *e)
{
	CLEANUP(free_body) struct body *body = calloc(1, sizeof(*body));
	CLEANUP(decoder_release) struct decoder d = { .globals = globals, .e = e };

	*out = NULL;
	/* The list of operands always exists, so that every instruction can point into it. */
	if (!body || !array_grow(&body->operands, 0, sizeof(*body->operands)))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a function");
	body->module = module;
	body->function = function;
	d.body = body;
	d.names.steps = &d.steps;
	d.lexer = ptx_lexer(function->body, function->body_line);
	TRY(decode_open_scope(&d));
	TRY(declare_params(&d, function->params, function->param_count, SYMBOL_PARAM));
	TRY(declare_params(&d, function->returns, function->return_count, SYMBOL_RETURN));
	advance(&d);
	while (d.token.kind != PTX_END) {
		TRY(statement(&d));
		TRY(check_steps(&d));
	}
	if (d.depth)
		return decode_expected(&d, "'}'");
	TRY(decode_check_labels(&d));
	*out = STEAL(body);
	return 0;
}

void body_free(struct body *body)
{
	if (!body)
		return;
	free(body->insns);
	free(body->operands);
	free(body->elements);
	free(body->register_types);
	free(body->declared);
	free(body->symbols);
	free(body->labels);
	free(body->tables);
	free(body->prototypes);
	free(body->prototype_items);
	for (size_t i = 0; i < body->text_count; i++)
		free(body->texts[i]);
	free(body->texts);
	free(body);
}
