/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "line_rank.h"
#include "note.h"
#include "visible.h"
#include "words.h"

enum { MOST_NAMES = 5 }; /* in the line; the other refused calls are counted */

static const char *const names[CUDART_CALLS] = {
#define CUDART(name, state, params, call) [CALL_##name] = #name,
#define CUDART_OTHER(name)		  [CALL_##name] = #name,
#define CUDART_REFUSED(name)		  [CALL_##name] = #name,
#include "cudart_api.def"
};

static _Atomic unsigned long refusals[CUDART_CALLS];
static bool traces;
static pid_t counting; /* the process that tells at its end */

/* A question whose answer is "not yet" has not failed. */
cudaError_t cudart_leave(enum cudart_call call, cudaError_t result)
{
	if (__builtin_expect(traces, false))
		visible_printf(stderr, "cudart: %s: %d %s\n", names[call], (int)result,
			       error_name(result));
	if (__builtin_expect(result && result != cudaErrorNotReady, false)) {
		cudart_thread.last = result;
		note_failure(call, names[call], result);
	} else if (__builtin_expect(atomic_load_explicit(&note_pending, memory_order_relaxed),
				    false)) {
		note_success(call, names[call]);
	}
	return result;
}

cudaError_t calls_refuse(enum cudart_call call)
{
	atomic_fetch_add(&refusals[call], 1);
	return cudart_leave(call, cudaErrorNotSupported);
}

static enum cudart_call most_of(unsigned long counted[CUDART_CALLS])
{
	enum cudart_call most = CUDART_CALLS;

	for (int i = 0; i < CUDART_CALLS; i++)
		if (counted[i] && (most == CUDART_CALLS || counted[i] > counted[most]))
			most = (enum cudart_call)i;
	return most;
}

static void write_refused(FILE *to)
{
	unsigned long counted[CUDART_CALLS];
	unsigned told = 0, others = 0;
	enum cudart_call call;

	for (int i = 0; i < CUDART_CALLS; i++)
		counted[i] = atomic_load(&refusals[i]);
	for (; (call = most_of(counted)) != CUDART_CALLS; counted[call] = 0) {
		if (told++ >= MOST_NAMES)
			others++;
		else
			fprintf(to, "%s %s (%lu)", told == 1 ? "unsupported:" : ",", names[call],
				counted[call]);
	}
	if (!told)
		fputs("no unsupported call", to);
	if (others)
		fprintf(to, " and %u other%s", others, others > 1 ? "s" : "");
}

/* In one piece: other threads may still write. A child of fork() has counted nothing itself. */
static void tell(void)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = getpid() == counting ? open_memstream(&text, &size) : NULL;

	if (!to)
		return;
	write_refused(to);
	if (!fclose(to))
		visible_printf(stderr, "gpurun: %slibcudart: %s\n", line_rank(), text);
}

__attribute__((constructor)) static void begin(void)
{
	const char *log = secure_getenv("GPURUN_LOG");

	traces = words_have(log, "cudart");
	if (!words_have(log, "calls"))
		return;
	counting = getpid();
	atexit(tell);
}
