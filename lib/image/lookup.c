/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lookup.h"
#include "array.h"
#include "asserts.h"
#include "demangle.h"
#include "foreign.h"
#include "image_ahead.h"
#include "suggest.h"
#include "visible.h"

#include <stdio.h>
#include <sys/auxv.h>

enum {
	LISTED = 8,             /* candidates that a message names */
	NAMES_LEAST = 16 << 20, /* see struct lookup */
	NAMES_RATIO = 16,
};

static bool begins_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* ---- The list of kernels ---------------------------------------------- */

/*
 * Where a kernel of this name and container is in the list, through a hash
 * table. It knows the kernels of one file.
 */
struct table {
	size_t *slots; /* owned; index + 1, or 0 */
	size_t size;   /* a power of two, or 0 */
	size_t first;  /* index of the file's first kernel */
	struct image_file *file; /* borrowed */
	const char *scope;       /* borrowed */
};

static void release_table(struct table *table)
{
	free(table->slots);
}

/* Begins with a number that the system makes for each process: names that are made to collide
 * in one process do not in another. */
static size_t hash(const char *name, uint32_t container)
{
	size_t value = container + 1469598103934665603u;
	const void *random = (const void *)getauxval(AT_RANDOM);
	size_t seed = 0;

	if (random)
		memcpy(&seed, random, sizeof(seed));
	value ^= seed;

	while (*name)
		value = (value ^ (unsigned char)*name++) * 1099511628211u;
	return value ^ value >> 29;
}

static size_t *find_slot(const struct lookup *lookup, const struct table *table,
			 const char *name, uint32_t container)
{
	size_t i = hash(name, container) & (table->size - 1);

	ASSERT(table->size && !(table->size & (table->size - 1)));
	for (; table->slots[i]; i = (i + 1) & (table->size - 1)) {
		const struct lookup_kernel *kernel =
			&lookup->kernels[table->slots[i] - 1];

		if (kernel->container == container && !strcmp(kernel->name, name))
			break;
	}
	return &table->slots[i];
}

/* Makes @table large enough for one more, at most half full. */
static int grow_table(const struct lookup *lookup, struct table *table, struct err *e)
{
	struct table grown = *table;

	if ((lookup->count - table->first) * 2 < table->size)
		return 0;
	grown.size = table->size ? table->size * 2 : 64;
	grown.slots = calloc(grown.size, sizeof(grown.slots[0]));
	if (!grown.slots)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = table->first; i < lookup->count; i++)
		*find_slot(lookup, &grown, lookup->kernels[i].name,
			   lookup->kernels[i].container) = i + 1;
	release_table(table);
	*table = grown;
	return 0;
}

/* Demangles @name, unless all demangled names together have become too long. */
static char *read_name(struct lookup *lookup, const char *name)
{
	const bool grown = lookup->signatures > NAMES_LEAST + NAMES_RATIO * lookup->names;
	char *text = grown ? strdup(name) : demangle(name);

	lookup->names += strlen(name);
	lookup->signatures += text ? strlen(text) : 0;
	return text;
}

/* Notes that @image holds @kernel, as it may more than once. */
static int add_holder(struct lookup_kernel *kernel, const struct image *image, struct err *e)
{
	const size_t number = image_index(kernel->file, image);
	size_t *slot;

	if (kernel->image_count && kernel->images[kernel->image_count - 1] == number)
		return 0;
	slot = array_grow(&kernel->images, kernel->image_count, sizeof(*slot));
	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*slot = number;
	kernel->image_count++;
	return 0;
}

/* Adds @info of @image, or replaces what a cubin says by what PTX says. */
static int add_kernel(struct lookup *lookup, struct table *table, struct image *image,
		      const struct kernel_info *info, struct err *e)
{
	struct lookup_kernel *kernel;
	size_t *slot;

	TRY(grow_table(lookup, table, e));
	slot = find_slot(lookup, table, info->name, image->container);
	if (*slot) {
		ASSERT(*slot > table->first && *slot <= lookup->count);
		kernel = &lookup->kernels[*slot - 1];
		if (image->kind == IMAGE_PTX && kernel->image->kind != IMAGE_PTX) {
			kernel->image = image;
			kernel->info = info;
		}
		return add_holder(kernel, image, e);
	}
	kernel = array_grow(&lookup->kernels, lookup->count, sizeof(*kernel));
	if (!kernel)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	*slot = ++lookup->count;
	kernel->name = info->name;
	kernel->container = image->container;
	kernel->image = image;
	kernel->info = info;
	kernel->file = table->file;
	kernel->scope = table->scope;
	kernel->signature = read_name(lookup, info->name);
	kernel->qualified =
		kernel->signature ? demangle_qualified(kernel->signature) : NULL;
	kernel->base = kernel->qualified ? demangle_base(kernel->qualified) : NULL;
	if (!kernel->base)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	return add_holder(kernel, image, e);
}

/* Adds the kernels of @image; @failure keeps the first image that cannot be read. */
static int add_image(struct lookup *lookup, struct table *table, struct image *image,
		     struct err *failure, struct err *e)
{
	struct err reason = { 0 };

	if (image_kernels(table->file, image, &reason)) {
		if (reason.code == GPURUN_NO_MEMORY && e)
			*e = reason;
		if (!failure->code)
			*failure = reason;
		return reason.code == GPURUN_NO_MEMORY ? GPURUN_NO_MEMORY : 0;
	}
	/* Only now is it known that it is not relocatable. */
	if (image->problem)
		return 0;
	for (size_t i = 0; i < image->kernel_count && !image->of_runtime; i++)
		TRY(add_kernel(lookup, table, image, &image->kernels[i], e));
	return 0;
}

/* Says what there is instead of an image that can be loaded, and why it cannot be. */
static int nothing_loadable(struct image_file *file, const bool *wanted, struct err *e)
{
	const struct foreign *foreign = foreign_find(image_file_bytes(file));
	char all[ERR_TEXT_SIZE / 2], hint[ERR_TEXT_SIZE], words[64];

	image_describe_all(file, all, sizeof(all));
	err_set(e, GPURUN_NO_IMAGE, "no image that can be loaded; it holds %s", all);
	if (foreign)
		return err_hint(e, "%s", foreign_hint(foreign, image_file_path(file), hint,
						      sizeof(hint)));
	for (size_t i = 0; i < image_count(file); i++) {
		const struct image *image = image_at(file, i);

		if (image->problem && (!wanted || wanted[i]))
			return err_hint(e, "%s: %s",
					image_describe(image, words, sizeof(words)),
					image->problem);
	}
	return GPURUN_NO_IMAGE;
}

/* The result of adding images. */
struct adding {
	const bool *wanted;
	struct err failure; /* of the first that could not be read */
	bool loadable;	    /* one was */
};

static int add_images(struct lookup *lookup, struct table *table, struct adding *adding,
		      const size_t *numbers, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		const size_t number = numbers ? numbers[i] : i;
		struct image *image = image_at(table->file, number);

		if ((adding->wanted && !adding->wanted[number]) ||
		    (image->kind != IMAGE_PTX && image->kind != IMAGE_CUBIN))
			continue;
		TRY(add_image(lookup, table, image, &adding->failure, e));
		adding->loadable |= !image->problem;
	}
	return 0;
}

/* Says why there is nothing to launch, if so. */
static int end_adding(const struct adding *adding, struct image_file *file, struct err *e)
{
	if (adding->loadable)
		return 0;
	if (!adding->failure.code)
		return nothing_loadable(file, adding->wanted, e);
	if (e)
		*e = adding->failure;
	return adding->failure.code;
}

/* Of some images it is known only then that they are to be linked. */
static void list_kernels(struct image_file *file, const bool *wanted)
{
	for (size_t i = 0; i < image_count(file); i++)
		if (!wanted || wanted[i])
			image_kernels(file, image_at(file, i), NULL);
}

int lookup_add(struct lookup *lookup, const char *scope, struct image_file *file,
	       const bool *wanted, struct err *e)
{
	CLEANUP(release_table)
	struct table table = { .first = lookup->count, .file = file, .scope = scope };
	struct adding adding = { .wanted = wanted };

	list_kernels(file, wanted);
	TRY(image_file_join(file, e));
	TRY(add_images(lookup, &table, &adding, NULL, image_count(file), e));
	return end_adding(&adding, file, e);
}

/* Adds the kernels of one container, calls the visitor and forgets them; *@more: continue. */
static int visit_container(struct adding *adding, const char *scope, struct image_file *file,
			   uint32_t container, lookup_visitor *visit, void *data, bool *more,
			   struct err *e)
{
	CLEANUP(release_table) struct table table = { .file = file, .scope = scope };
	CLEANUP(lookup_release) struct lookup lookup = { 0 };
	const size_t *numbers;
	size_t count = image_members(file, container, &numbers);

	TRY(add_images(&lookup, &table, adding, numbers, count, e));
	if (lookup.count)
		*more = visit(&lookup, data);
	for (size_t i = 0; i < count; i++)
		image_forget(file, image_at(file, numbers[i]));
	return 0;
}

int lookup_each(const char *scope, struct image_file *file, const bool *wanted,
		lookup_visitor *visit, void *data, struct err *e)
{
	CLEANUP(free_image_ahead) struct image_ahead *ahead = NULL;
	struct adding adding = { .wanted = wanted };
	const uint32_t containers = image_containers(file);
	bool more = true;

	TRY(image_file_join(file, e));
	image_ahead_start(file, wanted, &ahead);
	for (uint32_t i = 0; i < containers && more; i++) {
		image_ahead_wait(ahead, i);
		TRY(visit_container(&adding, scope, file, i, visit, data, &more, e));
	}
	return end_adding(&adding, file, e);
}

void lookup_release(struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->count; i++) {
		free(lookup->kernels[i].signature);
		free(lookup->kernels[i].qualified);
		free(lookup->kernels[i].base);
		free(lookup->kernels[i].images);
	}
	free(lookup->kernels);
	*lookup = (struct lookup){ 0 };
}

/* ---- Levels ----------------------------------------------------------- */

/* Compares except for spaces, which demanglers and people place differently. */
static bool same_words(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/* What follows the namespaces of @qualified: "axpb<int>" of "math::axpb<int>". */
static const char *last_part(const struct lookup_kernel *kernel)
{
	const char *at = kernel->qualified, *found = at;
	size_t length = strlen(kernel->base);

	/* The last place where the base name stands right after a "::". */
	while ((at = strstr(at, "::"))) {
		at += 2;
		if (!strncmp(at, kernel->base, length) &&
		    (at[length] == '<' || !at[length]))
			found = at;
	}
	return found;
}

/* "math::axpb" of "math::axpb<int>". */
static bool is_untemplated(const char *qualified, const char *name)
{
	size_t length = strlen(name);

	return begins_with(qualified, name) && qualified[length] == '<' &&
	       qualified[strlen(qualified) - 1] == '>';
}

/* Tells whether @text, which has characters that are escaped, is shown as @name. */
static bool is_shown_as(const char *text, const char *name)
{
	const size_t size = strlen(text), length = strlen(name);
	CLEANUP(free_pointer) char *shown = NULL;

	if (!strchr(name, '\\') || length <= size ||
	    visible_copy(NULL, 0, text, size, VISIBLE_NAME) != length)
		return false;
	shown = malloc(length + 1);
	if (!shown)
		return false;
	visible_copy(shown, length + 1, text, size, VISIBLE_NAME);
	return !strcmp(shown, name);
}

static bool matches(const struct lookup_kernel *kernel, const char *name,
		    enum lookup_level level)
{
	switch (level) {
	case LOOKUP_ONLY:
		/* What LLVM adds for constructors and destructors is no kernel of the program. */
		return !strcmp(name, ".") && !begins_with(kernel->name, "nvptx$device$");
	case LOOKUP_MANGLED:
		return !strcmp(kernel->name, name);
	case LOOKUP_SIGNATURE:
		return same_words(kernel->signature, name);
	case LOOKUP_TEMPLATE:
		return same_words(kernel->qualified, name) ||
		       same_words(last_part(kernel), name);
	case LOOKUP_BASE:
		return !strcmp(kernel->base, name) ||
		       is_untemplated(kernel->qualified, name);
	case LOOKUP_SHOWN:
		return is_shown_as(kernel->name, name) || is_shown_as(kernel->signature, name) ||
		       is_shown_as(kernel->qualified, name) || is_shown_as(kernel->base, name);
	case LOOKUP_PREFIX:
		return begins_with(kernel->name, name) || begins_with(kernel->base, name);
	}
	return false;
}

/* ---- Messages --------------------------------------------------------- */

struct text {
	char *at;
	size_t left;
	size_t items;
};

static void append(struct text *text, const char *item)
{
	int length = 0;

	if (text->items < LISTED)
		length = snprintf(text->at, text->left, "%s%s", text->items ? ", " : "",
				  item);
	text->items++;
	if (length < 0 || (size_t)length >= text->left)
		length = (int)(text->left ? text->left - 1 : 0);
	text->at += length;
	text->left -= (size_t)length;
}

static void append_rest(struct text *text)
{
	if (text->items > LISTED)
		snprintf(text->at, text->left, " and %zu more", text->items - LISTED);
}

/* Tells whether @kernel is of @scope; NULL means every scope but "". */
static bool is_in(const struct lookup_kernel *kernel, const char *scope)
{
	return scope ? !strcmp(kernel->scope, scope) : *kernel->scope;
}

/* "vadd", or "b:vadd" of the file that is called b. */
static void append_kernel(struct text *text, const struct lookup_kernel *kernel,
			  const char *where)
{
	char item[320];

	snprintf(item, sizeof(item), "%s%s%.200s%s", kernel->scope,
		 *kernel->scope ? ":" : "", kernel->signature, where);
	append(text, item);
}

/* What was probably meant; words of the kernels that @scope, or NULL: any, has. */
static void hint_near(const struct lookup *lookup, const char *scope, const char *name,
		      struct err *e)
{
	CLEANUP(free_pointer)
	const char **words = calloc(lookup->count * 3 + 1, sizeof(*words));
	const char *meant;
	size_t count = 0;

	if (!words)
		return;
	for (size_t i = 0; i < lookup->count; i++) {
		if (scope && !is_in(&lookup->kernels[i], scope))
			continue;
		words[count++] = lookup->kernels[i].base;
		words[count++] = lookup->kernels[i].name;
		words[count++] = lookup->kernels[i].qualified;
	}
	meant = suggest(name, words, count);
	if (meant)
		err_hint(e, "did you mean '%s%s%.200s'?", scope ? scope : "",
			 scope && *scope ? ":" : "", meant);
}

static int not_found(const struct lookup *lookup, const char *scope, const char *name,
		     struct err *e)
{
	char list[ERR_TEXT_SIZE - 128] = "";
	struct text text = { list, sizeof(list), 0 };
	const char *before = scope ? scope : "", *colon = *before ? ":" : "";

	for (size_t i = 0; i < lookup->count; i++) {
		if (!scope || is_in(&lookup->kernels[i], scope))
			append_kernel(&text, &lookup->kernels[i], "");
	}
	append_rest(&text);
	if (!text.items)
		return err_set(e, GPURUN_NOT_FOUND,
			       "no kernel '%s%s%.100s': there is none at all", before,
			       colon, name);
	err_set(e, GPURUN_NOT_FOUND, "no kernel '%s%s%.100s'; there is %s", before, colon,
		name, list);
	hint_near(lookup, scope, name, e);
	return GPURUN_NOT_FOUND;
}

/* Kernels that a name may mean. */
struct matches {
	size_t count;
	const struct lookup_kernel *first;
	bool same_name;  /* all have one mangled name */
	bool same_scope; /* all are of one file */
};

static struct matches count_matches(const struct lookup *lookup, const char *scope,
				    const char *name, enum lookup_level level)
{
	struct matches found = { .same_name = true, .same_scope = true };

	for (size_t i = 0; i < lookup->count; i++) {
		const struct lookup_kernel *kernel = &lookup->kernels[i];

		if (!is_in(kernel, scope) || !matches(kernel, name, level))
			continue;
		if (lookup->joined && found.first && !*found.first->scope && !*kernel->scope &&
		    !strcmp(found.first->name, kernel->name))
			continue;
		found.first = found.first ? found.first : kernel;
		found.same_name &= !strcmp(found.first->name, kernel->name);
		found.same_scope &= !strcmp(found.first->scope, kernel->scope);
		found.count++;
	}
	return found;
}

/* Several kernels match: of different names, or one name in several places. */
static int ambiguous(const struct lookup *lookup, const char *scope, const char *name,
		     enum lookup_level level, const struct matches *found, struct err *e)
{
	char list[ERR_TEXT_SIZE - 64] = "", where[80] = "";
	struct text text = { list, sizeof(list), 0 };

	for (size_t i = 0; i < lookup->count; i++) {
		const struct lookup_kernel *kernel = &lookup->kernels[i];

		if (!is_in(kernel, scope) || !matches(kernel, name, level))
			continue;
		if (found->same_scope)
			snprintf(where, sizeof(where), " (%.40s%simage %zu)",
				 kernel->image->where, *kernel->image->where ? ", " : "",
				 image_index(kernel->file, kernel->image));
		append_kernel(&text, kernel, where);
	}
	append_rest(&text);
	err_set(e, GPURUN_NOT_FOUND, "'%.100s' may be any of %s", name, list);
	if (!found->same_scope)
		err_hint(e, "say which: %s:%.100s", found->first->scope, name);
	else
		err_hint(e, found->same_name ?
				    "pick one of the images by its number: --image" :
				    "give more of the name, in quotes: 'NAME<TYPE>' or "
				    "'NAME(TYPE, ...)'");
	return GPURUN_NOT_FOUND;
}

/* Tries the levels from @first to @last in @scope. *@kernel is NULL when none knows @name. */
static int find_at(const struct lookup *lookup, const char *scope, const char *name,
		   enum lookup_level first, enum lookup_level last,
		   const struct lookup_kernel **kernel, enum lookup_level *level,
		   struct err *e)
{
	for (*level = first; *level <= last && name[0]; ++*level) {
		struct matches found = count_matches(lookup, scope, name, *level);

		if (found.count > 1)
			return ambiguous(lookup, scope, name, *level, &found, e);
		*kernel = found.first;
		if (*kernel)
			return 0;
	}
	return 0;
}

int lookup_find(const struct lookup *lookup, const char *scope, const char *name,
		const struct lookup_kernel **kernel, enum lookup_level *level,
		struct err *e)
{
	const struct {
		const char *scope;
		enum lookup_level first, last;
	} passes[] = {
		{ "", LOOKUP_ONLY, LOOKUP_SHOWN },
		{ NULL, LOOKUP_ONLY, LOOKUP_SHOWN },
		{ "", LOOKUP_PREFIX, LOOKUP_PREFIX },
		{ NULL, LOOKUP_PREFIX, LOOKUP_PREFIX },
	};

	*kernel = NULL;
	if (scope)
		TRY(find_at(lookup, scope, name, LOOKUP_ONLY, LOOKUP_PREFIX, kernel,
			    level, e));
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]) && !scope && !*kernel;
	     i++)
		TRY(find_at(lookup, passes[i].scope, name, passes[i].first,
			    passes[i].last, kernel, level, e));
	return *kernel ? 0 : not_found(lookup, scope, name, e);
}
