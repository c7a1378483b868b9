// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that host and device share: written here, doubled there, read here, and given
// back. Prints 42.
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %value = arith.constant 21 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = gpu.alloc host_shared() : memref<1xi32>
  memref.store %value, %m[%c0] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%i, %y, %z) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    %old = memref.load %m[%i] : memref<1xi32>
    %new = arith.addi %old, %old : i32
    memref.store %new, %m[%i] : memref<1xi32>
    gpu.terminator
  }
  %result = memref.load %m[%c0] : memref<1xi32>
  vector.print %result : i32
  %start = gpu.wait async
  %freed = gpu.dealloc async [%start] %m : memref<1xi32>
  gpu.wait [%freed]
  return %zero : i32
}
