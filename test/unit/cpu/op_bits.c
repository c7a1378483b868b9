/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* op_bits.h, bit by bit. */
#include "op_bits.h"

#include "op_reference.h"

enum { ROUNDS = 20000 };

static bool bit(u64 a, u32 i)
{
	return i < 64 && a >> i & 1;
}

static void test_shifts_clamp(void)
{
	static const u32 amounts[] = { 0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, UINT32_MAX };

	for (unsigned i = 0; i < 200; i++)
		for (unsigned j = 0; j < sizeof(amounts) / sizeof(amounts[0]); j++) {
			u64 a = int_operand(i);
			u32 n = amounts[j];
			s64 sign = (s64)a < 0 ? -1 : 0;

			CHECK_BITS("shl_b16", a, n, op_shl_b16((b16)a, n), n < 16 ? (b16)(a << n) : 0);
			CHECK_BITS("shl_b32", a, n, op_shl_b32((b32)a, n), n < 32 ? (b32)(a << n) : 0);
			CHECK_BITS("shl_b64", a, n, op_shl_b64(a, n), n < 64 ? a << n : 0);
			CHECK_BITS("shr_b16", a, n, op_shr_b16((b16)a, n), n < 16 ? (b16)a >> n : 0);
			CHECK_BITS("shr_b32", a, n, op_shr_b32((b32)a, n), n < 32 ? (b32)a >> n : 0);
			CHECK_BITS("shr_b64", a, n, op_shr_b64(a, n), n < 64 ? a >> n : 0);
			CHECK_BITS("shr_s64", a, n, op_shr_s64((s64)a, n), n < 64 ? (s64)a >> n : sign);
			CHECK_BITS("shr_s32", a, n, op_shr_s32((s32)a, n),
				   (s32)((s64)(s32)a >> (n < 63 ? n : 63)));
			CHECK_BITS("shr_s16", a, n, op_shr_s16((s16)a, n),
				   (s16)((s64)(s16)a >> (n < 63 ? n : 63)));
		}
}

static void test_funnel(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		u64 x = random_bits();
		u32 a = (u32)x, b = (u32)(x >> 32), c = i % 70, wrapped = c % 32, clamped = c < 32 ? c : 32;

		CHECK_BITS("shf.l.wrap", x, c, op_shf_l_wrap_b32(a, b, c),
			   wrapped ? b << wrapped | a >> (32 - wrapped) : b);
		CHECK_BITS("shf.r.wrap", x, c, op_shf_r_wrap_b32(a, b, c), (u32)(x >> wrapped));
		CHECK_BITS("shf.l.clamp", x, c, op_shf_l_clamp_b32(a, b, c),
			   (u32)((unsigned __int128)x << clamped >> 32));
		CHECK_BITS("shf.r.clamp", x, c, op_shf_r_clamp_b32(a, b, c), (u32)(x >> clamped));
	}
}

static void test_counts(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		u64 a = int_operand(i), reversed = 0;
		u32 ones = 0, zeros = 0;

		for (u32 k = 0; k < 64; k++) {
			ones += bit(a, k);
			reversed |= (u64)bit(a, k) << (63 - k);
		}
		while (zeros < 64 && !bit(a, 63 - zeros))
			zeros++;
		CHECK_BITS("popc_b64", a, 0, op_popc_b64(a), ones);
		CHECK_BITS("clz_b64", a, 0, op_clz_b64(a), zeros);
		CHECK_BITS("brev_b64", a, 0, op_brev_b64(a), reversed);
		if (a >> 32)
			continue;
		CHECK_BITS("popc_b32", a, 0, op_popc_b32((u32)a), ones);
		CHECK_BITS("clz_b32", a, 0, op_clz_b32((u32)a), zeros - 32);
		CHECK_BITS("brev_b32", a, 0, op_brev_b32((u32)a), reversed >> 32);
	}
}

/* None is all ones, for both results. */
static void test_bfind(void)
{
	CHECK_INT(op_bfind_u32(0), UINT32_MAX);
	CHECK_INT(op_bfind_s32(0), UINT32_MAX);
	CHECK_INT(op_bfind_s32(-1), UINT32_MAX);
	CHECK_INT(op_bfind_u64(0), UINT32_MAX);
	CHECK_INT(op_bfind_s64(-1), UINT32_MAX);
	CHECK_INT(op_bfind_shiftamt_u32(0), UINT32_MAX);
	CHECK_INT(op_bfind_shiftamt_s64(-1), UINT32_MAX);
	CHECK_INT(op_bfind_u32(0x80000000), 31);
	CHECK_INT(op_bfind_s32(INT32_MIN), 30);
	CHECK_INT(op_bfind_s32(-2), 0);
	CHECK_INT(op_bfind_u64(1ull << 40), 40);
	CHECK_INT(op_bfind_s64(~(1ll << 40)), 40);
	CHECK_INT(op_bfind_shiftamt_u32(1), 31);
	CHECK_INT(op_bfind_shiftamt_u64(1), 63);
	CHECK_INT(op_bfind_shiftamt_s32(-2), 31);
}

/* As the ISA writes it: the bit at pos + i, beyond the field or the top the sign. */
static u64 extracted(u64 a, u32 pos, u32 len, u32 top, bool is_signed)
{
	u64 at = (u64)pos + len - 1, d = 0;
	bool sign = is_signed && len && bit(a, at < top ? (u32)at : top);

	for (u32 i = 0; i <= top; i++)
		d |= (u64)(i < len && (u64)pos + i <= top ? bit(a, pos + i) : sign) << i;
	return d;
}

static u64 inserted(u64 a, u64 b, u32 pos, u32 len, u32 top)
{
	for (u32 i = 0; i < len && (u64)pos + i <= top; i++)
		b = (b & ~(1ull << (pos + i))) | (u64)bit(a, i) << (pos + i);
	return b;
}

/* 32-bit fields take the low 8 bits of pos and len, 64-bit ones all. */
static void test_fields(void)
{
	static const u32 edges[] = { 0, 1, 31, 32, 33, 63, 64, 65, 255, 256, 257, 0x80000000, UINT32_MAX };
	enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

	for (unsigned i = 0; i < 3000; i++) {
		u64 a = random_bits(), b = random_bits();
		u32 pos = i < 169 ? edges[i / EDGES] : (u32)(a >> 7) % 70;
		u32 len = i < 169 ? edges[i % EDGES] : (u32)(a >> 17) % 70;
		u32 p8 = pos & 0xff, l8 = len & 0xff;

		CHECK_BITS("bfe_u32", pos, len, op_bfe_u32((u32)a, pos, len), extracted((u32)a, p8, l8, 31, false));
		CHECK_BITS("bfe_s32", pos, len, (u32)op_bfe_s32((s32)a, pos, len), extracted((u32)a, p8, l8, 31, true));
		CHECK_BITS("bfe_u64", pos, len, op_bfe_u64(a, pos, len), extracted(a, pos, len, 63, false));
		CHECK_BITS("bfe_s64", pos, len, op_bfe_s64((s64)a, pos, len), extracted(a, pos, len, 63, true));
		CHECK_BITS("bfi_b32", pos, len, op_bfi_b32((u32)a, (u32)b, pos, len),
			   inserted((u32)a, (u32)b, p8, l8, 31));
		CHECK_BITS("bfi_b64", pos, len, op_bfi_b64(a, b, pos, len), inserted(a, b, pos, len, 63));
	}
}

static void test_masks(void)
{
	CHECK_INT(op_bmsk_clamp_b32(4, 8), 0xff0);
	CHECK_INT(op_bmsk_clamp_b32(28, 8), 0xf0000000);
	CHECK_INT(op_bmsk_clamp_b32(32, 8), 0);
	CHECK_INT(op_bmsk_clamp_b32(3, 0), 0);
	CHECK_INT(op_bmsk_clamp_b32(3, 40), 0xfffffff8);
	CHECK_INT(op_bmsk_wrap_b32(33, 34), 6);
	CHECK_INT(op_bmsk_wrap_b32(3, 32), 0);
	CHECK_INT(op_szext_clamp_s32(0x80, 8), -128);
	CHECK_INT(op_szext_clamp_s32(0x80, 9), 128);
	CHECK_INT(op_szext_clamp_s32(-1, 0), 0);
	CHECK_INT(op_szext_clamp_s32(-5, 32), -5);
	CHECK_INT(op_szext_clamp_u32(UINT32_MAX, 8), 0xff);
	CHECK_INT(op_szext_clamp_u32(UINT32_MAX, 99), UINT32_MAX);
	CHECK_INT(op_szext_wrap_u32(UINT32_MAX, 33), 1);
	CHECK_INT(op_szext_wrap_s32(-1, 32), 0);
}

static void test_fns(void)
{
	CHECK_INT(op_fns_b32(0xb4, 0, 1), 2);
	CHECK_INT(op_fns_b32(0xb4, 0, 3), 5);
	CHECK_INT(op_fns_b32(0xb4, 2, 1), 2);
	CHECK_INT(op_fns_b32(0xb4, 31, -1), 7);
	CHECK_INT(op_fns_b32(0xb4, 6, -2), 4);
	CHECK_INT(op_fns_b32(0xb4, 0, 5), UINT32_MAX);
	CHECK_INT(op_fns_b32(0xb4, 4, 0), 4);
	CHECK_INT(op_fns_b32(0xb4, 3, 0), UINT32_MAX);
	CHECK_INT(op_fns_b32(UINT32_MAX, 0, INT32_MIN), UINT32_MAX);
}

/* Bytes numbered 7..0 from b's top down: byte n of the pair is n * 0x11. */
static void test_prmt(void)
{
	const u32 a = 0x33221100, b = 0x77665544;
	static const u32 want[6][4] = {
		{ 0x33221100, 0x44332211, 0x55443322, 0x66554433 }, /* f4e */
		{ 0x55667700, 0x66770011, 0x77001122, 0x00112233 }, /* b4e */
		{ 0x00000000, 0x11111111, 0x22222222, 0x33333333 }, /* rc8 */
		{ 0x33221100, 0x33221111, 0x33222222, 0x33333333 }, /* ecl */
		{ 0x00000000, 0x11111100, 0x22221100, 0x33221100 }, /* ecr */
		{ 0x11001100, 0x33223322, 0x11001100, 0x33223322 }, /* rc16 */
	};

	for (u32 i = 0; i < 8; i++) {
		CHECK_INT(op_prmt_f4e_b32(a, b, i), want[0][i & 3]);
		CHECK_INT(op_prmt_b4e_b32(a, b, i), want[1][i & 3]);
		CHECK_INT(op_prmt_rc8_b32(a, b, i), want[2][i & 3]);
		CHECK_INT(op_prmt_ecl_b32(a, b, i), want[3][i & 3]);
		CHECK_INT(op_prmt_ecr_b32(a, b, i), want[4][i & 3]);
		CHECK_INT(op_prmt_rc16_b32(a, b, i), want[5][i & 3]);
	}
	CHECK_INT(op_prmt_b32(a, b, 0x7340), 0x77334400);
	CHECK_INT(op_prmt_b32(0x0080ff7f, 0, 0xba98), 0x00ffff00); /* signs */
}

static void test_lop3(void)
{
	for (u32 table = 0; table < 256; table++) {
		u32 a = (u32)random_bits(), b = (u32)random_bits(), c = (u32)random_bits(), want = 0;

		for (u32 i = 0; i < 32; i++)
			want |= (table >> (4 * bit(a, i) + 2 * bit(b, i) + bit(c, i)) & 1) << i;
		CHECK_BITS("lop3", a, b, op_lop3_b32(a, b, c, table), want);
	}
	CHECK_INT(op_lop3_b32(5, 3, 0, 0xf0 & 0xcc), 1);
	CHECK_INT(op_lop3_b32(5, 0, 3, 0xf0 ^ 0xaa), 6);
}

static void test_logic(void)
{
	CHECK_INT(op_not_b16(0x00ff), 0xff00);
	CHECK_INT(op_cnot_b32(0), 1);
	CHECK_INT(op_cnot_b64(1ull << 40), 0);
	CHECK_INT(op_xor_b64(1ull << 40, 1), 1ull << 40 | 1);
	CHECK_INT(op_and_b16(0xff0f, 0x0ff0), 0x0f00);
	CHECK_INT(op_or_b32(0xf0, 0x0f), 0xff);
}

int main(void)
{
	RUN(test_shifts_clamp);
	RUN(test_funnel);
	RUN(test_counts);
	RUN(test_bfind);
	RUN(test_fields);
	RUN(test_masks);
	RUN(test_fns);
	RUN(test_prmt);
	RUN(test_lop3);
	RUN(test_logic);
	return tap_end();
}
