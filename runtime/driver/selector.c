/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "selector.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *text, const char *why, struct err *e)
{
	err_set(e, GPURUN_INVALID, "bad device selector '%s': %s", text, why);
	return err_hint(e, "a selector is auto, gpu, gpu:N, gpu:UUID, gpu:PCI, cpu or "
			   "cpu:key=value,...");
}

static bool all_digits(const char *text)
{
	return text[0] && strspn(text, "0123456789") == strlen(text);
}

/* An unknown kind: other usual names of a GPU, or the CPU, have their own hint. */
static int unknown_kind(const char *text, struct err *e)
{
	size_t word = strcspn(text, "0123456789:");
	const char *number = text + word + (text[word] == ':');
	bool gpu = !word || (word == 3 && !strncasecmp(text, "gpu", 3)) ||
		   (word == 4 && !strncasecmp(text, "cuda", 4));
	int status = refuse(text, "no such kind of device", e);

	if (gpu && all_digits(number))
		return err_hint(e, "did you mean gpu:%.9s?", number);
	if (gpu && word && !*number)
		return err_hint(e, "did you mean gpu?");
	if (!strncmp(text, "cpu,", 4))
		return err_hint(e, "did you mean cpu:%.200s?", text + 4);
	if (!strcasecmp(text, "cpu") || !strcasecmp(text, "host"))
		return err_hint(e, "did you mean cpu?");
	return status;
}

/* A complete UUID or the beginning of one, with or without its "GPU-". */
static int parse_uuid(const char *text, const char *value, struct selector *out,
		      struct err *e)
{
	size_t length = 0;

	if (!strncasecmp(value, "GPU-", 4))
		value += 4;
	for (; value[length]; length++) {
		if (length == sizeof(out->uuid) - 1)
			return refuse(text, "the UUID is too long", e);
		if (!isxdigit((unsigned char)value[length]) && value[length] != '-')
			return refuse(text, "neither a number nor a UUID", e);
		out->uuid[length] = (char)tolower((unsigned char)value[length]);
	}
	if (!length || out->uuid[0] == '-')
		return refuse(text, "neither a number nor a UUID", e);
	return 0;
}

/* [DOMAIN:]BUS:DEVICE[.FUNCTION], as nvidia-smi and lspci print it. */
static int parse_pci(const char *text, const char *value, struct selector *out, struct err *e)
{
	if (strlen(value) >= sizeof(out->pci) ||
	    strspn(value, "0123456789abcdefABCDEF:.") != strlen(value))
		return refuse(text, "not a PCI address", e);
	memcpy(out->pci, value, strlen(value) + 1);
	return 0;
}

static int parse_gpu(const char *text, const char *value, struct selector *out,
		     struct err *e)
{
	long number;

	if (strchr(value, ':'))
		return parse_pci(text, value, out, e);

	/* Eight digits are the first group of a UUID, not an ordinal. */
	if (!all_digits(value) || strlen(value) >= 8)
		return parse_uuid(text, value, out, e);
	number = strtol(value, NULL, 10);
	out->ordinal = (int)number;
	return 0;
}

static int parse_cpu(const char *text, const char *value, struct selector *out,
		     struct err *e)
{
	size_t length = strlen(value);

	if (length >= sizeof(out->options))
		return refuse("cpu:...", "the options are too long", e);
	if (!strchr(value, '='))
		return refuse(text, "expected key=value after 'cpu:'", e);
	memcpy(out->options, value, length + 1);
	return 0;
}

int selector_parse(const char *text, struct selector *out, struct err *e)
{
	memset(out, 0, sizeof(*out));
	out->ordinal = -1;
	if (!strcmp(text, "auto"))
		return 0;
	out->kind = SELECT_GPU;
	if (!strcmp(text, "gpu"))
		return 0;
	if (!strncmp(text, "gpu:", 4))
		return parse_gpu(text, text + 4, out, e);
	out->kind = SELECT_CPU;
	if (!strcmp(text, "cpu"))
		return 0;
	if (!strncmp(text, "cpu:", 4))
		return parse_cpu(text, text + 4, out, e);
	return unknown_kind(text, e);
}

bool selector_agrees(const struct selector *wanted, const struct selector *current,
		     bool cpu, int ordinal)
{
	if (wanted->kind == SELECT_AUTO)
		return true;
	if ((wanted->kind == SELECT_CPU) != cpu)
		return false;
	if (wanted->ordinal >= 0 && wanted->ordinal != ordinal)
		return false;
	if (wanted->uuid[0] && strcmp(wanted->uuid, current->uuid))
		return false;
	if (wanted->pci[0] && strcmp(wanted->pci, current->pci))
		return false;
	return !wanted->options[0] || !strcmp(wanted->options, current->options);
}
