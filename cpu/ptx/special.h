/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Special registers. Those that are the same for a whole warp are in scalar
 * slots of its row file, those that differ by lane in rows; both are filled
 * when a CTA begins. Clocks are read by an instruction. Counters, the fourth
 * dimension and environment registers are 0, except for the two registers that
 * have the workspace of a cooperative launch.
 */
#ifndef CPU_SPECIAL_H
#define CPU_SPECIAL_H

#include "ptx.h"

enum special_form {
	FORM_SLOT,  /* one value for the warp */
	FORM_ROW,   /* one value per lane */
	FORM_CLOCK, /* read when the instruction runs */
	FORM_ZERO,  /* this device has none: 0 */
};

/* SPECIAL(name, spelling without '%', form, bytes), sorted by spelling */
#define SPECIALS                                                                           \
	SPECIAL(AGGR_SMEM, "aggr_smem_size", SLOT, 4)                                      \
	SPECIAL(CLOCK, "clock", CLOCK, 4)                                                  \
	SPECIAL(CLOCK64, "clock64", CLOCK, 8)                                              \
	SPECIAL(CLOCK_HI, "clock_hi", CLOCK, 4)                                            \
	SPECIAL(CLUSTER_CTAID_X, "cluster_ctaid.x", SLOT, 4)                               \
	SPECIAL(CLUSTER_CTAID_Y, "cluster_ctaid.y", SLOT, 4)                               \
	SPECIAL(CLUSTER_CTAID_Z, "cluster_ctaid.z", SLOT, 4)                               \
	SPECIAL(CLUSTER_CTARANK, "cluster_ctarank", SLOT, 4)                               \
	SPECIAL(CLUSTER_NCTAID_X, "cluster_nctaid.x", SLOT, 4)                             \
	SPECIAL(CLUSTER_NCTAID_Y, "cluster_nctaid.y", SLOT, 4)                             \
	SPECIAL(CLUSTER_NCTAID_Z, "cluster_nctaid.z", SLOT, 4)                             \
	SPECIAL(CLUSTER_NCTARANK, "cluster_nctarank", SLOT, 4)                             \
	SPECIAL(CLUSTERID_X, "clusterid.x", SLOT, 4)                                       \
	SPECIAL(CLUSTERID_Y, "clusterid.y", SLOT, 4)                                       \
	SPECIAL(CLUSTERID_Z, "clusterid.z", SLOT, 4)                                       \
	SPECIAL(CTAID_X, "ctaid.x", SLOT, 4)                                               \
	SPECIAL(CTAID_Y, "ctaid.y", SLOT, 4)                                               \
	SPECIAL(CTAID_Z, "ctaid.z", SLOT, 4)                                               \
	SPECIAL(DYNAMIC_SMEM, "dynamic_smem_size", SLOT, 4)                                \
	SPECIAL(ENVREG1, "envreg1", SLOT, 4)                                               \
	SPECIAL(ENVREG2, "envreg2", SLOT, 4)                                               \
	SPECIAL(GLOBALTIMER, "globaltimer", CLOCK, 8)                                      \
	SPECIAL(GLOBALTIMER_HI, "globaltimer_hi", CLOCK, 4)                                \
	SPECIAL(GLOBALTIMER_LO, "globaltimer_lo", CLOCK, 4)                                \
	SPECIAL(GRIDID, "gridid", SLOT, 8)                                                 \
	SPECIAL(IS_CLUSTER, "is_explicit_cluster", SLOT, 0)                                \
	SPECIAL(LANEID, "laneid", ROW, 4)                                                  \
	SPECIAL(LANEMASK_EQ, "lanemask_eq", ROW, 4)                                        \
	SPECIAL(LANEMASK_GE, "lanemask_ge", ROW, 4)                                        \
	SPECIAL(LANEMASK_GT, "lanemask_gt", ROW, 4)                                        \
	SPECIAL(LANEMASK_LE, "lanemask_le", ROW, 4)                                        \
	SPECIAL(LANEMASK_LT, "lanemask_lt", ROW, 4)                                        \
	SPECIAL(NCLUSTERID_X, "nclusterid.x", SLOT, 4)                                     \
	SPECIAL(NCLUSTERID_Y, "nclusterid.y", SLOT, 4)                                     \
	SPECIAL(NCLUSTERID_Z, "nclusterid.z", SLOT, 4)                                     \
	SPECIAL(NCTAID_X, "nctaid.x", SLOT, 4)                                             \
	SPECIAL(NCTAID_Y, "nctaid.y", SLOT, 4)                                             \
	SPECIAL(NCTAID_Z, "nctaid.z", SLOT, 4)                                             \
	SPECIAL(NSMID, "nsmid", SLOT, 4)                                                   \
	SPECIAL(NTID_X, "ntid.x", SLOT, 4)                                                 \
	SPECIAL(NTID_Y, "ntid.y", SLOT, 4)                                                 \
	SPECIAL(NTID_Z, "ntid.z", SLOT, 4)                                                 \
	SPECIAL(NWARPID, "nwarpid", SLOT, 4)                                               \
	SPECIAL(RESERVED_0, "reserved_smem_offset_0", SLOT, 4)                             \
	SPECIAL(RESERVED_1, "reserved_smem_offset_1", SLOT, 4)                             \
	SPECIAL(RESERVED_BEGIN, "reserved_smem_offset_begin", SLOT, 4)                     \
	SPECIAL(RESERVED_CAP, "reserved_smem_offset_cap", SLOT, 4)                         \
	SPECIAL(RESERVED_END, "reserved_smem_offset_end", SLOT, 4)                         \
	SPECIAL(SMID, "smid", SLOT, 4)                                                     \
	SPECIAL(TID_X, "tid.x", ROW, 4)                                                    \
	SPECIAL(TID_Y, "tid.y", ROW, 4)                                                    \
	SPECIAL(TID_Z, "tid.z", ROW, 4)                                                    \
	SPECIAL(TOTAL_SMEM, "total_smem_size", SLOT, 4)                                    \
	SPECIAL(WARPID, "warpid", SLOT, 4)

enum special {
#define SPECIAL(name, spelling, form, bytes) SPECIAL_##name,
	SPECIALS
#undef SPECIAL
	SPECIAL_NAMED,
	SPECIAL_ZERO = SPECIAL_NAMED, /* those of FORM_ZERO, by their size */
	SPECIAL_ZERO_ONCE_NARROW, /* of 16 bits in the first versions of PTX */
	SPECIAL_ZERO_WIDE,
	SPECIAL_COUNT,
};

struct special_info {
	const char *spelling;
	enum special_form form;
	uint8_t bytes;
	uint8_t row;   /* FORM_ROW: which of the rows it is */
};

extern const struct special_info special_infos[SPECIAL_COUNT];

/* Finds the special register spelt @name, '%' included; SPECIAL_COUNT when there is none. */
enum special special_find(struct ptx_name name);

#endif
