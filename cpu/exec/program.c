/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loading a module: everything is checked here; entries are lowered when they are first used. */
#include "asserts.h"
#include "exec.h"

#include <ctype.h>

#include "arena.h"
#include "body.h"
#include "compile_thread.h"
#include "lock.h"
#include "lower_entry.h"
#include "ptx.h"
#include "variable.h"

enum {
	NEWEST_MAJOR = 9,       /* later versions add instructions, each checked by itself */
	MOST_PARAMS = 32764,    /* bytes of an entry's parameters, */
	MOST_PARAMS_ONCE = 4352, /* and before PTX 8.1 */
};

static int copy_text(struct program *program, struct bytes text, struct err *e)
{
	uint8_t *copy = malloc(text.size + 1);

	if (!copy)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu bytes of PTX", text.size);
	memcpy(copy, text.data, text.size);
	copy[text.size] = 0;
	program->text = (struct bytes){ copy, text.size };
	return 0;
}

static int unsized(const struct ptx_variable *variable, const char *may, struct err *e)
{
	return err_set(e, GPURUN_FORMAT, "line %u: '%.*s' is an array without a size, which only "
		       "%s may be", variable->line, (int)variable->name.length,
		       variable->name.text, may);
}

/* The last parameter of a function may be an array without a size; no parameter of an entry may. */
static int check_params(const struct ptx_function *function, struct err *e)
{
	static const char may[] = "the last parameter of a function";
	size_t sized = function->param_count - (function->param_count && !function->entry);

	for (size_t i = 0; i < function->return_count; i++)
		if (!function->returns[i].count)
			return unsized(&function->returns[i], may, e);
	for (size_t i = 0; i < function->param_count; i++)
		if (!function->params[i].count &&
		    (i < sized || function->params[i].space != PTX_PARAM))
			return unsized(&function->params[i], may, e);
	return 0;
}

/* Checks that the parameters of an entry are not more than its limited memory for them. */
static int check_param_bytes(const struct ptx *ptx, const struct ptx_function *function,
			     struct err *e)
{
	const bool wide = ptx->version_major * 10 + ptx->version_minor >= 81;
	const uint64_t most = wide ? MOST_PARAMS : MOST_PARAMS_ONCE;
	uint64_t at = 0;

	for (size_t i = 0; i < function->param_count && at <= most; i++) {
		const uint64_t align = function->params[i].align ? function->params[i].align : 1;

		at = (at + align - 1) & ~(align - 1);
		at += function->params[i].size;
	}
	if (at <= most)
		return 0;
	return err_set(e, GPURUN_FORMAT, "line %u: the parameters of '%.*s' need %llu bytes, where "
		       "PTX %u.%u has %llu", function->line, (int)function->name.length,
		       function->name.text, (unsigned long long)at, ptx->version_major,
		       ptx->version_minor, (unsigned long long)most);
}

/* Checks the sizes of variables and parameters. */
static int check_sizes(const struct ptx *ptx, struct err *e)
{
	for (size_t i = 0; i < ptx->variable_count; i++) {
		const struct ptx_variable *v = &ptx->variables[i];

		if (!v->count && v->space != PTX_REG && !v->numbered &&
		    !(v->unsized && v->linkage == PTX_EXTERN))
			return unsized(v, "an .extern variable", e);
	}
	for (size_t i = 0; i < ptx->function_count; i++) {
		TRY(check_params(&ptx->functions[i], e));
		if (ptx->functions[i].entry)
			TRY(check_param_bytes(ptx, &ptx->functions[i], e));
	}
	return 0;
}

/* Adds a variable; refuses numbered names declared twice, which would make look-ups slow. */
static int add_variable(struct program *program, uint32_t index, struct err *e)
{
	const struct ptx_variable *variable = &program->ptx->variables[index], *other;
	const struct name *found;

	if (!variable->numbered)
		return names_add(&program->globals, variable->name, NAME_SYMBOL, index, 1, e);
	found = names_find_stem(&program->globals, variable->name);
	other = found ? &program->ptx->variables[found->index] : NULL;
	if (other && (other->linkage == PTX_EXTERN) == (variable->linkage == PTX_EXTERN))
		return err_set(e, GPURUN_FORMAT, "line %u: '%.*s<' is declared twice",
			       variable->line, (int)variable->name.length, variable->name.text);
	return names_add(&program->globals, variable->name, NAME_SYMBOLS, index,
			 (uint32_t)variable->count, e);
}

/* Adds all names; definitions after declarations, so that look-ups find them. */
static int add_names(struct program *program, struct err *e)
{
	const struct ptx *ptx = program->ptx;

	for (int defined = 0; defined < 2; defined++) {
		for (uint32_t i = 0; i < ptx->function_count; i++)
			if (ptx->functions[i].defined == defined)
				TRY(names_add(&program->globals, ptx->functions[i].name,
					      NAME_FUNCTION, i, 1, e));
		for (uint32_t i = 0; i < ptx->module_variables; i++)
			if ((ptx->variables[i].linkage != PTX_EXTERN) == defined)
				TRY(add_variable(program, i, e));
	}
	for (size_t i = 0; i < ptx->alias_count; i++) {
		const struct name *aimed = names_find(&program->globals, ptx->aliases[i].aimed);

		if (aimed)
			TRY(names_add(&program->globals, ptx->aliases[i].name, aimed->kind,
				      aimed->index, 1, e));
	}
	return 0;
}

/* Tells whether @variable has memory of its own for as long as the program lives. */
static bool has_storage(const struct ptx_variable *variable)
{
	return (variable->space == PTX_GLOBAL || variable->space == PTX_CONST) &&
	       variable->linkage != PTX_EXTERN;
}

/* A variable that is only declared has the address of the definition of its name. */
static int find_extern(struct program *program, uint32_t index, struct err *e)
{
	const struct ptx_variable *variable = &program->ptx->variables[index];
	const struct name *name = variable->numbered ?
					  names_find_stem(&program->globals, variable->name) :
					  names_find(&program->globals, variable->name);

	ASSERT(index < program->ptx->variable_count);
	if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
		return 0;
	if (name && (name->kind == NAME_SYMBOL || name->kind == NAME_SYMBOLS) &&
	    has_storage(&program->ptx->variables[name->index])) {
		program->addresses[index] = program->addresses[name->index];
		return 0;
	}
	return err_set(e, GPURUN_FORMAT, "line %u: '%.*s' is declared .extern and defined nowhere",
		       variable->line, (int)variable->name.length, variable->name.text);
}

static enum block_kind kind_of(const struct ptx_variable *variable)
{
	return variable->space == PTX_CONST ? BLOCK_CONSTANT :
	       variable->managed	    ? BLOCK_MANAGED_VARIABLE : BLOCK_VARIABLE;
}

static int place_variables(struct program *program, struct err *e)
{
	const struct ptx *ptx = program->ptx;

	for (uint32_t i = 0; i < ptx->variable_count; i++) {
		const struct ptx_variable *variable = &ptx->variables[i];

		if (!has_storage(variable))
			continue;
		if (variable->space == PTX_CONST)
			program->constant += (uint32_t)variable->size;
		TRY(arena_alloc(variable->size ? variable->size : 1, variable->align,
				kind_of(variable), &program->addresses[i], e));
	}
	for (uint32_t i = 0; i < ptx->variable_count; i++)
		if (ptx->variables[i].linkage == PTX_EXTERN)
			TRY(find_extern(program, i, e));
	return 0;
}

/* Functions have distinct addresses, so that they can be compared and called. */
static int place_functions(struct program *program, struct err *e)
{
	for (size_t i = 0; i < program->ptx->function_count; i++)
		if (!program->ptx->functions[i].entry && program->ptx->functions[i].defined)
			return arena_alloc(16 * program->ptx->function_count, 256, BLOCK_CODE,
					   &program->functions, e);
	return 0;
}

static int initialise(struct program *program, struct err *e)
{
	for (uint32_t i = 0; i < program->ptx->variable_count; i++) {
		const struct ptx_variable *variable = &program->ptx->variables[i];

		if (has_storage(variable) && variable->init.size)
			TRY(variable_initialise(program, variable,
						arena_bytes(program->addresses[i]), e));
	}
	return 0;
}

static int check_bodies(struct program *program, struct err *e)
{
	for (size_t i = 0; i < program->ptx->function_count; i++) {
		CLEANUP(free_body) struct body *body = NULL;

		if (program->ptx->functions[i].defined)
			TRY(body_decode(program->ptx, &program->globals,
					&program->ptx->functions[i], &body, e));
	}
	return 0;
}

static bool has_code(const struct ptx_function *function)
{
	return function->entry && function->defined;
}

/* Copies the names of the entries. */
static int name_entries(struct program *program, struct err *e)
{
	const struct ptx *ptx = program->ptx;

	program->names = calloc(ptx->function_count + 1, sizeof(*program->names));
	for (size_t i = 0; program->names && i < ptx->function_count; i++) {
		const struct ptx_name *name = &ptx->functions[i].name;

		if (!has_code(&ptx->functions[i]))
			continue;
		program->names[program->name_count] = strndup(name->text, name->length);
		ASSERT(program->name_count < ptx->function_count);
		if (!program->names[program->name_count++])
			return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of kernels");
	}
	return program->names ? 0 : err_set(e, GPURUN_NO_MEMORY, "no memory for names");
}

DEFINE_CLEANUP(free_program, struct program *, program_free)

int program_load(struct bytes text, struct program **out, struct err *e)
{
	CLEANUP(free_program) struct program *program = calloc(1, sizeof(*program));

	*out = NULL;
	if (!program)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	pthread_mutex_init(&program->lock, NULL);
	TRY(copy_text(program, text, e));
	TRY(ptx_open(program->text, &program->ptx, e));
	TRY(ptx_open_bodies(program->ptx, e));
	if (program->ptx->version_major > NEWEST_MAJOR)
		return err_set(e, GPURUN_UNSUPPORTED,
			       "PTX version %u.%u is too new: the CPU device reads versions up "
			       "to %d.9", program->ptx->version_major,
			       program->ptx->version_minor, NEWEST_MAJOR);
	if (program->ptx->address_size == 32)
		return err_set(e, GPURUN_UNSUPPORTED,
			       "32-bit addresses are not executed by the CPU device");
	program->addresses = calloc(program->ptx->variable_count + 1, sizeof(uint64_t));
	program->entries = calloc(program->ptx->function_count + 1, sizeof(struct entry *));
	if (!program->addresses || !program->entries)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of a module");
	TRY(check_sizes(program->ptx, e));
	TRY(add_names(program, e));
	TRY(name_entries(program, e));
	TRY(place_variables(program, e));
	TRY(place_functions(program, e));
	TRY(check_bodies(program, e));
	TRY(initialise(program, e));
	*out = STEAL(program);
	return 0;
}

void program_free(struct program *program)
{
	if (!program)
		return;
	compile_forget(program);
	for (size_t i = 0; program->entries && i < program->ptx->function_count; i++)
		entry_free(program->entries[i]);
	for (size_t i = 0; program->addresses && i < program->ptx->variable_count; i++)
		if (program->addresses[i] && has_storage(&program->ptx->variables[i]))
			arena_free(program->addresses[i], NULL);
	if (program->functions)
		arena_free(program->functions, NULL);
	for (size_t i = 0; i < program->name_count; i++)
		free(program->names[i]);
	free(program->names);
	free(program->entries);
	free(program->addresses);
	names_release(&program->globals);
	ptx_free(program->ptx);
	free((void *)program->text.data);
	pthread_mutex_destroy(&program->lock);
	free(program);
}

bool program_entry(const struct program *program, size_t index, const char **name)
{
	if (index >= program->name_count)
		return false;
	*name = program->names[index];
	return true;
}

bool program_find_entry(const struct program *program, const char *name, size_t *function)
{
	struct ptx_name text = { name, (uint32_t)strlen(name) };
	const struct name *found = names_find(&program->globals, text);

	if (!found || found->kind != NAME_FUNCTION ||
	    !has_code(&program->ptx->functions[found->index]))
		return false;
	*function = found->index;
	ASSERT(*function < program->ptx->function_count);
	return true;
}

size_t program_functions(const struct program *program)
{
	return program->ptx->function_count;
}

bool program_is_managed(const struct program *program, const char *name)
{
	struct ptx_name text = { name, (uint32_t)strlen(name) };
	const struct name *found = names_find(&program->globals, text);

	return found && found->kind == NAME_SYMBOL &&
	       program->ptx->variables[found->index].managed;
}

/* Whether the linker has renamed @before to @name: before__N, see link_merge.c. */
static bool is_private(struct ptx_name name, struct ptx_name before)
{
	uint32_t at = before.length + 2;

	if (name.length <= at || memcmp(name.text, before.text, before.length) ||
	    memcmp(name.text + before.length, "__", 2) || !isdigit((unsigned char)name.text[at]))
		return false;
	while (at < name.length && isdigit((unsigned char)name.text[at]))
		at++;
	while (at < name.length && name.text[at] == '_')
		at++;
	return at == name.length;
}

/*
 * The first private variable whose name was @name before it was linked; variable_count when
 * there is none. A linker of cubins leaves the names of private variables, and libgomp
 * looks up those that C calls static.
 */
static size_t find_private(const struct program *program, struct ptx_name name)
{
	const struct ptx *ptx = program->ptx;
	size_t i;

	for (i = 0; i < ptx->variable_count; i++)
		if (ptx->variables[i].linkage == PTX_STATIC && !ptx->variables[i].numbered &&
		    is_private(ptx->variables[i].name, name))
			break;
	return i;
}

int program_variable(const struct program *program, const char *name, uint64_t *address,
		     uint64_t *size)
{
	struct ptx_name text = { name, (uint32_t)strlen(name) };
	uint32_t number = 0;
	const struct name *found = names_find_numbered(&program->globals, text, &number);
	size_t index = found ? found->index : find_private(program, text);
	const struct ptx_variable *variable;

	if (found && found->kind == NAME_FUNCTION)
		return GPURUN_INVALID;
	if (index >= program->ptx->variable_count || !program->addresses[index])
		return GPURUN_NOT_FOUND;
	variable = &program->ptx->variables[index];
	*address = program->addresses[index] + number * variable->stride;
	*size = variable->numbered ? (uint64_t)variable->width * variable->vector : variable->size;
	return 0;
}

int program_kernel(struct program *program, const char *name, const struct kernel **out,
		   struct err *e)
{
	struct ptx_name text = { name, (uint32_t)strlen(name) };
	const struct name *found = names_find(&program->globals, text);

	*out = NULL;
	LOCKED_BY(&program->lock, LOCK_PROGRAM);
	if (!found || found->kind != NAME_FUNCTION ||
	    !has_code(&program->ptx->functions[found->index]))
		return err_set(e, GPURUN_NOT_FOUND, "the module has no entry '%s'", name);
	if (!program->entries[found->index])
		TRY(entry_lower(program, found->index, &program->entries[found->index], e));
	ASSERT(program->entries[found->index]->function == found->index);
	*out = &program->entries[found->index]->kernel;
	return 0;
}
