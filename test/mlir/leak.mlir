// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three allocations, of which the second is freed: the others are left. Prints 7.
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %host = memref.alloc() : memref<1xi32>
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<25xi32>
  %b, %t2 = gpu.alloc async [%t1] () : memref<50xi32>
  %c, %t3 = gpu.alloc async [%t2] () : memref<75xi32>
  %t4 = gpu.memset async [%t3] %a, %seven : memref<25xi32>, i32
  %t5 = gpu.memset async [%t4] %b, %seven : memref<50xi32>, i32
  %t6 = gpu.memset async [%t5] %c, %seven : memref<75xi32>, i32
  %first = memref.subview %a[0] [1] [1] : memref<25xi32> to memref<1xi32>
  %t7 = gpu.memcpy async [%t6] %host, %first : memref<1xi32>, memref<1xi32>
  %t8 = gpu.dealloc async [%t7] %b : memref<50xi32>
  gpu.wait [%t8]
  %x = memref.load %host[%c0] : memref<1xi32>
  vector.print %x : i32
  memref.dealloc %host : memref<1xi32>
  return %zero : i32
}
