/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op_compare.h"
#include "alu.h"

#include "ops_compare.def"
