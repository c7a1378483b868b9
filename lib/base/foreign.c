/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A kind is a row; the first that matches counts. Binary kinds have a magic number,
 * texts are recognised by their first words after comments, or by a word that only one
 * language has.
 */
#include "foreign.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "quote.h"

enum {
	HEAD = 1 << 18,  /* bytes in which the words of a text are searched */
	PLAIN = 512,     /* bytes without a NUL that make a text */
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Texts ------------------------------------------------------------------------------ */

static struct bytes head_of(struct bytes bytes)
{
	return (struct bytes){ bytes.data, bytes.size < HEAD ? bytes.size : HEAD };
}

static bool is_text(struct bytes bytes)
{
	return bytes.size && !memchr(bytes.data, 0, bytes.size < PLAIN ? bytes.size : PLAIN);
}

static bool has(struct bytes bytes, const char *word)
{
	return memmem(bytes.data, bytes.size, word, strlen(word));
}

static void skip(struct bytes *bytes, size_t count)
{
	bytes->data += count;
	bytes->size -= count;
}

/* Moves past the first @end, or to the end of @bytes. */
static void skip_to(struct bytes *bytes, const char *end)
{
	const uint8_t *p = memmem(bytes->data, bytes->size, end, strlen(end));

	skip(bytes, p ? (size_t)(p - bytes->data) + strlen(end) : bytes->size);
}

/* Moves past white space, comments of C, and lines that begin with @comment. */
static struct bytes skip_comments(struct bytes bytes, const char *comment)
{
	for (;;) {
		if (bytes.size && isspace(bytes.data[0]))
			skip(&bytes, 1);
		else if (bytes_begin(bytes, "//", 2) ||
			 bytes_begin(bytes, comment, strlen(comment)))
			skip_to(&bytes, "\n");
		else if (bytes_begin(bytes, "/*", 2))
			skip_to(&bytes, "*/");
		else
			return bytes;
	}
}

/* Tells whether @bytes begins with one of @words, each of which ends with what follows it. */
static bool begins_with(struct bytes bytes, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes_begin(bytes, words[i], strlen(words[i])))
			return true;
	return false;
}

/* The length of a name of letters, digits and what else MLIR and LLVM have in one. */
static size_t name_length(struct bytes bytes)
{
	size_t length = 0;

	while (length < bytes.size &&
	       (isalnum(bytes.data[length]) || memchr("_.$-", bytes.data[length], 4)))
		length++;
	return length;
}

/* "#map = ", "!alias = ", "@name = ": a definition, of a name after one of @marks. */
static bool is_definition(struct bytes bytes, const char *marks)
{
	size_t length;

	if (!bytes.size || !memchr(marks, bytes.data[0], strlen(marks)))
		return false;
	skip(&bytes, 1);
	length = name_length(bytes);
	skip(&bytes, length);
	return length && bytes_begin(bytes, " = ", 3);
}

static bool is_mlir(struct bytes bytes)
{
	static const char *const words[] = {
		"module {",   "module @",   "module attributes", "builtin.module",
		"\"builtin.module\"",	    "gpu.module",	 "func.func",
		"llvm.func",  "gpu.binary", "llvm.mlir.global",
	};
	const struct bytes first = skip_comments(head_of(bytes), "//");

	return is_text(bytes) &&
	       (begins_with(first, words, COUNT(words)) || is_definition(first, "#!"));
}

/* What MLIR's pipeline has made: the kernels are compiled. */
static bool is_lowered_mlir(struct bytes bytes)
{
	return is_mlir(bytes) && has(head_of(bytes), "gpu.binary @");
}

static bool is_ir(struct bytes bytes)
{
	static const char *const words[] = {
		"source_filename = ", "target datalayout", "target triple", "define ",
		"declare ",	      "attributes #",	   "!llvm.",
	};
	const struct bytes first = skip_comments(head_of(bytes), ";");

	return is_text(bytes) && (begins_with(first, words, COUNT(words)) ||
				  is_definition(first, "@%$") ||
				  bytes_begin(bytes, "; ModuleID", 10));
}

/* LLVM IR that is no GPU's: it may hold an image, as that of mlir-translate does. */
static bool is_host_ir(struct bytes bytes)
{
	const struct bytes head = head_of(bytes);

	return is_ir(bytes) && !has(head, "nvptx") && !has(head, "ptx_kernel") &&
	       (has(head, "target triple") || has(head, "_binary"));
}

static bool is_assembly(struct bytes bytes)
{
	static const char *const words[] = {
		".file", ".text", ".section", ".globl", ".type", ".att_syntax", ".intel_syntax",
		".arch", ".data", ".p2align", ".align", ".amdgcn_target", ".amdhsa",
	};
	const struct bytes first = skip_comments(head_of(bytes), "#");

	return is_text(bytes) && begins_with(first, words, COUNT(words));
}

static bool is_amd_assembly(struct bytes bytes)
{
	return is_assembly(bytes) && has(head_of(bytes), ".amdgcn_target");
}

static bool is_cuda(struct bytes bytes)
{
	return is_text(bytes) && has(head_of(bytes), "__global__");
}

static bool is_opencl(struct bytes bytes)
{
	return is_text(bytes) && has(head_of(bytes), "__kernel ");
}

static bool is_script(struct bytes bytes)
{
	return bytes_begin(bytes, "#!", 2);
}

static bool is_amd_code(struct bytes bytes)
{
	const uint8_t *machine = bytes_at(bytes, 18, 2);

	return machine && bytes_begin(bytes, ELFMAG, SELFMAG) &&
	       load_u16(machine) == EM_AMDGPU;
}

static bool is_tar(struct bytes bytes)
{
	const uint8_t *magic = bytes_at(bytes, 257, 5);

	return magic && !memcmp(magic, "ustar", 5);
}

/* ---- The table -------------------------------------------------------------------------- */

static const char through_mlir[] =
	"mlir-opt FILE -gpu-lower-to-nvvm-pipeline=cubin-format=isa | "
	"mlir-translate --mlir-to-llvmir | llc -filetype=obj -o out.o";
static const char through_translate[] =
	"mlir-translate --mlir-to-llvmir FILE | llc -filetype=obj -o out.o";
static const char through_llc[] = "llc -mtriple=nvptx64 -mcpu=sm_90 FILE -o out.ptx";
static const char for_nvidia[] =
	"it is not for NVIDIA's GPUs; to compile its source for them: "
	"clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -S SOURCE -o out.ptx";

// clang-format off
static const struct row {
	const char *magic; /* NULL: the function decides */
	size_t size;
	bool (*is)(struct bytes bytes);
	struct foreign foreign;
} rows[] = {
	{ "!<thin>\n", 8, NULL, { "a thin ar archive", "give the member's own file" } },
	{ "\xED\x43\x4E\x7F", 4, NULL, { "NVIDIA LTO-IR", "link it with nvcc -dlto first" } },
	{ "\x01\x5A\xE5\x1E", 4, NULL, { "a fatbin of CUDA 3 or older", "rebuild it" } },
	{ "ML\xEFR", 4, NULL, { "MLIR bytecode", through_mlir } },
	{ "BC\xC0\xDE", 4, NULL, { "LLVM bitcode", through_llc } },
	{ "\xDE\xC0\x17\x0B", 4, NULL, { "LLVM bitcode", through_llc } },
	{ "\x1F\x8B", 2, NULL, { "a gzip file", "zcat FILE | gpurun - ..." } },
	{ "\x28\xB5\x2F\xFD", 4, NULL, { "a zstd file", "zstdcat FILE | gpurun - ..." } },
	{ "\xFD" "7zXZ", 6, NULL, { "an xz file", "xzcat FILE | gpurun - ..." } },
	{ "BZh", 3, NULL, { "a bzip2 file", "bzcat FILE | gpurun - ..." } },
	{ "PK\3\4", 4, NULL, { "a zip archive", "unzip -p FILE MEMBER | gpurun - ..." } },
	{ NULL, 0, is_tar, { "a tar archive", "tar -xOf FILE MEMBER | gpurun - ..." } },
	{ "__CLANG_OFFLOAD_BUNDLE__", 24, NULL, { "a bundle of HIP", for_nvidia } },
	{ "CCOB", 4, NULL, { "a compressed bundle of HIP", for_nvidia } },
	{ NULL, 0, is_amd_code, { "machine code for AMD's GPUs", for_nvidia } },
	{ "\x03\x02\x23\x07", 4, NULL, { "SPIR-V", for_nvidia } },
	{ "\x93NUMPY", 6, NULL, { "a NumPy array", "it is data: --buf NAME=@FILE" } },
	{ "MZ", 2, NULL, { "a Windows program or library", "give the .fatbin, cubin or PTX that it was made of" } },
	{ NULL, 0, is_script, { "a script", "it holds no GPU code" } },
	{ NULL, 0, is_lowered_mlir, { "MLIR with compiled kernels", through_translate } },
	{ NULL, 0, is_mlir, { "MLIR", through_mlir } },
	{ NULL, 0, is_host_ir, { "LLVM IR of a host program", "llc -filetype=obj FILE -o out.o" } },
	{ NULL, 0, is_ir, { "LLVM IR", through_llc } },
	{ NULL, 0, is_amd_assembly, { "assembly for AMD's GPUs", for_nvidia } },
	{ NULL, 0, is_cuda, { "CUDA source", "nvcc -fatbin FILE -o out.fatbin, or clang++ -x cuda --cuda-device-only "
			      "--cuda-gpu-arch=sm_90 -S FILE -o out.ptx" } },
	{ NULL, 0, is_opencl, { "OpenCL source", "clang -x cl --target=nvptx64-nvidia-cuda -march=sm_90 -S FILE -o out.ptx" } },
	{ NULL, 0, is_assembly, { "assembly", "cc -x assembler -c FILE -o out.o" } },
};
// clang-format on

const struct foreign *foreign_find(struct bytes bytes)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].magic ? bytes_begin(bytes, rows[i].magic, rows[i].size) :
				    rows[i].is(bytes))
			return &rows[i].foreign;
	return NULL;
}

/* ---- Hints ------------------------------------------------------------------------------- */

/* A name that begins with a dash would be an option. */
static bool quote(const char *path, char *text, size_t size)
{
	if (*path == '-') {
		strcpy(text, "./");
		text += 2;
		size -= 2;
	}
	return quote_word(path, text, size);
}

const char *foreign_hint(const struct foreign *foreign, const char *path, char *text,
			 size_t size)
{
	const char *from = foreign->hint, *file;
	char quoted[128] = "";
	size_t at = 0;

	if (!path || !quote(path, quoted, sizeof(quoted)))
		strcpy(quoted, "FILE");
	*text = '\0';
	while ((file = strstr(from, "FILE")) && at < size) {
		at += (size_t)snprintf(text + at, size - at, "%.*s%s", (int)(file - from),
				       from, quoted);
		from = file + 4;
	}
	if (at < size)
		snprintf(text + at, size - at, "%s", from);
	return text;
}
