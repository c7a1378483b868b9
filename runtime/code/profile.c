/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * compiler-rt takes one buffer: the counters of all functions, then a record for
 * each function, then the names. A record (InstrProfData.inc) begins with two
 * hashes and the distance from the record to its counters, which is set anew for
 * the host. The pointers after it are device addresses, invalid on the host; so there
 * are no values and no bitmaps, whose numbers end the record. Kernels can write to
 * records, so only the sizes of the variables are trusted.
 */
#include "profile.h"

#include <inttypes.h>
#include <string.h>

#include "api.h"
#include "bytes.h"

enum {
	RECORD_COUNTERS = 16, /* s64: distance to the counters */
	RECORD_BITMAP = 24,   /* s64, two pointers */
	RECORD_NUMBER = 48,   /* u32: of counters */
	RECORD_REST = 52,     /* of values and bytes of bitmaps */
	RECORD_LEAST = 56,    /* bytes of a record */
	PREFIX = sizeof("__profc_") - 1,
};

/* A bit of the version: counters are bytes. */
#define BYTE_COVERAGE (1ull << 60)

/* Defined in programs that compiler-rt's profile runtime is linked into. */
#pragma GCC visibility push(default)
__attribute__((weak)) int __llvm_write_custom_profile(
	const char *target, const void *data_begin, const void *data_end,
	const char *counters_begin, const char *counters_end, const char *names_begin,
	const char *names_end, const uint64_t *version);
#pragma GCC visibility pop

/* A variable on the device and the place of its bytes in the buffer. */
struct part {
	CUdeviceptr address;
	size_t size, offset;
};

struct profile {
	struct module *module;
	CUstream stream;
	size_t functions;
	struct part *counters, *records; /* owned; of each function */
	struct part names;
	uint8_t *buffer;                 /* owned */
	size_t records_at, size;         /* in the buffer; of it, without the names */
	uint64_t version;
	bool versioned;
};

static void profile_release(struct profile *profile)
{
	if (profile->stream) {
		runtime.cuda.cuStreamSynchronize(profile->stream);
		CUDA_STEP(profile->module->device, cuStreamDestroy, profile->stream);
	}
	free(profile->counters);
	free(profile->records);
	free(profile->buffer);
}

static int add_size(size_t *at, size_t size, struct err *e)
{
	uint64_t sum;

	if (!size_add(*at, size, &sum))
		return err_set(e, GPURUN_FORMAT, "counters and names of more than 2^64 bytes");
	*at = sum;
	return 0;
}

static int find_part(struct profile *profile, const char *name, struct part *part,
		     struct err *e)
{
	return CUDA(profile->module->device, e, cuModuleGetGlobal, &part->address, &part->size,
		    profile->module->native, name);
}

/* Finds counters and record of each function; both lists are sorted by name, and a name
 * that is in only one of them is skipped. */
static int find_functions(struct profile *profile, struct err *e)
{
	const struct image_names *counters = &profile->module->facts.roles[ROLE_COUNTERS];
	const struct image_names *records = &profile->module->facts.roles[ROLE_DATA];

	profile->counters = calloc(counters->count + 1, sizeof(profile->counters[0]));
	profile->records = calloc(counters->count + 1, sizeof(profile->records[0]));
	if (!profile->counters || !profile->records)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu functions",
			       counters->count);
	for (size_t i = 0, j = 0; i < counters->count && j < records->count;) {
		const char *left = counters->items[i].text, *right = records->items[j].text;
		int order = strcmp(left + PREFIX, right + PREFIX);

		if (!order) {
			TRY(find_part(profile, left, &profile->counters[profile->functions], e));
			TRY(find_part(profile, right, &profile->records[profile->functions], e));
			profile->functions++;
		}
		i += order <= 0;
		j += order >= 0;
	}
	return 0;
}

/* Assigns each part its place. */
static int lay_out(struct profile *profile, struct err *e)
{
	size_t at = 0, all;

	for (size_t i = 0; i < profile->functions; i++) {
		profile->counters[i].offset = at;
		TRY(add_size(&at, profile->counters[i].size, e));
	}
	TRY(add_size(&at, -at & 7, e));
	profile->records_at = at;
	for (size_t i = 0; i < profile->functions; i++) {
		size_t size = profile->records[i].size;

		if (size < RECORD_LEAST || size % 8 || size != profile->records[0].size)
			return err_set(e, GPURUN_FORMAT, "a record of %zu bytes, the first has "
				       "%zu: expected one size, a multiple of 8 and at least "
				       "%d", size, profile->records[0].size, RECORD_LEAST);
		profile->records[i].offset = at;
		TRY(add_size(&at, size, e));
	}
	profile->size = all = at;
	profile->names.offset = at;
	TRY(add_size(&all, profile->names.size, e));
	TRY(add_size(&all, 1, e));
	profile->buffer = calloc(1, all);
	if (!profile->buffer)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu bytes of counters", at);
	return 0;
}

static int copy(struct profile *profile, void *to, const struct part *part, struct err *e)
{
	return CUDA(profile->module->device, e, cuMemcpyAsync, (uintptr_t)to, part->address,
		    part->size, profile->stream);
}

static int read_all(struct profile *profile, struct err *e)
{
	for (size_t i = 0; i < profile->functions; i++) {
		const struct part *counters = &profile->counters[i];
		const struct part *record = &profile->records[i];

		TRY(copy(profile, profile->buffer + counters->offset, counters, e));
		TRY(copy(profile, profile->buffer + record->offset, record, e));
	}
	if (profile->names.size)
		TRY(copy(profile, profile->buffer + profile->names.offset, &profile->names, e));
	return CUDA(profile->module->device, e, cuStreamSynchronize, profile->stream);
}

/* The counters that @part has room for. */
static uint32_t most_counters(const struct profile *profile, const struct part *part)
{
	const bool bytes = profile->versioned && profile->version & BYTE_COVERAGE;
	const size_t most = part->size / (bytes ? 1 : sizeof(uint64_t));

	return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* Sets the records' distances to the counters, and limits the counts to what exists. */
static void relocate(struct profile *profile)
{
	for (size_t i = 0; i < profile->functions; i++) {
		const uint32_t most = most_counters(profile, &profile->counters[i]);
		uint8_t *record = profile->buffer + profile->records[i].offset;
		int64_t distance = (int64_t)profile->counters[i].offset -
				   (int64_t)profile->records[i].offset;

		memcpy(record + RECORD_COUNTERS, &distance, sizeof(distance));
		memset(record + RECORD_BITMAP, 0, RECORD_NUMBER - RECORD_BITMAP);
		if (load_u32(record + RECORD_NUMBER) > most)
			memcpy(record + RECORD_NUMBER, &most, sizeof(most));
		memset(record + RECORD_REST, 0, profile->records[i].size - RECORD_REST);
	}
}

/* The names of all functions and the version are one variable each, or none. */
static int find_rest(struct profile *profile, struct err *e)
{
	const struct image_names *roles = profile->module->facts.roles;
	struct part version = { 0 };

	if (roles[ROLE_NAMES].count)
		TRY(find_part(profile, roles[ROLE_NAMES].items[0].text, &profile->names, e));
	if (!roles[ROLE_VERSION].count)
		return 0;
	TRY(find_part(profile, roles[ROLE_VERSION].items[0].text, &version, e));
	profile->versioned = version.size == sizeof(profile->version);
	return profile->versioned ? copy(profile, &profile->version, &version, e) : 0;
}

static int write_by_runtime(struct profile *profile, struct err *e)
{
	const char *begin = (const char *)profile->buffer;
	const char *records = begin + profile->records_at, *names = begin + profile->size;

	if (__llvm_write_custom_profile("nvptx64-nvidia-cuda", records, names, begin, records,
					names, names + profile->names.size,
					profile->versioned ? &profile->version : NULL))
		return err_set(e, GPURUN_IO, "__llvm_write_custom_profile could not write the "
			       "counters of %zu functions", profile->functions);
	return 0;
}

static int collect_and_write(struct module *module, struct err *e)
{
	CLEANUP(profile_release) struct profile profile = { .module = module };

	TRY(CUDA(module->device, e, cuStreamCreate, &profile.stream, CU_STREAM_NON_BLOCKING));
	TRY(find_functions(&profile, e));
	TRY(find_rest(&profile, e));
	TRY(lay_out(&profile, e));
	TRY(read_all(&profile, e));
	relocate(&profile);
	return write_by_runtime(&profile, e);
}

int profile_write(struct module *module, struct err *e)
{
	if (!module->facts.roles[ROLE_COUNTERS].count)
		return 0;
	if (!__llvm_write_custom_profile) {
		api_log("the module has profile counters, which are lost: the program has no "
			"__llvm_write_custom_profile (link it with -fprofile-instr-generate)");
		return 0;
	}
	if (collect_and_write(module, e))
		return err_wrap(e, "profile counters");
	return 0;
}
