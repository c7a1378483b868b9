# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How a signal, or the end of --timeout, stops a run: what is said and written, and that
# nothing is left.

load helpers

# Prints k.ptx: "endless" says that it runs, "silent" does not, and neither ends.
endless() {
	cat <<-'EOF'
		.version 8.0
		.target sm_90
		.address_size 64
		.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
		.global .align 1 .b8 text[7] = {114, 117, 110, 115, 33, 10, 0};
		.visible .entry endless(.param .u64 unused) {
			.reg .b64 %f;
			.reg .b32 %r;
			mov.u64 %f, text;
			cvta.global.u64 %f, %f;
			{
				.param .b64 a; st.param.b64 [a], %f;
				.param .b64 b; st.param.b64 [b], 0;
				.param .b32 c; call.uni (c), vprintf, (a, b);
			}
		L:	bra L;
		}
		.visible .entry silent() { L: bra L; }
		.visible .entry done() { ret; }
	EOF
}

setup_file() {
	endless >"$BATS_FILE_TMPDIR/k.ptx"
}

# Starts a command as a shell's foreground job would be, in a group of its own.
start() {
	began=$SECONDS
	rm -f stdout stderr
	setsid env --default-signal=INT,TERM,HUP "$@" <&0 >stdout 2>stderr 3>&- &
	pid=$!
}

# The same for gpurun, until FILE says that the kernel runs.
start_endless() {	# ARGS...
	cp "$BATS_FILE_TMPDIR/k.ptx" .
	GPURUN_CPU=${GPURUN_CPU:+$GPURUN_CPU,}printf=line start gpurun k.ptx "$@"
	until_in "runs!" stdout stderr
}

until_in() {	# TEXT FILE...
	local i

	for ((i = 0; i < 600; i++)); do
		! grep -qs -- "$@" || return 0
		sleep 0.05
	done
	cat stderr
	return 1
}

# Waits: the status, soon, and nothing of it is left.
ends() {	# STATUS
	local code=0

	wait "$pid" || code=$?
	same "$code" "$1"
	[[ $((SECONDS - began)) -lt 20 ]]
	gone
}

gone() {
	local i

	for ((i = 0; i < 40; i++)); do
		[[ -n $(ps -o pid= -g "$pid" | xargs -r ps -o stat= -p | grep -v Z) ]] || return 0
		sleep 0.05
	done
	ps -o pid,stat,args -g "$pid"
	return 1
}

# Waits until the stub hangs in CALL, or CALL:USE.
hangs_in() {
	until_in "^hangs: ${1%:*}$" trace
}

needs_stub() {
	[[ -e $stub ]] || skip "the stub driver is not built"
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub GPURUN_STUB_TRACE=$PWD/trace
}

awaiting="while awaiting launch 1, endless on stream s0, grid 1x1x1, block 1x1x1"

# promise: The first SIGINT
# promise: Outputs of -o
# promise: On the CPU device kernels are stopped
@test "one signal ends a kernel that never ends, and says what was awaited" {
	local row name code text limit

	for row in "TERM 143 15 (Terminated)" "INT 130 2 (Interrupt)" "HUP 129 1 (Hangup)"; do
		read -r name code text <<<"$row"
		for limit in "" "-t 60"; do
			# shellcheck disable=SC2086 # two words, or none
			start_endless $limit --json=report --launch endless -a y=f32:4 -o y=out
			kill "-$name" "$pid"
			ends "$code"
			same "$(<stderr)" "gpurun: error: stopped by signal $text $awaiting"
			same "$(<stdout)" "runs!"
			same "$(json report exit)" "{\"code\": $code, \"name\": \"signal\", \"source\": \"gpurun\"}"
			same "$(json report error)" \
				"{\"stage\": \"signal\", \"message\": \"stopped by signal $text $awaiting\"}"
			same "$(json report awaited)" \
				'[{"launch": 1, "kernel": "endless", "stream": "s0"}]'
			same "$(json report actions 0 do) $(json report seed) $(json report device kind)" \
				"launch 1 cpu"
			same "$(echo *)" "k.ptx report stderr stdout"
		done
	done
}

# promise: With -t a signal is one signal
@test "a signal to the group of processes, or to the worker alone, is one signal" {
	start_endless -t 60 -j --launch endless -a null
	kill -TERM "-$pid"
	ends 143
	same "$(<stderr)" "runs!
gpurun: error: stopped by signal 15 (Terminated) $awaiting"
	same "$(json stdout exit code) $(json stdout awaited 0 launch)" "143 1"
	start_endless -t 60 -j --launch endless -a null
	kill -TERM "$(pgrep -P "$pid")"
	ends 143
	same "$(<stderr)" "runs!
gpurun: error: stopped by signal 15 (Terminated) $awaiting"
	same "$(json stdout exit code) $(json stdout awaited 0 launch)" "143 1"
}

# promise: The first SIGINT
@test "what ends within the second is released, and the rest is not begun" {
	local wait='.reg .u64 %t, %u; .reg .pred %p; mov.u64 %t, %globaltimer; add.u64 %t, %t, 900000000;'

	wait+=' L: mov.u64 %u, %globaltimer; setp.lt.u64 %p, %u, %t; @%p bra L; ret;'
	endless | sed "s/endless(.*)/slow()/; s/^L:\tbra L;/$wait/" >slow.ptx
	GPURUN_CPU=printf=line start gpurun slow.ptx --json=report --launch slow --await all --launch slow
	until_in "runs!" stdout
	kill -TERM "$pid"
	ends 143
	same "$(json report actions)" "$(json report actions 0 | sed 's/.*/[&]/')"
	[[ $(<stderr) == "gpurun: error: stopped by signal 15 (Terminated) while awaiting launch 1, slow"* ]]
	same "$(wc -l <stderr)" 1
}

# promise: A second signal
@test "a second signal ends at once" {
	local limit

	for limit in "" "-t 60"; do
		# shellcheck disable=SC2086 # two words, or none
		start_endless $limit -j --launch endless -a null
		kill -TERM "$pid"
		until_in "error" stderr
		kill -INT "$pid"
		ends 143
		same "$(json stdout exit code) $(json stdout awaited 0 kernel)" "143 endless"
	done
}

# promise: With 1 each launch waits
# met: nothing named the launch that hung, and its report had no actions and no device
@test "the launch that is awaited is named among others, and on its stream" {
	start_endless --launch silent --stream s1 --launch done --launch endless -a null --stream s2 --event e --await e
	kill -TERM "$pid"
	ends 143
	same "$(<stderr)" \
		"gpurun: error: stopped by signal 15 (Terminated) while awaiting launch 3, endless on stream s2, grid 1x1x1, block 1x1x1"
	start_endless --launch done --await all --launch endless -g 2 -a null --launch silent --await all
	kill -TERM "$pid"
	ends 143
	same "$(<stderr)" \
		"gpurun: error: stopped by signal 15 (Terminated) while awaiting launches 2 (endless) to 3 (silent) on stream s0"
	# Launches that the driver waits for the end of.
	CUDA_LAUNCH_BLOCKING=1 start_endless --launch done --launch endless -a null
	kill -TERM "$pid"
	ends 143
	[[ $(<stderr) == *"(Terminated) while awaiting launch 2, endless on stream s0"* ]]
}

# promise: The message and -j name
# met: nothing named the launch that hung, and its report had no actions and no device
@test "the end of --timeout names what hangs, and loses nothing that kernels print" {
	cp "$BATS_FILE_TMPDIR/k.ptx" .
	fails_after=$SECONDS
	run -124 --separate-stderr gpurun k.ptx -t 1 --json=report --launch endless -a y=f32:4 -o y=out
	[[ $((SECONDS - fails_after)) -lt 20 ]]
	same "$stderr" "gpurun: error: timed out after 1 s $awaiting"
	same "$output" "runs!"
	same "$(json report error)" "{\"stage\": \"timeout\", \"message\": \"timed out after 1 s $awaiting\"}"
	same "$(json report exit)" '{"code": 124, "name": "timeout", "source": "gpurun"}'
	same "$(json report actions 0 kernel) $(json report awaited 0 launch) $(json report device kind)" \
		"endless 1 cpu"
	same "$(ls --ignore='separate-stderr-*')" "$(printf '%s\n' k.ptx report)"
}

# promise: A signal that is ignored
@test "what is ignored at the start stays ignored" {
	local limit

	for limit in "" "-t 60"; do
		cp "$BATS_FILE_TMPDIR/k.ptx" .
		# shellcheck disable=SC2086 # two words, or none
		GPURUN_CPU=printf=line start env --ignore-signal=HUP,INT gpurun k.ptx $limit --launch endless -a null
		until_in "runs!" stdout
		kill -HUP "-$pid"
		kill -INT "-$pid"
		sleep 0.3
		same "$(<stderr)" ""
		kill -TERM "$pid"
		ends 143
		same "$(<stderr)" "gpurun: error: stopped by signal 15 (Terminated) $awaiting"
	done
}

# The thread sanitizer keeps a signal back until such a call of the system returns.
# promise: Where nothing was launched yet
# bats test_tags=blocked
@test "a signal while standard input is read" {
	mkfifo pipe
	exec 4<>pipe
	start gpurun - --json=report --launch k <&4
	is_in 0 63
	kill -TERM "$pid"
	ends 143
	same "$(<stderr)" "gpurun: error: stopped by signal 15 (Terminated)"
	same "$(json report exit name) $(json report actions) $(json report seed)" "signal [] 1"
	start gpurun - --list <&4
	is_in 0 63
	kill -HUP "$pid"
	ends 129
	same "$(<stdout)$(<stderr)" "gpurun: error: stopped by signal 1 (Hangup)"
}

# promise: On the CPU device kernels are stopped
@test "a driver that hangs, wherever it does" {
	local row call text limit

	needs_stub
	for row in "cuInit" "cuModuleLoadDataEx" "cuLaunchKernel while awaiting launch 1, produce on stream s1, grid 1x1x1, block 1x1x1" \
		"cuStreamSynchronize:2 while awaiting launch 1, produce on stream s1, grid 1x1x1, block 1x1x1"; do
		read -r call text <<<"$row"
		for limit in "" "-t 60"; do
			rm -f trace stdout
			# shellcheck disable=SC2086 # two words, or none
			GPURUN_STUB_HANG=$call start gpurun "$cuda/pipeline.fatbin" $limit -j \
				--launch produce -a t=f32:4 --stream s1 -o t=out
			hangs_in "$call"
			kill -TERM "$pid"
			ends 143
			same "$(<stderr)" "gpurun: error: stopped by signal 15 (Terminated)${text:+ $text}"
			same "$(json stdout exit code)" 143
			[[ ! -e out ]]
		done
	done
	rm trace
	GPURUN_STUB_HANG=cuInit start gpurun --devices --json
	hangs_in cuInit
	kill -TERM "$pid"
	ends 143
	same "$(json stdout exit name)" signal
	GPURUN_STUB_HANG=cuStreamSynchronize:2 run -124 --separate-stderr gpurun "$cuda/pipeline.fatbin" -t 1 \
		--launch produce -a t=f32:4 --stream s1
	same "$stderr" "gpurun: error: timed out after 1 s while awaiting launch 1, produce on stream s1, grid 1x1x1, block 1x1x1"
}

@test "a driver that hangs when all is over" {
	needs_stub
	GPURUN_STUB_HANG=cuModuleUnload start gpurun "$cuda/pipeline.fatbin" -q -j \
		--launch produce -a t=f32:4 -o t=out
	hangs_in cuModuleUnload
	[[ -e out ]]
	kill -TERM "$pid"
	ends 143
	same "$(<stderr)" "gpurun: error: stopped by signal 15 (Terminated) at the end of the process"
	same "$(json stdout exit code) $(json stdout actions 0 do)" "143 launch"
	GPURUN_STUB_HANG=cuModuleUnload run -124 --separate-stderr gpurun "$cuda/pipeline.fatbin" -q -t 1 \
		--launch produce -a t=f32:4
	same "$stderr" "gpurun: error: timed out after 1 s at the end of the process"
}

@test "a signal while the report is written: it is whole, and the process ends" {
	local i

	cp "$BATS_FILE_TMPDIR/k.ptx" .
	export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0
	start env LD_PRELOAD="$build/test/host-programs/preload/slow.so" gpurun k.ptx --json=report --launch done
	for ((i = 0; i < 500; i++)); do
		! compgen -G 'report.*' >/dev/null || break
		sleep 0.02
	done
	kill -TERM "$pid"
	ends 143
	same "$(<stderr)" "gpurun: error: stopped by signal 15 (Terminated) at the end of the process"
	same "$(json report exit code)" 0
	same "$(ls)" $'k.ptx\nreport\nstderr\nstdout'
}

@test "a signal while a pipe that no process reads is written to" {
	mkfifo pipe
	exec 4<>pipe
	cp "$BATS_FILE_TMPDIR/k.ptx" .
	setsid env --default-signal=TERM gpurun k.ptx --json=report --launch done --buf y=u8:4Mi -o y=- >pipe 2>stderr 3>&- &
	pid=$! began=$SECONDS
	is_in 1 64
	kill -TERM "$pid"
	ends 143
	same "$(<stderr)" "gpurun: error: stopped by signal 15 (Terminated)"
	same "$(json report exit code)" 143
}

# promise: The file gets its name at the end
# promise: SIGXFSZ is ignored
@test "outputs take their places together, or not at all" {
	local limit

	cp "$BATS_FILE_TMPDIR/k.ptx" .
	for limit in "" "-t 60"; do
		echo old >a
		# The second is larger than a file may be here. Blocks are of 1024 bytes.
		# shellcheck disable=SC2086,SC2016 # two words, or none
		run -111 --separate-stderr bash -c 'ulimit -f 64; exec gpurun "$@"' - k.ptx $limit -f \
			--launch done --buf x=u8:16 --buf y=u8:1Mi -o x=a -o y=b
		same "$stderr" "gpurun: error: b: cannot write: File too large"
		same "$output" ""
		same "$(<a)" old
		same "$(ls --ignore='*std*')" "$(printf '%s\n' a k.ptx)"
	done
	# shellcheck disable=SC2016
	run -153 bash -c 'ulimit -f 1; gpurun --exec head -c 1M /dev/zero >zeros'
	# shellcheck disable=SC2016
	run -153 bash -c 'ulimit -f 1; gpurun -t 60 --exec head -c 1M /dev/zero >zeros'
}

# The first one is written when the second one waits for a reader.
# bats test_tags=blocked
@test "a signal while an output waits for its reader" {
	local i

	cp "$BATS_FILE_TMPDIR/k.ptx" .
	mkfifo pipe
	start gpurun k.ptx --json=report --launch done --buf x=u8:16 -o x=a --buf y=u8:16 -o y=pipe
	for ((i = 0; i < 600; i++)); do
		[[ -z $(find . -name 'a.*' -size +0) ]] || break
		sleep 0.05
	done
	kill -TERM "$pid"
	ends 143
	same "$(ls --ignore='*std*')" "$(printf '%s\n' k.ptx pipe report)"
	same "$(json report exit code)" 143
}
