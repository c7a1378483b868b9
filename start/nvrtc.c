/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nvrtc.h"

#include "text.h"

/* As nvrtcCompileProgram() of nvrtc.h, which is this in all versions. */
typedef int compile_fn(void *program, int count, const char *const *options);

/* More options are left as they are. */
enum { MOST_OPTIONS = 255 };

#define FUNCTION "nvrtcCompileProgram"

/*
 * Of the library that was loaded last: a process has one, but for namespaces that are not looked
 * at. Another one's compilations go on here, in the last one.
 */
static void *original;

static bool has_lines(int count, const char *const *options)
{
	static const char *const lines[] = {
#define OPTION(text) text,
#include "line_options.def"
	};

	for (int i = 0; i < count; i++)
		for (unsigned k = 0; k < sizeof(lines) / sizeof(*lines); k++)
			if (options[i] && text_same(options[i], lines[k]))
				return true;
	return false;
}

static int compile(void *program, int count, const char *const *options)
{
	compile_fn *next = (compile_fn *)original;
	const char *more[MOST_OPTIONS + 1];

	if (count < 0 || count > MOST_OPTIONS || (count && !options) || has_lines(count, options))
		return next(program, count, options);
	for (int i = 0; i < count; i++)
		more[i] = options[i];
	more[count] = "-lineinfo";
	return next(program, count + 1, more);
}

bool nvrtc_is(const char *name)
{
	static const char begin[] = "libnvrtc.";

	for (unsigned i = 0; i < sizeof(begin) - 1; i++)
		if (name[i] != begin[i])
			return false;
	return true;
}

const char *nvrtc_redirect(const struct object *object, uint64_t base, struct patched *patched)
{
	static void *ours = (void *)compile;
	const uint64_t at = object_find_export(object, FUNCTION);
	void *before;
	const char *why;

	if (!at)
		return "it has no " FUNCTION "()";
	why = patch_function(object, at, base, &ours, &before, patched);
	if (!why)
		original = before;
	return why;
}
