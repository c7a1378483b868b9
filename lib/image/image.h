/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A file that holds GPU code, whatever it is: every image found in it, with
 * its kernels, and the choice among them for a device. Nothing here knows a
 * GPU; nothing prints.
 */
#ifndef LIB_IMAGE_H
#define LIB_IMAGE_H

#include "bytes.h"
#include "cleanup.h"
#include "decompress.h"
#include "err.h"
#include "kernel_info.h"
#include "variable_info.h"

enum image_kind {
	IMAGE_PTX,
	IMAGE_CUBIN,       /* executable machine code */
	IMAGE_RELOCATABLE, /* PTX or a cubin that needs a device link: loadable by one alone */
	IMAGE_LTOIR,       /* NVIDIA LTO-IR: never loadable */
	IMAGE_BITCODE,     /* LLVM bitcode: never loadable */
	IMAGE_FOREIGN,     /* code for other devices, or of no kind we know: never loadable */
	IMAGE_UNKNOWN,     /* an entry kind we do not know: never loadable */
};

struct offload_entry;

/* One image of a file. */
struct image {
	enum image_kind kind;
	const char *name; /* what an IMAGE_FOREIGN is: "SPIR-V"; static. Else NULL */
	enum image_codec codec;
	unsigned arch;                 /* SM number: 90 */
	char suffix;                   /* 'a', 'f' or 0 */
	unsigned ptx_major, ptx_minor; /* .version, PTX only, also if relocatable; else 0 */
	unsigned line_arch; /* of a cubin whose line info holds the PTX of all its kernels, and
			       whose container no PTX: the SM number of that; else 0. Valid
			       after image_kernels() */
	char line_suffix;   /* and its 'a', 'f' or 0 */
	const char *line_lacks; /* of a cubin with the PTX of some translation units alone: a
				   kernel, or a function that a kernel needs, that has none; else
				   NULL. Valid as line_arch is; owned by the file */
	bool of_runtime;    /* libcudadevrt's, which nvcc adds to what is linked; valid after
			       image_kernels() */
	bool relocatable;   /* to be linked with the others of its file: a kind of IMAGE_PTX or
			       IMAGE_CUBIN after image_file_link() */
	bool obfuscated;    /* it cannot be unpacked */
	bool lines;         /* has line info, PTX or a cubin; valid after image_kernels() */
	uint64_t offset;               /* of its stored bytes in the file */
	bool unpacked;                 /* that counts in what the offload binary that it is in
					  unpacks to, which is compressed as a whole */
	uint64_t stored;               /* bytes there */
	uint64_t size;                 /* bytes when decompressed */
	uint32_t container;  /* groups the images of which one is to be chosen: the entries
				of one fatbin, the images of an offload binary for
				different devices that share a kernel; else unique. After
				image_file_join() all that is linked is one */
	uint32_t part;       /* the same, but what is linked keeps numbers of its own */
	const char *where;   /* ".nv_fatbin", "kmod_binary", "member.o:.nv_fatbin", "" for a
				bare file, ".llvm.offloading:zstd" or "zstd" in an offload
				binary that is compressed; owned by the file */
	const struct offload_entry *offload; /* what an offload binary says of it; NULL
				elsewhere; owned by the file */
	const char *problem; /* why it cannot be loaded or read; NULL when it can; owned
				by the file */
	struct kernel_info *kernels; /* valid after image_kernels(); owned by the file */
	size_t kernel_count;
};

/* What an image holds, unpacked. */
struct image_payload {
	struct bytes bytes; /* PTX without its NUL; one follows what was unpacked */
	uint8_t *buffer;    /* owned; NULL when the bytes are the file's own */
};

struct image_file;

/*
 * Reads @path ("-": standard input, seekable or not) and finds every image in
 * it. Its content decides the file's kind. Fails with GPURUN_IO or
 * GPURUN_FORMAT; a host program without GPU code is GPURUN_NO_IMAGE. *@out is
 * owned by the caller (image_file_free).
 *
 * Nothing is unpacked yet, but headers are read, and so it is known what all images
 * unpack to. What a file may request is bounded, in proportion to its size: an image
 * beyond that is damage. See image_file.h for the bounds and their reasons.
 *
 * Damage inside a file that still has whole images is no failure: image_file_damage()
 * returns it.
 */
int image_file_open(const char *path, struct image_file **out, struct err *e);

/* The same for bytes in memory, which are borrowed; @name is used in messages. */
int image_file_read(struct bytes bytes, const char *name, struct image_file **out,
		    struct err *e);

/* Accepts NULL. */
void image_file_free(struct image_file *file);
DEFINE_CLEANUP(free_image_file, struct image_file *, image_file_free)

/*
 * Considers images of @file that need a device link as loadable: they are to be linked.
 * Has to precede other calls about its images.
 */
void image_file_link(struct image_file *file);

/*
 * Makes one container of all images of @file that are to be linked, and of those that were
 * linked from them: which have one of their kernels. Lists the kernels for that; a file without
 * such images is left as it is, and so is one without image_file_link(). A second call does
 * nothing. GPURUN_NO_MEMORY.
 */
int image_file_join(struct image_file *file, struct err *e);

/* The path of the file; NULL for standard input and bytes in memory. */
const char *image_file_path(const struct image_file *file);

/* What the file is: "fatbin", "offload binary", "PTX", "cubin", "ELF object",
 * "ELF executable", ... */
const char *image_file_kind(const struct image_file *file);

/* The first damage found ("offset 0x40: entry of 512 bytes in 100"); NULL when whole. */
const char *image_file_damage(const struct image_file *file);

/* The whole file as it was read. */
struct bytes image_file_bytes(const struct image_file *file);

size_t image_count(const struct image_file *file);

/* How many images were left out because nvcc's device link made them of nothing. */
size_t image_file_empty(const struct image_file *file);

struct image *image_at(struct image_file *file, size_t index);

/* The number of @image, which is one of @file. */
size_t image_index(const struct image_file *file, const struct image *image);

/*
 * Lists the kernels of @image into image->kernels; a second call does nothing, and answers
 * the same. @image is unpacked for that and dropped immediately: of all images of a file one at
 * a time is in memory, but their lists stay. What @image is, and image->problem, may be more
 * exact afterwards. GPURUN_FORMAT, GPURUN_NO_MEMORY.
 */
int image_kernels(struct image_file *file, struct image *image, struct err *e);

/* Frees the list of @image, and the memory of its bytes in the file; image_kernels() makes
 * a new one. */
void image_forget(struct image_file *file, struct image *image);

/* Sets what @image is, and image->problem, as far as that is known without unpacking it. */
void image_peek(const struct image_file *file, struct image *image);

/* Finds the kernel called @name in @image, after image_kernels(); NULL when there is none. Of
 * several it is the first. */
const struct kernel_info *image_find_kernel(const struct image *image, const char *name);

/* The bytes of @image as they are in the file, borrowed from it. */
struct bytes image_stored(const struct image *image);

/*
 * Unpacks @image. *@out is owned by the caller (image_payload_release), borrows from @file
 * what is not compressed there, and must not outlive it. Each call unpacks again: a caller that
 * needs the bytes longer keeps them. GPURUN_FORMAT, GPURUN_NO_MEMORY.
 */
int image_unpack(const struct image_file *file, const struct image *image,
		 struct image_payload *out, struct err *e);

/* Accepts a zeroed one. */
void image_payload_release(struct image_payload *payload);

/* How many containers there are: they have the numbers from 0 on. */
uint32_t image_containers(const struct image_file *file);

/*
 * Finds the images of container @container: *@numbers is borrowed from @file and has the
 * number of each, in the order of the file. Returns how many there are.
 */
size_t image_members(const struct image_file *file, uint32_t container,
		     const size_t **numbers);

/* The same for a part: of what is linked, the images of one translation unit. */
size_t image_part_members(const struct image_file *file, uint32_t part, const size_t **numbers);

/* Calls @visit for each variable of @image, which is PTX or a cubin, unpacking it as
 * image_kernels() does. GPURUN_FORMAT, GPURUN_NO_MEMORY. */
int image_variables(struct image_file *file, struct image *image, variable_visitor *visit,
		    void *data, struct err *e);

/*
 * The fatbin container that @image is in, whole, header included: what to pass
 * to a driver that is to choose for itself. Size 0 when @image is in none, or
 * the container is damaged; its payload is then what to load.
 */
struct bytes image_container(const struct image_file *file, const struct image *image);

/* What a device can run. */
struct image_target {
	unsigned arch; /* 90 for compute capability 9.0; 0: any (no device is known) */
	bool ptx_only; /* the CPU device */
	unsigned ptx_version; /* newest .version it reads, major * 10 + minor; 0: any */
};

/*
 * Tells whether @image can run on @target (the rules of which SASS and PTX run where). A device
 * of ptx_only runs a cubin by the PTX of its line info: cubin_texts() of what it unpacks to.
 */
bool image_runs_on(const struct image *image, const struct image_target *target);

/*
 * Chooses among the images of container @container of @file the best one for
 * @target: machine code by (SM, a, f, plain), then PTX by the same key; for one of
 * ptx_only, PTX and then cubins with line info. NULL when none can run. UINT32_MAX as
 * @container: the whole file; of a container no image that is to be linked is chosen.
 */
struct image *image_choose(struct image_file *file, uint32_t container,
			   const struct image_target *target);

/* The same for the images of a part, which may be to be linked. */
struct image *image_choose_part(struct image_file *file, uint32_t part,
				const struct image_target *target);

/* Tells whether @image is PTX, also if that is relocatable. */
static inline bool image_is_text(const struct image *image)
{
	return image->kind == IMAGE_PTX ||
	       (image->kind == IMAGE_RELOCATABLE && image->ptx_major);
}

/* Tells whether the host may launch a kernel of @image, once listed: libcudadevrt has others. */
static inline bool image_has_kernel(const struct image *image)
{
	for (size_t i = 0; i < image->kernel_count; i++)
		if (!image->kernels[i].local)
			return true;
	return false;
}

/* "sm_90 SASS", "sm_75 relocatable PTX 8.1", "gfx90a AMD machine code": what @image is; "sm_90
 * SASS with PTX (from line info)" if image_kernels() found that. @text, which gets at most @size
 * bytes, is returned. */
const char *image_describe(const struct image *image, char *text, size_t size);

/* "sm_90 SASS, sm_75 PTX 8.1": what is in @file, for messages. @text gets at most @size
 * bytes. */
void image_describe_all(const struct image_file *file, char *text, size_t size);

#endif
