/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The exported functions, made from ol_api.def: is the library up, do the
 * parameters pass, then the implementation, then the trace. The twins take the
 * caller's place in its source, which nothing reads.
 */
#include "ol.h"
#include "ol_trace.h"

static ol_result_t enter(void)
{
	return atomic_load_explicit(&ol.up, memory_order_acquire) ? OL_SUCCESS
								  : ol_uninitialized();
}

static bool is_set(const _Atomic bool *flag)
{
	return __builtin_expect(atomic_load_explicit(flag, memory_order_relaxed), 0);
}

static bool validates(void)
{
	return atomic_load_explicit(&ol.validates, memory_order_relaxed);
}

/* The checks of a row; the first that fails is the result. */
#define REFUSE(condition, code, text)                                                    \
	if (!result && (condition))                                                        \
		result = ol_error(OL_ERRC_##code, "validation failure: %s", text);
#define BAD(condition, code) REFUSE(condition, code, #condition)
#define HANDLE(name) REFUSE(!name, INVALID_NULL_HANDLE, "NULL == " #name)
#define POINTER(name) REFUSE(!name, INVALID_NULL_POINTER, "NULL == " #name)

/* The trace of a row. */
#define T_POINTER(name) ol_trace_pointer(&trace, #name, name);
#define T_CALLBACK(name) ol_trace_callback(&trace, #name, (void (*)(void))name);
#define T_STRING(name) ol_trace_string(&trace, #name, name);
#define T_SIZE(name) ol_trace_size(&trace, #name, name);
#define T_ENUM(kind, name) ol_trace_enum(&trace, #name, OL_ENUM_##kind, (int)name);
#define T_OUT(name, type) ol_trace_out(&trace, #name, name, OL_TYPE_##type);
#define T_LIST(name, count) ol_trace_list(&trace, #name, name, count);
#define T_INFO(kind, name, size, value)                                                  \
	ol_trace_info(&trace, OL_ENUM_##kind, (int)name, size, value);
#define T_LAUNCH(name) ol_trace_launch(&trace, #name, name);
#define T_INIT(name) ol_trace_init(&trace, #name, name);

/* The end of an entry: the trace of its result, where it is asked for. */
#define ANSWER(name, tracing)                                                            \
	if (!is_set(&ol.traces))                                                         \
		return result;                                                           \
	ol_trace_begin(&trace, #name, result);                                           \
	tracing                                                                          \
	ol_trace_end(&trace);                                                            \
	return result;

#define TWIN(name, params, args)                                                         \
	ol_result_t name##WithCodeLoc params                                             \
	{                                                                                \
		(void)CodeLocation;                                                      \
		return name args;                                                        \
	}

/* @impl has the name of the implementation. */
#define OL_ENTRY(name, impl, params, args, checks, tracing)                              \
	ol_result_t name params                                                          \
	{                                                                                \
		ol_result_t result = enter();                                            \
		struct ol_trace trace;                                                   \
                                                                                         \
		if (result)                                                              \
			return result;                                                   \
		if (validates()) {                                                       \
			checks                                                           \
		}                                                                        \
		if (!result)                                                             \
			result = impl args;                                              \
		ANSWER(name, tracing)                                                    \
	}                                                                                \
                                                                                         \
	TWIN(name, OL_TWIN params, args)

/* Those that are called while the library is not initialised. */
#define OL_ENTRY_BARE(name, impl, params, args, tracing)                                 \
	ol_result_t name params                                                          \
	{                                                                                \
		ol_result_t result = impl args;                                          \
		struct ol_trace trace;                                                   \
                                                                                         \
		ANSWER(name, tracing)                                                    \
	}                                                                                \
                                                                                         \
	TWIN(name, OL_TWIN params, args)

#define OL_ENTRY_VOID(name, impl)                                                        \
	ol_result_t name(void)                                                           \
	{                                                                                \
		ol_result_t result = impl();                                             \
		struct ol_trace trace;                                                   \
                                                                                         \
		ANSWER(name, )                                                           \
	}                                                                                \
                                                                                         \
	TWIN(name, (ol_code_location_t *CodeLocation), ())

#define OL_API(first, last, name, params, args, checks, tracing)                         \
	OL_ROW_##first##_##last(                                                           \
		OL_ENTRY(name, OL_IMPL_##last(name), params, args, checks, tracing))
#define OL_API_BARE(first, last, name, params, args, tracing)                            \
	OL_ROW_##first##_##last(                                                           \
		OL_ENTRY_BARE(name, OL_IMPL_##last(name), params, args, tracing))
#define OL_API_VOID(first, last, name)                                                   \
	OL_ROW_##first##_##last(OL_ENTRY_VOID(name, OL_IMPL_##last(name)))
#include "ol_api.def"
