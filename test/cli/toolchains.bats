# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Files made on the spot by the compilers that are there.

bats_require_minimum_version 1.5.0

setup() {
	export GPURUN_DEVICE=cpu
	unset GPURUN_DRIVER
	examples=$BATS_TEST_DIRNAME/../../examples
	PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
	cd "$BATS_TEST_TMPDIR" || return 1
}

need() {	# TOOL REASON
	command -v "$1" >/dev/null || skip "$2"
}

vadd() {	# FILE
	gpurun "$1" --launch vadd --threads 1Ki -b 128 -a f32:1Ki:iota -a f32:1Ki:fill=2 \
		-a y=f32:1Ki -a i32=1Ki -e y=iota=2,1
}

# promise: Its content says what it is
@test "nvcc: PTX, fatbin, object, library" {
	need nvcc "needs NVIDIA's toolkit (nvcc)"
	local targets=(-gencode "arch=compute_75,code=[compute_75,sm_75]")

	nvcc -ptx -arch=compute_75 "$examples/cuda/vadd.cu" -o v.ptx
	nvcc -fatbin "${targets[@]}" "$examples/cuda/vadd.cu" -o v.fatbin
	nvcc -c "${targets[@]}" "$examples/cuda/vadd.cu" -o v.o
	nvcc -shared -Xcompiler -fPIC "${targets[@]}" "$examples/cuda/vadd.cu" -o v.so
	vadd v.ptx
	vadd v.fatbin
	vadd v.o
	vadd v.so
	vadd - <v.o
}

@test "fatbinary: each compression mode" {
	need fatbinary "needs NVIDIA's toolkit (fatbinary)"
	local mode

	nvcc -ptx -arch=compute_75 "$examples/cuda/vadd.cu" -o v.ptx
	nvcc -cubin -arch=sm_90 "$examples/cuda/vadd.cu" -o v.cubin
	for mode in none default speed balance size; do
		fatbinary --create=v-$mode.fatbin --64 --compress-all --compress-mode=$mode \
			--image3=kind=elf,sm=90,file=v.cubin --image3=kind=ptx,sm=75,file=v.ptx
		vadd v-$mode.fatbin
	done
}

@test "clang: PTX of a kernel in C++" {
	need clang-22 "needs clang-22, which is not installed"
	cat >k.cpp <<-'SOURCE'
		extern "C" [[clang::nvptx_kernel]] void vadd(const float *x, const float *y,
				float *z, int n)
		{
			int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
				__nvvm_read_ptx_sreg_tid_x();
			if (i < n)
				z[i] = x[i] + y[i];
		}
	SOURCE
	# Without a toolkit clang would take the oldest PTX version there is.
	clang-22 --target=nvptx64-nvidia-cuda -march=sm_75 -Xclang -target-feature \
		-Xclang +ptx80 -O2 -S k.cpp -o k.ptx
	vadd k.ptx
}

@test "llc: PTX of LLVM IR" {
	need llc-22 "needs llvm-22: no llc-22"
	llc-22 -mcpu=sm_75 "$examples/llvm/main.ll" -o main.ptx
	run -0 --separate-stderr gpurun main.ptx --launch main
	[[ $output == "main runs on thread 0 of block 0" ]]
}
