/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which rows of ol_api.def and ol_enum.def OL_ABI has: OL_ROW_first_last(...) and
 * OL_SINCE_23(...) expand to their arguments, or to nothing.
 */
#ifndef OL_ROWS_H
#define OL_ROWS_H

#ifndef OL_ABI
#define OL_ABI 22
#endif

#if OL_ABI == 22
#define OL_ROW_22_22(...) __VA_ARGS__
#define OL_ROW_22_NOW(...) __VA_ARGS__
#define OL_ROW_23_NOW(...)
#define OL_SINCE_23(...)
#elif OL_ABI == 23
#define OL_ROW_22_22(...)
#define OL_ROW_22_NOW(...) __VA_ARGS__
#define OL_ROW_23_NOW(...) __VA_ARGS__
#define OL_SINCE_23(...) __VA_ARGS__
#else
#error "OL_ABI is 22 or 23"
#endif

#endif
