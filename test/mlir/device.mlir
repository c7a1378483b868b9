// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device is chosen in main, after the module was loaded, by what the entry says
// (GPURUN_TEST_ORDINAL, 0 without it). Prints 42.
func.func private @chosen_device() -> i32

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %value = arith.constant 42 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ordinal = call @chosen_device() : () -> i32
  gpu.set_default_device %ordinal
  %h = memref.alloc() : memref<1xi32>
  %t0 = gpu.wait async
  %m, %t1 = gpu.alloc async [%t0] () : memref<1xi32>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%i, %y, %z) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    memref.store %value, %m[%i] : memref<1xi32>
    gpu.terminator
  }
  %t3 = gpu.memcpy async [%t2] %h, %m : memref<1xi32>, memref<1xi32>
  %t4 = gpu.dealloc async [%t3] %m : memref<1xi32>
  gpu.wait [%t4]
  %result = memref.load %h[%c0] : memref<1xi32>
  vector.print %result : i32
  memref.dealloc %h : memref<1xi32>
  return %zero : i32
}
