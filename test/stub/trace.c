/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stub.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static FILE *out; /* NULL: nothing is to be written */
static char out_path[4096];

/* The line at work; under the stub's lock. */
static char line[1024];
static size_t used;
static bool first;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line + used, sizeof(line) - used, format, args);
	va_end(args);
	used += (size_t)length;
	if (used >= sizeof(line))
		used = sizeof(line) - 1;
}

void trace_open(const char *path)
{
	path = path ? path : "";
	if (!strcmp(path, out_path))
		return;
	if (out)
		fclose(out);
	snprintf(out_path, sizeof(out_path), "%s", path);
	out = *path ? fopen(path, "ae") : NULL;
	/* Whole lines: the program may crash, or fork. */
	if (out)
		setvbuf(out, NULL, _IOLBF, sizeof(line) + 32);
}

bool trace_begin(const char *name)
{
	used = 0;
	first = true;
	if (out)
		add("%s(", name);
	return out;
}

static void add_handle(const void *pointer)
{
	char name[32];

	thing_name(pointer, name, sizeof(name));
	add("%s", name);
}

/* A device address by its block; host memory has no name that lasts. */
static void add_address(CUdeviceptr address)
{
	const struct thing *thing = thing_at(address);
	CUdeviceptr offset = thing ? address - (uintptr_t)thing->data : 0;

	if (!thing && address)
		thing = thing_freed_at(address);
	if (!thing || thing->registered)
		add(address ? "host" : "0");
	else
		add_handle(thing);
	if (offset)
		add("+%llu", offset);
}

static void add_attribute(const CUlaunchAttribute *attribute)
{
	switch ((int)attribute->id) {
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		add(", cooperative %d", attribute->value.cooperative);
		return;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		add(", cluster %u %u %u", attribute->value.clusterDim.x,
		    attribute->value.clusterDim.y, attribute->value.clusterDim.z);
		return;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		add(", cluster policy %d", attribute->value.clusterSchedulingPolicyPreference);
		return;
	}
	add(", attribute %d", attribute->id);
}

static void add_config(const CUlaunchConfig *config)
{
	add("grid %u %u %u, block %u %u %u, shared %u, ", config->gridDimX, config->gridDimY,
	    config->gridDimZ, config->blockDimX, config->blockDimY, config->blockDimZ,
	    config->sharedMemBytes);
	add_handle(config->hStream);
	for (unsigned i = 0; i < config->numAttrs; i++)
		add_attribute(&config->attrs[i]);
}

static void add_value(enum trace_kind kind, const void *value)
{
	switch (kind) {
	case TRACE_INT:
		add("%d", *(const int *)value);
		return;
	case TRACE_UNSIGNED:
		add("%u", *(const unsigned *)value);
		return;
	case TRACE_U8:
		add("%u", *(const unsigned char *)value);
		return;
	case TRACE_U16:
		add("%u", *(const unsigned short *)value);
		return;
	case TRACE_SIZE:
		add("%zu", *(const size_t *)value);
		return;
	case TRACE_ADDRESS:
		add_address(*(const CUdeviceptr *)value);
		return;
	case TRACE_HANDLE:
		add_handle(*(void *const *)value);
		return;
	case TRACE_HOST:
		add_address((uintptr_t) * (void *const *)value);
		return;
	case TRACE_STRING:
		add("\"%s\"", *(const char *const *)value);
		return;
	case TRACE_CONFIG:
		add_config(*(const CUlaunchConfig *const *)value);
		return;
	case TRACE_OUT_HANDLE:
	case TRACE_OUT_ADDRESS:
	case TRACE_OUT_SIZE:
	case TRACE_OUT_INT:
	case TRACE_OTHER:
		add("...");
		return;
	}
}

/* What a call wrote through a pointer; nothing when it failed. */
static bool add_out(enum trace_kind kind, const void *value)
{
	static const enum trace_kind pointed[] = {
		[TRACE_OUT_HANDLE] = TRACE_HANDLE,
		[TRACE_OUT_ADDRESS] = TRACE_ADDRESS,
		[TRACE_OUT_SIZE] = TRACE_SIZE,
		[TRACE_OUT_INT] = TRACE_INT,
	};
	const void *pointer;

	if (kind < TRACE_OUT_HANDLE || kind > TRACE_OUT_INT)
		return false;
	pointer = *(void *const *)value;
	if (!pointer)
		return false;
	add("-> ");
	add_value(pointed[kind], pointer);
	return true;
}

void trace_argument(enum trace_kind kind, const void *value, CUresult result)
{
	add("%s", first ? "" : ", ");
	first = false;
	if (result || !add_out(kind, value))
		add_value(kind, value);
}

void trace_hang(const char *name)
{
	if (out)
		fprintf(out, "hangs: %s\n", name);
}

void trace_end(CUresult result)
{
	if (result)
		fprintf(out, "%s) = %d\n", line, (int)result);
	else
		fprintf(out, "%s)\n", line);
}
