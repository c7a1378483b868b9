/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The buffer of cpu/x86/: its end, labels, constants, what is refused, and the text. */
#include "x86.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "asserts.h"
#include "tap.h"

/* Of one test: code between bytes that nothing may write. */
static struct {
	uint8_t before[64], code[1024], after[64];
} buffer __attribute__((aligned(64)));

enum { GUARD = 0xa5 };

static struct x86 *begin(size_t size, uint32_t labels, uint32_t constants)
{
	const struct x86_limits limits = { buffer.code, size, labels, constants };
	struct x86 *x;

	memset(&buffer, GUARD, sizeof(buffer));
	return x86_new(&limits, X86_AVX512, &x, NULL) ? NULL : x;
}

/* Whether nothing was written outside of the first @size bytes. */
static bool guarded(size_t size)
{
	const uint8_t *bytes = (const uint8_t *)&buffer;

	for (size_t i = 0; i < sizeof(buffer); i++)
		if (bytes[i] != GUARD && (i < 64 || i >= 64 + size))
			return false;
	return true;
}

static void emit_some(struct x86 *x)
{
	const uint32_t label = x86_label(x), one = 0x3f800000;

	x86_bind(x, label);
	x86_emit(x, X86_vaddps, x86_ymm(0), x86_ymm(1), x86_broadcast(x86_constant(x, &one, 4)));
	x86_emit(x, X86_vaddps, x86_zeroed(x86_zmm(30), 3), x86_zmm(29), x86_at(X86_R12, 64));
	x86_emit(x, X86_movabs, x86_r64(X86_R9), x86_immediate(-2));
	x86_emit(x, X86_jne, x86_to(label));
	x86_emit(x, X86_ret);
}

/* Every size that is too small fails and writes nothing behind it. */
static void test_every_size(void)
{
	for (size_t size = 0; size <= 160; size++) {
		CLEANUP(free_x86) struct x86 *x = begin(size, 1, 2);
		uint8_t bytes[64] = { 1 };
		struct err e;
		size_t used;
		int status;

		REQUIRE(x);
		x86_emit(x, X86_vmovups, x86_zmm(9), x86_constant(x, bytes, 64));
		emit_some(x);
		status = x86_finish(x, &used, &e);
		CHECK(guarded(size));
		/* Of code less than 64 bytes, then the constants. */
		CHECK_INT(status, size < 64 + 64 + 4 ? GPURUN_NO_MEMORY : 0);
		CHECK_INT(used, size < 64 + 64 + 4 ? 0 : 64 + 64 + 4);
		if (status)
			CHECK(strstr(e.text, "compiling: too much code (") == e.text);
	}
}

/* An instruction that does not fit ends the code: a shorter one behind it is not written. */
static void test_nothing_follows(void)
{
	CLEANUP(free_x86) struct x86 *x = begin(4, 0, 0);
	size_t size;

	REQUIRE(x);
	x86_emit(x, X86_ret);
	x86_emit(x, X86_mov, x86_r32(0), x86_immediate(0x1234));
	x86_emit(x, X86_ret);
	CHECK_INT(x->used, 1);
	CHECK(guarded(1));
	CHECK_INT(x86_finish(x, &size, NULL), GPURUN_NO_MEMORY);
	CHECK(guarded(1));
}

static int32_t distance_at(size_t position)
{
	int32_t distance;

	memcpy(&distance, buffer.code + position, sizeof(distance));
	return distance;
}

static void test_labels(void)
{
	CLEANUP(free_x86) struct x86 *x = begin(256, 3, 0);
	uint32_t back, forward, never;
	size_t size;

	REQUIRE(x);
	back = x86_label(x);
	forward = x86_label(x);
	never = x86_label(x);
	CHECK(back != forward && forward != never);
	x86_emit(x, X86_jmp, x86_to(forward));                                  /* 0: e9, 1 to 4 */
	x86_bind(x, back);
	x86_emit(x, X86_je, x86_to(forward));                                   /* 5: 0f 84, 7 to 10 */
	x86_emit(x, X86_cmp, x86_sized(x86_at_label(forward), 4), x86_immediate(7)); /* 11: 83 3d, 13, ib */
	x86_emit(x, X86_add, x86_sized(x86_at_label(back), 8), x86_immediate(777)); /* 18: 48 81 05, 21, id */
	x86_emit(x, X86_lea, x86_r64(X86_RAX), x86_at_label(back));             /* 29: 48 8d 05, 32 */
	x86_emit(x, X86_call, x86_to(back));                                    /* 36: e8, 37 */
	x86_bind(x, forward);
	x86_emit(x, X86_jmp, x86_to(forward));                                  /* 41: e9, 42 */
	REQUIRE(x86_finish(x, &size, NULL) == 0);
	CHECK_INT(size, 46);
	CHECK_INT(distance_at(1), 41 - 5);
	CHECK_INT(distance_at(7), 41 - 11);
	CHECK_INT(distance_at(13), 41 - 18);
	CHECK_INT(distance_at(21), 5 - 29);
	CHECK_INT(distance_at(32), 5 - 36);
	CHECK_INT(distance_at(37), 5 - 41);
	CHECK_INT(distance_at(42), 41 - 46);
}

static void test_unbound_label(void)
{
	CLEANUP(free_x86) struct x86 *x = begin(256, 1, 0);
	struct err e;
	size_t size;

	REQUIRE(x);
	x86_emit(x, X86_jmp, x86_to(x86_label(x)));
	CHECK_INT(x86_finish(x, &size, &e), GPURUN_INTERNAL);
	CHECK_STR(e.text, "compiling: a label is used and not bound (5 of 256 bytes of code, 1 of 1 "
		  "labels, 0 of 0 constants)");
	CHECK_INT(size, 0);
}

static void test_too_many_labels(void)
{
	CLEANUP(free_x86) struct x86 *x = begin(256, 2, 1);
	const uint32_t value = 1;
	struct err e;
	size_t size;

	REQUIRE(x);
	x86_constant(x, &value, 4);
	x86_bind(x, x86_label(x));
	x86_bind(x, x86_label(x));
	CHECK_INT(x->failed, 0);
	x86_bind(x, x86_label(x));
	CHECK_INT(x86_finish(x, &size, &e), GPURUN_NO_MEMORY);
	CHECK_STR(e.text, "compiling: too many labels (0 of 256 bytes of code, 2 of 2 labels, "
		  "1 of 1 constants)");
}

static void test_too_many_constants(void)
{
	CLEANUP(free_x86) struct x86 *x = begin(256, 0, 1);
	const uint32_t values[] = { 1, 2 };
	struct err e;
	size_t size;

	REQUIRE(x);
	x86_constant(x, &values[0], 4);
	x86_constant(x, &values[0], 4);
	CHECK_INT(x->failed, 0);
	x86_emit(x, X86_vmovd, x86_xmm(0), x86_constant(x, &values[1], 4));
	CHECK_INT(x86_finish(x, &size, &e), GPURUN_NO_MEMORY);
	CHECK_STR(e.text, "compiling: too many constants (0 of 256 bytes of code, 0 of 0 labels, "
		  "1 of 1 constants)");
}

/* Each at a multiple of its size, equal ones at one place, those of other sizes at another. */
static void test_constants(void)
{
	static const unsigned sizes[] = { 4, 64, 8, 32, 16, 4, 8 };
	CLEANUP(free_x86) struct x86 *x = begin(1024, 0, 7);
	uint8_t data[7][64] = { { 0 } };
	size_t positions[7], size;

	REQUIRE(x);
	for (unsigned i = 0; i < 7; i++) {
		data[i][0] = (uint8_t)(i < 5 ? 1 : i);
		x86_emit(x, X86_lea, x86_r64(X86_RAX), x86_constant(x, data[i], sizes[i]));
		positions[i] = x->used;
	}
	x86_emit(x, X86_lea, x86_r64(X86_RAX), x86_constant(x, data[5], 4));
	CHECK_INT(x->constant_count, 7);
	REQUIRE(x86_finish(x, &size, NULL) == 0);
	CHECK_INT(size, 64 + 64 + 32 + 16 + 8 + 8 + 4 + 4);
	for (unsigned i = 0; i < 7; i++) {
		const size_t place = positions[i] + (size_t)distance_at(positions[i] - 4);

		CHECK_INT(place % sizes[i], 0);
		CHECK(place >= 64 && place + sizes[i] <= size &&
		      !memcmp(buffer.code + place, data[i], sizes[i]));
	}
	CHECK_INT(positions[6] + 7 + (size_t)distance_at(positions[6] + 3),
		  positions[5] + (size_t)distance_at(positions[5] - 4));
	CHECK_INT(buffer.code[56], 0xcc);
	CHECK_INT(buffer.code[63], 0xcc);
}

#define TEXT(isa, name, ...)                                                               \
	x86_text(isa, name, (const struct x86_operand[]){ __VA_ARGS__ },                   \
		 sizeof((const struct x86_operand[]){ __VA_ARGS__ }) /                     \
			 sizeof(struct x86_operand), text, sizeof(text))
#define IS(want, ...) (TEXT(__VA_ARGS__), CHECK_STR(text, want))
#define REFUSED(...) CHECK_INT(TEXT(__VA_ARGS__), 0)

static void test_text(void)
{
	char text[128];

	IS("vaddps ymm1, ymm2, ymmword ptr [rax + 4*rcx - 8]", X86_AVX2, X86_vaddps, x86_ymm(1), x86_ymm(2),
	   x86_indexed(X86_RAX, X86_RCX, 4, -8));
	IS("vaddps zmm1 {k2} {z}, zmm2, dword ptr [rip + L3]{1to16}", X86_AVX512, X86_vaddps,
	   x86_zeroed(x86_zmm(1), 2), x86_zmm(2), x86_broadcast(x86_at_label(3)));
	IS("vcvtpd2ps xmm1, qword ptr [rax]{1to4}", X86_AVX512, X86_vcvtpd2ps, x86_xmm(1),
	   x86_sized(x86_broadcast(x86_at(X86_RAX, 0)), 32));
	IS("vpscatterdd dword ptr [r9 + 8*zmm31 + 4] {k1}, zmm0", X86_AVX512, X86_vpscatterdd,
	   x86_masked(x86_gathered(X86_R9, 64, 31, 8, 4), 1), x86_zmm(0));
	IS("vcvtps2dq zmm0, zmm1, {rz-sae}", X86_AVX512, X86_vcvtps2dq, x86_zmm(0), x86_rounded(x86_zmm(1), X86_RZ));
	IS("add dword ptr [1024], -1", X86_AVX2, X86_add, x86_sized(x86_at(X86_NO_REGISTER, 1024), 4),
	   x86_immediate(0xffffffff));
	IS("lea rax, [r13]", X86_AVX2, X86_lea, x86_r64(X86_RAX), x86_at(X86_R13, 0));
	IS("vpshufd xmm0, xmm1, 255", X86_AVX2, X86_vpshufd, x86_xmm(0), x86_xmm(1), x86_immediate(-1));
	IS("jle L7", X86_AVX2, X86_jo + X86_LE, x86_to(7));
	IS("setne r8b", X86_AVX2, X86_seto + X86_NE, x86_gpr(1, X86_R8));
	IS("cmovg eax, ecx", X86_AVX2, X86_cmovo + X86_G, x86_r32(X86_RAX), x86_r32(X86_RCX));
	IS("ret", X86_AVX2, X86_ret);
	IS("rdtsc", X86_AVX2, X86_rdtsc);
}

/* The length is that of the whole text, and what there is room for ends with a 0. */
static void test_text_is_cut(void)
{
	const struct x86_operand operand = x86_r64(X86_R10);
	char text[8] = "";

	CHECK_INT(x86_text(X86_AVX2, X86_push, &operand, 1, text, 6), 8);
	CHECK_STR(text, "push ");
	CHECK_INT(x86_text(X86_AVX2, X86_push, &operand, 1, NULL, 0), 8);
}

static void test_refused_registers(void)
{
	const struct x86_operand x0 = x86_xmm(0), y0 = x86_ymm(0), z0 = x86_zmm(0), k1 = x86_k(1);
	char text[128];

	REFUSED(X86_AVX2, X86_vaddps, z0, z0, z0);
	REFUSED(X86_AVX2, X86_vaddps, y0, y0, x86_ymm(16));
	REFUSED(X86_AVX512, X86_vaddps, y0, y0, x86_ymm(32));
	REFUSED(X86_AVX512, X86_vaddps, y0, y0, x0);
	REFUSED(X86_AVX512, X86_vaddps, y0, y0);
	REFUSED(X86_AVX512, X86_vaddps, y0, y0, y0, y0);
	REFUSED(X86_AVX512, X86_vaddps, y0, y0, y0, y0, y0);
	REFUSED(X86_AVX512, X86_vaddps, y0, y0, x86_r32(0));
	REFUSED(X86_AVX512, X86_vpermd, x0, x0, x0);
	REFUSED(X86_AVX2, X86_kmovw, k1, x86_r32(0));
	REFUSED(X86_AVX512, X86_kmovw, x86_k(8), x86_r32(0));
	REFUSED(X86_AVX512, X86_kmovw, k1, x86_r64(0));
	REFUSED(X86_AVX2, X86_add, x86_r64(0), x86_r32(0));
	REFUSED(X86_AVX2, X86_add, x86_r64(0), x86_r64(16));
	REFUSED(X86_AVX2, X86_shl, x86_r64(0), x86_gpr(1, X86_RDX));
}

static void test_refused_memory(void)
{
	const struct x86_operand r0 = x86_r64(0), z0 = x86_zmm(0), z1 = x86_masked(z0, 1);
	struct x86_operand far = x86_at_label(0);
	char text[128];

	far.displacement = 4;
	REFUSED(X86_AVX2, X86_mov, r0, far);
	REFUSED(X86_AVX2, X86_mov, r0, x86_indexed(X86_RAX, X86_RSP, 1, 0));
	REFUSED(X86_AVX2, X86_mov, r0, x86_indexed(X86_RAX, X86_RCX, 3, 0));
	REFUSED(X86_AVX2, X86_mov, r0, x86_indexed(X86_RAX, X86_RCX, 16, 0));
	REFUSED(X86_AVX2, X86_mov, r0, x86_indexed(X86_RAX, X86_RCX, 0, 0));
	REFUSED(X86_AVX2, X86_mov, r0, x86_indexed(X86_RIP, X86_RCX, 1, 0));
	REFUSED(X86_AVX2, X86_mov, r0, x86_sized(x86_at(X86_RAX, 0), 4));
	REFUSED(X86_AVX2, X86_mov, r0, x86_gathered(X86_RAX, 32, 0, 1, 0));
	REFUSED(X86_AVX2, X86_mov, x86_at(X86_RAX, 0), x86_at(X86_RAX, 0));
	REFUSED(X86_AVX2, X86_neg, x86_at(X86_RAX, 0));
	REFUSED(X86_AVX512, X86_vcvtpd2ps, x86_xmm(0), x86_at(X86_RAX, 0));
	REFUSED(X86_AVX512, X86_vcvtpd2ps, x86_xmm(0), x86_sized(x86_broadcast(x86_at(X86_RAX, 0)), 8));
	REFUSED(X86_AVX512, X86_vaddps, z0, z0, x86_sized(x86_at(X86_RAX, 0), 4));
	REFUSED(X86_AVX512, X86_vgatherdps, z1, x86_gathered(X86_RAX, 32, 1, 4, 0));
	REFUSED(X86_AVX512, X86_vgatherdps, z1, x86_indexed(X86_RAX, X86_RCX, 4, 0));
	REFUSED(X86_AVX512, X86_vgatherdps, z1, x86_at(X86_RAX, 0));
	REFUSED(X86_AVX2, X86_vaddps, x86_ymm(0), x86_ymm(0), x86_broadcast(x86_at(X86_RAX, 0)));
	REFUSED(X86_AVX512, X86_vpaddb, z0, z0, x86_broadcast(x86_at(X86_RAX, 0)));
}

static void test_refused_masks(void)
{
	const struct x86_operand z0 = x86_zmm(0), at = x86_at(X86_RAX, 0);
	struct x86_operand zeroed = z0;
	char text[128];

	zeroed.zeroed = true;
	REFUSED(X86_AVX512, X86_vaddps, zeroed, z0, z0);
	REFUSED(X86_AVX512, X86_vaddps, z0, x86_masked(z0, 1), z0);
	REFUSED(X86_AVX512, X86_vaddps, x86_masked(z0, 8), z0, z0);
	REFUSED(X86_AVX512, X86_vmovups, x86_zeroed(at, 1), z0);
	REFUSED(X86_AVX512, X86_vcompressps, x86_zeroed(at, 1), z0);
	REFUSED(X86_AVX512, X86_vcmpps, x86_zeroed(x86_k(1), 2), z0, z0, x86_immediate(0));
	REFUSED(X86_AVX512, X86_vgatherdps, z0, x86_gathered(X86_RAX, 64, 1, 4, 0));
	REFUSED(X86_AVX512, X86_vgatherdps, x86_zeroed(z0, 1), x86_gathered(X86_RAX, 64, 1, 4, 0));
	REFUSED(X86_AVX2, X86_vaddps, x86_masked(x86_ymm(0), 1), x86_ymm(0), x86_ymm(0));
	REFUSED(X86_AVX512, X86_vmovd, x86_masked(x86_xmm(0), 1), x86_r32(0));
}

static void test_refused_roundings(void)
{
	const struct x86_operand z0 = x86_zmm(0), y0 = x86_ymm(0), up = x86_rounded(z0, X86_RU);
	char text[128];

	REFUSED(X86_AVX512, X86_vaddps, z0, up, z0);
	REFUSED(X86_AVX512, X86_vaddps, z0, up, up);
	REFUSED(X86_AVX512, X86_vaddps, z0, up, x86_at(X86_RAX, 0));
	REFUSED(X86_AVX512, X86_vaddps, y0, y0, x86_rounded(y0, X86_RU));
	REFUSED(X86_AVX512, X86_vaddps, z0, z0, x86_rounded(z0, X86_SAE));
	REFUSED(X86_AVX512, X86_vmaxps, z0, z0, up);
	REFUSED(X86_AVX512, X86_vpaddd, z0, z0, up);
	REFUSED(X86_AVX512, X86_vaddps, z0, z0, x86_rounded(z0, (enum x86_rounding)6));
	REFUSED(X86_AVX2, X86_vaddss, x86_xmm(0), x86_xmm(0), x86_rounded(x86_xmm(0), X86_RZ));
}

static void test_refused_immediates(void)
{
	const struct x86_operand r16 = x86_gpr(2, 0), r32 = x86_r32(0), r64 = x86_r64(0), x0 = x86_xmm(0);
	char text[128];

	REFUSED(X86_AVX2, X86_add, r64, x86_immediate(0x80000000));
	REFUSED(X86_AVX2, X86_add, r64, x86_immediate(INT64_MIN));
	REFUSED(X86_AVX2, X86_add, r32, x86_immediate(0x100000000));
	REFUSED(X86_AVX2, X86_add, r32, x86_immediate(-0x80000001LL));
	REFUSED(X86_AVX2, X86_add, r16, x86_immediate(0x10000));
	REFUSED(X86_AVX2, X86_add, r16, x86_immediate(-0x8001));
	REFUSED(X86_AVX2, X86_vpshufd, x0, x0, x86_immediate(256));
	REFUSED(X86_AVX2, X86_vpshufd, x0, x0, x86_immediate(-129));
	REFUSED(X86_AVX2, X86_mov, r64, x86_to(0));
	REFUSED(X86_AVX2, X86_jmp, x86_immediate(0));
	IS("add ax, -1", X86_AVX2, X86_add, r16, x86_immediate(0xffff));
	IS("mov eax, -2147483648", X86_AVX2, X86_mov, r32, x86_immediate(0x80000000));
}

/* The wait status of a process that emits what no row has, and then finishes. */
static int emit_in_child(void)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		const struct rlimit none = { 0, 0 };
		struct x86 *x = begin(64, 0, 0);
		size_t size;

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		fclose(stderr);
		x86_emit(x, X86_vaddps, x86_ymm(0), x86_xmm(0), x86_ymm(0));
		x86_emit(x, X86_ret);
		_exit(x->used ? 1 : x86_finish(x, &size, NULL));
	}
	waitpid(child, &status, 0);
	return status;
}

static void test_wrong_operands(void)
{
	const int status = emit_in_child();

	if (ASSERTS)
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	else
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == GPURUN_INTERNAL);
}

int main(void)
{
	RUN(test_every_size);
	RUN(test_nothing_follows);
	RUN(test_labels);
	RUN(test_unbound_label);
	RUN(test_too_many_labels);
	RUN(test_too_many_constants);
	RUN(test_constants);
	RUN(test_text);
	RUN(test_text_is_cut);
	RUN(test_refused_registers);
	RUN(test_refused_memory);
	RUN(test_refused_masks);
	RUN(test_refused_roundings);
	RUN(test_refused_immediates);
	RUN(test_wrong_operands);
	return tap_end();
}
