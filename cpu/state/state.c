/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "state.h"

bool warp_ready(const struct warp *w)
{
	for (uint32_t i = 0; i < w->group_count; i++)
		if (w->groups[i].state == GROUP_READY)
			return true;
	return false;
}
