/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cuda_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda_absent.h"

enum need { NEED_NOT, NEED_IF_THERE, NEED_ALWAYS };
#define OTHER(since)    NEED_NOT
#define OPTIONAL(since) NEED_IF_THERE
#define REQUIRED(since) NEED_ALWAYS

/* Looks up @symbol, unless it is never called; @absent is its substitute. */
static int find_call(void *library, const char *path, const char *symbol, enum need need,
		     void *absent, void **out, struct err *e)
{
	*out = need == NEED_NOT ? NULL : dlsym(library, symbol);
	if (*out)
		return 0;
	if (need == NEED_ALWAYS)
		return err_set(e, GPURUN_DRIVER, "%s: no function %s: not a CUDA driver, "
			       "or too old", path, symbol);
	*out = absent;
	return 0;
}

static int find_all(const char *path, struct cuda_api *api, struct err *e)
{
#define CUDA_API(name, symbol, need, params, args)                                         \
	TRY_FIND(name, symbol, need);
#define TRY_FIND(name, symbol, need)                                                       \
	do {                                                                               \
		void *found_ = NULL;                                                       \
		int status_ = find_call(api->library, path, symbol, need,                       \
					(void *)absent_##name, &found_, e);                     \
		if (status_)                                                               \
			return status_;                                                    \
		memcpy(&api->name, &found_, sizeof(found_));                               \
	} while (0)
#include "cuda_api.def"
	api->cpu = api->gpurunCpuConfigure != absent_gpurunCpuConfigure;
	api->fences = api->cuCtxRecordEvent != absent_cuCtxRecordEvent;
	api->parameters = api->cuFuncGetParamInfo != absent_cuFuncGetParamInfo;
	return 0;
}

/* Tells whether dlerror's @text says that the file @path itself is not there. */
static bool says_absent(const char *text, const char *path)
{
	size_t length = strlen(path);

	return !strncmp(text, path, length) && text[length] == ':' &&
	       strstr(text, "No such file or directory");
}

int cuda_api_open(const char *path, struct cuda_api *api, bool *absent, struct err *e)
{
	const char *text;

	*absent = false;
	memset(api, 0, sizeof(*api));
	api->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (api->library)
		return find_all(path, api, e);

	text = dlerror();
	*absent = says_absent(text, path);
	return err_set(e, *absent ? GPURUN_NO_DEVICE : GPURUN_DRIVER,
		       "no CUDA driver: tried to open %s", text);
}
