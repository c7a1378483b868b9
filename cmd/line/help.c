/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "exit.h"
#include "options.h"

static const char usage[] =
	"usage: gpurun FILE [options] [--launch KERNEL [options]] ...\n"
	"       gpurun FILE --list | gpurun --devices | gpurun [-d SEL] [-t T] --exec PROG ...\n"
	"Launches kernels from a fatbin, cubin, PTX, LLVM offload binary or host object file\n"
	"('-': stdin).\n";

/* Those of the first page. */
static const enum option_id common[] = {
	OPTION_LAUNCH, OPTION_ARG, OPTION_BLOCK, OPTION_THREADS, OPTION_EXPECT, OPTION_OUT,
	OPTION_PRINT, OPTION_DEVICE, OPTION_CHECK, OPTION_TIMEOUT, OPTION_JSON,
};

static const char examples[] =
	"examples:\n"
	"  gpurun k.fatbin --list\n"
	"  gpurun k.fatbin --launch main -t 30s\n"
	"  gpurun vadd.ptx -l vadd --threads 1Ki -b 256 -a f32:1Ki:iota -a f32:1Ki:fill=2 \\\n"
	"      -a y=f32:1Ki -a i32=1Ki -e y=iota=2,1\n"
	"  gpurun saxpy.o -l saxpy -b 256 -a 2.0 -a x=@x.npy -a y=@y.npy -a len:x -o y=out.npy\n"
	"  gpurun k.o --check all --set scale=f32:fill=2 -l f -a t=f32:8 --get count=u32:1\n"
	"more: gpurun --help=options|args|cpu|exit|json|all, gpurun(1)\n";

static const char arguments[] =
	"SPEC  TYPE:SHAPE[:INIT] or [TYPE:]@FILE       f32:1Mi  f16:64x64:randn  @x.npy  "
	"i32:@raw.bin\n"
	"      TYPE:list=V,V,...       as many elements as values\n"
	"TYPE  i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 bool e4m3 e5m2 c64 c128\n"
	"SHAPE SIZE[xSIZE]...; SIZE is a number, also with K M G (1000) or Ki Mi Gi "
	"(1024)\n"
	"INIT  zero (default)          uninit             poison (bytes 0xff)\n"
	"      fill=V                  iota[=START[,STEP[,MOD]]]\n"
	"      rand[=LO,HI]            randn[=MEAN,SD]    (seeded by --seed)\n"
	"      list=V,V,...            text=S             @FILE (npy, else raw bytes)\n"
	"ARG   one for each parameter of the kernel, in order:\n"
	"      TYPE=VALUE              a number: i32=1024 f32=2.0 u64=0xff\n"
	"      2.0 or 7                a number, where PTX has the type\n"
	"      SPEC or NAME=SPEC       a new buffer, which NAME then stands for\n"
	"      NAME or NAME+N          a buffer, from its element N on\n"
	"      len:NAME                its number of elements\n"
	"      memref:NAME[=SPEC]      MLIR: base, aligned, offset, sizes, strides\n"
	"      sym:GLOBAL              address of a variable of the image\n"
	"      raw:HEX or raw:@FILE    bytes of a struct passed by value\n"
	"      null                    a null pointer\n"
	"      struct:PART,PART,...    a struct by value: p,i32=8,f32=2.0,pad:4\n"
	"      ptrs:BUF,BUF,...        a buffer of the addresses of buffers\n"
	"Counts and sizes are checked against the kernel, types where the image has "
	"them;\n"
	"nothing is converted silently.\n";

static const char json[] =
	"--json prints one object to stdout (--json=FILE: to a file); all else goes to "
	"stderr.\n"
	"There is one whatever ends the run. Of most use are\n"
	"  exit     code, name, source: how it ended\n"
	"  error    stage, message, hint: what went wrong; absent when nothing did\n"
	"  actions  what each action did: a launch's gpu_ns, an --expect's bad, first ...\n"
	"  fault    kind, kernel, thread, ptx_line, source ...: where a kernel faulted\n"
	"  findings likewise, of --check\n"
	"gpurun-json(5) has all of them, share/gpurun/gpurun.schema.json a JSON Schema.\n";

static void print_option(const struct option *option)
{
	char left[64];
	char letter[8] = "    ";
	const char *before = "", *after = "";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	if (option->argument == ARGUMENT_OPTIONAL) {
		before = "[=";
		after = "]";
	} else if (option->argument == ARGUMENT_REQUIRED) {
		before = " ";
	}
	snprintf(left, sizeof(left), "%s--%s%s%s%s", letter, option->name, before,
		 option->metavar, after);
	printf("  %-30s %s\n", left, option->help);
}

static void print_scope(const char *title, enum option_scope scope)
{
	printf("%s\n", title);
	for (int i = 0; i < OPTION_COUNT; i++) {
		if (option_table[i].scope == scope)
			print_option(&option_table[i]);
	}
}

static void print_options(void)
{
	print_scope("actions, in the order of the command line:", SCOPE_ACTION);
	print_scope("for the last --launch (before the first: for all):", SCOPE_LAUNCH);
	print_scope("for the last --launch, --record or --wait:", SCOPE_ENQUEUED);
	print_scope("for the last --expect (before the first: for all); default: exact:",
		    SCOPE_EXPECTED);
	print_scope("for the run:", SCOPE_GLOBAL);
	print_scope("instead of running:", SCOPE_MODE);
}

static void print_keys(void)
{
	static const struct {
		const char *left, *meaning;
	} keys[] = {
#define CPU_KEY(name, parse, values, metavar, meaning) { name "=" metavar, meaning },
#include "cpu_keys.def"
	};

	puts("-d cpu:KEY=VALUE,... or GPURUN_CPU=KEY=VALUE,...; gpurun-cpu(7) has more of each");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		printf("  %-30s %s\n", keys[i].left, keys[i].meaning);
}

static void print_bench_keys(void)
{
	static const struct {
		const char *key, *metavar, *meaning;
	} keys[] = {
#define BENCH_KEY(name, kind, member, metavar, meaning) { name, metavar, meaning },
#include "bench_keys.def"
	};

	puts("--bench=KEY,...; docs/bench.md says what is timed, and what the numbers mean");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char left[32];

		snprintf(left, sizeof(left), "%s%s%s", keys[i].key, *keys[i].metavar ? "=" : "",
			 keys[i].metavar);
		printf("  %-30s %s\n", left, keys[i].meaning);
	}
}

static void print_first_page(void)
{
	fputs(usage, stdout);
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		print_option(&option_table[common[i]]);
	fputs(examples, stdout);
}

static void print_all(void)
{
	fputs(usage, stdout);
	print_options();
	fputs(examples, stdout);
	printf("\narguments:\n%s\nthe CPU device:\n", arguments);
	print_keys();
	puts("\nbenchmarks:");
	print_bench_keys();
	puts("\nexit status:");
	exit_print_table(stdout);
	printf("\njson:\n%s", json);
}

int help_print(const char *topic, struct err *e)
{
	if (!topic)
		print_first_page();
	else if (!strcmp(topic, "all"))
		print_all();
	else if (!strcmp(topic, "options"))
		print_options();
	else if (!strcmp(topic, "args"))
		fputs(arguments, stdout);
	else if (!strcmp(topic, "cpu"))
		print_keys();
	else if (!strcmp(topic, "bench"))
		print_bench_keys();
	else if (!strcmp(topic, "exit"))
		exit_print_table(stdout);
	else if (!strcmp(topic, "json"))
		fputs(json, stdout);
	else
		return err_set(e, GPURUN_INVALID,
			       "--help: no topic '%s'; topics are options, args, cpu, bench, exit, "
			       "json and all",
			       topic);
	return 0;
}

void help_version(void)
{
	puts("gpurun " GPURUN_VERSION_STRING "\n"
	     "Runs compiled GPU kernels from the shell; not the rank binder of the same "
	     "name "
	     "in ROCm's AOMP.");
}
