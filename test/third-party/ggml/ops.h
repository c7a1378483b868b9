/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What ops.c needs of ggml's C interface, and the operations that it runs. ggml's package has no
 * headers; these declarations are the part that is the same in the versions that are run.
 */
#ifndef PROGRAMS_GGML_OPS_H
#define PROGRAMS_GGML_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ggml_type {
	GGML_TYPE_F32 = 0,
	GGML_TYPE_F16 = 1,
	GGML_TYPE_Q4_0 = 2,
	GGML_TYPE_Q5_1 = 7,
	GGML_TYPE_Q8_0 = 8,
	GGML_TYPE_Q4_K = 12,
	GGML_TYPE_Q6_K = 14,
	GGML_TYPE_I32 = 26,
	GGML_TYPE_I64 = 27,
	GGML_TYPE_BF16 = 30,
};

struct ggml_init_params {
	size_t size;
	void *memory;
	bool no_alloc; /* the tensors' data is a backend's */
};

typedef struct ggml_context ggml_context;
typedef struct ggml_tensor ggml_tensor;
typedef struct ggml_cgraph ggml_cgraph;
typedef struct ggml_backend ggml_backend;
typedef struct ggml_backend_reg ggml_backend_reg;
typedef struct ggml_backend_device ggml_backend_device;

ggml_context *ggml_init(struct ggml_init_params);
ggml_tensor *ggml_new_tensor(ggml_context *, enum ggml_type, int dimensions, const int64_t *);
size_t ggml_nbytes(const ggml_tensor *);
size_t ggml_quantize_chunk(enum ggml_type, const float *, void *to, int64_t start, int64_t rows,
			   int64_t row, const float *weights);
ggml_cgraph *ggml_new_graph(ggml_context *);
void ggml_build_forward_expand(ggml_cgraph *, ggml_tensor *);
int ggml_graph_n_nodes(ggml_cgraph *);
ggml_tensor *ggml_graph_node(ggml_cgraph *, int);

size_t ggml_backend_reg_dev_count(ggml_backend_reg *);
ggml_backend_device *ggml_backend_reg_dev_get(ggml_backend_reg *, size_t);
ggml_backend *ggml_backend_dev_init(ggml_backend_device *, const char *parameters);
const char *ggml_backend_name(ggml_backend *);
bool ggml_backend_supports_op(ggml_backend *, const ggml_tensor *);
void *ggml_backend_alloc_ctx_tensors(ggml_context *, ggml_backend *);
void ggml_backend_tensor_set(ggml_tensor *, const void *, size_t offset, size_t);
void ggml_backend_tensor_get(const ggml_tensor *, void *, size_t offset, size_t);
int ggml_backend_graph_compute(ggml_backend *, ggml_cgraph *);

struct inputs;

/* A tensor that is filled with values between -1 and 1 before each run. */
ggml_tensor *ops_input(struct inputs *, enum ggml_type, int64_t, int64_t, int64_t, int64_t);

/* One of I32 or I64 that is filled with values from 0 to less than @limit. */
ggml_tensor *ops_indices(struct inputs *, enum ggml_type, int64_t, int64_t, long limit);

ggml_context *ops_context(struct inputs *);

struct op {
	const char *name;
	ggml_tensor *(*build)(struct inputs *);
	double most; /* that floats may differ by, squared, as a part of all */
	bool exact;  /* the same bytes instead */
};

/* All of them, and then one without a name. */
extern const struct op ops_all[];

#endif
