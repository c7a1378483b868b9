; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Only on a GPU: the ordinal of the multiprocessor is no business of the CPU device.
; REQUIRES: gpu, llc
; RUN: %llc -mcpu=sm_75 %s -o %t.ptx
; RUN: %gpurun %t.ptx -d gpu --launch where -a x=i32:1:fill=-1 --print x | %FileCheck %s
;
; CHECK: x: {{[0-9]+}}
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.smid()

define ptx_kernel void @where(ptr addrspace(1) %x) {
  %sm = call i32 @llvm.nvvm.read.ptx.sreg.smid()
  store i32 %sm, ptr addrspace(1) %x
  ret void
}
