# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a command line does to a driver, call by call: on the stub, against
# traces/NAME.trace. Queries are left out; `TRACES=write bats ...' writes anew.

load helpers

traced() {	# NAME STATUS COMMAND... : compares what the driver was asked to do
	local name=$1 status_wanted=$2 wanted=$root/test/cli/traces/$1.trace

	shift 2
	[[ -e $stub ]] || skip "the stub driver is not built"
	rm -f trace
	GPURUN_DRIVER=$stub GPURUN_STUB_TRACE=$PWD/trace GPURUN_DEVICE=gpu run \
		"-$status_wanted" --separate-stderr "$@"
	grep -vE '^cu(Init|Device|Driver|Ctx|Func|Mem.*Info|StreamQuery|StreamGet)' trace >calls || true
	if [[ ${TRACES-} == write ]]; then
		cp calls "$wanted"
	fi
	diff -u "$wanted" calls
}

# promise: Enqueue on stream NAME
# promise: Wait on the device
# promise: Record EVENT right after
# promise: The end of the line awaits all.
# promise: A library to open
@test "two streams joined by an event" {
	traced pipeline 0 gpurun "$cuda/pipeline.fatbin" -q \
		--launch produce -g 4 -b 256 -a t=f32:1Ki --stream s1 --event ready \
		--launch consume -g 4 -b 256 -a t -a out=f32:1Ki --stream s2 --after ready
}

# promise: Actions are carried out in the order
# promise: Record an event on a stream.
# promise: Let a stream wait
# promise: Wait here, on the host
@test "an await reaches the driver before the next action" {
	traced await 0 gpurun "$cuda/pipeline.fatbin" -q \
		--launch produce -a t=f32:4 --stream s1 --record done@s1 --await done \
		--launch produce -a t --stream s2 --wait done@s1 --await all \
		--launch produce -a t
}

@test "a buffer is awaited before it is looked at" {
	traced look 0 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -a t=f32:4 --stream s1 --launch produce -a u=f32:4 --stream s2 \
		-e u=zero --print t
}

# promise: Wait for what was launched
# promise: All files are loaded
# promise: Default 0 here
@test "--unload waits for what was launched from the file, not for the others, and unloads it there" {
	traced unload 0 gpurun "$cuda/pipeline.fatbin" --load b="$cuda/vadd.fatbin" \
		--load c="$cuda/saxpy.fatbin" -q \
		--launch produce -a t=f32:4 --stream s1 \
		--launch b:vadd -a t -a t -a t -a i32=4 --stream s2 \
		--unload c --unload b --launch produce -a t --stream s1
	same "$(grep -c cuModuleUnload calls)" 3
}

@test "modules are unloaded after a failure too" {
	GPURUN_STUB_FAIL=cuLaunchKernel:2=701 traced failure 116 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -a t=f32:4 --stream s1 --launch produce -a t --stream s2
	grep -q cuModuleUnload calls
}

@test "modules are unloaded after a fault was seen at an await" {
	GPURUN_STUB_FAIL=cuStreamSynchronize:2=719 traced fault 117 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -a t=f32:4 --stream s1 --await all --launch produce -a t
}

@test "modules are unloaded after SIGINT, which stops before the next action" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	mkfifo pipe
	# Writing to a pipe that no process reads holds the run where a signal can reach it.
	GPURUN_DRIVER=$stub GPURUN_STUB_TRACE=$PWD/trace GPURUN_STUB_LEAKS=$PWD/left \
		GPURUN_DEVICE=gpu env --default-signal=INT "$(command -v gpurun)" "$cuda/pipeline.fatbin" -q \
		--launch produce -a t=f32:1Mi --stream s1 -o t=- --launch produce -a t \
		>pipe 2>stderr 3>&- &
	pid=$!
	exec 4<pipe
	is_in 1 64 # write
	kill -INT "$pid"
	cat <&4 >/dev/null
	code=0
	wait "$pid" || code=$?
	same "$code" 130
	same "$(<stderr)" "gpurun: error: stopped by signal 2 (Interrupt)"
	same "$(grep -c cuLaunchKernel trace)" 1
	same "$(grep -c cuModuleUnload trace)" 1
	same "$(<left)" "0 left"
}

@test "--cooperative, --cluster and -b auto are attributes and a query" {
	traced shape 0 gpurun "$cuda/pipeline.fatbin" -q --launch produce -a t=f32:4 --cooperative \
		--launch produce -a t -g 4 --cluster 2 --launch produce -a t --threads 1Ki -b auto
}

@test "--link hands all inputs to the driver's linker, and loads what it makes once" {
	cp "$root"/test/data/images/parts.{1.ptx,2.90.cubin} .
	traced link 0 gpurun parts.1.ptx -q --link parts.2.90.cubin --launch apply -a x=f32:4 -a 4 \
		--launch zero -a x
	same "$(grep -c cuModuleLoad calls)" 1
}

@test "-v and --json add the events that time each launch, and nothing else" {
	traced times 0 gpurun "$cuda/pipeline.fatbin" -v --launch produce -a t=f32:4 --stream s1 \
		--record done@s1 --await done
	cp calls verbose
	traced report 0 gpurun "$cuda/pipeline.fatbin" --json --launch produce -a t=f32:4 --stream s1 \
		--record done@s1 --await done
	# The report has the times of the command line's events too.
	same "$(grep -v 'cuEventElapsedTime.*event#1' calls)" \
		"$(sed '0,/cuEventCreate/s/, 2)$/, 0)/' verbose)"
}

@test "an event that is recorded twice is one event: each wait is for the record before it" {
	traced again 0 gpurun "$cuda/pipeline.fatbin" -q \
		--launch produce -a t=f32:4 --stream s1 --event e --launch consume -a t -a u=f32:4 \
		--stream s2 --after e --launch produce -a t --stream s1 --event e --wait e@s2 --await e
}

@test "what is written on the way is written after the work that uses it, and before the next launch" {
	traced write 0 gpurun "$cuda/pipeline.fatbin" -q --launch produce -a t=f32:4 --stream s1 \
		--fill t=fill=2 --copy u=t --buf u=f32:4 --launch consume -a t -a u
}

@test "a second module that cannot be loaded: the first one is unloaded, nothing is launched" {
	GPURUN_STUB_FAIL=cuModuleLoadDataEx:2=209 traced load 112 gpurun "$cuda/pipeline.fatbin" \
		--load b="$cuda/vadd.fatbin" --launch produce -a t=f32:4
}

@test "a record or a wait of a stream that fails ends the run there" {
	GPURUN_STUB_FAIL=cuEventRecord=999 traced record 115 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -a t=f32:4 --stream s1 --event e --launch produce -a t --after e
	GPURUN_STUB_FAIL=cuStreamWaitEvent=999 traced wait 115 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -a t=f32:4 --stream s1 --event e --launch produce -a t --after e
}
