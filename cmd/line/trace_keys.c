/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_keys.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "output_options.h"
#include "texts.h"

#define TIMES "times"

static int read_trace_key(struct output_options *output, const char *word, struct err *e)
{
	if (!strcmp(word, TIMES)) {
		output->trace_times = true;
		return 0;
	}
	err_set(e, GPURUN_INVALID, "--trace %s: the one key here is " TIMES, output->trace);
	return err_hint(e, "a comma begins the keys of --trace: name the file without one");
}

int trace_keys_read(struct output_options *output, struct texts *made, struct err *e)
{
	const char *said = output->trace;
	CLEANUP(free_pointer) char *file = NULL;
	char *rest, *word;

	if (!said || !strchr(said, ','))
		return 0;
	file = strdup(said);
	if (!file)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	rest = file;
	strsep(&rest, ",");
	while ((word = strsep(&rest, ",")))
		TRY(read_trace_key(output, word, e));
	if (!*file)
		return err_set(e, GPURUN_INVALID, "--trace %s: no file is named", said);
	TRY(texts_add(made, file, e));
	output->trace = STEAL(file);
	return 0;
}
