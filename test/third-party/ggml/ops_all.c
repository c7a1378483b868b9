/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The operations that ops.c runs, of the backends' kernels and those that cuBLAS has to do. */
#include "ops.h"

/* Those of ggml.h: the context, the operands, the rest. */
#define ONE(name) ggml_tensor *ggml_##name(ggml_context *, ggml_tensor *)
#define TWO(name) ggml_tensor *ggml_##name(ggml_context *, ggml_tensor *, ggml_tensor *)
ONE(sqr);
ONE(sqrt);
ONE(log);
ONE(sin);
ONE(cos);
ONE(exp);
ONE(relu);
ONE(gelu);
ONE(gelu_quick);
ONE(silu);
ONE(tanh);
ONE(sigmoid);
ONE(hardswish);
ONE(elu);
ONE(swiglu);
ONE(geglu);
ONE(soft_max);
ONE(sum);
ONE(sum_rows);
ONE(mean);
ONE(argmax);
ONE(cont);
ONE(transpose);
TWO(add);
TWO(sub);
TWO(mul);
TWO(div);
TWO(mul_mat);
TWO(out_prod);
TWO(get_rows);
TWO(cpy);
TWO(repeat);
TWO(ssm_conv);
TWO(count_equal);
TWO(cross_entropy_loss);
ggml_tensor *ggml_scale(ggml_context *, ggml_tensor *, float);
ggml_tensor *ggml_clamp(ggml_context *, ggml_tensor *, float, float);
ggml_tensor *ggml_norm(ggml_context *, ggml_tensor *, float);
ggml_tensor *ggml_rms_norm(ggml_context *, ggml_tensor *, float);
ggml_tensor *ggml_l2_norm(ggml_context *, ggml_tensor *, float);
ggml_tensor *ggml_group_norm(ggml_context *, ggml_tensor *, int, float);
ggml_tensor *ggml_soft_max_ext(ggml_context *, ggml_tensor *, ggml_tensor *, float, float);
ggml_tensor *ggml_diag_mask_inf(ggml_context *, ggml_tensor *, int);
ggml_tensor *ggml_rope(ggml_context *, ggml_tensor *, ggml_tensor *, int, int);
ggml_tensor *ggml_permute(ggml_context *, ggml_tensor *, int, int, int, int);
ggml_tensor *ggml_concat(ggml_context *, ggml_tensor *, ggml_tensor *, int);
ggml_tensor *ggml_reshape_2d(ggml_context *, ggml_tensor *, int64_t, int64_t);
ggml_tensor *ggml_reshape_3d(ggml_context *, ggml_tensor *, int64_t, int64_t, int64_t);
ggml_tensor *ggml_argsort(ggml_context *, ggml_tensor *, int);
ggml_tensor *ggml_pad(ggml_context *, ggml_tensor *, int, int, int, int);
ggml_tensor *ggml_upscale(ggml_context *, ggml_tensor *, int, int);
ggml_tensor *ggml_set_rows(ggml_context *, ggml_tensor *, ggml_tensor *, ggml_tensor *);
ggml_tensor *ggml_mul_mat_id(ggml_context *, ggml_tensor *, ggml_tensor *, ggml_tensor *);
ggml_tensor *ggml_im2col(ggml_context *, ggml_tensor *, ggml_tensor *, int, int, int, int, int,
			 int, bool, enum ggml_type);
ggml_tensor *ggml_pool_2d(ggml_context *, ggml_tensor *, int, int, int, int, int, float, float);
ggml_tensor *ggml_timestep_embedding(ggml_context *, ggml_tensor *, int, int);
ggml_tensor *ggml_flash_attn_ext(ggml_context *, ggml_tensor *, ggml_tensor *, ggml_tensor *,
				 ggml_tensor *, float, float, float);

#define F32(...) ops_input(in, GGML_TYPE_F32, __VA_ARGS__)
#define OF(type, ...) ops_input(in, GGML_TYPE_##type, __VA_ARGS__)
#define I32(n0, n1, limit) ops_indices(in, GGML_TYPE_I32, n0, n1, limit)
#define C ops_context(in)
#define OP(name, tensor)                                                                       \
	static ggml_tensor *build_##name(struct inputs *in)                                    \
	{                                                                                      \
		return tensor;                                                                 \
	}
#include "ops.def"
#undef OP

/* Eight words of a model: attention to a cache, and a net behind it. No matrix of floats. */
static ggml_tensor *build_block(struct inputs *in)
{
	ggml_tensor *x = F32(128, 8, 1, 1), *keys = OF(F16, 64, 256, 2, 1);
	ggml_tensor *values = OF(F16, 64, 256, 2, 1), *place = I32(8, 1, 50), *q, *y;

	q = ggml_mul(C, ggml_rms_norm(C, x, 1e-5F), F32(128, 1, 1, 1));
	q = ggml_mul_mat(C, OF(Q8_0, 128, 128, 1, 1), q);
	q = ggml_rope(C, ggml_reshape_3d(C, q, 64, 2, 8), place, 64, 0);
	q = ggml_permute(C, q, 0, 2, 1, 3);
	y = ggml_flash_attn_ext(C, q, keys, values, NULL, 0.125F, 0, 0);
	y = ggml_add(C, x, ggml_mul_mat(C, OF(Q4_0, 128, 128, 1, 1), ggml_reshape_2d(C, y, 128, 8)));
	return ggml_add(C, y, ggml_silu(C, ggml_mul_mat(C, OF(Q4_K, 256, 128, 1, 1), ggml_concat(C, y, y, 0))));
}

/* Single floats are summed in another order; of matrices both round what they multiply, too. */
#define NEAR 1e-7
#define MATRICES 5e-4

const struct op ops_all[] = {
#define OP(name, tensor) {#name, build_##name, NEAR, false},
#define OP_MATRICES(name, tensor) {#name, build_##name, MATRICES, false},
#define OP_EXACT(name, tensor) {#name, build_##name, 0, true},
#include "ops.def"
	{"block", build_block, MATRICES, false},
	{NULL, NULL, 0, false},
};
