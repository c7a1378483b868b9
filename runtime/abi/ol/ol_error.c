/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Results. Callers keep them for as long as they like and never free them, so a
 * failure of the same code and text is made once and stays for the life of the
 * process: also after the library's end, and for static destructors of any order,
 * since nothing here is ever destroyed. There is no lock that could be held in a
 * forked child.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ol.h"

enum {
	TEXT_SIZE = 10 << 10,   /* of one failure: gpurun's text, hint and log have less */
	BUCKETS = 4096,
	MOST_BYTES = 8 << 20,   /* of all that are kept: others have only their code's text */
};

/* A failure that was made; owned by the table, for ever. */
struct kept {
	ol_error_struct_t error; /* first: callers have a pointer to it */
	struct kept *next;
	char text[];
};

/* Lists that only grow, at their front. */
static _Atomic(struct kept *) table[BUCKETS];
static _Atomic size_t kept_bytes;

/* The failures that are returned when there is no room for more. */
static const ol_error_struct_t bare[] = {
#define OL_ERRC(name, value) [value] = { OL_ERRC_##name, #name },
#include "ol_enum.def"
};

static unsigned bucket_of(const char *text, ol_errc_t code)
{
	unsigned hash = (unsigned)code;

	for (; *text; text++)
		hash = hash * 31 + (unsigned char)*text;
	return hash % BUCKETS;
}

static size_t bytes_of(const char *text)
{
	return sizeof(struct kept) + strlen(text) + 1;
}

/* Frees what was not added to the table. */
static void drop(struct kept **kept)
{
	if (*kept)
		atomic_fetch_sub(&kept_bytes, bytes_of((*kept)->text));
	free(*kept);
}

/* NULL: there is no room for it. */
static struct kept *make(ol_errc_t code, const char *text)
{
	size_t size = bytes_of(text);
	bool fits = atomic_fetch_add(&kept_bytes, size) + size <= MOST_BYTES;
	struct kept *kept = fits ? malloc(size) : NULL;

	if (!kept) {
		atomic_fetch_sub(&kept_bytes, size);
		return NULL;
	}
	kept->error.Code = code;
	kept->error.Details = strcpy(kept->text, text);
	return kept;
}

/* Looks for it among those from @first on and before @end. */
static struct kept *find_kept_error(struct kept *first, const struct kept *end, ol_errc_t code,
				    const char *text)
{
	for (; first != end; first = first->next)
		if (first->error.Code == code && !strcmp(first->text, text))
			return first;
	return NULL;
}

/* The first thread adds it; the others search what was added meanwhile. */
static ol_result_t keep(ol_errc_t code, const char *text)
{
	_Atomic(struct kept *) *bucket = &table[bucket_of(text, code)];
	CLEANUP(drop) struct kept *made = NULL;
	struct kept *first = atomic_load(bucket), *known = find_kept_error(first, NULL, code, text);

	if (!known)
		made = make(code, text);
	while (made && !known) {
		made->next = first;
		if (atomic_compare_exchange_strong(bucket, &first, made)) {
			known = made;
			made = NULL;
		} else {
			known = find_kept_error(first, made->next, code, text);
		}
	}
	return known ? &known->error : &bare[code];
}

ol_result_t ol_error(ol_errc_t code, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return keep(code, text);
}

ol_result_t ol_uninitialized(void)
{
	static const ol_error_struct_t error = {
		OL_ERRC_UNINITIALIZED,
		"liboffload has not been initialized - please call olInit before using this API",
	};

	return &error;
}

ol_result_t ol_joined(ol_result_t first, ol_result_t second)
{
	if (!first || !second)
		return first ? first : second;
	return ol_error(first->Code, "%s; also %s", first->Details, second->Details);
}

/* The code of this interface for a status of gpurun. */
static ol_errc_t code_of(int status, ol_errc_t handle)
{
	switch ((enum gpurun_status)status) {
	case GPURUN_OK:
		return OL_ERRC_SUCCESS;
	case GPURUN_INVALID:
		return OL_ERRC_INVALID_ARGUMENT;
	case GPURUN_HANDLE:
		return handle;
	case GPURUN_UNINITIALIZED:
		return OL_ERRC_UNINITIALIZED;
	case GPURUN_ENDED:
	case GPURUN_FORKED:
	case GPURUN_INTERNAL:
		return OL_ERRC_BACKEND_FAILURE;
	case GPURUN_NO_MEMORY:
		return OL_ERRC_OUT_OF_RESOURCES;
	case GPURUN_IO:
		return OL_ERRC_HOST_IO;
	case GPURUN_FORMAT:
	case GPURUN_NO_IMAGE:
		return OL_ERRC_INVALID_BINARY;
	case GPURUN_NOT_FOUND:
		return OL_ERRC_NOT_FOUND;
	case GPURUN_NO_DEVICE:
		return OL_ERRC_INVALID_DEVICE;
	case GPURUN_LAUNCH:
		return OL_ERRC_INVALID_SIZE;
	case GPURUN_UNSUPPORTED:
		return OL_ERRC_UNSUPPORTED;
	case GPURUN_DRIVER:
	case GPURUN_FAULT:
	case GPURUN_NOT_READY:
		return OL_ERRC_UNKNOWN;
	}
	return OL_ERRC_UNKNOWN;
}

/* Tells whether a line of @log is what @text begins with. */
static bool lists(const char *log, const char *text)
{
	for (size_t length; *log; log += length + (log[length] != '\0')) {
		length = strcspn(log, "\n");
		if (length && !strncmp(text, log, length))
			return true;
	}
	return false;
}

/* The text, its hint and the log. A log that has the text's first failure lists all of
 * several, more than the text may have room for: then only the log is used. A line of a
 * compiler may be in the text already. */
static ol_result_t last_failure(ol_errc_t code)
{
	const char *text = gpurun_error_text(), *hint = gpurun_error_hint();
	const char *log = gpurun_error_log();
	size_t length = strlen(log);

	length -= length && log[length - 1] == '\n';
	if (lists(log, text))
		return ol_error(code, "%.*s", (int)length, log);
	if (!memchr(log, '\n', length) && memmem(text, strlen(text), log, length))
		length = 0;
	return ol_error(code, "%s%s%s%s%.*s", text, hint[0] ? "; hint: " : "", hint,
			length ? "\n" : "", (int)length, log);
}

/* What gpurun reports of a handle, in the words of this interface. */
static ol_result_t handle_failure(ol_errc_t code)
{
	static const char *const words[][2] = { { "stream", "queue" }, { "module", "program" } };
	const char *from = gpurun_error_text();
	char text[TEXT_SIZE], *to = text;
	size_t row;

	while (*from && to < text + sizeof(text) - sizeof("program")) {
		for (row = 0; row < 2 && strncmp(from, words[row][0], strlen(words[row][0]));)
			row++;
		if (row == 2) {
			*to++ = *from++;
			continue;
		}
		from += strlen(words[row][0]);
		to = stpcpy(to, words[row][1]);
	}
	*to = '\0';
	return ol_error(code, "%s", text);
}

ol_result_t ol_result(int status, ol_errc_t handle)
{
	if (!status)
		return OL_SUCCESS;
	if (status == GPURUN_HANDLE)
		return handle_failure(handle);
	if (status != GPURUN_UNINITIALIZED)
		return last_failure(code_of(status, handle));
	if (atomic_load(&ol.host_alone))
		return ol_error(handle, "olInit() was not asked for platform CUDA: no handle but "
				"the host device's stands for anything");
	if (atomic_load(&ol.driverless))
		return ol_error(handle, "there is no GPU: no handle but the host device's stands "
				"for anything; hint: GPURUN_DEVICE=cpu brings the CPU device");
	return ol_uninitialized();
}
