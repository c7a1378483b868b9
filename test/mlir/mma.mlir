// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp multiplies by nvgpu.mma.sync: 16x8x16 of f16, whose fragments nvgpu.ldmatrix reads
// (B transposed), 16x8x16 of bf16 and 16x8x8 of tf32, whose fragments each thread makes, all
// with an f32 accumulator. The matrices are small whole numbers, hence the results are exact.
// Prints the sum of the elements, each times one more than its place modulo 31.
memref.global "private" @a : memref<16x16xf16, 3> {alignment = 16}
memref.global "private" @b : memref<16x8xf16, 3> {alignment = 16}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %count = arith.constant 384 : index
  %r = memref.alloc() : memref<3x16x8xf32>
  %t0 = gpu.wait async
  %o, %t1 = gpu.alloc async [%t0] () : memref<3x16x8xf32>
  gpu.wait [%t1]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i5 = arith.constant 5 : i32
    %i7 = arith.constant 7 : i32
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k2 = arith.constant 2 : index
    %k4 = arith.constant 4 : index
    %k8 = arith.constant 8 : index
    %k9 = arith.constant 9 : index
    %k16 = arith.constant 16 : index
    %a = memref.get_global @a : memref<16x16xf16, 3>
    %b = memref.get_global @b : memref<16x8xf16, 3>
    // Thread t fills column t mod 16 of every other row, in B column t mod 8.
    %col = arith.remui %t, %k16 : index
    %first = arith.divui %t, %k16 : index
    %bcol = arith.remui %t, %k8 : index
    scf.for %i = %first to %k16 step %k2 {
      %e1_i = arith.index_cast %i : index to i32
      %e1_j = arith.index_cast %col : index to i32
      %e1_p = arith.muli %e1_i, %i3 : i32
      %e1_q = arith.muli %e1_j, %i5 : i32
      %e1_s = arith.addi %e1_p, %e1_q : i32
      %e1_m = arith.remui %e1_s, %i7 : i32
      %e1_v = arith.subi %e1_m, %i3 : i32
      %e1 = arith.sitofp %e1_v : i32 to f16
      memref.store %e1, %a[%i, %col] : memref<16x16xf16, 3>
      %e2_i = arith.index_cast %i : index to i32
      %e2_j = arith.index_cast %bcol : index to i32
      %e2_p = arith.muli %e2_i, %i2 : i32
      %e2_s = arith.addi %e2_p, %e2_j : i32
      %e2_m = arith.remui %e2_s, %i7 : i32
      %e2_v = arith.subi %e2_m, %i3 : i32
      %e2 = arith.sitofp %e2_v : i32 to f16
      memref.store %e2, %b[%i, %bcol] : memref<16x8xf16, 3>
    }
    gpu.barrier
    %ones = arith.constant dense<1.0> : vector<2x2xf32>
    // The lanes' rows for ldmatrix: lane t names row t mod 16, and column 8 from lane 16 on.
    %half = arith.muli %first, %k8 : index
    %fa = nvgpu.ldmatrix %a[%col, %half] {numTiles = 4 : i32, transpose = false}
        : memref<16x16xf16, 3> -> vector<4x2xf16>
    %fb = nvgpu.ldmatrix %b[%col, %k0] {numTiles = 2 : i32, transpose = true}
        : memref<16x8xf16, 3> -> vector<2x2xf16>
    %d0 = nvgpu.mma.sync (%fa, %fb, %ones) {mmaShape = [16, 8, 16]}
        : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    // The same with fragments made here: of thread t, row g = t / 4 and column 2 (t mod 4).
    %g = arith.divui %t, %k4 : index
    %g8 = arith.addi %g, %k8 : index
    %l = arith.remui %t, %k4 : index
    %l4 = arith.addi %l, %k4 : index
    %m0 = arith.muli %l, %k2 : index
    %m1 = arith.addi %m0, %k1 : index
    %m8 = arith.addi %m0, %k8 : index
    %m9 = arith.addi %m0, %k9 : index
    %e4_i = arith.index_cast %g : index to i32
    %e4_j = arith.index_cast %m0 : index to i32
    %e4_p = arith.muli %e4_i, %i3 : i32
    %e4_q = arith.muli %e4_j, %i5 : i32
    %e4_s = arith.addi %e4_p, %e4_q : i32
    %e4_m = arith.remui %e4_s, %i7 : i32
    %e4_v = arith.subi %e4_m, %i3 : i32
    %e4 = arith.sitofp %e4_v : i32 to bf16
    %e6_i = arith.index_cast %g : index to i32
    %e6_j = arith.index_cast %m1 : index to i32
    %e6_p = arith.muli %e6_i, %i3 : i32
    %e6_q = arith.muli %e6_j, %i5 : i32
    %e6_s = arith.addi %e6_p, %e6_q : i32
    %e6_m = arith.remui %e6_s, %i7 : i32
    %e6_v = arith.subi %e6_m, %i3 : i32
    %e6 = arith.sitofp %e6_v : i32 to bf16
    %w0_v = vector.from_elements %e4, %e6 : vector<2xbf16>
    %w0 = llvm.bitcast %w0_v : vector<2xbf16> to i32
    %e8_i = arith.index_cast %g8 : index to i32
    %e8_j = arith.index_cast %m0 : index to i32
    %e8_p = arith.muli %e8_i, %i3 : i32
    %e8_q = arith.muli %e8_j, %i5 : i32
    %e8_s = arith.addi %e8_p, %e8_q : i32
    %e8_m = arith.remui %e8_s, %i7 : i32
    %e8_v = arith.subi %e8_m, %i3 : i32
    %e8 = arith.sitofp %e8_v : i32 to bf16
    %e10_i = arith.index_cast %g8 : index to i32
    %e10_j = arith.index_cast %m1 : index to i32
    %e10_p = arith.muli %e10_i, %i3 : i32
    %e10_q = arith.muli %e10_j, %i5 : i32
    %e10_s = arith.addi %e10_p, %e10_q : i32
    %e10_m = arith.remui %e10_s, %i7 : i32
    %e10_v = arith.subi %e10_m, %i3 : i32
    %e10 = arith.sitofp %e10_v : i32 to bf16
    %w1_v = vector.from_elements %e8, %e10 : vector<2xbf16>
    %w1 = llvm.bitcast %w1_v : vector<2xbf16> to i32
    %e12_i = arith.index_cast %g : index to i32
    %e12_j = arith.index_cast %m8 : index to i32
    %e12_p = arith.muli %e12_i, %i3 : i32
    %e12_q = arith.muli %e12_j, %i5 : i32
    %e12_s = arith.addi %e12_p, %e12_q : i32
    %e12_m = arith.remui %e12_s, %i7 : i32
    %e12_v = arith.subi %e12_m, %i3 : i32
    %e12 = arith.sitofp %e12_v : i32 to bf16
    %e14_i = arith.index_cast %g : index to i32
    %e14_j = arith.index_cast %m9 : index to i32
    %e14_p = arith.muli %e14_i, %i3 : i32
    %e14_q = arith.muli %e14_j, %i5 : i32
    %e14_s = arith.addi %e14_p, %e14_q : i32
    %e14_m = arith.remui %e14_s, %i7 : i32
    %e14_v = arith.subi %e14_m, %i3 : i32
    %e14 = arith.sitofp %e14_v : i32 to bf16
    %w2_v = vector.from_elements %e12, %e14 : vector<2xbf16>
    %w2 = llvm.bitcast %w2_v : vector<2xbf16> to i32
    %e16_i = arith.index_cast %g8 : index to i32
    %e16_j = arith.index_cast %m8 : index to i32
    %e16_p = arith.muli %e16_i, %i3 : i32
    %e16_q = arith.muli %e16_j, %i5 : i32
    %e16_s = arith.addi %e16_p, %e16_q : i32
    %e16_m = arith.remui %e16_s, %i7 : i32
    %e16_v = arith.subi %e16_m, %i3 : i32
    %e16 = arith.sitofp %e16_v : i32 to bf16
    %e18_i = arith.index_cast %g8 : index to i32
    %e18_j = arith.index_cast %m9 : index to i32
    %e18_p = arith.muli %e18_i, %i3 : i32
    %e18_q = arith.muli %e18_j, %i5 : i32
    %e18_s = arith.addi %e18_p, %e18_q : i32
    %e18_m = arith.remui %e18_s, %i7 : i32
    %e18_v = arith.subi %e18_m, %i3 : i32
    %e18 = arith.sitofp %e18_v : i32 to bf16
    %w3_v = vector.from_elements %e16, %e18 : vector<2xbf16>
    %w3 = llvm.bitcast %w3_v : vector<2xbf16> to i32
    %e21_i = arith.index_cast %m0 : index to i32
    %e21_j = arith.index_cast %g : index to i32
    %e21_p = arith.muli %e21_i, %i2 : i32
    %e21_s = arith.addi %e21_p, %e21_j : i32
    %e21_m = arith.remui %e21_s, %i7 : i32
    %e21_v = arith.subi %e21_m, %i3 : i32
    %e21 = arith.sitofp %e21_v : i32 to bf16
    %e23_i = arith.index_cast %m1 : index to i32
    %e23_j = arith.index_cast %g : index to i32
    %e23_p = arith.muli %e23_i, %i2 : i32
    %e23_s = arith.addi %e23_p, %e23_j : i32
    %e23_m = arith.remui %e23_s, %i7 : i32
    %e23_v = arith.subi %e23_m, %i3 : i32
    %e23 = arith.sitofp %e23_v : i32 to bf16
    %w4_v = vector.from_elements %e21, %e23 : vector<2xbf16>
    %w4 = llvm.bitcast %w4_v : vector<2xbf16> to i32
    %e25_i = arith.index_cast %m8 : index to i32
    %e25_j = arith.index_cast %g : index to i32
    %e25_p = arith.muli %e25_i, %i2 : i32
    %e25_s = arith.addi %e25_p, %e25_j : i32
    %e25_m = arith.remui %e25_s, %i7 : i32
    %e25_v = arith.subi %e25_m, %i3 : i32
    %e25 = arith.sitofp %e25_v : i32 to bf16
    %e27_i = arith.index_cast %m9 : index to i32
    %e27_j = arith.index_cast %g : index to i32
    %e27_p = arith.muli %e27_i, %i2 : i32
    %e27_s = arith.addi %e27_p, %e27_j : i32
    %e27_m = arith.remui %e27_s, %i7 : i32
    %e27_v = arith.subi %e27_m, %i3 : i32
    %e27 = arith.sitofp %e27_v : i32 to bf16
    %w5_v = vector.from_elements %e25, %e27 : vector<2xbf16>
    %w5 = llvm.bitcast %w5_v : vector<2xbf16> to i32
    %one = arith.constant 1.0 : f32
    %d1 = nvvm.mma.sync A[%w0, %w1, %w2, %w3] B[%w4, %w5] C[%one, %one, %one, %one]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         multiplicandAPtxType = #nvvm.mma_type<bf16>,
         multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %z29 = arith.constant dense<0.0> : vector<4x1xf32>
    %e30_i = arith.index_cast %g : index to i32
    %e30_j = arith.index_cast %l : index to i32
    %e30_p = arith.muli %e30_i, %i3 : i32
    %e30_q = arith.muli %e30_j, %i5 : i32
    %e30_s = arith.addi %e30_p, %e30_q : i32
    %e30_m = arith.remui %e30_s, %i7 : i32
    %e30_v = arith.subi %e30_m, %i3 : i32
    %e30 = arith.sitofp %e30_v : i32 to f32
    %x31 = vector.insert %e30, %z29 [0, 0] : f32 into vector<4x1xf32>
    %e32_i = arith.index_cast %g8 : index to i32
    %e32_j = arith.index_cast %l : index to i32
    %e32_p = arith.muli %e32_i, %i3 : i32
    %e32_q = arith.muli %e32_j, %i5 : i32
    %e32_s = arith.addi %e32_p, %e32_q : i32
    %e32_m = arith.remui %e32_s, %i7 : i32
    %e32_v = arith.subi %e32_m, %i3 : i32
    %e32 = arith.sitofp %e32_v : i32 to f32
    %x33 = vector.insert %e32, %x31 [1, 0] : f32 into vector<4x1xf32>
    %e34_i = arith.index_cast %g : index to i32
    %e34_j = arith.index_cast %l4 : index to i32
    %e34_p = arith.muli %e34_i, %i3 : i32
    %e34_q = arith.muli %e34_j, %i5 : i32
    %e34_s = arith.addi %e34_p, %e34_q : i32
    %e34_m = arith.remui %e34_s, %i7 : i32
    %e34_v = arith.subi %e34_m, %i3 : i32
    %e34 = arith.sitofp %e34_v : i32 to f32
    %x35 = vector.insert %e34, %x33 [2, 0] : f32 into vector<4x1xf32>
    %e36_i = arith.index_cast %g8 : index to i32
    %e36_j = arith.index_cast %l4 : index to i32
    %e36_p = arith.muli %e36_i, %i3 : i32
    %e36_q = arith.muli %e36_j, %i5 : i32
    %e36_s = arith.addi %e36_p, %e36_q : i32
    %e36_m = arith.remui %e36_s, %i7 : i32
    %e36_v = arith.subi %e36_m, %i3 : i32
    %e36 = arith.sitofp %e36_v : i32 to f32
    %x37 = vector.insert %e36, %x35 [3, 0] : f32 into vector<4x1xf32>
    %z38 = arith.constant dense<0.0> : vector<2x1xf32>
    %e39_i = arith.index_cast %l : index to i32
    %e39_j = arith.index_cast %g : index to i32
    %e39_p = arith.muli %e39_i, %i2 : i32
    %e39_s = arith.addi %e39_p, %e39_j : i32
    %e39_m = arith.remui %e39_s, %i7 : i32
    %e39_v = arith.subi %e39_m, %i3 : i32
    %e39 = arith.sitofp %e39_v : i32 to f32
    %x40 = vector.insert %e39, %z38 [0, 0] : f32 into vector<2x1xf32>
    %e41_i = arith.index_cast %l4 : index to i32
    %e41_j = arith.index_cast %g : index to i32
    %e41_p = arith.muli %e41_i, %i2 : i32
    %e41_s = arith.addi %e41_p, %e41_j : i32
    %e41_m = arith.remui %e41_s, %i7 : i32
    %e41_v = arith.subi %e41_m, %i3 : i32
    %e41 = arith.sitofp %e41_v : i32 to f32
    %x42 = vector.insert %e41, %x40 [1, 0] : f32 into vector<2x1xf32>
    %d2 = nvgpu.mma.sync (%x37, %x42, %ones) {mmaShape = [16, 8, 8], tf32Enabled}
        : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
    %o000 = vector.extract %d0[0, 0] : f32 from vector<2x2xf32>
    memref.store %o000, %o[%k0, %g, %m0] : memref<3x16x8xf32>
    %o001 = vector.extract %d0[0, 1] : f32 from vector<2x2xf32>
    memref.store %o001, %o[%k0, %g, %m1] : memref<3x16x8xf32>
    %o010 = vector.extract %d0[1, 0] : f32 from vector<2x2xf32>
    memref.store %o010, %o[%k0, %g8, %m0] : memref<3x16x8xf32>
    %o011 = vector.extract %d0[1, 1] : f32 from vector<2x2xf32>
    memref.store %o011, %o[%k0, %g8, %m1] : memref<3x16x8xf32>
    %o100 = llvm.extractvalue %d1[0] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %o100, %o[%k1, %g, %m0] : memref<3x16x8xf32>
    %o101 = llvm.extractvalue %d1[1] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %o101, %o[%k1, %g, %m1] : memref<3x16x8xf32>
    %o110 = llvm.extractvalue %d1[2] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %o110, %o[%k1, %g8, %m0] : memref<3x16x8xf32>
    %o111 = llvm.extractvalue %d1[3] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %o111, %o[%k1, %g8, %m1] : memref<3x16x8xf32>
    %o200 = vector.extract %d2[0, 0] : f32 from vector<2x2xf32>
    memref.store %o200, %o[%k2, %g, %m0] : memref<3x16x8xf32>
    %o201 = vector.extract %d2[0, 1] : f32 from vector<2x2xf32>
    memref.store %o201, %o[%k2, %g, %m1] : memref<3x16x8xf32>
    %o210 = vector.extract %d2[1, 0] : f32 from vector<2x2xf32>
    memref.store %o210, %o[%k2, %g8, %m0] : memref<3x16x8xf32>
    %o211 = vector.extract %d2[1, 1] : f32 from vector<2x2xf32>
    memref.store %o211, %o[%k2, %g8, %m1] : memref<3x16x8xf32>
    gpu.terminator
  }
  %t2 = gpu.wait async
  %t3 = gpu.memcpy async [%t2] %r, %o : memref<3x16x8xf32>, memref<3x16x8xf32>
  %t4 = gpu.dealloc async [%t3] %o : memref<3x16x8xf32>
  gpu.wait [%t4]
  %f = memref.collapse_shape %r [[0, 1, 2]] : memref<3x16x8xf32> into memref<384xf32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %f[%i] : memref<384xf32>
    %n = arith.fptosi %v : f32 to i32
    %m = arith.remui %i, %c31 : index
    %m1 = arith.addi %m, %c1 : index
    %w = arith.index_cast %m1 : index to i32
    %p = arith.muli %n, %w : i32
    %q = arith.addi %s, %p : i32
    scf.yield %q : i32
  }
  vector.print %sum : i32
  memref.dealloc %r : memref<3x16x8xf32>
  return %zero : i32
}
