/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fault injection: a scenario is a program or a command line that runs on the
 * stub driver. It runs once as it is, which tells the driver calls that it
 * makes; then once for each of these (function, n) with that one call failing.
 * Each run has to end as its kind of scenario promises.
 */
#ifndef FAULTS_INJECT_H
#define FAULTS_INJECT_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_WORDS = 64, MAX_FAULTS = 8192, TEXT_SIZE = 1 << 16 };

/* Whose promises hold: the file scenarios says which is which. */
enum kind {
	KIND_PROGRAM, /* a program over gpurun.h that ends with 1 */
	KIND_COMMAND, /* gpurun: its table of exit statuses */
	KIND_MLIR,    /* a program over the MLIR library, which makes its status 115 */
	KIND_OFFLOAD, /* a program over libLLVMOffload that ends with 1 */
	KIND_CUDART,  /* a program over libcudart that ends with 1; it knows the code alone */
};

/* A row of the file scenarios; words[0 .. settings-1] are VARIABLE=VALUE. */
struct scenario {
	char line[1024], row[1024];
	const char *name;
	enum kind kind;
	char *words[MAX_WORDS];
	unsigned settings;
};

/* How a call is to fail, and what that has to lead to. */
enum manner {
	MANNER_PAIR,  /* one use answers a code: the pair (function, n) */
	MANNER_OTHER, /* the same with another code */
	MANNER_GONE,  /* from one use on the driver is gone */
	MANNER_ALL,   /* every release fails */
};

struct fault {
	enum manner manner;
	char call[48];
	unsigned long use;
	int code;
	int exit;           /* of the command */
	const char *text;   /* that the one error has; NULL: the call, the code and its name */
	const char *excuse; /* why it may do no harm; NULL when it must be told */
};

/* What came of a run. */
struct outcome {
	int status;          /* as waitpid() has it */
	char text[TEXT_SIZE]; /* what it wrote to stderr */
	char leaks[4096];    /* what the stub says was left; "" when it says nothing */
	char counts[8192];   /* its calls */
};

/* Reads the files codes and harmless in @folder; exits when it cannot. */
void faults_read(const char *folder);

/*
 * Makes the list of what is to fail in @scenario, whose clean run made the calls
 * @counts; returns how many there are and in *@pairs how many of them are pairs.
 */
size_t faults_make(const struct scenario *scenario, const char *counts, struct fault *list,
		   unsigned long *pairs);

/* Tells, with notes on stdout, whether each row of harmless has excused something. */
bool faults_all_used(void);

/* Writes what to set GPURUN_STUB_FAIL or GPURUN_STUB_GONE to. */
void fault_describe(const struct fault *fault, char *text, size_t size);

/* Says into @why what is wrong with a run; false when nothing is. */
bool judge_clean(const struct outcome *outcome, char *why, size_t size);
bool judge_fault(const struct scenario *scenario, const struct fault *fault,
		 const struct outcome *outcome, char *why, size_t size);

#endif
