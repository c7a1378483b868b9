// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two modules in one program, with a kernel of the same name in each. Each is loaded
// before main and unloaded after it by its own constructor and destructor. Prints 30.
module attributes {gpu.container_module} {

gpu.module @doubling {
  gpu.func @kernel(%p: memref<1xi32>) kernel {
    %i = arith.constant 0 : index
    %old = memref.load %p[%i] : memref<1xi32>
    %new = arith.addi %old, %old : i32
    memref.store %new, %p[%i] : memref<1xi32>
    gpu.return
  }
}

gpu.module @adding {
  gpu.func @kernel(%p: memref<1xi32>, %addend: i32) kernel {
    %i = arith.constant 0 : index
    %old = memref.load %p[%i] : memref<1xi32>
    %new = arith.addi %old, %addend : i32
    memref.store %new, %p[%i] : memref<1xi32>
    gpu.return
  }
}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.alloc() : memref<1xi32>
  %any = memref.cast %h : memref<1xi32> to memref<*xi32>
  gpu.host_register %any : memref<*xi32>
  memref.store %five, %h[%c0] : memref<1xi32>
  gpu.launch_func @doubling::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%h : memref<1xi32>)
  gpu.launch_func @adding::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%h : memref<1xi32>, %five : i32)
  gpu.launch_func @doubling::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%h : memref<1xi32>)
  %result = memref.load %h[%c0] : memref<1xi32>
  vector.print %result : i32
  gpu.host_unregister %any : memref<*xi32>
  memref.dealloc %h : memref<1xi32>
  return %zero : i32
}

}
