# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --doctor: what prevents a run.
load helpers

# Prints the lines of one section, without its title.
section() {	# TITLE
	sed -n "/^$1\$/,/^[^ ]/{/^ /p}" <<<"$output"
}

# What gcc makes of C on standard input, as ./prog.
program() {	# OPTION...
	"${CC:-cc}" -x c - -x none -o prog "$@"
}

# Adds the fatbin of vadd, which has PTX and machine code of sm_90, to ./prog.
add_images() {
	objcopy --add-section .nv_fatbin="${1:-$cuda/vadd.fatbin}" prog
}

# promise: Say what prevents a run, and what to do about it: one line
# promise: It looks at the driver's library, what its cuInit answers, the
@test "--doctor: a machine with the CPU device alone" {
	export GPURUN_DRIVER=$PWD/nosuch.so
	unset GPURUN_DEVICE LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT
	run -0 --separate-stderr gpurun --doctor
	same "$stderr" ""
	[[ $(section "driver library") == "  note     $PWD/nosuch.so: "*"No such file"*"
           hint: NVIDIA's driver has it; without a GPU it is not needed: the CPU device (-d cpu) runs PTX" ]]
	same "$(section GPUs)" "  note     none: there is no driver, or it has not started"
	[[ $(section "CPU device") == "  ok       cpu is gpurun CPU device, cc 9.0, "*" MiB, "*" thread"* ]]
	same "$(section loader)" "  ok       nothing that replaces the driver"
	[[ $(section "gpurun's own libraries") == "  ok       in $build/lib: libgpurun, the CPU device, libcudart, the start module, libmlir_cuda_runtime, libLLVMOffload" ]]
	[[ $(section environment) == *"  note     GPURUN_DRIVER=$PWD/nosuch.so: in the place of libcuda.so.1"* ]]
	same "$(section run)" "  ok       with -d auto it is on gpurun CPU device"
	run -0 --separate-stderr gpurun --doctor -d cpu:threads=3,cc=8.0
	[[ $(section "CPU device") == "  ok       cpu is gpurun CPU device, cc 8.0, "*" MiB, 3 threads"* ]]
}

# promise: The exit status is that of a run with the same
@test "--doctor ends as a run would" {
	unset GPURUN_DEVICE
	GPURUN_DRIVER=$PWD/nosuch.so run -114 --separate-stderr gpurun --doctor -d gpu
	[[ $(section run) == "  problem  with -d gpu it fails: no CUDA driver: "*"
           hint: -d cpu runs PTX on the CPU device" ]]
	[[ $stderr == "gpurun: error: no CUDA driver: tried to open $PWD/nosuch.so: "* ]]
	export GPURUN_DRIVER=$stub
	run -0 --separate-stderr gpurun --doctor
	[[ $(section "driver library") == "  ok       $stub is $(realpath "$stub"), of CUDA 13.0
  ok       cuInit: CUDA_SUCCESS" ]]
	[[ $(section GPUs) == "  ok       gpu:0 is gpurun stub, cc 9.0, 1024 MiB, GPU-"* ]]
	same "$(section run)" "  ok       with -d auto it is on gpurun stub"
	GPURUN_NO_DEVICE_EXIT=77 GPURUN_STUB_FAIL=cuInit=100 run -77 gpurun --doctor
	GPURUN_STUB_FAIL=cuInit=100 run -0 --separate-stderr gpurun --doctor
	[[ $(section "driver library") == *"  note     cuInit: "*" (100): the driver has no GPU that this process may use"* ]]
	same "$(section run)" "  ok       with -d auto it is on gpurun CPU device"
	GPURUN_STUB_FAIL=cuInit=100 CUDA_VISIBLE_DEVICES='' run -0 --separate-stderr gpurun --doctor
	[[ $(section "driver library") == *"hint: CUDA_VISIBLE_DEVICES is set, and may hide them: run without it"* ]]
	[[ $(section environment) == *"  note     CUDA_VISIBLE_DEVICES=: the GPUs that a process sees, and their order
           hint: it hides every GPU"* ]]
	GPURUN_STUB_FAIL=cuInit=803 run -115 --separate-stderr gpurun --doctor
	[[ $(section "driver library") == *"  problem  cuInit: "*" (803): the library and the kernel module are of different versions
           hint: restart after an update of the driver; a container takes the library of its host" ]]
	GPURUN_STUB_FAIL=cuInit=34 run -0 --separate-stderr gpurun --doctor
	[[ $(section "driver library") == *"hint: take its folder, stubs, off LD_LIBRARY_PATH" ]]
	GPURUN_STUB_FAIL=cuInit=803 run -0 gpurun --doctor -d cpu
	run -110 gpurun --doctor -d nosuch
}

# promise: A driver that hangs or crashes is a problem that is reported
@test "--doctor: a driver that hangs or crashes is reported" {
	unset GPURUN_DEVICE
	export GPURUN_DRIVER=$stub
	GPURUN_STUB_HANG=cuInit run -115 --separate-stderr timeout 20 gpurun --doctor -t 0.3
	[[ $(section "driver library") == *"  problem  the driver has not answered for 0.3 s
           hint: dmesg says what hangs; -t gives it more time" ]]
	[[ $(section "CPU device") == "  ok       cpu is "* ]]
	same "$stderr" "gpurun: error: the driver has not answered for 0.3 s"
	GPURUN_STUB_CRASH=cuInit run -115 --separate-stderr gpurun --doctor
	[[ $(section "driver library") == *"  problem  the driver crashed: Aborted"* ]]
	GPURUN_STUB_HANG=cuInit run -0 gpurun --doctor -t 0.3 -d cpu
}

@test "--doctor: what is put in the place of libraries" {
	local cpu

	unset GPURUN_DEVICE
	mkdir -p stubs/both other
	touch stubs/libcuda.so stubs/both/libcuda.so.1 other/libcuda.so.1
	cpu=$build/lib/gpurun/cpu
	# A build with the address sanitizer refuses to start after another library, whichever it is.
	export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0
	LD_LIBRARY_PATH=stubs:$PWD/stubs/both:other:nosuch:$cpu LD_PRELOAD=libdl.so.2 \
		GPURUN_DRIVER=$cpu/libcuda.so.1 run -0 --separate-stderr gpurun --doctor -d cpu
	[[ $(section loader) != *nosuch* ]]
	[[ $(section loader) == *"  problem  LD_LIBRARY_PATH has $PWD/stubs/both, whose libcuda.so.1 is a stub for linking
           hint: take it off: the linker finds it by -L
  note     LD_LIBRARY_PATH has a libcuda.so.1 in other
  note     LD_LIBRARY_PATH has $cpu: gpurun's CPU device
           hint: every CUDA program gets it; gpurun --exec brings it where it is wanted
  note     LD_PRELOAD=libdl.so.2
           hint: it is loaded into every program: try without it" ]]
	[[ $(section "driver library") == "  note     $cpu/libcuda.so.1 is $(realpath "$cpu/libcuda.so.1"): gpurun's CPU device"* ]]
}

@test "--doctor: variables, known and misspelt" {
	GPURUN_DEVCE=cpu CUDA_LAUNCH_BLOCKING=1 run -0 --separate-stderr gpurun --doctor
	[[ $(section environment) == *"  problem  GPURUN_DEVCE=cpu: gpurun has no such variable
           hint: did you mean GPURUN_DEVICE?"* ]]
	[[ $(section environment) == *"  note     CUDA_LAUNCH_BLOCKING=1: with 1 each launch waits for its kernel, and nothing overlaps"* ]]
	[[ $(section environment) == *"  note     GPURUN_DEVICE=cpu: as -d"* ]]
}

# Every variable of gpurun(1) is known to it.
@test "--doctor knows the variables of the manual" {
	local name

	while read -r name; do
		grep -q "{ \"$name\"," "$root/cmd/show/doctor_system.c" || { echo "$name"; return 1; }
	done < <(sed -n 's/^\.It Ev \(GPURUN_[A-Z_]*\)$/\1/p' "$root"/man/*.[1357] | sort -u)
}

# promise: With PROG, which is searched as by --exec, it looks into
@test "--doctor=PROG: search paths, runtimes and images of a host program" {
	local cpu="  ok       cpu runs its sm_75 PTX 9.0"

	program -Wl,--disable-new-dtags,-rpath,/x/lib -Wl,-z,lazy <<-'E'
		__attribute__((used)) static void cudaLaunchKernel(void) {}
		int main(void) { return 0; }
	E
	add_images
	run -0 --separate-stderr gpurun --doctor=./prog
	same "$(section program)" "  ok       ./prog is a dynamic ELF program of this machine
  note     DT_RPATH /x/lib: searched before LD_LIBRARY_PATH
           hint: gpurun --exec brings its libraries all the same; else link with -Wl,--enable-new-dtags
  ok       has the static runtime of CUDA 13, whose calls lead to gpurun's libcudart on the CPU device
  ok       contains sm_75 PTX 9.0, sm_90 SASS
$cpu"
	GPURUN_DRIVER=$stub run -0 --separate-stderr gpurun --doctor=./prog -d gpu
	[[ $(section program) == *"
  ok       gpu:0 runs its sm_90 SASS
$cpu" ]]
	program -Wl,--enable-new-dtags,-rpath,/x/lib <<-'E'
		__attribute__((used)) static void cudaLaunchKernel(void) {}
		__attribute__((used)) static void cudaGetDeviceProperties_v2(void) {}
		int main(void) { return 0; }
	E
	run -114 --separate-stderr gpurun --doctor=./prog
	[[ $(section program) == *"
  ok       DT_RUNPATH /x/lib: searched after LD_LIBRARY_PATH
  problem  has the static runtime of CUDA 12 or older, which the CPU device does not run
           hint: on the CPU device: build it with CUDA 13
  note     has no GPU code of its own
           hint: it may be in a library that it loads, or be compiled as it runs" ]]
	GPURUN_DRIVER=$stub run -0 gpurun --doctor=./prog -d gpu
}

@test "--doctor=PROG: libraries that a host program needs" {
	local version

	for version in 12 13; do
		"${CC:-cc}" -shared -x c /dev/null -Wl,-soname,libcudart.so.$version \
			-o "libcudart.so.$version"
		program -Wl,--no-as-needed "./libcudart.so.$version" <<<'int main(void) { return 0; }'
		mv prog "with$version"
	done
	run -0 --separate-stderr gpurun --doctor=./with13
	[[ $(section program) == *"  ok       needs libcudart.so.13, which gpurun has for the CPU device"* ]]
	run -114 --separate-stderr gpurun --doctor=./with12
	[[ $(section program) == *"  problem  needs libcudart.so.12, and gpurun's is libcudart.so.13
           hint: on the CPU device: build it with CUDA 13"* ]]
	same "$stderr" "gpurun: error: ./with12: needs libcudart.so.12, and gpurun's is libcudart.so.13
gpurun: hint: on the CPU device: build it with CUDA 13"
}

@test "--doctor=PROG: what cannot run, or not on the device" {
	program -static <<<'int main(void) { return 0; }'
	add_images
	run -114 --separate-stderr gpurun --doctor=./prog
	[[ $(section program) == "  ok       ./prog is a static ELF program of this machine
  problem  is linked with -static: the CPU device does not reach it
           hint: link it without -static"* ]]
	program <<<'int main(void) { return 0; }'
	add_images "$data/images/kernels.90.cubin"
	cp prog foreign
	printf '\xf3' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
	run -111 --separate-stderr gpurun --doctor=./foreign
	[[ $(section program) == "  problem  is of another processor than this machine's (ELF machine 243)
           hint: build it for this machine" ]]
	run -111 --separate-stderr gpurun --doctor=nosuch
	same "$(section program)" "  problem  not found in PATH
           hint: of one in this folder: --doctor=./nosuch"
	touch plain
	run -111 --separate-stderr gpurun --doctor=./plain
	same "$stderr" "gpurun: error: ./plain: cannot run: Permission denied"
	run -111 --separate-stderr gpurun --doctor=/
	same "$stderr" "gpurun: error: /: cannot run: not a regular file"
	printf '#!/bin/sh\n' >script
	chmod +x script
	run -0 --separate-stderr gpurun --doctor=./script
	[[ $(section program) == "  note     ./script is no ELF program, but a script or the like"* ]]
	head -c 100 prog >cut
	chmod +x cut
	run gpurun --doctor=./cut
	((status < 125))
}

@test "--doctor --json" {
	run -0 --separate-stderr gpurun --doctor --json
	python3 - "$output" <<-'E'
	import json, sys
	checks = json.loads(sys.argv[1])['checks']
	names = list(dict.fromkeys(check['check'] for check in checks))
	assert [name for name in names if name != 'versions'] == \
	    ['driver', 'module', 'gpus', 'cpu', 'loader', 'libraries', 'environment', 'run'], names
	assert {check['verdict'] for check in checks} <= {'ok', 'note', 'problem'}
	E
	GPURUN_DRIVER=$stub GPURUN_STUB_FAIL=cuInit=803 run -115 gpurun --doctor --json=out.json -d gpu
	same "$(json out.json error stage)" doctor
	same "$(json out.json checks 1 verdict)" problem
	run -111 gpurun --doctor=nosuch --json=out.json
	same "$(json out.json checks -1 check)" program
	fails 110 "gpurun: error: prog besides --doctor, which runs nothing
gpurun: hint: with --doctor go --color, -d, -j, -q, -t and -v; a program to look at is --doctor=PROG" \
		gpurun --doctor prog
}
