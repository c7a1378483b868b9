# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Files whose relocatable images are to be linked: gpurun lets the driver's linker do it.
load helpers

images=$BATS_TEST_DIRNAME/../data/images
values="x: 0 3 0 7 9 2 4 1 7 9 4 5 4 7 9 6 6 9 7 9"

# What test/data/images/units.cu computes: a function of another unit, a table of functions, a virtual
# function, a constant, a managed variable; and a global one, which a kernel of that unit reads.
runs() {	# FILE OPTION...
	prints "$values
total: 6
y: 6" gpurun "$@" --launch uses -b 4 -a x=i32:20 --print x --get total=i32:1 \
		--launch reads -a y=i32:1 --print y
}

# promise: What a file holds that is to be linked
@test "a program, stripped, and an archive are launched: tables, virtual functions, variables" {
	runs "$images/units.exe"
	runs "$images/units.a"
	runs "$images/units.exe" --image ptx
	run -0 gpurun --load u="$images/units.a" --launch u:uses -b 4 -a x=i32:20 --print x --unload u
	[[ $output == "$values" ]]
}

@test "variables are set and read across the units" {
	run -0 gpurun "$images/units.exe" --set scale=list=5 --set managed=list=6 \
		--launch uses -b 1 -a x=i32:5 --print x
	[[ $output == "x: 0 3 0 5 6" ]]
}

# promise: What a file holds that is to be linked
@test "what is linked is one module in every list: PTX and machine code are told apart" {
	prints "0: sm_80 SASS  .nv_fatbin  $(size units.exe 0) bytes
1: sm_80 relocatable SASS  __nv_relfatbin  $(size units.exe 1) bytes
2: sm_80 relocatable PTX 9.0  __nv_relfatbin  $(size units.exe 2) bytes
3: sm_80 relocatable SASS  __nv_relfatbin  $(size units.exe 3) bytes
4: sm_80 relocatable PTX 9.0  __nv_relfatbin  $(size units.exe 4) bytes" \
		gpurun "$images/units.exe" --list=images
	prints "uses  (u64@0)  26 registers  0: sm_80 SASS, 1: sm_80 relocatable SASS, 2: sm_80 relocatable PTX 9.0" \
		gpurun "$images/units.exe" --list=uses
	prints "reads  (u64@0)  1: sm_75 relocatable PTX 9.0" gpurun "$images/units.a" --list=reads
	run -0 gpurun "$images/units.exe" --info=uses
	[[ $output == *"image 0: sm_80 SASS"*"image 1: sm_80 relocatable SASS"*"image 2: sm_80 relocatable PTX 9.0"* ]]
	[[ $output == *"variables of the module:"*"managed  4 bytes"* ]]
	run -0 gpurun "$images/units.a" --list=vars
	[[ $output == *"total  4 bytes  u32  1: sm_75 relocatable PTX 9.0"* ]]
	[[ $output != *"total  4 bytes  u32  0:"* ]]
	run -0 gpurun "$images/units.a" --list=images --json
	[[ $output == *'"kind":"relocatable","code":"ptx"'* ]]
	run -0 gpurun "$images/rdc.cubin" --list=images --json
	[[ $output == *'"kind":"relocatable","code":"sass"'* ]]
	run -0 gpurun "$images/ltoir.fatbin" --list=images
	[[ $output == *"sm_90 LTO-IR"* ]]
}

size() {	# FILE IMAGE
	gpurun "$images/$1" --list=images --json |
		sed "s/.*\"index\":$2,[^}]*\"size\":\([0-9]*\).*/\1/"
}

@test "a message names what is missing, and the unit that needs it" {
	fails 112 "gpurun: error: linking $images/units.lack.a: cuLinkComplete: CUDA_ERROR_INVALID_SOURCE (300): invalid source: error   : Undefined reference to 'table' in 'image 0 of $images/units.lack.a'
gpurun: hint: --link FILE joins the file that defines it" \
		gpurun "$images/units.lack.a" --launch uses -b 4 -a x=i32:20
	fails 112 "gpurun: error: linking $images/units.mixed.a: cuLinkComplete: CUDA_ERROR_INVALID_SOURCE (300): invalid source: error   : Undefined reference to 'table' in 'image 0 of $images/units.mixed.a'
gpurun: hint: image 1 of $images/units.mixed.a defines it, sm_80 relocatable SASS without PTX: compile that translation unit to PTX too" \
		gpurun "$images/units.mixed.a" --launch uses -b 4 -a x=i32:20
	(cd "$BATS_TEST_TMPDIR" && ar x "$images/units.mixed.a" &&
		ar cr turned.a $(ar t "$images/units.mixed.a" | tac))
	run -112 --separate-stderr gpurun "$BATS_TEST_TMPDIR/turned.a" --launch uses -b 4 -a x=i32:20
	[[ $stderr == *"hint: image 0 of $BATS_TEST_TMPDIR/turned.a defines it, sm_80 relocatable SASS"* ]]
	fails 112 "gpurun: error: $images/units.mixed.a: kernel 'reads' is in image 1 alone, sm_80 relocatable SASS, which the CPU device does not run
gpurun: hint: compile this translation unit to PTX too: nvcc -gencode arch=compute_90,code=compute_90" \
		gpurun "$images/units.mixed.a" --launch reads -a y=i32:1
	run -112 --separate-stderr gpurun "$images/units.a" --image 0 --launch uses -b 4 -a x=i32:20
	[[ $stderr == *"Undefined reference to 'table' in "* ]]
}

@test "a linked cubin of which some units alone have PTX is not run, and the list says so" {
	run -112 --separate-stderr gpurun "$images/units.half.cubin" --launch uses -b 4 -a x=i32:20
	[[ ${stderr_lines[0]} == "gpurun: error: $images/units.half.cubin: no image for the CPU device; it holds sm_80 SASS" ]]
	[[ ${stderr_lines[1]} == "gpurun: hint: image 0 has the PTX of some translation units alone: none has '__nv_static_"*"hiddenPi'; compile all with -lineinfo (clang: -gline-tables-only), or to PTX" ]]
	run -0 gpurun "$images/units.half.cubin" --list=uses
	[[ $output == *"0: sm_80 SASS" ]]
}

# ---- What the compilers make ------------------------------------------------------------------

need() {	# PROGRAM REASON
	command -v "$1" >/dev/null || skip "$2"
}

parts() {	# COMPILER...: with its options, the objects 1.o and 2.o
	for part in 1 2; do
		"$@" -DPART=$part -c "$images/units.cu" -o $part.o 2>/dev/null
	done
}

# promise: What a file holds that is to be linked
@test "nvcc: objects, programs, libraries and archives, with machine code, PTX alone, and line info" {
	PATH=$PATH:/usr/local/cuda/bin
	need nvcc "needs NVIDIA's nvcc"
	need cc "needs a C compiler"
	echo 'int main(void) { return 0; }' >main.c
	cc -c main.c
	for code in 'arch=compute_80,code=[sm_80,compute_80]' 'arch=compute_80,code=compute_80' \
		'arch=compute_80,code=sm_80 -lineinfo'; do
		flags=(-rdc=true -cudart shared -Xcompiler -fPIC -gencode ${code})
		parts nvcc "${flags[@]}"
		nvcc "${flags[@]}" 1.o 2.o main.o -o prog
		nvcc "${flags[@]}" -shared 1.o 2.o -o lib.so
		rm -f lib.a
		ar rcs lib.a 1.o 2.o
		ld -r 1.o 2.o -o both.o
		for file in prog lib.so lib.a both.o; do
			runs $file
		done
		strip prog
		runs prog
		run -0 gpurun prog --list=names
		[[ $output != *cuda_device_runtime* && $output == *uses* ]]
	done
}

@test "libcudadevrt counts for nothing where nothing of it is needed" {
	PATH=$PATH:/usr/local/cuda/bin
	need nvcc "needs NVIDIA's nvcc and its libcudadevrt.a"
	devrt=$(toolkit)/lib64/libcudadevrt.a
	runs "$images/units.a" --link "$devrt"
	run -0 --separate-stderr gpurun "$devrt" --list=names
	[[ ! $output ]]
}

@test "clang -fgpu-rdc with line info: objects and a linked program" {
	PATH=/usr/lib/llvm-22/bin:$PATH:/usr/local/cuda/bin
	need nvlink "needs NVIDIA's ptxas and nvlink"
	need clang-linker-wrapper "needs clang-tools-22, which is not installed"
	clang++ --version | grep -q 'version 2[2-9]' || skip "needs clang++ 22"
	# Managed variables are not clang's: the attribute is HIP's there.
	sed 's/__managed__/__device__/' "$images/units.cu" >units.cu
	images=. parts clang++ -x cuda --cuda-path=/usr/local/cuda -fgpu-rdc --offload-arch=sm_80 \
		-gline-tables-only -Wno-unknown-cuda-version
	echo 'int main() { return 0; }' >main.c
	ar rcs lib.a 1.o 2.o
	runs lib.a
	run -0 gpurun 1.o --list=uses
	[[ $output == *"0: sm_80 relocatable SASS with PTX (from line info)" ]]
	clang++ -x c++ -c "$BATS_TEST_TMPDIR/main.c" -o main.o
	clang++ --offload-link 1.o 2.o main.o -L/usr/local/cuda/lib64 -lcudart -o prog 2>/dev/null
	run -0 gpurun prog --list=uses
	[[ $output == *"0: sm_80 SASS with PTX (from line info)" ]]
	runs prog
}
