/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op_cvt.h"
#include "op_fp8.h"
#include "alu.h"
#include "first_set.h"

#include "ops_cvt.def"
