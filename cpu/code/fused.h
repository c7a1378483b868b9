/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For each form of a second row in fused.def: the handler that computes the second row alone. */
#ifndef CPU_FUSED_H
#define CPU_FUSED_H

/* The handler, and which of its operands may be the first row's value: a bit each. */
#define FUSED_er(name) HANDLER_##name##_rr, 3
#define FUSED_tr(name) HANDLER_##name##_rr, 1
#define FUSED_rt(name) HANDLER_##name##_rr, 2
#define FUSED_ts(name) HANDLER_##name##_rs, 1
#define FUSED_err(name) HANDLER_##name##_rrr, 3
#define FUSED_rrt(name) HANDLER_##name##_rrr, 4
#define FUSED_ers(name) HANDLER_##name##_rrs, 3
#define FUSED_rst(name) HANDLER_##name##_rsr, 4
#define FUSED_tsr(name) HANDLER_##name##_rsr, 1
#define FUSED_tss(name) HANDLER_##name##_rss, 1

#endif
