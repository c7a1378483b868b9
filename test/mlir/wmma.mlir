// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp multiplies 16x16 matrices of f16 by gpu.subgroup_mma: with an f32 accumulator,
// then with one of f16, from B as it is and from B transposed in memory, each result scaled
// by an elementwise operation. The matrices are small whole numbers, hence the results are
// exact. Prints the sum of the elements, each times one more than its place modulo 31.
memref.global "private" @a : memref<16x16xf16, 3>
memref.global "private" @b : memref<16x16xf16, 3>
memref.global "private" @bt : memref<16x16xf16, 3>
memref.global "private" @h : memref<16x16xf16, 3>

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %count = arith.constant 512 : index
  %r = memref.alloc() : memref<2x16x16xf32>
  %t0 = gpu.wait async
  %o, %t1 = gpu.alloc async [%t0] () : memref<2x16x16xf32>
  gpu.wait [%t1]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i5 = arith.constant 5 : i32
    %i7 = arith.constant 7 : i32
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    %k16 = arith.constant 16 : index
    %a = memref.get_global @a : memref<16x16xf16, 3>
    %b = memref.get_global @b : memref<16x16xf16, 3>
    %bt = memref.get_global @bt : memref<16x16xf16, 3>
    %h = memref.get_global @h : memref<16x16xf16, 3>
    // Thread t fills column t mod 16 of every other row.
    %col = arith.remui %t, %k16 : index
    %first = arith.divui %t, %k16 : index
    %ci = arith.index_cast %col : index to i32
    scf.for %i = %first to %k16 step %k2 {
      %ri = arith.index_cast %i : index to i32
      %a0 = arith.muli %ri, %i3 : i32
      %a1 = arith.muli %ci, %i5 : i32
      %a2 = arith.addi %a0, %a1 : i32
      %a3 = arith.remui %a2, %i7 : i32
      %a4 = arith.subi %a3, %i3 : i32
      %a5 = arith.sitofp %a4 : i32 to f16
      memref.store %a5, %a[%i, %col] : memref<16x16xf16, 3>
      %b0 = arith.muli %ri, %i2 : i32
      %b1 = arith.addi %b0, %ci : i32
      %b2 = arith.remui %b1, %i7 : i32
      %b3 = arith.subi %b2, %i3 : i32
      %b4 = arith.sitofp %b3 : i32 to f16
      memref.store %b4, %b[%i, %col] : memref<16x16xf16, 3>
      memref.store %b4, %bt[%col, %i] : memref<16x16xf16, 3>
    }
    gpu.barrier
    %fa = gpu.subgroup_mma_load_matrix %a[%k0, %k0] {leadDimension = 16 : index}
        : memref<16x16xf16, 3> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %fb = gpu.subgroup_mma_load_matrix %b[%k0, %k0] {leadDimension = 16 : index}
        : memref<16x16xf16, 3> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %ft = gpu.subgroup_mma_load_matrix %bt[%k0, %k0] {leadDimension = 16 : index, transpose}
        : memref<16x16xf16, 3> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %w1 = arith.constant 1.0 : f32
    %w2 = arith.constant 2.0 : f32
    %x1 = gpu.subgroup_mma_constant_matrix %w1 : !gpu.mma_matrix<16x16xf32, "COp">
    %x2 = gpu.subgroup_mma_constant_matrix %w2 : !gpu.mma_matrix<16x16xf32, "COp">
    %d1 = gpu.subgroup_mma_compute %fa, %fb, %x1
        : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">
        -> !gpu.mma_matrix<16x16xf32, "COp">
    %d2 = gpu.subgroup_mma_elementwise mulf %d1, %x2
        : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
        -> !gpu.mma_matrix<16x16xf32, "COp">
    %p = memref.subview %o[0, 0, 0] [1, 16, 16] [1, 1, 1]
        : memref<2x16x16xf32> to memref<16x16xf32, strided<[16, 1]>>
    gpu.subgroup_mma_store_matrix %d2, %p[%k0, %k0] {leadDimension = 16 : index}
        : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32, strided<[16, 1]>>
    %v1 = arith.constant 1.0 : f16
    %v2 = arith.constant 2.0 : f16
    %y1 = gpu.subgroup_mma_constant_matrix %v1 : !gpu.mma_matrix<16x16xf16, "COp">
    %y2 = gpu.subgroup_mma_constant_matrix %v2 : !gpu.mma_matrix<16x16xf16, "COp">
    %e1 = gpu.subgroup_mma_compute %fa, %ft, %y1
        : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">
        -> !gpu.mma_matrix<16x16xf16, "COp">
    %e2 = gpu.subgroup_mma_elementwise mulf %e1, %y2
        : (!gpu.mma_matrix<16x16xf16, "COp">, !gpu.mma_matrix<16x16xf16, "COp">)
        -> !gpu.mma_matrix<16x16xf16, "COp">
    gpu.subgroup_mma_store_matrix %e2, %h[%k0, %k0] {leadDimension = 16 : index}
        : !gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16, 3>
    gpu.barrier
    scf.for %i = %first to %k16 step %k2 {
      %v = memref.load %h[%i, %col] : memref<16x16xf16, 3>
      %f = arith.extf %v : f16 to f32
      memref.store %f, %o[%k1, %i, %col] : memref<2x16x16xf32>
    }
    gpu.terminator
  }
  %t2 = gpu.wait async
  %t3 = gpu.memcpy async [%t2] %r, %o : memref<2x16x16xf32>, memref<2x16x16xf32>
  %t4 = gpu.dealloc async [%t3] %o : memref<2x16x16xf32>
  gpu.wait [%t4]
  %f = memref.collapse_shape %r [[0, 1, 2]] : memref<2x16x16xf32> into memref<512xf32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %f[%i] : memref<512xf32>
    %n = arith.fptosi %v : f32 to i32
    %m = arith.remui %i, %c31 : index
    %m1 = arith.addi %m, %c1 : index
    %w = arith.index_cast %m1 : index to i32
    %p = arith.muli %n, %w : i32
    %q = arith.addi %s, %p : i32
    scf.yield %q : i32
  }
  vector.print %sum : i32
  memref.dealloc %r : memref<2x16x16xf32>
  return %zero : i32
}
