/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels of the programs here, as PTX, and the images that they load. Each kernel has an address
 * as its parameter, used or not. */
#ifndef TRUST_KERNELS_H
#define TRUST_KERNELS_H

#include "steps.h"

#define KERNEL(name, directives, body) \
	".visible .entry " name "(.param .u64 p)" directives "\n{\n" body "\tret;\n}\n"

#define REGISTERS "\t.reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %q;\n\tld.param.u64 %d1, [p];\n"

/* Where the thread's own word is, of those from p on. */
#define OWN_WORD                                                                         \
	REGISTERS "\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %d2, %r1, 4;\n"                \
		  "\tadd.u64 %d2, %d1, %d2;\n"

#define TEN(line) line line line line line line line line line line
#define TWENTY(line) TEN(line) TEN(line)

/*
 * nothing     has no effect
 * fill        each thread writes its word, from p on
 * unset       writes a register that has no value to p
 * far         writes where no memory is
 * crooked     writes at an address that is not a multiple of 4
 * eighty      writes at 80 such addresses
 * trap        ends by the instruction of the name
 * asserts     fails an assert()
 * small       has blocks of 256 threads at most
 * _Z4tileIfEvPT_    tile<float> of C++, likewise
 * dynamic     uses shared memory whose size the launch says
 * pairs       needs clusters of 2 blocks
 */
#define TRUST_PTX(version, target)                                                       \
	".version " version "\n.target " target "\n.address_size 64\n"                  \
	".extern .shared .align 4 .b8 size_of_launch[];\n"                               \
	".visible .global .align 4 .u32 counter;\n"                                      \
	".global .align 1 .b8 text[8] = { 99, 111, 117, 110, 116, 0 };\n"                \
	".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, "       \
	".param .b64 d, .param .b64 e);\n"                                               \
	KERNEL("nothing", "", "")                                                        \
	KERNEL("fill", "", OWN_WORD "\tst.global.u32 [%d2], 7;\n")                       \
	KERNEL("unset", "", REGISTERS "\tst.global.u32 [%d1], %r2;\n")                   \
	KERNEL("far", "", "\t.reg .b64 %d;\n\tmov.u64 %d, 64;\n\tst.global.u32 [%d], 7;\n") \
	KERNEL("crooked", "", REGISTERS "\tst.global.u32 [%d1+2], 7;\n")                 \
	KERNEL("eighty", "", REGISTERS TWENTY("\tst.global.u32 [%d1+2], 7;\n")            \
	       TWENTY("\tst.global.u32 [%d1+6], 7;\n")                                   \
	       TWENTY("\tst.global.u32 [%d1+10], 7;\n")                                  \
	       TWENTY("\tst.global.u32 [%d1+14], 7;\n"))                                 \
	KERNEL("trap", "", "\ttrap;\n")                                                  \
	KERNEL("asserts", "",                                                            \
	       "\t.reg .b64 %d;\n\tmov.u64 %d, text;\n\tcvta.global.u64 %d, %d;\n"       \
	       "\t.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n" \
	       "\tst.param.b64 [a], %d;\n\tst.param.b64 [b], %d;\n\tst.param.b32 [c], 9;\n" \
	       "\tst.param.b64 [d], %d;\n\tst.param.b64 [e], 1;\n"                       \
	       "\tcall.uni __assertfail, (a, b, c, d, e);\n")                            \
	KERNEL("small", " .maxntid 256, 1, 1", "")                                       \
	KERNEL("_Z4tileIfEvPT_", " .maxntid 256, 1, 1", "")                              \
	KERNEL("dynamic", "",                                                            \
	       "\tst.shared.u32 [size_of_launch], 1;\n")

#define TRUST_PTX_90 TRUST_PTX("7.8", "sm_90") \
	KERNEL("pairs", " .reqnctapercluster 2, 1, 1", "")

static const char ptx[] = TRUST_PTX_90;
UNUSED static const char newer[] = TRUST_PTX("8.7", "sm_120");

/*
 * The image that a step names: "" is the kernels here, newer the same for a GPU that comes later
 * than the device, damaged PTX that ends too early, else a FILE, whose bytes are there until the
 * next call.
 */
UNUSED static const void *image_of(const char *what, size_t *size)
{
	static const char damaged[] =
		".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k( {";
	static void *file;
	const void *image = ptx;

	free(file);
	file = NULL;
	*size = sizeof(ptx);
	if (!strcmp(what, "newer")) {
		image = newer;
		*size = sizeof(newer);
	} else if (!strcmp(what, "damaged")) {
		image = damaged;
		*size = sizeof(damaged);
	} else if (*what) {
		image = file = file_read(what, size);
	}
	return image;
}

#endif
