/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What PTX says about its entries. Shared memory that a body declares belongs
 * to its entry; of that declared at module level an entry has what its body
 * names, as with ptxas. What called functions use is not followed.
 */
#include "array.h"
#include "ptx.h"
#include "ptx_parse.h"

static enum param_kind kind_of(const char *type)
{
	switch (type[0]) {
	case 'b':
		return type[1] == 'f' ? PARAM_FLOAT : PARAM_BITS;
	case 'u':
		return PARAM_UNSIGNED;
	case 's':
		return type[1] == 'a' || type[1] == 'u' ? PARAM_OPAQUE : PARAM_SIGNED;
	case 't':
		return type[1] == 'f' ? PARAM_FLOAT : PARAM_OPAQUE;
	default:
		return PARAM_FLOAT;
	}
}

/* Adds @size aligned to @align to *@total; false when it overflows. */
static bool place(uint64_t *total, uint64_t align, uint64_t size, uint64_t *offset)
{
	if (!size_add(*total, align - 1, offset))
		return false;
	*offset -= *offset % align;
	return size_add(*offset, size, total);
}

static int describe_params(const struct ptx_function *function, struct kernel_info *info,
			   struct err *e)
{
	info->params = calloc(function->param_count + 1, sizeof(info->params[0]));
	if (!info->params)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < function->param_count; i++) {
		const struct ptx_variable *from = &function->params[i];
		struct kernel_param *to = &info->params[info->param_count++];

		to->kind = kind_of(from->type);
		to->space = from->pointer;
		to->width = from->width;
		to->count = from->count * from->vector;
		to->size = from->size;
		to->array = from->array;
		memcpy(to->type, from->type, sizeof(to->type));
		if (!place(&info->param_bytes, from->align, from->size, &to->offset))
			return err_set(e, GPURUN_FORMAT,
				       "line %u: the parameters' size overflows",
				       function->line);
	}
	return 0;
}

/* A shared variable of the module, and the function that used it last. */
struct shared_variable {
	const struct ptx_variable *variable;
	const struct ptx_function *user;
};

/* All of them, sorted by name. */
struct shared {
	struct shared_variable *items; /* owned */
	size_t count;
};

static void release_shared(struct shared *shared)
{
	free(shared->items);
}

static int compare_names(struct ptx_name a, struct ptx_name b)
{
	int order = memcmp(a.text, b.text, a.length < b.length ? a.length : b.length);

	return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_shared(const void *a, const void *b)
{
	return compare_names(((const struct shared_variable *)a)->variable->name,
			     ((const struct shared_variable *)b)->variable->name);
}

static int collect_shared(const struct ptx *ptx, struct shared *shared, struct err *e)
{
	for (size_t i = 0; i < ptx->variable_count; i++) {
		struct shared_variable *item;

		if (ptx->variables[i].space != PTX_SHARED)
			continue;
		item = array_grow(&shared->items, shared->count, sizeof(*item));
		if (!item)
			return err_set(e, GPURUN_NO_MEMORY, "out of memory");
		item->variable = &ptx->variables[i];
		shared->count++;
	}
	if (shared->count)
		qsort(shared->items, shared->count, sizeof(shared->items[0]),
		      compare_shared);
	return 0;
}

static struct shared_variable *find_shared(struct shared *shared,
					   const struct ptx_token *token)
{
	struct ptx_variable wanted = { .name = { token->text, token->length } };
	struct shared_variable key = { .variable = &wanted };

	if (token->kind != PTX_WORD || !shared->count)
		return NULL;
	return bsearch(&key, shared->items, shared->count, sizeof(key), compare_shared);
}

/* Adds @variable to what @info needs; false when the size overflows. */
static bool add_shared(struct kernel_info *info, uint64_t *total,
		       const struct ptx_variable *variable)
{
	uint64_t offset;

	if (!variable->unsized)
		return place(total, variable->align, variable->size, &offset);
	info->dynamic_shared = true;
	return true;
}

enum { NAMES = 4 }; /* that are searched one by one */

/* Tells whether each word of @body is a token: it has no comment and no string. */
static bool is_plain(struct bytes body)
{
	return !memchr(body.data, '"', body.size) && !memchr(body.data, '/', body.size);
}

static bool is_word(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '%' || c == '.' || c == ':';
}

/* Where the words that are searched are next in a plain body: each byte is searched once. */
struct jumps {
	size_t next[NAMES + 1];
	bool any; /* the body is plain, and the names are few */
};

/* Finds where the word of @number is in @body from @offset on: ".shared", or a name. */
static size_t find_next(struct bytes body, size_t offset, const struct shared *shared,
			size_t number)
{
	const struct ptx_name word = number ? shared->items[number - 1].variable->name :
					      (struct ptx_name){ ".shared", 7 };
	const uint8_t *p = memmem(body.data + offset, body.size - offset, word.text, word.length);

	return p ? (size_t)(p - body.data) : body.size;
}

/*
 * Moves @parser to the next word that has ".shared" or the name of one of @shared in it: it reads
 * the same tokens from there on, and all others are of no interest.
 */
static void jump(struct ptx_parser *parser, const struct shared *shared, struct jumps *jumps)
{
	const struct bytes body = parser->lexer.text;
	const size_t from = parser->lexer.offset;
	size_t at = body.size;

	for (size_t i = 0; i <= shared->count; i++) {
		if (jumps->next[i] < from)
			jumps->next[i] = find_next(body, from, shared, i);
		at = jumps->next[i] < at ? jumps->next[i] : at;
	}
	while (at > from && is_word(body.data[at - 1]))
		at--;
	parser->lexer.offset = at;
	ptx_advance(parser);
}

static struct jumps begin_jumps(struct bytes body, const struct shared *shared)
{
	struct jumps jumps = { .any = shared->count <= NAMES && is_plain(body) };

	for (size_t i = 0; jumps.any && i <= shared->count; i++)
		jumps.next[i] = find_next(body, 0, shared, i);
	return jumps;
}

/* Adds what the body of @function uses and declares; false when that is unknown. */
static bool scan_body(struct shared *shared, const struct ptx_function *function,
		      struct kernel_info *info, uint64_t *total)
{
	struct ptx_parser parser = ptx_parser(function->body, 1, NULL);
	struct jumps jumps = begin_jumps(function->body, shared);

	while (parser.token.kind != PTX_END) {
		struct shared_variable *used = find_shared(shared, &parser.token);
		struct ptx_variable variable;

		if (ptx_accept(&parser, ".shared")) {
			if (ptx_parse_variable(&parser, PTX_SHARED, PTX_STATIC,
					       &variable) ||
			    !add_shared(info, total, &variable))
				return false;
			continue;
		}
		if (used && used->user != function) {
			used->user = function;
			if (!add_shared(info, total, used->variable))
				return false;
		}
		if (jumps.any)
			jump(&parser, shared, &jumps);
		else
			ptx_advance(&parser);
	}
	return true;
}

static void describe_shared(struct shared *shared, const struct ptx_function *function,
			    struct kernel_info *info)
{
	uint64_t total = 0;
	bool known = true;

	if (shared->count ||
	    memmem(function->body.data, function->body.size, ".shared", 7))
		known = scan_body(shared, function, info, &total);
	info->static_shared = known && total <= INT64_MAX ? (int64_t)total : -1;
}

static int describe(struct shared *shared, const struct ptx_function *function,
		    struct kernel_info *info, struct err *e)
{
	info->name = strndup(function->name.text, function->name.length);
	if (!info->name)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	info->local = function->linkage == PTX_STATIC;
	kernel_info_begin(info);
	info->max_registers = function->max_registers;
	info->min_blocks = function->min_blocks;
	info->max_cluster = function->max_cluster;
	memcpy(info->required_block, function->required_block,
	       sizeof(info->required_block));
	memcpy(info->max_block, function->max_block, sizeof(info->max_block));
	if (!function->grid_of_clusters)
		memcpy(info->cluster, function->cluster, sizeof(info->cluster));
	describe_shared(shared, function, info);
	return describe_params(function, info, e);
}

struct kernel_list {
	struct kernel_info *kernels;
	size_t count;
};

static void release_list(struct kernel_list *list)
{
	kernel_info_free(list->kernels, list->count);
}

int ptx_kernels(const struct ptx *ptx, struct kernel_info **kernels, size_t *count,
		struct err *e)
{
	CLEANUP(release_list) struct kernel_list list = { 0 };
	CLEANUP(release_shared) struct shared shared = { 0 };

	*kernels = NULL;
	*count = 0;
	TRY(collect_shared(ptx, &shared, e));
	for (size_t i = 0; i < ptx->function_count; i++) {
		const struct ptx_function *function = &ptx->functions[i];
		struct kernel_info *info;

		if (!function->entry || !function->defined)
			continue;
		info = array_grow(&list.kernels, list.count, sizeof(*info));
		if (!info)
			return err_set(e, GPURUN_NO_MEMORY, "out of memory");
		list.count++;
		TRY(describe(&shared, function, info, e));
	}
	*count = list.count;
	*kernels = STEAL(list.kernels);
	return 0;
}
