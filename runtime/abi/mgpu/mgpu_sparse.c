/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The sparse functions exist so that a program that may never call them links
 * and starts; each reports that it does nothing.
 */
#include <string.h>

#include "mgpu.h"

static void refuse(const char *who)
{
	mgpu_refuse(who, GPURUN_UNSUPPORTED, "needs %s, which this library is built without",
		    strstr(who, "Lt") ? "cuSPARSELt" : "cuSPARSE");
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MGPU_SPARSE(result, name, params)                                                  \
	result name params                                                                 \
	{                                                                                  \
		refuse(#name);                                                               \
		return (result)0;                                                          \
	}
#include "mgpu_sparse.def"
