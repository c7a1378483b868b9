/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an image may be: PTX text; a fatbin container, whose header { u32 magic,
 * u16 version, u16 header size, u64 payload size } has its size; the wrapper
 * { u32 magic, u32 version, container * } that host compilers emit; or an ELF
 * file, which is machine code, and may also have the PTX it was made from
 * (lib/image/cubin_ptx.c).
 */
#include "jit.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "cause.h"
#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "cubin.h"
#include "device_limits.h"
#include "exec.h"
#include "failed.h"
#include "image.h"
#include "image_size.h"
#include "link_merge.h"
#include "outcome.h"
#include "output.h"
#include "ptx.h"
#include "ptx_lex.h"
#include "report.h"

#define FATBIN_MAGIC  0xba55ed50u
#define WRAPPER_MAGIC 0x466243b1u

static CUresult to_cuda(int status)
{
	switch (status) {
	case GPURUN_OK:
		return CUDA_SUCCESS;
	case GPURUN_FORMAT:
	case GPURUN_INVALID:
		return CUDA_ERROR_INVALID_PTX;
	case GPURUN_UNSUPPORTED:
		return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	case GPURUN_NO_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	default:
		return CUDA_ERROR_UNKNOWN;
	}
}

/* What the head of a text says: 78 for .version 7.8, 90 and true for .target sm_90a; or 0. */
struct ptx_head {
	unsigned version, arch;
	bool own; /* of this architecture alone: a letter follows the number */
};

static unsigned digits(const struct ptx_token *token, uint32_t *at)
{
	unsigned number = 0;

	for (; *at < token->length && isdigit((unsigned char)token->text[*at]); ++*at)
		number = number * 10 + (unsigned)(token->text[*at] - '0');
	return number;
}

static struct ptx_head read_head(struct bytes text)
{
	struct ptx_lexer lexer = ptx_lexer(text, 1);
	struct ptx_head head = { 0 };
	struct ptx_token token;
	uint32_t at = 0;

	do {
		ptx_next(&lexer, &token);
		if (token.kind == PTX_END || token.kind == PTX_BAD)
			return head;
		if (ptx_is(&token, ".version")) {
			ptx_next(&lexer, &token);
			at = 0;
			head.version = 10 * digits(&token, &at);
			at += at < token.length && token.text[at] == '.';
			head.version += digits(&token, &at);
		}
	} while (!ptx_is(&token, ".target"));
	ptx_next(&lexer, &token);
	if (token.kind != PTX_WORD || token.length < 4 || memcmp(token.text, "sm_", 3) != 0)
		return head;
	at = 3;
	head.arch = digits(&token, &at);
	head.own = at < token.length;
	return head;
}

/* The first .version that has the target; 0: older than those that it is asked of. As the compiler
 * of a GPU's driver has it, which takes sm_88 earlier than the manual says. */
static unsigned first_version(const struct ptx_head *head)
{
	switch (head->arch) {
	case 80:
		return 70;
	case 86:
		return 71;
	case 87:
		return 74;
	case 88:
		return 73;
	case 89:
		return 78;
	case 90:
		return head->own ? 80 : 78;
	default:
		return 0;
	}
}

/* Copies @text, which lives as long as its owner; the copy ends with NUL. */
static CUresult copy_text(struct bytes text, struct bytes *out, struct err *e)
{
	char *copy = malloc(text.size + 1);

	if (!copy) {
		err_set(e, GPURUN_NO_MEMORY, "no memory for %zu bytes of PTX", text.size);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	memcpy(copy, text.data, text.size);
	copy[text.size] = '\0';
	*out = (struct bytes){ (uint8_t *)copy, text.size };
	return CUDA_SUCCESS;
}

/* The file whose data @image is in, as far as the dynamic linker knows. */
static const char *file_of(const void *image)
{
	Dl_info info;

	if (!dladdr(image, &info) || !info.dli_fname || !*info.dli_fname)
		return "an image in memory";
	return info.dli_fname;
}

/* Reports that @image cannot run on this device, for @why; @cure is what helps. */
static void refuse_image(const void *image, const char *why, const char *cure)
{
	const struct about about = ABOUT(REFUSED_IMAGE);
	struct gpurun_report report;
	char what[640];

	snprintf(what, sizeof(what), "%s: %s", file_of(image), why);
	report = report_about(GPURUN_REPORT_IMAGE, &about, what);
	report.hint = cure;
	if (failed_caller_is_cudart(cause_caller))
		outcome_image_later(&report);
	else
		outcome_image(&report, !report_is_muted());
}

/* @image without data: it is not reported. What helps is the hint of the report; @e->text, the
 * log of a program that asks for one, has it as well. */
static CUresult machine_code_only(struct bytes image, const char *what, struct err *e)
{
	const unsigned cc = config.cc;
	char why[320], cure[256];

	snprintf(why, sizeof(why), "contains %s only; the CPU device is sm_%u and runs PTX", what,
		 cc);
	err_set(e, GPURUN_NO_IMAGE, "%s; rebuild with -gencode arch=compute_%u,code=compute_%u",
		why, cc, cc);
	snprintf(cure, sizeof(cure),
		 "rebuild with PTX: nvcc -gencode arch=compute_%u,code=compute_%u, clang "
		 "--cuda-include-ptx=sm_%u; what makes cubins alone: nvcc -lineinfo, clang "
		 "-gline-tables-only", cc, cc, cc);
	if (image.data)
		refuse_image(image.data, why, cure);
	return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* Reads the size of an image from its headers where the caller does not know it. */
static CUresult measure(struct bytes *image, struct err *e)
{
	if (image->size != JIT_UNSIZED)
		return CUDA_SUCCESS;
	if (image_size((struct bytes){ image->data, IMAGE_SIZE_UNKNOWN }, &image->size, e))
		return CUDA_ERROR_INVALID_IMAGE;
	return CUDA_SUCCESS;
}

static CUresult merge_texts(const struct cubin_texts *texts, struct bytes *text, struct err *e)
{
	CLEANUP(free_pointer)
	struct link_text *inputs = calloc(texts->count + 1, sizeof(*inputs));

	if (!inputs)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (size_t i = 0; i < texts->count; i++)
		inputs[i] = (struct link_text){ texts->items[i], "line info", 0 };
	return to_cuda(link_merge(inputs, texts->count, 0, text, e));
}

/* Adds the lines of the source. Where they are too many the kernels run without them: said once. */
static CUresult add_lines(struct bytes cubin, struct cubin_texts *texts, struct err *e)
{
	static atomic_bool noted;
	struct err why = { 0 };
	const int status = cubin_add_lines(cubin, texts, &why);

	if (status == GPURUN_UNSUPPORTED) {
		if (!atomic_exchange(&noted, true))
			output_note("the source lines of a cubin are left out, reports name lines "
				    "of its PTX: %s; compile less code with -lineinfo", why.text);
		return CUDA_SUCCESS;
	}
	return status ? to_cuda(err_set(e, status, "%s", why.text)) : CUDA_SUCCESS;
}

/* The PTX in the line info of @cubin, with the lines of the source; of several texts, one for each
 * translation unit, the one that they make together. */
static CUresult read_line_ptx(struct bytes cubin, struct bytes *text, struct err *e)
{
	CLEANUP(cubin_texts_release) struct cubin_texts texts = { 0 };

	if (cubin_texts(cubin, &texts, e))
		return CUDA_ERROR_INVALID_IMAGE;
	TRY(add_lines(cubin, &texts, e));
	if (texts.count == 1)
		return copy_text(texts.items[0], text, e);
	return merge_texts(&texts, text, e);
}

/* Parts for the device linker, as nvcc -rdc leaves them beside the linked whole, run nowhere. */
static bool has_relocatable(struct image_file *file)
{
	for (size_t i = 0; i < image_count(file); i++)
		if (image_at(file, i)->relocatable ||
		    image_at(file, i)->kind == IMAGE_RELOCATABLE)
			return true;
	return false;
}

CUresult jit_image_text(const struct image_file *file, const struct image *image,
			struct bytes *text, struct err *e)
{
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };

	if (image_unpack(file, image, &payload, e))
		return CUDA_ERROR_INVALID_IMAGE;
	return image->kind == IMAGE_CUBIN ? read_line_ptx(payload.bytes, text, e) :
					    copy_text(payload.bytes, text, e);
}

CUresult jit_refuse(struct image_file *file, struct bytes bytes, struct err *e)
{
	char what[256];

	image_describe_all(file, what, sizeof(what));
	if (has_relocatable(file))
		bytes.data = NULL;
	return machine_code_only(bytes, what, e);
}

/* The fatbin that a host compiler's wrapper points to, wherever that is. */
static struct bytes unwrap(struct bytes image)
{
	const uint8_t *fatbin;

	if (image.size != JIT_UNSIZED || load_u32(image.data) != WRAPPER_MAGIC)
		return image;
	memcpy(&fatbin, image.data + 8, sizeof(fatbin));
	return (struct bytes){ fatbin, JIT_UNSIZED };
}

/* The start of @image, by which its format is known: no byte after the end of a short text. */
static struct bytes begin_of(struct bytes image)
{
	const size_t most = image.size < 4 ? image.size : 4;

	return (struct bytes){ image.data, strnlen((const char *)image.data, most) };
}

/* A file of host code, whose contents a driver ignores: it is reported as machine code. */
static CUresult refuse_host(struct bytes image, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	char what[256];

	if (image_file_read(image, "image", &file, e))
		return CUDA_ERROR_INVALID_IMAGE;
	image_describe_all(file, what, sizeof(what));
	return machine_code_only(image, what, e);
}

bool jit_is_file(struct bytes *image, bool objects)
{
	struct bytes begin = begin_of(*image);

	if (begin.size < 4)
		return false;
	*image = unwrap(*image);
	begin.data = image->data;
	if (load_u32(begin.data) == FATBIN_MAGIC || bytes_begin(begin, "\177ELF", 4))
		return true;
	return objects && bytes_begin(begin, "!<ar", 4);
}

CUresult jit_open(struct bytes *image, bool objects, const char *name, struct image_file **file,
		  struct err *e)
{
	*file = NULL;
	TRY(measure(image, e));
	if (!objects && bytes_begin(*image, "\177ELF", 4) && !cubin_sniff(*image))
		return refuse_host(*image, e);
	return image_file_read(*image, name, file, e) ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
}

/* Text, which ends at its NUL. */
static CUresult find_text(struct bytes image, struct bytes *text, struct err *e)
{
	if (!begin_of(image).size) {
		err_set(e, GPURUN_FORMAT, "an empty image");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	image.size = strnlen((const char *)image.data, image.size);
	if (!ptx_sniff(image)) {
		err_set(e, GPURUN_FORMAT, "neither PTX, nor a fatbin, nor a cubin");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	return copy_text(image, text, e);
}

CUresult jit_text(struct bytes image, struct bytes *text, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	const struct image_target target = { .arch = config.cc, .ptx_only = true };
	struct image *chosen;

	*text = (struct bytes){ 0 };
	if (!jit_is_file(&image, false))
		return find_text(image, text, e);
	TRY(jit_open(&image, false, "image", &file, e));
	chosen = image_choose(file, UINT32_MAX, &target);
	return chosen ? jit_image_text(file, chosen, text, e) : jit_refuse(file, image, e);
}

CUresult jit_read(const char *path, struct bytes *image, struct err *e)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(free_pointer) char *data = NULL;
	size_t size = 0, room = 0;
	ssize_t got;

	*image = (struct bytes){ 0 };
	if (fd < 0) {
		err_set(e, GPURUN_IO, "cannot open %s: %s", path, strerror(errno));
		return CUDA_ERROR_FILE_NOT_FOUND;
	}
	do {
		if (size == room) {
			char *grown = realloc(data, room = room ? room * 2 : 1 << 16);

			if (!grown)
				return CUDA_ERROR_OUT_OF_MEMORY;
			data = grown;
		}
		got = read(fd, data + size, room - size);
		size += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		return CUDA_ERROR_FILE_NOT_FOUND;
	*image = (struct bytes){ (uint8_t *)STEAL(data), size };
	return CUDA_SUCCESS;
}

CUresult jit_load(struct bytes text, struct program **out, struct err *e)
{
	const struct ptx_head head = read_head(text);
	const unsigned first = first_version(&head);

	*out = NULL;
	if (head.arch > config.cc) {
		err_set(e, GPURUN_FORMAT, ".target sm_%u is newer than the device, which is sm_%u",
			head.arch, config.cc);
		err_hint(e, "GPURUN_CPU=cc=%u.%u, or gpurun -d cpu:cc=%u.%u, makes the CPU "
			 "device one of that kind", head.arch / 10, head.arch % 10, head.arch / 10,
			 head.arch % 10);
		refuse_image(text.data, e->text, e->hint);
		return CUDA_ERROR_INVALID_PTX;
	}
	if (head.version && head.version < first) {
		err_set(e, GPURUN_FORMAT, ".target sm_%u%s needs .version %u.%u, not %u.%u",
			head.arch, head.own ? "a" : "", first / 10, first % 10,
			head.version / 10, head.version % 10);
		return CUDA_ERROR_INVALID_PTX;
	}
	return to_cuda(program_load(text, out, e));
}

/* ptxas raises a limit of registers to what a kernel needs at least on any GPU. */
static unsigned limit_of(unsigned registers)
{
	return registers && registers < DEVICE_LEAST_REGISTERS ? DEVICE_LEAST_REGISTERS : registers;
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
		if (options[i] == CU_JIT_WALL_TIME)
			log.wall = &values[i];
		if (options[i] == CU_JIT_MAX_REGISTERS)
			log.registers = limit_of((uint32_t)(uintptr_t)values[i]);
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
	log.start = clock_now();
	return log;
}

void jit_log_time(const struct jit_log *log)
{
	float ms;

	if (!log || !log->wall)
		return;
	ms = (float)((double)(clock_now() - log->start) / 1e6);
	memcpy(log->wall, &ms, sizeof(ms));
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
