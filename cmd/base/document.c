/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document.h"

#include "asserts.h"
#include "exit.h"

void document_begin(struct json *json)
{
	json_object(json, NULL);
	json_string(json, "schema", "gpurun/1");
	json_string(json, "version", GPURUN_VERSION_STRING);
}

static void version(struct json *json, const char *key, int major, int minor)
{
	char text[24];

	snprintf(text, sizeof(text), "%d.%d", major, minor);
	json_string(json, key, text);
}

void document_device_info(struct json *json, const struct gpurun_device_info *info)
{
	json_string(json, "kind", info->kind == GPURUN_DEVICE_CPU ? "cpu" : "gpu");
	json_unsigned(json, "index", (uint64_t)info->ordinal);
	json_string(json, "uuid", info->uuid);
	version(json, "cc", info->cc_major, info->cc_minor);
	json_string(json, "name", info->name);
	json_string(json, "pci", *info->pci ? info->pci : NULL);
	version(json, "driver", info->driver_version / 1000, info->driver_version % 1000 / 10);
	json_unsigned(json, "memory", info->memory);
	json_unsigned(json, "multiprocessors", (uint64_t)info->multiprocessors);
}

void document_device(struct json *json, const char *selector,
		     const struct gpurun_device_info *info)
{
	static const char *const keys[] = { "kind",   "index",	"uuid",	  "cc", "name", "pci",
					    "driver", "memory", "multiprocessors" };

	json_object(json, "device");
	json_string(json, "selector", selector);
	if (info)
		document_device_info(json, info);
	for (size_t i = 0; !info && i < sizeof(keys) / sizeof(keys[0]); i++)
		json_string(json, keys[i], NULL);
	json_end_object(json);
}

void document_tolerance(struct json *json, const struct tolerance *tolerance)
{
	json_double(json, "rtol", tolerance->rtol);
	json_double(json, "atol", tolerance->atol);
	json_unsigned(json, "ulp", tolerance->ulp);
}

void document_exit(struct json *json, int code, const char *name, const char *source)
{
	ASSERT(code >= 0 && name && source);
	json_object(json, "exit");
	json_unsigned(json, "code", (uint64_t)code);
	json_string(json, "name", name);
	json_string(json, "source", source);
	json_end_object(json);
}

void document_error(struct json *json, const char *stage, const struct err *error)
{
	ASSERT(stage && *error->text);
	json_object(json, "error");
	json_string(json, "stage", stage);
	json_string(json, "message", error->text);
	if (*error->hint)
		json_string(json, "hint", error->hint);
	json_end_object(json);
}

void document_end(struct json *json, int status, const char *stage, const struct err *error)
{
	int code = status ? exit_of_status((enum gpurun_status)status) : EXIT_OK;

	document_exit(json, code, exit_name(code), "gpurun");
	if (status)
		document_error(json, stage, error);
	json_end_object(json);
	fputc('\n', json->to);
}
