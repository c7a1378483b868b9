/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The checks of --doctor: each looks at one part of the system and remarks on it. What asks a
 * driver runs in a process of its own, which may hang or crash there: what the checks find out is
 * in memory that these processes share.
 */
#ifndef CMD_DOCTOR_CHECK_H
#define CMD_DOCTOR_CHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "gpurun.h"

enum verdict { VERDICT_OK, VERDICT_NOTE, VERDICT_PROBLEM };

struct remark {
	size_t check; /* index in the table of doctor.c */
	enum verdict verdict;
	char text[ERR_TEXT_SIZE];
	char hint[ERR_TEXT_SIZE]; /* "": none */
};

enum { MOST_REMARKS = 128, MOST_GPUS = 16 };

struct doctor {
	const char *program;  /* NULL: none was named */
	const char *selector; /* of -d, or "auto" */
	uint64_t limit;	      /* nanoseconds that one check may ask a driver for */
	size_t check;	      /* that runs */
	size_t count;
	struct remark remarks[MOST_REMARKS];

	char library[PATH_MAX];	  /* the file of libcuda.so.1; "": none was opened */
	char library_version[32]; /* of its name; "": not known */
	char module_version[32];  /* of the kernel module; "": none is loaded */
	bool library_is_ours;	  /* it is the CPU device */
	bool started;		  /* cuInit of it has returned 0 */
	bool stuck;		  /* a check has hung or crashed in the GPU's driver */
	int gpu_count;
	struct gpurun_device_info gpus[MOST_GPUS];
	bool has_cpu;
	bool runs_on_cpu; /* a run takes the CPU device */
	struct err failed; /* why a run ends with a failure; code 0: it does not */
};

/* Adds a remark of the check that runs; no more than MOST_REMARKS are kept. */
void doctor_say(struct doctor *doctor, enum verdict verdict, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the advice of the last remark. */
void doctor_hint(struct doctor *doctor, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Ask a driver: to be run in a process of its own. */
void doctor_check_driver(struct doctor *doctor);
void doctor_check_gpus(struct doctor *doctor);
void doctor_check_cpu(struct doctor *doctor);
void doctor_check_run(struct doctor *doctor);

/* Look at the system. */
void doctor_check_module(struct doctor *doctor);
void doctor_check_versions(struct doctor *doctor);
void doctor_check_loader(struct doctor *doctor);
void doctor_check_libraries(struct doctor *doctor);
void doctor_check_environment(struct doctor *doctor);

/* Looks at the program that was named. */
void doctor_check_program(struct doctor *doctor);

#endif
