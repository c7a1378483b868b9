# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The exit table, row by row, and what is said with each.

load helpers

vadd=(--launch vadd -b 4 -a f32:4:iota -a f32:4:fill=2 -a y=f32:4 -a i32=4)

needs_stub() {
	[[ -e $stub ]] || skip "the stub driver is not built"
	unset GPURUN_DEVICE
	export GPURUN_DRIVER=$stub
}

# promise: 0 when all launches are done
@test "0: everything ran and every check passed" {
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=iota=2,1
	same "$output$stderr" ""
}

# promise: Say nothing but errors.
@test "0: a run that shows nothing says what it did, unless -q" {
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}"
	same "$output" ""
	same "$stderr" "gpurun: vadd done on gpurun CPU device; no --print, --expect or --out was given"
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -q
	same "$output$stderr" ""
}

# promise: 0 when all launches are done
@test "110: usage" {
	fails 110 "gpurun: error: vadd has 4 parameters, 0 arguments given
gpurun: hint: the kernel is vadd(u64@0, u64@8, u64@16, u32@24); for instance: gpurun $cuda/vadd.fatbin \
--launch vadd --threads 1Ki -b 256 -a a=f32:1Ki -a b=f32:1Ki -a c=f32:1Ki -a i32=1Ki --print c:8" \
		gpurun "$cuda/vadd.fatbin" --launch vadd
	run -110 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -d cpu:nosuch=1
	[[ $stderr == "gpurun: error: "*nosuch* ]]
	run -110 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -d nonsense
	[[ $stderr == "gpurun: error: "*nonsense* ]]
}

# promise: 0 when all launches are done
@test "111: a host file cannot be read or written" {
	fails 111 "gpurun: error: nosuch: cannot open: No such file or directory" \
		gpurun "$cuda/vadd.fatbin" --launch vadd -a null -a null -a null -a raw:@nosuch
	run -111 --separate-stderr gpurun nosuch.fatbin --launch vadd
	[[ $stderr == "gpurun: error: "*nosuch.fatbin*"No such file"* ]]
}

# met: what a kernel printed into a closed standard output was told with the wrong reason
@test "111: a full standard output" {
	[[ -e /dev/full ]]
	run -111 --separate-stderr bash -c 'gpurun "$@" >/dev/full' - "$cuda/vadd.fatbin" "${vadd[@]}" --print y
	same "$stderr" "gpurun: error: stdout: cannot write: No space left on device"
	run -111 --separate-stderr bash -c 'gpurun "$@" >/dev/full' - "$cuda/vadd.fatbin" "${vadd[@]}" -o y=-
	run -111 --separate-stderr bash -c 'gpurun --help >/dev/full'
	run -111 --separate-stderr bash -c 'gpurun "$@" >/dev/full' - "$cuda/vadd.fatbin" "${vadd[@]}" --json
}

@test "112: a kernel with an instruction that is not executed names line and opcode" {
	printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' '.visible .entry k() {' \
		'tcgen05.wait::ld.sync.aligned;' 'ret; }' '.visible .entry good() { ret; }' >k.ptx
	GPURUN_DEVICE=cpu fails 112 "gpurun: error: launch 1, k on stream s0, grid 1x1x1, block 1x1x1: kernel k: line 5: tcgen05.wait::ld.sync.aligned is not executed by the CPU device
gpurun: hint: other kernels of the image may run; a GPU may run this one" \
		gpurun k.ptx --launch k
	GPURUN_DEVICE=cpu run -0 gpurun k.ptx -q --launch good
}

# promise: 0 when all launches are done
# met: hints named nvcc's flag for clang's objects
@test "112: no image for this device, nor any" {
	fails 112 "gpurun: error: $data/images/vadd.90.cubin: no image for the CPU device; it holds sm_90 SASS
gpurun: hint: the CPU device runs PTX; rebuild with -gencode arch=compute_90,code=compute_90 (a cubin: -lineinfo; clang: --cuda-include-ptx=all)" \
		gpurun "$data/images/vadd.90.cubin" "${vadd[@]}"
	printf '%s\n' '.version 9.0' '.target sm_100' '.address_size 64' \
		'.visible .entry k() { ret; }' >newer.ptx
	run -112 --separate-stderr gpurun newer.ptx -d cpu --launch k
	[[ $stderr == *"gpurun: error: newer.ptx: contains sm_100 PTX 9.0 only; the CPU device is sm_90
gpurun: hint: rebuild with -gencode arch=compute_90,code=compute_90, or set GPURUN_CPU=cc=10.0" ]]
	GPURUN_CPU=cc=10.0 run -0 gpurun newer.ptx -d cpu --launch k
	# The cause is told one time, and what helps is what has an effect.
	GPURUN_DEVICE="" fails 112 "gpurun: error: newer.ptx: contains sm_100 PTX 9.0 only; the CPU device is sm_80
gpurun: hint: rebuild with -gencode arch=compute_80,code=compute_80, or -d cpu:cc=10.0" \
		gpurun newer.ptx -d cpu:cc=8.0 --launch k
	printf '%s\n' '.version 9.7' '.target sm_90' '.address_size 64' \
		'.visible .entry k() { ret; }' >minor.ptx
	run -0 gpurun minor.ptx -d cpu --launch k
	sed 's/9.7/10.0/' minor.ptx >major.ptx
	run -112 --separate-stderr gpurun major.ptx -d cpu --launch k
	[[ $stderr == *"PTX version 10.0 is too new: the CPU device reads versions up to 9.9"* ]]
	sed 's/ret;/newest.u32; ret;/' minor.ptx >unknown.ptx
	run -112 --separate-stderr gpurun unknown.ptx -d cpu --launch k
	[[ $stderr == *"line 4: 'newest' is no PTX instruction"* ]]
	run -112 --separate-stderr gpurun "$root/VERSION" "${vadd[@]}"
	run -112 --separate-stderr gpurun /dev/null --list
	printf '.version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k() { nonsense; ret; }\n' >bad.ptx
	run --separate-stderr gpurun bad.ptx --launch k
	[[ $status == 112 ]]
	[[ $stderr == *nonsense* ]]
}

# promise: 0 when all launches are done
@test "113: no such kernel, no such variable" {
	fails 113 "gpurun: error: no kernel 'nosuch'; there is vadd" \
		gpurun "$cuda/vadd.fatbin" --launch nosuch
	run -113 --separate-stderr gpurun "$cuda/vadd.fatbin" --launch vadd -a sym:nosuch -a null -a null -a 0
	[[ $stderr == *"error: launch 1, vadd"*nosuch* ]]
}

# promise: Exit with N, 77
# promise: As --no-device-exit.
# promise: A library to open
# promise: 0 when all launches are done
@test "114: no GPU, unless told what to exit with" {
	export GPURUN_DRIVER=/nonexistent/libcuda.so.1
	run -114 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -d gpu
	[[ $stderr == "gpurun: error: no CUDA driver"*/nonexistent/libcuda.so.1* ]]
	run -77 gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -d gpu --no-device-exit 77
	unset GPURUN_DEVICE
	run -77 gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --no-device-exit 77
	run -0 gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --no-device-exit 0
	GPURUN_NO_DEVICE_EXIT=5 run -5 gpurun "$cuda/vadd.fatbin" "${vadd[@]}"
	run -114 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -d gpu --json
	echo "$output" >report
	same "$(json report exit)" '{"code": 114, "name": "device", "source": "gpurun"}'
	same "$(json report error stage)" device
}

# promise: The option beats GPURUN_DEVICE
# met: --no-device-exit 77 ran on the CPU device where GPURUN_DEVICE=cpu was in the environment
@test "--no-device-exit beats a GPURUN_DEVICE that is the CPU device" {
	local device run=(gpurun "$cuda/vadd.fatbin" "${vadd[@]}")

	export GPURUN_DRIVER=/nonexistent/libcuda.so.1
	for device in cpu cpu:threads=1 auto gpu gpu:1 ''; do
		export GPURUN_DEVICE=$device
		run -77 "${run[@]}" --no-device-exit 77
		run -77 gpurun --no-device-exit 77 --exec true
		run -77 gpurun "$cuda/vadd.fatbin" --info --no-device-exit 77
	done
	export GPURUN_DEVICE=cpu
	# An option beside the option, a variable beside the variable: the device is what they say.
	run -0 "${run[@]}" -d cpu --no-device-exit 77
	GPURUN_NO_DEVICE_EXIT=77 run -0 "${run[@]}"
	GPURUN_NO_DEVICE_EXIT=77 run -0 "${run[@]}" -d cpu
	GPURUN_DEVICE=cpuid run -110 "${run[@]}" --no-device-exit 77
	fails 110 "gpurun: error: --check mem: the device is 'gpu'
gpurun: hint: only the CPU device checks: -d cpu" "${run[@]}" --check mem --no-device-exit 77
}

# promise: Where there is no GPU, the CPU device
# promise: auto (default): a GPU
# promise: Say nothing but errors.
@test "auto takes the CPU device where there is no GPU, and says so once" {
	export GPURUN_DRIVER=/nonexistent/libcuda.so.1
	unset GPURUN_DEVICE
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=iota=2,1
	same "$stderr" "gpurun: no GPU here: using the CPU device"
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=iota=2,1 -q
	same "$stderr" ""
}

# promise: A GPU that is there and fails
@test "a GPU that is there but fails is never replaced by the CPU device" {
	needs_stub
	GPURUN_STUB_FAIL=cuInit=803 run -115 --separate-stderr \
		gpurun "$cuda/vadd.fatbin" "${vadd[@]}"
	[[ $stderr == *cuInit* ]]
	GPURUN_STUB_FAIL=cuDevicePrimaryCtxRetain=46 run -115 --separate-stderr \
		gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --no-device-exit 77
	GPURUN_STUB_FAIL=cuInit=100 run -0 --separate-stderr \
		gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=iota=2,1
	[[ $stderr == *"using the CPU device" ]]
}

# promise: 0 when all launches are done
@test "115: any other failure of the driver, with its name and number" {
	needs_stub
	GPURUN_STUB_FAIL=cuMemAlloc=2 run -115 --separate-stderr \
		gpurun "$cuda/vadd.fatbin" "${vadd[@]}"
	[[ $stderr == "gpurun: error: buffer arg0: "* ]]
	GPURUN_STUB_FAIL=cuStreamCreate=999 run -115 --separate-stderr \
		gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --json
	echo "$output" >report
	same "$(json report exit name)" cuda
	same "$(json report error stage)" stream
}

@test "115: what fails at the end of the process, in the report too" {
	needs_stub
	unload="cuModuleUnload: CUDA_ERROR_INVALID_VALUE (1): invalid argument"
	export GPURUN_STUB_FAIL=cuModuleUnload=1
	fails 115 "gpurun: error: $unload" gpurun "$cuda/vadd.fatbin" -q "${vadd[@]}"
	fails 115 "gpurun: error: $unload" gpurun "$cuda/vadd.fatbin" -t 30 -q "${vadd[@]}"
	for limit in "" 30; do
		[[ -z $limit ]] || export GPURUN_TIMEOUT=$limit
		run -115 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --json
		same "$stderr" "gpurun: error: $unload"
		echo "$output" >report
		same "$(json report exit)" '{"code": 115, "name": "cuda", "source": "gpurun"}'
		same "$(json report error)" "{\"stage\": \"end\", \"message\": \"$unload\"}"
		same "$(json report actions 0 do)" launch
	done
	unset GPURUN_TIMEOUT
	run -115 gpurun "$cuda/vadd.fatbin" "${vadd[@]}" --json=report
	same "$(json report exit code)" 115
}

@test "115: all that fails at the end is told, and the first failure of the run decides" {
	needs_stub
	export GPURUN_STUB_FAIL=cuModuleUnload=1,cuDevicePrimaryCtxRelease=999
	run -115 --separate-stderr gpurun "$cuda/vadd.fatbin" -q "${vadd[@]}"
	[[ $stderr == "gpurun: error: "*cuModuleUnload*cuDevicePrimaryCtxRelease* ]]
	same "${#stderr_lines[@]}" 1
	run -118 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=fill=7 --json
	[[ ${stderr_lines[-1]} == "gpurun: error: "*cuModuleUnload* ]]
	echo "$output" >report
	same "$(json report exit name)" mismatch
	same "$(json report error stage)" expect
	GPURUN_STUB_FAIL=cuModuleUnload=4 fails 0 "" gpurun "$cuda/vadd.fatbin" -q "${vadd[@]}"
	GPURUN_STUB_FAIL=cuMemFree=1 fails 115 \
		"gpurun: error: cuMemFree: CUDA_ERROR_INVALID_VALUE (1): invalid argument; cuMemFree: CUDA_ERROR_INVALID_VALUE (1): invalid argument; cuMemFree: CUDA_ERROR_INVALID_VALUE (1): invalid argument" \
		gpurun "$cuda/vadd.fatbin" -q "${vadd[@]}"
}

# promise: 0 when all launches are done
@test "116: a launch that device or driver refuses" {
	run -116 --separate-stderr gpurun "$cuda/vadd.fatbin" --launch vadd -b 2048 -a null -a null -a null -a 0
	[[ $stderr == "gpurun: error: launch 1, vadd on stream s0, grid 1x1x1, block 2048x1x1: "*1024* ]]
	run -116 --separate-stderr gpurun "$cuda/vadd.fatbin" --launch vadd --shared 1Mi -a null -a null -a null -a 0
	[[ $stderr == *1048576* ]]
}

# promise: The file gets its name at the end
# promise: It executes the PTX
# promise: 0 when all launches are done
@test "117: a kernel that faults, with the report first and no output left" {
	run -117 --separate-stderr gpurun "$cuda/outofbounds.fatbin" -b 64 --launch fill -a x=f32:16 -o x=out.npy
	[[ ${stderr_lines[-1]} == *"launch 1, fill on stream s0, grid 1x1x1, block 64x1x1: "* ]]
	((${#stderr_lines[@]} > 1))
	[[ ! -e out.npy ]]
	same "$(ls | grep -c out || true)" 0
	run -117 --separate-stderr gpurun "$cuda/outofbounds.fatbin" -b 64 --launch fill -a x=f32:16 \
		-e x=zero --json
	echo "$output" >report
	same "$(json report exit name)" fault
	same "$(json report device kind)" cpu
}

# promise: A mismatch says which tolerance
@test "118: where all elements are far off, no tolerance is named" {
	run -118 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=fill=100
	[[ $stderr == *"4 of 4 elements differ"* && $stderr != *"would pass"* ]]
	run -118 --separate-stderr gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=list=2.1,3.1,4.1,5.1
	[[ $stderr == *"4 of 4 elements differ"*"it would pass with --rtol"* ]]
}

# promise: Where a kernel with BUF ran in one thread
# met: without -b a kernel has one thread: all elements but the first were wrong, and nothing said why
@test "118: where no option says how many threads there are, the first mismatch says what to add" {
	local hint="gpurun: hint: copy ran with 1 thread, without -b:" expect
	local a=(-a x=u32:8:iota=1 -a y=u32:8) many=(-a x=u32:1000:iota=1 -a y=u32:1000)

	copy_ptx copy >k.ptx
	run -118 --separate-stderr gpurun k.ptx -l copy "${a[@]}" -e y=iota=1 -e y=iota=1
	same "${stderr_lines[1]}" "$hint -b 8 runs one for each element"
	same "$(grep -c hint: <<<"$stderr")" 1
	run -0 gpurun k.ptx -l copy "${a[@]}" -e y=iota=1 -b 8
	run -118 --separate-stderr gpurun k.ptx -l copy "${many[@]}" -e y=iota=1 --json=out.json
	same "${stderr_lines[1]}" "$hint -b 256 --threads 1000 runs one for each element"
	same "gpurun: hint: $(json out.json error hint)" "${stderr_lines[1]}"
	# Not where an option says it, for a buffer of one element or of no launch, nor without a mismatch.
	for expect in "-b 1" "-g 1" "--threads 1"; do
		run -118 --separate-stderr gpurun k.ptx $expect -l copy "${a[@]}" -e y=iota=1
		[[ $stderr != *hint:* ]]
		run -118 --separate-stderr gpurun k.ptx -l copy "${a[@]}" $expect -e y=iota=1
		[[ $stderr != *hint:* ]]
	done
	run -118 --separate-stderr gpurun k.ptx -l copy -a x=u32:1 -a y=u32:1 -e y=fill=1
	[[ $stderr != *hint:* ]]
	run -118 --separate-stderr gpurun k.ptx -l copy "${a[@]}" --buf z=u32:8 -e z=fill=1
	[[ $stderr != *hint:* ]]
	run -0 --separate-stderr gpurun k.ptx -l copy "${a[@]}" -e y=list=1,0,0,0,0,0,0,0
	same "$stderr" ""
}

# promise: gpurun takes any file
# promise: A mismatch says which tolerance
# promise: An element passes within R times
# promise: 0 when all launches are done
@test "118: a mismatch, which tolerance would pass, and outputs all the same" {
	fails 118 "gpurun: error: expect y: 3 of 4 elements differ; the first is [1]: got 3, want 2.5 (at most: abs 1.5, rel 0.429)
gpurun: hint: it would pass with --rtol 0.43
gpurun: expect y: [2]: got 4, want 3
gpurun: expect y: [3]: got 5, want 3.5" \
		gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=iota=2,0.5 -o y=y.npy
	[[ -e y.npy ]]
	run -0 gpurun "$cuda/vadd.fatbin" "${vadd[@]}" -e y=iota=2,0.5 --rtol 0.43 -e y=@y.npy
	run -118 --separate-stderr gpurun "$cuda/vadd.fatbin" -q "${vadd[@]}" -e y=list=0,3,4,5 -e y=list=1,3,4,5 -e y=iota=2,1
	same "${#stderr_lines[@]}" 4
	[[ $stderr == *"--atol"* ]]
	# Beside 0 a small error is a large relative one.
	run -118 --separate-stderr gpurun "$cuda/vadd.fatbin" -q "${vadd[@]}" \
		--buf z=f32:2:list=1,3e-7 -e z=list=1,1e-7
	[[ ${stderr_lines[1]} == "gpurun: hint: it would pass with --rtol 2.1, or --atol 2.1e-07" ]]
	run -0 gpurun "$cuda/vadd.fatbin" -q "${vadd[@]}" \
		--buf z=f32:2:list=1,3e-7 -e z=list=1,1e-7 --atol 2.1e-07
}

# promise: Kill the run after TIME
# promise: As --timeout.
# promise: 0 when all launches are done
@test "124: --timeout kills a kernel that never ends, and nothing is left of it" {
	cp "$cuda/forever.fatbin" .
	fails 124 "gpurun: error: timed out after 0.5 s while awaiting launch 1, forever on stream s0, grid 1x1x1, block 1x1x1" \
		gpurun "$PWD/forever.fatbin" -t 0.5 --launch forever -a i32:1
	same "$(pgrep -f "$PWD/forever.fatbin" || true)" ""
	GPURUN_TIMEOUT=0.5 run -124 --separate-stderr \
		gpurun "$cuda/forever.fatbin" --launch forever -a i32:1 --json
	echo "$output" >report
	same "$(json report exit)" '{"code": 124, "name": "timeout", "source": "gpurun"}'
	run -0 gpurun "$cuda/vadd.fatbin" -t 1m "${vadd[@]}" -e y=iota=2,1
}

# promise: 0 when all launches are done
@test "125: a driver that crashes" {
	needs_stub
	GPURUN_STUB_CRASH=cuLaunchKernel fails 125 "gpurun: error: crashed: Aborted
gpurun: hint: without --timeout a debugger can be used" \
		gpurun "$cuda/vadd.fatbin" -t 30 "${vadd[@]}"
	GPURUN_STUB_CRASH=cuLaunchKernel run -125 --separate-stderr \
		gpurun "$cuda/vadd.fatbin" -t 30 "${vadd[@]}" --json --seed 7
	echo "$output" >report
	same "$(json report exit)" '{"code": 125, "name": "internal", "source": "gpurun"}'
	same "$(json report seed)" 7
}

# Starts gpurun on a kernel that never ends; $! is its process.
start_forever() {
	gpurun "$cuda/forever.fatbin" "$@" --launch forever -a i32:1 -o arg0=out >stdout 2>stderr 3>&- &
	pid=$!
	sleep 0.5
}

@test "the worker of --timeout dies with its parent" {
	start_forever -t 1m
	worker=$(pgrep -P "$pid")
	kill -KILL "$pid"
	wait "$pid" || true
	sleep 0.3
	# It may not have been reaped yet.
	same "$(ps -o stat= -p "$worker" | grep -v Z || true)" ""
}

@test "a release that fails at the end is told, and makes the status 115" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub
	GPURUN_STUB_FAIL=cuModuleUnload=709 fails 115 \
		"gpurun: error: cuModuleUnload: CUDA_ERROR_CONTEXT_IS_DESTROYED (709): the context was destroyed" \
		gpurun "$cuda/pipeline.fatbin" -q --launch produce -a t=f32:4
	# Several are told together: those of the run, and those of the exit hook.
	GPURUN_STUB_FAIL=cuModuleUnload=999,cuStreamDestroy=1,cuMemFree=400 run -115 \
		--separate-stderr gpurun "$cuda/pipeline.fatbin" -q --launch produce -a t=f32:4
	same "$stderr" "gpurun: error: cuMemFree: CUDA_ERROR_INVALID_HANDLE (400): invalid handle; cuStreamDestroy: CUDA_ERROR_INVALID_VALUE (1): invalid argument
gpurun: error: cuModuleUnload: CUDA_ERROR_UNKNOWN (999): unknown error"
	# After a failure the exit hook tells it; the first failure decides.
	GPURUN_STUB_FAIL=cuLaunchKernel=701,cuModuleUnload=999 run -116 --separate-stderr \
		gpurun "$cuda/pipeline.fatbin" -q --launch produce -a t=f32:4
	same "${#stderr_lines[@]}" 2
	same "${stderr_lines[1]}" "gpurun: error: cuModuleUnload: CUDA_ERROR_UNKNOWN (999): unknown error"
}

@test "--json tells the status that a failing release leads to" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub
	GPURUN_STUB_FAIL=cuMemFree=1 run -115 --separate-stderr \
		gpurun "$cuda/pipeline.fatbin" --json --launch produce -a t=f32:4
	echo "$output" >report.json
	same "$(json report.json exit code)" 115
	same "$(json report.json error stage)" end
}

# promise: With leaks the library writes
# promise: After a run without a failure
@test "a run that went well leaks nothing, and says so when asked" {
	export GPURUN_LOG=leaks
	run -0 --separate-stderr gpurun "$cuda/pipeline.fatbin" -q --json=report --load b="$cuda/vadd.fatbin" \
		--launch produce -b 4 -a t=f32:4 --stream s1 --event e --launch b:vadd -b 4 -a t -a t \
		-a y=f32:4 -a 4 --stream s2 --after e --unload b --print y
	same "$stderr" "gpurun: device 0: no memory leaked, peak 32 bytes"
	# After a failure they are told: the buffer, and the stream.
	run -117 --separate-stderr gpurun "$cuda/outofbounds.fatbin" -b 64 --launch fill -a x=f32:16
	[[ $stderr == *"gpurun: leak: 64 bytes of device memory at "*"gpurun: leak: 1 stream"* ]]
}
