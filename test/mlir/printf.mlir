// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three threads print a line each.
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%x, %y, %z) in (%nx = %three, %ny = %one, %nz = %one) {
    %half = arith.constant 0.5 : f32
    %thread = arith.index_cast %x : index to i32
    gpu.printf "thread %d of %d says %.1f\n", %thread, %thread, %half : i32, i32, f32
    gpu.terminator
  }
  return %zero : i32
}
