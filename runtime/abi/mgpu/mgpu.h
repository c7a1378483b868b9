/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shared by the parts of libmlir_cuda_runtime, which uses gpurun.h alone.
 *
 * Programs have the driver's own pointers, since they mix these calls with calls
 * of the driver; gpurun knows which of them are its own. A pointer that it does
 * not know is foreign: it is adopted for the duration of a call.
 *
 * A failure is reported where it is detected, with the name of the exported
 * function (@who) first; internal functions then return false.
 */
#ifndef MGPU_H
#define MGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpurun.h"
#include "mgpu_abi.h"

#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* ---- Failures (mgpu_error.c) ------------------------------------------------- */

/* True when @status is GPURUN_OK; else reports why gpurun's last call failed. */
bool mgpu_ok(const char *who, int status);

/* The same for a release: in a forked child there is nothing to release. */
bool mgpu_released(const char *who, int status);

/* Called by gpurun_on_end(): reports the failures of the teardown. */
void mgpu_report_end(int status, void *unused);

/* Reports a failure that was found here, for which gpurun would return @status: it decides the
 * exit status under gpurun --exec. Always false. */
bool mgpu_refuse(const char *who, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports something that is no failure. */
void mgpu_warn(const char *who, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * What a failed call did not create is missing in later calls, mostly as a NULL.
 * That is a consequence of the first failure and is not reported again.
 */
enum mgpu_kind {
	MGPU_MODULE,
	MGPU_KERNEL,
	MGPU_STREAM,
	MGPU_EVENT,
	MGPU_MEMORY,
	MGPU_RANGE,  /* host memory; not created: it is not registered */
	MGPU_RECORD, /* not created: the event is not recorded */
};

/* Records that an object of @kind could not be created. Always NULL. */
void *mgpu_not_made(enum mgpu_kind kind);

/* Tells whether a NULL for an object of @kind is a consequence. */
bool mgpu_is_consequence(enum mgpu_kind kind);

/* ---- Devices (mgpu_device.c) ---------------------------------------------------- */

/* Initialises gpurun at the first call of all. False when that failed; reported one time. */
bool mgpu_ready(const char *who);

/* The default device of the calling thread; none when gpurun is not up. */
struct gpurun_device mgpu_device(void);

/* Tells whether mgpuSetDefaultDevice() has ever been called. */
bool mgpu_device_was_chosen(void);

/* ---- The lock (mgpu_lock.c) ----------------------------------------------------- */

/* The lock over the library's own data: streams that were used as events, registered
 * ranges, tensor maps. Launches do not use it. */
void mgpu_lock(void);
void mgpu_unlock(void);

/* ---- Objects that callers pass (mgpu_handle.c) ------------------------------------- */

/* The kind of @native, and its handle. NULL is foreign. */
enum gpurun_native_kind mgpu_kind_of(const void *native, uint64_t *id);

/* Reports that @native, which is @kind, is not what @who needs. Always false. */
bool mgpu_wrong_kind(const char *who, const void *native, enum gpurun_native_kind kind,
		     enum mgpu_kind wanted);

/* The stream of a call; an adopted one is released by mgpu_stream_end(). */
struct mgpu_stream {
	struct gpurun_stream handle;
	bool adopted;
};

bool mgpu_stream_begin(const char *who, void *native, struct mgpu_stream *stream);
void mgpu_stream_end(struct mgpu_stream *stream);

/* Likewise for an event. A foreign one has the device of @stream, where that is not none. */
struct mgpu_event {
	struct gpurun_event handle;
	bool adopted;
};

bool mgpu_event_adopt(const char *who, void *native, struct gpurun_stream stream,
		      struct mgpu_event *event);
void mgpu_event_end(struct mgpu_event *event);

/*
 * Destroys @native, a foreign object of @wanted or NULL; @kind is its kind in gpurun.
 * Reports one of another kind. After the driver's end a success.
 */
void mgpu_destroy_other(const char *who, void *native, enum gpurun_native_kind kind,
			enum mgpu_kind wanted);

/* ---- Streams for events (mgpu_repair.c) ----------------------------------------------- */

/* How to use a pointer that is passed as an event. */
enum mgpu_event_kind {
	MGPU_IS_EVENT,   /* one of ours */
	MGPU_IS_FOREIGN, /* the driver has to know it */
	MGPU_IS_STREAM,  /* a stream, to be repaired */
	MGPU_IS_GONE,    /* a stream that was destroyed, to be repaired */
	MGPU_IS_WRONG,   /* something else; reported */
};

/* Returns what is passed as an event, and its handle. The first repair of all is reported. */
enum mgpu_event_kind mgpu_event_kind_of(const char *who, void *native, uint64_t *id);

/* Waits for a stream that may be destroyed meanwhile. */
void mgpu_repair_synchronize(const char *who, struct gpurun_stream stream);

/* Makes work on @stream from now on wait for what is enqueued on @other now. */
void mgpu_repair_wait(const char *who, struct gpurun_stream stream,
		      struct gpurun_stream other);

/* Waits for a stream that was destroyed. */
void mgpu_repair_wait_gone(const char *who, uint64_t id);

/* Keeps a stream that was destroyed as an event until it is idle and not needed any more. */
void mgpu_repair_destroy(const char *who, struct gpurun_stream stream);

/* ---- Memrefs (mgpu_memref.c) -------------------------------------------------------------- */

enum { MGPU_MAX_RANK = 32 };

/* A memref, as in its descriptor. */
struct mgpu_memref {
	int rank;
	char *data; /* of the element with all indices 0 */
	const int64_t *sizes, *strides; /* in elements; borrowed */
};

/* Reads a descriptor; reports an invalid one. */
bool mgpu_memref_read(const char *who, int64_t rank, const void *descriptor,
		      int64_t element_size, struct mgpu_memref *memref);

/* Counts the bytes of a memref without gaps; reports one that has some. */
bool mgpu_memref_bytes(const char *who, const struct mgpu_memref *memref,
		       int64_t element_size, uint64_t *bytes);

/* ---- Launches (mgpu_launch.c) ---------------------------------------------------------- */

/* Makes the calling thread's next launch look everything up: a stream or a module is gone. */
void mgpu_launch_forget(void);

/* ---- Tensor maps (mgpu_tensor_map.c) --------------------------------------------------------- */

/* Frees the maps of the block at @address, which is freed. */
void mgpu_tensor_map_forget(uint64_t address);

#endif
