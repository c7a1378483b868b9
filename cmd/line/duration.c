/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "duration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The nanoseconds of a unit of time; 0: there is no such one. */
static double length_of(const char *unit)
{
	static const struct {
		const char *name;
		double length;
	} units[] = {
		{ "", 1e9 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(unit, units[i].name))
			return units[i].length;
	}
	return 0;
}

int duration_parse(const char *option, const char *text, uint64_t *nanoseconds, struct err *e)
{
	char *unit = NULL;
	double length = *text >= '0' && *text <= '9' ? strtod(text, &unit) : 0;

	length *= unit ? length_of(unit) : 0;
	if (length > 0 && length < 1e18) {
		*nanoseconds = (uint64_t)ceil(length);
		return 0;
	}
	err_set(e, GPURUN_INVALID, "%s %s: not a time", option, text);
	return err_hint(e, "a time is a number of seconds, or as in 500ms, 90s, 5m, 1.5h");
}
