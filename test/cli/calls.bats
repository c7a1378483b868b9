# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The line that tells at the end of a process what was launched and refused.

load helpers

# What the device says of launches and unsupported calls.
told() {
	same "$(grep -F "gpurun: CPU device: " <<<"$stderr")" "gpurun: CPU device: $1"
}

# promise: With --exec the CPU device also prints
@test "under -v --exec the device tells of launches" {
	run -0 --separate-stderr gpurun -v --exec "$build/test/host-programs/opened" "$cuda/saxpy.ptx"
	told "1 launch of 1 kernel accepted; no unsupported call"
	run -0 --separate-stderr gpurun -v -t 1m --exec "$build/test/host-programs/opened" "$cuda/saxpy.ptx"
	[[ $stderr == *"gpurun: CPU device: 1 launch of 1 kernel accepted; no unsupported call"* ]]
}

# promise: With --exec the CPU device also prints
@test "and of calls that it refused, the most frequent first" {
	run -0 --separate-stderr gpurun -v --exec "$build/test/host-programs/refused" \
		cuGraphCreate 2 cuTexObjectCreate 3 cuIpcGetMemHandle 1
	told "0 launches of 0 kernels accepted; unsupported: cuTexObjectCreate (3), cuGraphCreate (2), cuIpcGetMemHandle (1)"
}

@test "of five by name, of the others how many they are" {
	run -0 --separate-stderr gpurun -v --exec "$build/test/host-programs/refused" cuGraphCreate 9 \
		cuArrayDestroy 8 cuTexRefCreate 7 cuMulticastCreate 6 cuGreenCtxCreate 5 cuGraphLaunch 4
	told "0 launches of 0 kernels accepted; unsupported: cuGraphCreate (9), cuArrayDestroy (8), cuTexRefCreate (7), cuMulticastCreate (6), cuGreenCtxCreate (5) and 1 other"
}

runtime_told() {
	same "$(grep libcudart <<<"$stderr")" "gpurun: libcudart: $1"
}

# promise: With --exec the CPU device also prints
# promise: With calls the CPU device writes
@test "our libcudart tells of what it refused too, a line behind the device's" {
	run -0 --separate-stderr gpurun -v --exec "$build/test/host-programs/runtime" \
		cudaGraphCreate 2 cudaDeviceSynchronize 1 cudaCreateTextureObject 3 cudaIpcGetMemHandle 1
	runtime_told "unsupported: cudaCreateTextureObject (3), cudaGraphCreate (2), cudaIpcGetMemHandle (1)"
	[[ $stderr == *"gpurun: CPU device: 0 launches of 0 kernels accepted; no unsupported call
"*"gpurun: libcudart:"* ]]
	run -0 --separate-stderr gpurun -v --exec "$build/test/host-programs/runtime" cudaGraphCreate 9 \
		cudaGraphDestroy 8 cudaGraphClone 7 cudaGraphUpload 6 cudaGraphLaunch 5 \
		cudaGraphGetNodes 4 cudaGraphGetEdges 3
	runtime_told "unsupported: cudaGraphCreate (9), cudaGraphDestroy (8), cudaGraphClone (7), cudaGraphUpload (6), cudaGraphLaunch (5) and 2 others"
	run -0 --separate-stderr gpurun -v --exec "$build/test/host-programs/runtime" cudaDeviceSynchronize 1
	runtime_told "no unsupported call"
	run -0 --separate-stderr gpurun --exec "$build/test/host-programs/runtime" cudaGraphCreate 1
	same "$stderr" ""
}

# promise: With calls the CPU device writes
@test "GPURUN_LOG=cudart: a line for each call of the runtime, with its result" {
	GPURUN_LOG=cudart run -0 --separate-stderr gpurun --exec "$build/test/host-programs/runtime" \
		cudaDeviceSynchronize 1 cudaGraphCreate 1
	same "$output" 801
	same "$stderr" "cudart: cudaDeviceSynchronize: 0 cudaSuccess
cudart: cudaGraphCreate: 801 cudaErrorNotSupported"
}

# promise: With calls the CPU device writes
# promise: Several words have commas
@test "GPURUN_LOG=calls asks for it anywhere, beside other words" {
	GPURUN_LOG=leaks,calls run -0 --separate-stderr gpurun --exec "$build/test/host-programs/refused" \
		cuGraphCreate 1
	told "0 launches of 0 kernels accepted; unsupported: cuGraphCreate (1)"
	GPURUN_LOG=leaks run -0 --separate-stderr gpurun -v --exec "$build/test/host-programs/refused" \
		cuGraphCreate 1
	[[ $stderr == *"GPURUN_LOG=leaks,calls"* ]]
	told "0 launches of 0 kernels accepted; unsupported: cuGraphCreate (1)"
	GPURUN_LOG=recalls run -0 --separate-stderr gpurun --exec "$build/test/host-programs/refused" cuGraphCreate 1
	same "$stderr" ""
}
