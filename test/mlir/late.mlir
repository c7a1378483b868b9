// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel launched by a destructor, when the driver has ended: the launch does not
// happen, and that is said, unlike the unloading of the module, which is no error. The
// program's own result stands.
llvm.mlir.global_dtors dtors = [@late], priorities = [200 : i32], data = [#llvm.zero]

llvm.func @late() {
  func.call @launch() : () -> ()
  llvm.return
}

func.func private @launch() {
  %one = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%x, %y, %z) in (%nx = %one, %ny = %one, %nz = %one) {
    gpu.printf "a kernel ran after the end\n"
    gpu.terminator
  }
  return
}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  return %zero : i32
}
