// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A box of a tensor is copied to shared memory by a bulk copy, swizzled, which an mbarrier
// waits for; each thread reads the element in column 12 of its row. Prints 2784.
!tile = memref<64x32xi32, 3>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = swizzle_128b, l2promo = none,
                                   oob = zero, interleave = none>
!barriers = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>

memref.global "private" @room : !tile {alignment = 1024}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.constant 8192 : index
  %ticks = arith.constant 10000000 : index
  %phase = arith.constant false
  %h = memref.alloc() : memref<64x32xi32>
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.addi %i, %j : index
      %v = arith.index_cast %k : index to i32
      memref.store %v, %h[%i, %j] : memref<64x32xi32>
    }
  }
  %r = memref.alloc() : memref<64xi32>
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<64x32xi32>
  %o, %t2 = gpu.alloc async [%t1] () : memref<64xi32>
  %t3 = gpu.memcpy async [%t2] %d, %h : memref<64x32xi32>, memref<64x32xi32>
  gpu.wait [%t3]
  %u = memref.cast %d : memref<64x32xi32> to memref<*xi32>
  %map = nvgpu.tma.create.descriptor %u box[%c64, %c32] : memref<*xi32> -> !map
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %b = nvgpu.mbarrier.create -> !barriers
    %first = arith.cmpi eq, %t, %c0 : index
    nvgpu.mbarrier.init %b[%c0], %c1, predicate = %first : !barriers
    nvgpu.tma.prefetch.descriptor %map, predicate = %first : !map
    gpu.barrier
    %s = memref.get_global @room : !tile
    nvgpu.mbarrier.arrive.expect_tx %b[%c0], %bytes, predicate = %first : !barriers
    nvgpu.tma.async.load %map[%c0, %c0], %b[%c0] to %s, predicate = %first
        : !map, !barriers -> !tile
    nvgpu.mbarrier.try_wait.parity %b[%c0], %phase, %ticks : !barriers
    %low = arith.andi %t, %c7 : index
    %chunk = arith.xori %low, %c3 : index
    %column = arith.muli %chunk, %c4 : index
    %v = memref.load %s[%t, %column] : !tile
    memref.store %v, %o[%t] : memref<64xi32>
    gpu.terminator
  }
  %t4 = gpu.wait async
  %t5 = gpu.memcpy async [%t4] %r, %o : memref<64xi32>, memref<64xi32>
  %t6 = gpu.dealloc async [%t5] %o : memref<64xi32>
  %t7 = gpu.dealloc async [%t6] %d : memref<64x32xi32>
  gpu.wait [%t7]
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = %zero) -> i32 {
    %v = memref.load %r[%i] : memref<64xi32>
    %n = arith.addi %a, %v : i32
    scf.yield %n : i32
  }
  vector.print %sum : i32
  memref.dealloc %h : memref<64x32xi32>
  memref.dealloc %r : memref<64xi32>
  return %zero : i32
}
