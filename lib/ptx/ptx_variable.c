/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Declarations:
 *
 *	SPACE [.align N] [.attribute(...)] [.vN] TYPE [.ptr [.SPACE] [.align N]]
 *	NAME ( "<" N ">" | {"[" [N] "]"} ["=" INITIALISER] )
 *
 * The words before NAME are in any order, but an .align after .ptr is the
 * alignment of what is pointed at. A variable is aligned to the larger of its
 * .align and its natural alignment (as in cubins that ptxas made from 4,001
 * entries).
 */
#include "ptx_parse.h"

// clang-format off
static const struct {
	const char *name;
	unsigned width;
} types[] = {
	{ ".b8", 1 },    { ".u8", 1 },      { ".s8", 1 },     { ".b16", 2 },
	{ ".u16", 2 },   { ".s16", 2 },     { ".f16", 2 },    { ".bf16", 2 },
	{ ".b32", 4 },   { ".u32", 4 },     { ".s32", 4 },    { ".f32", 4 },
	{ ".f16x2", 4 }, { ".bf16x2", 4 },  { ".tf32", 4 },   { ".b64", 8 },
	{ ".u64", 8 },   { ".s64", 8 },     { ".f64", 8 },    { ".b128", 16 },
	{ ".e4m3", 1 },  { ".e5m2", 1 },    { ".e4m3x2", 2 }, { ".e5m2x2", 2 },
	{ ".texref", 8 }, { ".samplerref", 8 }, { ".surfref", 8 }, { ".pred", 0 },
};

static const char *const space_names[] = {
	[PTX_GLOBAL] = ".global", [PTX_CONST] = ".const", [PTX_SHARED] = ".shared",
	[PTX_LOCAL] = ".local",   [PTX_PARAM] = ".param", [PTX_REG] = ".reg",
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool ptx_accept_space(struct ptx_parser *parser, enum ptx_space *space)
{
	for (size_t i = 0; i < COUNT(space_names); i++) {
		if (ptx_accept(parser, space_names[i])) {
			*space = (enum ptx_space)i;
			return true;
		}
	}
	return false;
}

static bool accept_type(struct ptx_parser *parser, struct ptx_variable *variable)
{
	for (size_t i = 0; i < COUNT(types); i++) {
		if (ptx_accept(parser, types[i].name)) {
			memcpy(variable->type, types[i].name + 1, strlen(types[i].name));
			variable->width = types[i].width;
			return true;
		}
	}
	return false;
}

/* After ".align". An alignment after .ptr is not the variable's own. */
static int parse_align(struct ptx_parser *parser, struct ptx_variable *variable)
{
	uint64_t align;

	if (parser->token.integer & (parser->token.integer - 1))
		return ptx_unexpected(parser, "a power of two after .align");
	TRY(ptx_expect_integer(parser, 1 << 20, &align));
	if (!variable->pointer && align > variable->align)
		variable->align = align;
	return 0;
}

/* After ".attribute": "(.managed, .unified(1, 2))". */
static int parse_attribute(struct ptx_parser *parser, struct ptx_variable *variable)
{
	unsigned depth = 0;

	do {
		if (ptx_is(&parser->token, ".managed"))
			variable->managed = true;
		depth += ptx_is(&parser->token, "(");
		depth -= depth && ptx_is(&parser->token, ")");
		if (parser->token.kind == PTX_END || parser->token.kind == PTX_BAD ||
		    !depth)
			break;
		ptx_advance(parser);
	} while (depth);
	return ptx_expect(parser, ")");
}

/* After ".ptr". */
static void parse_pointer(struct ptx_parser *parser, struct ptx_variable *variable)
{
	static const enum param_space pointed[] = {
		[PTX_GLOBAL] = PARAM_GLOBAL, [PTX_CONST] = PARAM_CONST,
		[PTX_SHARED] = PARAM_SHARED, [PTX_LOCAL] = PARAM_LOCAL,
		[PTX_PARAM] = PARAM_GENERIC, [PTX_REG] = PARAM_GENERIC,
	};
	enum ptx_space space = PTX_REG;

	ptx_accept_space(parser, &space);
	variable->pointer = pointed[space];
}

static bool accept_vector(struct ptx_parser *parser, struct ptx_variable *variable)
{
	for (unsigned lanes = 2; lanes <= 4; lanes *= 2) {
		if (ptx_accept(parser, lanes == 2 ? ".v2" : ".v4")) {
			variable->vector = lanes;
			return true;
		}
	}
	return false;
}

/* Reads the words before the name. */
static int parse_qualifiers(struct ptx_parser *parser, struct ptx_variable *variable)
{
	for (;;) {
		if (ptx_accept(parser, ".align"))
			TRY(parse_align(parser, variable));
		else if (ptx_accept(parser, ".attribute"))
			TRY(parse_attribute(parser, variable));
		else if (ptx_accept(parser, ".ptr"))
			parse_pointer(parser, variable);
		else if (!accept_vector(parser, variable) &&
			 !accept_type(parser, variable))
			break;
	}
	if (!variable->type[0])
		return ptx_unexpected(parser, "a type");
	return 0;
}

static int too_large(struct ptx_parser *parser, const struct ptx_variable *variable)
{
	return err_set(parser->e, GPURUN_FORMAT, "line %u: the size of '%.*s' overflows",
		       variable->line, (int)(variable->name.length & 255),
		       variable->name.text);
}

/* Reads "[N]" after "[N]", or "<N>". */
static int parse_dimensions(struct ptx_parser *parser, struct ptx_variable *variable)
{
	uint64_t n;

	variable->count = 1;
	if (ptx_accept(parser, "<")) {
		variable->numbered = true;
		TRY(ptx_expect_integer(parser, UINT32_MAX, &variable->count));
		return ptx_expect(parser, ">");
	}
	while (ptx_accept(parser, "[")) {
		n = 1;
		if (!variable->array && ptx_is(&parser->token, "]"))
			variable->unsized = true;
		else
			TRY(ptx_expect_integer(parser, UINT64_MAX, &n));
		TRY(ptx_expect(parser, "]"));
		if (!variable->array && !n) {
			variable->unsized = true;
			n = 1;
		}
		variable->array = true;
		if (!size_mul(variable->count, n, &variable->count))
			return too_large(parser, variable);
	}
	return 0;
}

/* Counts the elements of the outermost "{...}" of @init. */
static uint64_t count_elements(struct bytes init)
{
	struct ptx_lexer lexer = ptx_lexer(init, 1);
	struct ptx_token token;
	uint64_t count = 0, depth = 0;

	for (ptx_next(&lexer, &token); token.kind != PTX_END; ptx_next(&lexer, &token)) {
		if (depth == 1 && !count && !ptx_is(&token, "}"))
			count = 1;
		if (depth == 1 && ptx_is(&token, ","))
			count++;
		depth += ptx_is(&token, "{");
		depth -= depth && ptx_is(&token, "}");
	}
	return count;
}

/* "=" is the token: the span after it ends before a "," or ";" outside of braces. */
static int parse_initialiser(struct ptx_parser *parser, struct ptx_variable *variable)
{
	if (!ptx_skip(&parser->lexer, ",;", &variable->init)) {
		ptx_advance(parser);
		return ptx_unexpected(parser, "';' after the initialiser");
	}
	ptx_advance(parser);
	if (!variable->unsized)
		return 0;
	variable->unsized = false;
	if (!size_mul(variable->count, count_elements(variable->init), &variable->count))
		return too_large(parser, variable);
	return 0;
}

/* Reads the name and what follows it; the qualifiers are in @variable already. */
static int parse_declarator(struct ptx_parser *parser, struct ptx_variable *variable)
{
	uint64_t element = (uint64_t)variable->width * variable->vector;

	variable->line = parser->token.line;
	TRY(ptx_expect_name(parser, "a name", &variable->name));
	TRY(parse_dimensions(parser, variable));
	if (!variable->numbered && ptx_is(&parser->token, "="))
		TRY(parse_initialiser(parser, variable));
	if (variable->unsized)
		variable->count = 0;
	if (element > variable->align)
		variable->align = element;
	variable->stride = element;
	if (variable->numbered) /* align is a power of two, or element */
		variable->stride = (variable->align - 1) / (element + !element) * element + element;
	if (!size_mul(variable->stride, variable->count, &variable->size))
		return too_large(parser, variable);
	return 0;
}

int ptx_parse_variable(struct ptx_parser *parser, enum ptx_space space,
		       enum ptx_linkage linkage, struct ptx_variable *variable)
{
	*variable = (struct ptx_variable){
		.space = space, .linkage = linkage, .vector = 1, .align = 1
	};
	TRY(parse_qualifiers(parser, variable));
	return parse_declarator(parser, variable);
}

int ptx_parse_next_variable(struct ptx_parser *parser, struct ptx_variable *variable)
{
	variable->array = variable->numbered = variable->unsized = false;
	variable->init = (struct bytes){ 0 };
	return parse_declarator(parser, variable);
}
