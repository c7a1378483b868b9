// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that does nothing (LLVM pull request 190563): all there is to see is whether
// the module's unloading, after main, is silent.
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%x, %y, %z) in (%nx = %one, %ny = %one, %nz = %one) {
    gpu.terminator
  }
  return %zero : i32
}
