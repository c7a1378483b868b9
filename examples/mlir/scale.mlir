// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y[i] = 2 * x[i] + i. The pipeline outlines the launch into a kernel @go_kernel
// and embeds it in the object of the host code, as PTX, cubin or fatbin.
func.func @go(%x: memref<?xf32>, %y: memref<?xf32>) {
  %one = arith.constant 1 : index
  %threads = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%i, %ty, %tz) in (%nx = %threads, %ny = %one, %nz = %one) {
    %two = arith.constant 2.0 : f32
    %value = memref.load %x[%i] : memref<?xf32>
    %twice = arith.mulf %value, %two : f32
    %index = arith.index_cast %i : index to i32
    %float = arith.sitofp %index : i32 to f32
    %sum = arith.addf %twice, %float : f32
    memref.store %sum, %y[%i] : memref<?xf32>
    gpu.terminator
  }
  return
}
