/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "doctor.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "doctor_check.h"
#include "document.h"
#include "nap.h"
#include "output.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum asks { ASKS_NONE, ASKS_GPU, ASKS_CPU };

/* In their order: later ones know what those before them found. */
static const struct {
	const char *name, *title;
	void (*run)(struct doctor *doctor);
	enum asks asks; /* whose driver */
} checks[] = {
	{ "driver", "driver library", doctor_check_driver, ASKS_GPU },
	{ "module", "kernel module", doctor_check_module, ASKS_NONE },
	{ "versions", "library and module", doctor_check_versions, ASKS_NONE },
	{ "gpus", "GPUs", doctor_check_gpus, ASKS_GPU },
	{ "cpu", "CPU device", doctor_check_cpu, ASKS_CPU },
	{ "loader", "loader", doctor_check_loader, ASKS_NONE },
	{ "libraries", "gpurun's own libraries", doctor_check_libraries, ASKS_NONE },
	{ "environment", "environment", doctor_check_environment, ASKS_NONE },
	{ "run", "run", doctor_check_run, ASKS_GPU },
	{ "program", "program", doctor_check_program, ASKS_NONE },
};

static const char *const verdicts[] = {
	[VERDICT_OK] = "ok",
	[VERDICT_NOTE] = "note",
	[VERDICT_PROBLEM] = "problem",
};

void doctor_say(struct doctor *doctor, enum verdict verdict, const char *fmt, ...)
{
	struct remark *remark = &doctor->remarks[doctor->count];
	char text[PATH_MAX + ERR_TEXT_SIZE];
	struct err e;
	va_list args;

	if (doctor->count == MOST_REMARKS)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	err_set(&e, GPURUN_INVALID, "%s", text);
	remark->check = doctor->check;
	remark->verdict = verdict;
	memcpy(remark->text, e.text, sizeof(remark->text));
	remark->hint[0] = '\0';
	doctor->count++;
}

void doctor_hint(struct doctor *doctor, const char *fmt, ...)
{
	char *hint = doctor->count ? doctor->remarks[doctor->count - 1].hint : NULL;
	va_list args;

	va_start(args, fmt);
	if (hint)
		vsnprintf(hint, ERR_TEXT_SIZE, fmt, args);
	va_end(args);
}

/* ---- checks that ask a driver ---- */

static _Noreturn void become_check(struct doctor *doctor)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	checks[doctor->check].run(doctor);
	/* Not what a driver has for the end of the process: it may hang there as well. */
	_exit(0);
}

static uint64_t elapsed(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)(now.tv_sec - since->tv_sec) * 1000000000 + (uint64_t)now.tv_nsec -
	       (uint64_t)since->tv_nsec;
}

/* Waits for the end of @child, within the limit; false: it is killed. */
static bool await_check(const struct doctor *doctor, pid_t child, int *status)
{
	struct timespec began, nap = NAP_FIRST;

	clock_gettime(CLOCK_MONOTONIC, &began);
	while (waitpid(child, status, WNOHANG) != child) {
		if (elapsed(&began) >= doctor->limit) {
			kill(child, SIGKILL);
			waitpid(child, status, 0);
			return false;
		}
		nap_sleep(&nap);
	}
	return true;
}

static void say_end(struct doctor *doctor, bool in_time, int status)
{
	if (!in_time) {
		doctor_say(doctor, VERDICT_PROBLEM, "the driver has not answered for %g s",
			   (double)doctor->limit / 1e9);
		doctor_hint(doctor, "dmesg says what hangs; -t gives it more time");
	} else if (WIFSIGNALED(status)) {
		doctor_say(doctor, VERDICT_PROBLEM, "the driver crashed: %s",
			   strsignal(WTERMSIG(status)));
		doctor_hint(doctor, "install the driver anew; see also what is said of the loader");
	} else {
		doctor_say(doctor, VERDICT_PROBLEM, "the driver ended the process with status %d",
			   WEXITSTATUS(status));
	}
}

/* A run that would ask the driver would end likewise. */
static void note_stuck(struct doctor *doctor)
{
	const struct remark *last = &doctor->remarks[doctor->count - 1];

	doctor->stuck |= checks[doctor->check].asks == ASKS_GPU;
	if (checks[doctor->check].run == doctor_check_run)
		err_set(&doctor->failed, GPURUN_DRIVER, "%s", last->text);
}

static void run_apart(struct doctor *doctor)
{
	const pid_t child = fork();
	bool in_time;
	int status;

	if (child < 0) {
		doctor_say(doctor, VERDICT_PROBLEM, "cannot start a process to ask the driver");
		return;
	}
	if (!child)
		become_check(doctor);
	in_time = await_check(doctor, child, &status);
	if (in_time && WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	say_end(doctor, in_time, status);
	note_stuck(doctor);
}

/* A driver that hung once is not asked again, unless a run has to. */
static bool is_needless(const struct doctor *doctor)
{
	return doctor->stuck && checks[doctor->check].run == doctor_check_gpus;
}

static void run_all(struct doctor *doctor)
{
	for (doctor->check = 0; doctor->check < COUNT(checks); doctor->check++) {
		if (is_needless(doctor))
			continue;
		if (checks[doctor->check].asks == ASKS_NONE)
			checks[doctor->check].run(doctor);
		else
			run_apart(doctor);
	}
}

/* ---- printing ---- */

static void print_remarks(const struct doctor *doctor)
{
	size_t last = COUNT(checks);

	for (size_t i = 0; i < doctor->count; i++) {
		const struct remark *remark = &doctor->remarks[i];

		if (remark->check != last)
			output_text("%s\n", checks[remark->check].title);
		last = remark->check;
		output_text("  %-8s %s\n", verdicts[remark->verdict], remark->text);
		if (*remark->hint)
			output_text("           hint: %s\n", remark->hint);
	}
}

static void print_remark(struct json *json, const struct remark *remark)
{
	json_object(json, NULL);
	json_string(json, "check", checks[remark->check].name);
	json_string(json, "verdict", verdicts[remark->verdict]);
	json_string(json, "text", remark->text);
	if (*remark->hint)
		json_string(json, "hint", remark->hint);
	json_end_object(json);
}

static int report_remarks(const struct doctor *doctor, const char *file, struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	struct json json = { .to = open_memstream(&text, &size) };

	if (!json.to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	document_begin(&json);
	json_array(&json, "checks");
	for (size_t i = 0; i < doctor->count; i++)
		print_remark(&json, &doctor->remarks[i]);
	json_end_array(&json);
	document_end(&json, (int)doctor->failed.code, "doctor", &doctor->failed);
	if (fclose(json.to))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	return output_report(OUTPUT_JSON, file, text, size, e);
}

static void release_doctor(struct doctor **doctor)
{
	if (*doctor)
		munmap(*doctor, sizeof(**doctor));
}

int doctor_print(const char *program, const char *device, uint64_t limit,
		 const struct output_options *output, struct err *e)
{
	CLEANUP(release_doctor) struct doctor *doctor = NULL;
	void *shared = mmap(NULL, sizeof(*doctor), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the checks");
	doctor = shared;
	doctor->program = program;
	doctor->selector = device;
	doctor->limit = limit;
	run_all(doctor);
	if (output->json.wanted)
		TRY(report_remarks(doctor, output->json.file, e));
	else
		print_remarks(doctor);
	if (doctor->failed.code)
		*e = doctor->failed;
	return (int)doctor->failed.code;
}
