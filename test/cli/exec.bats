# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --exec: host programs on the device, with a limit, and with their own exit status.

load helpers

hint="gpurun: hint: with --exec go --annotate, --check, --color, -d, --expect-fault, -j, --junit, --lock, --no-device-exit, -q, --require-launch, -t, --trace and -v; what follows it is the program's"

script() {	# FILE LINE... : an executable script
	printf '#!/bin/sh\n' >"$1"
	printf '%s\n' "${@:2}" >>"$1"
	chmod +x "$1"
}

# promise: --exec runs PROG
# promise: That is any program
@test "a program that opens or links the driver finds the CPU device" {
	for program in opened linked; do
		prints "gpurun CPU device: 1 3 5 7" \
			gpurun --exec "$build/test/host-programs/$program" "$cuda/saxpy.ptx"
		same "$stderr" ""
		prints "gpurun CPU device: 1 3 5 7" \
			gpurun -t 1m --exec "$build/test/host-programs/$program" "$cuda/saxpy.ptx"
		same "$stderr" ""
		run -2 --separate-stderr gpurun --exec "$build/test/host-programs/$program" nosuch
		same "$stderr" "cannot read nosuch"
	done
}

@test "without the library path such a program would not find it" {
	for program in opened linked; do
		"$build/test/host-programs/$program" "$cuda/saxpy.ptx" >out 2>&1 || true
		[[ -s out && $(<out) != *"CPU device"* ]]
	done
}

# promise: The last option: all words after it
@test "every word behind it is the program's, as it stands" {
	prints '[--launch][-j][--][@x][-t][ a  b ][]' \
		gpurun --exec printf '[%s]' --launch -j -- @x -t ' a  b ' ''
	prints '[-V]' gpurun --exec=printf '[%s]' -V
	printf '%s\n' '-t' 30 --exec printf '[%s]' >words
	prints '[a][@words]' gpurun @words a @words
}

# promise: Without -t, -j, --junit
@test "without a limit the program takes the place of gpurun" {
	gpurun --exec sh -c 'echo $$; exec cat' <&- >out 3>&- &
	pid=$!
	wait $pid || true
	same "$(head -n 1 out)" $pid
}

# promise: The exit status is the program
@test "the exit status is the program's, whatever it is" {
	for code in 0 1 77 110 115 124 125 127 255; do
		run "-$code" --separate-stderr gpurun --exec sh -c "exit $code"
		same "$output$stderr" ""
		run "-$code" --separate-stderr gpurun -t 60 --exec sh -c "exit $code"
		same "$output$stderr" ""
	done
}

# promise: The exit status is the program
@test "a program that a signal ends: 128+N" {
	run -139 gpurun --exec sh -c 'kill -SEGV $$'
	fails 139 "gpurun: error: ended by signal 11 (Segmentation fault)" \
		gpurun -t 60 --exec sh -c 'kill -SEGV $$'
	fails 137 "gpurun: error: ended by signal 9 (Killed)" \
		gpurun -t 60 --exec sh -c 'kill -KILL $$'
}

# promise: With any of them it leads a process group
@test "124: the limit kills the program and what it started" {
	# The second one starts another and dies for it to be an orphan.
	script forks 'sleep 300 & echo $! >>pids' '(sleep 300 & echo $! >>pids)' 'echo $$ >>pids' 'wait'
	fails 124 "gpurun: error: timed out after 2 s: killed" gpurun -t 2 --exec ./forks
	same "$(wc -l <pids)" 3
	sleep 0.2
	while read -r pid; do
		same "$(ps -o stat= -p "$pid" | grep -v Z || true)" ""
	done <pids
	GPURUN_TIMEOUT=0.3 run -124 gpurun --exec sleep 300
}

@test "what helps where an image has no PTX is said once" {
	run -112 --separate-stderr gpurun --exec "$build/test/host-programs/statuses/driver" init \
		"load:$data/images/vadd.90.cubin"
	same "${stderr_lines[0]}" "gpurun: an image in memory: contains sm_90 SASS only; the CPU device is sm_90 and runs PTX"
	same "${stderr_lines[1]}" "gpurun: hint: rebuild with PTX: nvcc -gencode arch=compute_90,code=compute_90, clang --cuda-include-ptx=sm_90; what makes cubins alone: nvcc -lineinfo, clang -gline-tables-only"
	same "$(grep -c gencode <<<"$stderr")" 1
}

# promise: When the time is over, the message
@test "124: what ran on the CPU device is named, in whichever process" {
	local driver=$build/test/host-programs/statuses/driver
	local forever=(init "load:$cuda/forever.fatbin" alloc launch:forever,g=3 sync)

	cat >one.ptx <<-'PTX'
		.version 7.8
		.target sm_90
		.address_size 64
		.visible .entry one_ends(.param .u64 p)
		{
			.reg .u32 %r;
			.reg .pred %q;
			mov.u32 %r, %ctaid.x;
			setp.eq.u32 %q, %r, 0;
			@%q ret;
		again:
			bra again;
		}
	PTX
	fails 124 "gpurun: error: timed out after 1 s: killed while forever ran, grid 3x1x1, block 1x1x1: 0 of 3 blocks had ended" \
		gpurun -t 1 --exec "$driver" "${forever[@]}"
	fails 124 "gpurun: error: timed out after 1 s: killed while one_ends ran, grid 2x1x1, block 4x1x1: 1 of 2 blocks had ended" \
		gpurun -t 1 --json=r.json --exec "$driver" init load:one.ptx launch:one_ends,g=2,b=4 sync
	[[ $(<r.json) == *"killed while one_ends ran"* ]]
	# A process that has ended answers nothing, one that runs nothing neither.
	room_for_tsan
	script both "$driver init load launch:nothing sync" "$driver ${forever[*]}"
	fails 124 "gpurun: error: timed out after 1 s: killed while forever ran, grid 3x1x1, block 1x1x1: 0 of 3 blocks had ended" \
		gpurun -t 1 --exec ./both
	script idle "$driver init load launch:nothing sync" 'sleep 300'
	fails 124 "gpurun: error: timed out after 1 s: killed" gpurun -t 1 --exec ./idle
}

# promise: With any of them it leads a process group
# promise: To programs of --exec
@test "a signal is passed on to the program; a second one kills" {
	script obeys 'trap "echo told; exit 7" TERM' 'echo ready' 'while :; do sleep 0.05; done'
	gpurun -t 60 --exec ./obeys >out 3>&- &
	pid=$!
	until grep -qs ready out; do sleep 0.05; done
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	same "$code: $(<out)" $'7: ready\ntold'
	script stubborn 'trap "echo told" TERM' 'echo ready' 'while :; do sleep 0.05; done'
	gpurun -t 60 --exec ./stubborn >second 2>err 3>&- &
	pid=$!
	until grep -qs ready second; do sleep 0.05; done
	kill -TERM $pid
	until grep -qs told second; do sleep 0.05; done
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	same "$code: $(tail -n 1 err)" '143: gpurun: error: killed by a second signal'
}

# promise: With any of them it leads a process group
@test "the program, and what it started, dies with a gpurun that watches over it" {
	# One has lost its parent, one ignores what it can.
	script waits '(sleep 300 & echo $! >>pids)' '(trap "" TERM HUP; sleep 300) & echo $! >>pids' \
		'echo $$ >>pids' 'echo ready >>pids' 'wait'
	for limit in "-t 60" -j; do
		rm -f pids
		# shellcheck disable=SC2086 # two words, or one
		gpurun $limit --exec ./waits >out 3>&- &
		pid=$!
		until grep -qs ready pids; do sleep 0.05; done
		kill -KILL $pid
		wait $pid || true
		for ((i = 0; i < 100; i++)); do
			left=$(grep -v ready pids | xargs -n 1 ps -o stat= -p | grep -v Z || true)
			[[ -n $left ]] || break
			sleep 0.05
		done
		same "$left" ""
	done
}

# promise: What is left of the group
@test "what the program leaves behind lives on when it ends by itself" {
	script leaves 'sleep 300 >/dev/null 2>&1 & echo $!'
	run -0 gpurun -t 60 --exec "$PWD/leaves"
	same "$(ps -o comm= -p "$output")" sleep
	kill "$output"
	# Neither does the one that would have killed it.
	same "$(pgrep -f "$PWD/leaves" || true)" ""
}

# promise: With -j alone
@test "--json: one object, with the program's exit status and whose it is" {
	run -3 --separate-stderr gpurun -j --exec sh -c 'echo hello; exit 3' x 'a b'
	same "$stderr" hello
	echo "$output" >report
	same "$(json report exit)" '{"code": 3, "name": "program", "source": "program"}'
	same "$(json report exec)" \
		'{"program": "sh", "args": ["-c", "echo hello; exit 3", "x", "a b"]}'
	same "$(json report device kind)" cpu
	prints hello gpurun --json=report --exec echo hello
	same "$(json report exit)" '{"code": 0, "name": "ok", "source": "program"}'
	run -139 --separate-stderr gpurun -j --exec sh -c 'kill -SEGV $$'
	echo "$output" >report
	same "$(json report exit)" '{"code": 139, "name": "signal", "source": "program"}'
	same "$(json report error message)" "ended by signal 11 (Segmentation fault)"
	run -124 --separate-stderr gpurun -j -t 2 --exec sleep 300
	echo "$output" >report
	same "$(json report exit)" '{"code": 124, "name": "timeout", "source": "gpurun"}'
	same "$(json report device kind)" cpu
	run -111 --separate-stderr gpurun -j --exec nosuch
	echo "$output" >report
	same "$(json report exit)" '{"code": 111, "name": "file", "source": "gpurun"}'
	same "$(json report error stage)" exec
	run -110 --separate-stderr gpurun --wrong --exec echo --json
	same "$output" ""
}

@test "--json: the report does not wait for what the program leaves behind" {
	# Without bats's own descriptor, at whose end the file of tests ends.
	run -0 --separate-stderr timeout 20 gpurun -j --exec sh -c 'sleep 30 >/dev/null 2>&1 3>&- &'
	[[ $output == *'"code":0'* ]]
}

environment() {	# NAME GPURUN-OPTION... : the variable in the program
	run -0 --separate-stderr gpurun "${@:2}" --exec sh -c "echo \"\$$1\""
	printf %s "$output"
}

# promise: The program finds in its environment
# promise: Keys of the CPU device
@test "the environment tells the device" {
	unset LD_LIBRARY_PATH
	same "$(environment GPURUN_DEVICE)" cpu
	same "$(environment LD_LIBRARY_PATH)" "$build/lib/gpurun/cudart:$build/lib/gpurun/cpu:$build/lib"
	same "$(environment GPURUN_CPU -d cpu:threads=3,cc=8.0)" threads=3,cc=8.0
	same "$(GPURUN_CPU=threads=1 environment GPURUN_CPU -d cpu:cc=8.0)" \
		threads=1,cc=8.0
	same "$(GPURUN_CPU=threads=1 environment GPURUN_CPU)" threads=1
	same "$(LD_LIBRARY_PATH=/a::/b environment LD_LIBRARY_PATH)" \
		"$build/lib/gpurun/cudart:$build/lib/gpurun/cpu:$build/lib:/a::/b"
	same "$(LD_LIBRARY_PATH=/a:$build/lib/gpurun/cudart:$build/lib environment LD_LIBRARY_PATH)" \
		"$build/lib/gpurun/cudart:$build/lib/gpurun/cpu:$build/lib:/a"
	same "$(environment GPURUN_WORKER -t 60)" ""
}

# promise: On the CPU device LD_AUDIT names
# promise: GLIBC_TUNABLES gets the room
# promise: NVCC_APPEND_FLAGS gets '-lineinfo'
@test "variables for the loader and for nvcc keep what the user has set" {
	local start=$build/lib/gpurun/start/libgpurun-start.so tls=glibc.rtld.optional_static_tls

	[[ -e $start ]] || skip "there is no $start for this processor"
	unset LD_AUDIT GLIBC_TUNABLES NVCC_APPEND_FLAGS
	same "$(environment LD_AUDIT)" "$start"
	# gpurun itself is started with it, too: a build with the thread sanitizer needs the room then.
	same "$(LD_AUDIT=$build/lib/gpurun/start/other.so GLIBC_TUNABLES=$tls=2000000 environment LD_AUDIT 2>/dev/null)" \
		"$start:$build/lib/gpurun/start/other.so"
	same "$(environment GLIBC_TUNABLES)" $tls=8192
	same "$(GLIBC_TUNABLES=$tls=100 environment GLIBC_TUNABLES)" $tls=100:$tls=8192
	same "$(GLIBC_TUNABLES=$tls=9000 environment GLIBC_TUNABLES)" $tls=9000
	same "$(GLIBC_TUNABLES=glibc.malloc.check=0 environment GLIBC_TUNABLES)" \
		glibc.malloc.check=0:$tls=8192
	same "$(environment NVCC_APPEND_FLAGS)" -lineinfo
	same "$(NVCC_APPEND_FLAGS=-O1 environment NVCC_APPEND_FLAGS)" "-O1 -lineinfo"
	same "$(NVCC_APPEND_FLAGS="-G -O1" environment NVCC_APPEND_FLAGS)" "-G -O1"
	# A gpurun that is started by such a program, for a GPU, takes its part back.
	[[ -e $stub ]] || return 0
	run -0 --separate-stderr gpurun -d cpu --exec env GPURUN_DRIVER="$stub" GLIBC_TUNABLES=$tls=2000000 \
		gpurun -d gpu --exec sh -c 'echo "$LD_AUDIT"'
	same "$output" ""
}

# promise: The program finds in its environment
@test "where packages are: MLIR's folder, and not the system's before those that the environment names" {
	local lib=$PWD/usr/lib libc

	mkdir -p usr/bin "$lib/gpurun/mlir"
	cp "$build/bin/gpurun" usr/bin
	cp "$build/lib/libgpurun.so.0" "$lib"
	ln -s "$build/lib/gpurun/cpu" "$build/lib/gpurun/cudart" "$lib/gpurun/"
	PATH=$PWD/usr/bin:$PATH LD_LIBRARY_PATH=/a environment LD_LIBRARY_PATH >path
	same "$(<path)" "$lib/gpurun/cudart:$lib/gpurun/cpu:$lib/gpurun/mlir:$lib:/a"
	# The C library's folder is the system's.
	libc=$(ldd "$build/bin/gpurun" | sed -n 's/.* => \(.*libc\.so\.6\) .*/\1/p')
	cp "$libc" "$lib"
	PATH=$PWD/usr/bin:$PATH LD_LIBRARY_PATH=/a:$lib environment LD_LIBRARY_PATH >path
	same "$(<path)" "$lib/gpurun/cudart:$lib/gpurun/cpu:$lib/gpurun/mlir:/a:$lib"
}

# promise: The program finds in its environment
@test "a program of CUDA finds our runtime, in the place of one that the environment names" {
	mkdir other
	echo none >other/libcudart.so.13
	LD_LIBRARY_PATH=$PWD/other prints 0 gpurun --exec "$build/test/host-programs/runtime" cudaDeviceSynchronize 1
	same "$stderr" ""
	LD_LIBRARY_PATH=$PWD/other run -1 --separate-stderr "$build/test/host-programs/runtime" cudaDeviceSynchronize 1
	same "$stderr" "dlopen of libcudart.so.13: 1"
}

# promise: The program finds in its environment
# promise: With -d gpu:N
@test "on a GPU: neither CPU device nor our runtime in the path, and one that was asked for is the only one" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	export GPURUN_DRIVER=$stub GPURUN_STUB_DEVICES=3
	unset CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH GPURUN_DEVICE
	same "$(environment GPURUN_DEVICE)" gpu
	same "$(environment CUDA_VISIBLE_DEVICES)" ""
	same "$(LD_LIBRARY_PATH=$build/lib/gpurun/cpu:/a:$build/lib:$build/lib/gpurun/cudart environment LD_LIBRARY_PATH)" \
		"$build/lib:/a"
	same "$(environment CUDA_VISIBLE_DEVICES -d gpu:2)" 2
	same "$(environment GPURUN_DEVICE -d gpu:2)" gpu
	same "$(CUDA_VISIBLE_DEVICES=7,GPU-12,5 environment CUDA_VISIBLE_DEVICES -d gpu:1)" GPU-12
	same "$(CUDA_VISIBLE_DEVICES=7,GPU-12,5 environment CUDA_VISIBLE_DEVICES)" 7,GPU-12,5
	run -114 --separate-stderr gpurun -d gpu:3 --exec true
	same "$stderr" "gpurun: error: no device 3: there are 3"
}

# promise: --exec runs PROG
# promise: A program that cannot be run
@test "the device is looked for as for a kernel" {
	export GPURUN_DRIVER=/nonexistent/libcuda.so.1
	unset GPURUN_DEVICE
	run -0 --separate-stderr gpurun --exec true
	same "$stderr" "gpurun: no GPU here: using the CPU device"
	run -0 --separate-stderr gpurun -q --exec true
	same "$stderr" ""
	run -77 --separate-stderr gpurun --no-device-exit 77 --exec touch ran
	run -77 --separate-stderr gpurun --no-device-exit 77 -t 60 --exec touch ran
	run -114 --separate-stderr gpurun -d gpu --exec touch ran
	[[ $stderr == "gpurun: error: no CUDA driver"* ]]
	run -110 --separate-stderr gpurun -d cpu:nosuch=1 --exec touch ran
	[[ $stderr == *nosuch* && ! -e ran ]]
	[[ -e $stub ]] || skip "the stub driver is not built"
	GPURUN_DRIVER=$stub GPURUN_STUB_FAIL=cuInit=803 run -115 --separate-stderr \
		gpurun --exec touch ran
	[[ $stderr == *cuInit* && ! -e ran ]]
}

@test "looking for the device leaves nothing behind" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	GPURUN_DRIVER=$stub GPURUN_STUB_TRACE=$PWD/trace run -0 gpurun -d gpu --exec true
	grep -q '^cuInit' trace
	run -1 grep -E '^cu(DevicePrimaryCtxRetain|Ctx|StreamCreate|MemAlloc)' trace
}

# promise: --exec runs PROG
# promise: A program that cannot be run
@test "111: a program that cannot be run" {
	fails 111 "gpurun: error: nosuch: cannot run: not found in PATH" gpurun --exec nosuch
	fails 111 "gpurun: error: ./nosuch: cannot run: No such file or directory" \
		gpurun --exec ./nosuch
	fails 111 "gpurun: error: ./nosuch: cannot run: No such file or directory" \
		gpurun -t 60 --exec ./nosuch
	fails 111 "gpurun: error: /: cannot run: Is a directory" gpurun --exec /
	echo >file
	fails 111 "gpurun: error: ./file: cannot run: Permission denied" gpurun --exec ./file
	cp "$cuda/vadd.fatbin" program
	chmod +x program
	fails 111 "gpurun: error: ./program: cannot run: Exec format error
gpurun: hint: a script begins with #!; gpurun FILE --launch KERNEL runs a file of kernels" \
		gpurun --exec ./program
	fails 111 "gpurun: error: program: cannot run: not found in PATH
gpurun: hint: the one in this folder is ./program" gpurun --exec program
	script good 'echo good'
	PATH=$PATH: prints good gpurun --exec good
	fails 110 "gpurun: error: --exec: the name of the program is empty" gpurun --exec ''
}

# promise: Besides -d only
@test "110: what does not go with it" {
	fails 110 "gpurun: error: k.ptx besides --exec, which runs a program instead
$hint" gpurun k.ptx --exec true
	fails 110 "gpurun: error: --launch besides --exec, which runs a program instead
$hint" gpurun --launch k --exec true
	fails 110 "gpurun: error: --load besides --exec, which runs a program instead
$hint" gpurun --load a=b --exec true
	fails 110 "gpurun: error: --seed besides --exec, which runs a program instead
$hint" gpurun -d cpu --seed 7 --exec true
	fails 110 "gpurun: error: only one of --list, --info, --extract, --devices, --doctor, --dry-run and --exec can be given" \
		gpurun --dry-run --exec true
	fails 110 "gpurun: error: --exec needs a value: PROG [ARG]..." gpurun --exec
	run -0 gpurun --version --exec false
	[[ $output == gpurun* ]]
	GPURUN_SEED=3 run -0 gpurun --exec true
}
