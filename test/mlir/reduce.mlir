// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: gpu.all_reduce over a block of 128 threads (shuffles and shared memory), of f32
// and of i32, nvvm.redux.sync over each warp and gpu.shuffle; arithmetic of bf16, which rounds.
// Prints the sum of the elements, each times one more than its place modulo 31.
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c128 = arith.constant 128 : index
  %count = arith.constant 1024 : index
  %r = memref.alloc() : memref<8x128xf32>
  %t0 = gpu.wait async
  %o, %t1 = gpu.alloc async [%t0] () : memref<8x128xf32>
  gpu.wait [%t1]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    %k3 = arith.constant 3 : index
    %k4 = arith.constant 4 : index
    %k5 = arith.constant 5 : index
    %k6 = arith.constant 6 : index
    %k7 = arith.constant 7 : index
    %i3 = arith.constant 3 : i32
    %i7 = arith.constant 7 : i32
    %i32 = arith.constant 32 : i32
    %all = arith.constant -1 : i32
    // (7t) mod 32 - 3
    %it = arith.index_cast %t : index to i32
    %v0 = arith.muli %it, %i7 : i32
    %v1 = arith.remui %v0, %i32 : i32
    %v = arith.subi %v1, %i3 : i32
    %f = arith.sitofp %v : i32 to f32
    %s0 = gpu.all_reduce add %f uniform {} : (f32) -> (f32)
    memref.store %s0, %o[%k0, %t] : memref<8x128xf32>
    %s1 = gpu.all_reduce maxsi %v uniform {} : (i32) -> (i32)
    %f1 = arith.sitofp %s1 : i32 to f32
    memref.store %f1, %o[%k1, %t] : memref<8x128xf32>
    %s2 = gpu.all_reduce %f uniform {
    ^bb(%a: f32, %b: f32):
      %c = arith.minimumf %a, %b : f32
      gpu.yield %c : f32
    } : (f32) -> (f32)
    memref.store %s2, %o[%k2, %t] : memref<8x128xf32>
    %s3 = nvvm.redux.sync add %v, %all : i32 -> i32
    %f3 = arith.sitofp %s3 : i32 to f32
    memref.store %f3, %o[%k3, %t] : memref<8x128xf32>
    %s4 = nvvm.redux.sync min %v, %all : i32 -> i32
    %f4 = arith.sitofp %s4 : i32 to f32
    memref.store %f4, %o[%k4, %t] : memref<8x128xf32>
    %s5 = nvvm.redux.sync xor %v, %all : i32 -> i32
    %f5 = arith.sitofp %s5 : i32 to f32
    memref.store %f5, %o[%k5, %t] : memref<8x128xf32>
    // 7t times t, then a subtraction: each rounded to the 8 bits of bf16
    %h0 = arith.sitofp %v0 : i32 to bf16
    %h1 = arith.sitofp %it : i32 to bf16
    %h2 = arith.mulf %h0, %h1 : bf16
    %h3 = arith.subf %h2, %h1 : bf16
    %f6 = arith.extf %h3 : bf16 to f32
    memref.store %f6, %o[%k6, %t] : memref<8x128xf32>
    %i1 = arith.constant 1 : i32
    %w0, %p0 = gpu.shuffle xor %f, %i1, %i32 : f32
    %w1, %p1 = gpu.shuffle down %f, %i1, %i32 : f32
    %w2 = arith.select %p1, %w1, %f : f32
    %w = arith.subf %w0, %w2 : f32
    memref.store %w, %o[%k7, %t] : memref<8x128xf32>
    gpu.terminator
  }
  %t2 = gpu.wait async
  %t3 = gpu.memcpy async [%t2] %r, %o : memref<8x128xf32>, memref<8x128xf32>
  %t4 = gpu.dealloc async [%t3] %o : memref<8x128xf32>
  gpu.wait [%t4]
  %f = memref.collapse_shape %r [[0, 1]] : memref<8x128xf32> into memref<1024xf32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %f[%i] : memref<1024xf32>
    %n = arith.fptosi %v : f32 to i32
    %m = arith.remui %i, %c31 : index
    %m1 = arith.addi %m, %c1 : index
    %w = arith.index_cast %m1 : index to i32
    %p = arith.muli %n, %w : i32
    %q = arith.addi %s, %p : i32
    scf.yield %q : i32
  }
  vector.print %sum : i32
  memref.dealloc %r : memref<8x128xf32>
  return %zero : i32
}
