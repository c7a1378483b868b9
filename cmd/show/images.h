/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --list=images: what a file holds, what cannot be launched from included. */
#ifndef CMD_IMAGES_H
#define CMD_IMAGES_H

#include "json.h"
#include "plan.h"

/* Prints a line for each image of the files of @plan: number, kind, place, what an offload
 * binary says of it, and how many kernels it has or why it cannot be loaded. */
void images_print(const struct plan *plan);

/* Writes the same as an array "images". */
void images_json(struct json *json, const struct plan *plan);

/* Writes what an offload binary says of @image, as "offload"; nothing for others. */
void images_json_offload(struct json *json, const struct image *image);

/* Writes the members of image @index of @source, into an open object. */
void images_json_members(struct json *json, const struct source *source, size_t index,
			 const struct image *image);

/* Writes where the bytes of @image are and how many there are. */
void images_json_place(struct json *json, const struct image *image);

#endif
