/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ol_calls SCENARIO: runs a scenario over libLLVMOffload. It ends at its first
 * failure, with the olShutDown() that has to release what it leaves. After a failure
 * it runs once more, between an olInit() and an olShutDown() that have to succeed: a
 * failure leaves nothing that prevents it. gpurun.h is asked for what the end
 * of the process has to say, which this interface has no words for.
 */
#include "ol_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpurun.h"

const char ol_ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
		      ".visible .global .align 4 .u32 counter;\n"
		      ".visible .entry work() { ret; }\n"
		      ".visible .entry more() { ret; }\n";

const size_t ol_ptx_size = sizeof(ol_ptx);

ol_device_handle_t ol_gpu, ol_second_gpu, ol_host;

static bool bad;    /* a failure was told */
static bool failed; /* in this run */

/* A line, however many its text has. */
static void say(const char *text)
{
	fputs("error: ", stderr);
	for (; *text; text++)
		fputc(*text == '\n' ? '|' : *text, stderr);
	fputc('\n', stderr);
	bad = failed = true;
}

bool ol_told(ol_result_t result)
{
	if (result)
		say(result->Details);
	return result != OL_SUCCESS;
}

bool ol_failed(void)
{
	return failed;
}

static void end(int status, void *data)
{
	const char *log = gpurun_error_log();

	(void)data;
	if (status)
		say(*log ? log : gpurun_error_text());
}

/* The result of the question is what the search ends with. */
static bool note_device(ol_device_handle_t device, void *failure)
{
	ol_device_type_t type = OL_DEVICE_TYPE_HOST;
	ol_result_t result = olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type), &type);

	if (result)
		*(ol_result_t *)failure = result;
	else if (type == OL_DEVICE_TYPE_HOST)
		ol_host = device;
	else if (!ol_gpu)
		ol_gpu = device;
	else
		ol_second_gpu = device;
	return !result;
}

ol_result_t ol_find_devices(void)
{
	ol_result_t failure = OL_SUCCESS, result;

	ol_gpu = ol_second_gpu = ol_host = NULL;
	result = olIterateDevices(note_device, &failure);
	return result ? result : failure;
}

ol_result_t ol_launch_one(ol_queue_handle_t queue, ol_device_handle_t device,
			  ol_symbol_handle_t kernel)
{
	static const ol_kernel_launch_size_args_t one = { 1, { 1, 1, 1 }, { 1, 1, 1 }, 0 };

	return ol_launch(queue, device, kernel, NULL, 0, &one);
}

static bool start(void)
{
	if (!ol_told(ol_init()))
		return !ol_told(ol_find_devices());
	if (!olShutDown())
		say("olInit() failed and has left the library up");
	return false;
}

/* Takes down what is up. */
static void stop(void)
{
	ol_result_t result;

	do {
		result = olShutDown();
	} while (!result);
	if (result->Code != OL_ERRC_UNINITIALIZED) {
		ol_told(result);
		if (!olShutDown())
			say("olShutDown() failed and has left the library up");
	}
}

static const struct row {
	const char *name;
	void (*run)(void);
	bool stays; /* up, until the end of the process */
} rows[] = {
	{ "plain", ol_plain, false },       { "leave", ol_plain_left, false },
	{ "exit", ol_plain_left, true },    { "again", ol_again, true },
	{ "programs", ol_programs, false }, { "structors", ol_structors, false },
	{ "profile", ol_profile, false },   { "info", ol_info, false },
	{ "memory", ol_memory, false },     { "fills", ol_fills, false },
	{ "order", ol_order, false },       { "two", ol_two_devices, false },
	{ "host", ol_host_alone, false },
	OL_SINCE_23({ "migration", ol23_memory, false }, { "arguments", ol23_launches, false },
		    { "time", ol23_time, false })
};

static void run(const struct row *row)
{
	failed = false;
	if (start())
		row->run();
	if (!row->stays || failed)
		stop();
}

/* Registered before the library's hook, so called after it: the last word on the
 * status. exit() goes on with what is still registered. */
static void verdict(void)
{
	if (bad)
		exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, argv[1]) != 0)
			continue;
		if (atexit(verdict) || gpurun_on_end(end, NULL))
			return EXIT_FAILURE;
		run(&rows[i]);
		/* A driver that is gone does not come back. */
		if (bad && !getenv("GPURUN_STUB_GONE"))
			run(&rows[i]);
		return bad ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	fprintf(stderr, "ol_calls: no such scenario\n");
	return 2;
}
