# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM offload binaries and .llvm.offloading: what is in them, and launches from them. The
# committed files first, then files that clang and LLVM's packager make on the spot.

load helpers

vadd() {	# FILE [OPTION...]
	gpurun "$@" --launch vadd --threads 1Ki -b 128 -a f32:1Ki:iota -a f32:1Ki:fill=2 \
		-a y=f32:1Ki -a i32=1Ki -e y=iota=2,1
}

need() {	# TOOL REASON
	command -v "$1" >/dev/null || skip "$2"
}

llvm22() {	# finds LLVM's tools where Debian puts them; the test needs these
	PATH=$PATH:/usr/lib/llvm-22/bin:${CUDA_HOME:-/usr/local/cuda}/bin
	# A ccache before the compiler does not ask what is in a file that clang embeds.
	export CCACHE_DISABLE=1
	need clang-22 "needs clang-22, which is not installed"
	need llvm-offload-binary "needs llvm-22, which is not installed"
}

@test "versions 1 to 3, a fatbin inside, a host object: launched, by path and from a pipe" {
	for file in vadd.v{1,2,3}.offload vadd.{zstd,zlib}.offload nested.offload offload.o; do
		vadd "$data/images/$file"
		vadd - < <(cat "$data/images/$file")
	done
}

# promise: List the kernels of IMAGE
@test "--list tells the images of a kernel, JSON what the packager said of them" {
	prints "vadd  (u64@0, u64@8, u64@16, u32@24)  12 registers  0: sm_75 PTX 9.0, 1: sm_90 SASS" \
		gpurun "$data/images/vadd.v1.offload" --list
	gpurun "$data/images/vadd.v1.offload" --list --json=list
	same "$(json list image kind)" "offload binary"
	same "$(json list kernels 0 images 0 offload strings triple)" nvptx64-nvidia-cuda
	same "$(json list kernels 0 images 0 offload strings note)" first
	same "$(json list kernels 0 images 0 offload producer)" cuda
	same "$(json list kernels 0 images 1 offload producer)" openmp
}

# promise: Of the images that an offload binary has
# promise: images lists what the file holds instead
@test "--list=images tells of everything, and why it cannot be launched" {
	local where=".llvm.offloading  producer" nvidia=nvptx64-nvidia-cuda

	prints "0: sm_75 PTX 9.0  $where=cuda arch=sm_75 triple=$nvidia note=first  909 bytes
1: sm_90 SASS  $where=openmp arch=sm_90 triple=$nvidia  3848 bytes
2: gfx90a AMD machine code  $where=hip arch=gfx90a triple=amdgcn-amd-amdhsa  for devices of another kind than NVIDIA's
3: SPIR-V  $where=sycl triple=spirv64-unknown-unknown  has to be compiled to PTX first
4: sm_75 LLVM bitcode  $where=openmp arch=sm_75 triple=$nvidia  has to be compiled first
5: host ELF file  $where=openmp triple=x86_64-pc-linux-gnu  for the host" \
		gpurun "$data/images/offload.o" --list=images
	prints "0: sm_90 relocatable SASS  producer=openmp arch=sm_90 triple=$nvidia  13184 bytes" \
		gpurun "$data/images/rdc.offload" --list=images
	same "$stderr" ""
	run -0 --separate-stderr gpurun "$data/images/foreign.offload" --list=images --json=list
	same "$output$stderr" ""
	same "$(json list images 0 kind)" foreign
	same "$(json list images 0 problem)" "for devices of another kind than NVIDIA's"
	same "$(json list images 2 kind)" bitcode
	same "$(json list images 2 offload strings arch)" sm_75
}

@test "--list=images shows values whole, with the NULs that version 2 lets them have" {
	"$root/test/data/pack-offload" 2 packed "$data/images/vadd.ptx,symbols=one_two,arch=sm_75"
	sed 's/one_two/one\x00two/' packed >nul.offload
	prints "0: sm_75 PTX 9.0  producer=none symbols=one\x00two arch=sm_75  909 bytes" \
		gpurun nul.offload --list=images
	gpurun nul.offload --list=images --json=list
	[[ $(<list) == *'"strings":{"symbols":"one\u0000two","arch":"sm_75"}'* ]]
}

@test "--list=images of other files; --image and --load narrow and widen it" {
	prints "0: sm_90 SASS  3848 bytes
1: sm_75 PTX 9.0  856 bytes" gpurun "$data/images/stored.fatbin" --list=images
	prints "1: sm_75 PTX 9.0  856 bytes" \
		gpurun "$data/images/stored.fatbin" --list=images --image ptx
	prints "a:0: sm_75 PTX 9.0  909 bytes" \
		gpurun --load a="$data/images/vadd.ptx" --list=images
	prints "0: sm_90 SASS  .llvm.offloading  producer=openmp triple=nvptx64-nvidia-cuda arch=sm_90  13360 bytes" \
		gpurun "$data/images/offload.exe" --list=images
}

@test "what cannot be launched from says what it is" {
	fails 112 "gpurun: error: $data/images/rdc.offload: no image for the CPU device; it holds sm_90 relocatable SASS
gpurun: hint: the CPU device runs PTX; rebuild with -gencode arch=compute_90,code=compute_90 (a cubin: -lineinfo; clang: --cuda-include-ptx=all)" \
		gpurun "$data/images/rdc.offload" --launch vadd -a u64=0 -a u64=0 -a u64=0 -a u32=1
	fails 112 "gpurun: error: $data/images/foreign.offload: no image that can be loaded; it holds gfx90a AMD machine code, SPIR-V, sm_75 LLVM bitcode, host ELF file
gpurun: hint: gfx90a AMD machine code: for devices of another kind than NVIDIA's" \
		gpurun "$data/images/foreign.offload" --launch vadd
	fails 112 "gpurun: error: $data/images/vadd.v1.offload: --image picks sm_90 SASS, and the CPU device runs PTX
gpurun: hint: leave --image out, or --image ptx" \
		gpurun "$data/images/vadd.v1.offload" --image sm_90 --launch vadd -a u64=0 -a u64=0 \
		-a u64=0 -a u32=1
	fails 112 "gpurun: error: $data/images/vadd.v1.offload: there is no image sm_80
gpurun: hint: it holds sm_75 PTX 9.0, sm_90 SASS" \
		gpurun "$data/images/vadd.v1.offload" --image sm_80 --launch vadd
}

@test "kernels of two sources packed together are kernels of one file" {
	printf '%s\n' '.version 8.0' '.target sm_75' '.address_size 64' \
		'.visible .entry other() { ret; }' >other.ptx
	"$root/test/data/pack-offload" 2 two.offload "$data/images/vadd.ptx,arch=sm_75" \
		other.ptx,arch=sm_75
	prints $'vadd\nother' gpurun two.offload --list=names
	vadd two.offload --launch other
}

ptx() {	# FILE ARCH KERNEL...
	printf '%s\n' '.version 8.0' ".target $2" '.address_size 64' >"$1"
	printf '.visible .entry %s() { ret; }\n' "${@:3}" >>"$1"
}

# promise: Of the images that an offload binary has
@test "images for different devices are one module when they share any kernel" {
	ptx old.ptx sm_75 b
	ptx new.ptx sm_90 a b
	ptx both.ptx sm_80 a b
	ptx other.ptx sm_75 a
	"$root/test/data/pack-offload" 2 k.offload old.ptx,arch=sm_75 new.ptx,arch=sm_90
	prints $'b  ()  0: sm_75 PTX 8.0, 1: sm_90 PTX 8.0\na  ()  1: sm_90 PTX 8.0' \
		gpurun k.offload --list
	gpurun k.offload --launch b
	# The best image is the best of those that have the kernel: no driver finds it elsewhere.
	ptx old.ptx sm_75 a b
	ptx new.ptx sm_90 b c
	"$root/test/data/pack-offload" 2 k.offload old.ptx,arch=sm_75 new.ptx,arch=sm_90
	gpurun k.offload --launch a --launch b --json=report
	same "$(json report image chosen)" "sm_75 PTX 8.0"
	gpurun k.offload --launch b --json=report
	same "$(json report image chosen)" "sm_90 PTX 8.0"
	fails 113 "gpurun: error: k.offload: kernel 'a' is not in the image for the CPU device, sm_90 PTX 8.0
gpurun: hint: --list shows the images that have it; --image takes one" \
		gpurun k.offload --launch a --launch c
	ptx old.ptx sm_75 b
	ptx new.ptx sm_90 a b
	# Two for one device are two modules, and stay that where a third has kernels of both.
	"$root/test/data/pack-offload" 2 k.offload old.ptx,arch=sm_75 other.ptx,arch=sm_75 \
		both.ptx,arch=sm_80
	prints $'b  ()  0: sm_75 PTX 8.0\na  ()  1: sm_75 PTX 8.0, 2: sm_80 PTX 8.0
b  ()  2: sm_80 PTX 8.0' gpurun k.offload --list
	fails 113 "gpurun: error: 'b' may be any of b (image 0), b (image 2)
gpurun: hint: pick one of the images by its number: --image" gpurun k.offload --launch b
	gpurun k.offload --launch b --image 2
}

# promise: Of the images that an offload binary has
@test "of the images that --image leaves, the one for the very device is the best" {
	ptx plain.ptx sm_90 k
	ptx own.ptx sm_90a k
	"$root/test/data/pack-offload" 2 k.offload plain.ptx,arch=sm_90 own.ptx,arch=sm_90a
	gpurun k.offload --launch k --json=report
	same "$(json report image chosen)" "sm_90a PTX 8.0"
	gpurun k.offload --image ptx --launch k --json=report
	same "$(json report image chosen)" "sm_90a PTX 8.0"
}

# What the compilers of today make.

kernel() {	# makes k.s (PTX, which is what the packager calls .s) and k.bc for two devices
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
	device_clang sm_75 -S -o k.s
	device_clang sm_90 -S -o k90.s
	device_clang sm_90 -c -emit-llvm -o k.bc
}

device_clang() {	# ARCH OPTION...
	clang-22 --target=nvptx64-nvidia-cuda -march="$1" -Xclang -target-feature -Xclang +ptx80 \
		-O2 k.cpp "${@:2}"
}

# Compares --list=images without sizes and the versions of PTX: clang takes the newest that a toolkit
# has, where there is one.
lists() {	# FILE LINES
	run -0 --separate-stderr gpurun "$1" --list=images
	same "$(sed -E 's/PTX [0-9.]+/PTX/; s/[0-9]+ bytes$/N bytes/' <<<"$output")" "$2"
}

# A program with the functions that registration calls, which some runtime has else.
host() {
	cat >host.c <<-'SOURCE'
		void __tgt_register_lib(void *binary) { (void)binary; }
		void __tgt_unregister_lib(void *binary) { (void)binary; }
		void *__cudaRegisterFatBinary(void *binary) { return binary; }
		void __cudaRegisterFatBinaryEnd(void *handle) { (void)handle; }
		void __cudaUnregisterFatBinary(void *handle) { (void)handle; }
		void __cudaRegisterFunction(void) { }
		void __cudaRegisterVar(void) { }
		void __cudaRegisterManagedVar(void) { }
		void __cudaRegisterSurface(void) { }
		void __cudaRegisterTexture(void) { }
		int main(void) { return 0; }
	SOURCE
}

target=triple=nvptx64-nvidia-cuda

@test "llvm-offload-binary: PTX of two devices and bitcode, launched and listed" {
	llvm22
	kernel
	llvm-offload-binary -o k.offload --image=file=k.s,$target,arch=sm_75,kind=cuda \
		--image=file=k90.s,$target,arch=sm_90,kind=cuda \
		--image=file=k.bc,$target,arch=sm_90,kind=openmp
	vadd k.offload
	vadd k.offload --image 0
	vadd - <k.offload
	lists k.offload "0: sm_75 PTX  producer=cuda arch=sm_75 $target  N bytes
1: sm_90 PTX  producer=cuda arch=sm_90 $target  N bytes
2: sm_90 LLVM bitcode  producer=openmp arch=sm_90 $target  has to be compiled first"
}

@test "clang -fembed-offload-object: several in one object, and not in what is linked" {
	llvm22
	kernel
	host
	llvm-offload-binary -o a.offload --image=file=k.s,$target,arch=sm_75,kind=cuda
	llvm-offload-binary -o b.offload --image=file=k90.s,$target,arch=sm_90,kind=openmp
	clang-22 -c host.c -Xclang -fembed-offload-object=a.offload \
		-Xclang -fembed-offload-object=b.offload -o host.o
	lists host.o "0: sm_75 PTX  .llvm.offloading  producer=cuda arch=sm_75 $target  N bytes
1: sm_90 PTX  .llvm.offloading  producer=openmp arch=sm_90 $target  N bytes"
	vadd host.o
	vadd - <host.o
	# A linker leaves the section out, and objcopy may rename it.
	clang-22 host.o -o plain
	run -112 --separate-stderr gpurun plain --list
	[[ $stderr == *"no GPU image in this ELF executable"* ]]
	objcopy --rename-section .llvm.offloading=.mine host.o renamed.o
	vadd renamed.o
}

# promise: Its content says what it is
@test "archives: of host objects, and of what llvm-offload-binary takes out" {
	llvm22
	kernel
	llvm-offload-binary -o k.offload --image=file=k.s,$target,arch=sm_75,kind=openmp
	echo 'void f(void) { }' >f.c
	clang-22 -c f.c -Xclang -fembed-offload-object=k.offload -o f.o
	ar rc lib.a "$data/images/none.o" f.o
	vadd lib.a
	vadd - < <(cat lib.a)
	lists lib.a "0: sm_75 PTX  f.o:.llvm.offloading  producer=openmp arch=sm_75 $target  N bytes"
	llvm-offload-binary k.offload --image=file=out.a,$target --archive
	vadd out.a
}

@test "llvm-offload-wrapper: programs with .llvm.offloading and with .nv_fatbin" {
	local wrap

	llvm22
	wrap=(llvm-offload-wrapper "--triple=$(clang-22 -print-target-triple)")
	kernel
	host
	llvm-offload-binary -o k.offload --image=file=k.s,$target,arch=sm_75,kind=openmp
	"${wrap[@]}" --kind=openmp k.offload -o openmp.bc
	"${wrap[@]}" --kind=cuda "$data/images/stored.fatbin" -o cuda.bc
	for kind in openmp cuda; do
		clang-22 -Wno-override-module host.c $kind.bc -o $kind.exe
		./$kind.exe
		vadd $kind.exe
		vadd - <$kind.exe
	done
	lists openmp.exe "0: sm_75 PTX  .llvm.offloading  producer=openmp arch=sm_75 $target  N bytes"
	lists cuda.exe "0: sm_90 SASS  .nv_fatbin  N bytes
1: sm_75 PTX  .nv_fatbin  N bytes"
}

@test "clang-linker-wrapper: a program with machine code, whose kind is told wrong" {
	llvm22
	need clang-linker-wrapper "needs clang-tools-22, which is not installed"
	kernel
	host
	llvm-offload-binary -o k.offload --image=file=k.s,$target,arch=sm_75,kind=openmp
	clang-22 -c host.c -Xclang -fembed-offload-object=k.offload -o host.o
	# The device link's result is given: that needs no toolkit of NVIDIA's.
	clang-22 --offload-link -Wl,--override-image=openmp="$data/images/vadd.90.cubin" host.o \
		-o host.exe
	run -0 --separate-stderr gpurun host.exe --list=images
	[[ $output == "0: sm_90 SASS  .llvm.offloading  producer=openmp "*" bytes" ]]
	prints "vadd  (8B@0, 8B@8, 8B@16, 4B@24)  12 registers  0: sm_90 SASS" gpurun host.exe --list
}

@test "clang-linker-wrapper with nvlink: relocatable code before, a program's after" {
	llvm22
	need nvcc "needs NVIDIA's toolkit (nvcc, nvlink)"
	need clang-linker-wrapper "needs clang-tools-22, which is not installed"
	host
	nvcc -rdc=true -cubin -arch=sm_90 "$cuda/vadd.cu" -o k.cubin
	llvm-offload-binary -o k.offload --image=file=k.cubin,$target,arch=sm_90,kind=openmp
	clang-22 -c host.c -Xclang -fembed-offload-object=k.offload -o host.o
	run -0 --separate-stderr gpurun host.o --list=images
	[[ $output == "0: sm_90 relocatable SASS  .llvm.offloading  producer=openmp arch=sm_90 $target  "*" bytes" ]]
	clang-22 --offload-link host.o -o host.exe
	run -0 --separate-stderr gpurun host.exe --list
	[[ $output == *vadd*"0: sm_90 SASS"* ]]
}
