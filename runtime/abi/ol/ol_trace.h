/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OFFLOAD_TRACE: a line on stderr for each call, with its parameters and its
 * result, and one with the details of a failure. What a call has written, and the
 * elements of a list that was passed, are shown when it succeeded.
 */
#ifndef OL_TRACE_H
#define OL_TRACE_H

#include <stddef.h>

#include "ol_abi.h"

/* What can be shown: enumerators and properties of ol_enum.def ... */
enum ol_enum {
	OL_ENUM_ERRC,
	OL_ENUM_ALLOC_TYPE,
	OL_ENUM_DEVICE_TYPE,
	OL_ENUM_BACKEND,
	OL_ENUM_SYMBOL_KIND,
	OL_ENUM_PLATFORM_INFO,
	OL_ENUM_DEVICE_INFO,
	OL_ENUM_MEM_INFO,
	OL_ENUM_QUEUE_INFO,
	OL_ENUM_EVENT_INFO,
	OL_ENUM_SYMBOL_INFO,
};

/* ... and values. */
enum ol_type {
	OL_TYPE_STRING,
	OL_TYPE_U32,
	OL_TYPE_U64,
	OL_TYPE_BOOL,
	OL_TYPE_FLOAT,
	OL_TYPE_HANDLE,
	OL_TYPE_POINTER,
	OL_TYPE_DIMENSIONS,
	OL_TYPE_ALLOC_TYPE,
	OL_TYPE_DEVICE_TYPE,
	OL_TYPE_BACKEND,
	OL_TYPE_SYMBOL_KIND,
};

/* A line being made; what does not fit is left out. */
struct ol_trace {
	char text[2048];
	size_t length;
	ol_result_t result;
};

void ol_trace_begin(struct ol_trace *trace, const char *function, ol_result_t result);
void ol_trace_pointer(struct ol_trace *trace, const char *name, const void *pointer);
void ol_trace_callback(struct ol_trace *trace, const char *name, void (*function)(void));
void ol_trace_string(struct ol_trace *trace, const char *name, const char *text);
void ol_trace_size(struct ol_trace *trace, const char *name, size_t size);
void ol_trace_enum(struct ol_trace *trace, const char *name, enum ol_enum kind, int value);
void ol_trace_out(struct ol_trace *trace, const char *name, const void *out,
		  enum ol_type type);
void ol_trace_list(struct ol_trace *trace, const char *name, const void *list, size_t count);
void ol_trace_info(struct ol_trace *trace, enum ol_enum kind, int name, size_t size,
		   const void *value);
void ol_trace_launch(struct ol_trace *trace, const char *name,
		     const ol_kernel_launch_size_args_t *launch);
void ol_trace_init(struct ol_trace *trace, const char *name, const ol_init_args_t *args);

/* Writes the line. */
void ol_trace_end(struct ol_trace *trace);

#endif
