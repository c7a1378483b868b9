/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A device selector: "auto", "gpu[:N|:UUID|:PCI]", "cpu[:key=value,...]". */
#ifndef RUNTIME_SELECTOR_H
#define RUNTIME_SELECTOR_H

#include <stdbool.h>

#include "err.h"

enum selector_kind { SELECT_AUTO, SELECT_GPU, SELECT_CPU };

struct selector {
	enum selector_kind kind;
	int ordinal;       /* gpu:N; -1 when not given */
	char uuid[48];     /* gpu:UUID, a prefix of it, in lower case; "" when not given */
	char pci[24];      /* gpu:PCI, as it was given; "" when not given */
	char options[512]; /* cpu:OPTIONS; "" when not given */
};

/* Reads @text into @out. GPURUN_INVALID says what a selector looks like. */
int selector_parse(const char *text, struct selector *out, struct err *e);

/* Tells whether @wanted asks for what @current has selected. */
bool selector_agrees(const struct selector *wanted, const struct selector *current,
		     bool cpu, int ordinal);

#endif
