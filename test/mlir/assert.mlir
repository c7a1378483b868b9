// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An assertion fails in the kernel. What follows in the program goes on; the exit status
// (115) and one report tell.
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%x, %y, %z) in (%nx = %one, %ny = %one, %nz = %one) {
    %none = arith.constant 0 : index
    %wrong = arith.cmpi ne, %x, %none : index
    cf.assert %wrong, "thread is not 0"
    gpu.terminator
  }
  return %zero : i32
}
