/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The status that a process ends with by what went wrong in it, and what its parent is told. */
#include "outcome.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cleanup.h"
#include "exec_share.h"
#include "report.h"
#include "tap.h"

static char path[] = "/tmp/gpurun-outcome-XXXXXX";

static struct gpurun_report report_of(int error)
{
	const struct about about = ABOUT(OTHER);
	struct gpurun_report report = report_about(GPURUN_REPORT_FAULT, &about, "of the test");

	report.error = error;
	return report;
}

/* ---- What happens in a process: a letter each ------------------------------------------- */

static void happen(char what)
{
	const struct gpurun_report report = report_of(700);

	switch (what) {
	case 'F':
		outcome_fault(&report);
		break;
	case 'L':
		outcome_launch(&report, false);
		break;
	case 'C': /* no code for it */
		outcome_launch(&report, true);
		break;
	case 'I':
		outcome_image(&report, false);
		break;
	case 'i':
		outcome_image_later(&report);
		break;
	case 'f':
		outcome_image_failed();
		break;
	case 'K':
		outcome_ran(true);
		break;
	case 'k':
		outcome_ran(false);
		break;
	case 'R':
		outcome_refused();
		break;
	case 'a': /* what the program asks for, or does */
		outcome_looked(700);
		break;
	case 'b':
		outcome_looked(719);
		break;
	case 'r':
		outcome_recovered();
		break;
	case 'l':
		outcome_read(1, 0);
		break;
	case 'c':
		outcome_read(0, 1);
		break;
	}
}

/* The status of a process with @words in its variable in which @events happen, and that exits with
 * @status. */
static int status_of(const char *words, const char *events, int status)
{
	int ended = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		setenv(EXEC_VARIABLE, words, 1);
		outcome_begin();
		dup2(open("/dev/null", O_WRONLY), 2);
		for (; *events; events++)
			happen(*events);
		exit(status);
	}
	return waitpid(child, &ended, 0) == child && WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

static void test_status(void)
{
	static const struct {
		const char *events;
		int status;
	} rows[] = {
		{ "", 0 },    { "K", 0 },    { "F", 117 }, { "Fa", 0 },	 { "Fb", 117 },
		{ "Fr", 0 },  { "FaF", 117 }, { "KF", 117 }, { "L", 116 }, { "Ll", 0 },
		{ "LLl", 116 }, { "I", 112 }, { "IK", 0 },  { "IC", 112 }, { "IKC", 116 },
		{ "IKCc", 0 }, { "i", 0 },    { "if", 112 }, { "iff", 112 }, { "FL", 117 },
		{ "R", 0 },   { "IL", 116 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!CHECK_INT(status_of("status", rows[i].events, 0), rows[i].status))
			printf("# %s\n", rows[i].events);
	CHECK_INT(status_of("status", "F", 3), 3);
	CHECK_INT(status_of("other", "F", 0), 0);
	CHECK_INT(status_of("", "L", 0), 0);
	CHECK_INT(status_of("status,expect-fault", "F", 0), 0);
	CHECK_INT(status_of("status,expect-fault", "L", 0), 116);
}

/* ---- What the parent reads ---------------------------------------------------------------- */

/* Reads the counts of the file, and how many records follow them. */
static bool read_log(struct exec_counts *counts, unsigned *records, int *last)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	static uint8_t data[65536];
	const ssize_t size = read(fd, data, sizeof(data));
	struct gpurun_report report;
	struct bytes rest;
	size_t length;

	*records = 0;
	if (size < EXEC_LOG_START)
		return false;
	memcpy(counts, data, sizeof(*counts));
	rest = (struct bytes){ data + EXEC_LOG_START, (size_t)size - EXEC_LOG_START };
	for (; (length = report_unpack(rest, &report)) != 0; ++*records) {
		rest = (struct bytes){ rest.data + length, rest.size - length };
		*last = report.event == GPURUN_REPORT_STATUS ? report.error : 0;
	}
	return !rest.size;
}

static void test_log(void)
{
	struct exec_counts counts;
	unsigned records;
	char words[128];
	int last = -1;

	snprintf(words, sizeof(words), "status,log=%s,expect-fault", path);
	CHECK_INT(status_of(words, "KkkRF", 0), 0);
	REQUIRE(read_log(&counts, &records, &last));
	CHECK(counts.launches == 3 && counts.kernels == 1 && counts.failed == 2 &&
	      counts.faults == 1);
	CHECK_INT(records, 1);
	snprintf(words, sizeof(words), "status,log=%s", path);
	CHECK_INT(status_of(words, "KFL", 0), 117); /* another process adds to it */
	REQUIRE(read_log(&counts, &records, &last));
	CHECK(counts.launches == 4 && counts.kernels == 2 && counts.failed == 3 &&
	      counts.faults == 2);
	CHECK_INT(records, 4);
	CHECK_INT(last, 117);
}

/* Of this process alone, without a file. */
static void test_counts(void)
{
	struct gpurun_report counts;

	unsetenv(EXEC_VARIABLE);
	CHECK(outcome_begin() && outcome_begin());
	CHECK(!outcome_has_image());
	happen('K');
	happen('k');
	happen('R');
	happen('I');
	counts = outcome_counts();
	CHECK_INT(counts.event, GPURUN_REPORT_LAUNCHES);
	CHECK(counts.launches == 2 && counts.kernels == 1 && counts.failed == 1);
	CHECK(outcome_has_image());
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, EXEC_LOG_START) || close(fd)) {
		printf("not ok - no file in /tmp\n");
		return 1;
	}
	RUN(test_status);
	RUN(test_log);
	unlink(path);
	RUN(test_counts);
	return tap_end();
}
