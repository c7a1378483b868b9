# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --lock: runs that take turns on a device.
load helpers

eval "reports_$(declare -f teardown)"
teardown() {
	reports_teardown
	[[ ! ${holder-} ]] || kill -KILL "$holder" 2>/dev/null || true
}

# A process that holds the lock of $lock until it is killed; its number is $holder.
hold() {
	python3 -I -S -c 'import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
open("held", "w")
time.sleep(60)' "$lock" 3>&- &
	holder=$!
	until [[ -e held ]]; do
		sleep 0.05
	done
}

run_vadd() {	# OPTION...
	gpurun "$cuda/vadd.fatbin" --launch vadd -b 4 -a f32:4:iota -a f32:4:fill=2 -a y=f32:4 \
		-a i32=4 --print y "$@"
}

# promise: Take turns with other runs: wait until
@test "runs with --lock take turns" {
	cat >turn <<-'EOF'
		#!/bin/sh
		[ ! -e inside ] || echo two at a time >>wrong
		touch inside
		sleep 0.1
		rm inside
		echo done >>done
	EOF
	chmod +x turn
	lock=$PWD/lock
	for i in 1 2 3 4; do
		gpurun -q --lock="$lock" --exec ./turn 3>&- &
	done
	wait
	[[ ! -e wrong ]]
	[[ $(wc -l <done) == 4 ]]
	run -0 --separate-stderr run_vadd --lock="$lock"
	same "$output" "y: 2 3 4 5"
	same "$stderr" ""
}

# promise: A run that waits for more than a second says so on
# promise: The wait counts against
# promise: The kernel releases the lock of a process that is
@test "who waits says so once, and a time limit ends that" {
	lock=$PWD/lock
	hold
	run -124 --separate-stderr run_vadd --lock="$lock" -t 1.5
	same "$output" ""
	same "$stderr" "gpurun: waiting for $lock, held by process $holder
gpurun: error: timed out after 1.5 s"
	run -124 --separate-stderr gpurun --lock="$lock" -t 0.3 --exec touch ran
	same "$stderr" "gpurun: error: timed out after 0.3 s: killed"
	[[ ! -e ran ]]
	(sleep 0.2; kill -KILL "$holder") &
	run -0 --separate-stderr run_vadd --lock="$lock"
	same "$output" "y: 2 3 4 5"
	holder=''
}

@test "a signal ends a run that waits" {
	lock=$PWD/lock
	hold
	run -143 --separate-stderr timeout --preserve-status -s TERM 1.5 \
		gpurun "$cuda/vadd.fatbin" --launch vadd -b 4 -a f32:4 -a f32:4 -a f32:4 -a i32=4 \
		--lock="$lock"
	[[ $stderr == "gpurun: waiting for "*"gpurun: error: stopped by signal 15 (Terminated)" ]]
}

# promise: With --exec the program and what it starts hold
# promise: Set for programs of --exec under --lock: the locks
# promise: A gpurun below that program does not wait for
@test "--exec: the program and its children hold the lock, and a gpurun among them does not wait" {
	lock=$PWD/lock
	run -0 --separate-stderr gpurun --lock="$lock" --exec \
		sh -c '! flock -n "$0" true && gpurun --lock="$0" --exec sh -c "echo inner; env | grep -o ^GPURUN_LOCKED="' "$lock"
	same "$output" "inner
GPURUN_LOCKED="
	same "$stderr" ""
	flock -n "$lock" true
	# What a program leaves behind holds it as well.
	gpurun --lock="$lock" --exec sh -c 'sleep 60 & echo $! >left' 3>&- >/dev/null 2>&1
	holder=$(<left)
	run -1 flock -n "$lock" true
	run -124 --separate-stderr gpurun --lock="$lock" -t 1.5 --exec true
	[[ $stderr == "gpurun: waiting for $lock, held by another process"* ]]
	kill -KILL "$holder"
	holder=''
	flock "$lock" true
	# As does one whose shell uses descriptors as it likes.
	gpurun --lock="$lock" --exec sh -c 'exec 3</dev/null 3<&- 4<&- 5<&-; ! flock -n "$0" true' "$lock"
}

# promise: A file that cannot be locked is a file error.
@test "files that cannot be locked" {
	local hint="gpurun: hint: --lock=FILE takes another file"

	mkdir folder
	mkfifo pipe
	ln -s target link
	fails 111 "gpurun: error: --lock: folder: cannot lock: not a regular file
$hint" run_vadd --lock=folder
	fails 111 "gpurun: error: --lock: pipe: cannot lock: not a regular file
$hint" run_vadd --lock=pipe
	fails 111 "gpurun: error: --lock: link: cannot lock: it is a symbolic link
$hint" run_vadd --lock=link
	[[ ! -e target ]]
	fails 111 "gpurun: error: --lock: no/lock: cannot lock: No such file or directory
$hint" gpurun --lock=no/lock --exec true
	run -111 gpurun --lock=folder --json=out.json --exec true
	same "$(json out.json error stage)" lock
	fails 110 "gpurun: error: --lock besides --devices, which runs nothing
gpurun: hint: with --devices go --color, -d, -j, --no-device-exit, -q, -t and -v" \
		gpurun --devices --lock
}

# promise: The lock is flock(2) of FILE or, where none is
# promise: It is only opened to be read, and never a symbolic
@test "the lock of a device is one file for all users, which nothing is written to" {
	local name

	(umask 077 && run_vadd --lock >/dev/null)
	[[ $(stat -c %a /tmp/gpurun-cpu.lock) == 644 ]]
	[[ ! -s /tmp/gpurun-cpu.lock ]]
	echo kept >lock
	chmod 444 lock
	run_vadd --lock=lock >/dev/null
	[[ $(<lock) == kept ]]
	run -0 --separate-stderr run_vadd --lock=new -v
	[[ $stderr == *"gpurun: locked: new"* ]]
	run -0 run_vadd --dry-run --lock=untouched
	[[ ! -e untouched ]]
	# The stub is a GPU with a UUID.
	name=/tmp/gpurun-$(GPURUN_DRIVER=$stub gpurun --devices --json 2>/dev/null |
		python3 -c 'import json,sys; print(json.load(sys.stdin)["devices"][0]["uuid"])').lock
	GPURUN_DRIVER=$stub run -0 gpurun -d gpu --lock --exec sh -c '! flock -n "$0" true' "$name"
}
