/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op_bits.h"
#include "op_int.h"
#include "alu.h"

#include "ops_int.def"
