// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static shapes and bare pointers keep a kernel's parameters to one address per buffer.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @vecadd(%a: memref<100xf32>, %b: memref<100xf32>, %c: memref<100xf32>, %n: index) kernel {
      %bid = gpu.block_id x
      %bdim = gpu.block_dim x
      %tid = gpu.thread_id x
      %base = arith.muli %bid, %bdim : index
      %i = arith.addi %base, %tid : index
      %in = arith.cmpi ult, %i, %n : index
      scf.if %in {
        %x = memref.load %a[%i] : memref<100xf32>
        %y = memref.load %b[%i] : memref<100xf32>
        %s = arith.addf %x, %y : f32
        memref.store %s, %c[%i] : memref<100xf32>
      }
      gpu.return
    }
    gpu.func @total(%a: memref<100xi32>, %out: memref<100xi32>) kernel {
      %tid = gpu.thread_id x
      %x = memref.load %a[%tid] : memref<100xi32>
      %sum = gpu.all_reduce add %x uniform {} : (i32) -> (i32)
      memref.store %sum, %out[%tid] : memref<100xi32>
      gpu.return
    }
  }
}
