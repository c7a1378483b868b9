/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "describe.h"

#include "cleanup.h"
#include "document.h"
#include "output.h"
#include "output_options.h"
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

int describe_json(const struct plan *plan, const char *mode, describe_members *members,
		  void *data, const struct err *failure, struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct json json = { .to = to };
	struct err damage = { 0 };
	int failed;

	if (!to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	document_begin(&json);
	sources_json(&json, plan, json_damage, NULL);
	failed = members(&json, plan, data, e);
	if (!failure && describe_damage(plan, &damage))
		failure = &damage;
	document_end(&json, failure ? (int)failure->code : 0, mode, failure);
	if (fclose(to))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	TRY(failed);
	return output_report(OUTPUT_JSON, plan->output->json.file, text, size, e);
}
