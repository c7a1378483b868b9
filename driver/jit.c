/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an image may be: PTX text; a fatbin container, whose header { u32 magic,
 * u16 version, u16 header size, u64 payload size } tells its size; the wrapper
 * { u32 magic, u32 version, container * } that host compilers emit; or an ELF
 * file, which is machine code.
 */
#include "jit.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "cleanup.h"
#include "config.h"
#include "exec.h"
#include "image.h"
#include "ptx.h"
#include "ptx_lex.h"

#define FATBIN_MAGIC  0xba55ed50u
#define WRAPPER_MAGIC 0x466243b1u

static CUresult to_cuda(int status)
{
	switch (status) {
	case GPURUN_OK:
		return CUDA_SUCCESS;
	case GPURUN_FORMAT:
		return CUDA_ERROR_INVALID_PTX;
	case GPURUN_UNSUPPORTED:
		return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	case GPURUN_NO_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	default:
		return CUDA_ERROR_UNKNOWN;
	}
}

/* The number in the first "sm_90" after .target; 0 when there is none to be found. */
static unsigned target_arch(struct bytes text)
{
	struct ptx_lexer lexer = ptx_lexer(text, 1);
	struct ptx_token token;
	unsigned arch = 0;

	do {
		ptx_next(&lexer, &token);
		if (token.kind == PTX_END || token.kind == PTX_BAD)
			return 0;
	} while (!ptx_is(&token, ".target"));
	ptx_next(&lexer, &token);
	if (token.kind != PTX_WORD || token.length < 4 || memcmp(token.text, "sm_", 3) != 0)
		return 0;
	for (uint32_t i = 3; i < token.length && isdigit((unsigned char)token.text[i]); i++)
		arch = arch * 10 + (unsigned)(token.text[i] - '0');
	return arch;
}

static CUresult load_ptx(struct bytes text, struct program **out, struct err *e)
{
	unsigned arch = target_arch(text);

	if (arch <= config.cc)
		return to_cuda(program_load(text, out, e));
	err_set(e, GPURUN_FORMAT, ".target sm_%u is newer than the device, which is sm_%u", arch,
		config.cc);
	err_hint(e, "GPURUN_CPU=cc=%u.%u makes the CPU device one of that kind", arch / 10,
		 arch % 10);
	return CUDA_ERROR_INVALID_PTX;
}

static CUresult machine_code_only(const char *what, struct err *e)
{
	const unsigned cc = config.cc;

	err_set(e, GPURUN_NO_IMAGE,
		"contains %s only; the CPU device runs PTX; rebuild with "
		"-gencode arch=compute_%u,code=compute_%u",
		what, cc, cc);
	return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* The caller passes no size: an ELF file ends with its last table, or its last header. */
static size_t elf_size(const uint8_t *image)
{
	uint64_t headers = load_u64(image + 32), sections = load_u64(image + 40);

	headers += (uint64_t)load_u16(image + 54) * load_u16(image + 56);
	sections += (uint64_t)load_u16(image + 58) * load_u16(image + 60);
	return headers > sections ? headers : sections;
}

static CUresult refuse_cubin(const uint8_t *image, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	const struct bytes bytes = { image, elf_size(image) };
	char what[256];

	if (image_file_read(bytes, "image", &file, e))
		return CUDA_ERROR_INVALID_IMAGE;
	image_describe_all(file, what, sizeof(what));
	return machine_code_only(what, e);
}

/* Loads the best PTX of a container that says its size. */
static CUresult load_fatbin(const uint8_t *image, struct program **out, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	const struct image_target target = { .arch = config.cc, .ptx_only = true };
	struct bytes bytes = { image, load_u16(image + 6) };
	struct image *chosen;
	char what[256];

	if (!size_add(bytes.size, load_u64(image + 8), &bytes.size))
		return err_set(e, GPURUN_FORMAT, "fatbin: size out of range"),
		       CUDA_ERROR_INVALID_IMAGE;
	if (image_file_read(bytes, "fatbin", &file, e))
		return CUDA_ERROR_INVALID_IMAGE;
	chosen = image_choose(file, UINT32_MAX, &target);
	if (!chosen) {
		image_describe_all(file, what, sizeof(what));
		return machine_code_only(what, e);
	}
	if (image_kernels(file, chosen, e))
		return CUDA_ERROR_INVALID_IMAGE;
	return load_ptx(chosen->payload, out, e);
}

CUresult jit_load(const void *image, struct program **out, struct err *e)
{
	const uint8_t *bytes = image;
	struct bytes text;

	*out = NULL;
	/* At most as many bytes are looked at as text of that length would have. */
	if (!bytes[0]) {
		err_set(e, GPURUN_FORMAT, "an empty image");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	text = (struct bytes){ bytes, strnlen(image, 4) };
	if (text.size == 4 && load_u32(bytes) == WRAPPER_MAGIC)
		memcpy(&bytes, bytes + 8, sizeof(bytes));
	if (text.size == 4 && load_u32(bytes) == FATBIN_MAGIC)
		return load_fatbin(bytes, out, e);
	if (bytes_begin(text, "\177ELF", 4))
		return refuse_cubin(bytes, e);
	text.size = strlen(image);
	if (!ptx_sniff(text)) {
		err_set(e, GPURUN_FORMAT, "neither PTX, nor a fatbin, nor a cubin");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	return load_ptx(text, out, e);
}

struct jit_log jit_log(unsigned count, const CUjit_option *options, void **values)
{
	struct jit_log log = { 0 };
	char *info = NULL;

	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			log.error = values[i];
		if (options[i] == CU_JIT_INFO_LOG_BUFFER)
			info = values[i];
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			log.error_used = &values[i];
		if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
			log.info_used = &values[i];
	}
	/* A size is the low 32 bits of its value. */
	if (log.error_used)
		log.error_size = (uint32_t)(uintptr_t)*log.error_used;
	if (log.error && log.error_size)
		log.error[0] = '\0';
	if (info && log.info_used && (uint32_t)(uintptr_t)*log.info_used)
		info[0] = '\0';
	if (log.error_used)
		*log.error_used = NULL;
	if (log.info_used)
		*log.info_used = NULL;
	return log;
}

void jit_log_error(const struct jit_log *log, const struct err *e)
{
	size_t length;

	if (!log || !log->error || !log->error_size)
		return;
	snprintf(log->error, log->error_size, "%s%s%s\n", e->text, e->hint[0] ? "\n" : "",
		 e->hint);
	length = strlen(log->error) + 1;
	if (log->error_used)
		*log->error_used = (void *)length;
}
