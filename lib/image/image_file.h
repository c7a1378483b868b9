/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The inside of struct image_file, shared by the files image*.c. Every offset
 * counts from the beginning of the file, or of an offload binary that was unpacked.
 */
#ifndef LIB_IMAGE_FILE_H
#define LIB_IMAGE_FILE_H

#include "image.h"
#include "image_search.h"
#include "input.h"
#include "offload.h"

struct image_entry {
	struct image image;     /* first: a struct image * is its entry's address */
	struct bytes stored;    /* borrowed from the file, or of its plains */
	struct bytes container; /* the fatbin it is in, if that is whole; else of size 0 */
	const struct kernel_info **by_name; /* owned; its kernels, sorted, once listed */
	bool read;              /* image_read() was called, and image_kernels() not yet */
	char *lacks;            /* owned; what image.line_lacks is */
	bool listed;            /* image_kernels() has nothing left to do and returns: */
	int status;             /* how listing ended */
	char *failure;          /* owned; the reason, when status is not 0 */
};

enum { IMAGE_STUBS = 32 };

struct image_file {
	char *name;                  /* owned; for messages */
	struct input input;          /* owned; empty when the bytes are the caller's */
	struct bytes bytes;
	const char *kind;            /* static */
	bool has_path;               /* @name is one */
	bool debug_file, gcc_code, has_content; /* as in struct hostelf */
	bool links;                  /* what needs a device link is to be linked */
	struct image_entry *entries; /* owned */
	size_t count;
	uint32_t containers;
	char **wheres;               /* owned, each of them; images in one place share it */
	size_t where_count;
	struct offload_entries {
		struct offload_entry *entries; /* owned */
		size_t count;
	} *offloads; /* owned; of each offload binary that has any */
	size_t offload_count;
	uint8_t **plains;            /* owned, each of them; what offload binaries unpacked to */
	size_t plain_count;
	uint64_t plain_size;         /* of all these, and of those that failed to */
	size_t plain_images;         /* that were found in these */
	struct image_span {
		uint64_t from, to;
	} *covered; /* owned; what was read in whole sections, members and files */
	size_t cover_count;
	uint64_t unpacked;           /* bytes that those images unpack to that may be */
	uint64_t dropped;            /* the memory of what precedes it is released */
	uint64_t told;               /* bytes to print what offload binaries say of their
					images */
	uint64_t listed;             /* kernels and parameters of those that were listed */
	size_t *order;               /* owned; numbers of the images, by container */
	size_t *first;               /* owned; of each container where it begins in @order */
	size_t *joined_order, *joined_first; /* owned; the same after image_file_join() */
	bool *with_ptx;              /* owned; of each part whether it has PTX */
	struct bytes stubs[IMAGE_STUBS]; /* empty cubins, as they are in the file */
	size_t stub_count;
	size_t empty;                /* images that were left out: they are such */
	struct err damage;           /* the first; code is 0 when there is none */
	struct err refused;          /* of the first PTX text in data that is none; likewise */
};

/*
 * The bounds on what a file of N bytes may request: its images unpack to at most
 * IMAGE_UNPACK_LEAST + IMAGE_UNPACK_RATIO * N bytes in all, and have KERNELS_LEAST +
 * N / KERNELS_SHARE kernels and parameters. NVIDIA's libraries (15 of CUDA 13 and cuDNN
 * 9) unpack to 11.2 times their size at most, single cubins in them to 134 times, so that
 * a ratio alone would refuse small files, and no ratio for single images is safe. A bomb
 * reaches 32,700 times with zstd. Those libraries have one kernel in 500 bytes at most.
 */
enum {
	IMAGE_UNPACK_LEAST = 64 << 20,
	IMAGE_UNPACK_RATIO = 64,
	KERNELS_LEAST = 1 << 19,
	KERNELS_SHARE = 16,
	TOLD_LEAST = 1 << 20, /* and 16 times the file: what offload binaries say of images */
	TOLD_RATIO = 16,
	PLAIN_LEAST = 16 << 20, /* and IMAGE_UNPACK_RATIO times the file, but no more than one
				   image: offload binaries once unpacked, which stay in memory */
	PLAIN_IMAGES_LEAST = 1 << 16, /* and one for each SHARE bytes of the file */
	PLAIN_IMAGES_SHARE = 16,
};

/* The most bytes that the images of a file of @size bytes may unpack to. */
uint64_t image_unpack_most(uint64_t size);

extern const char image_needs_link[], image_narrow[]; /* values of image->problem */

/*
 * Counts the bytes that @entry, the last of @file, unpacks to; when that is more than the
 * file may request it is unreadable, which is noted as damage. GPURUN_NO_MEMORY.
 */
int image_count_unpacked(struct image_file *file, struct image_entry *entry,
			 struct err *e);

/*
 * Does what image_kernels() does but for the bounds of the whole file: what it found is there
 * after that call. Threads may do so for images of different containers at a time.
 */
void image_read(struct image_file *file, struct image *image);

/* Makes the index for image_members(); the last step of reading a file. GPURUN_NO_MEMORY. */
int image_file_index(struct image_file *file, struct err *e);

/* Sorts the images of @file by container; *@order and *@first are owned by the caller, as those
 * of struct image_file are. GPURUN_NO_MEMORY. */
int image_file_sort(const struct image_file *file, size_t **order, size_t **first, struct err *e);

/* A part of a file that holds images. */
struct image_place {
	struct bytes bytes; /* the file's, or what an offload binary in it unpacks to */
	bool unpacked;      /* the latter */
	uint64_t offset, size; /* inside these */
	const char *name;      /* "" for a whole file; borrowed */
	bool linked;           /* nvcc may have added a stub without code */
	bool relocatable;      /* what is there needs a device link */
};

/* Tells whether one more image at @place is to be added to @file: of those that were unpacked
 * there may be too many, which is noted as damage. */
bool image_has_room(struct image_file *file, const struct image_place *place);

/* Releases the memory of the file's bytes from *@from to @to, as far as these are large pages,
 * which would be split otherwise, and moves *@from there. */
void image_drop(struct image_file *file, uint64_t *from, uint64_t to);

/* Keeps @damage if it is the file's first. */
void image_note_damage(struct image_file *file, const struct err *damage);

/*
 * Add the images at @place, whose kind is known. Damage is noted, and is no
 * failure: that is GPURUN_NO_MEMORY alone.
 */
int image_add_ptx(struct image_file *file, const struct image_place *place,
		  struct err *e);
int image_add_cubin(struct image_file *file, const struct image_place *place,
		    struct err *e);
int image_add_fatbins(struct image_file *file, const struct image_place *place,
		      struct err *e);
int image_add_bitcode(struct image_file *file, const struct image_place *place,
		      struct err *e);
int image_add_offloads(struct image_file *file, const struct image_place *place,
		       struct err *e);

/* Makes one container of the images from @first on that are alternatives: of which one is
 * to be chosen. GPURUN_NO_MEMORY. */
int image_join_alternatives(struct image_file *file, size_t first, struct err *e);

/* Adds the one image at @place, recognised by its bytes; nothing when they are of no kind that
 * a file can hold in addition to others. */
int image_add_embedded(struct image_file *file, const struct image_place *place,
		       struct err *e);

/* Adds what never runs here, called @name, because of @problem; both are static. */
int image_add_foreign(struct image_file *file, const struct image_place *place,
		      const char *name, const char *problem, struct err *e);

/* Adds the images of the fatbin at *@offset of @view, which is the file's, and moves *@offset
 * after it. Damage in it is noted. GPURUN_FORMAT when there is none, GPURUN_NO_MEMORY. */
int image_add_container(struct image_file *file, struct input_view *view, uint64_t *offset,
			const struct image_place *place, struct err *e);

/* Notes that the @size bytes at @offset were read: image_add_scattered() leaves them out.
 * GPURUN_NO_MEMORY. */
int image_cover(struct image_file *file, uint64_t offset, uint64_t size, struct err *e);

/*
 * Adds the fatbins, cubins, offload binaries and PTX texts that are anywhere else in @file: in
 * data that has no name. @search was started with the file's bytes. What only looks like one is
 * skipped. GPURUN_NO_MEMORY.
 */
int image_add_scattered(struct image_file *file, struct image_search *search, struct err *e);

/* What is back to back in a file or a section, with zeros between. */
struct image_series {
	const char *name;
	const void *magic; /* that each begins with */
	size_t magic_size;
	bool (*sniff)(struct bytes bytes, uint64_t offset);
	/* Adds the one at *@offset of @view and moves *@offset after it. */
	int (*add)(struct image_file *file, struct input_view *view, uint64_t *offset,
		   const struct image_place *place, struct err *e);
};

/* Adds all that are at @place; what else is there is damage. */
int image_add_series(struct image_file *file, const struct image_place *place,
		     const struct image_series *series, struct err *e);

#endif
