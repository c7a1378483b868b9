/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes in the place of what processes write into a trace: it is read, printed and written.
 * covers: cmd/trace/trace.c cmd/trace/trace_text.c cmd/trace/trace_json.c cmd/trace/trace_chrome.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "json.h"
#include "trace.h"
#include "trace_chrome.h"
#include "trace_json.h"
#include "trace_text.h"

/* The bytes are a chunk, but for the number of its process. */
static int make_file(const uint8_t *data, size_t size)
{
	static uint8_t chunk[TRACE_CHUNK];
	struct err e;
	const int fd = trace_file_open(&e);

	if (fd < 0)
		return -1;
	memset(chunk, 0, sizeof(chunk));
	memcpy(chunk + sizeof(struct trace_chunk), data,
	       size < sizeof(chunk) - sizeof(struct trace_chunk) ?
		       size : sizeof(chunk) - sizeof(struct trace_chunk));
	if (pwrite(fd, chunk, sizeof(chunk), TRACE_CHUNK) != sizeof(chunk))
		abort();
	return fd;
}

static void print(const struct trace *trace)
{
	struct json json = { .to = fopen("/dev/null", "w") };

	if (!json.to)
		return;
	json_object(&json, NULL);
	trace_report(trace, &json);
	json_end_object(&json);
	fclose(json.to);
	trace_say(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = make_file(data, size);
	struct trace trace;
	struct err e;

	if (fd < 0)
		return 0;
	if (!trace_read(fd, &trace, &e)) {
		print(&trace);
		if (trace_write_chrome(&trace, "/dev/null", &e))
			abort();
	}
	trace_release(&trace);
	close(fd);
	return 0;
}
