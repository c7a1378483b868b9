# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Files that --out writes: what becomes of what was there, and of what could not be printed.

load helpers

run_vadd() {
	gpurun "$cuda/vadd.fatbin" -q --launch vadd -b 2 -a f32:2 -a f32:2:fill=2 -a y=f32:2 -a 2 "$@"
}

# promise: A file keeps its mode
# met: -f replaced a symbolic link, and widened the mode of a file
@test "-f writes what a symbolic link leads to, and keeps its mode" {
	mkdir folder
	printf old >folder/target
	chmod 600 folder/target
	ln -s folder/target link
	run_vadd -o y=link -f
	[[ -L link ]]
	same "$(od -An -tx4 folder/target | tr -d ' ')" 4000000040000000
	same "$(stat -c %a folder/target)" 600
	same "$(ls folder)" target
	ln -s nowhere dangling
	run_vadd -o y=dangling -f
	same "$(stat -L -c %s dangling)" 8
}

@test "a new file has the mode of any new file" {
	(umask 027 && run_vadd -o y=new)
	same "$(stat -c %a new)" 640
}

# met: a --print that could not be written lost the files of -o
@test "a --print that cannot be written loses no file" {
	run -111 --separate-stderr bash -c 'exec "$@" >/dev/full' - gpurun "$cuda/vadd.fatbin" -q \
		--launch vadd -b 2 -a f32:2 -a f32:2:fill=2 -a y=f32:2 -a 2 --print y -o y=kept
	same "$stderr" "gpurun: error: stdout: cannot write: No space left on device"
	same "$(stat -c %s kept)" 8
	run -111 --separate-stderr bash -c 'exec "$@" >/dev/full' - gpurun "$cuda/vadd.fatbin" -q \
		--launch vadd -b 2 -a f32:2 -a f32:2:fill=2 -a y=f32:2 -a 2 -o y=- -o y=both
	same "$(stat -c %s both)" 8
}
