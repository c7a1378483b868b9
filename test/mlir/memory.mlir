// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation, filling by words of 32 and of 16 bits, copies in each direction, and a
// block of no bytes, all on one token. Prints 7, 1.5 and 258, a line each.
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7 : i32
  %float = arith.constant 1.5 : f32
  %half = arith.constant 258 : i16
  %i32s = memref.alloc() : memref<4xi32>
  %f32s = memref.alloc() : memref<4xf32>
  %i16s = memref.alloc() : memref<4xi16>
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<4xi32>
  %b, %t2 = gpu.alloc async [%t1] () : memref<4xf32>
  %c, %t3 = gpu.alloc async [%t2] () : memref<4xi16>
  %copy, %t4 = gpu.alloc async [%t3] () : memref<4xi32>
  %none, %t5 = gpu.alloc async [%t4] (%c0) : memref<?xi32>
  %t6 = gpu.memset async [%t5] %a, %seven : memref<4xi32>, i32
  %t7 = gpu.memset async [%t6] %b, %float : memref<4xf32>, f32
  %t8 = gpu.memset async [%t7] %c, %half : memref<4xi16>, i16
  %t9 = gpu.memcpy async [%t8] %copy, %a : memref<4xi32>, memref<4xi32>
  %t10 = gpu.memcpy async [%t9] %i32s, %copy : memref<4xi32>, memref<4xi32>
  %t11 = gpu.memcpy async [%t10] %f32s, %b : memref<4xf32>, memref<4xf32>
  %t12 = gpu.memcpy async [%t11] %i16s, %c : memref<4xi16>, memref<4xi16>
  %t13 = gpu.dealloc async [%t12] %none : memref<?xi32>
  %t14 = gpu.dealloc async [%t13] %copy : memref<4xi32>
  %t15 = gpu.dealloc async [%t14] %c : memref<4xi16>
  %t16 = gpu.dealloc async [%t15] %b : memref<4xf32>
  %t17 = gpu.dealloc async [%t16] %a : memref<4xi32>
  gpu.wait [%t17]
  %x = memref.load %i32s[%c3] : memref<4xi32>
  %y = memref.load %f32s[%c3] : memref<4xf32>
  %z = memref.load %i16s[%c3] : memref<4xi16>
  vector.print %x : i32
  vector.print %y : f32
  vector.print %z : i16
  memref.dealloc %i16s : memref<4xi16>
  memref.dealloc %f32s : memref<4xf32>
  memref.dealloc %i32s : memref<4xi32>
  return %zero : i32
}
