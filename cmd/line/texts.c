/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "texts.h"

#include <stdlib.h>

int texts_add(struct texts *texts, const char *text, struct err *e)
{
	const char **grown = reallocarray(texts->at, texts->count + 1, sizeof(*grown));

	if (!grown)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	texts->at = grown;
	texts->at[texts->count++] = text;
	return 0;
}
