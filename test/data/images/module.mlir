// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {gpu.container_module} {
  gpu.module @kmod {
    gpu.func @store(%p: !llvm.ptr, %n: i32) kernel {
      llvm.store %n, %p : i32, !llvm.ptr
      gpu.return
    }
  }
}
