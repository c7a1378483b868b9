/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op_cvt.h"
#include "op_fp8.h"
#include "simd_alu.h"
#include "simd_lane.h"

#include "ops_cvt.def"
