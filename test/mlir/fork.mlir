// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One buffer, copied by two tasks that wait for the same third one, and joined by a
// fourth. Lowered by LLVM 22, the first task's stream goes to both of its consumers in
// the place of an event, and each "destroys" it. Prints ( 84, 84 ).
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  %value = arith.constant 42 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 2 : index
  %h = memref.alloc(%count) : memref<?xi32>
  %any = memref.cast %h : memref<?xi32> to memref<*xi32>
  gpu.host_register %any : memref<*xi32>
  memref.store %value, %h[%c0] : memref<?xi32>
  memref.store %value, %h[%c1] : memref<?xi32>

  %t0, %f0 = async.execute -> !async.value<memref<?xi32>> {
    %b0 = gpu.alloc(%count) : memref<?xi32>
    gpu.memcpy %b0, %h : memref<?xi32>, memref<?xi32>
    async.yield %b0 : memref<?xi32>
  }
  %t1, %f1 = async.execute [%t0] (%f0 as %b0 : !async.value<memref<?xi32>>)
      -> !async.value<memref<?xi32>> {
    %b1 = gpu.alloc(%count) : memref<?xi32>
    gpu.memcpy %b1, %b0 : memref<?xi32>, memref<?xi32>
    async.yield %b1 : memref<?xi32>
  }
  %t2, %f2 = async.execute [%t0] (%f0 as %b0 : !async.value<memref<?xi32>>)
      -> !async.value<memref<?xi32>> {
    %b2 = gpu.alloc(%count) : memref<?xi32>
    gpu.memcpy %b2, %b0 : memref<?xi32>, memref<?xi32>
    async.yield %b2 : memref<?xi32>
  }
  %t3 = async.execute [%t1, %t2] (%f1 as %b1 : !async.value<memref<?xi32>>,
                                  %f2 as %b2 : !async.value<memref<?xi32>>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%i, %y, %z) in (%nx = %count, %ny = %c1, %nz = %c1) {
      %left = memref.load %b1[%i] : memref<?xi32>
      %right = memref.load %b2[%i] : memref<?xi32>
      %sum = arith.addi %left, %right : i32
      memref.store %sum, %b1[%i] : memref<?xi32>
      gpu.terminator
    }
    gpu.memcpy %h, %b1 : memref<?xi32>, memref<?xi32>
    async.yield
  }
  async.await %t3 : !async.token

  %result = vector.load %h[%c0] : memref<?xi32>, vector<2xi32>
  vector.print %result : vector<2xi32>
  gpu.host_unregister %any : memref<*xi32>
  memref.dealloc %h : memref<?xi32>
  return %zero : i32
}
