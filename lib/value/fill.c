/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fill.h"

#include <math.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"

/* All integers up to this are doubles. */
#define DOUBLE_EXACT ((wide)1 << 53)

struct target {
	const struct init *init;
	enum value_type type;
	const struct value_info *info;
	uint64_t count;
	uint64_t seed, stream;
	uint8_t *data;
	unsigned part;	 /* of complex numbers: which one is filled; else 0 */
	unsigned stride; /* from one element to the next */
};

/* A generator of random numbers, splitmix64, and no hash: those of a seed must not change. */
static uint64_t mix(uint64_t bits)
{
	bits += 0x9e3779b97f4a7c15;
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
	return bits ^ bits >> 31;
}

uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
	return mix(mix(mix(seed) ^ stream) ^ index);
}

static uint8_t *element(const struct target *target, uint64_t index)
{
	ASSERT(index < target->count && target->stride >= target->info->size);
	return target->data + index * target->stride;
}

/* Copies the first element to all others, doubling what is there. */
static void spread(const struct target *target)
{
	uint64_t total = target->count * target->info->size;
	uint64_t have = target->info->size;

	while (have < total) {
		uint64_t more = have < total - have ? have : total - have;

		memcpy(target->data + have, target->data, more);
		have += more;
	}
}

static int fill_value(const struct target *target, struct err *e)
{
	uint8_t first[VALUE_MAX_SIZE];

	TRY(number_store(&target->init->values[0], target->type, first, e));
	if (!target->count)
		return 0;
	memcpy(target->data, first, target->info->size);
	spread(target);
	return 0;
}

static int not_exact(const struct target *target, uint64_t index, struct err *e)
{
	return err_set(e, GPURUN_INVALID, "%s: %s cannot hold element %llu exactly",
		       target->init->text, target->info->name, (unsigned long long)index);
}

/* Stores @real, rounded, which must not become an infinity. */
static int store_rounded(const struct target *target, uint64_t index, double real,
			 struct err *e)
{
	uint8_t *at = element(target, index);

	value_store_double(target->type, at, real);
	if (!isfinite(real) || isfinite(value_load_double(target->type, at)))
		return 0;
	return err_set(e, GPURUN_INVALID, "%s: element %llu is too large for %s",
		       target->init->text, (unsigned long long)index, target->info->name);
}

/* Both ends within what a double holds exactly: no 128-bit arithmetic per element. */
static int iota_small(const struct target *target, int64_t start, int64_t step,
		      struct err *e)
{
	for (uint64_t i = 0; i < target->count; i++) {
		int64_t integer = start + (int64_t)i * step;

		if (target->type == TYPE_F32 &&
		    (double)(float)integer == (double)integer) {
			float single = (float)integer;

			memcpy(element(target, i), &single, sizeof(single));
		} else if (!value_store_integer(target->type, element(target, i),
						integer)) {
			return not_exact(target, i, e);
		}
	}
	return 0;
}

static int iota_integers(const struct target *target, wide start, wide step,
			 struct err *e)
{
	wide last;

	if (!target->count)
		return 0;
	if (__builtin_mul_overflow((wide)(target->count - 1), step, &last) ||
	    __builtin_add_overflow(last, start, &last))
		return not_exact(target, target->count - 1, e);
	if (start <= DOUBLE_EXACT && start >= -DOUBLE_EXACT && last <= DOUBLE_EXACT &&
	    last >= -DOUBLE_EXACT &&
	    (target->count == 1 || target->count <= (uint64_t)1 << 53))
		return iota_small(target, (int64_t)start,
				  target->count > 1 ? (int64_t)step : 0, e);
	for (uint64_t i = 0; i < target->count; i++) {
		if (!value_store_integer(target->type, element(target, i),
					 start + i * step))
			return not_exact(target, i, e);
	}
	return 0;
}

static int check_modulus(const struct target *target, const struct number *start,
			 const struct number *step, struct err *e)
{
	const struct number *modulus = &target->init->values[2];

	if (start->is_float || step->is_float || modulus->is_float)
		return err_set(e, GPURUN_INVALID, "%s: a modulus needs integers",
			       target->init->text);
	if (modulus->integer <= 0)
		return err_set(e, GPURUN_INVALID, "%s: the modulus is not positive",
			       target->init->text);
	return 0;
}

/* Remainders are those of division that rounds down: none is negative. */
static int iota_remainders(const struct target *target, const struct number *start,
			   const struct number *step, struct err *e)
{
	const wide modulus = target->init->values[2].integer;
	wide value, by;

	TRY(check_modulus(target, start, step, e));
	value = (start->integer % modulus + modulus) % modulus;
	by = step->integer % modulus;
	for (uint64_t i = 0; i < target->count; i++) {
		if (!value_store_integer(target->type, element(target, i), value))
			return not_exact(target, i, e);
		value = (value + by + modulus) % modulus;
	}
	return 0;
}

/* Value @index of the init, of the part that is filled; @otherwise if there is none. */
static struct number part_or(const struct target *target, unsigned index, wide otherwise)
{
	if (target->init->given[index])
		return number_part(&target->init->values[index], target->part);
	return (struct number){ .integer = otherwise };
}

/* The imaginary parts, too, begin with one number and have one step: none by default. */
static int fill_iota(const struct target *target, struct err *e)
{
	const struct number start = part_or(target, 0, 0);
	const struct number step = part_or(target, 1, target->part ? 0 : 1);
	double from, by;

	if (target->init->given[2])
		return iota_remainders(target, &start, &step, e);
	if (!start.is_float && !step.is_float)
		return iota_integers(target, start.integer, step.integer, e);
	if (!target->info->is_float)
		return err_set(e, GPURUN_INVALID, "%s: %s needs integers", target->init->text,
			       target->info->name);
	from = number_double(&start);
	by = number_double(&step);
	for (uint64_t i = 0; i < target->count; i++)
		TRY(store_rounded(target, i, from + (double)i * by, e));
	return 0;
}

/* A uniform number in [0, 1) with as many bits as the type has. */
static double uniform(uint64_t bits, const struct value_info *info)
{
	return ldexp((double)(bits >> (63 - info->mantissa)), -(int)info->mantissa - 1);
}

/* Bits for @index, of the part that is filled. */
static uint64_t draw(const struct target *target, uint64_t index)
{
	const unsigned parts = target->stride / target->info->size;

	return random_bits(target->seed, target->stream, index * parts + target->part);
}

/* Value @index of the init: a real number is of both parts. */
static double both_or(const struct target *target, unsigned index, double otherwise)
{
	const struct number *number = &target->init->values[index];
	struct number part = number->is_complex ? number_part(number, target->part) : *number;

	return target->init->given[index] ? number_double(&part) : otherwise;
}

static int rand_floats(const struct target *target, struct err *e)
{
	double low = both_or(target, 0, 0), high = both_or(target, 1, 1);

	if (!(low < high) || isinf(low) || isinf(high))
		return err_set(e, GPURUN_INVALID, "%s: there is nothing between the two",
			       target->init->text);
	for (uint64_t i = 0; i < target->count; i++) {
		double real = low + uniform(draw(target, i), target->info) * (high - low);

		TRY(store_rounded(target, i, real, e));
		/* Rounding may have reached the end that is left out. */
		if (value_load_double(target->type, element(target, i)) >= high)
			TRY(store_rounded(target, i, low, e));
	}
	return 0;
}

static int rand_integers(const struct target *target, struct err *e)
{
	const struct init *init = target->init;
	wide top =
		target->type == TYPE_BOOL
			? 2
			: (wide)1 << (8 * target->info->size - target->info->is_signed);
	wide low = init->given[0]	     ? init->values[0].integer
		   : target->info->is_signed ? -top
					     : 0;
	wide high = init->given[1] ? init->values[1].integer : top - 1;
	uint8_t unused[8];

	if ((init->given[0] && init->values[0].is_float) ||
	    (init->given[1] && init->values[1].is_float))
		return err_set(e, GPURUN_INVALID, "%s: %s needs integers", init->text,
			       target->info->name);
	if (low > high)
		return err_set(e, GPURUN_INVALID, "%s: there is nothing between the two",
			       init->text);
	if (!value_store_integer(target->type, unused, low) ||
	    !value_store_integer(target->type, unused, high))
		return err_set(e, GPURUN_INVALID, "%s: %s cannot hold that", init->text,
			       target->info->name);
	for (uint64_t i = 0; i < target->count; i++) {
		uint64_t bits = random_bits(target->seed, target->stream, i);
		unsigned __int128 scaled =
			(unsigned __int128)bits * (unsigned __int128)(high - low + 1);

		value_store_integer(target->type, element(target, i),
				    low + (wide)(scaled >> 64));
	}
	return 0;
}

/* Box and Muller's method, from two uniform numbers to a normal one. */
static int fill_randn(const struct target *target, struct err *e)
{
	const unsigned parts = target->stride / target->info->size;
	const struct number mean_of = part_or(target, 0, 0);
	double mean = number_double(&mean_of), deviation = both_or(target, 1, 1);

	if (!target->info->is_float)
		return err_set(e, GPURUN_INVALID, "%s: %s is not a float type",
			       target->init->text, target->info->name);
	for (uint64_t i = 0; i < target->count; i++) {
		uint64_t at = 2 * (i * parts + target->part);
		uint64_t first = random_bits(target->seed, target->stream, at);
		uint64_t second = random_bits(target->seed, target->stream, at + 1);
		double radius = sqrt(-2 * log(1 - ldexp((double)(first >> 11), -53)));
		double angle = 2 * M_PI * ldexp((double)(second >> 11), -53);

		TRY(store_rounded(target, i, mean + deviation * radius * cos(angle), e));
	}
	return 0;
}

static int fill_list(const struct target *target, struct err *e)
{
	const char *text = target->init->payload;
	uint64_t given = 1;

	for (const char *at = text; *at; at++)
		given += *at == ',';
	if (given != target->count)
		return err_set(e, GPURUN_INVALID, "%.40s: %llu values for %llu elements",
			       target->init->text, (unsigned long long)given,
			       (unsigned long long)target->count);
	for (uint64_t i = 0; i < target->count; i++) {
		size_t length = strcspn(text, ",");
		struct number number;

		if (number_parse(text, length, &number, e) ||
		    number_store(&number, target->type, element(target, i), e))
			return err_wrap(e, "list, value %llu", (unsigned long long)i);
		text += length + 1;
	}
	return 0;
}

static int fill_text(const struct target *target, struct err *e)
{
	size_t length = strlen(target->init->payload);

	if (target->type != TYPE_I8 && target->type != TYPE_U8)
		return err_set(e, GPURUN_INVALID, "text needs i8 or u8, not %s",
			       target->info->name);
	if (length > target->count)
		return err_set(e, GPURUN_INVALID, "text of %zu bytes for %llu elements",
			       length, (unsigned long long)target->count);
	memset(target->data, 0, target->count);
	memcpy(target->data, target->init->payload, length);
	return 0;
}

static int fill_numbers(const struct target *target, struct err *e)
{
	if (target->init->kind == INIT_IOTA)
		return fill_iota(target, e);
	if (target->init->kind == INIT_RANDN)
		return fill_randn(target, e);
	return target->info->is_float ? rand_floats(target, e) : rand_integers(target, e);
}

/* Fills the parts of complex numbers one after the other, as if they were real. */
static int fill_parts(const struct target *target, struct err *e)
{
	const struct init *init = target->init;
	struct target part = *target;

	for (int i = 0; i < 3 && target->info->parts == 1; i++) {
		if (init->given[i] && init->values[i].is_complex)
			return err_set(e, GPURUN_INVALID, "%s: %s is not complex", init->text,
				       target->info->name);
	}
	part.type = target->info->part;
	part.info = value_info(part.type);
	for (; part.part < target->info->parts; part.part++, part.data += part.info->size)
		TRY(fill_numbers(&part, e));
	return 0;
}

int init_fill(const struct init *init, enum value_type type, uint64_t count,
	      uint64_t seed, uint64_t stream, void *data, struct err *e)
{
	const struct value_info *info = value_info(type);
	const struct target target = { init,   type, info, count, seed,
				       stream, data, 0,	   info->size };

	switch (init->kind) {
	case INIT_ZERO:
		memset(data, 0, count * info->size);
		return 0;
	case INIT_POISON:
		memset(data, 0xff, count * info->size);
		return 0;
	case INIT_FILL:
		return fill_value(&target, e);
	case INIT_IOTA:
	case INIT_RAND:
	case INIT_RANDN:
		return fill_parts(&target, e);
	case INIT_LIST:
		return fill_list(&target, e);
	case INIT_TEXT:
		return fill_text(&target, e);
	case INIT_UNINIT:
	case INIT_FILE:
		break;
	}
	return 0;
}
