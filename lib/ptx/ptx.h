/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A PTX module at module level: what is declared, with the bodies of functions
 * and the initialisers of variables as spans of text that are not parsed.
 * Everything points into the text, which is borrowed and must outlive it.
 */
#ifndef LIB_PTX_H
#define LIB_PTX_H

#include "bytes.h"
#include "cleanup.h"
#include "err.h"
#include "kernel_info.h"
#include "variable_info.h"

/* A borrowed name; not terminated. */
struct ptx_name {
	const char *text;
	uint32_t length;
};

enum ptx_linkage { PTX_STATIC, PTX_VISIBLE, PTX_WEAK, PTX_EXTERN, PTX_COMMON };
enum ptx_space {
	PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL, PTX_PARAM, PTX_REG,
	PTX_SHARED_CLUSTER, /* of addresses alone: of nothing that is declared */
};

/* A declared variable or parameter. */
struct ptx_variable {
	enum ptx_space space;
	enum ptx_linkage linkage;
	struct ptx_name name;
	char type[12];         /* without the dot: "f32", "pred", "b128", "texref" */
	unsigned width;        /* bytes of one scalar element; 8 for opaque types, 0 for pred */
	unsigned vector;       /* 1, 2 or 4 (.v2, .v4) */
	uint64_t align;        /* bytes, in effect */
	uint64_t count;        /* array elements: product of the dimensions; 1 for a scalar */
	bool array;            /* declared with at least one [] */
	bool numbered;         /* declared as NAME<N>: count variables, NAME0 and on, each @stride
				* bytes after the one before */
	bool unsized;          /* the first [] or [0], without an initialiser: count is 0 */
	bool managed;          /* .attribute(.managed) */
	enum param_space pointer; /* parameters: .ptr space */
	uint64_t size;         /* bytes: width * vector * count; of numbered ones: of all */
	uint64_t stride;       /* bytes from one element to the next */
	struct bytes init;     /* the text after '=', without ';'; size 0 when absent */
	uint32_t line;
};

struct ptx_function {
	bool entry;            /* .entry; else .func */
	enum ptx_linkage linkage;
	struct ptx_name name;
	struct ptx_variable *params;  /* owned; .param, or .reg of old .func */
	size_t param_count;
	struct ptx_variable *returns; /* owned */
	size_t return_count;
	unsigned required_block[3], max_block[3], cluster[3];
	unsigned max_registers; /* .maxnreg, of each thread; 0: none */
	unsigned min_blocks;    /* .minnctapersm; 0: none */
	unsigned max_cluster;   /* .maxclusterrank, in blocks; 0: none */
	bool must_cluster;     /* .explicitcluster */
	bool grid_of_clusters; /* .blocksareclusters: a launch counts clusters */
	bool noreturn;
	bool defined;          /* has a body: a declaration alone has none */
	struct bytes body;     /* between the braces, which are not included */
	uint32_t line;         /* of the name */
	uint32_t body_line;    /* of the first byte of body */
};

/* A source file named by ".file INDEX "NAME"". */
struct ptx_file {
	uint32_t index;
	struct ptx_name name;
};

/* ".alias NAME, AIMED;": NAME is another name of a function. */
struct ptx_alias {
	struct ptx_name name, aimed;
};

struct ptx {
	unsigned version_major, version_minor; /* .version */
	struct ptx_name target;                /* "sm_90a": the first word of .target */
	unsigned arch;                         /* 90 */
	char suffix;                           /* 'a', 'f' or 0 */
	unsigned address_size;                 /* 64 or 32 */
	struct ptx_function *functions;        /* owned; in order of the text */
	size_t function_count;
	struct ptx_variable *variables;        /* owned; module-level, then those of bodies */
	size_t variable_count;
	size_t module_variables;               /* how many are at module level */
	struct ptx_file *files;                /* owned */
	size_t file_count;
	struct ptx_alias *aliases;             /* owned */
	size_t alias_count;
};

/*
 * Parses the module level of @text. Fails with GPURUN_FORMAT ("line 12:
 * expected ';' after .version, found 'x'"; also for more declarations than
 * kernel_info_most()) or GPURUN_NO_MEMORY. *@out is owned by the caller
 * (ptx_free) and borrows @text.
 */
int ptx_open(struct bytes text, struct ptx **out, struct err *e);

/* How much of some bytes is PTX: see ptx_open_first(). */
struct ptx_extent {
	size_t size; /* bytes up to the end of the last statement that was read */
	bool all;    /* only white space and comments follow it */
	bool torn;   /* the bytes end inside a statement */
	bool begun;  /* one function or variable was declared, at least */
};

/*
 * The same, for text that other bytes may follow: it ends where none of them may begin a
 * statement. *@extent says how much was read, also after a failure.
 */
int ptx_open_first(struct bytes text, struct ptx **out, struct ptx_extent *extent,
		   struct err *e);

/*
 * Adds the .global and .const variables that bodies declare to @ptx, after those of the module, in
 * order of the text. One time for each @ptx. Fails as ptx_open does.
 */
int ptx_open_bodies(struct ptx *ptx, struct err *e);

/* The variable of a body whose name is at @name in the text; NULL before ptx_open_bodies(). */
const struct ptx_variable *ptx_of_body(const struct ptx *ptx, const char *name);

/* Accepts NULL. */
void ptx_free(struct ptx *ptx);
DEFINE_CLEANUP(free_ptx, struct ptx *, ptx_free)

/* Tells whether @text looks like PTX: white space and comments, then ".version". */
bool ptx_sniff(struct bytes text);

/*
 * Describes the entries of @ptx that have a body. *@kernels is an array of
 * *@count elements owned by the caller (kernel_info_free). GPURUN_NO_MEMORY.
 */
int ptx_kernels(const struct ptx *ptx, struct kernel_info **kernels, size_t *count,
		struct err *e);

/* Calls @visit for each .global and .const variable that @ptx defines; what a function
 * declares in its body is reported as one variable without a name. */
void ptx_variables(const struct ptx *ptx, variable_visitor *visit, void *data);

#endif
