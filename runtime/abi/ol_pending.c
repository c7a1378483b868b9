/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is not implemented yet; goes with the last function that is. */
#include "ol.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define OL_API(name, params, args, checks, trace)                                        \
	__attribute__((weak)) ol_result_t name##_impl params                               \
	{                                                                                  \
		return ol_error(OL_ERRC_UNIMPLEMENTED, #name " is not implemented");       \
	}
#define OL_API_VOID(name)
#include "ol_api.def"

__attribute__((weak)) void ol_register_forget(void)
{
}
