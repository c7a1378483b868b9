/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * cuda_names DRIVER: reads "NAME SINCE SYMBOL FORM" of each form of a call from standard input (FORM:
 * the symbol for the thread's own default stream, or -) and tries that the driver has all of them,
 * finds them by name and version, and answers to each with arguments that are all zero: before
 * cuInit, with a context, and once the driver has ended. Prints TAP.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_abi.h"

#define MOST_FORMS 2000

struct form {
	char name[80], symbol[80], per_thread[80];
	int since;
};

static struct form forms[MOST_FORMS];
static int count;
static void *driver;
static int *reached; /* the form that is being tried; shared with the child that tries it */

/* What zeros make of any parameters: all that a processor passes in registers, and more. */
typedef CUresult any_fn(long, long, long, long, long, long, long, long, long, long, long, long,
			long, long, long, long, long, long, long, long);

static const char *const refused[] = {
#define CUDA_API(name, symbol, need, params, args)
#define CUDA_REFUSED(name, symbol, since, group) symbol,
#include "cuda_api.def"
};

static bool is_in(const char *name, const char *const *names, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}
#define IS_IN(name, names) is_in(name, names, sizeof(names) / sizeof((names)[0]))

static bool failed, told;

static void problem(const char *format, const char *name, long value)
{
	printf("#   ");
	printf(format, name, value);
	printf("\n");
	failed = true;
}

static void verdict(const char *what)
{
	printf("%s - %s\n", failed ? "not ok" : "ok", what);
	told |= failed;
	failed = false;
}

static bool read_forms(void)
{
	struct form *form = forms;

	for (; count < MOST_FORMS; form++, count++)
		if (scanf("%79s %d %79s %79s", form->name, &form->since, form->symbol,
			  form->per_thread) != 4)
			break;
	return count > 0;
}

static CUresult call(const char *symbol)
{
	any_fn *function;

	*(void **)&function = dlsym(driver, symbol);
	return function ? function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) :
			  CUDA_ERROR_UNKNOWN;
}

static void test_exported(void)
{
	for (int i = 0; i < count; i++) {
		if (!dlsym(driver, forms[i].symbol))
			problem("%s is not exported", forms[i].symbol, 0);
		if (*forms[i].per_thread != '-' && !dlsym(driver, forms[i].per_thread))
			problem("%s is not exported", forms[i].per_thread, 0);
	}
}

typedef CUresult find_fn(const char *, void **, int, uint64_t, CUdriverProcAddressQueryResult *);

static void check_found(find_fn *find, const struct form *form)
{
	const char *own = *form->per_thread == '-' ? form->symbol : form->per_thread;
	CUdriverProcAddressQueryResult status = 99;
	void *found = NULL;

	if (find(form->name, &found, form->since, 0, &status) || status ||
	    found != dlsym(driver, form->symbol))
		problem("%s in version %ld is another function, or none", form->name, form->since);
	if (find(form->name, &found, form->since, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
		 &status) ||
	    status || found != dlsym(driver, own))
		problem("%s in version %ld: wrong for the thread's own stream", form->name,
			form->since);
}

/* Before its first form there is none. */
static void check_first(find_fn *find, int at)
{
	CUdriverProcAddressQueryResult status = 99;
	int first = forms[at].since;
	void *found = &found;

	for (int i = 0; i < count; i++)
		if (!strcmp(forms[i].name, forms[at].name) && forms[i].since < first)
			first = forms[i].since;
	if (find(forms[at].name, &found, first - 1, 0, &status) || found ||
	    status != CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)
		problem("%s in version %ld is there", forms[at].name, first - 1);
}

static void test_found(void)
{
	find_fn *find;

	*(void **)&find = dlsym(driver, "cuGetProcAddress_v2");
	for (int i = 0; i < count; i++) {
		check_found(find, &forms[i]);
		check_first(find, i);
	}
}

/* What a refused call has to answer, else @want is what it is to answer at that time. */
static void check_answer(const char *symbol, CUresult want)
{
	const CUresult result = call(symbol);

	if (want ? result != want :
		   result != CUDA_ERROR_NOT_SUPPORTED &&
			   result != CUDA_ERROR_INVALID_GRAPHICS_CONTEXT)
		problem("%s answers %ld", symbol, result);
}

/* cuInit would end that. */
static void try_before(int at)
{
	if (IS_IN(forms[at].symbol, refused))
		check_answer(forms[at].symbol, CUDA_ERROR_NOT_INITIALIZED);
	else if (strcmp(forms[at].name, "cuInit") != 0)
		call(forms[at].symbol);
}

static void start(void)
{
	CUresult (*retain)(CUcontext *, CUdevice), (*set)(CUcontext), (*init)(unsigned);
	CUcontext context = NULL;

	*(void **)&init = dlsym(driver, "cuInit");
	*(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
	*(void **)&set = dlsym(driver, "cuCtxSetCurrent");
	if (init(0) || retain(&context, 0) || set(context))
		problem("%s: no context", "cuCtxSetCurrent", 0);
}

/* The call before may have taken the context away. */
static void try_started(int at)
{
	start();
	if (IS_IN(forms[at].symbol, refused))
		check_answer(forms[at].symbol, CUDA_SUCCESS);
	else
		call(forms[at].symbol);
	if (*forms[at].per_thread != '-')
		call(forms[at].per_thread);
}

static int from;

static void at_end(void)
{
	for (*reached = from; *reached < count; ++*reached)
		if (IS_IN(forms[*reached].symbol, refused))
			check_answer(forms[*reached].symbol, CUDA_ERROR_DEINITIALIZED);
		else
			call(forms[*reached].symbol);
	fflush(stdout);
	_exit(failed);
}

/* Runs before at_end(), which was registered before the driver's own. */
static void try_ended(int at)
{
	from = at;
	if (atexit(at_end))
		_exit(1);
	start();
	exit(0);
}

/* Tries the forms one after the other in a child; in another one from behind a form that breaks it. */
static void in_children(void (*try)(int))
{
	for (*reached = 0; *reached < count; ++*reached) {
		int status = -1;
		pid_t child;

		fflush(stdout);
		child = fork();
		if (!child) {
			for (; *reached < count; ++*reached)
				try(*reached);
			fflush(stdout);
			_exit(failed);
		}
		waitpid(child, &status, 0);
		if (WIFSIGNALED(status))
			problem("%s: signal %ld", forms[*reached].symbol, WTERMSIG(status));
		failed |= status != 0;
	}
}

int main(int count_of_arguments, char **arguments)
{
	driver = count_of_arguments == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	reached = mmap(NULL, sizeof(*reached), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!driver || reached == MAP_FAILED || !read_forms()) {
		printf("not ok - %s\n", driver ? "no names" : dlerror());
		return 1;
	}
	test_exported();
	verdict("the driver exports every name of CUDA's headers");
	test_found();
	verdict("cuGetProcAddress finds each in its versions");
	in_children(try_before);
	verdict("each answers before cuInit, what is refused that it is too early");
	in_children(try_started);
	verdict("each answers to arguments that are zero");
	in_children(try_ended);
	verdict("each answers after the end");
	return told;
}
