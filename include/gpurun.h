/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * gpurun.h: load compiled GPU code, launch its kernels, end cleanly.
 *
 * The library talks to a CUDA driver (libcuda.so.1, opened at run time) or to
 * gpurun's CPU device, a stand-in for that driver which executes PTX.
 *
 *	struct gpurun_device device;
 *	struct gpurun_module module;
 *	struct gpurun_kernel kernel;
 *	struct gpurun_stream stream;
 *	void *args[] = { &x, &n };
 *
 *	gpurun_init(NULL);
 *	gpurun_device_get(0, &device);
 *	gpurun_module_load(device, image, size, &module);
 *	gpurun_module_kernel(module, "scale", &kernel);
 *	gpurun_stream_create(device, &stream);
 *	gpurun_launch(kernel, &(struct gpurun_launch){ .grid = { 8, 1, 1 },
 *			.block = { 128, 1, 1 }, .stream = stream }, args);
 *	gpurun_stream_synchronize(stream);
 *	gpurun_shutdown();
 *
 * Status: every function that can fail returns 0 (GPURUN_OK) or another
 * enum gpurun_status; out-parameters are then zero. gpurun_error_text() returns
 * the reason to the calling thread. The library never exits or aborts, and prints
 * only what GPURUN_LOG asks for.
 *
 * Handles are values: a generation, a kind and a slot in one 64-bit number.
 * Zero is no handle. For a stale, foreign or wrong-kind handle a call returns
 * GPURUN_HANDLE before any memory is touched. A module may be unloaded while the
 * program has handles of its kernels and variables: they are then refused.
 *
 * Threads: every function may be called from any thread at any time, static
 * constructors and destructors included. A call while the library is not
 * initialised returns GPURUN_UNINITIALIZED.
 *
 * The end: exit() and returning from main run an exit hook, if the library has
 * had a driver, before the driver's own: it waits for outstanding work, at most
 * GPURUN_EXIT_WAIT seconds (10), unloads modules newest first, frees and
 * releases everything. What runs later (handlers registered before
 * gpurun_init, destructors of any priority, static objects, other threads)
 * has no driver any more: releases succeed silently, everything else,
 * gpurun_init included, returns GPURUN_ENDED. Nothing is waited for when exit()
 * is called from a host function of a stream: the driver waits for that. A
 * kernel that never ends is left to the driver, which ends it with the process.
 * _exit(), quick_exit() and signals run no hook; the library handles no signals.
 * dlclose() does not unload the library. In a child that was forked after the driver
 * was initialised every call, gpurun_init included, returns GPURUN_FORKED, and its exit
 * touches nothing of its parent's; one that was forked before initialises it for itself.
 *
 * Contexts: the library retains a device's primary context, and releases it at
 * the last gpurun_shutdown. In a thread without a current context it becomes current
 * and stays so; a thread that has another one has that one again after each call.
 *
 * Device pointers are 64-bit addresses in the device's address space, sizes
 * are bytes, grid and block dimensions count blocks and threads.
 */
#ifndef GPURUN_H
#define GPURUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPURUN_VERSION_MAJOR 0
#define GPURUN_VERSION_MINOR 2
#define GPURUN_VERSION_PATCH 0

/* What a call returns. Numbers are stable. */
enum gpurun_status {
	GPURUN_OK = 0,
	GPURUN_INVALID = 1,       /* an argument is wrong; nothing was done */
	GPURUN_HANDLE = 2,        /* a stale, made-up or wrong-kind handle */
	GPURUN_UNINITIALIZED = 3, /* no gpurun_init, or after the last gpurun_shutdown */
	GPURUN_ENDED = 4,         /* the process is ending: the driver is gone */
	GPURUN_FORKED = 5,        /* the library was initialised before fork() */
	GPURUN_NO_MEMORY = 6,     /* host or device memory is exhausted */
	GPURUN_IO = 7,            /* a host file cannot be read or written */
	GPURUN_FORMAT = 8,        /* bytes are not what they should be; the text has the offset */
	GPURUN_NO_IMAGE = 9,      /* the image holds no code that this device can run */
	GPURUN_NOT_FOUND = 10,    /* no such kernel, symbol or block */
	GPURUN_NO_DEVICE = 11,    /* no driver, no device, or not the requested one */
	GPURUN_DRIVER = 12,       /* any other failure of a driver call */
	GPURUN_LAUNCH = 13,       /* device or driver refused the launch (geometry, resources) */
	GPURUN_FAULT = 14,        /* a kernel trapped: assert, illegal address or instruction */
	GPURUN_NOT_READY = 15,    /* work is outstanding; no failure of a query */
	GPURUN_UNSUPPORTED = 16,  /* this driver or device cannot do that */
	GPURUN_INTERNAL = 17,     /* a bug in gpurun */
};

/* Handles. Copy them freely; compare ids. An id of 0 is "none". */
struct gpurun_device { uint64_t id; };
struct gpurun_module { uint64_t id; };
struct gpurun_kernel { uint64_t id; };
struct gpurun_variable { uint64_t id; };
struct gpurun_stream { uint64_t id; };
struct gpurun_event { uint64_t id; };

/* ---- Library ---------------------------------------------------------- */

/* Returns the version of the library as "MAJOR.MINOR.PATCH"; static. Never fails. */
const char *gpurun_version(void);

/* Returns the lower-case name of @status ("not found"); static. Never fails. */
const char *gpurun_status_name(enum gpurun_status status);

/*
 * Returns why the calling thread's last call failed, one line without a
 * newline; "" after a success. Of a fault on the CPU device it names the kernel, which
 * was launched before that call. Owned by the library, valid until the thread's
 * next gpurun call.
 */
const char *gpurun_error_text(void);

/* Returns one line of advice that goes with gpurun_error_text(); "" when there is none. */
const char *gpurun_error_hint(void);

/*
 * Returns the longer report that goes with the last failure: the JIT's log, or
 * the CPU device's trap report; "" when there is none. Several lines. Lifetime
 * as for gpurun_error_text().
 */
const char *gpurun_error_log(void);

/* Returns the CUresult of the driver call that made the last call fail; 0 if there is none. */
int gpurun_error_driver(void);

/*
 * For libraries that call this one and show its errors to their programs by calls of their own:
 * says that who asks for errors in this process is the library. Under gpurun --exec a fault counts
 * as looked at after gpurun_error_text(), gpurun_error_log(), gpurun_error_driver() or
 * gpurun_report_get(GPURUN_REPORT_FAULT) was called for it, or after a gpurun_init() that follows
 * the last gpurun_shutdown(); after this call it does not. Never fails; works in any state.
 */
void gpurun_error_relay(void);

/*
 * Copies what the CPU device's checker found (cpu:check=...), the oldest finding
 * that no call has copied yet: several lines, cut to @size bytes, "" when there
 * is none. A finding is also printed on stderr when it is made, and how many there
 * were at the end; a process that would end with 0, but has not copied all, ends
 * with 119, or what error-exitcode= says. "" on a GPU.
 *
 * GPURUN_INVALID when @size is 0, GPURUN_UNINITIALIZED.
 */
int gpurun_check_finding(char *text, size_t size);

/* What a report is of. */
enum gpurun_report_event {
	GPURUN_REPORT_NONE,     /* there is none */
	GPURUN_REPORT_FAULT,    /* a kernel that broke down */
	GPURUN_REPORT_FINDING,  /* what the checker found */
	GPURUN_REPORT_LAUNCH,   /* a launch that failed */
	GPURUN_REPORT_IMAGE,    /* an image that was refused */
	GPURUN_REPORT_LAUNCHES, /* how many kernels were launched */
	GPURUN_REPORT_STATUS,   /* for gpurun itself: the status that a process was given */
	GPURUN_REPORT_RUNNING,  /* the oldest launch that runs */
};

/*
 * A report of the CPU device in its parts. Strings are never NULL; "", and 0, is what is unknown.
 * Names and files are what the image says: bytes of any kind but newlines. A later version may
 * add members at the end.
 */
struct gpurun_report {
	size_t struct_size;       /* set to sizeof(struct gpurun_report) by the caller */
	int event;                /* enum gpurun_report_event */
	const char *kind;         /* "illegal-address", "race", ...: gpurun-json(5) has the list */
	const char *check;        /* "mem", ... of a finding */
	const char *what;         /* what happened, in one line */
	const char *hint;         /* what can be done about it, in one line */
	int error;                /* the driver's or the runtime's error, 700, */
	const char *error_name;   /* and its name */
	const char *call;         /* the CUDA call that failed; of a fault, that told it */
	uint64_t count;           /* how often it happened; of RUNNING, blocks that have ended */
	const char *access;       /* "read", "write", "atomic" */
	uint64_t bytes;           /* of the access, in each thread */
	int has_address;
	uint64_t address;         /* in memory; in shared memory, counted from its start */
	const char *space;        /* of the address: "generic", "shared" */
	const char *kernel;       /* as the image names it; with it: */
	unsigned grid[3], block_size[3];
	int has_thread;           /* the next three are known */
	unsigned block[3], thread[3];
	unsigned more_lanes;      /* of the thread's warp, at the same instruction */
	unsigned ptx_line;        /* of the image's PTX */
	const char *instruction;  /* that line */
	const char *file;         /* of the source, */
	unsigned source_line;     /* and its line */
	const char *inlined;      /* "FILE:LINE" of each caller it is inlined in, on lines */
	const char *other;        /* of a race: what made the other access, */
	const char *other_access; /* which was this; */
	int has_other;            /* and if it was a thread of the same launch: */
	unsigned other_block[3], other_thread[3];
	uint64_t launches, failed, kernels; /* of GPURUN_REPORT_LAUNCHES: of so many kernels */
};

/*
 * Fills *@report, whose struct_size the caller has set, with what the CPU device reports of @event:
 *
 *	FAULT     the fault that made this thread's last call fail: gpurun_error_log() in its parts
 *	FINDING   the oldest finding that neither this call nor gpurun_check_finding() has returned
 *	LAUNCHES  the launches so far
 *	RUNNING   the oldest launch that runs: its kernel, its grid, and in count how many of its
 *		  blocks have ended; it can be asked for while other threads wait
 *
 * report->event is GPURUN_REPORT_NONE when there is none, and on a GPU. Strings belong to the
 * library until the thread's next call. FAULT leaves what the last call reports as it is, and
 * works in any state of the library. GPURUN_INVALID for another @event, or a struct_size that is
 * not set; GPURUN_UNINITIALIZED.
 */
int gpurun_report_get(int event, struct gpurun_report *report);

/*
 * Reports to gpurun --exec, if that runs this process, that a library has made @status of an exit
 * status of 0. For exit handlers: it works in any state of the library, and does nothing on a GPU.
 */
void gpurun_exit_status(int status);

/*
 * Initialises the library and chooses the driver. @device is one of
 *
 *	auto			a GPU; the CPU device where no GPU exists
 *	gpu, gpu:N, gpu:UUID, gpu:PCI	a GPU (and which is the default device)
 *	cpu, cpu:KEY=VALUE,...	the CPU device
 *
 * or NULL for the environment's GPURUN_DEVICE, else "gpu". GPURUN_DRIVER names
 * a library to open instead of libcuda.so.1 under auto and gpu.
 *
 * Calls are counted: each success needs one gpurun_shutdown(). A further call must
 * name the same driver (GPURUN_INVALID otherwise), or none at all, which accepts
 * the present one; a failed call leaves the count unchanged. When the driver is
 * initialised, the exit hook is registered with atexit().
 *
 * Fails with GPURUN_NO_DEVICE (no driver, no such device), GPURUN_DRIVER (a
 * driver that is there but fails), GPURUN_INVALID (the selector), GPURUN_ENDED.
 */
int gpurun_init(const char *device);

/*
 * Undoes one gpurun_init(). The last one waits for outstanding work,
 * releases everything and invalidates all handles; gpurun_init() works again
 * afterwards. When steps of the teardown fail, the others still run, the
 * status is that of the first failure and the text names them all.
 *
 * With GPURUN_LOG=leaks in the environment of the first gpurun_init(), this and
 * the exit hook first write to stderr what was never released: a line for each
 * of the first blocks of memory, with its bytes, kind, address and device, one for
 * the others together, one that counts the open streams, one the events, before a
 * shutdown also one the modules, which may be left to the exit hook; and, in any
 * case, one line for each device with its peak.
 */
int gpurun_shutdown(void);

/*
 * Makes the exit hook (see above) call @report(status, @data), one time, after it
 * has released everything: @status is 0, or the status of the first step that
 * failed. Inside @report gpurun_error_text(), gpurun_error_log() and
 * gpurun_error_driver() describe all that failed; other calls return what they do
 * after the end. A fault of a kernel that no call has reported is reported here; one
 * that was reported is not reported again. GPURUN_NOT_READY says that work, or a call
 * on another thread, had not ended within GPURUN_EXIT_WAIT seconds: nothing was
 * released then. If exit() was called from a host function of a stream there is no
 * teardown, and nothing failed.
 *
 * May be called before gpurun_init and at any time; what was registered stays
 * registered across shutdowns, and is called in order. A process that never had a driver
 * has no exit hook. @report may call exit() or _exit(); those registered after
 * it are then not called. Its code must not be unloaded before the end.
 * GPURUN_INVALID, GPURUN_NO_MEMORY, GPURUN_ENDED, GPURUN_FORKED.
 */
int gpurun_on_end(void (*report)(int status, void *data), void *data);

/* ---- Devices ---------------------------------------------------------- */

/* What a device is. */
enum gpurun_device_kind {
	GPURUN_DEVICE_GPU = 1,
	GPURUN_DEVICE_CPU = 2,
};

struct gpurun_device_info {
	size_t struct_size; /* set to sizeof(struct gpurun_device_info) by the caller */
	enum gpurun_device_kind kind;
	int ordinal;               /* after CUDA_VISIBLE_DEVICES */
	char name[128];
	char uuid[48];             /* "GPU-xxxxxxxx-...", or "CPU-..." */
	char pci[16];              /* "0000:1a:00.0"; "" for the CPU device */
	int cc_major, cc_minor;    /* compute capability */
	int driver_version;        /* 13000 for CUDA 13.0 */
	uint64_t memory;           /* bytes of device memory */
	int multiprocessors;
	int warp_size;             /* threads */
	int max_threads_per_block;
	int max_block[3];          /* threads */
	int max_grid[3];           /* blocks */
	int max_shared_per_block;       /* bytes, static and dynamic together, by default */
	int max_shared_per_block_optin; /* bytes, when a kernel opts in */
	int clock_khz, memory_clock_khz; /* at their highest; on the CPU device, nominal */
	int memory_bus_bits; /* data moves twice a cycle: bytes a second are
			      * memory_clock_khz * 1000 * 2 * memory_bus_bits / 8 */
	int l2_bytes;        /* of the second cache, which all multiprocessors share */
};

/* Counts the devices of the chosen driver. */
int gpurun_device_count(int *count);

/* Looks up the device with @ordinal, 0 .. count-1; -1 is the default device. */
int gpurun_device_get(int ordinal, struct gpurun_device *device);

/* Describes @device. Fills at most info->struct_size bytes. */
int gpurun_device_get_info(struct gpurun_device device, struct gpurun_device_info *info);

/* Tells whether @device runs cooperative launches: 1 or 0. */
int gpurun_device_cooperative(struct gpurun_device device, int *cooperative);

/*
 * Lets the L2 cache of @device replace what kernels or streams have asked it to keep, as anything
 * else in it; no work of the device is outstanding. GPURUN_UNSUPPORTED by a device or driver that
 * keeps nothing.
 */
int gpurun_device_reset_l2(struct gpurun_device device);

/* Waits until all work of @device, on every stream, is done. GPURUN_FAULT as below. */
int gpurun_device_synchronize(struct gpurun_device device);

/* Reads free and total bytes of @device's memory. */
int gpurun_device_memory(struct gpurun_device device, uint64_t *free_bytes,
			 uint64_t *total_bytes);

/* The device memory that the kernels of a device share, or each of their threads has. */
enum gpurun_limit {
	GPURUN_LIMIT_STACK = 1,  /* bytes of stack of each thread */
	GPURUN_LIMIT_HEAP = 2,   /* bytes that malloc() in kernels can allocate */
	GPURUN_LIMIT_PRINTF = 3, /* bytes that printf() in kernels may leave unread */
};

/*
 * Sets a limit of @device to @bytes, for the launches that follow, until the last
 * gpurun_shutdown(). A driver may round @bytes, or raise it to the least that it
 * supports: gpurun_device_get_limit() reads what is in effect. GPURUN_INVALID for what
 * is no limit, and when the driver refuses the size, or a change after kernels that
 * use the heap, or printf, have been launched; GPURUN_NO_MEMORY.
 *
 * On the CPU device stacks and what is printed grow as needed: their limits are stored,
 * and have no effect.
 */
int gpurun_device_set_limit(struct gpurun_device device, enum gpurun_limit limit,
			    uint64_t bytes);

/* Reads a limit of @device, in bytes. */
int gpurun_device_get_limit(struct gpurun_device device, enum gpurun_limit limit,
			    uint64_t *bytes);

/* ---- Modules and kernels ---------------------------------------------- */

/*
 * Loads an image: a cubin, a fatbin (one container), PTX text, or LLVM offload
 * binaries (version 1 or 2, one or several back to back), of whose images the one
 * that @device runs best is loaded, alone. The bytes are copied; the caller's
 * buffer may be freed at once. @size may be 0 when it is not known: it is then read from
 * the image (PTX ends at its NUL; of offload binaries it is the first).
 *
 * Every load has its own device variables; their constructors (as LLVM lowers
 * them) have run when the call returns. Fails with GPURUN_FORMAT, GPURUN_NO_IMAGE
 * (the text lists what is in the image and what the device is), GPURUN_UNSUPPORTED (the driver's
 * CUDA_ERROR_NOT_SUPPORTED), GPURUN_DRIVER, or GPURUN_FAULT when a constructor traps;
 * gpurun_error_log() has the JIT's log.
 */
int gpurun_module_load(struct gpurun_device device, const void *image, size_t size,
		       struct gpurun_module *module);

/*
 * The same with the optimisation level of the driver's compiler, for what has to be
 * compiled: 0, none, to 4, the default, as in gpurun_module_load(). GPURUN_INVALID
 * for another.
 */
int gpurun_module_load_level(struct gpurun_device device, const void *image, size_t size,
			     int level, struct gpurun_module *module);

/*
 * The same, but refuses an image that calls the host and waits for its answers: one
 * that defines __llvm_rpc_client, as programs do that use LLVM's C library for GPUs.
 * None of it has run when it is refused. For a process that has no server for such calls.
 * GPURUN_UNSUPPORTED.
 */
int gpurun_module_load_alone(struct gpurun_device device, const void *image, size_t size,
			     struct gpurun_module *module);

/* One of the images that gpurun_module_link() joins. */
struct gpurun_link_input {
	const void *image; /* as for gpurun_module_load(), or a host's object or archive */
	size_t size;       /* bytes; 0: to be read from the image, which is no host's file */
	const char *name;  /* for messages; may be NULL */
};

/*
 * Joins @count images by the driver's linker, and loads the result: functions and
 * variables that one of them declares are those that another defines (nvcc -rdc=true).
 * The bytes are copied. A host's object or archive is searched by the driver, which may
 * use only one image of it. GPURUN_NO_IMAGE, with the first line of the linker's log,
 * for a name that none or several of them define, and if no code of an input suits
 * @device; else fails as gpurun_module_load() does.
 */
int gpurun_module_link(struct gpurun_device device, const struct gpurun_link_input *inputs,
		       size_t count, struct gpurun_module *module);

/*
 * Tells whether gpurun_module_load() of the same bytes could find code for
 * @device, without loading: GPURUN_OK, GPURUN_FORMAT or GPURUN_NO_IMAGE.
 */
int gpurun_image_check(struct gpurun_device device, const void *image, size_t size);

/*
 * Waits for the streams that ran its kernels, runs device destructors, passes
 * profile counters (-fprofile-instr-generate) to the profile runtime that is linked
 * into the program, and unloads @module; the handles of its kernels and variables are
 * refused from then on. Other modules are untouched. Each step is made even when one
 * before it failed, and the handle is invalid in any case. Counters without a runtime
 * are lost, which gpurun_error_log() then says although the call succeeds.
 *
 * The driver's module is kept for a later load of the same bytes if the program
 * cannot notice the difference: the image defines no variables, and no caller has
 * requested the address of one. GPURUN_POOL=0 in the environment keeps nothing.
 */
int gpurun_module_unload(struct gpurun_module module);

/*
 * Finds the image of @module on @device: @module itself on its own device, else a
 * module that is loaded there at the first such call, with variables of its own. It
 * is owned by @module and unloaded with it. Fails as gpurun_module_load() does, and
 * with GPURUN_UNSUPPORTED for an adopted module, whose image is unknown.
 */
int gpurun_module_on_device(struct gpurun_module module, struct gpurun_device device,
			    struct gpurun_module *other);

/*
 * Looks up the kernel with the exact (mangled) @name. GPURUN_NOT_FOUND, GPURUN_NO_IMAGE when the
 * driver has no code of it for the device. Cached.
 */
int gpurun_module_kernel(struct gpurun_module module, const char *name,
			 struct gpurun_kernel *kernel);

/*
 * Looks up the device variable with the exact (mangled) @name: one of the global or
 * constant memory of @module. The handle is the same each time and valid as long as
 * the module. GPURUN_NOT_FOUND. Cached.
 */
int gpurun_module_variable(struct gpurun_module module, const char *name,
			   struct gpurun_variable *variable);

struct gpurun_variable_info {
	size_t struct_size; /* set to sizeof(struct gpurun_variable_info) by the caller */
	const char *name;   /* owned by the variable's module */
	uint64_t address;   /* on the module's device */
	uint64_t size;      /* bytes */
};

/* Describes @variable. Fills at most info->struct_size bytes. */
int gpurun_variable_get_info(struct gpurun_variable variable,
			     struct gpurun_variable_info *info);

/* Finds the variable @name of @module without a handle: its address and bytes. Either may
 * be NULL. GPURUN_NOT_FOUND. */
int gpurun_module_global(struct gpurun_module module, const char *name, uint64_t *address,
			 uint64_t *size);

struct gpurun_kernel_info {
	size_t struct_size; /* set to sizeof(struct gpurun_kernel_info) by the caller */
	const char *name;   /* owned by the kernel's module */
	int registers;             /* per thread */
	int max_threads_per_block; /* for this kernel on this device */
	int static_shared;         /* bytes */
	int local;                 /* bytes per thread */
	int constant;              /* bytes */
	int ptx_version;           /* 90 for PTX of .target sm_90; not its .version */
	int binary_version;        /* 90 for sm_90 */
	int parameters;            /* count; -1 when the driver does not know */
	uint64_t parameter_bytes;  /* of the packed argument buffer; 0 when unknown */
	struct gpurun_device device; /* that it is loaded on */
};

/* Describes @kernel. Fills at most info->struct_size bytes. */
int gpurun_kernel_get_info(struct gpurun_kernel kernel, struct gpurun_kernel_info *info);

/* Reads offset and size in bytes of parameter @index. GPURUN_INVALID beyond the last. */
int gpurun_kernel_parameter(struct gpurun_kernel kernel, int index, uint64_t *offset,
			    uint64_t *size);

/*
 * Computes the threads per block with which most threads of @kernel run at once when
 * each block has @shared bytes of dynamic shared memory, and the least number of
 * blocks that then fill the device. GPURUN_LAUNCH when no block can have so much;
 * above 48 KiB the kernel is opted in, as a launch would.
 */
int gpurun_kernel_occupancy(struct gpurun_kernel kernel, unsigned shared, unsigned *block,
			    unsigned *grid);

/*
 * Computes how many blocks of @block threads of @kernel, each with @shared bytes of dynamic
 * shared memory, a multiprocessor runs at once: 0 when it runs none. That number times the
 * multiprocessors of the device is the most that a cooperative launch may have.
 * GPURUN_INVALID when @block is 0, GPURUN_LAUNCH when no block can have so much memory.
 */
int gpurun_kernel_blocks(struct gpurun_kernel kernel, unsigned block, unsigned shared,
			 unsigned *blocks);

/* ---- Streams and events ------------------------------------------------ */

/* Creates a stream that does not synchronise with the driver's default stream. */
int gpurun_stream_create(struct gpurun_device device, struct gpurun_stream *stream);

/*
 * Destroys @stream; work already enqueued on it still runs to its end. The
 * driver's stream may be kept, for a stream that is created when that work is
 * done; likewise the driver's events, device memory that is freed, and modules
 * that are unloaded and define no variables. GPURUN_POOL=0 in the environment of
 * the first gpurun_init() keeps nothing.
 */
int gpurun_stream_destroy(struct gpurun_stream stream);

/*
 * Makes sure that the driver's stream of @stream is not kept for others when it
 * is destroyed: other code may still use its pointer, for another stream by then.
 * gpurun_native_kind() then returns GPURUN_NATIVE_CLOSED for it until the driver
 * creates another stream with that address, or a thousand more were destroyed this
 * way. Reports of leaks leave it out.
 */
int gpurun_stream_quarantine(struct gpurun_stream stream);

/*
 * Waits for all work on @stream. GPURUN_FAULT when a kernel trapped: the error
 * sticks to the device until the last gpurun_shutdown(); a GPU is unusable for the
 * rest of the process.
 */
int gpurun_stream_synchronize(struct gpurun_stream stream);

/* GPURUN_OK when all work on @stream is done, GPURUN_NOT_READY otherwise. */
int gpurun_stream_query(struct gpurun_stream stream);

/* Returns the device of @stream. */
int gpurun_stream_device(struct gpurun_stream stream, struct gpurun_device *device);

/*
 * Makes work enqueued on @stream from now on wait for @event. An event that
 * was never recorded is GPURUN_INVALID; anything that is no event is refused.
 */
int gpurun_stream_wait_event(struct gpurun_stream stream, struct gpurun_event event);

/*
 * Calls @function(@data) on a thread of the driver once all earlier work on
 * @stream is done; later work waits for it. @function must not call gpurun or
 * the driver; it may call exit().
 */
int gpurun_stream_host_function(struct gpurun_stream stream, void (*function)(void *data),
				void *data);

/* What an event has to support. */
enum gpurun_event_flags {
	GPURUN_EVENT_TIMING = 1, /* gpurun_event_elapsed() may be called; costs a little */
};

/* Creates an event that is not recorded yet. @flags: enum gpurun_event_flags or 0. */
int gpurun_event_create(struct gpurun_device device, unsigned flags,
			struct gpurun_event *event);

/* Destroys @event; waits already enqueued on it stay valid. */
int gpurun_event_destroy(struct gpurun_event event);

/* Records @event on @stream: it is done when all work enqueued so far is done. */
int gpurun_event_record(struct gpurun_event event, struct gpurun_stream stream);

/*
 * Returns the stream that @event was last recorded on, which may have been destroyed
 * since. GPURUN_INVALID when it was never recorded, or not by this library.
 */
int gpurun_event_stream(struct gpurun_event event, struct gpurun_stream *stream);

/* Returns the device of @event. */
int gpurun_event_device(struct gpurun_event event, struct gpurun_device *device);

/* Waits for @event's last record. GPURUN_INVALID when it was never recorded. */
int gpurun_event_synchronize(struct gpurun_event event);

/* GPURUN_OK when @event's last record is done, GPURUN_NOT_READY otherwise. */
int gpurun_event_query(struct gpurun_event event);

/* Measures from @start to @end, both recorded, timing and done, and of one device, in
 * nanoseconds. */
int gpurun_event_elapsed(struct gpurun_event start, struct gpurun_event end,
			 uint64_t *nanoseconds);

/* ---- Memory ------------------------------------------------------------ */

/* Where an allocation lives. */
enum gpurun_memory_kind {
	GPURUN_MEMORY_DEVICE = 1,
	GPURUN_MEMORY_HOST = 2,    /* pinned host memory, readable by the device */
	GPURUN_MEMORY_MANAGED = 3, /* migrates between host and device */
};

/*
 * Allocates @size bytes, usable at once from any stream. The address of size 0 is
 * 0. Contents are undefined. Alignment: 256 bytes.
 */
int gpurun_memory_alloc(struct gpurun_device device, uint64_t size,
			enum gpurun_memory_kind kind, uint64_t *address);

/*
 * The same at a multiple of @alignment, a power of two. If the driver's own block is not
 * aligned so, a block longer by @alignment is allocated. GPURUN_INVALID for another number.
 */
int gpurun_memory_alloc_aligned(struct gpurun_device device, uint64_t size,
				enum gpurun_memory_kind kind, uint64_t alignment,
				uint64_t *address);

/*
 * Frees what gpurun_memory_alloc() returned. Work that is already enqueued and
 * uses the block stays safe, whichever stream it is on: the block is reused only
 * when that work is done. Address 0 is accepted. GPURUN_INVALID for an address that
 * is no start of a block.
 *
 * Device memory may be kept for later allocations of the same size; it is returned
 * to the driver before an allocation fails because memory is exhausted. The CPU device,
 * which checks accesses against what is allocated, keeps none unless GPURUN_POOL
 * is 1.
 */
int gpurun_memory_free(uint64_t address);

/*
 * Copies @size bytes in stream order. Each of @destination and @source is a
 * device address or a host pointer (any direction). Host memory must stay
 * valid until the copy is done. A stream of id 0 copies and waits, on the driver's
 * default stream: after what is enqueued there, and on a GPU perhaps after copies
 * that another stream delays.
 */
int gpurun_memory_copy(uint64_t destination, uint64_t source, uint64_t size,
		       struct gpurun_stream stream);

/*
 * Fills @count elements at @address with @pattern's low @width bytes (1, 2 or
 * 4), in stream order; a stream of id 0 fills and waits.
 */
int gpurun_memory_fill(uint64_t address, uint32_t pattern, unsigned width, uint64_t count,
		       struct gpurun_stream stream);

/*
 * Fills @count times @pattern_size bytes at @address with copies of @pattern, host
 * memory that is read before the call returns; in stream order, a stream of id 0
 * fills and waits. A pattern that repeats 1, 2 or 4 bytes costs one call of the driver
 * where @address is a multiple of those, any other as many as it has runs of equal
 * elements: of 4 bytes where its size and @address are multiples of 4, else of 2 or 1.
 * On a stream it never waits. GPURUN_INVALID when the pattern is empty, or the end lies
 * outside the block, of gpurun_memory_alloc() or another that is known, in which
 * @address is.
 */
int gpurun_memory_fill_pattern(uint64_t address, const void *pattern, uint64_t pattern_size,
			       uint64_t count, struct gpurun_stream stream);

/*
 * Moves @size bytes at @address, of managed memory, to the host, or if @to_host is 0 to
 * the device of @stream, in stream order: what uses them there afterwards need not wait.
 * Other memory stays where it is, and so does managed memory of a device that cannot move
 * it while the host uses it. GPURUN_NOT_FOUND when @address is in no allocation,
 * GPURUN_INVALID when the end is outside it.
 */
int gpurun_memory_prefetch(uint64_t address, uint64_t size, int to_host,
			   struct gpurun_stream stream);

/* Pins @size bytes of the caller's host memory at @pointer for every device. */
int gpurun_memory_register(void *pointer, uint64_t size);

/* Undoes gpurun_memory_register(). */
int gpurun_memory_unregister(void *pointer);

struct gpurun_memory_info {
	size_t struct_size; /* set to sizeof(struct gpurun_memory_info) by the caller */
	uint64_t base;      /* where the block starts */
	uint64_t size;      /* its bytes, as they were requested */
	enum gpurun_memory_kind kind;
	struct gpurun_device device; /* that it was allocated for */
};

/*
 * Describes the block that holds @address: one of gpurun_memory_alloc() or
 * gpurun_memory_adopt(). Fills at most info->struct_size bytes.
 * GPURUN_NOT_FOUND when @address is in none of them: foreign, registered or freed
 * memory.
 */
int gpurun_memory_get_info(uint64_t address, struct gpurun_memory_info *info);

struct gpurun_memory_usage {
	size_t struct_size; /* set to sizeof(struct gpurun_memory_usage) by the caller */
	uint64_t bytes;        /* that the program holds: of every kind, registered ones too */
	uint64_t peak_bytes;   /* the most that was at any time since the first gpurun_init() */
	uint64_t blocks;       /* that make up bytes */
	uint64_t cached_bytes; /* freed, but kept for reuse; to the driver they are in use */
};

/*
 * Reads what memory the program holds on @device. Registered host memory counts
 * with the default device. Fills at most usage->struct_size bytes.
 */
int gpurun_memory_get_usage(struct gpurun_device device, struct gpurun_memory_usage *usage);

/* ---- Launch ------------------------------------------------------------- */

struct gpurun_launch {
	unsigned grid[3];    /* blocks; 0 counts as 1 */
	unsigned block[3];   /* threads; 0 counts as 1 */
	unsigned cluster[3]; /* blocks per cluster; all 0: none */
	unsigned flags;      /* enum gpurun_launch_flags */
	unsigned shared;     /* bytes of dynamic shared memory; opted in above 48 KiB */
	struct gpurun_stream stream;
	const void *packed;  /* the argument buffer, used when args is NULL */
	uint64_t packed_size; /* what is beyond the parameters, a struct's padding, is not read */
};

/* How a grid is to be launched. */
enum gpurun_launch_flags {
	GPURUN_LAUNCH_COOPERATIVE = 1, /* all blocks run at once and may wait for each other */
	GPURUN_LAUNCH_SPREAD = 2,      /* prefer to spread clusters over the multiprocessors */
};

/*
 * Enqueues @kernel on launch->stream, which must be a stream of the kernel's
 * device. @args points to one pointer per parameter; the values are copied
 * before the call returns. With @args NULL, launch->packed holds them laid out
 * as the kernel's parameters are.
 *
 * Geometry, shared memory and the argument size are checked before the driver
 * is called (GPURUN_LAUNCH or GPURUN_INVALID, the text names the limit). Never
 * synchronises: a kernel's own fault is reported by a later call.
 */
int gpurun_launch(struct gpurun_kernel kernel, const struct gpurun_launch *launch,
		  void *const *args);

/* ---- Interoperation, for programs that also call the driver -------------- */

/* The driver's own pointer of a handle (CUstream, CUevent, CUmodule, CUfunction,
 * CUcontext); borrowed, valid as long as the handle. */
int gpurun_stream_native(struct gpurun_stream stream, void **native);
int gpurun_event_native(struct gpurun_event event, void **native);
int gpurun_module_native(struct gpurun_module module, void **native);
int gpurun_kernel_native(struct gpurun_kernel kernel, void **native);
int gpurun_device_native(struct gpurun_device device, void **native);

/* What a driver's pointer, or a handle, is. */
enum gpurun_native_kind {
	GPURUN_NATIVE_UNKNOWN = 0, /* none of ours: foreign, or garbage */
	GPURUN_NATIVE_STREAM = 1,
	GPURUN_NATIVE_EVENT = 2,
	GPURUN_NATIVE_MODULE = 3,
	GPURUN_NATIVE_KERNEL = 4,
	GPURUN_NATIVE_CLOSED = 5,  /* ours once: the handle is closed, the object may be kept */
	GPURUN_NATIVE_VARIABLE = 6, /* of handles alone: the driver has no pointer for it */
};

/*
 * Returns what @native is, and the handle it belongs to in *@id (may be NULL),
 * when this library created it; GPURUN_NATIVE_UNKNOWN otherwise, also for adopted
 * objects. Of GPURUN_NATIVE_CLOSED, *@id is the handle that was closed. Acquires
 * no lock.
 */
enum gpurun_native_kind gpurun_native_kind(const void *native, uint64_t *id);

/* Returns the kind of the handle @id, whether it is open, closed or made up. */
enum gpurun_native_kind gpurun_handle_kind(uint64_t id);

/*
 * Destroys a foreign stream or event, or unloads a foreign module, as @kind says:
 * passes @native to the driver's own function for it. GPURUN_INVALID when it is one
 * of ours, of that kind: then its handle is to be destroyed; or when it is kept after
 * that.
 */
int gpurun_native_destroy(enum gpurun_native_kind kind, void *native);

/*
 * Wraps a foreign driver object in a handle, which works as any other does;
 * destroying the handle (unloading, for a module) leaves the object to its
 * owner, who keeps it alive until then. Each call makes another handle.
 *
 * A stream may be NULL, the driver's default stream. With a @device of id 0 the
 * stream's own context decides the device: GPURUN_INVALID when that is no primary
 * context, the default device when there is none at all.
 */
int gpurun_stream_adopt(struct gpurun_device device, void *native,
			struct gpurun_stream *stream);
int gpurun_event_adopt(struct gpurun_device device, void *native,
		       struct gpurun_event *event);
int gpurun_module_adopt(struct gpurun_device device, void *native,
			struct gpurun_module *module);

/*
 * The same for a foreign CUfunction. Attributes and parameters are read from
 * the driver one time; the kernel's name is its address. gpurun_kernel_release()
 * undoes it.
 */
int gpurun_kernel_adopt(struct gpurun_device device, void *native,
			struct gpurun_kernel *kernel);

/*
 * Releases the handle of an adopted kernel. GPURUN_INVALID for a kernel of a
 * module: that one is released with its module.
 */
int gpurun_kernel_release(struct gpurun_kernel kernel);

/*
 * Owns from now on a block of device memory of the driver's own allocator:
 * gpurun_memory_free() frees it. GPURUN_INVALID when @address is not the start
 * of a block, or the block is known already.
 */
int gpurun_memory_adopt(struct gpurun_device device, uint64_t address);

/*
 * Says that the allocation that starts at @address is meant to live until the last
 * gpurun_shutdown() or the end of the process: reports of leaks leave it out. It can
 * still be freed. GPURUN_INVALID when no allocation starts there.
 */
int gpurun_memory_keep(uint64_t address);

/*
 * Makes @device's context current on the calling thread, remembering what was
 * current before; gpurun_context_pop() restores that. Calls nest. The last
 * gpurun_shutdown() pops what its thread has pushed.
 */
int gpurun_context_push(struct gpurun_device device);
int gpurun_context_pop(void);

/* Describes a tiled tensor for the TMA unit: the arguments of the driver's
 * cuTensorMapEncodeTiled, with @map pointing to 128 bytes aligned to 64. */
int gpurun_tensor_map_encode(void *map, int data_type, unsigned rank, uint64_t address,
			     const uint64_t *dims, const uint64_t *strides,
			     const uint32_t *box, const uint32_t *element_strides,
			     int interleave, int swizzle, int l2_promotion, int oob_fill);

#ifdef __cplusplus
}
#endif

#endif
