/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel_info.h"

#include <stdlib.h>

void kernel_info_begin(struct kernel_info *info)
{
	info->registers = info->barriers = -1;
	info->static_shared = info->stack = info->constant = -1;
}

void kernel_info_release(struct kernel_info *info)
{
	free(info->name);
	free(info->params);
	*info = (struct kernel_info){ 0 };
}

void kernel_info_free(struct kernel_info *kernels, size_t count)
{
	if (!kernels)
		return;
	for (size_t i = 0; i < count; i++)
		kernel_info_release(&kernels[i]);
	free(kernels);
}
