// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four blocks of 32 threads in clusters of two, by the launch's cluster size. Each block
// leaves numbers in its shared memory; past the cluster's barrier each thread reads those
// of the other block of the cluster, whose shared memory mapa finds. Prints the sum of the
// results, each times one more than its place modulo 31.
memref.global "private" @room : memref<32xi32, 3>

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %count = arith.constant 128 : index
  %r = memref.alloc() : memref<4x32xf32>
  %t0 = gpu.wait async
  %o, %t1 = gpu.alloc async [%t0] () : memref<4x32xf32>
  gpu.wait [%t1]
  gpu.launch clusters(%kx, %ky, %kz) in (%nkx = %c2, %nky = %c1, %nkz = %c1)
             blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
             threads(%t, %y, %z) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %i1 = arith.constant 1 : i32
    %i4 = arith.constant 4 : i32
    %i64 = arith.constant 64 : i32
    %i1000 = arith.constant 1000 : i32
    %s = memref.get_global @room : memref<32xi32, 3>
    // 64 of the block + the thread's number
    %ib = arith.index_cast %bx : index to i32
    %it = arith.index_cast %t : index to i32
    %v0 = arith.muli %ib, %i64 : i32
    %v1 = arith.addi %v0, %it : i32
    memref.store %v1, %s[%t] : memref<32xi32, 3>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    // The other block's word of thread t
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %other = arith.xori %rank, %i1 : i32
    %base = memref.extract_aligned_pointer_as_index %s : memref<32xi32, 3> -> index
    %word = arith.index_cast %base : index to i32
    %shift = arith.muli %it, %i4 : i32
    %at = arith.addi %word, %shift : i32
    %here = llvm.inttoptr %at : i32 to !llvm.ptr<3>
    %there = nvvm.mapa %here, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    %v2 = llvm.load %there : !llvm.ptr<7> -> i32
    // and 1000 of the cluster's number, 10000 of its size, 100000 of this block's place
    %id = gpu.cluster_id x
    %icl = arith.index_cast %id : index to i32
    %v3 = arith.muli %icl, %i1000 : i32
    %v4 = arith.addi %v2, %v3 : i32
    %dim = gpu.cluster_dim_blocks x
    %idim = arith.index_cast %dim : index to i32
    %i10000 = arith.constant 10000 : i32
    %v5 = arith.muli %idim, %i10000 : i32
    %v6 = arith.addi %v4, %v5 : i32
    %place = gpu.cluster_block_id x
    %ipl = arith.index_cast %place : index to i32
    %i100000 = arith.constant 100000 : i32
    %v7 = arith.muli %ipl, %i100000 : i32
    %v8 = arith.addi %v6, %v7 : i32
    %f = arith.sitofp %v8 : i32 to f32
    memref.store %f, %o[%bx, %t] : memref<4x32xf32>
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    gpu.terminator
  }
  %t2 = gpu.wait async
  %t3 = gpu.memcpy async [%t2] %r, %o : memref<4x32xf32>, memref<4x32xf32>
  %t4 = gpu.dealloc async [%t3] %o : memref<4x32xf32>
  gpu.wait [%t4]
  %f = memref.collapse_shape %r [[0, 1]] : memref<4x32xf32> into memref<128xf32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %f[%i] : memref<128xf32>
    %n = arith.fptosi %v : f32 to i32
    %m = arith.remui %i, %c31 : index
    %m1 = arith.addi %m, %c1 : index
    %w = arith.index_cast %m1 : index to i32
    %p = arith.muli %n, %w : i32
    %q = arith.addi %s, %p : i32
    scf.yield %q : i32
  }
  vector.print %sum : i32
  memref.dealloc %r : memref<4x32xf32>
  return %zero : i32
}
