// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of 16 rows of 32, 64 and 128 bytes are copied to shared memory by bulk copies of
// tensor maps with swizzles of 32, 64 and 128 bytes; each thread adds to every element of
// its row, found where the swizzle has put it, the number of its column, and bulk copies
// take the boxes to another tensor. Prints the sum of the elements, each times one more than
// its place modulo 31.
!barriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!tile32 = memref<16x8xf32, 3>
!map32 = !nvgpu.tensormap.descriptor<tensor = !tile32, swizzle = swizzle_32b, l2promo = none,
                                      oob = zero, interleave = none>
!tile64 = memref<16x16xf32, 3>
!map64 = !nvgpu.tensormap.descriptor<tensor = !tile64, swizzle = swizzle_64b, l2promo = none,
                                      oob = zero, interleave = none>
!tile128 = memref<16x32xf32, 3>
!map128 = !nvgpu.tensormap.descriptor<tensor = !tile128, swizzle = swizzle_128b, l2promo = none,
                                      oob = zero, interleave = none>

memref.global "private" @room32 : !tile32 {alignment = 1024}
memref.global "private" @room64 : !tile64 {alignment = 1024}
memref.global "private" @room128 : !tile128 {alignment = 1024}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %c56 = arith.constant 56 : index
  %bytes = arith.constant 3584 : index
  %ticks = arith.constant 10000000 : index
  %phase = arith.constant false
  %count = arith.constant 896 : index
  %r = memref.alloc() : memref<16x56xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c56 step %c1 {
      %k0 = arith.muli %i, %c56 : index
      %k1 = arith.addi %k0, %j : index
      %k2 = arith.index_cast %k1 : index to i32
      %v = arith.sitofp %k2 : i32 to f32
      memref.store %v, %r[%i, %j] : memref<16x56xf32>
    }
  }
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<16x56xf32>
  %o, %t2 = gpu.alloc async [%t1] () : memref<16x56xf32>
  %t3 = gpu.memcpy async [%t2] %d, %r : memref<16x56xf32>, memref<16x56xf32>
  gpu.wait [%t3]
  %u = memref.cast %d : memref<16x56xf32> to memref<*xf32>
  %back = memref.cast %o : memref<16x56xf32> to memref<*xf32>
  %from32 = nvgpu.tma.create.descriptor %u box[%c16, %c8] : memref<*xf32> -> !map32
  %to32 = nvgpu.tma.create.descriptor %back box[%c16, %c8] : memref<*xf32> -> !map32
  %from64 = nvgpu.tma.create.descriptor %u box[%c16, %c16] : memref<*xf32> -> !map64
  %to64 = nvgpu.tma.create.descriptor %back box[%c16, %c16] : memref<*xf32> -> !map64
  %from128 = nvgpu.tma.create.descriptor %u box[%c16, %c32] : memref<*xf32> -> !map128
  %to128 = nvgpu.tma.create.descriptor %back box[%c16, %c32] : memref<*xf32> -> !map128
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1) {
    %g = nvgpu.mbarrier.create -> !barriers
    %first = arith.cmpi eq, %t, %c0 : index
    nvgpu.mbarrier.init %g[%c0], %c1, predicate = %first : !barriers
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %g[%c0], %bytes, predicate = %first : !barriers
    %s32 = memref.get_global @room32 : !tile32
    nvgpu.tma.async.load %from32[%c0, %c0], %g[%c0] to %s32, predicate = %first
        : !map32, !barriers -> !tile32
    %s64 = memref.get_global @room64 : !tile64
    nvgpu.tma.async.load %from64[%c8, %c0], %g[%c0] to %s64, predicate = %first
        : !map64, !barriers -> !tile64
    %s128 = memref.get_global @room128 : !tile128
    nvgpu.tma.async.load %from128[%c24, %c0], %g[%c0] to %s128, predicate = %first
        : !map128, !barriers -> !tile128
    nvgpu.mbarrier.try_wait.parity %g[%c0], %phase, %ticks : !barriers
    // The 16 bytes c of row t stand in place c ^ (t mod 8): with swizzles of 64 and of 32
    // bytes, two and four rows to 128 bytes, in c ^ (t / 2 mod 4) and c ^ (t / 4 mod 2).
    %x128 = arith.andi %t, %c7 : index
    %half = arith.divui %t, %c2 : index
    %x64 = arith.andi %half, %c3 : index
    %quarter = arith.divui %t, %c4 : index
    %x32 = arith.andi %quarter, %c1 : index
    scf.for %j = %c0 to %c8 step %c1 {
      %chunk = arith.divui %j, %c4 : index
      %rest = arith.remui %j, %c4 : index
      %moved = arith.xori %chunk, %x32 : index
      %start = arith.muli %moved, %c4 : index
      %at = arith.addi %start, %rest : index
      %v = memref.load %s32[%t, %at] : !tile32
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      %n = arith.addf %v, %f : f32
      memref.store %n, %s32[%t, %at] : !tile32
    }
    scf.for %j = %c0 to %c16 step %c1 {
      %chunk = arith.divui %j, %c4 : index
      %rest = arith.remui %j, %c4 : index
      %moved = arith.xori %chunk, %x64 : index
      %start = arith.muli %moved, %c4 : index
      %at = arith.addi %start, %rest : index
      %v = memref.load %s64[%t, %at] : !tile64
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      %n = arith.addf %v, %f : f32
      memref.store %n, %s64[%t, %at] : !tile64
    }
    scf.for %j = %c0 to %c32 step %c1 {
      %chunk = arith.divui %j, %c4 : index
      %rest = arith.remui %j, %c4 : index
      %moved = arith.xori %chunk, %x128 : index
      %start = arith.muli %moved, %c4 : index
      %at = arith.addi %start, %rest : index
      %v = memref.load %s128[%t, %at] : !tile128
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      %n = arith.addf %v, %f : f32
      memref.store %n, %s128[%t, %at] : !tile128
    }
    // What each thread has written is made visible to the copies.
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>,
                      space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %s32 to %to32[%c48, %c0], predicate = %first
        : !tile32 -> !map32
    nvgpu.tma.async.store %s64 to %to64[%c32, %c0], predicate = %first
        : !tile64 -> !map64
    nvgpu.tma.async.store %s128 to %to128[%c0, %c0], predicate = %first
        : !tile128 -> !map128
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
    gpu.terminator
  }
  %t4 = gpu.wait async
  %t5 = gpu.memcpy async [%t4] %r, %o : memref<16x56xf32>, memref<16x56xf32>
  %t6 = gpu.dealloc async [%t5] %o : memref<16x56xf32>
  %t7 = gpu.dealloc async [%t6] %d : memref<16x56xf32>
  gpu.wait [%t7]
  %f = memref.collapse_shape %r [[0, 1]] : memref<16x56xf32> into memref<896xf32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %f[%i] : memref<896xf32>
    %n = arith.fptosi %v : f32 to i32
    %m = arith.remui %i, %c31 : index
    %m1 = arith.addi %m, %c1 : index
    %w = arith.index_cast %m1 : index to i32
    %p = arith.muli %n, %w : i32
    %q = arith.addi %s, %p : i32
    scf.yield %q : i32
  }
  vector.print %sum : i32
  memref.dealloc %r : memref<16x56xf32>
  return %zero : i32
}
