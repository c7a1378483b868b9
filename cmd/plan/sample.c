/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample.h"

#include <stdarg.h>
#include <string.h>

#include "signature.h"

enum {
	MOST_THREADS = 256, /* of a block */
	MOST_RANK = 3       /* of a memref */
};

struct sample {
	char *text;
	size_t size, at;
	const struct lookup_kernel *kernel;
	bool has_pointers; /* the image says which parameters are pointers */
	unsigned buffers;  /* that have a name */
};

__attribute__((format(printf, 2, 3)))
static void put(struct sample *sample, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (sample->at < sample->size)
		sample->at += (size_t)vsnprintf(sample->text + sample->at,
						sample->size - sample->at, format, args);
	va_end(args);
}

/* Adds @word as a shell reads it. */
static void put_word(struct sample *sample, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./:=,@+-";

	if (*word && !word[strspn(word, plain)]) {
		put(sample, " %s", word);
		return;
	}
	put(sample, " '");
	for (; *word; word++) {
		if (*word == '\'')
			put(sample, "'\\''");
		else
			put(sample, "%c", *word);
	}
	put(sample, "'");
}

/* Adds the name of buffer @number: a to z, then a1, b1 and so on. */
static void put_buffer(struct sample *sample, unsigned number)
{
	put(sample, "%c", (int)('a' + number % 26));
	if (number >= 26)
		put(sample, "%u", number / 26);
}

/* Adds the next name. */
static void put_name(struct sample *sample)
{
	put_buffer(sample, sample->buffers++);
}

static const struct kernel_param *param_at(const struct sample *sample, size_t index)
{
	return &sample->kernel->info->params[index];
}

static bool is_pointer(const struct sample *sample, size_t index)
{
	const struct kernel_param *param = param_at(sample, index);

	if (sample->has_pointers)
		return param->space != PARAM_NOT_POINTER;
	return param->size == 8 && !param->array && param->kind != PARAM_FLOAT &&
	       param->kind != PARAM_SIGNED;
}

/* The parameters of a memref that begins at @first: two pointers, an offset, sizes and strides. */
static size_t memref_params(const struct sample *sample, size_t first)
{
	const size_t count = sample->kernel->info->param_count;
	size_t end = first + 2;

	if (!sample->has_pointers || end >= count || !is_pointer(sample, first) ||
	    !is_pointer(sample, first + 1))
		return 0;
	while (end < count && !is_pointer(sample, end) && param_at(sample, end)->size == 8)
		end++;
	if (!((end - first) % 2) || end - first < 5 || end - first > 3 + 2 * MOST_RANK)
		return 0;
	return end - first;
}

static void put_memref(struct sample *sample, size_t params)
{
	static const char *const shapes[] = { "1Ki", "32x32", "8x8x16" };

	put(sample, " -a memref:");
	put_name(sample);
	put(sample, "=f32:%s", shapes[(params - 5) / 2]);
}

/* The type of number that fills @size bytes; NULL: none does. */
static const char *number(const struct kernel_param *param)
{
	const bool is_float = param->kind == PARAM_FLOAT;

	if (param->array)
		return NULL;
	switch (param->size) {
	case 1:
		return "u8=1";
	case 2:
		return is_float ? "f16=1" : "i16=1";
	case 4:
		return is_float ? "f32=1" : "i32=1Ki"; /* often the number of elements */
	case 8:
		return is_float ? "f64=1" : "i64=1Ki";
	default:
		return NULL;
	}
}

/* @known: what the C++ name says; NULL: nothing. */
static void put_value(struct sample *sample, size_t index, const struct signature_param *known)
{
	const struct kernel_param *param = param_at(sample, index);

	if (known && value_info(known->type)->size == param->size)
		put(sample, " -a %s=%s", value_info(known->type)->name,
		    value_info(known->type)->is_float || param->size < 4 ? "1" : "1Ki");
	else if (number(param))
		put(sample, " -a %s", number(param));
	else
		put(sample, " -a struct:pad:%llu", (unsigned long long)param->size);
}

static void put_argument(struct sample *sample, size_t index)
{
	const struct lookup_kernel *kernel = sample->kernel;
	struct signature_param named;
	const bool known = signature_param(kernel->signature, index, kernel->info->param_count,
					   &named);

	if (known ? named.pointer : is_pointer(sample, index)) {
		put(sample, " -a ");
		put_name(sample);
		put(sample, "=%s:1Ki", known ? value_info(named.type)->name : "f32");
		return;
	}
	put_value(sample, index, known ? &named : NULL);
}

static void put_arguments(struct sample *sample)
{
	const struct kernel_info *info = sample->kernel->info;
	size_t params;

	for (size_t i = 0; i < info->param_count; i++)
		sample->has_pointers |= info->params[i].space != PARAM_NOT_POINTER;
	for (size_t i = 0; i < info->param_count; i += params ? params : 1) {
		params = memref_params(sample, i);
		if (params)
			put_memref(sample, params);
		else
			put_argument(sample, i);
	}
}

static void put_geometry(struct sample *sample)
{
	const struct kernel_info *info = sample->kernel->info;
	const unsigned *block = info->required_block, *cluster = info->cluster;
	const unsigned most = info->max_block[0];

	if (cluster[0])
		put(sample, " -g %ux%ux%u", cluster[0], cluster[1], cluster[2]);
	else if (!block[0])
		put(sample, " --threads 1Ki");
	if (block[0])
		put(sample, " -b %ux%ux%u", block[0], block[1], block[2]);
	else
		put(sample, " -b %u", most && most < MOST_THREADS ? most : MOST_THREADS);
}

/* A template has its arguments in its name. */
static void put_kernel(struct sample *sample, const struct lookup_kernel *kernel)
{
	const char *name = strchr(kernel->signature, '<') ? kernel->signature : kernel->base;
	char text[ERR_TEXT_SIZE];

	if (*kernel->scope)
		snprintf(text, sizeof(text), "%s:%s", kernel->scope, name);
	else
		snprintf(text, sizeof(text), "%s", name);
	put(sample, " --launch");
	put_word(sample, text);
}

bool sample_line(const struct plan *plan, const struct lookup_kernel *kernel, char *text,
		 size_t size)
{
	struct sample sample = { .text = text, .size = size, .kernel = kernel };

	put(&sample, "gpurun");
	if (plan->source_count == 1)
		put_word(&sample, plan->sources[0].path);
	else
		put(&sample, " ...");
	put_kernel(&sample, kernel);
	put_geometry(&sample);
	put_arguments(&sample);
	if (sample.buffers) { /* the last one is the output more often than not */
		put(&sample, " --print ");
		put_buffer(&sample, sample.buffers - 1);
		put(&sample, ":8");
	}
	return sample.at < size;
}
