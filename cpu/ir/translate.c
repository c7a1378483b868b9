/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "translate.h"

#include "ir.h"

/* Rows by their names, in the order of op_rows. */
enum row {
#define ALU1(name, ...) ROW_##name,
#define ALU2(name, ...) ROW_##name,
#define ALU3(name, ...) ROW_##name,
#define LANE1(name, ...) ROW_##name,
#define LANE2(name, ...) ROW_##name,
#define LANE3(name, ...) ROW_##name,
#define LANE4(name, ...) ROW_##name,
#define SETP1(name, ...) ROW_##name,
#define SETP2(name, ...) ROW_##name,
#define CARRY2(name, ...) ROW_##name,
#define CARRY3(name, ...) ROW_##name,
#include "ptx_ops.def"
};

/* Which operand of a second row (fused.def) is the first one's value. */
enum {
	PLACE_er = 0, PLACE_tr = 0, PLACE_ts = 0, PLACE_err = 0, PLACE_ers = 0, PLACE_tsr = 0,
	PLACE_tss = 0, PLACE_rt = 1, PLACE_rrt = 2, PLACE_rst = 2,
};

/* The rows with a carry are left to their handlers, which keep it in the row file. */
// clang-format off
#define ROWS(form, name) [HANDLER_##name##_##form] = { .action = ACTION_ROW, .row = ROW_##name },
#define SIZED(handler, what, bytes) [HANDLER_##handler] = { .action = ACTION_##what, .size = bytes },
#define RESIZED(from, to, D, S) [HANDLER_resize_##from##_##to] = { .action = ACTION_ROW, .row = ROW_cvt_##D##_##S },
#define LOGICAL(handler, what) [HANDLER_##handler] = { .action = ACTION_LOGIC, .op = IR_##what },
#define JUMPS(handler, what, how) [HANDLER_##handler] = { .action = ACTION_##what, .op = how },
#define TOGETHER(handler, what, bytes, how) \
	[HANDLER_##handler] = { .action = ACTION_##what, .size = bytes, .form = how },
#define ATOMIC(handler, what, bytes, sources) \
	[HANDLER_atom_##handler] = { .action = ACTION_ATOMIC, .op = ATOMIC_##what, .size = bytes, .count = sources },
#define ATOMICS(handler, what, sources) \
	ATOMIC(handler##_4, what, 4, sources) ATOMIC(handler##_8, what, 8, sources)
#define SIMPLE(handler, what) [HANDLER_##handler] = { .action = ACTION_##what },
#define ACCESS(what, how, where, width, n) [HANDLER_##how##_##width##_v##n] = \
	{ .action = ACTION_##what, .form = FORM_##where, .size = width, .count = n },
#define COUNTS(...) ACCESS(__VA_ARGS__, 1) ACCESS(__VA_ARGS__, 2) ACCESS(__VA_ARGS__, 4)
#define WIDTHS(...) COUNTS(__VA_ARGS__, 1) COUNTS(__VA_ARGS__, 2) COUNTS(__VA_ARGS__, 4) COUNTS(__VA_ARGS__, 8)

const struct translation translations[HANDLER_COUNT] = {
#define ALU1(name, ...) ROWS(r, name) ROWS(s, name)
#define ALU2(name, ...) ROWS(rr, name) ROWS(rs, name) ROWS(s, name)
#define ALU3(name, ...) ROWS(rrr, name) ROWS(rsr, name) ROWS(rrs, name) ROWS(rss, name) ROWS(s, name)
#define LANE1(name, ...) ROWS(r, name) ROWS(s, name)
#define LANE2(name, ...) ROWS(rr, name) ROWS(s, name)
#define LANE3(name, ...) ROWS(rrr, name) ROWS(s, name)
#define LANE4(name, ...) ROWS(rrrr, name) ROWS(s, name)
#define SETP1(name, ...) ROWS(r, name) ROWS(s, name)
#define SETP2(name, ...) ROWS(rr, name) ROWS(rs, name) ROWS(s, name)
#define CARRY2(...)
#define CARRY3(...)
#include "ptx_ops.def"
#define FIRST(...)
#define SECOND(...)
#define FUSE(second_row, form2, op2, D, X, Y, first, form1, ...) \
	[HANDLER_##first##_##form1##_##second_row##_##form2] = { .action = ACTION_FUSED, \
		.row = ROW_##first, .second = ROW_##second_row, .place = PLACE_##form2 },
#define FUSE_SETP(...) FUSE(__VA_ARGS__)
#include "fused.def"
#define COMPARES(handler, name) [HANDLER_##handler] = { .action = ACTION_COMPARE, .row = ROW_##name },
#define COMPARE(name, op, A) \
	COMPARES(name##_rr_bra, name) COMPARES(name##_rs_bra, name) COMPARES(name##_s_bra, name) \
	COMPARES(name##_rr_back, name) COMPARES(name##_rs_back, name) COMPARES(name##_s_back, name)
#define COUNT(name, op, A) [HANDLER_##name##_count] = { .action = ACTION_COUNT, .row = ROW_add_u32, .second = ROW_##name },
#include "branches.def"
	SIZED(mov_1_r, MOVE, 1) SIZED(mov_2_r, MOVE, 2) SIZED(mov_4_r, MOVE, 4) SIZED(mov_8_r, MOVE, 8)
	SIZED(mov_1_s, MOVE, 1) SIZED(mov_2_s, MOVE, 2) SIZED(mov_4_s, MOVE, 4) SIZED(mov_8_s, MOVE, 8)
	SIZED(slot_mov_1, MOVE, 1) SIZED(slot_mov_2, MOVE, 2) SIZED(slot_mov_4, MOVE, 4) SIZED(slot_mov_8, MOVE, 8)
	SIZED(selp_2_rr, SELECT, 2) SIZED(selp_2_rs, SELECT, 2) SIZED(selp_2_sr, SELECT, 2) SIZED(selp_2_ss, SELECT, 2)
	SIZED(selp_4_rr, SELECT, 4) SIZED(selp_4_rs, SELECT, 4) SIZED(selp_4_sr, SELECT, 4) SIZED(selp_4_ss, SELECT, 4)
	SIZED(selp_8_rr, SELECT, 8) SIZED(selp_8_rs, SELECT, 8) SIZED(selp_8_sr, SELECT, 8) SIZED(selp_8_ss, SELECT, 8)
	SIZED(slot_selp_2, SELECT, 2) SIZED(slot_selp_4, SELECT, 4) SIZED(slot_selp_8, SELECT, 8)
	SIZED(slot_take_1, TAKE, 1) SIZED(slot_take_2, TAKE, 2) SIZED(slot_take_4, TAKE, 4) SIZED(slot_take_8, TAKE, 8)
	RESIZED(u1, 2, u16, u8) RESIZED(u1, 4, u32, u8) RESIZED(u1, 8, u64, u8)
	RESIZED(s1, 2, u16, s8) RESIZED(s1, 4, u32, s8) RESIZED(s1, 8, u64, s8)
	RESIZED(u2, 1, u8, u16) RESIZED(u2, 4, u32, u16) RESIZED(u2, 8, u64, u16)
	RESIZED(s2, 4, u32, s16) RESIZED(s2, 8, u64, s16)
	RESIZED(u4, 1, u8, u32) RESIZED(u4, 2, u16, u32) RESIZED(u4, 8, u64, u32) RESIZED(s4, 8, u64, s32)
	RESIZED(u8, 1, u8, u64) RESIZED(u8, 2, u16, u64) RESIZED(u8, 4, u32, u64)
	LOGICAL(pred_and, AND) LOGICAL(pred_or, OR) LOGICAL(pred_xor, XOR) LOGICAL(pred_not, NOT) LOGICAL(pred_mov, COPY)
	WIDTHS(LOAD, ld_flat_r8, FLAT_R8) WIDTHS(LOAD, ld_flat_s, FLAT_S) WIDTHS(LOAD, ld_flat_slot, FLAT_S)
	WIDTHS(LOAD, ld_shared_r8, SHARED_R8) WIDTHS(LOAD, ld_shared_r4, SHARED_R4)
	WIDTHS(LOAD, ld_shared_s, SHARED_S) WIDTHS(LOAD, ld_shared_slot, SHARED_S)
	WIDTHS(STORE, st_flat_r8, FLAT_R8) WIDTHS(STORE, st_flat_s, FLAT_S)
	WIDTHS(STORE, st_shared_r8, SHARED_R8) WIDTHS(STORE, st_shared_r4, SHARED_R4)
	WIDTHS(STORE, st_shared_s, SHARED_S)
	SIMPLE(cluster_window, WINDOW) SIMPLE(cluster_window_4, WINDOW)
	ATOMICS(add, ADD, 1) ATOMICS(and, AND, 1) ATOMICS(or, OR, 1) ATOMICS(xor, XOR, 1)
	ATOMICS(exch, EXCH, 1) ATOMICS(cas, CAS, 2)
	ATOMIC(min_u32, MIN_U, 4, 1) ATOMIC(max_u32, MAX_U, 4, 1)
	ATOMIC(min_u64, MIN_U, 8, 1) ATOMIC(max_u64, MAX_U, 8, 1)
	ATOMIC(min_s32, MIN_S, 4, 1) ATOMIC(max_s32, MAX_S, 4, 1)
	ATOMIC(min_s64, MIN_S, 8, 1) ATOMIC(max_s64, MAX_S, 8, 1)
	ATOMIC(inc_u32, INC, 4, 1) ATOMIC(dec_u32, DEC, 4, 1)
	ATOMIC(add_f32, ADD_F, 4, 1) ATOMIC(add_f64, ADD_F, 8, 1)
	TOGETHER(shfl_up, SHUFFLE, 4, SHUFFLE_UP) TOGETHER(shfl_down, SHUFFLE, 4, SHUFFLE_DOWN)
	TOGETHER(shfl_bfly, SHUFFLE, 4, SHUFFLE_BFLY) TOGETHER(shfl_idx, SHUFFLE, 4, SHUFFLE_IDX)
	TOGETHER(vote_all, VOTE, 0, VOTE_ALL) TOGETHER(vote_any, VOTE, 0, VOTE_ANY)
	TOGETHER(vote_uni, VOTE, 0, VOTE_UNI) TOGETHER(vote_ballot, VOTE, 4, VOTE_BALLOT)
	TOGETHER(activemask, VOTE, 4, VOTE_ACTIVE)
	TOGETHER(redux_add, REDUCE, 4, REDUX_ADD) TOGETHER(redux_and, REDUCE, 4, REDUX_AND)
	TOGETHER(redux_or, REDUCE, 4, REDUX_OR) TOGETHER(redux_xor, REDUCE, 4, REDUX_XOR)
	TOGETHER(redux_min_u32, REDUCE, 4, REDUX_MIN_U32)
	TOGETHER(redux_max_u32, REDUCE, 4, REDUX_MAX_U32)
	TOGETHER(redux_min_s32, REDUCE, 4, REDUX_MIN_S32)
	TOGETHER(redux_max_s32, REDUCE, 4, REDUX_MAX_S32)
	TOGETHER(match_any_4, MATCH, 4, MATCH_ANY) TOGETHER(match_any_8, MATCH, 8, MATCH_ANY)
	TOGETHER(match_all_4, MATCH, 4, MATCH_ALL) TOGETHER(match_all_8, MATCH, 8, MATCH_ALL)
	SIMPLE(frame, FRAME) SIMPLE(local_address, LOCAL) SIMPLE(fence, FENCE) SIMPLE(insert, INSERT) SIMPLE(extract, EXTRACT)
	JUMPS(bra, BRANCH, 0) JUMPS(bra_if, BRANCH, 1) JUMPS(bra_unless, BRANCH, 2)
	JUMPS(bra_back, BRANCH, 0) JUMPS(bra_back_if, BRANCH, 1) JUMPS(bra_back_unless, BRANCH, 2)
	JUMPS(guard_if, GUARD, 1) JUMPS(guard_unless, GUARD, 2)
	JUMPS(guard_else_if, ELSE, 1) JUMPS(guard_else_unless, ELSE, 2)
	SIMPLE(guard_end, END) SIMPLE(leader, NOTHING) SIMPLE(split, NOTHING)
	SIMPLE(exit, LEAVE) SIMPLE(barrier, LEAVE) SIMPLE(call, LEAVE)
	SIMPLE(call_indirect, LEAVE) SIMPLE(ret, LEAVE) SIMPLE(nanosleep, LEAVE) SIMPLE(trap, LEAVE)
	SIMPLE(warp_barrier, LEAVE) SIMPLE(brx, LEAVE) SIMPLE(cluster_arrive, LEAVE)
	SIMPLE(cluster_wait, LEAVE) SIMPLE(mbarrier, LEAVE) SIMPLE(bulk, LEAVE) SIMPLE(wgmma, LEAVE)
	SIMPLE(wgmma_b1, LEAVE)
};

#define PARTS(W, N) \
	{ W / 8, N / 8, ROW_cvt_u##W##_u##N, ROW_cvt_u##N##_u##W, ROW_shl_b##W, ROW_shr_b##W, \
	  ROW_or_b##W }
static const struct part_rows all_parts[] = {
	PARTS(64, 32), PARTS(64, 16), PARTS(64, 8), PARTS(32, 16), PARTS(32, 8), PARTS(16, 8),
};
// clang-format on

const struct part_rows *part_rows_find(int32_t wide, int32_t narrow)
{
	for (size_t i = 0; i < sizeof(all_parts) / sizeof(all_parts[0]); i++)
		if (all_parts[i].wide == wide && all_parts[i].narrow == narrow)
			return &all_parts[i];
	return NULL;
}
