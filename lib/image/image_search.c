/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The file is cut into parts. The caller takes the first that it needs, each thread the last that
 * is free: so what the caller passes over is not searched before a thread comes to it.
 */
#include "image_search.h"
#include "array.h"
#include "asserts.h"
#include "elf64.h"
#include "fatbin.h"
#include "lock.h"
#include "offload.h"
#include "ptx_text.h"
#include "workers.h"

#include <elf.h>
#include <stdatomic.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
	PART = 1 << 20,     /* bytes that are taken at a time */
	WINDOW = 128 << 10, /* bytes that are copied at a time: to a processor's cache */
	MARK = 20,	    /* by which an image is recognised */
	BLOCK = 64,	    /* bytes that are compared in one step */
	MARKS = 1024,	    /* that are kept of a part; the caller searches what follows them */
	LEAST = 16,	    /* parts for which threads are started */
};

/* Bytes of the file that were copied. */
struct window {
	uint64_t from, to; /* in the file */
	struct bytes bytes; /* from @from on; what a mark that begins before @to needs is there */
	uint8_t buffer[WINDOW + MARK];
};

struct part {
	uint64_t reached; /* 0, or: all marks before this offset are known */
	uint64_t *marks;  /* owned; offsets, in order */
	uint32_t count;
	uint32_t used;    /* of those, by the caller */
	bool done;        /* by a thread; guarded by the lock */
};

struct image_search {
	const struct input *input; /* borrowed */
	struct bytes bytes;
	struct part *parts; /* owned; in order */
	size_t count;
	size_t at; /* the part that the caller is in; SIZE_MAX before the first */
	struct window *window; /* owned; the caller's */
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	size_t front, back; /* the caller is past the parts before, threads have those after */
	struct workers workers;
};

/* Of the search that began last, in bytes; any thread reads them. */
static _Atomic uint64_t reached, whole;

/* The caller holds the lock, or no other thread has the search. */
static void note_reached(const struct image_search *search)
{
	const uint64_t parts = search->front + (search->count - search->back);
	const uint64_t most = search->bytes.size, bytes = parts * PART;

	atomic_store_explicit(&whole, most, memory_order_relaxed);
	atomic_store_explicit(&reached, bytes < most ? bytes : most, memory_order_relaxed);
}

uint64_t image_search_reached(uint64_t *size)
{
	*size = atomic_load_explicit(&whole, memory_order_relaxed);
	return atomic_load_explicit(&reached, memory_order_relaxed);
}

/* ---- Marks ------------------------------------------------------------ */

/*
 * Searches the blocks from @offset on, each of which two more bytes have to follow, for one that
 * may hold an image, by its first bytes: a fatbin's 50 ED 55, an ELF file's 7F 45 4C, an offload
 * binary's 10 FF 10, the ".ve" of PTX. Returns where it is, or where less than a block is left.
 * Most of the time of a large file is here.
 */
static uint64_t find_block(struct bytes bytes, uint64_t offset, uint64_t end)
{
	typedef short vector __attribute__((vector_size(16)));
	const short fatbin = (short)0xED50, elf = 0x457F, offload = (short)0xFF10, ptx = 0x762E;

	for (; end - offset > BLOCK + 1; offset += BLOCK) {
		uint64_t halves[2];
		vector any = { 0 };

		for (int i = 0; i < BLOCK; i += (int)sizeof(any)) {
			vector even, odd; /* pairs at even bytes, and between them */

			memcpy(&even, bytes.data + offset + i, sizeof(even));
			memcpy(&odd, bytes.data + offset + i + 1, sizeof(odd));
			any |= (even == fatbin) | (odd == fatbin) | (even == elf) | (odd == elf) |
			       (even == offload) | (odd == offload) | (even == ptx) | (odd == ptx);
		}
		memcpy(halves, &any, sizeof(halves));
		if (halves[0] | halves[1])
			break;
	}
	return offset;
}

#ifdef __x86_64__
/* Of 32 bytes from @p on, those whose place is not 0 are first bytes of what may be an image. For
 * each kind of image there is a bit, which a table has for a half of a byte: the low half of the
 * first, the high one of the second, the low one of the third. */
__attribute__((target("avx2"))) static __m256i classify(const uint8_t *p)
{
	enum { F = 1, E = 2, O = 4, P = 8 }; /* fatbin, ELF, offload binary, PTX */
	const __m256i first = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(F | O, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, P, E));
	const __m256i second = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(0, 0, 0, 0, E, 0, 0, P, 0, 0, 0, 0, 0, 0, F, O));
	const __m256i third = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(O, 0, 0, 0, 0, F | P, 0, 0, 0, 0, 0, 0, E, 0, 0, 0));
	const __m256i low = _mm256_set1_epi8(0x0F);
	__m256i one, two, three;

	one = _mm256_loadu_si256((const __m256i_u *)p);
	two = _mm256_loadu_si256((const __m256i_u *)(p + 1));
	three = _mm256_loadu_si256((const __m256i_u *)(p + 2));
	two = _mm256_and_si256(_mm256_srli_epi16(two, 4), low);
	/* A byte with its highest bit gets 0 from a table: no first and no third one has it. */
	return _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first, one),
						 _mm256_shuffle_epi8(third, three)),
				_mm256_shuffle_epi8(second, two));
}

__attribute__((target("avx2"))) static uint64_t find_block_wide(struct bytes bytes,
							       uint64_t offset, uint64_t end)
{
	for (; end - offset > BLOCK + 1; offset += BLOCK) {
		const uint8_t *p = bytes.data + offset;
		const __m256i any = _mm256_or_si256(classify(p), classify(p + BLOCK / 2));

		if (!_mm256_testz_si256(any, any))
			break;
	}
	return offset;
}

static uint64_t skip_blocks(struct bytes bytes, uint64_t offset, uint64_t end)
{
	return __builtin_cpu_supports("avx2") ? find_block_wide(bytes, offset, end) :
						find_block(bytes, offset, end);
}
#else
static uint64_t skip_blocks(struct bytes bytes, uint64_t offset, uint64_t end)
{
	return find_block(bytes, offset, end);
}
#endif

static inline bool is_first(uint8_t byte)
{
	return byte == 0x50 || byte == 0x7F || byte == 0x10 || byte == '.';
}

static bool is_mark(struct bytes bytes, uint64_t offset)
{
	static const uint8_t cubin[] = { 0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB };
	const uint8_t *p = bytes_at(bytes, offset, MARK);

	if (!p)
		return false;
	if (p[0] == cubin[0])
		return !memcmp(p, cubin, sizeof(cubin)) && load_u16(p + 18) == EM_CUDA;
	if (p[0] == '.')
		return !memcmp(p, PTX_TEXT_MARK, PTX_TEXT_MARK_SIZE);
	return p[0] == 0x50 ? fatbin_sniff(bytes, offset) :
			      p[0] == 0x10 && offload_sniff(bytes, offset);
}

/* Finds what looks like an image from @offset on, before @end; @end where there is nothing. */
static uint64_t find_mark(struct bytes bytes, uint64_t offset, uint64_t end)
{
	while (offset < end) {
		offset = skip_blocks(bytes, offset, end);
		for (int i = 0; i < BLOCK && offset < end; i++, offset++)
			if (is_first(bytes.data[offset]) && is_mark(bytes, offset))
				return offset;
	}
	return end;
}

/* ---- Windows ---------------------------------------------------------- */

/* Copies the bytes from @offset on, at most up to @end, to @window. */
static void move_window(const struct image_search *search, struct window *window, uint64_t offset,
			uint64_t end)
{
	const struct bytes bytes = search->bytes;
	const uint64_t stop = end - offset > WINDOW ? offset + WINDOW : end;
	const uint64_t more = bytes.size - stop;

	window->from = offset;
	window->to = stop;
	window->bytes = input_copy(search->input, (struct bytes){ bytes.data + offset,
				   stop - offset + (more < MARK ? more : MARK) }, window->buffer);
}

/* Finds the first mark from @offset on, before @end; @end where there is none. */
static uint64_t find_in_windows(const struct image_search *search, struct window *window,
				uint64_t offset, uint64_t end)
{
	while (offset < end) {
		uint64_t stop;

		if (offset < window->from || offset >= window->to)
			move_window(search, window, offset, end);
		stop = (window->to < end ? window->to : end) - window->from;
		offset = window->from + find_mark(window->bytes, offset - window->from, stop);
		if (offset - window->from < stop)
			break;
	}
	return offset;
}

/* ---- The threads ------------------------------------------------------ */

/* Finds the marks of @part; as many as are kept. */
static void search_part(const struct image_search *search, struct window *window,
			struct part *part)
{
	const uint64_t from = (uint64_t)(part - search->parts) * PART;
	const uint64_t left = search->bytes.size - from, end = from + (left < PART ? left : PART);
	uint64_t offset = from;

	while (part->count < MARKS) {
		uint64_t *mark;

		offset = find_in_windows(search, window, offset, end);
		if (offset == end)
			break;
		mark = array_grow(&part->marks, part->count, sizeof(*mark));
		if (!mark)
			break;
		ASSERT(offset < end && (!part->count || offset > mark[-1]));
		*mark = offset++;
		part->count++;
	}
	part->reached = offset;
}

/* Takes the last part that is free; NULL when there is none. */
static struct part *take_last(struct image_search *search)
{
	LOCKED_BY(&search->lock, LOCK_SEARCH);
	ASSERT(search->front <= search->count && search->back <= search->count);
	if (search->front >= search->back)
		return NULL;
	search->back--;
	note_reached(search);
	return &search->parts[search->back];
}

static void *work(void *argument)
{
	struct image_search *search = argument;
	struct window *window = calloc(1, sizeof(*window));
	struct part *part;

	while (window && (part = take_last(search))) {
		search_part(search, window, part);
		LOCKED_BY(&search->lock, LOCK_SEARCH);
		part->done = true;
		pthread_cond_signal(&search->changed);
	}
	free(window);
	return NULL;
}

/* ---- The caller ------------------------------------------------------- */

/* Takes the part @at for the caller, or waits for the thread that has it. */
static void take(struct image_search *search, size_t at)
{
	LOCKED_BY(&search->lock, LOCK_SEARCH);
	ASSERT(at < search->count);
	search->at = at;
	if (at < search->back) {
		search->front = at + 1;
		note_reached(search);
		return;
	}
	while (!search->parts[at].done)
		pthread_cond_wait(&search->changed, &search->lock);
}

/* Finds the first mark from @offset on, before @end, which are in @part; @end where there is
 * none. */
static uint64_t next_in_part(const struct image_search *search, struct part *part, uint64_t offset,
			     uint64_t end)
{
	ASSERT(part->used <= part->count && part->count <= MARKS);
	while (part->used < part->count && part->marks[part->used] < offset)
		part->used++;
	if (part->used < part->count)
		return part->marks[part->used] < end ? part->marks[part->used] : end;
	if (offset < part->reached)
		offset = part->reached < end ? part->reached : end;
	return find_in_windows(search, search->window, offset, end);
}

uint64_t image_search_next(struct image_search *search, uint64_t offset, uint64_t end)
{
	while (offset < end) {
		const size_t at = offset / PART;
		const uint64_t stop = end / PART == at ? end : (at + 1) * (uint64_t)PART;

		if (at != search->at)
			take(search, at);
		offset = next_in_part(search, &search->parts[at], offset, stop);
		if (offset < stop)
			break;
	}
	return offset;
}

/* ---- Beginning and end ------------------------------------------------ */

int image_search_start(const struct input *input, struct bytes bytes, struct image_search **out,
		       struct err *e)
{
	CLEANUP(free_image_search) struct image_search *search = calloc(1, sizeof(*search));

	if (!search)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	pthread_mutex_init(&search->lock, NULL);
	pthread_cond_init(&search->changed, NULL);
	search->input = input;
	search->bytes = bytes;
	search->at = SIZE_MAX;
	search->count = search->back = (bytes.size + PART - 1) / PART;
	search->parts = calloc(search->count + 1, sizeof(*search->parts));
	search->window = calloc(1, sizeof(*search->window));
	if (!search->parts || !search->window)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	note_reached(search);
	if (search->count >= LEAST)
		workers_start(&search->workers, workers_processors() - 1, work, search);
	*out = STEAL(search);
	return 0;
}

void image_search_free(struct image_search *search)
{
	if (!search)
		return;
	lock_acquire(&search->lock, LOCK_SEARCH);
	search->back = search->front;
	lock_release(&search->lock);
	workers_join(&search->workers);
	for (size_t i = 0; search->parts && i < search->count; i++)
		free(search->parts[i].marks);
	pthread_cond_destroy(&search->changed);
	pthread_mutex_destroy(&search->lock);
	free(search->parts);
	free(search->window);
	free(search);
	atomic_store(&whole, 0);
	atomic_store(&reached, 0);
}
