# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --trace FILE,times: on a GPU by events around each launch. The stub says that each launch takes a
# millisecond.

load helpers

on_stub() {
	export GPURUN_DEVICE=gpu GPURUN_DRIVER=$stub GPURUN_STUB_TRACE=$PWD/calls \
		GPURUN_STUB_LEAKS=$PWD/left
	rm -f calls left
}

# Traces the program that does these steps.
traced_steps() {	# STEP...
	run -0 --separate-stderr gpurun -q --trace t.json,times --exec "$build/test/host-programs/timed" 1 "$@"
	run -0 "$root/test/cli/validate_trace" t.json
	same "$output" ""
}

# Prints name and microseconds of what a device did, a line each, in its order.
device_slices() {	# FILE
	python3 -I -S -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
for event in sorted((event for event in events if event["ph"] == "X" and event["pid"] >= 10000000),
		    key=lambda event: event["ts"]):
    print(event["name"], event["dur"])' "$@"
}

untimed() {	# FILE
	json "$1" otherData untimed
}

times_called() {	# CALL: how often the driver's was made
	grep -c "^$1(" calls || true
}

# promise: With the key
@test "each launch of a run has a time" {
	on_stub
	gpurun -q --trace t.json,times "$cuda/saxpy.ptx" --launch saxpy -b 4 -a 0.5 -a x=f32:4 -a y=f32:4 -a i32=4 \
		--launch saxpy -b 4 -a 0.5 -a x -a y -a i32=4
	run -0 "$root/test/cli/validate_trace" t.json
	same "$(device_slices t.json)" $'saxpy 1000.0\nsaxpy 1000.0'
	same "$(untimed t.json)" 0
	same "$(tail -n 1 left)" "0 left"
}

@test "a pair of events around each launch of a program, which are released at its end" {
	on_stub
	traced_steps spin:a spin:b spin:0 sync:a spin:a record:a wait:b
	same "$(device_slices t.json)" $'spin 1000.0\nspin 1000.0\nspin 1000.0\nspin 1000.0'
	same "$(grep -E '^cu(EventRecord|LaunchKernel)\(' calls | sed 's/(.*//' | head -n 12 | tr '\n' ' ')" \
		"$(printf 'cuEventRecord cuLaunchKernel cuEventRecord %.0s' 1 2 3 4)"
	same "$(untimed t.json)" 0
	same "$(grep -c '^left: event' left)" 1
}

@test "events are used again once they are read" {
	on_stub
	traced_steps spin:a sync:a spin:a sync:a spin:a sync:a spin:a sync:a
	same "$(device_slices t.json | wc -l)" 4
	same "$(times_called cuEventCreate)" 5
}

@test "what is not done is not waited for, and is read later or counted" {
	on_stub
	GPURUN_STUB_BUSY=5 traced_steps spin:a spin:b spin:a sync-all
	same "$(device_slices t.json | wc -l) $(untimed t.json)" "3 0"
	# The steps, their preparation and the program's end wait, and nothing else does.
	same "$(times_called cuCtxSynchronize) $(times_called cuEventSynchronize) $(times_called cuStreamSynchronize)" "2 0 0"
	GPURUN_STUB_BUSY=50 traced_steps spin:a release retain
	same "$(device_slices t.json | wc -l) $(untimed t.json)" "0 1"
}

# promise: While a stream captures
@test "no event while a stream captures, and none that breaks a capture" {
	on_stub
	traced_steps spin:a capture:a spin:a spin:a spin:b sync:b end-capture:a spin:0 sync-all
	same "$(device_slices t.json)" $'spin 1000.0\nspin 1000.0\nspin 1000.0'
	same "$(sed -n '/^cuStreamBeginCapture/,/^cuStreamEndCapture/p' calls |
		grep -c '^cuEventRecord(.*stream#1)')" 0
	same "$(untimed t.json)" 0
}

# promise: The file counts
@test "a graph is launched as a whole, and has a time as such" {
	on_stub
	traced_steps capture:a spin:a spin:a end-capture:a graph:a graph:b timed-graph:a
	same "$(device_slices t.json)" $'graph 1000.0\ngraph 1000.0\ngraph 1000.0'
	same "$output" ""
	same "$(sed -nE 's/^cuGraphLaunch\((.*)\)$/\1/p' calls)" $'graph#2\ngraph#2\ngraph#2'
	same "$(untimed t.json)" 0
}

@test "events that fail leave launches without times, and the program as it is" {
	on_stub
	for fail in cuEventCreate:2=2 cuEventRecord=999 cuEventRecord:2=999 cuEventElapsedTime=999 cuCtxGetCurrent=999 \
		cuStreamGetCtx=999; do
		GPURUN_STUB_FAIL=$fail traced_steps spin:a sync:a
		same "$fail: $(device_slices t.json) $(untimed t.json)" "$fail:  1"
	done
	GPURUN_STUB_FAIL=cuEventQuery=999 traced_steps spin:a sync:a
	same "$(device_slices t.json) $(untimed t.json)" " 1"
	# A launch that fails has no time, and is none that misses one.
	GPURUN_STUB_FAIL=cuLaunchKernel=701 run -1 --separate-stderr gpurun -q --trace t.json,times --exec \
		"$build/test/host-programs/timed" 1 spin:a
	same "$(device_slices t.json) $(untimed t.json)" " 0"
}

@test "contexts that end take their events along, and others follow" {
	on_stub
	traced_steps spin:a sync:a release retain
	same "$(device_slices t.json | wc -l) $(untimed t.json)" "1 0"
	same "$(sed -n '/^cuDevicePrimaryCtxRelease/,$p' calls | grep -c '^cuEvent')" 0
	same "$(times_called cuEventCreate) $(times_called cuEventDestroy)" "3 2"
}

@test "a context that is retained more often than released keeps its events" {
	on_stub
	GPURUN_STUB_BUSY=50 traced_steps spin:a retain release sync-all
	same "$(device_slices t.json | wc -l) $(untimed t.json)" "1 0"
}

@test "without the key there are no events, and no times" {
	on_stub
	gpurun -q --trace t.json --exec "$build/test/host-programs/timed" 1 spin:a sync:a
	same "$(device_slices t.json)" ""
	same "$(times_called cuEventCreate)$(times_called cuEventRecord)" 10
}

# promise: The CPU device has all times
@test "the CPU device has times without the key, which changes nothing there" {
	for file in t.json t.json,times; do
		gpurun -q --trace "$file" --exec "$build/test/host-programs/timed" 1 spin:a sync:a
		same "$(device_slices t.json | grep -c '^spin ')" 1
		same "$(grep -o '"name":"cuEventRecord"' t.json | wc -l)" 0
	done
}

@test "keys of --trace that are none" {
	fails 110 "gpurun: error: --trace t.json,time: the one key here is times
gpurun: hint: a comma begins the keys of --trace: name the file without one" \
		gpurun --trace t.json,time --exec true
	fails 110 "gpurun: error: --trace ,times: no file is named" gpurun --trace ,times --exec true
	gpurun -q --trace t.json,times,times --exec true
	[[ -e t.json ]]
}
