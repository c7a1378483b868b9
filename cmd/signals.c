/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static const int handled[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t pending;
static volatile pid_t trusted;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (trusted && number == SIGINT && info->si_pid != trusted)
		return;
	pending = number;
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		signal(handled[i], SIG_DFL);
}

void signals_trust(pid_t parent)
{
	trusted = parent;
}

void signals_install(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction old;

	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++) {
		/* What nohup or a shell's background job ignores stays ignored. */
		if (!sigaction(handled[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		sigaction(handled[i], &action, NULL);
	}
}

int signals_pending(void)
{
	return pending;
}
