/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op_half2.h"
#include "alu.h"
#include "first_set.h"

#include "ops_half.def"
