/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Code that cpu/x86/ has encoded, executed, and compared with what the compiler's intrinsics compute
 * of the same numbers: that the bytes are what the caller of an instruction expects of it.
 */
#include <immintrin.h>
#include <sys/mman.h>

#include "config.h"
#include "tap.h"
#include "x86.h"

/* What code of vectors reads and writes. */
struct vectors {
	uint32_t a[16], b[16], c[16];
	uint32_t out[16];
	uint32_t memory[64];
} __attribute__((aligned(64)));

typedef uint64_t (*code_fn)(void *, uint64_t, uint64_t, uint64_t);

enum { CODE = 4096 };

/* Code that is being written: executable after mapping_finish(). */
struct mapping {
	struct x86 *x;
	uint8_t *pages;
};

static bool mapping_begin(struct mapping *mapping, enum x86_isa isa)
{
	struct x86_limits limits = { NULL, CODE, 64, 8 };

	mapping->pages = mmap(NULL, CODE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapping->pages == MAP_FAILED)
		return false;
	limits.code = mapping->pages;
	return !x86_new(&limits, isa, &mapping->x, NULL);
}

static code_fn mapping_finish(struct mapping *mapping)
{
	size_t size;
	code_fn code;

	x86_emit(mapping->x, X86_ret);
	if (x86_finish(mapping->x, &size, NULL) || mprotect(mapping->pages, CODE, PROT_READ | PROT_EXEC))
		return NULL;
	memcpy(&code, &mapping->pages, sizeof(code));
	return code;
}

static void mapping_end(struct mapping *mapping)
{
	x86_free(mapping->x);
	munmap(mapping->pages, CODE);
}

struct vector_case {
	const char *name;
	void (*emit)(struct x86 *x);
	void (*want)(struct vectors *d);
};

/* In code: V(0) is the result, V(1) to V(3) are a, b, c, rdi points to memory[32]. */
#define V(n) x86_vector(BYTES, n)
#define M(displacement) x86_at(X86_RDI, displacement)
#define OP(name, ...) x86_emit(x, X86_##name, __VA_ARGS__)
#define IMM(value) x86_immediate(value)

static const uint32_t bits_of_one = 0x3f800000;

/* CASE(name, code, the intrinsic): of a, b, c as integers, fa, fb, fc as f32, da, db, dc as f64 */
#define BYTES 32
#define CASE(name, code, value)                                                            \
	static void emit_##name(struct x86 *x)                                             \
	{                                                                                  \
		code;                                                                      \
	}                                                                                  \
	__attribute__((target("avx2,fma,f16c"))) static void want_##name(struct vectors *d) \
	{                                                                                  \
		const __m256i a = _mm256_load_si256((__m256i *)d->a);                      \
		const __m256i b = _mm256_load_si256((__m256i *)d->b);                      \
		const __m256i c = _mm256_load_si256((__m256i *)d->c);                      \
		const __m256 fa = _mm256_castsi256_ps(a), fb = _mm256_castsi256_ps(b);     \
		const __m256 fc = _mm256_castsi256_ps(c);                                  \
		const __m256d da = _mm256_castsi256_pd(a), db = _mm256_castsi256_pd(b);    \
		const __m256d dc = _mm256_castsi256_pd(c);                                 \
		const int *memory = (const int *)d->memory + 32;                           \
		(void)fa, (void)fb, (void)fc, (void)da, (void)db, (void)dc, (void)memory;  \
		_mm256_store_si256((__m256i *)d->out, (__m256i)(value));                   \
	}
#define CASES2                                                                             \
	CASE(vsubps, OP(vsubps, V(0), V(1), V(2)), _mm256_sub_ps(fa, fb))                  \
	CASE(vsubpd, OP(vsubpd, V(0), V(1), V(2)), _mm256_sub_pd(da, db))                  \
	CASE(vdivps, OP(vdivps, V(0), V(1), M(0)),                                         \
	     _mm256_div_ps(fa, _mm256_loadu_ps((const float *)memory)))                    \
	CASE(vaddsd, OP(vaddsd, x86_xmm(0), x86_xmm(1), x86_xmm(2)),                       \
	     _mm256_zextpd128_pd256(_mm_add_sd(_mm256_castpd256_pd128(da), _mm256_castpd256_pd128(db)))) \
	CASE(vmaxps, OP(vmaxps, V(0), V(1), V(2)), _mm256_max_ps(fa, fb))                  \
	CASE(vfmadd213ps, (OP(vmovaps, V(0), V(1)), OP(vfmadd213ps, V(0), V(2), V(3))),    \
	     _mm256_fmadd_ps(fa, fb, fc))                                                  \
	CASE(vfmadd231pd, (OP(vmovaps, V(0), V(1)), OP(vfmadd231pd, V(0), V(2), V(3))),    \
	     _mm256_fmadd_pd(db, dc, da))                                                  \
	CASE(vfnmadd132ps, (OP(vmovaps, V(0), V(1)), OP(vfnmadd132ps, V(0), V(2), V(3))),  \
	     _mm256_fnmadd_ps(fa, fc, fb))                                                 \
	CASE(vandnps, OP(vandnps, V(0), V(1), V(2)), _mm256_andnot_ps(fa, fb))             \
	CASE(vcmpps, OP(vcmpps, V(0), V(1), V(2), IMM(1)), _mm256_cmp_ps(fa, fb, _CMP_LT_OS)) \
	CASE(vpcmpgtd, OP(vpcmpgtd, V(0), V(1), V(2)), _mm256_cmpgt_epi32(a, b))           \
	CASE(vpsubq, OP(vpsubq, V(0), V(1), V(2)), _mm256_sub_epi64(a, b))                 \
	CASE(vpandn, OP(vpandn, V(0), V(1), V(2)), _mm256_andnot_si256(a, b))              \
	CASE(vpmulld, OP(vpmulld, V(0), V(1), V(2)), _mm256_mullo_epi32(a, b))             \
	CASE(vpmuludq, OP(vpmuludq, V(0), V(1), V(2)), _mm256_mul_epu32(a, b))             \
	CASE(vpsllvd, OP(vpsllvd, V(0), V(1), V(2)), _mm256_sllv_epi32(a, b))              \
	CASE(vpsrlvq, OP(vpsrlvq, V(0), V(1), V(2)), _mm256_srlv_epi64(a, b))              \
	CASE(vpsrad, OP(vpsrad, V(0), V(1), IMM(7)), _mm256_srai_epi32(a, 7))              \
	CASE(vpslld, OP(vpslld, V(0), V(1), x86_xmm(2)),                                   \
	     _mm256_sll_epi32(a, _mm256_castsi256_si128(b)))                               \
	CASE(vblendvps, OP(vblendvps, V(0), V(1), V(2), V(3)), _mm256_blendv_ps(fa, fb, fc)) \
	CASE(vpblendd, OP(vpblendd, V(0), V(1), V(2), IMM(0x35)), _mm256_blend_epi32(a, b, 0x35)) \
	CASE(vshufps, OP(vshufps, V(0), V(1), V(2), IMM(0x1b)), _mm256_shuffle_ps(fa, fb, 0x1b)) \
	CASE(vpshufb, OP(vpshufb, V(0), V(1), V(2)), _mm256_shuffle_epi8(a, b))            \
	CASE(vpshufd, OP(vpshufd, V(0), V(1), IMM(0x39)), _mm256_shuffle_epi32(a, 0x39))   \
	CASE(vpermd, OP(vpermd, V(0), V(1), V(2)), _mm256_permutevar8x32_epi32(b, a))      \
	CASE(vpermq, OP(vpermq, V(0), V(1), IMM(0x4e)), _mm256_permute4x64_epi64(a, 0x4e)) \
	CASE(vperm2i128, OP(vperm2i128, V(0), V(1), V(2), IMM(0x21)),                      \
	     _mm256_permute2x128_si256(a, b, 0x21))                                        \
	CASE(vpermilps, OP(vpermilps, V(0), V(1), V(2)), _mm256_permutevar_ps(fa, b))      \
	CASE(vpalignr, OP(vpalignr, V(0), V(1), V(2), IMM(5)), _mm256_alignr_epi8(a, b, 5)) \
	CASE(vpunpckldq, OP(vpunpckldq, V(0), V(1), V(2)), _mm256_unpacklo_epi32(a, b))    \
	CASE(vpackssdw, OP(vpackssdw, V(0), V(1), V(2)), _mm256_packs_epi32(a, b))         \
	CASE(vinserti128, OP(vinserti128, V(0), V(1), x86_xmm(2), IMM(1)),                 \
	     _mm256_inserti128_si256(a, _mm256_castsi256_si128(b), 1))                     \
	CASE(vpbroadcastd, OP(vpbroadcastd, V(0), M(12)), _mm256_set1_epi32(memory[3]))    \
	CASE(vcvtdq2ps, OP(vcvtdq2ps, V(0), V(1)), _mm256_cvtepi32_ps(a))                  \
	CASE(vcvttps2dq, OP(vcvttps2dq, V(0), V(1)), _mm256_cvttps_epi32(fa))              \
	CASE(vcvtps2ph, (OP(vcvtps2ph, x86_xmm(0), V(1), IMM(3)), OP(vcvtph2ps, V(0), x86_xmm(0))), \
	     _mm256_cvtph_ps(_mm256_cvtps_ph(fa, 3)))                                      \
	CASE(vpmovsxwd, OP(vpmovsxwd, V(0), x86_xmm(1)),                                   \
	     _mm256_cvtepi16_epi32(_mm256_castsi256_si128(a)))                             \
	CASE(vroundps, OP(vroundps, V(0), V(1), IMM(1)), _mm256_round_ps(fa, 1))           \
	CASE(vpmaskmovd, OP(vpmaskmovd, V(0), V(1), M(0)), _mm256_maskload_epi32(memory, a)) \
	CASE(vgatherdps, (OP(vpsrld, V(4), V(1), IMM(28)), OP(vpxor, V(0), V(0), V(0)),    \
			  OP(vmovaps, V(5), V(2)),                                         \
			  OP(vgatherdps, V(0), x86_gathered(X86_RDI, BYTES, 4, 4, 4), V(5))), \
	     _mm256_mask_i32gather_ps(_mm256_setzero_ps(), (const float *)memory + 1,      \
				      _mm256_srli_epi32(a, 28), fb, 4))                    \
	CASE(a_constant, OP(vbroadcastss, V(0), x86_constant(x, &bits_of_one, 4)), _mm256_set1_ps(1))
CASES2
#undef CASE
#undef BYTES

/* The same of AVX-512. */
#define BYTES 64
#define CASE(name, code, value)                                                            \
	static void emit_z_##name(struct x86 *x)                                           \
	{                                                                                  \
		code;                                                                      \
	}                                                                                  \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void          \
	want_z_##name(struct vectors *d)                                                   \
	{                                                                                  \
		const __m512i a = _mm512_load_si512(d->a), b = _mm512_load_si512(d->b);    \
		const __m512i c = _mm512_load_si512(d->c);                                 \
		const __m512 fa = _mm512_castsi512_ps(a), fb = _mm512_castsi512_ps(b);     \
		const __m512 fc = _mm512_castsi512_ps(c);                                  \
		const __m512d da = _mm512_castsi512_pd(a), db = _mm512_castsi512_pd(b);    \
		const int *memory = (const int *)d->memory + 32;                           \
		(void)fa, (void)fb, (void)fc, (void)da, (void)db, (void)memory, (void)c;   \
		_mm512_store_si512(d->out, (__m512i)(value));                              \
	}
#define K1 OP(kmovw, x86_k(1), x86_r32(X86_RSI))
#define K1_IS 0xa5c3
#define CASES512                                                                           \
	CASE(high, (OP(vmovaps, V(31), V(1)), OP(vmovaps, V(17), V(2)),                    \
		    OP(vsubps, V(24), V(31), V(17)), OP(vmovaps, V(0), V(24))),            \
	     _mm512_sub_ps(fa, fb))                                                        \
	CASE(merged, (K1, OP(vmovaps, V(0), V(3)), OP(vsubps, x86_masked(V(0), 1), V(1), V(2))), \
	     _mm512_mask_sub_ps(fc, K1_IS, fa, fb))                                        \
	CASE(zeroed, (K1, OP(vsubps, x86_zeroed(V(0), 1), V(1), V(2))),                    \
	     _mm512_maskz_sub_ps(K1_IS, fa, fb))                                           \
	CASE(broadcast, OP(vsubps, V(0), V(1), x86_broadcast(M(8))),                       \
	     _mm512_sub_ps(fa, _mm512_set1_ps(((const float *)memory)[2])))                \
	CASE(rounded, OP(vdivps, V(0), V(1), x86_rounded(V(2), X86_RZ)),                   \
	     _mm512_div_round_ps(fa, fb, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))          \
	CASE(rounded_up, OP(vdivps, V(0), V(1), x86_rounded(V(2), X86_RU)),                \
	     _mm512_div_round_ps(fa, fb, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC))       \
	CASE(rounded_down, OP(vdivps, V(0), V(1), x86_rounded(V(2), X86_RD)),              \
	     _mm512_div_round_ps(fa, fb, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC))       \
	CASE(far, (OP(vmovdqu32, V(0), M(-64)), OP(vpaddd, V(0), V(0), M(64))),            \
	     _mm512_add_epi32(_mm512_loadu_si512(memory - 16), _mm512_loadu_si512(memory + 16))) \
	CASE(vcmpps, (OP(vcmpps, x86_k(2), V(1), V(2), IMM(1)), OP(vpmovm2d, V(0), x86_k(2))), \
	     _mm512_movm_epi32(_mm512_cmp_ps_mask(fa, fb, _CMP_LT_OS)))                    \
	CASE(vpcmpud, (OP(vpcmpud, x86_k(2), V(1), V(2), IMM(1)), OP(vpmovm2d, V(0), x86_k(2))), \
	     _mm512_movm_epi32(_mm512_cmplt_epu32_mask(a, b)))                             \
	CASE(vptestmd, (OP(vptestmd, x86_k(2), V(1), V(2)), OP(vpmovm2d, V(0), x86_k(2))), \
	     _mm512_movm_epi32(_mm512_test_epi32_mask(a, b)))                              \
	CASE(kandnw, (K1, OP(vpcmpgtd, x86_k(2), V(1), V(2)), OP(kandnw, x86_k(3), x86_k(1), x86_k(2)), \
		      OP(vpmovm2d, V(0), x86_k(3))),                                       \
	     _mm512_movm_epi32((__mmask16)(~K1_IS & _mm512_cmpgt_epi32_mask(a, b))))       \
	CASE(kunpckbw, (K1, OP(kshiftrw, x86_k(2), x86_k(1), IMM(4)),                      \
			OP(kunpckbw, x86_k(3), x86_k(1), x86_k(2)), OP(vpmovm2d, V(0), x86_k(3))), \
	     _mm512_movm_epi32((__mmask16)((K1_IS & 0xff) << 8 | (K1_IS >> 4 & 0xff))))    \
	CASE(vpternlogd, (OP(vmovaps, V(0), V(1)), OP(vpternlogd, V(0), V(2), V(3), IMM(0xca))), \
	     _mm512_ternarylogic_epi32(a, b, c, 0xca))                                     \
	CASE(vpermt2d, (OP(vmovaps, V(0), V(1)), OP(vpermt2d, V(0), V(2), V(3))),          \
	     _mm512_permutex2var_epi32(a, b, c))                                           \
	CASE(vpermi2d, (OP(vmovaps, V(0), V(1)), OP(vpermi2d, V(0), V(2), V(3))),          \
	     _mm512_permutex2var_epi32(b, a, c))                                           \
	CASE(vblendmps, (K1, OP(vblendmps, x86_masked(V(0), 1), V(1), V(2))),              \
	     _mm512_mask_blend_ps(K1_IS, fa, fb))                                          \
	CASE(vcompressps, (K1, OP(vcompressps, x86_zeroed(V(0), 1), V(1))),                \
	     _mm512_maskz_compress_ps(K1_IS, fa))                                          \
	CASE(vexpandps, (K1, OP(vexpandps, x86_zeroed(V(0), 1), M(4))),                    \
	     _mm512_maskz_expandloadu_ps(K1_IS, memory + 1))                               \
	CASE(gather, (K1, OP(vpsrld, V(20), V(1), IMM(28)), OP(vpxord, V(0), V(0), V(0)),  \
		      OP(vpgatherdd, x86_masked(V(0), 1), x86_gathered(X86_RDI, BYTES, 20, 4, 4))), \
	     _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), K1_IS,                    \
					 _mm512_srli_epi32(a, 28), memory + 1, 4))         \
	CASE(scatter, (K1, OP(vpsrld, V(20), V(1), IMM(28)),                               \
		       OP(vpscatterdd, x86_masked(x86_gathered(X86_RDI, BYTES, 20, 4, 0), 1), V(2)), \
		       OP(vmovdqu32, V(0), M(0))),                                         \
	     (_mm512_mask_i32scatter_epi32((int *)memory, K1_IS, _mm512_srli_epi32(a, 28), b, 4), \
	      _mm512_loadu_si512(memory)))                                                 \
	CASE(vpmovqd, (OP(vpxord, V(0), V(0), V(0)), OP(vpmovqd, x86_ymm(0), V(1))),       \
	     _mm512_zextsi256_si512(_mm512_cvtepi64_epi32(a)))                             \
	CASE(vcvtuqq2pd, OP(vcvtuqq2pd, V(0), V(1)), _mm512_cvtepu64_pd(a))                \
	CASE(vcvttps2udq, OP(vcvttps2udq, V(0), V(1)), _mm512_cvttps_epu32(fa))            \
	CASE(vrndscaleps, OP(vrndscaleps, V(0), V(1), IMM(2)), _mm512_roundscale_ps(fa, 2)) \
	CASE(vscalefps, OP(vscalefps, V(0), V(1), V(2)), _mm512_scalef_ps(fa, fb))         \
	CASE(vprolvd, OP(vprolvd, V(0), V(1), V(2)), _mm512_rolv_epi32(a, b))              \
	CASE(valignd, OP(valignd, V(0), V(1), V(2), IMM(3)), _mm512_alignr_epi32(a, b, 3)) \
	CASE(vpbroadcastd, OP(vpbroadcastd, V(0), x86_r32(X86_RSI)), _mm512_set1_epi32(K1_IS)) \
	CASE(vinserti32x4, OP(vinserti32x4, V(0), V(1), x86_xmm(2), IMM(2)),               \
	     _mm512_inserti32x4(a, _mm512_castsi512_si128(b), 2))                          \
	CASE(vpsravq, OP(vpsravq, V(0), V(1), V(2)), _mm512_srav_epi64(a, b))              \
	CASE(vpabsq, OP(vpabsq, V(0), V(1)), _mm512_abs_epi64(a))
CASES512
#undef CASE
#undef BYTES

#define CASE(name, ...) { #name, emit_##name, want_##name },
static const struct vector_case cases2[] = { CASES2 };
#undef CASE
#define CASE(name, ...) { #name, emit_z_##name, want_z_##name },
static const struct vector_case cases512[] = { CASES512 };
#undef CASE

static uint64_t random_bits(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/*
 * Numbers, some of them small integers, so that shifts and indices have a meaning. No NaNs: which
 * one results of two, compilers may choose as they implement an intrinsic, and clang does.
 */
static void fill_vectors(struct vectors *d, unsigned round)
{
	uint32_t *words = (uint32_t *)d;

	for (unsigned i = 0; i < sizeof(*d) / 4; i++) {
		const float number = (float)(int32_t)random_bits() / 1000;

		if (round % 3 == 0)
			memcpy(&words[i], &number, 4);
		else
			words[i] = (uint32_t)random_bits() & (round % 3 == 1 ? ~0u : 31);
		if ((words[i] & 0x7f800000) == 0x7f800000)
			words[i] ^= 0x800000;
	}
}

static code_fn compile_case(struct mapping *mapping, const struct vector_case *row, unsigned bytes)
{
	struct x86 *x = mapping->x;

	for (unsigned i = 0; i < 3; i++)
		x86_emit(x, X86_vmovups, x86_vector(bytes, i + 1),
			 x86_at(X86_RDI, (int32_t)(64 * i)));
	x86_emit(x, X86_push, x86_r64(X86_RDI));
	x86_emit(x, X86_add, x86_r64(X86_RDI), x86_immediate(offsetof(struct vectors, memory) + 128));
	row->emit(x);
	x86_emit(x, X86_pop, x86_r64(X86_RDI));
	x86_emit(x, X86_vmovups, x86_at(X86_RDI, offsetof(struct vectors, out)), x86_vector(bytes, 0));
	x86_emit(x, X86_vzeroupper);
	return mapping_finish(mapping);
}

static bool run_case(const struct vector_case *row, code_fn code)
{
	for (unsigned round = 0; round < 60; round++) {
		struct vectors ours, theirs;

		fill_vectors(&ours, round);
		theirs = ours;
		code(&ours, K1_IS, 0, 0);
		row->want(&theirs);
		if (memcmp(&ours, &theirs, sizeof(ours))) {
			printf("# %s: other results than the intrinsic\n", row->name);
			return false;
		}
	}
	return true;
}

static void run_cases(const struct vector_case *rows, size_t count, unsigned bytes,
		      enum x86_isa isa)
{
	for (size_t i = 0; i < count; i++) {
		struct mapping mapping = { 0 };
		code_fn code;

		REQUIRE(mapping_begin(&mapping, isa));
		code = compile_case(&mapping, &rows[i], bytes);
		CHECK(code && run_case(&rows[i], code));
		mapping_end(&mapping);
	}
}

static void test_avx2(void)
{
	if (!isa_available(ISA_v3))
		SKIP("needs a processor with AVX2");
	run_cases(cases2, sizeof(cases2) / sizeof(cases2[0]), 32, X86_AVX2);
}

static void test_avx512(void)
{
	if (!isa_available(ISA_v4))
		SKIP("needs a processor with AVX-512");
	run_cases(cases512, sizeof(cases512) / sizeof(cases512[0]), 64, X86_AVX512);
}

/* The code of a function of rsi and rdx, and of rcx. */
#define A x86_r64(X86_RSI)
#define B x86_r64(X86_RDX)
#define R x86_r64(X86_RAX)
#define CL x86_gpr(1, X86_RCX)
#define GPR_CASES                                                                          \
	CASE(sub, (OP(mov, R, A), OP(sub, R, B)), a - b)                                   \
	CASE(sub_swapped, (OP(mov, R, B), OP(sub, R, A)), b - a)                           \
	CASE(mov_narrow, (OP(mov, R, A), OP(mov, x86_r32(X86_RAX), x86_r32(X86_RDX))), (uint32_t)b) \
	CASE(mov_word, (OP(mov, R, A), OP(mov, x86_gpr(2, X86_RAX), x86_gpr(2, X86_RDX))), \
	     (a & ~0xffffull) | (b & 0xffff))                                              \
	CASE(sil, OP(movzx, R, x86_gpr(1, X86_RSI)), (uint8_t)a)                           \
	CASE(movsx, OP(movsx, R, x86_gpr(2, X86_RDX)), (uint64_t)(int16_t)b)               \
	CASE(movsxd, OP(movsxd, R, x86_r32(X86_RDX)), (uint64_t)(int32_t)b)                \
	CASE(movabs, OP(movabs, R, IMM(0x123456789abcdef0)), 0x123456789abcdef0)           \
	CASE(imul, OP(imul, R, A, IMM(-1000)), a * -1000)                                  \
	CASE(mul, (OP(mov, R, A), OP(mul, B), OP(mov, R, x86_r64(X86_RDX))),               \
	     (uint64_t)((unsigned __int128)a * b >> 64))                                   \
	CASE(mulx, OP(mulx, R, x86_r64(X86_R9), A), (uint64_t)((unsigned __int128)a * b >> 64)) \
	CASE(lea, OP(lea, R, x86_indexed(X86_RSI, X86_RDX, 8, -77)), a + 8 * b - 77)       \
	CASE(shl, (OP(mov, R, A), OP(shl, R, CL)), a << (c & 63))                          \
	CASE(sar, (OP(mov, R, A), OP(sar, R, IMM(9))), (uint64_t)((int64_t)a >> 9))        \
	CASE(shlx, OP(shlx, R, A, x86_r64(X86_RCX)), a << (c & 63))                        \
	CASE(sarx, OP(sarx, R, A, x86_r64(X86_RCX)), (uint64_t)((int64_t)a >> (c & 63)))   \
	CASE(shrx, OP(shrx, x86_r32(X86_RAX), x86_r32(X86_RSI), x86_r32(X86_RCX)), (uint32_t)a >> (c & 31)) \
	CASE(shld, (OP(mov, R, A), OP(shld, R, B, IMM(12))), a << 12 | b >> 52)            \
	CASE(shrd, (OP(mov, R, A), OP(shrd, R, B, IMM(12))), a >> 12 | b << 52)            \
	CASE(rorx, OP(rorx, R, A, IMM(5)), a >> 5 | a << 59)                               \
	CASE(andn, OP(andn, R, A, B), ~a & b)                                              \
	CASE(bzhi, OP(bzhi, R, A, x86_r64(X86_RCX)), (c & 255) > 63 ? a : a & ((1ull << (c & 255)) - 1)) \
	CASE(popcnt, OP(popcnt, R, A), (uint64_t)__builtin_popcountll(a))                  \
	CASE(tzcnt, OP(tzcnt, R, A), a ? (uint64_t)__builtin_ctzll(a) : 64)                \
	CASE(lzcnt, OP(lzcnt, R, A), a ? (uint64_t)__builtin_clzll(a) : 64)                \
	CASE(bt, (OP(xor, R, R), OP(bt, A, B), OP(setb, x86_gpr(1, X86_RAX))), a >> (b & 63) & 1) \
	CASE(bswap, (OP(mov, R, A), OP(bswap, R)), __builtin_bswap64(a))                   \
	CASE(adc, (OP(mov, R, A), OP(add, A, B), OP(adc, R, IMM(0))), a + (a + b < a))
#define CASE(name, code, value)                                                            \
	static void emit_g_##name(struct x86 *x)                                           \
	{                                                                                  \
		code;                                                                      \
	}                                                                                  \
	static uint64_t want_g_##name(uint64_t a, uint64_t b, uint64_t c)                  \
	{                                                                                  \
		(void)a, (void)b, (void)c;                                                 \
		return (uint64_t)(value);                                                  \
	}
GPR_CASES
#undef CASE

#define CASE(name, ...) { #name, emit_g_##name, want_g_##name },
static const struct {
	const char *name;
	void (*emit)(struct x86 *x);
	uint64_t (*want)(uint64_t a, uint64_t b, uint64_t c);
} gpr_cases[] = { GPR_CASES };
#undef CASE

static void test_gpr(void)
{
	if (!isa_available(ISA_v3))
		SKIP("needs a processor with BMI2");
	for (size_t i = 0; i < sizeof(gpr_cases) / sizeof(gpr_cases[0]); i++) {
		struct mapping mapping = { 0 };
		code_fn code;
		unsigned wrong = 0;

		REQUIRE(mapping_begin(&mapping, X86_AVX2));
		gpr_cases[i].emit(mapping.x);
		code = mapping_finish(&mapping);
		for (unsigned round = 0; code && round < 100; round++) {
			const uint64_t a = random_bits() >> round % 64, b = random_bits(), c = random_bits();

			wrong += code(NULL, a, b, c) != gpr_cases[i].want(a, b, c);
		}
		if (!CHECK(code && !wrong))
			printf("#   %s: %u of 100 are wrong\n", gpr_cases[i].name, wrong);
		mapping_end(&mapping);
	}
}

/* Bits of @condition: as setcc, cmovcc and jcc see it, each by its own way. */
static void emit_condition(struct x86 *x, unsigned condition)
{
	const uint32_t is = x86_label(x), end = x86_label(x);

	OP(xor, x86_r32(X86_RAX), x86_r32(X86_RAX));
	OP(mov, x86_r32(X86_R8), IMM(2));
	OP(mov, x86_r32(X86_R9), IMM(0));
	OP(mov, x86_r32(X86_R10), IMM(0));
	x86_emit(x, X86_cmp, A, B);
	x86_emit(x, X86_seto + condition, x86_gpr(1, X86_RAX));
	x86_emit(x, X86_cmovo + condition, x86_r64(X86_R9), x86_r64(X86_R8));
	x86_emit(x, X86_jo + condition, x86_to(is));
	x86_emit(x, X86_jmp, x86_to(end));
	x86_bind(x, is);
	OP(mov, x86_r32(X86_R10), IMM(4));
	x86_bind(x, end);
	OP(or, R, x86_r64(X86_R9));
	OP(or, R, x86_r64(X86_R10));
}

/* The bit of each of enum x86_condition after a comparison of @a with @b. */
static unsigned conditions_of(int64_t a, int64_t b)
{
	int64_t difference;
	const bool overflow = __builtin_sub_overflow(a, b, &difference);
	const bool parity = !(__builtin_popcount((uint8_t)difference) & 1);
	const bool set[8] = { overflow, (uint64_t)a < (uint64_t)b, a == b, (uint64_t)a <= (uint64_t)b,
			      difference < 0, parity, a < b, a <= b };
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= 1u << (2 * i + !set[i]);
	return bits;
}

static void test_conditions(void)
{
	static const int64_t values[] = { 0, 1, -1, 3, 255, INT64_MAX, INT64_MIN, 5 };

	for (unsigned condition = X86_O; condition <= X86_G; condition++) {
		struct mapping mapping = { 0 };
		code_fn code;

		REQUIRE(mapping_begin(&mapping, X86_AVX2));
		emit_condition(mapping.x, condition);
		code = mapping_finish(&mapping);
		REQUIRE(code);
		for (unsigned i = 0; i < 64; i++) {
			const int64_t a = values[i / 8], b = values[i % 8];
			const bool holds = conditions_of(a, b) >> condition & 1;

			CHECK_INT(code(NULL, (uint64_t)a, (uint64_t)b, 0), holds ? 7 : 0);
		}
		mapping_end(&mapping);
	}
}

/* A loop, calls of a function by register and by memory, and the mode of rounding. */
static void test_control(void)
{
	struct mapping mapping = { 0 };
	uint32_t loop, function, start;
	code_fn code;
	struct x86 *x;

	REQUIRE(mapping_begin(&mapping, X86_AVX2));
	x = mapping.x;
	loop = x86_label(x);
	function = x86_label(x);
	start = x86_label(x);
	OP(jmp, x86_to(start));
	x86_bind(x, function); /* rax = rax * 3 + 1 */
	OP(lea, R, x86_indexed(X86_RAX, X86_RAX, 2, 1));
	OP(ret);
	x86_bind(x, start);
	OP(mov, R, A);
	x86_bind(x, loop);
	OP(call, x86_to(function));
	OP(dec, B);
	OP(jne, x86_to(loop));
	OP(lea, x86_r64(X86_R11), x86_at_label(function));
	OP(call, x86_r64(X86_R11));
	OP(mov, x86_at(X86_RDI, 8), x86_r64(X86_R11));
	OP(call, x86_at(X86_RDI, 8));
	OP(stmxcsr, x86_at(X86_RDI, 0));
	OP(ldmxcsr, x86_at(X86_RDI, 0));
	code = mapping_finish(&mapping);
	REQUIRE(code);
	for (uint64_t a = 0; a < 10; a++) {
		uint64_t memory[2] = { ~0ull, 0 }, want = a;

		for (unsigned i = 0; i < 5; i++)
			want = want * 3 + 1;
		CHECK_INT(code(memory, a, 3, 0), want);
		CHECK_INT((uint32_t)memory[0], _mm_getcsr());
	}
	mapping_end(&mapping);
}

int main(void)
{
	RUN(test_gpr);
	RUN(test_conditions);
	RUN(test_control);
	RUN(test_avx2);
	RUN(test_avx512);
	return tap_end();
}
