/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "image_facts.h"

#include "array.h"
#include "diagnose.h"
#include "image.h"

static const struct role {
	const char *text;
	bool prefix;  /* of the names, not the whole of one */
	bool ordered; /* by the number at the end of their names */
} roles[ROLES] = {
	[ROLE_INIT] = { "__init_array_object_", true, true },
	[ROLE_FINI] = { "__fini_array_object_", true, true },
	[ROLE_COUNTERS] = { "__profc_", true, false },
	[ROLE_DATA] = { "__profd_", true, false },
	[ROLE_NAMES] = { "__llvm_prf_nm", false, false },
	[ROLE_VERSION] = { "__llvm_profile_raw_version", false, false },
};

/* The client of its calls. */
static const struct role calls_host = { "__llvm_rpc_client", false, false };

static bool has_role(const struct variable_info *variable, const struct role *role)
{
	size_t length = strlen(role->text);

	return variable->length >= length && !memcmp(variable->name, role->text, length) &&
	       (role->prefix || variable->length == length);
}

/* The decimal number after the last '_' of @name; UINT64_MAX if it is no number. */
static uint64_t priority_of(const char *name)
{
	const char *digits = strrchr(name, '_');
	uint64_t priority = 0;

	if (!digits || !digits[1])
		return UINT64_MAX;
	while (*++digits) {
		if (*digits < '0' || *digits > '9' || priority > UINT32_MAX)
			return UINT64_MAX;
		priority = priority * 10 + (uint64_t)(*digits - '0');
	}
	return priority;
}

static bool add_variable_name(struct image_names *names, const struct variable_info *variable,
			      const struct role *role)
{
	struct image_name *name = array_grow(&names->items, names->count, sizeof(*name));

	if (!name)
		return false;
	names->count++;
	name->text = strndup(variable->name, variable->length);
	if (!name->text)
		return false;
	if (role->ordered) {
		name->priority = priority_of(name->text);
		name->order = names->count;
	}
	return true;
}

struct reading {
	struct image_facts *facts;
	bool chosen;    /* the roles are those of this image */
	bool exhausted; /* no memory is left */
};

static void note(const struct variable_info *variable, void *data)
{
	struct reading *reading = data;

	reading->facts->variables = true;
	reading->facts->calls_host |= has_role(variable, &calls_host);
	for (size_t i = 0; reading->chosen && i < ROLES; i++)
		if (has_role(variable, &roles[i]) &&
		    !add_variable_name(&reading->facts->roles[i], variable, &roles[i]))
			reading->exhausted = true;
}

/* Reads a part that the driver could choose; one that cannot be read may define anything. */
static int read_part(struct image_file *file, struct image *image,
		     struct reading *reading, struct err *e)
{
	int status = image_variables(file, image, note, reading, e);

	if (status == GPURUN_NO_MEMORY)
		return status;
	if (reading->exhausted)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for names of variables");
	if (status)
		reading->facts->variables = reading->facts->calls_host = true;
	return 0;
}

static int compare_names(const void *left, const void *right)
{
	const struct image_name *a = left, *b = right;

	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return strcmp(a->text, b->text);
}

static void sort(struct image_facts *facts)
{
	for (size_t i = 0; i < ROLES; i++)
		if (facts->roles[i].count)
			qsort(facts->roles[i].items, facts->roles[i].count,
			      sizeof(facts->roles[i].items[0]), compare_names);
}

int image_facts_read(const struct device *device, struct bytes bytes,
		     struct image_facts *facts, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct image_target target = diagnose_target(device);
	const struct image *best;
	size_t parts = 0;
	int status = image_file_read(bytes, "image", &file, e);

	*facts = (struct image_facts){ 0 };
	if (status == GPURUN_NO_MEMORY)
		return status;
	best = file ? image_choose(file, UINT32_MAX, &target) : NULL;
	for (size_t i = 0; file && i < image_count(file); i++) {
		struct image *image = image_at(file, i);
		struct reading reading = { facts, image == best, false };

		if (!image_runs_on(image, &target))
			continue;
		parts++;
		TRY(read_part(file, image, &reading, e));
	}
	if (!parts)
		facts->variables = facts->calls_host = true;
	sort(facts);
	return 0;
}

void image_facts_release(struct image_facts *facts)
{
	for (size_t i = 0; i < ROLES; i++) {
		for (size_t j = 0; j < facts->roles[i].count; j++)
			free(facts->roles[i].items[j].text);
		free(facts->roles[i].items);
	}
}
