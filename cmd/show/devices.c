/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "devices.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "document.h"
#include "library.h"
#include "message.h"
#include "output.h"
#include "output_options.h"

static void print_text(const struct gpurun_device_info *info)
{
	if (info->kind == GPURUN_DEVICE_CPU)
		output_text("cpu");
	else
		output_text("gpu:%d", info->ordinal);
	output_text("  %s  cc %d.%d  %llu MiB  %s%s%s  CUDA %d.%d", info->name,
		    info->cc_major, info->cc_minor, (unsigned long long)(info->memory >> 20),
		    info->uuid, *info->pci ? "  " : "", info->pci, info->driver_version / 1000,
		    info->driver_version % 1000 / 10);
	if (info->kind == GPURUN_DEVICE_CPU)
		output_text("  %d thread%s", info->multiprocessors,
			    info->multiprocessors == 1 ? "" : "s");
	output_text("\n");
}

static void print_json(struct json *json, const struct gpurun_device_info *info)
{
	json_object(json, NULL);
	document_device_info(json, info);
	json_end_object(json);
}

static int print_all(struct json *json, struct err *e)
{
	int count;

	TRY(library_status(gpurun_device_count(&count), e));
	for (int i = 0; i < count; i++) {
		struct gpurun_device_info info = { .struct_size = sizeof(info) };
		struct gpurun_device device;

		TRY(library_status(gpurun_device_get(i, &device), e));
		TRY(library_status(gpurun_device_get_info(device, &info), e));
		if (json)
			print_json(json, &info);
		else
			print_text(&info);
	}
	return 0;
}

/* Prints the devices of one driver; the library is free for another afterwards. */
static int print_driver(const char *selector, struct json *json, struct err *e)
{
	int status;

	TRY(library_status(gpurun_init(selector), e));
	status = print_all(json, e);
	if (gpurun_shutdown() && !status)
		status = library_status(GPURUN_DRIVER, e);
	return status;
}

static int print_drivers(const char *cpu, struct json *json, struct err *e)
{
	struct err no_gpu = { 0 };
	int status = print_driver("gpu", json, &no_gpu);

	if (status == GPURUN_NO_DEVICE)
		message_note("no GPU: %s", no_gpu.text);
	TRY(print_driver(cpu, json, e));
	if (status && status != GPURUN_NO_DEVICE) {
		*e = no_gpu;
		return status;
	}
	return 0;
}

int devices_print(const char *device, const struct output_options *output, struct err *e)
{
	const char *cpu = device && !strncmp(device, "cpu:", 4) ? device : "cpu";
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	struct json json = { 0 };
	int status;

	if (!output->json.wanted)
		return print_drivers(cpu, NULL, e);
	json.to = open_memstream(&text, &size);
	if (!json.to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	document_begin(&json);
	json_array(&json, "devices");
	status = print_drivers(cpu, &json, e);
	json_end_array(&json);
	document_end(&json, status, "devices", e);
	if (fclose(json.to))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	TRY(output_report(OUTPUT_JSON, output->json.file, text, size, e));
	return status;
}
