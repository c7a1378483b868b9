/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The texts are copied token by token into one, after a common head: .version,
 * .target and .address_size are left out; the numbers of .file and .loc are
 * raised above those of the preceding texts; names are replaced where
 *
 *	a definition is private to its text:       name becomes name__N, with as many _
 *	                                           after it as make it unique
 *	                                           (NAME<M> of numbered names: name__N_<M>)
 *	a .weak function is defined elsewhere too: the same
 *	a .weak variable is defined before:        it becomes .extern; each of a list of them
 *	                                           gets a statement of its own
 *	a .weak kernel is defined before:          it is left out
 */
#include "link_merge.h"

#include <stdio.h>
#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"
#include "link_names.h"

static void merge_release(struct merge *merge)
{
	for (size_t i = 0; merge->inputs && i < merge->count; i++) {
		ptx_free(merge->inputs[i].ptx);
		names_release(&merge->inputs[i].renamed);
	}
	free(merge->inputs);
	names_release(&merge->strong);
	names_release(&merge->weak);
	names_release(&merge->numbered);
}

/* ---- Copying ------------------------------------------------------------------- */

struct copier {
	struct merge *merge;
	size_t input;
	FILE *out;
	const char *copied; /* how far the text has been copied, or left out */
	const char *weak;   /* the ".weak" or ".common" of the statement, or NULL */
	const char *first;  /* the first name after it, or NULL */
	const char *comma;  /* the last one */
	const char *value;  /* the end of the last initialiser */
	size_t function;    /* the first whose body has not ended */
	size_t variable;    /* how many variables there are up to it */
	size_t defined, entry; /* the first variable and function that are not before a weak one */
	unsigned depth;     /* of braces and parentheses: 0 is the module level */
	bool after_head;    /* the head has ended: its words mean nothing later */
};

/* Copies up to @until. */
static void copy_until(struct copier *copy, const char *until)
{
	ASSERT(until >= copy->copied);
	fwrite(copy->copied, 1, (size_t)(until - copy->copied), copy->out);
	copy->copied = until;
}

static const char *end_of(const struct ptx_token *token)
{
	return token->text + token->length;
}

static const char *text_end(const struct ptx_lexer *lexer)
{
	return (const char *)lexer->text.data + lexer->text.size;
}

/* Reads a token of the head: a name ends at a dot, where a directive begins: "sm_52.func". */
static void next_of_head(struct ptx_lexer *lexer, struct ptx_token *token)
{
	const char *dot;

	ptx_next_piece(lexer, token);
	if (token->kind != PTX_WORD || !(dot = memchr(token->text + 1, '.', token->length - 1)))
		return;
	lexer->offset -= (size_t)(end_of(token) - dot);
	token->length = (uint32_t)(dot - token->text);
}

/* ".version 8.0" and its like: leaves out the token after @word, too, and one after each comma. The
 * text may end there. */
static void leave_out(struct copier *copy, struct ptx_lexer *lexer,
		      const struct ptx_token *word)
{
	struct ptx_token token;
	struct ptx_lexer ahead;

	copy_until(copy, word->text);
	do {
		next_of_head(lexer, &token);
		copy->copied = token.kind == PTX_END ? text_end(lexer) : end_of(&token);
		ahead = *lexer;
		next_of_head(&ahead, &token);
		if (ptx_is(&token, ","))
			*lexer = ahead;
	} while (ptx_is(&token, ","));
}

/* The number of a file follows @word. */
static void copy_file(struct copier *copy, struct ptx_lexer *lexer)
{
	struct ptx_lexer ahead = *lexer;
	struct ptx_token token;

	ptx_next(&ahead, &token);
	if (token.kind != PTX_INT)
		return;
	*lexer = ahead;
	copy_until(copy, token.text);
	fprintf(copy->out, "%llu",
		(unsigned long long)token.integer + copy->merge->inputs[copy->input].files);
	copy->copied = end_of(&token);
}

/* The weak variable that @token defines, or NULL. */
static const struct ptx_variable *weak_variable(struct copier *copy,
						 const struct ptx_token *token)
{
	const struct ptx *ptx = copy->merge->inputs[copy->input].ptx;
	const struct ptx_variable *variable;

	if (!copy->weak || copy->depth)
		return NULL;
	while (copy->defined < ptx->variable_count &&
	       ptx->variables[copy->defined].name.text < token->text)
		copy->defined++;
	if (copy->defined == ptx->variable_count)
		return NULL;
	variable = &ptx->variables[copy->defined];
	return variable->name.text == token->text && link_is_weak(variable->linkage) ? variable :
										       NULL;
}

/*
 * Up to the name of a weak variable, and over the value of a spare one: ".weak .b32 a, b = 1"
 * becomes ".weak .b32 a; .extern .b32 b".
 */
static void copy_weak(struct copier *copy, const struct ptx_variable *variable,
		      bool spare, struct ptx_lexer *lexer)
{
	const char *after = copy->weak + (copy->weak[1] == 'w' ? 5 : 7);

	copy_until(copy, copy->first ? copy->comma : copy->weak);
	if (copy->first)
		fputs("; ", copy->out);
	copy->first = copy->first ? copy->first : variable->name.text;
	if (spare)
		fputs(".extern", copy->out);
	copy->copied = spare ? after : copy->weak;
	copy_until(copy, copy->first);
	if (!strchr(" \t\n", copy->first[-1]))
		fputc(' ', copy->out); /* ".u32%a, b": its first name needs none, "b" does */
	copy->copied = variable->name.text;
	if (!spare || !variable->init.size)
		return;
	copy_until(copy, (const char *)variable->init.data - 1);
	copy->copied = (const char *)variable->init.data + variable->init.size;
	lexer->offset = (size_t)(copy->copied - (const char *)lexer->text.data);
}

/* The weak kernel that @token defines, or NULL. */
static const struct ptx_function *weak_entry(struct copier *copy,
					     const struct ptx_token *token)
{
	const struct ptx *ptx = copy->merge->inputs[copy->input].ptx;
	const struct ptx_function *f;

	if (!copy->weak || copy->depth)
		return NULL;
	while (copy->entry < ptx->function_count &&
	       ptx->functions[copy->entry].name.text < token->text)
		copy->entry++;
	if (copy->entry == ptx->function_count)
		return NULL;
	f = &ptx->functions[copy->entry];
	return f->name.text == token->text && f->entry && f->defined && link_is_weak(f->linkage) ?
		       f :
		       NULL;
}

/* Leaves @entry out if it is spare. */
static int copy_entry(struct copier *copy, const struct ptx_function *entry,
		      struct ptx_lexer *lexer, struct err *e)
{
	bool spare;

	TRY(link_is_spare(copy->merge, entry->name, copy->input, &spare, e));
	if (!spare)
		return 0;
	copy_until(copy, copy->weak);
	copy->copied = (const char *)entry->body.data + entry->body.size + 1;
	lexer->offset = (size_t)(copy->copied - (const char *)lexer->text.data);
	copy->weak = NULL;
	return 0;
}

/* The new name of @name, or NULL: "x" of "x<3>" and "x2" are of numbered names. */
static const struct name *new_name(const struct copier *copy,
				   const struct ptx_lexer *lexer, struct ptx_name name)
{
	const struct names *renamed = &copy->merge->inputs[copy->input].renamed;
	struct ptx_lexer ahead = *lexer;
	struct ptx_token token;
	uint32_t number;

	ptx_next(&ahead, &token);
	return ptx_is(&token, "<") ? names_find_stem(renamed, name) :
				     names_find_numbered(renamed, name, &number);
}

static int copy_name(struct copier *copy, struct ptx_lexer *lexer,
		     const struct ptx_token *token, struct err *e)
{
	const struct ptx_name name = { token->text, token->length };
	const struct ptx_variable *variable = weak_variable(copy, token);
	const struct ptx_function *entry = weak_entry(copy, token);
	const struct name *renamed = new_name(copy, lexer, name);
	bool spare;

	if (entry)
		return copy_entry(copy, entry, lexer, e);
	if (variable) {
		TRY(link_is_spare(copy->merge, name, copy->input, &spare, e));
		copy_weak(copy, variable, spare, lexer);
	} else if (renamed) {
		copy_until(copy, token->text + renamed->text.length);
		fprintf(copy->out, "__%zu", copy->input + 1);
		for (uint32_t i = 0; i < renamed->index; i++)
			fputc('_', copy->out);
	}
	return 0;
}

/* After "=": when a value follows, stores where it ends. */
static void begin_value(struct copier *copy, const struct ptx_token *token)
{
	const struct ptx *ptx = copy->merge->inputs[copy->input].ptx;
	const struct ptx_variable *variable;

	while (copy->variable < ptx->variable_count &&
	       ptx->variables[copy->variable].name.text < token->text)
		copy->variable++;
	if (!copy->variable)
		return;
	variable = &ptx->variables[copy->variable - 1];
	if ((const char *)variable->init.data == end_of(token))
		copy->value = end_of(token) + variable->init.size;
}

static void begin_weak(struct copier *copy, const struct ptx_token *word)
{
	copy->weak = word->text;
	copy->first = NULL;
}

static bool is_head(const struct ptx_token *word)
{
	return ptx_is(word, ".version") || ptx_is(word, ".target") ||
	       ptx_is(word, ".address_size");
}

static int copy_word(struct copier *copy, struct ptx_lexer *lexer,
		     const struct ptx_token *word, struct err *e)
{
	if (!copy->after_head && is_head(word))
		leave_out(copy, lexer, word);
	else if (ptx_is(word, ".file") || ptx_is(word, ".loc") || ptx_is(word, "inlined_at"))
		copy_file(copy, lexer);
	else if (!copy->depth && (ptx_is(word, ".weak") || ptx_is(word, ".common")))
		begin_weak(copy, word);
	else
		return copy_name(copy, lexer, word, e);
	return 0;
}

/* Writes the limit of registers of the kernel whose body @brace begins. */
static void limit_registers(struct copier *copy, const struct ptx_token *brace)
{
	const struct ptx *ptx = copy->merge->inputs[copy->input].ptx;
	const struct ptx_function *f;

	while (copy->function < ptx->function_count &&
	       (const char *)ptx->functions[copy->function].body.data < end_of(brace))
		copy->function++;
	if (copy->function == ptx->function_count)
		return;
	f = &ptx->functions[copy->function];
	if (!f->entry || f->max_registers ||
	    (const char *)f->body.data != end_of(brace))
		return;
	copy_until(copy, brace->text);
	/* "k{" has no blank between the name and the body. */
	fprintf(copy->out, "%s.maxnreg %u ", (const char *)f->name.text + f->name.length ==
		brace->text ? " " : "", copy->merge->registers);
}

/* A token that is not of a value. */
static int copy_token(struct copier *copy, struct ptx_lexer *lexer,
		      const struct ptx_token *token, struct err *e)
{
	copy->after_head |= !is_head(token);
	if (copy->merge->registers && !copy->depth && ptx_is(token, "{"))
		limit_registers(copy, token);
	copy->depth += ptx_is(token, "{") || ptx_is(token, "(");
	copy->depth -= copy->depth && (ptx_is(token, "}") || ptx_is(token, ")"));
	if (ptx_is(token, ","))
		copy->comma = token->text;
	else if (ptx_is(token, ";"))
		copy->weak = NULL;
	else if (ptx_is(token, "="))
		begin_value(copy, token);
	return token->kind == PTX_WORD ? copy_word(copy, lexer, token, e) : 0;
}

/* Values are copied unchanged, except names: words in them are no directives. */
static int copy_text(struct merge *merge, size_t input, struct bytes text, FILE *out,
		     struct err *e)
{
	struct ptx_lexer lexer = ptx_lexer(text, 1);
	struct copier copy = { .merge = merge, .input = input, .out = out,
			       .copied = (const char *)text.data,
			       .value = (const char *)text.data };
	struct ptx_token token;

	while (link_next_token(&lexer, &token)) {
		if (token.text >= copy.value)
			TRY(copy_token(&copy, &lexer, &token, e));
		else if (token.kind == PTX_WORD)
			TRY(copy_name(&copy, &lexer, &token, e));
	}
	copy_until(&copy, (const char *)text.data + text.size);
	fputc('\n', out);
	return 0;
}

/* ---- The whole ------------------------------------------------------------------- */

static int open_text(const struct link_text *text, struct ptx **ptx, struct err *e)
{
	const int status = ptx_open(text->text, ptx, e);

	return status ? err_wrap(e, "%s", text->name) : 0;
}

static int open_inputs(struct merge *merge, struct link_text *texts, size_t count,
		       struct err *e)
{
	uint32_t files = 0;

	merge->inputs = calloc(count, sizeof(*merge->inputs));
	if (!merge->inputs)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu inputs", count);
	merge->count = count;
	merge->texts = texts;
	for (size_t i = 0; i < count; i++) {
		struct input *input = &merge->inputs[i];
		uint32_t most = 0;

		TRY(open_text(&texts[i], &input->ptx, e));
		for (size_t f = 0; f < input->ptx->file_count; f++)
			if (input->ptx->files[f].index > most)
				most = input->ptx->files[f].index;
		input->files = files;
		files += most;
		TRY(link_collect_strong(merge, i, e));
	}
	for (size_t i = 0; i < count; i++)
		TRY(link_collect_private(merge, i, e));
	for (size_t i = 0; i < count && count > 1; i++)
		TRY(link_collect_numbered(merge, texts[i].text, e));
	for (size_t i = 0; i < count && count > 1; i++)
		TRY(link_choose_names(merge, i, e));
	return 0;
}

/* The newest version and architecture of all. */
static void write_head(const struct merge *merge, FILE *out)
{
	const struct ptx *version = merge->inputs[0].ptx, *target = version;

	for (size_t i = 1; i < merge->count; i++) {
		const struct ptx *ptx = merge->inputs[i].ptx;

		if (ptx->version_major * 10 + ptx->version_minor >
		    version->version_major * 10 + version->version_minor)
			version = ptx;
		if (ptx->arch > target->arch)
			target = ptx;
	}
	fprintf(out, ".version %u.%u\n.target %.*s\n.address_size %u\n", version->version_major,
		version->version_minor, (int)target->target.length, target->target.text,
		target->address_size);
}

int link_merge(struct link_text *texts, size_t count, unsigned registers, struct bytes *out,
	       struct err *e)
{
	CLEANUP(merge_release) struct merge merge = { .registers = registers };
	CLEANUP(free_pointer) char *text = NULL;
	CLEANUP(close_file) FILE *stream = NULL;
	size_t size = 0;

	*out = (struct bytes){ 0 };
	TRY(open_inputs(&merge, texts, count, e));
	stream = open_memstream(&text, &size);
	if (!stream)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the linked text");
	write_head(&merge, stream);
	for (size_t i = 0; i < count; i++) {
		texts[i].begin = (uint64_t)ftello(stream);
		TRY(copy_text(&merge, i, texts[i].text, stream, e));
	}
	if (fflush(stream) || ferror(stream))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the linked text");
	fclose(STEAL(stream));
	*out = (struct bytes){ (uint8_t *)STEAL(text), size };
	return 0;
}
