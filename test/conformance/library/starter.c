/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library whose static constructor initialises libLLVMOffload, and takes its time:
 * other threads that open a library wait for it. */
#include <unistd.h>

#include "ol_abi.h"

#define TAP_UNUSED __attribute__((unused))
#if OL_ABI == 22
#include "ol_form22.h"
#else
#include "ol_form23.h"
#endif

ol_result_t starter_result(void);

static ol_result_t result;

__attribute__((constructor)) static void start(void)
{
	usleep(200 * 1000);
	result = ol_init();
	if (!result)
		result = olShutDown();
}

__attribute__((visibility("default"))) ol_result_t starter_result(void)
{
	return result;
}
