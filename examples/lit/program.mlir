// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole program: compiled ahead of time, linked with libmlir_cuda_runtime, run on the
// device that gpurun chooses. Its exit status is what the kernel left in memory.
// REQUIRES: mlir-opt, mlir-translate, llc, cc, mlir-runtime
// RUN: %mlir-opt %s -gpu-lower-to-nvvm-pipeline=cubin-format=isa | \
// RUN: %mlir-translate --mlir-to-llvmir | \
// RUN: %llc -filetype=obj -relocation-model=pic -o %t.o
// RUN: %cc %t.o -o %t %mlir-runtime
// RUN: %gpurun --exec %t | %FileCheck %s

// CHECK: thread 0
// CHECK: thread 1
func.func @main() -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %wrong = arith.constant 1 : i32
  %status = gpu.alloc host_shared() : memref<1xi32>
  memref.store %wrong, %status[%zero] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%x, %ty, %tz) in (%nx = %two, %ny = %one, %nz = %one) {
    %thread = arith.index_cast %x : index to i32
    gpu.printf "thread %d\n", %thread : i32
    %right = arith.constant 0 : i32
    memref.store %right, %status[%zero] : memref<1xi32>
    gpu.terminator
  }
  %result = memref.load %status[%zero] : memref<1xi32>
  return %result : i32
}
