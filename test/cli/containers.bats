# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One kernel, main, out of every container it can come in. On the CPU device;
# scripts/gpu-check runs them with GPURUN_TEST_DEVICE=gpu.

bats_require_minimum_version 1.5.0

setup() {
	device=${GPURUN_TEST_DEVICE:-cpu}
	export GPURUN_DEVICE=$device
	unset GPURUN_DRIVER
	data=$BATS_TEST_DIRNAME/../data/main
	examples=$BATS_TEST_DIRNAME/../../examples
	want="main runs on thread 0 of block 0"
}

runs_main() {	# FILE: by path, and through a pipe's end
	run -0 --separate-stderr gpurun "$1" --launch main
	[[ $output == "$want" ]] || { echo "$1: $output"; return 1; }
	run -0 --separate-stderr gpurun - --launch main <"$1"
	[[ $output == "$want" ]] || { echo "- ($1): $output"; return 1; }
}

# promise: IMAGE is a file
@test "PTX text" {
	runs_main "$examples/llvm/main.ptx"
}

# promise: Its content says what it is
@test "a fatbin in every compression mode" {
	local mode

	for mode in none default speed balance size; do
		runs_main "$data/main-$mode.fatbin"
	done
}

# promise: gpurun takes any file
@test "a host object, an executable, a shared library" {
	runs_main "$data/main.o"
	runs_main "$data/main.exe"
	runs_main "$data/main.so"
}

# promise: Its content says what it is
@test "LLVM offload binaries, and an object that holds one" {
	runs_main "$data/main.v1.offload"
	runs_main "$data/main.v2.offload"
	runs_main "$data/main-offload.o"
}

# promise: IMAGE is a file
@test "a pipe that cannot be sought" {
	gpurun - --launch main < <(cat "$data/main.so")
}

# promise: An image without PTX
@test "a cubin whose line info holds its PTX, of one translation unit or more" {
	local images=$BATS_TEST_DIRNAME/../data/images file

	for file in lineinfo.75.cubin lineinfo.rdc.cubin lineinfo.fatbin; do
		run -0 gpurun "$images/$file" --list
		[[ $output == *"second  (u64@0, f32@8)  "*" registers  0: sm_75 SASS with PTX (from line info)"* ]]
		[[ $device == cpu ]] || continue # a GPU takes its machine code, if it is its own
		run -0 --separate-stderr gpurun "$images/$file" --buf x=i32:2 --buf y=i32:2 \
			--launch first --block 2 -a x -a 5 --launch 'fill<int>' -a y -a 9 \
			--print x --print y
		[[ $output == "x: 113 113"$'\n'"y: 9 0" ]] || { echo "$file: $output"; return 1; }
	done
	[[ $device != cpu ]] || run -112 --separate-stderr gpurun "$images/$file" -d cpu:cc=7.0 \
		--buf x=i32:2 --launch 'fill<int>' -a x -a 9
	[[ $device != cpu || $stderr == *"compute_70, or -d cpu:cc=7.5" ]]
}

@test "a report names the source by the line info of a cubin" {
	local images=$BATS_TEST_DIRNAME/../data/images file

	[[ $device != gpu ]] || return 0 # its reports name no source
	for file in lineinfo.75.cubin lineinfo.rdc.cubin lineinfo.fatbin; do
		run ! --separate-stderr gpurun "$images/$file" --buf x=i32:2 \
			--launch first --block 3 -a x -a 5
		[[ $stderr == *"st.global.u32 [%rd4], %r6;"*"source "*"/lineinfo.cu:22"$'\n'* ]]
		run ! --separate-stderr gpurun "$images/$file" --buf x=f32:2 \
			--launch second --block 3 -a x -a 5.0
		[[ $stderr == *"st.global.f32 [%rd4], %f3;"*"source "*"/lineinfo.cu:41"$'\n'* ]]
	done
}

# promise: An image without PTX
@test "a cubin on a GPU; on the CPU device how to rebuild it" {
	if [[ $device == gpu ]]; then
		runs_main "$data/main.cubin"
	else
		run -112 --separate-stderr gpurun "$data/main.cubin" --launch main
		[[ $stderr == *sm_90*PTX* ]]
		[[ $stderr == *"hint: "*compute_90* ]]
	fi
}

# promise: KERNEL is looked up as
@test "the only kernel there is" {
	run -0 --separate-stderr gpurun "$data/main-size.fatbin" --launch .
	[[ $output == "$want" ]]
}

@test "main finds main_kernel in what MLIR made" {
	run -0 --separate-stderr gpurun "$data/mlir.o" --list=names
	[[ $output == main_kernel ]]
	run -0 --separate-stderr gpurun "$data/mlir.o" --launch main -b 128 \
		-a memref:x=f32:128:iota -a memref:y=f32:128 -e y=iota=0,3
	[[ $stderr == *main_kernel* ]]
}

@test "an object of GCC's with code for a GPU that is compiled only when it is linked says so" {
	local none=$BATS_TEST_DIRNAME/../data/images/none.o file

	cd "$BATS_TEST_TMPDIR"
	echo code >code
	cc -x c -c /dev/null -o empty.o
	# as compilers with -fcf-protection do, which this one may have
	objcopy --remove-section .note.gnu.property empty.o plain.o
	objcopy --add-section .note.gnu.property=code \
		--set-section-flags .note.gnu.property=alloc,readonly plain.o noted.o
	for file in empty.o noted.o; do
		run -112 --separate-stderr gpurun - --list <$file
		[[ $stderr == *"hint: the object is empty: did the tool that made it fail, or one before it?" ]]
	done
	objcopy --add-section .gnu.offload_lto_.main.1=code "$none" gcc.o
	run -112 --separate-stderr gpurun gcc.o --list
	[[ $stderr == "gpurun: error: gcc.o: no GPU image in this ELF object: GCC's intermediate code for one
gpurun: hint: gcc makes PTX of it when it links: give the linked file" ]]
}

@test "a truncated fatbin names the offset" {
	head -c 200 "$data/main-none.fatbin" >"$BATS_TEST_TMPDIR/cut.fatbin"
	run -112 --separate-stderr gpurun "$BATS_TEST_TMPDIR/cut.fatbin" --launch main
	[[ $stderr == *cut.fatbin*offset* ]]
}

# met: a damaged file was launched from in silence
@test "a host file that is cut off is told as that" {
	head -c 2000 "$data/main.so" >"$BATS_TEST_TMPDIR/cut.so"
	run -112 --separate-stderr gpurun "$BATS_TEST_TMPDIR/cut.so" --list
	[[ $stderr == "gpurun: error: $BATS_TEST_TMPDIR/cut.so: an ELF file cut off: its section \
headers are at offset 0x"*", it has 2000 bytes" ]]
}

# met: a library whose fatbins nothing names had no GPU image
@test "fatbins anywhere in a file: at odd places, across windows, in a library that names them nowhere" {
	local images=$BATS_TEST_DIRNAME/../data/images
	cd "$BATS_TEST_TMPDIR"
	# The second header crosses the border of a window, at 1 MiB; the fourth is cut off.
	{
		printf 'some data\x50\xed\x55\xba and no fatbin'
		cat "$images/zlib.fatbin"
		head -c $((1048576 - 35 - 3 - $(stat -c %s "$images/zlib.fatbin") + 1)) /dev/zero
		cat "$images/stored.fatbin"
		printf 'x'
		cat "$images/counter.fatbin"
		head -c 100 "$images/stored.fatbin"
	} >blob
	run -0 gpurun blob --list=images
	[[ ${#lines[@]} == 6 && ${lines[0]} == "0: sm_90 SASS  data  3848 bytes" ]]
	run -0 gpurun blob --list=names
	[[ $output == vadd$'\n'vadd$'\n'* ]]
	run -113 gpurun blob --launch vadd
	run -0 gpurun blob -d cpu -q --image 5 --launch bump -a u64:1
	objcopy -I binary -O elf64-x86-64 blob blob.o
	run -0 gpurun blob.o --list=images
	[[ ${#lines[@]} == 6 ]]
}

# met: --list took the memory of all images, and the time of all where one line was read
@test "--list of many images ends with the pipe that it is written into" {
	cd "$BATS_TEST_TMPDIR"
	yes "$BATS_TEST_DIRNAME/../data/images/stored.fatbin" | head -n 2000 | xargs -d '\n' cat >many
	run -0 bash -c 'gpurun many --list | head -n 1'
	[[ $output == "vadd  (u64@0, u64@8, u64@16, u32@24)"* ]]
	run -0 bash -c 'gpurun many --list=images | head -n 1'
	[[ $output == "0: sm_90 SASS  3848 bytes" ]]
}
