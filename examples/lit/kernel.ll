; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A kernel in LLVM IR, and what two checks of it say: one that holds, one that does not.
; REQUIRES: llc
; RUN: %llc -mcpu=sm_75 %s -o %t.ptx
; RUN: %gpurun %t.ptx --launch twice -b 8 -a x=i32:8:iota --expect x=iota=0,2
; RUN: not %gpurun %t.ptx --launch twice -b 8 -a x=i32:8:iota --expect x=iota 2>&1 | \
; RUN:   %FileCheck %s
;
; CHECK: error: expect x: 7 of 8 elements differ; the first is [1]: got 2, want 1
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @twice(ptr addrspace(1) %x) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %thread
  %old = load i32, ptr addrspace(1) %at
  %new = shl i32 %old, 1
  store i32 %new, ptr addrspace(1) %at
  ret void
}
