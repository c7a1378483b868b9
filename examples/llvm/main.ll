; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A kernel named main, which CUDA compilers refuse. It prints one line.
target triple = "nvptx64-nvidia-cuda"

@text = private unnamed_addr addrspace(1) constant [36 x i8] c"main runs on thread %d of block %d\0A\00"

declare i32 @vprintf(ptr, ptr)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

define ptx_kernel void @main() {
  %args = alloca { i32, i32 }, align 8
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store i32 %thread, ptr %args
  %second = getelementptr i8, ptr %args, i64 4
  store i32 %block, ptr %second
  %format = addrspacecast ptr addrspace(1) @text to ptr
  %1 = call i32 @vprintf(ptr %format, ptr %args)
  ret void
}
