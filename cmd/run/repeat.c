/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "repeat.h"

#include "bench_keys.h"
#include "message.h"
#include "progress.h"
#include "saved.h"

static int repeat_once(struct run *run, uint64_t number, struct err *e)
{
	if (number == 2)
		progress_begin(PROGRESS_REPEAT, run->plan->sources[0].path, number,
			       run->plan->bench->times);
	progress_reached(number);
	if (number > 1) {
		run_begin_again(run);
		run_forget_results(run);
		TRY(saved_restore(run, e));
	}
	run->repeated = number;
	return execute_once(run, e);
}

int repeat_steps(struct run *run, struct err *e)
{
	const uint64_t times = run->plan->bench->times;
	int status = saved_take(run, e);

	for (uint64_t i = 1; i <= times && !status && !run->mismatches; i++) {
		status = repeat_once(run, i, e);
		if (status)
			err_wrap(e, "run %llu of %llu", (unsigned long long)i,
				 (unsigned long long)times);
	}
	progress_end();
	run->again = false;
	if (!status && run->mismatches)
		message_note("the mismatch is in run %llu of %llu",
			     (unsigned long long)run->repeated, (unsigned long long)times);
	else if (!status)
		message_verbose("%llu runs", (unsigned long long)times);
	return status;
}
