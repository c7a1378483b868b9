# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# NVIDIA's runtime library on the CPU device: what the program's user is told.

load helpers

setup_file() {
	# The table by which NVIDIA's runtime begins, and one that NVRTC asks for.
	export runtime=6bd5fb6c5bf4e74a8987d93912fd9df9 other=a094798c2e742e7493f20800200c0a66
}

shared="build it with NVCC_APPEND_FLAGS='-cudart shared' (CMake: CUDA_RUNTIME_LIBRARY Shared, and CUDA::cudart for CUDA::cudart_static)"

# What is said of a program that has the runtime in it: without gpurun --exec, ...
static_alone() {	# PROGRAM
	echo "gpurun: CPU device: $1 has NVIDIA's runtime library in it, which does not start here"
	echo "gpurun: hint: gpurun -d cpu --exec runs it as it is; its kernels: gpurun $1 --list"
}

# ... and where it has not been redirected, for no reason that is known.
static() {	# PROGRAM
	echo "gpurun: CPU device: $1 has NVIDIA's runtime library in it, which does not start here"
	echo "gpurun: hint: gpurun -v -d cpu --exec says why it is not redirected; $shared, or run its kernels as they are: gpurun $1 --list"
}

# The same, and why the status is not the program's.
static_ends() {	# PROGRAM
	static "$1"
	echo "gpurun: exit status 112, not 0: no kernel ran, since there is no code for this device"
}

foreign() {	# ARGUMENT... : the program, with the CPU device in the driver's place
	LD_LIBRARY_PATH=${path:-$build/lib/gpurun/cpu} run --separate-stderr \
		"$build/test/host-programs/foreign" "$@"
}

library() {	# FILE: an empty one
	mkdir -p "$(dirname "$1")"
	cc -shared -x c /dev/null -o "$1"
}

# met: a program with NVIDIA's runtime in it ended with that runtime's message alone
@test "a program that has NVIDIA's runtime in it is told how to run, once" {
	foreign 0 $runtime $other $runtime
	same "$status: $output" "0: 0"
	same "$stderr" "$(static_alone "$build/test/host-programs/foreign")"
	run -112 --separate-stderr gpurun -d cpu --exec "$build/test/host-programs/foreign" 0 $runtime $runtime
	same "$output" 0
	same "$stderr" "$(static_ends "$build/test/host-programs/foreign")"
}

@test "nothing is said to NVRTC and others, whose tables are not there either" {
	foreign 0 $other
	same "$status: $output$stderr" "0: 0"
	run -0 --separate-stderr gpurun -d cpu --exec "$build/test/host-programs/foreign" 0 $other
	same "$output$stderr" 0
}

# promise: Where a status of 0 is replaced
@test "--exec: 112 in the place of 0, in the process that asked" {
	local program=$build/test/host-programs/foreign

	run -3 --separate-stderr gpurun -d cpu --exec "$program" 3 $runtime
	same "$stderr" "$(static "$program")"
	run -112 --separate-stderr gpurun -d cpu --exec "$program" 256 $runtime
	same "$stderr" "$(static_ends "$program")"
	run -0 --separate-stderr gpurun -d cpu --exec sh -c "'$program' 0 $runtime; echo \$?; '$program' 0 $other"
	same "$output" "0
112
0"
	run -112 gpurun -d cpu --json=out.json --exec "$program" 0 $runtime
	same "$(json out.json exit)" '{"code": 112, "name": "image", "source": "gpurun"}'
	same "$(json out.json failures 0 kind)" refused-image
	[[ $(json out.json failures 0 hint) == *"build it with NVCC_APPEND_FLAGS"* ]]
}

@test "a program of CUDA 12, and a stripped one, are told what helps" {
	local begin="has NVIDIA's runtime library in it, which does not start here"

	cp "$build/test/host-programs/foreign" stripped
	strip -s stripped
	run -112 --separate-stderr gpurun -d cpu --exec ./stripped 0 $runtime
	[[ $stderr == "gpurun: CPU device: ./stripped $begin"$'\n'"gpurun: hint: gpurun knows it by its symbol table, which was stripped: strip -g keeps it; or $shared"$'\n'* ]]
	objcopy --add-symbol cudaGetDeviceProperties_v2=.text:0,function,local \
		"$build/test/host-programs/foreign" twelve
	run -112 --separate-stderr gpurun -d cpu --exec ./twelve 0 $runtime
	[[ $stderr == "gpurun: CPU device: ./twelve $begin"$'\n'"gpurun: hint: it is that of CUDA 12 or older, whose structures are others: build it with CUDA 13"$'\n'* ]]
}

@test "a shared one: which it is, and how gpurun's comes before it" {
	library "$PWD/nv/libcudart.so.13"
	local begin="gpurun: CPU device: $PWD/nv/libcudart.so.13 is NVIDIA's runtime library, which does not start here"

	foreign 0 "$PWD/nv/libcudart.so.13" $runtime
	same "$status" 0
	same "$stderr" "$begin
gpurun: hint: gpurun -d cpu --exec puts gpurun's before it, and so does LD_LIBRARY_PATH=$build/lib/gpurun/cudart"
	path=$build/lib/gpurun/cudart:$build/lib/gpurun/cpu foreign 0 "$PWD/nv/libcudart.so.13" $runtime
	same "$stderr" "$begin
gpurun: hint: the program names it or its folder itself: LD_PRELOAD=$build/lib/gpurun/cudart/libcudart.so.13 puts gpurun's before it"
	# --exec gives it ours, whatever its path is: what asks is another one.
	run -112 --separate-stderr gpurun -d cpu --exec "$build/test/host-programs/foreign" 0 \
		"$PWD/nv/libcudart.so.13" $runtime
	same "$stderr" "$(static_ends "$build/test/host-programs/foreign")"
	library "$PWD/nv/libcudart.so.12"
	foreign 0 "$PWD/nv/libcudart.so.12" $runtime
	same "$stderr" "gpurun: CPU device: $PWD/nv/libcudart.so.12 is NVIDIA's runtime library, which does not start here
gpurun: hint: gpurun has libcudart.so.13 alone: build the program with CUDA 13"
}

@test "gpurun's own beside a library that has NVIDIA's in it is none of NVIDIA's" {
	foreign 0 "$build/lib/gpurun/cudart/libcudart.so.13" $runtime
	same "$stderr" "$(static_alone "$build/test/host-programs/foreign")"
}

# bats test_tags=plain
@test "real programs of nvcc: its default, and one that names the folder of its runtime" {
	PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
	command -v nvcc >/dev/null || skip "needs NVIDIA's toolkit"
	local folder

	folder=$(toolkit)/lib64
	[[ -e $folder/libcudart.so ]] || skip "needs NVIDIA's toolkit"
	cat >program.cu <<-'PROGRAM'
		#include <cstdio>
		__global__ void twice(int *p) { p[threadIdx.x] = 2 * threadIdx.x; }
		int main()
		{
			int *device, last = 0;
			cudaMalloc(&device, 32 * sizeof(int));
			twice<<<1, 32>>>(device);
			cudaMemcpy(&last, device + 31, sizeof(int), cudaMemcpyDeviceToHost);
			printf("%d\n", last);
			return 0;
		}
	PROGRAM
	nvcc -arch=sm_80 program.cu -o static
	nvcc -arch=sm_80 -cudart shared program.cu -o named -Xlinker "-rpath=$folder,--disable-new-dtags"
	prints 62 gpurun -d cpu --exec ./static
	same "$stderr" ""
	LD_LIBRARY_PATH=$build/lib/gpurun/cpu run --separate-stderr ./static
	same "$stderr" "$(static_alone ./static)"
	run -0 gpurun ./static --list
	[[ $output == *twice* ]]
	prints 62 gpurun -d cpu --exec ./named
	same "$stderr" ""
	LD_LIBRARY_PATH=$build/lib/gpurun/cpu run --separate-stderr ./named
	[[ $stderr == *"libcudart.so.13 is NVIDIA's runtime library"* ]]
	NVCC_APPEND_FLAGS='-cudart shared' nvcc -arch=sm_80 program.cu -o shared
	prints 62 gpurun -d cpu --exec ./shared
}
