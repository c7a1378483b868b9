/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Symbols: a program's kernels and variables. They end with their program. A name is
 * looked up only among those of the wanted kind: a kernel and a variable may share
 * it.
 */
#include "ol.h"

ol_result_t olGetSymbol_impl(ol_program_handle_t program, const char *name,
			     ol_symbol_kind_t kind, ol_symbol_handle_t *symbol)
{
	struct gpurun_kernel kernel;
	struct gpurun_variable variable;

	*symbol = NULL;
	switch (kind) {
	case OL_SYMBOL_KIND_KERNEL:
		OL_TRY(ol_result(gpurun_module_kernel(ol_program(program), name, &kernel),
				 OL_ERRC_INVALID_ARGUMENT));
		*symbol = ol_handle(kernel.id);
		return OL_SUCCESS;
	case OL_SYMBOL_KIND_GLOBAL_VARIABLE:
		OL_TRY(ol_result(gpurun_module_variable(ol_program(program), name, &variable),
				 OL_ERRC_INVALID_ARGUMENT));
		*symbol = ol_handle(variable.id);
		return OL_SUCCESS;
	default:
		return ol_info_unknown("getSymbol kind", (int)kind);
	}
}

/* The properties of a symbol. */
struct symbol {
	ol_symbol_kind_t kind;
	void *address;
	size_t size;
};

static ol_result_t describe_kernel(struct gpurun_kernel kernel, struct symbol *symbol)
{
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };

	symbol->kind = OL_SYMBOL_KIND_KERNEL;
	return ol_result(gpurun_kernel_get_info(kernel, &info), OL_ERRC_INVALID_ARGUMENT);
}

static ol_result_t describe(ol_symbol_handle_t handle, struct symbol *symbol)
{
	struct gpurun_variable variable = { ol_id(handle) };
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };

	if (gpurun_handle_kind(ol_id(handle)) == GPURUN_NATIVE_KERNEL)
		return describe_kernel((struct gpurun_kernel){ ol_id(handle) }, symbol);
	OL_TRY(ol_result(gpurun_variable_get_info(variable, &info), OL_ERRC_INVALID_ARGUMENT));
	symbol->kind = OL_SYMBOL_KIND_GLOBAL_VARIABLE;
	symbol->address = ol_handle(info.address);
	symbol->size = info.size;
	return OL_SUCCESS;
}

static ol_result_t check_variable(const struct symbol *symbol, const char *what)
{
	if (symbol->kind == OL_SYMBOL_KIND_GLOBAL_VARIABLE)
		return OL_SUCCESS;
	return ol_error(OL_ERRC_SYMBOL_KIND, "the symbol is a kernel, which has no %s: that is "
			"a global variable's", what);
}

static ol_result_t ask(const struct symbol *symbol, ol_symbol_info_t name,
		       struct ol_info *info)
{
	switch (name) {
	case OL_SYMBOL_INFO_KIND:
		*info = OL_INFO(symbol->kind);
		return OL_SUCCESS;
	case OL_SYMBOL_INFO_GLOBAL_VARIABLE_ADDRESS:
		*info = OL_INFO(symbol->address);
		return check_variable(symbol, "address");
	case OL_SYMBOL_INFO_GLOBAL_VARIABLE_SIZE:
		*info = OL_INFO(symbol->size);
		return check_variable(symbol, "size");
	default:
		return ol_info_unknown("getSymbolInfo", (int)name);
	}
}

ol_result_t olGetSymbolInfo_impl(ol_symbol_handle_t handle, ol_symbol_info_t name,
				 size_t size, void *value)
{
	struct symbol symbol = { 0 };
	struct ol_info info;

	OL_TRY(describe(handle, &symbol));
	OL_TRY(ask(&symbol, name, &info));
	return ol_info_copy(info, size, value);
}

ol_result_t olGetSymbolInfoSize_impl(ol_symbol_handle_t handle, ol_symbol_info_t name,
				     size_t *size)
{
	struct symbol symbol = { 0 };
	struct ol_info info;

	OL_TRY(describe(handle, &symbol));
	OL_TRY(ask(&symbol, name, &info));
	*size = info.size;
	return OL_SUCCESS;
}
