// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel alone, launched from the object that MLIR makes; its host code is not run.
// REQUIRES: mlir-opt, mlir-translate, llc
// RUN: %mlir-opt %s -gpu-lower-to-nvvm-pipeline=cubin-format=isa | \
// RUN: %mlir-translate --mlir-to-llvmir | %llc -filetype=obj | \
// RUN: %gpurun - --launch go_kernel -b 128 -a memref:x=f32:128:iota -a memref:y=f32:128 \
// RUN:   --print x:4 --print y:4 | %FileCheck %s

// CHECK: x: 0 1 2 3
// CHECK-NEXT: y: 0 3 6 9
func.func @go(%x: memref<?xf32>, %y: memref<?xf32>) {
  %one = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%i, %ty, %tz) in (%nx = %threads, %ny = %one, %nz = %one) {
    %three = arith.constant 3.0 : f32
    %value = memref.load %x[%i] : memref<?xf32>
    %product = arith.mulf %value, %three : f32
    memref.store %product, %y[%i] : memref<?xf32>
    gpu.terminator
  }
  return
}
