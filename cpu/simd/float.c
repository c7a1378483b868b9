/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op_approx.h"
#include "op_half.h"
#include "alu.h"

#include "ops_float.def"
