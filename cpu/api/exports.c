/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the library exports, all of it made from tables: each row of
 * cuda_api.def under its symbol; once more with the suffix _ptsz or _ptds,
 * for programs whose default stream is the thread's own; the calls that are
 * refused; and the older names of cuda_aliases.def. cuGetProcAddress finds the
 * same functions by name and version.
 */
#include "exports.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "calls.h"
#include "cause.h"
#include "cleanup.h"
#include "entry.h"
#include "failed.h"
#include "foreign_runtime.h"
#include "stream.h"
#include "traced.h"

#define EXPORT __attribute__((visibility("default")))

/*
 * What a call does inside a host function, by its row of host_calls.def: a call without a row does
 * not build, nor does a row without a call.
 */
enum { ALLOWED = 0, REFUSED = 1 };
#define HOST_CALL(name, answer) enum { IN_HOST_##name = answer };
#include "host_calls.def"
#define HOST_CALL(name, answer) \
	_Static_assert(sizeof(&name), "a call of cuda_api.def");
#include "host_calls.def"

#define IN_HOST_FUNCTION(name) (IN_HOST_##name ? refused_in_host_function() : CUDA_SUCCESS)

static void restore_default(CUstream *before)
{
	stream_set_default(*before);
}

/* After a call of @symbol that failed; or that worked, where one was out of memory before. */
static CUresult leave_call(const char *symbol, CUresult result, const void *caller)
{
	/* A child of fork() has locks that may be locked for ever; at the end all calls fail. */
	if (driver_state() == DRIVER_FORKED || driver_ended())
		return result;
	entry_configure();
	if (!result)
		failed_worked(symbol);
	else
		failed_call(symbol, (int)result, entry_result_name(result), "", caller);
	return result;
}

/* A trace has the call @symbol by its arguments; one that is refused has none. */
#define TRACED(symbol, args) TRACE_END(begin_, symbol, result_, instead_, args)
#define NOT_TRACED(symbol, args) (void)begin_, (void)instead_

/* The address that the call returns to is kept for what asks who calls. @instead: of the NULL
 * stream. */
#define CALL(symbol, refused, made, instead, traced, args)                                 \
	({                                                                                 \
		const void *caller_ = __builtin_return_address(0);                         \
		const uint64_t begin_ = trace_begin();                                     \
		const CUstream instead_ = (instead);                                       \
		CUresult result_;                                                          \
                                                                                           \
		cause_caller = caller_;                                                    \
		result_ = refused;                                                         \
		if (!result_)                                                              \
			result_ = made;                                                    \
		if (__builtin_expect(result_ || atomic_load_explicit(&failed_pending,      \
								     memory_order_relaxed), \
				     false))                                               \
			result_ = leave_call(#symbol, result_, caller_);                   \
		traced(symbol, args);                                                      \
		result_;                                                                   \
	})

#define CUDA_API(name, symbol, need, params, args)                \
	EXPORT CUresult export_##name params __asm__(symbol);     \
	CUresult export_##name params                             \
	{                                                         \
		return CALL(name, IN_HOST_FUNCTION(name), name args, CU_STREAM_LEGACY, \
			    TRACED, args);                                        \
	}
#include "cuda_api.def"

#define PER_THREAD(name, symbol, params, args)                                             \
	EXPORT CUresult per_thread_##name params __asm__(symbol);                          \
	CUresult per_thread_##name params                                                  \
	{                                                                                  \
		CLEANUP(restore_default) CUstream before_ =                                \
			stream_set_default(CU_STREAM_PER_THREAD);                          \
                                                                                           \
		(void)before_;                                                             \
		return CALL(name, IN_HOST_FUNCTION(name), name args, CU_STREAM_PER_THREAD, \
			    TRACED, args);                                                 \
	}
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_API_PTSZ(name, symbol, need, params, args) \
	PER_THREAD(name, symbol "_ptsz", params, args)
#define CUDA_API_PTDS(name, symbol, need, params, args) \
	PER_THREAD(name, symbol "_ptds", params, args)
#include "cuda_api.def"

/* @name, exported as @as, is the function exported as @symbol. */
#define SAME(function, name, as, symbol) \
	EXPORT __typeof__(function) name __asm__(as) __attribute__((alias(symbol)));
#define CUDA_ALIAS(other, symbol, name, since) SAME(export_##name, alias_##other, #other, symbol)
#define CUDA_ALIAS_PTSZ(other, symbol, name, since)        \
	SAME(export_##name, alias_##other, #other, symbol) \
	SAME(per_thread_##name, alias_##other##_ptsz, #other "_ptsz", symbol "_ptsz")
#include "cuda_aliases.def"

/* Refused calls ignore their arguments. */
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_REFUSED(name, symbol, since, group)            \
	EXPORT CUresult refused_##name(void) __asm__(symbol); \
	CUresult refused_##name(void)                       \
	{                                                   \
		return CALL(name, CUDA_SUCCESS, calls_refuse(REFUSED_##name), NULL, NOT_TRACED, ()); \
	}
#define PER_THREAD_REFUSED(name, symbol, suffix)    \
	SAME(refused_##name, refused_##name##suffix, symbol #suffix, symbol)
#define CUDA_REFUSED_PTSZ(name, symbol, since, group) \
	CUDA_REFUSED(name, symbol, since, group)      \
	PER_THREAD_REFUSED(name, symbol, _ptsz)
#define CUDA_REFUSED_PTDS(name, symbol, since, group) \
	CUDA_REFUSED(name, symbol, since, group)      \
	PER_THREAD_REFUSED(name, symbol, _ptds)
#include "cuda_api.def"

/* ---- cuGetProcAddress ------------------------------------------------------ */

struct export_row {
	const char *name;
	int since; /* 0: no call of CUDA's */
	CUresult (*function)(void), (*per_thread)(void);
};

#define OTHER(since)    since
#define OPTIONAL(since) since
#define REQUIRED(since) since
#define ROW(name, since, function, other) \
	{ #name, since, (CUresult(*)(void))(void *)function, (CUresult(*)(void))(void *)other },

static const struct export_row rows[] = {
#define CUDA_API(name, symbol, need, params, args) ROW(name, need, export_##name, export_##name)
#define CUDA_API_PTSZ(name, symbol, need, params, args) \
	ROW(name, need, export_##name, per_thread_##name)
#define CUDA_API_PTDS CUDA_API_PTSZ
#define CUDA_REFUSED(name, symbol, since, group) ROW(name, since, refused_##name, refused_##name)
#include "cuda_api.def"
#define CUDA_ALIAS(other, symbol, name, since) ROW(other, since, alias_##other, alias_##other)
#define CUDA_ALIAS_PTSZ(other, symbol, name, since) \
	ROW(other, since, alias_##other, alias_##other##_ptsz)
#include "cuda_aliases.def"
};

/* Tells whether @row is a form of the call @name; the names of older forms end in _v1, _v2, ... */
static bool is_form(const struct export_row *row, const char *name, size_t length)
{
	const char *rest = row->name + length;

	if (!row->since || strncmp(row->name, name, length) != 0)
		return false;
	return !*rest || (rest[0] == '_' && rest[1] == 'v' && rest[2] && !rest[3]);
}

/* The newest form of @name that @version has. */
static CUdriverProcAddressQueryResult find_export(const char *name, int version,
						  const struct export_row **out)
{
	bool known = false;

	*out = NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!is_form(&rows[i], name, strlen(name)))
			continue;
		known = true;
		if (rows[i].since <= version && (!*out || rows[i].since > (*out)->since))
			*out = &rows[i];
	}
	if (*out)
		return CU_GET_PROC_ADDRESS_SUCCESS;
	return known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT :
		       CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

/* As in a real driver it works before cuInit, and succeeds with NULL when there is no such call. */
CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags,
			  CUdriverProcAddressQueryResult *status)
{
	CUdriverProcAddressQueryResult found;
	const struct export_row *row;

	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	if (!symbol || !*symbol || !function || version > DRIVER_VERSION ||
	    flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		return CUDA_ERROR_INVALID_VALUE;
	*function = NULL;
	found = find_export(symbol, version, &row);
	if (status)
		*status = found;
	if (!row)
		return CUDA_SUCCESS;
	if (flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		*function = (void *)row->per_thread;
	else
		*function = (void *)row->function;
	return CUDA_SUCCESS;
}

/* The older form can report only by its result that there is no such call. */
CUresult cuGetProcAddress_v1(const char *symbol, void **function, int version, uint64_t flags)
{
	TRY(cuGetProcAddress(symbol, function, version, flags, NULL));
	return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/*
 * Tables of functions between NVIDIA's own libraries; this driver has none. NVRTC calls
 * this without checking that it exists, before cuInit too, and continues after an error;
 * NVIDIA's runtime library does not.
 */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	if (!table)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	foreign_runtime_ask(id, cause_caller);
	return driver_ended() ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_SUPPORTED;
}
