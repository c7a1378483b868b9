/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The plan: what a command line asks for, resolved and checked as far as that
 * goes without a device. Plain data; --dry-run prints it, execute() follows it.
 * While it runs it is const: what a run finds out is in struct run, so that one
 * plan can run again. It borrows the options and owns all else.
 */
#ifndef CMD_PLAN_H
#define CMD_PLAN_H

#include "actions.h"
#include "compare.h"
#include "lookup.h"
#include "none.h"
#include "spec.h"

struct action;
struct bench_options;
struct options;
struct output_options;
struct tolerance_options;

/* An address that is known once there is a device: what is to hold it at byte @at. */
struct fixup {
	uint64_t at;
	size_t buffer;      /* whose address it is; NONE: that of a variable */
	uint64_t elements;  /* from its start */
	const char *symbol; /* the variable, of the launch's module */
};

struct fixups {
	struct fixup *at; /* owned */
	size_t count;
};

struct buffer {
	char name[NAME_SIZE];
	bool anonymous;      /* named argN by its position */
	enum value_type type;
	struct shape shape;
	uint64_t size;       /* bytes */
	struct init init;
	const char *source;  /* INIT_FILE: the path */
	uint8_t *contents;   /* owned; what to upload; NULL: zero, poison or uninit */
	char *symbol;        /* owned; it is this variable of a module; NULL: it is memory of
			      * its own */
	size_t unit;         /* of the variable: its module */
	struct fixups pointers; /* addresses in the contents */
};

/* What fills one parameter of a kernel. */
struct slot {
	uint64_t offset, size; /* of the parameter */
	uint8_t bytes[VALUE_MAX_SIZE]; /* unless there is @large */
	uint8_t *large;        /* owned */
	struct fixups fixups;  /* addresses among the bytes, which a run fills in */
};

/* The -a list of a launch, or that before the first launch. */
struct arg_list {
	struct arg *args;    /* owned */
	size_t *buffers;     /* owned; index of what each declares or names, or NONE */
	struct arg_list **parts; /* owned; of an argument of several values; else NULL */
	size_t count;
	char *text;          /* owned; of parts: what they were split from */
};

/* Blocks of a grid and threads of a block; all 0 while --block auto has not settled them. */
struct extent {
	unsigned grid[3], block[3];
};

struct launch {
	size_t number;       /* of the launch on the command line, from 1 */
	const struct lookup_kernel *kernel;
	enum lookup_level level;
	size_t unit;
	struct extent extent; /* 0 when threads is not */
	bool unsized;        /* one thread, since neither an option nor the kernel says how many */
	unsigned shared;
	unsigned cluster[3]; /* 0: none */
	bool cooperative;
	uint64_t threads;    /* of --block auto: a run settles the extent; else 0 */
	struct arg_list own; /* used when it has any */
	struct slot *slots;  /* owned; one per parameter */
	size_t slot_count;
};

/* Where an action is enqueued: LAUNCH, RECORD and WAIT are. */
struct queued {
	size_t stream;      /* NONE: it is not */
	size_t *after;      /* owned; events to wait for first */
	size_t after_count;
	size_t event;       /* the event recorded after it, or NONE */
};

/* An action, resolved. Of the union it has the member that is of its kind. */
struct step {
	enum action_kind kind;
	const struct action *action;
	struct queued queued;
	size_t buffer;      /* that it looks at or writes; NONE: it has none, or none yet */
	size_t other;       /* the buffer that this one is compared with or copied from, or NONE */
	uint8_t *contents;  /* owned; what is written, or, unless there is @other, compared with */
	union {
		struct launch launch;       /* LAUNCH */
		struct tolerance tolerance; /* EXPECT */
		size_t event;               /* RECORD WAIT AWAIT; NONE: all */
		size_t source;              /* UNLOAD */
		const char *path;           /* OUT */
		uint64_t limit;             /* PRINT GET: elements */
	};
};

/* The launch that @step is, or NULL. */
static inline const struct launch *step_launch(const struct step *step)
{
	return step->kind == ACTION_LAUNCH ? &step->launch : NULL;
}

/* Tells whether @step records event @event, by itself or after it. */
static inline bool step_records(const struct step *step, size_t event)
{
	return step->queued.event == event ||
	       (step->kind == ACTION_RECORD && step->event == event);
}

/* A file with GPU code: FILE itself, or one of --link or --load. */
struct source {
	char name[NAME_SIZE]; /* of --load; "" for others */
	bool linked;          /* of --link */
	const char *path;
	struct image_file *file; /* owned */
	bool *wanted;            /* owned; by image: --image picked it; NULL: all */
	size_t *units;           /* owned; by image: its container's unit, at the first
				  * image of that; NONE: it has none yet */
	bool unloaded;           /* by an action that was planned already */
};

/* What is handed to the driver in one piece: a container, one image, or all that is linked. */
struct unit {
	const struct source *source;
	uint32_t container;
	struct image *image; /* one of its images */
	bool joined;         /* FILE and what --link names */
};

/* One of the inputs of the driver's linker. */
struct link_part {
	const struct source *source;
	const struct image *chosen;   /* what a device like that would take */
	struct bytes load;
	struct image_payload payload; /* owned; of @load, where it had to be unpacked */
};

/* What of a unit goes to a device: one piece, or parts, which the driver's linker joins. */
struct bound_unit {
	struct bytes load;            /* unless there are parts */
	struct image_payload payload; /* owned; of @load, where it had to be unpacked */
	const struct image *chosen;   /* what a device like that would take, or NULL */
	struct link_part *parts;      /* owned */
	size_t part_count;
};

struct bound_units {
	struct bound_unit *at; /* owned; by unit */
	size_t count;
};

/* Names in order of first mention. */
struct name_list {
	char (*at)[NAME_SIZE]; /* owned */
	size_t count;
};

struct plan {
	const struct options *options;
	const struct output_options *output; /* of them */
	const struct bench_options *bench; /* of them */
	const struct tolerance_options *tolerance; /* of them */
	bool untyped;          /* of them */
	const char *topic;     /* of them, too: what a mode that runs nothing is about, or NULL */
	const char *device;    /* selector for gpurun_init(), or "rank": as "auto" */
	int local_rank;        /* of "rank": the GPU is this modulo their number; or -1 */
	char *checked;         /* owned: the device with --check as its key, or NULL */
	uint64_t seed;
	struct source *sources; /* owned; FILE, if there is one, comes first */
	size_t source_count;
	struct lookup lookup;
	struct unit *units;    /* owned */
	size_t unit_count;
	struct bound_units bound; /* for the CPU device, where it is known that this is the one */
	bool joins;            /* FILE and what --link names: it names something */
	size_t joined;         /* the unit of what is linked; NONE: there is none yet */
	struct buffer *buffers; /* owned */
	size_t buffer_count;
	struct name_list streams, events;
	struct arg_list defaults;
	struct step *steps;    /* owned; one per action */
	size_t step_count;
	const char *stage;     /* what was planned last: "arguments", "launch", ... */
};

/*
 * Makes @plan one of @options that has nothing yet but what a report says of any command line:
 * the seed, which is 1 where the options have none, or no number (plan_make() refuses that).
 */
void plan_begin(const struct options *options, struct plan *plan);

/*
 * Opens the files that the options name and finds the kernels in them: all that
 * --list needs. @plan has begun; the caller releases it (plan_release), also after
 * a failure.
 */
int plan_open(struct plan *plan, struct err *e);

/* Sets plan->device by plan->options. plan_open() does it too. */
int plan_choose_device(struct plan *plan, struct err *e);

/* Tells whether @device is a GPU if there is one, else the CPU device. */
bool plan_takes_any(const char *device);

/* Resolves and checks the actions of a plan that plan_open() has begun. */
int plan_make(struct plan *plan, struct err *e);

void plan_release(struct plan *plan);

/* Finds @name in @list, or adds it; its index. GPURUN_NO_MEMORY, GPURUN_INVALID. */
int name_list_find(struct name_list *list, const char *name, size_t length, bool add,
		   size_t *index, struct err *e);

#endif
