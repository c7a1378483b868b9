/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The command line, taken apart but not yet understood: which options are
 * where, with their values as text. A struct options lives from parse to the
 * end of the process; every string in it points into argv, the environment, or
 * a response file or an expanded value (expand.h) that it owns.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "action.h"
#include "bench_keys.h"
#include "err.h"
#include "output_options.h"

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "options.def"
	OPTION_COUNT
};

/* Where an option may be and what it applies to; the struct that has its member. */
enum option_scope {
	SCOPE_MODE,     /* what to do instead of running; options */
	SCOPE_ACTION,   /* one step of the run, in the order of the command line; options */
	SCOPE_LAUNCH,   /* the most recent --launch; before the first: all; launch_options */
	SCOPE_ENQUEUED, /* the most recent --launch, --record or --wait; action */
	SCOPE_EXPECTED, /* the most recent --expect; before the first: all; tolerance_options */
	SCOPE_GLOBAL,   /* options */
	SCOPE_OLD,      /* an old spelling of the run's; options */
};

enum option_argument { ARGUMENT_NONE, ARGUMENT_REQUIRED, ARGUMENT_OPTIONAL };

/* How an option is stored in its member, and the type of that. */
enum option_kind {
	KIND_FLAG,    /* bool: set */
	KIND_TEXT,    /* const char *: the value; the last one counts */
	KIND_TEXTS,   /* struct texts: the value is added */
	KIND_REPORT,  /* struct report_option: wanted, and where */
	KIND_ACTION,  /* struct action *: one more, with the value */
	KIND_MODE,    /* const char *: the value if any; and the mode of the same name */
	KIND_PROGRAM, /* const char *: the value; the words after it are its own; and the mode */
};

enum mode {
	MODE_RUN,
	MODE_LIST,
	MODE_INFO,
	MODE_EXTRACT,
	MODE_DEVICES,
	MODE_DOCTOR,
	MODE_DRY_RUN,
	MODE_EXEC,
	MODE_HELP,
	MODE_VERSION,
};

/* Modes that allow an option of another scope. */
enum {
	WITH_LIST = 1 << MODE_LIST,
	WITH_INFO = 1 << MODE_INFO,
	WITH_EXTRACT = 1 << MODE_EXTRACT,
	WITH_DEVICES = 1 << MODE_DEVICES,
	WITH_DOCTOR = 1 << MODE_DOCTOR,
	WITH_EXEC = 1 << MODE_EXEC,
	WITH_ALL = WITH_LIST | WITH_INFO | WITH_EXTRACT | WITH_DEVICES | WITH_DOCTOR |
		   WITH_EXEC,
};

struct option {
	const char *name;
	char letter; /* 0: none */
	enum option_argument argument;
	enum option_scope scope;
	unsigned modes;       /* WITH_*, or 0 */
	enum option_kind kind;
	size_t offset;        /* of the member */
	enum mode mode;       /* of scope MODE */
	const char *variable; /* of the environment, which has the value where the option is not
			       * given; NULL: none */
	const char *metavar;
	const char *help;     /* of scope OLD: the new spelling */
};

/* The options of options.def, by enum option_id. */
extern const struct option option_table[OPTION_COUNT];

/* Where a word is from: a line of a response file, or, @file is NULL, the command line. */
struct place {
	const char *file;
	unsigned line;
};

struct options {
	enum mode mode;
	const char *image;      /* the file, "-", or NULL */
	const char *topic;      /* of --help, --list, --info, --extract, --doctor; or NULL */
	const char *device, *check, *timeout, *seed, *no_device_exit, *image_pick;
	const char *error_exitcode, *color;
	char *check_names;      /* owned; what check is once its keys are taken out */
	int check_status;       /* exitcode=N of --check; -1: not given */
	struct bench_options bench; /* of --bench, --against and --repeat */
	const char *lock; /* NULL where it is given: the file of the device */
	int local_rank;         /* of -d rank, see rank.h; -1: another device */
	const char *require_launch; /* NULL where it is given: 1 */
	struct output_options output;
	bool expect_fault, untyped;
	struct texts buffers;   /* --buf */
	struct texts loads;     /* --load */
	struct texts links;     /* --link */
	struct action *actions; /* owned */
	size_t action_count;
	struct launch_options launch;       /* those before the first --launch */
	struct tolerance_options tolerance; /* those before the first --expect */
	const char *exec;       /* --exec: the program; NULL: not given */
	struct texts exec_args; /* all words after it; borrowed from words */
	bool given[OPTION_COUNT]; /* on the command line */
	bool inherited[OPTION_COUNT]; /* the value is that of the environment variable */
	const char *program_args; /* the first word after "--", or NULL */
	struct texts words;     /* the command line with response files spliced in */
	struct place *places;   /* owned; by word: its response file */
	struct texts files;     /* texts of response files; owned */
	struct texts expanded;  /* values with %r and the like replaced; owned */
};

/*
 * Takes @argv apart into @out, response files included, then fills in from the
 * environment what no option said. @out is zero before and released by the
 * caller (options_release) also after a failure: GPURUN_INVALID for a wrong
 * command line or variable, GPURUN_IO for a response file, GPURUN_NO_MEMORY.
 */
int options_parse(int argc, char **argv, struct options *out, struct err *e);

void options_release(struct options *options);

/*
 * What the user has said option @id with: "--seed", or the variable of the environment.
 * Of the process's life.
 */
const char *option_said(const struct options *options, enum option_id id);

/* Notes the new spelling of each option that is given by an old one. */
void options_note_old(const struct options *options);

#endif
