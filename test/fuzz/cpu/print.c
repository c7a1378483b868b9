/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * vprintf and __assertfail on memory that a kernel filled: a format, arguments and strings of
 * any bytes. An input is two places in what follows, where the arguments, or the message of an
 * assertion, begin; then the memory, whose end is at MEMORY_END, so that pointers in it can be
 * to the point. Behind it nothing may be read.
 */
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include "guest.h"
#include "warp.h"
#include "fuzz.h"
#include "output.h"

#define MEMORY_END  0x40000000u
#define MEMORY_SIZE 0x40000u /* of an input at most */
#define PAGE        0x1000u
#define MOST        (1u << 20) /* characters of a call */

static struct {
	uint64_t base, frame[4]; /* the arguments of the call, by eight bytes */
	bool printed, answered;
} now;

/* ---- What the device has in these places ------------------------------------------ */

uint64_t guest_argument(const struct guest *guest, uint32_t offset, uint32_t size)
{
	(void)guest;
	return size == 4 ? (uint32_t)now.frame[offset / 8] : now.frame[offset / 8];
}

void guest_result(const struct guest *guest, uint32_t offset, uint64_t value, uint32_t size)
{
	(void)guest;
	if (offset != 16 || size != 4 || (int32_t)value < -2)
		abort();
	now.answered = true;
}

/* No more than what is asked for is reached: each byte is asked for. */
bool memory_reach(struct warp *w, const struct op *ip, struct hit *hit, uint64_t address,
		  uint32_t size, uint32_t unit, unsigned lane, bool write)
{
	(void)w, (void)ip, (void)lane;
	if (unit != 1 || write || size > 8)
		abort();
	if (address < now.base || address >= MEMORY_END || size > MEMORY_END - address)
		return false;
	*hit = (struct hit){ address, size, 0 };
	return true;
}

void output_printf(const char *text, size_t length)
{
	if (length > MOST || (length && !memchr(text, text[length - 1], length)))
		abort();
	now.printed = true;
}

void output_assert(const char *text, size_t length)
{
	output_printf(text, length);
	now.answered = true;
}

void output_note(const char *fmt, ...)
{
	char line[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
}

/* ---- The target ---------------------------------------------------------------------- */

static uint8_t *memory(void)
{
	static uint8_t *start;
	void *at = (void *)(uintptr_t)(MEMORY_END - MEMORY_SIZE);

	if (!start && mmap(at, MEMORY_SIZE + PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at &&
	    !mprotect(at, MEMORY_SIZE, PROT_READ | PROT_WRITE))
		start = at;
	return start;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct kernel kernel = { .name = "k" };
	static const struct launch launch = { .kernel = &kernel, .block = { 32, 1, 1 } };
	static struct cta cta = { .launch = &launch };
	struct warp warp = { .cta = &cta };
	struct guest guest = { .w = &warp };
	uint64_t place, second;
	bool good;

	if (size < 5 || size - 5 > MEMORY_SIZE || !memory())
		return 0;
	place = (uint64_t)data[1] << 8 | data[2];
	second = (uint64_t)data[3] << 8 | data[4];
	size -= 5;
	memcpy((void *)(uintptr_t)(MEMORY_END - size), data + 5, size);
	memset(&now, 0, sizeof(now));
	now.base = MEMORY_END - size;
	now.frame[0] = data[0] == 2 ? 0 : now.base;
	now.frame[1] = now.base + place;
	now.frame[2] = 17;
	now.frame[3] = now.base + second;
	good = data[0] == 1 ? assert_lane(&guest) : print_lane(&guest);
	if (good != now.answered || (now.printed && !good))
		abort();
	return 0;
}
