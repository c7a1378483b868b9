// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp copies to shared memory by nvgpu.device_async_copy (cp.async) in two groups, each
// waited for: 16 bytes a thread past the L1 cache, then 4 bytes a thread of which every
// fourth thread copies nothing and has zeros instead. What is in shared memory after the
// first wait and after the second goes back. Prints the sum of the elements, each times one
// more than its place modulo 31.
memref.global "private" @room : memref<2x128xf32, 3> {alignment = 16}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %count = arith.constant 256 : index
  %r = memref.alloc() : memref<2x128xf32>
  scf.for %i = %c0 to %c128 step %c1 {
    %k = arith.index_cast %i : index to i32
    %k2 = arith.muli %k, %k : i32
    %v = arith.sitofp %k2 : i32 to f32
    memref.store %v, %r[%c0, %i] : memref<2x128xf32>
    memref.store %v, %r[%c1, %i] : memref<2x128xf32>
  }
  %t0 = gpu.wait async
  %u, %t1 = gpu.alloc async [%t0] () : memref<2x128xf32>
  %o, %t2 = gpu.alloc async [%t1] () : memref<2x128xf32>
  %t3 = gpu.memcpy async [%t2] %u, %r : memref<2x128xf32>, memref<2x128xf32>
  gpu.wait [%t3]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %k0 = arith.constant 0 : index
    %k1 = arith.constant 1 : index
    %k3 = arith.constant 3 : index
    %k4 = arith.constant 4 : index
    %k32 = arith.constant 32 : index
    %k128 = arith.constant 128 : index
    %s = memref.get_global @room : memref<2x128xf32, 3>
    %at = arith.muli %t, %k4 : index
    %x0 = nvgpu.device_async_copy %u[%k0, %at], %s[%k0, %at], 4 {bypassL1}
        : memref<2x128xf32> to memref<2x128xf32, 3>
    %g0 = nvgpu.device_async_create_group %x0
    %low = arith.andi %t, %k3 : index
    %none = arith.cmpi eq, %low, %k0 : index
    %size = arith.select %none, %k0, %k1 : index
    scf.for %i = %t to %k128 step %k32 {
      %x1 = nvgpu.device_async_copy %u[%k1, %i], %s[%k1, %i], 1, %size
          : memref<2x128xf32> to memref<2x128xf32, 3>
    }
    %g1 = nvgpu.device_async_create_group
    nvgpu.device_async_wait %g0 {numGroups = 1 : i32}
    gpu.barrier
    scf.for %i = %t to %k128 step %k32 {
      %v = memref.load %s[%k0, %i] : memref<2x128xf32, 3>
      memref.store %v, %o[%k0, %i] : memref<2x128xf32>
    }
    nvgpu.device_async_wait %g1 {numGroups = 0 : i32}
    gpu.barrier
    scf.for %i = %t to %k128 step %k32 {
      %v = memref.load %s[%k1, %i] : memref<2x128xf32, 3>
      memref.store %v, %o[%k1, %i] : memref<2x128xf32>
    }
    gpu.terminator
  }
  %t4 = gpu.wait async
  %t5 = gpu.memcpy async [%t4] %r, %o : memref<2x128xf32>, memref<2x128xf32>
  %t6 = gpu.dealloc async [%t5] %o : memref<2x128xf32>
  %t7 = gpu.dealloc async [%t6] %u : memref<2x128xf32>
  gpu.wait [%t7]
  %f = memref.collapse_shape %r [[0, 1]] : memref<2x128xf32> into memref<256xf32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %f[%i] : memref<256xf32>
    %n = arith.fptosi %v : f32 to i32
    %m = arith.remui %i, %c31 : index
    %m1 = arith.addi %m, %c1 : index
    %w = arith.index_cast %m1 : index to i32
    %p = arith.muli %n, %w : i32
    %q = arith.addi %s, %p : i32
    scf.yield %q : i32
  }
  vector.print %sum : i32
  memref.dealloc %r : memref<2x128xf32>
  return %zero : i32
}
