/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Does what its arguments say, each of them STEP or STEP:STREAM, to a buffer of 1024
 * words. Streams: a and b, those that the NULL stream orders,
 * m and n, those that it does not, 0, the NULL stream. "beside" has another thread do the
 * step behind the next one, which is a blocking copy, in the middle of that.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "find.h"

enum { WORDS = 1024, BYTES = 4 * WORDS };

#define PTX(body)                                                                          \
	".version 8.0\n.target sm_70\n.address_size 64\n"                                  \
	".visible .entry put(.param .u64 p, .param .u64 q)\n{\n" body                      \
	"\tst.global.u32 [%rd1], %r4;\n\tret;\n}\n"                                        \
	".visible .entry get(.param .u64 p, .param .u64 q)\n{\n" body                      \
	"\tld.global.u32 %r4, [%rd1];\n\tst.global.u32 [%rd2], %r4;\n\tret;\n}\n"          \
	".visible .entry add(.param .u64 p, .param .u64 q)\n{\n" body                      \
	"\tred.global.add.u32 [%rd1], 1;\n\tret;\n}\n"                                        \
	".visible .entry tell(.param .u64 p, .param .u64 q)\n{\n" body                     \
	"\tld.param.u64 %rd3, [q];\n\tfence.acq_rel.gpu;\n"                                \
	"\tst.relaxed.gpu.global.u32 [%rd3+4096], 1;\n\tret;\n}\n"                        \
	TELL_HOST("tell_host", body, "fence.acq_rel.sys;")                                 \
	TELL_HOST("tell_no_host", body, "fence.acq_rel.gpu;")                              \
	HEAR("hear", body, "ld.acquire.gpu.global.u32 %r3, [%rd3+4096];")                  \
	HEAR("hear_by_atom", body, "atom.acquire.gpu.global.or.b32 %r3, [%rd3+4096], 0;")

/* Puts, tells the host so once all of the block have, and goes on until that answers. */
#define TELL_HOST(name, body, fence)                                                       \
	".visible .entry " name "(.param .u64 p, .param .u64 q)\n{\n" body                 \
	"\tst.global.u32 [%rd1], %r4;\n\tld.param.u64 %rd3, [q];\n\tbar.sync 0;\n"         \
	"\tld.global.u64 %rd3, [%rd3+4104];\n\tmov.u32 %r3, %tid.x;\n"                    \
	"\tsetp.ne.u32 %p1, %r3, 0;\n\t@%p1 bra E;\n\t" fence "\n"                        \
	"\tatom.relaxed.sys.global.add.u32 %r3, [%rd3], 1;\n"                             \
	"L:\n\tld.relaxed.sys.global.u32 %r3, [%rd3+4];\n\tsetp.eq.u32 %p1, %r3, 0;\n"   \
	"\t@%p1 bra L;\nE:\n\tret;\n}\n"

/* Waits for what tell says, in another stream, and gets then. */
#define HEAR(name, body, look)                                                             \
	".visible .entry " name "(.param .u64 p, .param .u64 q)\n{\n" body                 \
	"\tld.param.u64 %rd3, [q];\nL:\n\t" look "\n\tsetp.eq.u32 %p1, %r3, 0;\n"         \
	"\t@%p1 bra L;\n\tfence.acq_rel.gpu;\n\tld.global.u32 %r4, [%rd1];\n"              \
	"\tst.global.u32 [%rd2], %r4;\n\tret;\n}\n"

static const char ptx[] = PTX("\t.reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .pred %p<2>;\n"
			      "\tld.param.u64 %rd1, [p];\n\tld.param.u64 %rd2, [q];\n"
			      "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n"
			      "\tmov.u32 %r3, %tid.x;\n\tmad.lo.u32 %r4, %r1, %r2, %r3;\n"
			      "\tmul.wide.u32 %rd3, %r4, 4;\n\tadd.u64 %rd1, %rd1, %rd3;\n"
			      "\tadd.u64 %rd2, %rd2, %rd3;\n\tadd.u32 %r4, %r4, 7;\n");

static void *context, *module, *event, *streams[128];
static unsigned long long buffer, other;
static unsigned char *pinned, *pageable;
static atomic_uint *flags; /* of the host: blocks that have told it; its answer */

static void launch(const char *name, void *stream)
{
	void *args[] = { &buffer, &other }, *kernel;

	CALL("cuModuleGetFunction", (void **, void *, const char *), &kernel, module, name);
	CALL("cuLaunchKernel",
	     (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	      void **, void **),
	     kernel, WORDS / 256, 1, 1, 256, 1, 1, 0, stream, args, NULL);
}

static void in(void *stream)
{
	CALL("cuMemcpyHtoDAsync_v2", (unsigned long long, const void *, size_t, void *), buffer,
	     pinned, BYTES, stream);
}

static void out(void *stream)
{
	CALL("cuMemcpyDtoHAsync_v2", (void *, unsigned long long, size_t, void *), pinned, buffer,
	     BYTES, stream);
}

/* Without the first and the last two bytes. */
static void fill(void *stream)
{
	CALL("cuMemsetD8Async", (unsigned long long, unsigned char, size_t, void *), buffer + 1,
	     0x11, BYTES - 3, stream);
}

static void fill_byte(void *stream)
{
	CALL("cuMemsetD8Async", (unsigned long long, unsigned char, size_t, void *), buffer + 9,
	     0x11, 1, stream);
}

static void blocking_in(void *stream)
{
	(void)stream;
	CALL("cuMemcpyHtoD_v2", (unsigned long long, const void *, size_t), buffer, pageable,
	     BYTES);
}

static void blocking_out(void *stream)
{
	(void)stream;
	CALL("cuMemcpyDtoH_v2", (void *, unsigned long long, size_t), pageable, buffer, BYTES);
}

static void record(void *stream)
{
	CALL("cuEventRecord", (void *, void *), event, stream);
}

static void wait_event(void *stream)
{
	CALL("cuStreamWaitEvent", (void *, void *, unsigned), stream, event, 0);
}

static void event_synchronize(void *stream)
{
	(void)stream;
	CALL("cuEventSynchronize", (void *), event);
}

static void event_query(void *stream)
{
	int (*call)(void *) = (int (*)(void *))find("cuEventQuery");

	(void)stream;
	while (call(event) == 600)
		;
}

static void query(void *stream)
{
	int (*call)(void *) = (int (*)(void *))find("cuStreamQuery");

	while (call(stream) == 600)
		;
}

static void destroy(void *stream)
{
	CALL("cuStreamDestroy_v2", (void *), stream);
}

/* Another buffer in the place of the first. */
static void renew(void *stream)
{
	const unsigned long long before = buffer;

	CALL("cuMemFreeAsync", (unsigned long long, void *), buffer, stream);
	synchronize(stream);
	for (int i = 0; i < 100000; i++) {
		CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &buffer, BYTES);
		if (buffer == before)
			return;
	}
	fputs("memory is not used again\n", stderr);
	exit(1);
}

static void write_word(void *stream)
{
	CALL("cuStreamWriteValue32_v2", (void *, unsigned long long, unsigned, unsigned), stream,
	     other + BYTES, 1, 0);
}

static void wait_word(void *stream)
{
	CALL("cuStreamWaitValue32_v2", (void *, unsigned long long, unsigned, unsigned), stream,
	     other + BYTES, 1, 0);
}

static void make(void)
{
	CALL("cuInit", (unsigned), 0);
	CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
	CALL("cuCtxSetCurrent", (void *), context);
	CALL("cuModuleLoadData", (void **, const void *), &module, ptx);
	/* The buffer is a page, and not the first one of the device's memory. */
	CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &other, 1 << 20);
	CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &buffer, BYTES);
	check(buffer % BYTES != 0 || buffer % (1 << 21) == 0, "a page");
	CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &other, BYTES + 16);
	CALL("cuMemsetD32_v2", (unsigned long long, unsigned, size_t), other, 0, WORDS + 1);
	CALL("cuMemHostAlloc", (void **, size_t, unsigned), (void **)&pinned, BYTES, 0);
	pageable = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(pageable == MAP_FAILED, "mmap");
	CALL("cuMemHostAlloc", (void **, size_t, unsigned), (void **)&flags, 8, 0);
	CALL("cuMemcpyHtoD_v2", (unsigned long long, const void *, size_t), other + BYTES + 8,
	     &flags, sizeof(flags));
	CALL("cuEventCreate", (void **, unsigned), &event, 0);
	for (const char *name = "abmn"; *name; name++)
		CALL("cuStreamCreate", (void **, unsigned), &streams[(int)*name], *name >= 'm');
	CALL("cuCtxSynchronize", (void), );
}

/* Waits until all blocks of a kernel that goes on have told the host. */
static void hear(void *stream)
{
	(void)stream;
	while (atomic_load(&flags[0]) < WORDS / 256)
		;
}

static void answer(void *stream)
{
	(void)stream;
	atomic_store(&flags[1], 1);
}

static const struct step {
	const char *name;
	void (*run)(void *stream); /* NULL: a kernel */
} steps[] = {
	{ "put", NULL }, { "get", NULL }, { "add", NULL }, { "tell", NULL }, { "hear", NULL },
	{ "hear_by_atom", NULL }, { "in", in }, { "out", out },
	{ "fill", fill }, { "fill-byte", fill_byte },
	{ "blocking-in", blocking_in }, { "blocking-out", blocking_out },
	{ "record", record }, { "wait", wait_event }, { "event-sync", event_synchronize },
	{ "event-query", event_query }, { "query", query }, { "sync", synchronize },
	{ "sync-all", synchronize_all }, { "destroy", destroy }, { "renew", renew },
	{ "write", write_word }, { "wait-word", wait_word },
	{ "tell_host", NULL }, { "tell_no_host", NULL }, { "host-hear", hear },
	{ "host-answer", answer },
};

static void run(const char *argument)
{
	const size_t length = strcspn(argument, ":");
	const int stream = argument[length] ? argument[length + 1] & 127 : 0;
	size_t k = 0;

	while (k < sizeof(steps) / sizeof(steps[0]) &&
	       (strlen(steps[k].name) != length || strncmp(steps[k].name, argument, length) != 0))
		k++;
	check(k == sizeof(steps) / sizeof(steps[0]), argument);
	if (steps[k].run)
		steps[k].run(streams[stream]);
	else
		launch(steps[k].name, streams[stream]);
}

/* ---- Beside a copy ----------------------------------------------------------- */

static sem_t known, amid, over;

/* The copy has come to the page of the host. */
static void hold_copy(int signal)
{
	(void)signal;
	sem_post(&amid);
	sem_wait(&over);
	mprotect(pageable, BYTES, PROT_READ | PROT_WRITE);
}

static void *run_amid(void *argument)
{
	CALL("cuCtxSetCurrent", (void *), context);
	sem_post(&known);
	sem_wait(&amid);
	run(argument);
	sem_post(&over);
	return NULL;
}

/* The driver knows the other thread beforehand, as it does where that has made a stream. */
static void beside(const char *copy, char *meanwhile)
{
	pthread_t thread;

	signal(SIGSEGV, hold_copy);
	check(pthread_create(&thread, NULL, run_amid, meanwhile), "pthread_create");
	sem_wait(&known);
	mprotect(pageable, BYTES, PROT_NONE);
	run(copy);
	pthread_join(thread, NULL);
	signal(SIGSEGV, SIG_DFL);
}

int main(int argc, char **argv)
{
	make();
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "beside") != 0) {
			run(argv[i]);
			continue;
		}
		check(i + 2 >= argc, argv[i]);
		beside(argv[i + 1], argv[i + 2]);
		i += 2;
	}
	CALL("cuCtxSynchronize", (void), );
	return 0;
}
