// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four tasks on one buffer, each waiting for the one before it by its token: the buffer
// is doubled, added to, doubled and added to again. Every kernel is slow and stores a
// wrong value first: one that did not wait would compute with it. Prints
// ( 7, 11, 15, 19 ).
module attributes {gpu.container_module} {

gpu.module @kernels {
  // Element = element * scale + addend, after many stores of -1.
  gpu.func @step(%base: !llvm.ptr, %scale: i32, %addend: i32) kernel {
    %first = arith.constant 0 : index
    %next = arith.constant 1 : index
    %times = arith.constant 50000 : index
    %sentinel = arith.constant -1 : i32
    %i = gpu.thread_id x
    %number = arith.index_cast %i : index to i32
    %pointer = llvm.getelementptr %base[%number] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    %old = llvm.load %pointer : !llvm.ptr -> i32
    %scaled = arith.muli %old, %scale : i32
    %new = arith.addi %scaled, %addend : i32
    scf.for %k = %first to %times step %next {
      llvm.store volatile %sentinel, %pointer : i32, !llvm.ptr
    }
    llvm.store volatile %new, %pointer : i32, !llvm.ptr
    gpu.return
  }
}

func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %h = memref.alloc() : memref<4xi32>
  %any = memref.cast %h : memref<4xi32> to memref<*xi32>
  %index = memref.extract_aligned_pointer_as_index %h : memref<4xi32> -> index
  %address = arith.index_cast %index : index to i64
  %base = llvm.inttoptr %address : i64 to !llvm.ptr
  gpu.host_register %any : memref<*xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    %value = arith.index_cast %i : index to i32
    %element = arith.addi %value, %one : i32
    memref.store %element, %h[%i] : memref<4xi32>
  }

  %doubled = async.execute {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%base : !llvm.ptr, %two : i32, %zero : i32)
    async.yield
  }
  %added = async.execute [%doubled] {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%base : !llvm.ptr, %one : i32, %one : i32)
    async.yield
  }
  %again = async.execute [%added] {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%base : !llvm.ptr, %two : i32, %zero : i32)
    async.yield
  }
  %done = async.execute [%again] {
    gpu.launch_func @kernels::@step blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1)
        args(%base : !llvm.ptr, %one : i32, %one : i32)
    async.yield
  }
  async.await %done : !async.token

  %result = vector.load %h[%c0] : memref<4xi32>, vector<4xi32>
  vector.print %result : vector<4xi32>
  gpu.host_unregister %any : memref<*xi32>
  memref.dealloc %h : memref<4xi32>
  return %zero : i32
}

}
