// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task whose only result is its token (LLVM pull request 190717, issue 170833). Its
// kernel stores -1 a million times before it stores the value, so that whoever does not
// wait for the kernel sees -1, or what was there before. Prints ( 84, 84 ).
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %value = arith.constant 42 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = memref.alloc() : memref<2xi32>
  %any = memref.cast %h : memref<2xi32> to memref<*xi32>
  gpu.host_register %any : memref<*xi32>
  memref.store %value, %h[%c0] : memref<2xi32>
  memref.store %value, %h[%c1] : memref<2xi32>

  %done = async.execute {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%i, %y, %z) in (%nx = %c2, %ny = %c1, %nz = %c1) {
      %first = arith.constant 0 : index
      %step = arith.constant 1 : index
      %times = arith.constant 1000000 : index
      %size = arith.constant 4 : index
      %sentinel = arith.constant -1 : i32
      %base = memref.extract_aligned_pointer_as_index %h : memref<2xi32> -> index
      %offset = arith.muli %i, %size : index
      %element = arith.addi %base, %offset : index
      %address = arith.index_cast %element : index to i64
      %pointer = llvm.inttoptr %address : i64 to !llvm.ptr
      %old = memref.load %h[%i] : memref<2xi32>
      %twice = arith.addi %old, %old : i32
      scf.for %k = %first to %times step %step {
        llvm.store volatile %sentinel, %pointer : i32, !llvm.ptr
      }
      llvm.store volatile %twice, %pointer : i32, !llvm.ptr
      gpu.terminator
    }
    async.yield
  }
  async.await %done : !async.token

  %result = vector.load %h[%c0] : memref<2xi32>, vector<2xi32>
  vector.print %result : vector<2xi32>
  gpu.host_unregister %any : memref<*xi32>
  memref.dealloc %h : memref<2xi32>
  return %zero : i32
}
