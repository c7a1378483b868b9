# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the tests of the command share. Each test runs in an empty folder, on the
# CPU device unless it says otherwise.

bats_require_minimum_version 1.5.0
load reports

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${BUILD:-build/gcc}
	[[ $build == /* ]] || build=$root/$build
	PATH=$build/bin:$PATH
	stub=$build/test/libcuda-stub.so
	data=$root/test/data
	cuda=$root/examples/cuda
	mlir=$root/examples/mlir
	llvm=$root/examples/llvm
	unset "${!GPURUN_@}"
	export GPURUN_DEVICE=cpu NO_COLOR=1
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Runs, wants that exit status, nothing on stdout, and stderr to be the lines that follow.
fails() {	# STATUS TEXT COMMAND...
	local status_wanted=$1 want=$2

	shift 2
	run "-$status_wanted" --separate-stderr "$@"
	same "$output" ""
	same "$stderr" "$want"
}

# Runs, wants success, and stdout to be the text; stderr does not matter.
prints() {	# TEXT COMMAND...
	local want=$1

	shift
	run -0 --separate-stderr "$@"
	same "$output" "$want"
}

same() {	# GOT WANT
	[[ $1 == "$2" ]] || { printf 'got:\n%s\nwant:\n%s\n' "$1" "$2"; return 1; }
}

# Standard error is empty, or the line with which a checked program of --exec ends says 0 findings.
nothing_found() {
	[[ $stderr =~ ^gpurun:\ [0-9]+\ launch(es)?\ of\ [0-9]+\ kernels?\ ran\;\ 0\ findings$ ]] ||
		same "$stderr" ""
}

# For a script of --exec whose programs a build with the thread sanitizer made: gpurun sees that of
# the program which it is given alone.
room_for_tsan() {
	[[ $(ldd "$build/bin/gpurun") != *libtsan* ]] ||
		export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=1048576
}

# Prints the folder of the toolkit that nvcc takes; an nvcc on the path may be a script that calls it.
toolkit() {
	local top

	top=$(nvcc --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
	[[ $top ]] && realpath "$top"
}

# Prints the value at a path of the JSON in a file: json FILE exit code. Without what a site may
# have python3 do as it starts: that is most of what it takes.
json() {
	python3 -I -S -c '
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[int(key) if isinstance(value, list) else key]
print(json.dumps(value) if isinstance(value, (dict, list, bool, type(None))) else value)' "$@"
}

# Prints the PTX of a kernel whose threads copy from[] to to[], a word each; its load is on line 13.
copy_ptx() {	# NAME
	cat <<-PTX
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry $1(.param .u64 from, .param .u64 to)
		{
			.reg .u64 %rd<4>; .reg .u32 %r<3>;
			ld.param.u64 %rd1, [from];
			ld.param.u64 %rd2, [to];
			mov.u32 %r1, %tid.x;
			mul.wide.u32 %rd3, %r1, 4;
			add.u64 %rd1, %rd1, %rd3;
			add.u64 %rd2, %rd2, %rd3;
			ld.global.u32 %r2, [%rd1];
			st.global.u32 [%rd2], %r2;
			ret;
		}
	PTX
}

# Waits until process $pid handles SIGTERM, and its main thread stays in a call of the system:
# the number of that on x86-64, or on AArch64.
is_in() {	# NUMBER NUMBER
	local call caught i looks=0

	for ((i = 0; i < 600 && looks < 3; i++)); do
		caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$pid/status")
		read -r call _ <"/proc/$pid/syscall" || :
		looks=$((looks + 1))
		((0x${caught:-0} & 0x4000)) && [[ $call == "$1" || $call == "$2" ]] || looks=0
		sleep 0.05
	done
	((looks == 3)) && return 0
	return 1
}
