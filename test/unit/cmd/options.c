/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Command lines taken apart: where each option is stored, and what is refused. */
#include "options.h"

#include <unistd.h>

#include "cleanup.h"
#include "tap.h"

enum { MOST_WORDS = 24 };

/* A command line of words with blanks between, and what options_parse() makes of it. */
struct line {
	char text[256];
	char *argv[MOST_WORDS];
	struct options options;
	struct err e;
	int status;
};

static void line_release(struct line *line)
{
	options_release(&line->options);
}

static void parse(struct line *line, const char *words)
{
	int argc = 0;
	char *rest = line->text, *word;

	snprintf(line->text, sizeof(line->text), "gpurun %s", words);
	while ((word = strsep(&rest, " ")) && argc < MOST_WORDS - 1)
		line->argv[argc++] = word;
	line->status = options_parse(argc, line->argv, &line->options, &line->e);
}

/* ---- what is stored, as text: " NAME=VALUE" of all that was given ---- */

static void put(FILE *to, const char *name, const char *value)
{
	if (value)
		fprintf(to, " %s=%s", name, value);
}

static void put_all(FILE *to, const char *name, const struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		put(to, name, texts->at[i]);
}

static void put_report(FILE *to, const char *name, const struct report_option *report)
{
	if (report->wanted)
		put(to, name, report->file ? report->file : "stdout");
}

static void put_launch(FILE *to, const struct launch_options *launch)
{
	put_all(to, "arg", &launch->args);
	put(to, "grid", launch->grid);
	put(to, "block", launch->block);
	put(to, "threads", launch->threads);
	put(to, "shared", launch->shared);
	put(to, "cluster", launch->cluster);
	put(to, "cooperative", launch->cooperative ? "yes" : NULL);
}

static void put_tolerance(FILE *to, const struct tolerance_options *tolerance)
{
	put(to, "rtol", tolerance->rtol);
	put(to, "atol", tolerance->atol);
	put(to, "ulp", tolerance->ulp);
}

static void put_action(FILE *to, const struct action *action)
{
	fprintf(to, " [%s %s", action->option->name, action->value);
	put_launch(to, &action->launch);
	put_tolerance(to, &action->tolerance);
	put(to, "stream", action->stream);
	put(to, "after", action->after);
	put(to, "event", action->event);
	fputc(']', to);
}

static void put_global(FILE *to, const struct options *options)
{
	put(to, "topic", options->topic);
	put(to, "device", options->device);
	put(to, "check", options->check);
	put(to, "timeout", options->timeout);
	put(to, "color", options->color);
	put(to, "seed", options->seed);
	put(to, "no-device-exit", options->no_device_exit);
	put(to, "error-exitcode", options->error_exitcode);
	if (options->check_status >= 0)
		fprintf(to, " exitcode=%d", options->check_status);
	put(to, "pick", options->image_pick);
	put(to, "lock", options->lock);
	put_report(to, "json", &options->output.json);
	put_report(to, "junit", &options->output.junit);
	put(to, "annotate", options->output.annotate ? "yes" : NULL);
	put(to, "verbose", options->output.verbose ? "yes" : NULL);
	put(to, "quiet", options->output.quiet ? "yes" : NULL);
	put(to, "force", options->output.force ? "yes" : NULL);
	put(to, "untyped", options->untyped ? "yes" : NULL);
	put_all(to, "buf", &options->buffers);
	put_all(to, "load", &options->loads);
	put_all(to, "link", &options->links);
}

/* The mode, the file and all that is stored. Owned by the caller (free). */
static char *describe(const struct options *options)
{
	static const char *const modes[] = {
		[MODE_RUN] = "run",	    [MODE_LIST] = "list",
		[MODE_INFO] = "info",	    [MODE_EXTRACT] = "extract",
		[MODE_DEVICES] = "devices", [MODE_DRY_RUN] = "dry-run",
		[MODE_DOCTOR] = "doctor",
		[MODE_EXEC] = "exec",	    [MODE_HELP] = "help",
		[MODE_VERSION] = "version",
	};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs(modes[options->mode], to);
	put(to, "file", options->image);
	put_global(to, options);
	put_launch(to, &options->launch);
	put_tolerance(to, &options->tolerance);
	for (size_t i = 0; i < options->action_count; i++)
		put_action(to, &options->actions[i]);
	put(to, "exec", options->exec);
	put_all(to, "word", &options->exec_args);
	put(to, "program-arg", options->program_args);
	fclose(to);
	return text;
}

/* ---- */

struct stored {
	const char *words, *want;
};

static void check_stored(const struct stored *row)
{
	CLEANUP(line_release) struct line line = { 0 };
	CLEANUP(free_pointer) char *got = NULL;

	parse(&line, row->words);
	if (!CHECK_INT(line.status, 0))
		printf("# %s: %s\n", row->words, line.e.text);
	got = describe(&line.options);
	CHECK_STR(got, row->want);
}

#define CHECK_EACH(rows, check)                                      \
	for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) \
		check(&(rows)[i])

static void test_global(void)
{
	static const struct stored rows[] = {
		{ "k", "run file=k" },
		{ "-", "run file=-" },
		{ "k -d cpu", "run file=k device=cpu" },
		{ "-dcpu k", "run file=k device=cpu" },
		{ "--device=cpu:threads=2 k", "run file=k device=cpu:threads=2" },
		{ "k -d cpu -d gpu", "run file=k device=gpu" },
		{ "k --device= -t 5", "run file=k device= timeout=5" },
		{ "k --check mem --seed 2 --no-device-exit 77 --error-exitcode 3 --image ptx",
		  "run file=k check=mem seed=2 no-device-exit=77 error-exitcode=3 exitcode=3 pick=ptx" },
		{ "k --check exitcode=3,all,-api", "run file=k check=all,-api exitcode=3" },
		{ "k --check all,exitcode=0,exitcode=0", "run file=k check=all exitcode=0" },
		{ "k -qvf --untyped --annotate",
		  "run file=k annotate=yes verbose=yes quiet=yes force=yes untyped=yes" },
		{ "k --lock --seed 2", "run file=k seed=2" },
		{ "k --lock=f", "run file=k lock=f" },
		{ "k --buf x=f32:1 --buf y=f32:2 --load a=b --link c --link d",
		  "run file=k buf=x=f32:1 buf=y=f32:2 load=a=b link=c link=d" },
		/* -j takes no value: the rest of its word are letters. */
		{ "k -jqt5", "run file=k timeout=5 json=stdout quiet=yes" },
		{ "k --json", "run file=k json=stdout" },
		{ "k --json=-", "run file=k json=stdout" },
		{ "k --json=r.json -j", "run file=k json=stdout" },
		{ "-j --json=r.json k", "run file=k json=r.json" },
		{ "k --junit - --json=r", "run file=k json=r junit=stdout" },
		{ "k --junit=r.xml -j", "run file=k json=stdout junit=r.xml" },
		{ "k -- a b", "run file=k program-arg=a" },
		{ "k --", "run file=k" },
	};

	CHECK_EACH(rows, check_stored);
}

/* Modifiers are the last action's, or stand before the first for all. */
static void test_actions(void)
{
	static const struct stored rows[] = {
		{ "k -l a -a 1 -a x -g 2 -b 3", "run file=k [launch a arg=1 arg=x grid=2 block=3]" },
		{ "k -b 4 --cooperative -a 9 -l a -l b -g5",
		  "run file=k arg=9 block=4 cooperative=yes [launch a] [launch b grid=5]" },
		{ "k -l a --threads 7 --shared 8 --cluster 2 --print y -g 1",
		  "run file=k [launch a grid=1 threads=7 shared=8 cluster=2] [print y]" },
		{ "k --rtol 1 -e y=z -e z=y --atol 2 --ulp 3 -l a --ulp 4",
		  "run file=k rtol=1 [expect y=z] [expect z=y atol=2 ulp=4] [launch a]" },
		{ "k -l a --stream s --after e,f --event g --record h --stream t",
		  "run file=k [launch a stream=s after=e,f event=g] [record h stream=t]" },
		{ "k --wait e -e y=z --after f", "run file=k [wait e after=f] [expect y=z]" },
		{ "k --set s=1 --get s=i32:1 --copy a=b --fill a=zero -o a=- --await all --unload m",
		  "run file=k [set s=1] [get s=i32:1] [copy a=b] [fill a=zero] [out a=-] [await all] "
		  "[unload m]" },
	};

	CHECK_EACH(rows, check_stored);
}

static void test_modes(void)
{
	static const struct stored rows[] = {
		{ "k --list", "list file=k" },
		{ "k --list=names", "list file=k topic=names" },
		{ "k --info=a -d cpu", "info file=k topic=a device=cpu" },
		{ "k --extract d -f", "extract file=k topic=d force=yes" },
		{ "k --extract=d", "extract file=k topic=d" },
		{ "--devices -t 5", "devices timeout=5" },
		{ "--doctor -t 5", "doctor timeout=5" },
		{ "--doctor=p -d cpu", "doctor topic=p device=cpu" },
		{ "k --dry-run -l a", "dry-run file=k [launch a]" },
		{ "--help", "help" },
		{ "--help=args k", "help file=k topic=args" },
		/* Help is what is given, whatever else is asked. */
		{ "k -h --list", "help file=k" },
		{ "k --list --version", "version file=k" },
		{ "-d cpu --exec p -d --list x", "exec device=cpu exec=p word=-d word=--list word=x" },
		{ "--exec=p", "exec exec=p" },
	};

	CHECK_EACH(rows, check_stored);
}

struct refused {
	const char *words, *text, *hint;
};

static void check_refused(const struct refused *row)
{
	CLEANUP(line_release) struct line line = { 0 };

	parse(&line, row->words);
	if (!CHECK_INT(line.status, GPURUN_INVALID))
		printf("# %s\n", row->words);
	CHECK_STR(line.e.text, row->text);
	CHECK_STR(line.e.hint, row->hint);
}

/* promise: Options are never abbreviated */
static void test_refused(void)
{
	static const char lists[] = "gpurun --help lists the options";
	static const char belongs[] = "it belongs after a --launch, --record or --wait";
	static const char one_mode[] = "only one of --list, --info, --extract, --devices, "
				       "--doctor, --dry-run and --exec can be given";
	static const struct refused rows[] = {
		{ "k --nonsense", "unknown option --nonsense", lists },
		{ "k -x", "unknown option -x", lists },
		{ "k --check all,exitcode=", "--check exitcode=: not an exit status, 0 to 255", "" },
		{ "k --error-exitcode 1", "--error-exitcode 1 without --check", "" },
		{ "k -l a -a i32=%x", "--arg i32=%x: %x is none of %r, %l, %p, %q{VAR} and %%",
		  "a percent sign before a letter is %%" },
		{ "k -l a -a %q{NOT_THERE}",
		  "--arg %q{NOT_THERE}: %q{NOT_THERE}: the environment has no such variable", "" },
		{ "k --error-exit 1", "unknown option --error-exit", lists },
		{ "k -qx", "unknown option -x", lists },
		{ "k --kernel a", "unknown option --kernel", "did you mean --launch?" },
		{ "k --devi=cpu", "unknown option --devi",
		  "did you mean --device? options are not abbreviated" },
		{ "k --force=1", "--force takes no value", "" },
		{ "k --launch", "--launch needs a value: [NAME:]KERNEL", "" },
		{ "k --check --exec ./x", "--check needs a value: WHAT[,WHAT][,exitcode=N], got --exec",
		  "" },
		{ "k --seed --junit=x", "--seed needs a value: N, got --junit=x", "" },
		{ "k -qd", "--device needs a value: SEL", "" },
		{ "a b", "a second file: 'b' after 'a'",
		  "a kernel is named by --launch, its arguments are given with --arg" },
		{ "k -g 2 3", "a second file: '3' after 'k'", "--grid is one word: 2,3" },
		{ "k -j out", "a second file: 'out' after 'k'",
		  "a value of --json is written after =: --json=out" },
		{ "k ", "an empty word where a file or option belongs", "" },
		{ "k --stream s -l a", "--stream: there is nothing before it to apply to", belongs },
		{ "k -e y=z --after e", "--after: there is nothing before it to apply to", belongs },
		{ "k --event e", "--event: there is nothing before it to apply to", belongs },
		{ "k --list --dry-run", one_mode, "" },
		{ "k --info --exec p", one_mode, "" },
		{ "k --dry-run --junit r", "--junit besides --dry-run, which runs nothing", "" },
		{ "k -j --junit -", "--json and --junit=- both go to stdout",
		  "--json=FILE leaves it free" },
		{ "k --list -l a", "--launch besides --list, which runs nothing",
		  "with --list go FILE, --color, -d, --image, -j, --link, --load, -q and -v" },
		{ "k --devices", "k besides --devices, which runs nothing",
		  "with --devices go --color, -d, -j, --no-device-exit, -q, -t and -v" },
		{ "k --doctor", "k besides --doctor, which runs nothing",
		  "with --doctor go --color, -d, -j, -q, -t and -v; a program to look at is "
		  "--doctor=PROG" },
	};

	CHECK_EACH(rows, check_refused);
}

/* A wrong command line is reported as it asks for, also after what is wrong. */
static void test_reports_of_errors(void)
{
	static const struct stored rows[] = {
		{ "--bogus -qj", "run json=stdout" },
		{ "--bogus --json=r", "run json=r" },
		{ "--bogus --json=- --junit r.xml --annotate",
		  "run json=stdout junit=r.xml annotate=yes" },
		{ "--bogus --junit=-", "run junit=stdout" },
		{ "--json=r --bogus -j", "run json=r" },
		{ "--bogus --junit a%% --json=%q{NOT_THERE}", "run junit=a%" },
		{ "--bogus -d rank", "run device=rank" },
		/* None of these asks for one. */
		{ "--bogus --jsonx -dj --list", "run" },
		{ "--bogus -- --json", "run" },
		{ "--bogus --exec p --json", "run" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(line_release) struct line line = { 0 };
		CLEANUP(free_pointer) char *got = NULL;

		parse(&line, rows[i].words);
		CHECK_INT(line.status, GPURUN_INVALID);
		got = describe(&line.options);
		CHECK_STR(got, rows[i].want);
	}
}

/* Parses "gpurun k @FILE" of a file with @text, whose name is put into @path. */
static void parse_file(struct line *line, const char *text, char path[32])
{
	char words[64];
	int fd;

	strcpy(path, "/tmp/gpurun-options-XXXXXX");
	fd = mkstemp(path);
	snprintf(words, sizeof(words), "k @%s", path);
	if (!CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text)))
		return;
	parse(line, words);
	close(fd);
	unlink(path);
}

/* A line of a response file is a word, or an option and its value; errors name the line. */
static void test_response(void)
{
	static const struct {
		const char *text, *want; /* stored, or of an error the text after "@PATH" */
	} rows[] = {
		{ "", "run file=k" },
		{ "# nothing\n\n \t\n", "run file=k" },
		{ "-d cpu\n", "run file=k device=cpu" },
		{ "--launch   a b  # c\n\t-a\t1\r\n-g2", "run file=k [launch a b arg=1 grid=2]" },
		{ "--buf x#y\n--out=a#b", "run file=k buf=x#y [out a#b]" },
		{ "-d cpu\n\n--bogus\n", ":3: unknown option --bogus" },
		{ "-d cpu\nl m\n", ":2: a second file: 'l m' after 'k'" },
		{ "-q\n-d\n", ":2: --device needs a value: SEL" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(line_release) struct line line = { 0 };
		CLEANUP(free_pointer) char *got = NULL;
		const bool good = rows[i].want[0] != ':';
		char path[32], want[96];

		parse_file(&line, rows[i].text, path);
		CHECK_INT(line.status, good ? 0 : GPURUN_INVALID);
		snprintf(want, sizeof(want), "%s%s%s", good ? "" : "@", good ? "" : path,
			 rows[i].want);
		got = describe(&line.options);
		CHECK_STR(good ? got : line.e.text, want);
	}
}

/* Each variable stands for its option where that is not given, and is named for it. */
/* promise: As --device. */
static void test_environment(void)
{
	static const struct {
		enum option_id id;
		const char *variable, *words, *want, *said;
	} rows[] = {
		{ OPTION_DEVICE, "GPURUN_DEVICE", "k", "run file=k device=V", "GPURUN_DEVICE" },
		{ OPTION_DEVICE, "GPURUN_DEVICE", "k -d cpu", "run file=k device=cpu", "--device" },
		{ OPTION_CHECK, "GPURUN_CHECK", "k", "run file=k check=V", "GPURUN_CHECK" },
		{ OPTION_TIMEOUT, "GPURUN_TIMEOUT", "k", "run file=k timeout=V", "GPURUN_TIMEOUT" },
		{ OPTION_SEED, "GPURUN_SEED", "k", "run file=k seed=V", "GPURUN_SEED" },
		{ OPTION_SEED, "GPURUN_SEED", "k --seed 0", "run file=k seed=0", "--seed" },
		{ OPTION_NO_DEVICE_EXIT, "GPURUN_NO_DEVICE_EXIT", "k",
		  "run file=k no-device-exit=V", "GPURUN_NO_DEVICE_EXIT" },
		/* No other option has one. */
		{ OPTION_GRID, "GPURUN_GRID", "k", "run file=k", "--grid" },
		/* A mode that an option does not go with takes no notice of its variable. */
		{ OPTION_SEED, "GPURUN_SEED", "k --list", "list file=k seed=V", "GPURUN_SEED" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP(line_release) struct line line = { 0 }, empty = { 0 };
		CLEANUP(free_pointer) char *got = NULL;

		setenv(rows[i].variable, "V", 1);
		parse(&line, rows[i].words);
		CHECK_INT(line.status, 0);
		got = describe(&line.options);
		CHECK_STR(got, rows[i].want);
		CHECK_STR(option_said(&line.options, rows[i].id), rows[i].said);
		setenv(rows[i].variable, "", 1);
		parse(&empty, "k");
		CHECK(option_said(&empty.options, rows[i].id)[0] == '-');
		unsetenv(rows[i].variable);
	}
}

/* The table: names are unique, letters too, and a variable bears the name of its option. */
static void test_table(void)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		const struct option *option = &option_table[i];

		CHECK(option->name && option->help && option->metavar);
		CHECK((option->argument == ARGUMENT_NONE) == !*option->metavar);
		CHECK((option->kind == KIND_FLAG) <= (option->argument == ARGUMENT_NONE));
		CHECK((option->mode != MODE_RUN) == (option->scope == SCOPE_MODE));
		CHECK(!option->variable ||
		      (option->scope == SCOPE_GLOBAL && option->kind == KIND_TEXT));
		for (int j = 0; j < i; j++) {
			CHECK(strcmp(option->name, option_table[j].name));
			CHECK(!option->letter || option->letter != option_table[j].letter);
			CHECK(option->scope != SCOPE_MODE || option->mode != option_table[j].mode);
		}
	}
}

int main(void)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (option_table[i].variable)
			unsetenv(option_table[i].variable);
	RUN(test_global);
	RUN(test_actions);
	RUN(test_modes);
	RUN(test_refused);
	RUN(test_reports_of_errors);
	RUN(test_response);
	RUN(test_environment);
	RUN(test_table);
	return tap_end();
}
