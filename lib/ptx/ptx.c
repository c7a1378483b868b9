/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The module level of PTX (PTX ISA, "Directives"):
 *
 *	.version M.N  .target SM{, WORD}  .address_size N
 *	[LINKAGE] .entry NAME [(PARAMS)] {DIRECTIVE} ( "{" body "}" | ";" )
 *	[LINKAGE] .func [(RETURNS)] NAME [(PARAMS)] {DIRECTIVE} ( "{" body "}" | ";" )
 *	[LINKAGE] SPACE ... NAME {, NAME} ;            see ptx_variable.c
 *	.alias NAME, NAME;   .pragma STRING;   .file N STRING {, N}   .loc ...
 *	.section NAME { ... }                          debug information: skipped
 *	@@DWARF ...                                    the same, of old compilers
 *
 * Unknown directives are refused: they may change what a program means.
 */
#include "ptx.h"
#include "array.h"
#include "ptx_parse.h"

#include <inttypes.h>
#include <limits.h>

struct module_parser {
	struct ptx_parser base;
	struct ptx *ptx; /* borrowed */
	uint64_t left;   /* how much may still be declared: see kernel_info_most() */
};

static int no_memory(struct module_parser *parser)
{
	return err_set(parser->base.e, GPURUN_NO_MEMORY, "line %u: out of memory",
		       parser->base.token.line);
}

/* The error of declare(). */
static int failed(const struct module_parser *parser)
{
	return parser->left ? GPURUN_NO_MEMORY : GPURUN_FORMAT;
}

/* Makes room for one more declaration, as array_grow() does; NULL after an error, which is
 * failed(). */
static void *declare(struct module_parser *parser, void *items, size_t count, size_t size)
{
	const struct bytes text = parser->base.lexer.text;
	void *item = NULL;

	if (parser->left)
		item = array_grow(items, count, size);
	if (item)
		parser->left--;
	else if (parser->left)
		no_memory(parser);
	else
		err_set(parser->base.e, GPURUN_FORMAT,
			"line %u: more than %" PRIu64 " declarations in a text of %zu bytes",
			parser->base.token.line, kernel_info_most(text.size), text.size);
	return item;
}

/* ---- Functions -------------------------------------------------------- */

/* Reads "(param {, param})" when there is one. */
static int parse_params(struct module_parser *parser, struct ptx_variable **params,
			size_t *count)
{
	struct ptx_parser *base = &parser->base;
	struct ptx_variable *param;
	enum ptx_space space;

	if (!ptx_accept(base, "(") || ptx_accept(base, ")"))
		return 0;
	do {
		if (!ptx_accept_space(base, &space) ||
		    (space != PTX_PARAM && space != PTX_REG))
			return ptx_unexpected(base, "'.param' or '.reg'");
		param = declare(parser, params, *count, sizeof(*param));
		if (!param)
			return failed(parser);
		TRY(ptx_parse_variable(base, space, PTX_STATIC, param));
		++*count;
		if (param->numbered)
			return err_set(base->e, GPURUN_FORMAT, "line %u: a parameter has one name, "
				       "not numbered ones", param->line);
	} while (ptx_accept(base, ","));
	return ptx_expect(base, ")");
}

/* Reads "x[, y[, z]]"; what is left out is 1. */
static int parse_dimensions(struct ptx_parser *parser, unsigned dimensions[3])
{
	uint64_t value;

	for (size_t i = 0; i < 3; i++) {
		value = 1;
		if (!i || ptx_accept(parser, ","))
			TRY(ptx_expect_integer(parser, UINT32_MAX, &value));
		dimensions[i] = (unsigned)value;
	}
	return 0;
}

/* After ".pragma": strings, then ';' even before a body. */
static int parse_pragma(struct ptx_parser *parser)
{
	do {
		if (parser->token.kind != PTX_STRING)
			return ptx_unexpected(parser, "a string after .pragma");
		ptx_advance(parser);
	} while (ptx_accept(parser, ","));
	return ptx_expect(parser, ";");
}

/* After ".attribute": what a function's attributes say is for linkers. */
static int skip_parentheses(struct ptx_parser *parser)
{
	size_t depth = 0;

	do {
		depth += ptx_is(&parser->token, "(");
		depth -= depth && ptx_is(&parser->token, ")");
		if (!depth || parser->token.kind == PTX_END)
			break;
		ptx_advance(parser);
	} while (depth);
	return ptx_expect(parser, ")");
}

/* Skips a directive that has only numbers, none of which matters here. */
static bool accept_tuning(struct ptx_parser *parser)
{
	static const char *const names[] = {
		".maxnctapersm", ".abi_preserve", ".abi_preserve_control",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (ptx_accept(parser, names[i])) {
			while (parser->token.kind == PTX_INT ||
			       ptx_is(&parser->token, ","))
				ptx_advance(parser);
			return true;
		}
	}
	return false;
}

/* The number of a directive, which has one alone. */
static unsigned accept_count(struct ptx_parser *parser)
{
	uint64_t count = 0;

	if (parser->token.kind == PTX_INT) {
		count = parser->token.integer;
		ptx_advance(parser);
	}
	return count < UINT_MAX ? (unsigned)count : UINT_MAX;
}

/* Reads the directives between the parameters and the body. */
static int parse_directives(struct ptx_parser *parser, struct ptx_function *function)
{
	for (;;) {
		if (ptx_accept(parser, ".maxntid"))
			TRY(parse_dimensions(parser, function->max_block));
		else if (ptx_accept(parser, ".reqntid"))
			TRY(parse_dimensions(parser, function->required_block));
		else if (ptx_accept(parser, ".reqnctapercluster"))
			TRY(parse_dimensions(parser, function->cluster));
		else if (ptx_accept(parser, ".maxnreg"))
			function->max_registers = accept_count(parser);
		else if (ptx_accept(parser, ".minnctapersm"))
			function->min_blocks = accept_count(parser);
		else if (ptx_accept(parser, ".maxclusterrank"))
			function->max_cluster = accept_count(parser);
		else if (ptx_accept(parser, ".explicitcluster"))
			function->must_cluster = true;
		else if (ptx_accept(parser, ".blocksareclusters"))
			function->grid_of_clusters = true;
		else if (ptx_accept(parser, ".noreturn"))
			function->noreturn = true;
		else if (ptx_accept(parser, ".pragma"))
			TRY(parse_pragma(parser));
		else if (ptx_accept(parser, ".attribute"))
			TRY(skip_parentheses(parser));
		else if (!accept_tuning(parser))
			return 0;
	}
}

/* "{" is the token; leaves the token after "}". */
static int parse_body(struct ptx_parser *parser, struct bytes *body, uint32_t *line)
{
	uint32_t start = parser->token.line;

	*line = parser->lexer.line;
	if (!ptx_skip(&parser->lexer, "}", body))
		return err_set(parser->e, GPURUN_FORMAT,
			       "line %u: '{' has no matching '}' (or a comment or string "
			       "in it never ends: line %u)",
			       start, parser->lexer.line);
	ptx_advance(parser);
	return ptx_expect(parser, "}");
}

/* After ".entry" or ".func". */
static int parse_function(struct module_parser *parser, bool entry,
			  enum ptx_linkage linkage)
{
	struct ptx_parser *base = &parser->base;
	struct ptx *ptx = parser->ptx;
	struct ptx_function *f;

	f = declare(parser, &ptx->functions, ptx->function_count, sizeof(*f));
	if (!f)
		return failed(parser);
	ptx->function_count++;
	*f = (struct ptx_function){ .entry = entry, .linkage = linkage };
	if (ptx_accept(base, ".attribute"))
		TRY(skip_parentheses(base));
	if (!entry)
		TRY(parse_params(parser, &f->returns, &f->return_count));
	f->line = base->token.line;
	TRY(ptx_expect_name(base,
			    entry ? "the name of an entry" : "the name of a function",
			    &f->name));
	TRY(parse_params(parser, &f->params, &f->param_count));
	TRY(parse_directives(base, f));
	if (ptx_accept(base, ";"))
		return 0;
	if (!ptx_is(&base->token, "{"))
		return ptx_unexpected(base, "a directive, '{' or ';'");
	f->defined = true;
	return parse_body(base, &f->body, &f->body_line);
}

/* ---- The other statements --------------------------------------------- */

static int parse_variables(struct module_parser *parser, enum ptx_space space,
			   enum ptx_linkage linkage)
{
	struct ptx_parser *base = &parser->base;
	struct ptx *ptx = parser->ptx;
	struct ptx_variable variable, *slot;

	TRY(ptx_parse_variable(base, space, linkage, &variable));
	for (;;) {
		slot = declare(parser, &ptx->variables, ptx->variable_count,
			       sizeof(*slot));
		if (!slot)
			return failed(parser);
		*slot = variable;
		ptx->variable_count++;
		if (!ptx_accept(base, ","))
			return ptx_expect(base, ";");
		TRY(ptx_parse_next_variable(base, &variable));
	}
}

/* After ".file": INDEX "NAME" [, TIME, SIZE]. */
static int parse_file(struct module_parser *parser)
{
	struct ptx_parser *base = &parser->base;
	struct ptx *ptx = parser->ptx;
	struct ptx_file *file =
		declare(parser, &ptx->files, ptx->file_count, sizeof(*file));
	uint64_t index, ignored;

	if (!file)
		return failed(parser);
	TRY(ptx_expect_integer(base, UINT32_MAX, &index));
	if (base->token.kind != PTX_STRING)
		return ptx_unexpected(base, "the name of a file");
	file->index = (uint32_t)index;
	file->name = (struct ptx_name){ base->token.text, base->token.length };
	ptx->file_count++;
	ptx_advance(base);
	while (ptx_accept(base, ","))
		TRY(ptx_expect_integer(base, UINT64_MAX, &ignored));
	return 0;
}

/* After ".alias": NAME, NAME; */
static int parse_alias(struct module_parser *parser)
{
	struct ptx *ptx = parser->ptx;
	struct ptx_alias *alias =
		declare(parser, &ptx->aliases, ptx->alias_count, sizeof(*alias));

	if (!alias)
		return failed(parser);
	TRY(ptx_expect_name(&parser->base, "a name after .alias", &alias->name));
	TRY(ptx_expect(&parser->base, ","));
	TRY(ptx_expect_name(&parser->base, "the name of a function", &alias->aimed));
	ptx->alias_count++;
	return ptx_expect(&parser->base, ";");
}

/* After ".section": NAME { ... } */
static int skip_section(struct ptx_parser *parser)
{
	struct bytes ignored;
	uint32_t line;

	while (parser->token.kind == PTX_WORD)
		ptx_advance(parser);
	if (!ptx_is(&parser->token, "{"))
		return ptx_unexpected(parser, "'{' after .section");
	return parse_body(parser, &ignored, &line);
}

/* Skips the rest of the line of the previous token. */
static void skip_line(struct ptx_parser *parser)
{
	uint32_t line = parser->token.line;

	while (parser->token.kind != PTX_END && parser->token.kind != PTX_BAD &&
	       parser->token.line == line)
		ptx_advance(parser);
}

static enum ptx_linkage parse_linkage(struct ptx_parser *parser)
{
	static const char *const names[] = { [PTX_VISIBLE] = ".visible",
					     [PTX_WEAK] = ".weak",
					     [PTX_EXTERN] = ".extern",
					     [PTX_COMMON] = ".common" };

	for (size_t i = PTX_VISIBLE; i <= PTX_COMMON; i++)
		if (ptx_accept(parser, names[i]))
			return (enum ptx_linkage)i;
	return PTX_STATIC;
}

/* Reads one statement that may not have a linkage. */
static int parse_plain(struct module_parser *parser)
{
	struct ptx_parser *base = &parser->base;

	if (ptx_accept(base, ".file"))
		return parse_file(parser);
	if (ptx_accept(base, ".alias"))
		return parse_alias(parser);
	if (ptx_accept(base, ".pragma"))
		return parse_pragma(base);
	if (ptx_accept(base, ".section"))
		return skip_section(base);
	if (ptx_is(&base->token, ".loc") || ptx_is(&base->token, "@")) {
		skip_line(base);
		return 0;
	}
	return ptx_unexpected(base, "a directive such as .entry, .func or .global");
}

static int parse_statement(struct module_parser *parser)
{
	struct ptx_parser *base = &parser->base;
	enum ptx_linkage linkage = parse_linkage(base);
	enum ptx_space space;

	if (ptx_accept(base, ".entry"))
		return parse_function(parser, true, linkage);
	if (ptx_accept(base, ".func"))
		return parse_function(parser, false, linkage);
	if (ptx_is(&base->token, ".param"))
		return ptx_unexpected(base, "a variable that is not a parameter");
	if (ptx_accept_space(base, &space))
		return parse_variables(parser, space, linkage);
	if (linkage != PTX_STATIC)
		return ptx_unexpected(base, ".entry, .func or a variable");
	return parse_plain(parser);
}

/* ---- The head --------------------------------------------------------- */

/* Takes the digits at the beginning of *@text, of which there is one at least, off it. */
static bool read_part(struct bytes *text, unsigned *part)
{
	const size_t before = text->size;

	for (; text->size && *text->data >= '0' && *text->data <= '9'; text->data++, text->size--)
		*part = *part * 10 + (unsigned)(*text->data - '0');
	return text->size < before;
}

static bool read_version(struct bytes text, struct ptx *ptx)
{
	if (text.size > 8 || !read_part(&text, &ptx->version_major) || !text.size ||
	    *text.data != '.')
		return false;
	text.data++;
	text.size--;
	return read_part(&text, &ptx->version_minor) && !text.size;
}

/* After ".version": M.N, which is a float to the lexer, as ".5" and "8." are. */
static int parse_version(struct ptx_parser *parser, struct ptx *ptx)
{
	const struct ptx_token *token = &parser->token;
	const struct bytes text = { (const uint8_t *)token->text, token->length };

	if (token->kind != PTX_FLOAT || !read_version(text, ptx))
		return ptx_unexpected(parser, "a version such as 8.0 after .version");
	ptx_advance(parser);
	return 0;
}

/* Splits "sm_90a" into its number and suffix. */
static bool split_target(struct ptx *ptx)
{
	const char *p = ptx->target.text, *end = p + ptx->target.length;

	if (ptx->target.length < 4 || memcmp(p, "sm_", 3))
		return false;
	for (p += 3; p < end && *p >= '0' && *p <= '9' && ptx->arch < 1000; p++)
		ptx->arch = ptx->arch * 10 + (unsigned)(*p - '0');
	if (p < end && (*p == 'a' || *p == 'f'))
		ptx->suffix = *p++;
	return p == end && ptx->arch;
}

/* After ".target": SM{, WORD}. */
static int parse_target(struct ptx_parser *parser, struct ptx *ptx)
{
	struct ptx_token first = parser->token;
	struct ptx_name option;

	TRY(ptx_expect_name(parser, "a target such as sm_90", &ptx->target));
	if (!split_target(ptx)) {
		parser->token = first;
		return ptx_unexpected(parser, "a target such as sm_90");
	}
	while (ptx_accept(parser, ","))
		TRY(ptx_expect_name(parser, "a target option", &option));
	return 0;
}

static int parse_head(struct module_parser *parser)
{
	struct ptx_parser *base = &parser->base;
	struct ptx *ptx = parser->ptx;
	uint64_t bits = 64;

	TRY(ptx_expect(base, ".version"));
	TRY(parse_version(base, ptx));
	TRY(ptx_expect(base, ".target"));
	TRY(parse_target(base, ptx));
	if (ptx_accept(base, ".address_size")) {
		TRY(ptx_expect_integer(base, 64, &bits));
		if (bits != 32 && bits != 64)
			return err_set(
				base->e, GPURUN_FORMAT,
				"line %u: expected .address_size 32 or 64, found %u",
				base->token.line, (unsigned)bits);
	}
	ptx->address_size = (unsigned)bits;
	return 0;
}

static int parse_module(struct module_parser *parser)
{
	TRY(parse_head(parser));
	while (parser->base.token.kind != PTX_END)
		TRY(parse_statement(parser));
	parser->ptx->module_variables = parser->ptx->variable_count;
	return 0;
}

int ptx_open(struct bytes text, struct ptx **out, struct err *e)
{
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	struct module_parser parser;

	*out = NULL;
	ptx = calloc(1, sizeof(*ptx));
	if (!ptx)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	parser = (struct module_parser){ ptx_parser(text, 1, e), ptx,
					 kernel_info_most(text.size) };
	TRY(parse_module(&parser));
	*out = STEAL(ptx);
	return 0;
}

/* Tells whether a statement begins with the next token: what parse_statement() knows. */
static bool begins(const struct ptx_token *token)
{
	static const char *const words[] = {
		"@", ".alias", ".common", ".const", ".entry", ".extern", ".file", ".func",
		".global", ".loc", ".local", ".param", ".pragma", ".reg", ".section", ".shared",
		".visible", ".weak",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ptx_is(token, words[i]))
			return true;
	return false;
}

static int parse_first(struct module_parser *parser)
{
	TRY(parse_head(parser));
	while (begins(&parser->base.token))
		TRY(parse_statement(parser));
	parser->ptx->module_variables = parser->ptx->variable_count;
	return 0;
}

int ptx_open_first(struct bytes text, struct ptx **out, struct ptx_extent *extent,
		   struct err *e)
{
	CLEANUP(free_ptx) struct ptx *ptx = calloc(1, sizeof(*ptx));
	struct module_parser parser;
	int status;

	*out = NULL;
	*extent = (struct ptx_extent){ 0 };
	if (!ptx)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	parser = (struct module_parser){ ptx_parser(text, 1, e), ptx,
					 kernel_info_most(text.size) };
	status = parse_first(&parser);
	extent->size = parser.base.consumed;
	extent->all = !status && parser.base.token.kind == PTX_END;
	extent->torn = status && parser.base.lexer.offset == text.size;
	extent->begun = ptx->function_count || ptx->variable_count;
	TRY(status);
	*out = STEAL(ptx);
	return 0;
}

void ptx_free(struct ptx *ptx)
{
	if (!ptx)
		return;
	for (size_t i = 0; i < ptx->function_count; i++) {
		free(ptx->functions[i].params);
		free(ptx->functions[i].returns);
	}
	free(ptx->functions);
	free(ptx->variables);
	free(ptx->files);
	free(ptx->aliases);
	free(ptx);
}

bool ptx_sniff(struct bytes text)
{
	struct ptx_lexer lexer = ptx_lexer(text, 1);
	struct ptx_token token;

	ptx_next(&lexer, &token);
	return ptx_is(&token, ".version");
}
