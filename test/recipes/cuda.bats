# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What docs/cuda-programs.md and the workflow in examples/cuda-program/ tell people to run, runs.
# Each test has a copy of examples/cuda-program, and no GPU.

bats_require_minimum_version 1.5.0

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${BUILD:-build/gcc}
	[[ $build == /* ]] || build=$root/$build
	PATH=$build/bin:$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
	page=$root/docs/cuda-programs.md
	unset "${!GPURUN_@}" LD_LIBRARY_PATH
	cp -r "$root/examples/cuda-program" "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project" || return 1
}

needs() {	# COMMAND REASON
	command -v nvcc >/dev/null || skip "needs NVIDIA's toolkit (nvcc)"
	command -v "$1" >/dev/null || skip "$2"
}

# Runs the blocks of a section that are marked sh.
section() {	# TITLE
	awk -v title="## $1" '/^## / { here = $0 == title } /^```sh$/ { on = here; next } /^```/ { on = 0 } on' \
		"$page" >section.sh
	[[ -s section.sh ]]
	run -0 --separate-stderr bash -euo pipefail section.sh
}

@test "every section with commands is run by a test here" {
	[[ $(grep -c '^```sh$' "$page") == $(grep -c '^	section ' "$BATS_TEST_FILENAME") ]]
}

@test "nvcc" {
	needs nvcc ""
	section "nvcc, make"
	[[ $output == right ]]
}

@test "CMake, ctest" {
	needs cmake "needs cmake"
	section "CMake, ctest"
	[[ $output == *"100% tests passed"* ]]
}

@test "clang" {
	needs clang++-22 "needs clang-22: no clang++-22"
	[[ -e /usr/local/cuda/lib64/libcudart.so ]] || skip "needs NVIDIA's toolkit, in /usr/local/cuda"
	section clang
	[[ $output == right ]]
}

@test "pytest" {
	needs nvcc ""
	# Debian's, where another Python stands before it.
	python3 -c 'import pytest' || PATH=/usr/bin:$PATH
	python3 -c 'import pytest' || skip "needs python3-pytest"
	section pytest
	[[ $output == *"2 passed"* ]]
}

@test "finding a fault" {
	needs nvcc ""
	section "Finding a fault"
	[[ $output == $'right\nright' ]]
}

@test "the step of the workflow that builds and tests" {
	needs cmake "needs cmake"
	sed -n '/name: Build and test/,$s/^          //p' ci.yml >step.sh
	[[ $(wc -l <step.sh) == 4 ]]
	run -0 bash -eo pipefail step.sh
	[[ $output == *"100% tests passed"* ]]
}

@test "a wrong kernel fails there" {
	needs cmake "needs cmake"
	sed -i 's/atomicAdd(&counts\[i\], here\[i\])/counts[i] = here[i]/' histogram.cu
	sed -n '/name: Build and test/,$s/^          //p' ci.yml >step.sh
	run -8 bash -eo pipefail step.sh
}

# nvcc adds the library for launches from device code to every program of -rdc=true.
@test "relocatable device code, with what nvcc adds to it" {
	needs nvcc ""
	cat >one.cu <<-'E'
	#include <cstdio>
	extern __device__ int twice(int x);
	__global__ void run(int *p) { *p = twice(*p); }
	int main()
	{
		int *p, value = 21;

		cudaMalloc(&p, sizeof(value));
		cudaMemcpy(p, &value, sizeof(value), cudaMemcpyHostToDevice);
		run<<<1, 1>>>(p);
		cudaMemcpy(&value, p, sizeof(value), cudaMemcpyDeviceToHost);
		cudaFree(p);
		printf("%d %s\n", value, cudaGetErrorName(cudaGetLastError()));
	}
	E
	echo '__device__ int twice(int x) { return 2 * x; }' >two.cu
	for code in code=compute_90 'code=[sm_90,compute_90]'; do
		nvcc -rdc=true -gencode "arch=compute_90,$code" -cudart shared -o linked one.cu two.cu
		run -0 --separate-stderr gpurun -d cpu --exec ./linked
		[[ $output == "42 cudaSuccess" && ! $stderr ]]
	done
}

@test "a launch from device code is refused by its name" {
	needs nvcc ""
	cat >nested.cu <<-'E'
	#include <cstdio>
	__global__ void child() {}
	__global__ void parent() { child<<<1, 1>>>(); }
	int main()
	{
		parent<<<1, 1>>>();
		puts(cudaGetErrorName(cudaGetLastError()));
	}
	E
	nvcc -rdc=true -gencode arch=compute_90,code=compute_90 -cudart shared -o nested nested.cu -lcudadevrt
	run -0 --separate-stderr gpurun -d cpu --exec ./nested
	[[ $output == cudaErrorNotSupported ]]
	[[ $stderr == *"__cudaCDP2"*"declared and defined nowhere"* ]]
}
