# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a run called of the driver: lines of -v, "calls" of a report, the file of --trace.

load helpers

programs() {
	echo "$build/test/host-programs"
}

# Prints the events of a trace's slices, a line each: name and the values at the keys.
slices() {	# FILE KEY...
	python3 -I -S -c '
import json, sys
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    if event["ph"] == "X":
        print(event["name"], *(event["args"].get(key) for key in sys.argv[2:]))' "$@"
}

# Prints how many arrows of each name there are: "2 starts".
arrows() {	# FILE
	python3 -I -S -c '
import json, sys
names = [event["name"] for event in json.load(open(sys.argv[1]))["traceEvents"] if event["ph"] == "s"]
print(*(f"{names.count(name)} {name}" for name in sorted(set(names))), sep=", ")' "$@"
}

valid() {	# FILE
	run -0 "$root/test/cli/validate_trace" "$1"
	same "$output" ""
}

# promise: Then come the calls of the driver
@test "-v of a program: a line for each call, with the kernel's arguments" {
	run -0 --separate-stderr gpurun -v --exec "$(programs)/opened" "$cuda/saxpy.ptx"
	same "$output" "gpurun CPU device: 1 3 5 7"
	grep -E '^gpurun: (load|alloc|copy|launch|sync|free|unload)' <<<"$stderr" |
		sed -E 's/0x[0-9a-f]+/0x/g; s/: [0-9.]+ us$/: us/' >lines
	diff - lines <<-'EOF'
		gpurun: load module 0x
		gpurun: alloc 16 bytes at 0x
		gpurun: alloc 16 bytes at 0x
		gpurun: copy 16 bytes from 0x to 0x: us
		gpurun: copy 16 bytes from 0x to 0x: us
		gpurun: launch saxpy, grid 1, block 4, args 2, 0x, 0x, 4: us
		gpurun: sync
		gpurun: copy 16 bytes from 0x to 0x: us
		gpurun: free at 0x
		gpurun: free at 0x
		gpurun: unload module 0x
	EOF
}

@test "arguments are of the types that a C++ kernel has, or else PTX" {
	sed 's/saxpy/_Z5saxpyfPKfPfi/' "$cuda/saxpy.ptx" >mangled.ptx
	gpurun --trace t.json mangled.ptx --launch saxpy -b 4 -a 0.5 -a x=f32:4 -a y=f32:4 -a i32=-4
	slices t.json kernel mangled | grep '^saxpy(' >line
	same "$(<line)" "saxpy(float, float const*, float*, int) saxpy(float, float const*, float*, int) _Z5saxpyfPKfPfi"
	slices t.json args | sed -nE "s/'0x[0-9a-f]+'/A/g; s/^saxpy\(.*int\) //p" >line
	same "$(<line)" "[0.5, A, A, -4]"
	gpurun --trace t.json "$cuda/saxpy.ptx" --launch saxpy -b 4 -a 0.5 -a x=f32:4 -a y=f32:4 -a i32=4
	slices t.json args | sed -nE "s/'0x[0-9a-f]+'/A/g; s/^saxpy //p" >line
	same "$(<line)" "[0.5, A, A, 4]"
}

@test "a program's report has its calls, as the schema says" {
	run -0 --separate-stderr gpurun --json=r.json --exec "$(programs)/opened" "$cuda/saxpy.ptx"
	run -0 "$root/test/cli/validate" "$root/cmd/gpurun.schema.json" r.json
	same "$(json r.json calls 5 do) $(json r.json calls 5 kernel)" "launch saxpy"
	same "$(json r.json calls 5 grid)$(json r.json calls 5 block)" "[1, 1, 1][4, 1, 1]"
	[[ $(json r.json calls 5 gpu_ns) -gt 0 ]]
	same "$(json r.json calls 3 call) $(json r.json calls 3 bytes)" "cuMemcpyHtoD 16"
}

@test "a launch that is refused is there, with its error, and without arguments" {
	run -0 --separate-stderr gpurun --trace t.json -v --exec "$(programs)/statuses/driver" init load alloc \
		launch:nothing,b=2048
	valid t.json
	run -0 slices t.json kernel failed args
	[[ $output == *"cuLaunchKernel"*" CUDA_ERROR_INVALID_VALUE None"* ]]
	[[ $stderr == *"gpurun: launch "*": failed with CUDA_ERROR_INVALID_VALUE"* ]]
}

# promise: Write what was called of the driver
# promise: There is a track for each thread
# promise: Streams and events of the command line
@test "--trace: tracks of streams, arrows from launches and for events" {
	gpurun --trace t.json "$cuda/saxpy.ptx" \
		--launch saxpy -b 4 -a 0.5 -a x=f32:4 -a y=f32:4 -a i32=4 --stream s1 --event e \
		--launch saxpy -b 4 -a 0.5 -a y -a x -a i32=4 --stream s2 --after e
	valid t.json
	grep -oE '"name":"(stream s?[0-9]|default stream)"' t.json | sort >streams
	same "$(<streams)" $'"name":"default stream"\n"name":"stream s1"\n"name":"stream s2"'
	slices t.json stream_name event | grep -E '^(cuLaunchKernel|cuEventRecord|cuStreamWaitEvent)' >named
	same "$(<named)" "cuLaunchKernel s1 None
cuEventRecord s1 e
cuStreamWaitEvent s2 e
cuLaunchKernel s2 None"
	[[ $(arrows t.json) =~ ^[0-9]+\ starts,\ 1\ waits$ ]]
}

@test "traces of programs with streams, events, host memory and copies are valid" {
	gpurun --trace t.json --exec "$(programs)/streams" in:a put:a record:a wait:b get:b fill:m out:n \
		event-sync sync:b write:m blocking-in blocking-out renew sync-all
	valid t.json
	same "$(arrows t.json | grep -o '[0-9]* waits')" "1 waits"
}

# promise: With --exec it is what the program calls
@test "names of a gpurun that a program runs are in its lines and its report" {
	run -0 --separate-stderr gpurun -v --json=r.json --exec gpurun "$cuda/saxpy.ptx" --launch saxpy -b 4 -a 0.5 \
		-a x=f32:4 -a y=f32:4 -a i32=4 --stream s1 --event e
	[[ $stderr == *$'\ngpurun: launch saxpy, '*', stream s1'* && $stderr == *$'\ngpurun: record event e, stream s1'* ]]
	run -0 "$root/test/cli/validate" "$root/cmd/gpurun.schema.json" r.json
	grep -q '"event": "e"' r.json || grep -q '"event":"e"' r.json
}

@test "children are in the trace, also one that is killed" {
	cat >both <<-SH
		#!/bin/sh
		"$(programs)/opened" "$cuda/saxpy.ptx" &
		"$(programs)/opened" "$cuda/saxpy.ptx"
		wait
	SH
	chmod +x both
	room_for_tsan
	gpurun --trace t.json --exec ./both >/dev/null
	valid t.json
	same "$(slices t.json kernel | grep -c '^saxpy saxpy')" 2
	same "$(grep -o '"name":"process [0-9]*"' t.json | sort -u | wc -l)" 2
	run -124 --separate-stderr gpurun -t 2 --trace t.json --exec "$(programs)/streams" put:a sync:a wait-word:a \
		sync:a
	valid t.json
	same "$(slices t.json kernel | grep -c '^put put')" 1
}

# promise: Also a run that a limit
@test "a run that ends by a limit leaves its trace" {
	cat >loop.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry loop()
		{
		L:	bra L;
		}
	PTX
	run -124 --separate-stderr gpurun -t 1 --trace t.json loop.ptx --launch loop
	valid t.json
	same "$(slices t.json kernel unfinished | head -n 3)" \
		$'cuModuleLoadDataEx None None\ncuLaunchKernel loop True\nloop loop True'
}

# promise: A trace that cannot be written
@test "a trace that cannot be written is a failure of a run that went well, and of no other" {
	fails 111 "gpurun: error: nosuch/t.json: there is no folder nosuch" \
		gpurun --trace nosuch/t.json "$cuda/saxpy.ptx" --launch saxpy
	run -111 --separate-stderr gpurun -q --trace /dev/full --json=r.json "$cuda/saxpy.ptx" --launch saxpy -b 4 \
		-a 0.5 -a x=f32:4 -a y=f32:4 -a i32=4
	same "$stderr" "gpurun: error: /dev/full: cannot write: No space left on device"
	same "$(json r.json exit code) $(json r.json error stage)" "111 trace"
	run -111 --separate-stderr gpurun -q --trace /dev/full --json=r.json --exec true
	same "$(json r.json exit code) $(json r.json exit source)" "111 gpurun"
	run -7 --separate-stderr gpurun --trace /dev/full --exec sh -c 'exit 7'
	same "$stderr" "gpurun: error: /dev/full: cannot write: No space left on device"
}

# promise: On a GPU it is a library before
@test "a GPU's driver is traced by a library that stands before it" {
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub
	gpurun -q --trace t.json "$cuda/saxpy.ptx" --launch saxpy -b 4 -a 0.5 -a x=f32:4 -a y=f32:4 -a i32=4
	valid t.json
	run -0 slices t.json kernel grid
	[[ $output == *$'\ncuLaunchKernel saxpy [1, 1, 1]\n'* ]]
	gpurun -q --trace t.json -t 60 --exec "$(programs)/opened" "$cuda/saxpy.ptx"
	valid t.json
	run -0 slices t.json kernel block
	[[ $output == *$'\ncuMemcpyHtoD None None\ncuLaunchKernel saxpy [4, 1, 1]\ncuCtxSynchronize None None\n'* ]]
	run -0 --separate-stderr gpurun -v --exec "$(programs)/linked" "$cuda/saxpy.ptx"
	[[ $stderr == *"gpurun: launch saxpy, grid 1, block 4"* ]]
}

# promise: There the launch of a graph
@test "the launch of a graph has a line, a slice and its part of a report" {
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub
	run -0 --separate-stderr gpurun -v --json=r.json --trace t.json --exec "$(programs)/timed" 1 capture:a spin:a \
		end-capture:a graph:b graph:a
	valid t.json
	grep -E '^gpurun: (launch|graph)' <<<"$stderr" | sed -E 's/0x[0-9a-f]+/0x/g' >lines
	diff - lines <<-'EOF'
		gpurun: launch spin, grid 1, block 32, stream 1
		gpurun: graph 0x, stream 2
		gpurun: graph 0x, stream 1
	EOF
	run -0 "$root/test/cli/validate" "$root/cmd/gpurun.schema.json" r.json
	python3 -I -S -c '
import json
calls = [call for call in json.load(open("r.json"))["calls"] if call["do"] == "graph"]
assert [call["stream"] for call in calls] == [2, 1], calls
assert calls[0]["call"] == "cuGraphLaunch" and calls[0]["handle"] == calls[1]["handle"], calls'
	run -0 slices t.json stream
	[[ $output == *$'cuGraphLaunch 2\ncuGraphLaunch 1'* ]]
}

@test "the launch of a graph that fails is there, with its error" {
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub
	run -1 --separate-stderr gpurun -v --exec "$(programs)/timed" 1 graph:a
	[[ $stderr == *"gpurun: graph, stream 1: failed with CUDA_ERROR_INVALID_HANDLE"* ]]
}

@test "on a GPU types of C kernels are those of PTX in the files of the run, or in the program" {
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub GPURUN_STUB_PARAMETERS=4,8,8,4
	gpurun -q --trace t.json "$cuda/saxpy.ptx" --launch saxpy -b 4 -a 0.5 -a x=f32:4 -a y=f32:4 -a i32=4
	slices t.json args | sed -nE "s/'0x[0-9a-f]+'/A/g; s/^cuLaunchKernel //p" >line
	same "$(<line)" "[0.5, A, A, 4]"
	run -0 --separate-stderr gpurun -v --exec "$(programs)/opened" "$cuda/saxpy.ptx"
	[[ $stderr == *"gpurun: launch saxpy, grid 1, block 4, args 1073741824, 0x"* ]]
	GPURUN_STUB_PARAMETERS=8,4 run -0 --separate-stderr gpurun -v --exec "$(programs)/timed" -1 spin:a
	[[ $stderr == *"gpurun: launch spin, grid 1, block 32, args 0x"*", -1, stream 1"* ]]
	# Of other sizes than the driver's they are not.
	GPURUN_STUB_PARAMETERS=4,4 run -0 --separate-stderr gpurun -v --exec "$(programs)/timed" -1 spin:a
	[[ $stderr != *", -1, stream 1"* ]]
}

@test "without --trace, -v or a report nothing is traced" {
	run -0 --separate-stderr gpurun --exec sh -c 'echo "$GPURUN_EXEC"'
	same "$output" "status"
	run -0 --separate-stderr gpurun --trace t.json --exec sh -c 'echo "$GPURUN_EXEC"'
	[[ $output == status,trace=/proc/*/fd/* ]]
}

@test "what a program writes into the trace's file is not believed" {
	for bytes in '\377' '\0\0\0\0\0\0\0\200' 'AAAAAAAA'; do
		run -0 --separate-stderr gpurun --trace t.json --exec sh -c "
			file=\${GPURUN_EXEC##*trace=}
			{ dd if=/dev/zero bs=262144 count=1; for i in 1 2 3 4 5 6 7 8; do
				printf '$bytes$bytes$bytes$bytes'; done; yes | head -c 300000; } 2>/dev/null >\"\$file\""
		valid t.json
	done
}
