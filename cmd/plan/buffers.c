/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "buffers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "asserts.h"
#include "cleanup.h"
#include "file.h"
#include "fill.h"
#include "npy.h"
#include "suggest.h"
#include "texts.h"

/* What is read without a shape: of regular files, and of all others. */
#define MAX_FILE ((uint64_t)64 << 30)
#define MAX_STREAM ((uint64_t)1 << 30)

/* Files hold buffers of any size; what they are is said by the file or by the spec. */
struct loaded {
	enum value_type type;
	struct shape shape;
	uint8_t *contents; /* owned */
};

void buffer_release(struct buffer *buffer)
{
	free(buffer->contents);
	free(buffer->symbol);
	free(buffer->pointers.at);
}

static int wrong_shape(const char *path, const struct shape *have,
		       const struct shape *want, struct err *e)
{
	char left[128], right[128];

	shape_format(have, left, sizeof(left));
	shape_format(want, right, sizeof(right));
	return err_set(e, GPURUN_IO, "%s: its shape is %s, not %s", path, left, right);
}

static int check_npy(const char *path, const struct npy *npy, const struct spec *spec,
		     struct err *e)
{
	bool is_single = value_info(npy->type)->size == 1;

	if (npy->is_void && !spec->has_type) {
		err_set(e, GPURUN_IO, "%s: its elements are %s of no type", path,
			is_single ? "single bytes" : "two bytes");
		return err_hint(e, "say %s:@%s if that is what they are",
				is_single ? "e4m3" : "bf16", path);
	}
	if (spec->has_type && !npy_holds(npy, spec->type))
		return err_set(e, GPURUN_IO, "%s: its elements are %s, not %s", path,
			       value_info(npy->type)->name, value_info(spec->type)->name);
	if (spec->has_shape && !shape_equal(&npy->shape, &spec->shape))
		return wrong_shape(path, &npy->shape, &spec->shape, e);
	return 0;
}

static int take_npy(const char *path, struct bytes file, const struct spec *spec,
		    struct loaded *out, struct err *e)
{
	struct npy npy;

	if (npy_read(file, &npy, e)) {
		e->code = GPURUN_IO;
		return err_wrap(e, "%s", path);
	}
	TRY(check_npy(path, &npy, spec, e));
	out->type = spec->has_type ? spec->type : npy.type;
	out->shape = npy.shape;
	memmove(out->contents, npy.data.data, npy.data.size);
	return 0;
}

static int take_raw(const char *path, size_t size, const struct spec *spec,
		    struct loaded *out, struct err *e)
{
	unsigned width = value_info(spec->type)->size;

	if (!spec->has_type) {
		err_set(e, GPURUN_INVALID, "%s: not a npy file, so its type is not known",
			path);
		if (size >= 4 && !memcmp(out->contents, "PK\3\4", 4))
			return err_hint(e, "it is an archive of them: unzip %s, then take the .npy "
					   "files", path);
		return err_hint(e, "say TYPE:@%s", path);
	}
	out->type = spec->type;
	out->shape = spec->shape;
	if (!spec->has_shape) {
		if (size % width)
			return err_set(e, GPURUN_IO,
				       "%s: %zu bytes are no whole number of %s", path,
				       size, value_info(spec->type)->name);
		out->shape = (struct shape){ 1, { size / width }, size / width };
	}
	if (size != out->shape.count * width)
		return err_set(e, GPURUN_IO, "%s: %zu bytes where %llu are needed", path,
			       size, (unsigned long long)(out->shape.count * width));
	return 0;
}

/*
 * The most that is read of the file of @spec: what its shape needs, and a header of a .npy
 * file. Without a shape it is the size of a regular file; a pipe or a device might have no end.
 */
static uint64_t most_of(const struct spec *spec)
{
	struct stat status;
	uint64_t size;

	if (spec->has_shape && spec->has_type &&
	    size_mul(spec->shape.count, value_info(spec->type)->size, &size) &&
	    size_add(size, NPY_HEADER_MAX, &size))
		return size;
	if (!strcmp(spec->init.payload, "-"))
		return MAX_STREAM;
	if (stat(spec->init.payload, &status) || S_ISREG(status.st_mode) ||
	    S_ISDIR(status.st_mode)) /* what is no file is said when it is opened */
		return MAX_FILE;
	return MAX_STREAM;
}

static int load(const struct spec *spec, struct loaded *out, struct err *e)
{
	const char *path = spec->init.payload;
	const uint64_t most = most_of(spec);
	size_t size;

	TRY(file_take_stdin(path, "a buffer", e));
	if (file_read(path, most, &out->contents, &size, e))
		return most == MAX_STREAM ?
			       err_hint(e, "with a shape more is read: TYPE:SHAPE:@FILE") :
			       (int)e->code;
	if (npy_sniff((struct bytes){ out->contents, size }))
		return take_npy(path, (struct bytes){ out->contents, size }, spec, out,
				e);
	return take_raw(path, size, spec, out, e);
}

static void release_loaded(struct loaded *loaded)
{
	free(loaded->contents);
}

static bool on_device(const struct init *init)
{
	return init->kind == INIT_ZERO || init->kind == INIT_POISON ||
	       init->kind == INIT_UNINIT;
}

/* Computes contents for @buffer on the host. Its index chooses its random numbers. */
static int compute(const struct plan *plan, const struct buffer *buffer,
		   const struct init *init, uint8_t **out, struct err *e)
{
	uint64_t stream = (uint64_t)(buffer - plan->buffers);
	CLEANUP(free_pointer) uint8_t *contents = malloc(buffer->size + 1);

	ASSERT(stream < plan->buffer_count);
	if (!contents)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %llu bytes",
			       (unsigned long long)buffer->size);
	TRY(init_fill(init, buffer->type, buffer->shape.count, plan->seed, stream,
		      contents, e));
	*out = STEAL(contents);
	return 0;
}

static int load_buffer(struct buffer *buffer, const struct spec *spec, struct err *e)
{
	CLEANUP(release_loaded) struct loaded loaded = { 0 };

	TRY(load(spec, &loaded, e));
	buffer->type = loaded.type;
	buffer->shape = loaded.shape;
	buffer->source = spec->init.payload;
	buffer->contents = STEAL(loaded.contents);
	return 0;
}

static int set_size(struct buffer *buffer, struct err *e)
{
	if (size_mul(buffer->shape.count, value_info(buffer->type)->size,
		     &buffer->size) &&
	    buffer->size <= INT64_MAX)
		return 0;
	return err_set(e, GPURUN_INVALID, "%llu elements are too many",
		       (unsigned long long)buffer->shape.count);
}

static int describe(const struct plan *plan, struct buffer *buffer,
		    const struct spec *spec, struct err *e)
{
	buffer->type = spec->type;
	buffer->shape = spec->shape;
	buffer->init = spec->init;
	if (spec->init.kind == INIT_FILE)
		TRY(load_buffer(buffer, spec, e));
	TRY(set_size(buffer, e));
	if (buffer->contents || on_device(&spec->init))
		return 0;
	return compute(plan, buffer, &spec->init, &buffer->contents, e);
}

static bool is_declared(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->buffer_count; i++) {
		if (!plan->buffers[i].anonymous && !plan->buffers[i].symbol &&
		    !strcmp(plan->buffers[i].name, name))
			return true;
	}
	return false;
}

int buffer_declare(struct plan *plan, const char *name, size_t position,
		   const struct spec *spec, size_t *index, struct err *e)
{
	struct buffer *buffer;

	ASSERT(strlen(name) < NAME_SIZE);
	if (*name && is_declared(plan, name))
		return err_set(e, GPURUN_INVALID, "buffer %s is declared twice", name);
	buffer = array_grow(&plan->buffers, plan->buffer_count, sizeof(*buffer));
	if (!buffer)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a buffer");
	buffer->anonymous = !*name;
	if (*name)
		memcpy(buffer->name, name, strlen(name) + 1);
	else
		snprintf(buffer->name, sizeof(buffer->name), "arg%zu", position);
	/* Counted even when it fails, so that it is released. */
	*index = plan->buffer_count++;
	if (describe(plan, buffer, spec, e))
		return err_wrap(e, "buffer %s", buffer->name);
	return 0;
}

int buffers_collect(struct plan *plan, const struct texts *texts, struct err *e)
{
	for (size_t i = 0; i < texts->count; i++) {
		char name[NAME_SIZE];
		struct spec spec;
		size_t index;

		if (declaration_parse(texts->at[i], name, &spec, e))
			return err_wrap(e, "--buf");
		TRY(buffer_declare(plan, name, 0, &spec, &index, e));
	}
	return 0;
}

/* The buffer that was probably meant by @name; NULL: none is near. A name of one letter or two
 * is near to one that differs in case alone. */
static const char *near_buffer(const struct plan *plan, const char *name)
{
	CLEANUP(free_pointer) const char **names = calloc(plan->buffer_count + 1, sizeof(*names));
	const char *near;

	if (!names)
		return NULL;
	for (size_t i = 0; i < plan->buffer_count; i++)
		names[i] = plan->buffers[i].name;
	near = suggest(name, names, plan->buffer_count);
	return near && (strlen(name) > 2 || !strcasecmp(name, near)) ? near : NULL;
}

static int no_buffer(const struct plan *plan, const char *name, struct err *e)
{
	const char *near = near_buffer(plan, name);
	char list[ERR_TEXT_SIZE / 2] = "";
	size_t at = 0;

	err_set(e, GPURUN_INVALID, "there is no buffer %s", name);
	if (!plan->buffer_count)
		return err_hint(e, "declare it: --buf %s=f32:1024:iota", name);
	for (size_t i = 0; i < plan->buffer_count && at < sizeof(list); i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, " %s",
				       plan->buffers[i].name);
	return near ? err_hint(e, "did you mean %s? there are:%s", near, list) :
		      err_hint(e, "there are:%s", list);
}

int buffer_find(const struct plan *plan, const char *name, size_t *index, struct err *e)
{
	*index = NONE;
	for (size_t i = 0; i < plan->buffer_count; i++) {
		if (plan->buffers[i].symbol || strcmp(plan->buffers[i].name, name))
			continue;
		if (*index != NONE) {
			err_set(e, GPURUN_INVALID, "several buffers are called %s", name);
			return err_hint(e, "give it a name: -a NAME=SPEC");
		}
		*index = i;
	}
	return *index == NONE ? no_buffer(plan, name, e) : 0;
}

int buffer_want(struct plan *plan, const struct buffer *buffer, const struct init *init,
		uint8_t **contents, struct err *e)
{
	CLEANUP(release_loaded) struct loaded loaded = { 0 };
	struct spec spec = { .has_type = true,
			     .has_shape = true,
			     .type = buffer->type,
			     .shape = buffer->shape,
			     .init = *init };

	*contents = NULL;
	if (init->kind == INIT_UNINIT)
		return err_set(e, GPURUN_INVALID, "uninit is nothing to compare with");
	if (init->kind != INIT_FILE)
		return compute(plan, buffer, init, contents, e);
	TRY(load(&spec, &loaded, e));
	*contents = STEAL(loaded.contents);
	return 0;
}
