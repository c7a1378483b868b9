/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asserts.h"

/* Nothing arrives when the parent is gone: the other end of the pipe is closed then. */
static _Noreturn void watch(int fd, pid_t group)
{
	sigset_t all;
	char leave;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	/* No file is held open whose end a reader waits for. */
	dup2(fd, 0);
	close_range(1, ~0u, 0);
	if (read(0, &leave, 1) != 1)
		kill(-group, SIGKILL);
	_exit(0);
}

int guard_start(pid_t group, struct guard *guard, struct err *e)
{
	int fds[2] = { -1, -1 };

	ASSERT(group > 0);
	*guard = (struct guard){ .fd = -1 };
	if (!pipe2(fds, O_CLOEXEC))
		guard->process = fork();
	else
		guard->process = -1;
	if (!guard->process) {
		close(fds[1]);
		watch(fds[0], group);
	}
	if (fds[0] >= 0)
		close(fds[0]);
	guard->fd = fds[1];
	if (guard->process > 0)
		return 0;
	guard->process = 0;
	return err_set(e, GPURUN_INTERNAL, "cannot start a guard: %s", strerror(errno));
}

void guard_end(struct guard *guard)
{
	if (!guard->process)
		return;
	ASSERT(guard->process > 0 && guard->fd >= 0);
	if (write(guard->fd, "", 1) == 1)
		waitpid(guard->process, NULL, 0);
	close(guard->fd);
	guard->process = 0;
}
