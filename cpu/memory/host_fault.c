/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All of the handler is safe at any time: it takes no lock, allocates nothing and calls nothing but
 * getpid(), write(), raise(), sigaction() and line_rank(), which was called before and so does
 * nothing. It returns with the default action in place, so that the access is made again and fails
 * where it was made: the status and the core are those of the program.
 */
#include "host_fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "line_rank.h"

/* A line; what does not fit is cut. */
struct line {
	char text[400];
	size_t used;
};

static void add_to_line(struct line *line, const char *text)
{
	size_t length = strlen(text), room = sizeof(line->text) - line->used;

	length = length < room ? length : room;
	memcpy(line->text + line->used, text, length);
	line->used += length;
}

static void add_number(struct line *line, uint64_t number, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do
		digits[--at] = "0123456789abcdef"[number % base];
	while (number /= base);
	add_to_line(line, base == 16 ? "0x" : "");
	add_to_line(line, digits + at);
}

/* Where memory comes from that no call has made for itself. */
static const char *const origins[] = {
	[BLOCK_VARIABLE] = "a variable of a module",
	[BLOCK_CONSTANT] = "a variable of a module",
	[BLOCK_CODE] = "the functions of a module",
	[BLOCK_HEAP] = "malloc() of a kernel",
};

/* "byte 20 of the 256 bytes at 0x7f.. from cuMemAlloc", and who has freed them */
static void add_block(struct line *line, uint64_t address, const struct block *block, bool freed)
{
	const bool inside = address - block->base < block->size;
	const char *from = origins[block->kind] ? origins[block->kind] : block->made_by;

	add_to_line(line, inside ? "byte " : "");
	add_number(line, address - block->base - (inside ? 0 : block->size - 1), 10);
	add_to_line(line, inside ? " of the " : address - block->base == block->size ?
		    " byte beyond the " : " bytes beyond the ");
	add_number(line, block->size, 10);
	add_to_line(line, " bytes at ");
	add_number(line, block->base, 16);
	add_to_line(line, from ? " from " : "");
	add_to_line(line, from ? from : "");
	add_to_line(line, !freed ? "" : block->freed_by ? ", which " : ", which are freed");
	add_to_line(line, freed && block->freed_by ? block->freed_by : "");
	add_to_line(line, freed && block->freed_by ? " freed" : "");
}

static void compose(struct line *line, uint64_t address)
{
	struct block block;
	bool freed;

	line->used = 0;
	add_to_line(line, "gpurun: ");
	add_to_line(line, line_rank());
	add_to_line(line, "segmentation fault: the host uses device memory as its own: ");
	add_number(line, address, 16);
	add_to_line(line, ", ");
	if (arena_look(address, &block, &freed))
		add_block(line, address, &block, freed);
	else
		add_to_line(line, "which no allocation has");
	add_to_line(line, "; copy it, or use managed memory\n");
}

/*
 * Writes the line about @address if no other thread has. False while another one is about to: the
 * access is to be made again until it has. A child of fork() has lines of its own.
 */
static bool report(uint64_t address)
{
	enum { WRITTEN = -1 };
	static _Atomic int writer; /* 0, the process that writes, or WRITTEN */
	const int self = getpid();
	struct line line;
	int before = 0;

	if (!atomic_compare_exchange_strong(&writer, &before, self))
		return before != self;
	compose(&line, address);
	if (write(STDERR_FILENO, line.text, line.used) < 0)
		errno = 0;
	atomic_store(&writer, WRITTEN);
	return true;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	const struct sigaction standard = { .sa_handler = SIG_DFL };
	const bool sent = info->si_code <= 0; /* by kill(), say: si_addr is none then */
	const uint64_t address = sent ? 0 : (uintptr_t)info->si_addr;
	const int saved = errno;

	(void)context;
	if (arena_distance(address) && !report(address))
		return;
	sigaction(number, &standard, NULL);
	if (sent)
		raise(number);
	errno = saved;
}

void host_fault_watch(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction before;

	line_rank();
	sigemptyset(&action.sa_mask);
	if (!sigaction(SIGSEGV, NULL, &before) && !(before.sa_flags & SA_SIGINFO) &&
	    before.sa_handler == SIG_DFL)
		sigaction(SIGSEGV, &action, NULL);
}
