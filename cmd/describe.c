/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "describe.h"

#include "cleanup.h"
#include "document.h"
#include "output.h"
#include "sources.h"

static void json_damage(struct json *json, const struct source *source, const void *data)
{
	const char *damage = image_file_damage(source->file);

	(void)data;
	if (damage)
		json_string(json, "damage", damage);
}

int describe_damage(const struct plan *plan, struct err *e)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		const char *damage = image_file_damage(plan->sources[i].file);

		if (damage)
			return err_set(e, GPURUN_FORMAT, "%s: damaged: %s",
				       plan->sources[i].path, damage);
	}
	return 0;
}

int describe_json(const struct plan *plan, describe_members *members, void *data,
		  int status, struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct json json = { .to = to };
	int failed;

	if (!to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	document_begin(&json);
	sources_json(&json, plan, json_damage, NULL);
	failed = members(&json, plan, data, e);
	document_end(&json, status ? status : describe_damage(plan, NULL));
	if (fclose(to))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	TRY(failed);
	return output_report(plan->options->json_file, text, size, e);
}
