// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chip: sm_90a
// A warpgroup multiplies 128x64 by 64x128 matrices of f16 by nvgpu.warpgroup.mma (wgmma)
// with f32 accumulators, both from shared memory, where bulk copies have put them with rows
// of 128 bytes swizzled; of B, transposed, in two boxes of 64 columns. The matrices are small
// whole numbers, hence the results are exact. Prints the sum of the elements, each times one
// more than its place modulo 31.
!a = memref<128x64xf16, 3>
!box = memref<64x64xf16, 3>
!boxes = memref<2x64x64xf16, 3>
!b = memref<64x128xf16, strided<[128, 1]>, 3>
!a_map = !nvgpu.tensormap.descriptor<tensor = !a, swizzle = swizzle_128b, l2promo = none,
                                     oob = zero, interleave = none>
!b_map = !nvgpu.tensormap.descriptor<tensor = !box, swizzle = swizzle_128b, l2promo = none,
                                     oob = zero, interleave = none>
!sums = !nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>
!barriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

memref.global "private" @a_room : !a {alignment = 1024}
memref.global "private" @b_room : !boxes {alignment = 1024}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %bytes = arith.constant 32768 : index
  %ticks = arith.constant 10000000 : index
  %phase = arith.constant false
  %count = arith.constant 16384 : index
  %r = memref.alloc() : memref<128x128xf32>
  %t0 = gpu.wait async
  %o, %t1 = gpu.alloc async [%t0] () : memref<128x128xf32>
  %da, %t2 = gpu.alloc async [%t1] () : memref<128x64xf16>
  %db, %t3 = gpu.alloc async [%t2] () : memref<64x128xf16>
  gpu.wait [%t3]
  gpu.launch blocks(%i, %by, %bz) in (%gx = %c128, %gy = %c1, %gz = %c1)
             threads(%j, %y, %z) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i5 = arith.constant 5 : i32
    %i7 = arith.constant 7 : i32
    %ri = arith.index_cast %i : index to i32
    %rj = arith.index_cast %j : index to i32
    // A[i, j] = (3i + 5j) mod 7 - 3
    %a0 = arith.muli %ri, %i3 : i32
    %a1 = arith.muli %rj, %i5 : i32
    %a2 = arith.addi %a0, %a1 : i32
    %a3 = arith.remui %a2, %i7 : i32
    %a4 = arith.subi %a3, %i3 : i32
    %a5 = arith.sitofp %a4 : i32 to f16
    memref.store %a5, %da[%i, %j] : memref<128x64xf16>
    // B[j, i] = (2j + i) mod 7 - 3
    %b0 = arith.muli %rj, %i2 : i32
    %b1 = arith.addi %b0, %ri : i32
    %b2 = arith.remui %b1, %i7 : i32
    %b3 = arith.subi %b2, %i3 : i32
    %b4 = arith.sitofp %b3 : i32 to f16
    memref.store %b4, %db[%j, %i] : memref<64x128xf16>
    gpu.terminator
  }
  %ua = memref.cast %da : memref<128x64xf16> to memref<*xf16>
  %a_map = nvgpu.tma.create.descriptor %ua box[%c128, %c64] : memref<*xf16> -> !a_map
  %ub = memref.cast %db : memref<64x128xf16> to memref<*xf16>
  %b_map = nvgpu.tma.create.descriptor %ub box[%c64, %c64] : memref<*xf16> -> !b_map
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c128, %ny = %c1, %nz = %c1) {
    %g = nvgpu.mbarrier.create -> !barriers
    %first = arith.cmpi eq, %t, %c0 : index
    nvgpu.mbarrier.init %g[%c0], %c1, predicate = %first : !barriers
    gpu.barrier
    %a = memref.get_global @a_room : !a
    %boxes = memref.get_global @b_room : !boxes
    %left = memref.subview %boxes[0, 0, 0] [1, 64, 64] [1, 1, 1]
        : !boxes to memref<64x64xf16, strided<[64, 1]>, 3>
    %right = memref.subview %boxes[1, 0, 0] [1, 64, 64] [1, 1, 1]
        : !boxes to memref<64x64xf16, strided<[64, 1], offset: 4096>, 3>
    %b = memref.reinterpret_cast %boxes to offset: [0], sizes: [64, 128], strides: [128, 1]
        : !boxes to !b
    nvgpu.mbarrier.arrive.expect_tx %g[%c0], %bytes, predicate = %first : !barriers
    nvgpu.tma.async.load %a_map[%c0, %c0], %g[%c0] to %a, predicate = %first
        : !a_map, !barriers -> !a
    nvgpu.tma.async.load %b_map[%c0, %c0], %g[%c0] to %left, predicate = %first
        : !b_map, !barriers -> memref<64x64xf16, strided<[64, 1]>, 3>
    nvgpu.tma.async.load %b_map[%c64, %c0], %g[%c0] to %right, predicate = %first
        : !b_map, !barriers -> memref<64x64xf16, strided<[64, 1], offset: 4096>, 3>
    nvgpu.mbarrier.try_wait.parity %g[%c0], %phase, %ticks : !barriers
    %wa = nvgpu.warpgroup.generate.descriptor %a, %a_map
        : !a, !a_map -> !nvgpu.warpgroup.descriptor<tensor = !a>
    %wb = nvgpu.warpgroup.generate.descriptor %b, %b_map
        : !b, !b_map -> !nvgpu.warpgroup.descriptor<tensor = memref<64x128xf16, 3>>
    %s0 = nvgpu.warpgroup.mma.init.accumulator -> !sums
    %s1 = nvgpu.warpgroup.mma %wa, %wb, %s0 {transposeB}
        : !nvgpu.warpgroup.descriptor<tensor = !a>,
          !nvgpu.warpgroup.descriptor<tensor = memref<64x128xf16, 3>>, !sums -> !sums
    nvgpu.warpgroup.mma.store %s1, %o : !sums to memref<128x128xf32>
    gpu.terminator
  }
  %t4 = gpu.wait async
  %t5 = gpu.memcpy async [%t4] %r, %o : memref<128x128xf32>, memref<128x128xf32>
  %t6 = gpu.dealloc async [%t5] %o : memref<128x128xf32>
  %t7 = gpu.dealloc async [%t6] %da : memref<128x64xf16>
  %t8 = gpu.dealloc async [%t7] %db : memref<64x128xf16>
  gpu.wait [%t8]
  %f = memref.collapse_shape %r [[0, 1]] : memref<128x128xf32> into memref<16384xf32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %f[%i] : memref<16384xf32>
    %n = arith.fptosi %v : f32 to i32
    %m = arith.remui %i, %c31 : index
    %m1 = arith.addi %m, %c1 : index
    %w = arith.index_cast %m1 : index to i32
    %p = arith.muli %n, %w : i32
    %q = arith.addi %s, %p : i32
    scf.yield %q : i32
  }
  vector.print %sum : i32
  memref.dealloc %r : memref<128x128xf32>
  return %zero : i32
}
