# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The line that a run shows on a terminal while it lasts, by script(1): what it says, and that nothing else
# is changed by it.

load helpers

setup_file() {
	# Block i lasts for i times so many nanoseconds. Then it prints, or writes where nothing is.
	cat >"$BATS_FILE_TMPDIR/slow.ptx" <<-'E'
	.version 7.0
	.target sm_70
	.address_size 64
	.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
	.global .align 1 .b8 whole[6] = { 104, 105, 33, 33, 10, 0 };
	.global .align 1 .b8 part[4] = { 104, 105, 33, 0 };
	.func last(.param .u64 ns)
	{
		.reg .b64 %rd<6>;
		.reg .b32 %r<2>;
		.reg .pred %p;
		ld.param.u64 %rd1, [ns];
		mov.u32 %r1, %ctaid.x;
		cvt.u64.u32 %rd2, %r1;
		mul.lo.u64 %rd1, %rd1, %rd2;
		mov.u64 %rd2, %globaltimer;
	L:
		mov.u64 %rd3, %globaltimer;
		sub.u64 %rd4, %rd3, %rd2;
		setp.lt.u64 %p, %rd4, %rd1;
		@%p bra L;
		ret;
	}
	.func say(.param .u64 text)
	{
		.reg .b64 %rd<2>;
		ld.param.u64 %rd1, [text];
		{
			.param .b64 a;
			.param .b64 b;
			.param .b32 c;
			st.param.b64 [a], %rd1;
			st.param.b64 [b], 0;
			call (c), vprintf, (a, b);
		}
		ret;
	}
	E
	entry slow '' >>"$BATS_FILE_TMPDIR/slow.ptx"
	entry _Z41a_kernel_whose_name_is_longer_than_a_linePi '' >>"$BATS_FILE_TMPDIR/slow.ptx"
	entry whole_lines 'mov.u64 %rd1, whole; cvta.global.u64 %rd1, %rd1;
		{ .param .b64 a; st.param.b64 [a], %rd1; call say, (a); }' >>"$BATS_FILE_TMPDIR/slow.ptx"
	entry parts 'mov.u64 %rd1, part; cvta.global.u64 %rd1, %rd1;
		{ .param .b64 a; st.param.b64 [a], %rd1; call say, (a); }' >>"$BATS_FILE_TMPDIR/slow.ptx"
	entry faults '{ .reg .b32 %r<2>; .reg .pred %p; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p, %r1, 14;
		mov.u64 %rd1, 64; @%p st.global.u64 [%rd1], %rd1; }' >>"$BATS_FILE_TMPDIR/slow.ptx"
}

entry() {	# NAME BODY
	cat <<-E
	.visible .entry $1(.param .u64 ns)
	{
		.reg .b64 %rd<2>;
		ld.param.u64 %rd1, [ns];
		{ .param .b64 a; st.param.b64 [a], %rd1; call last, (a); }
		$2
		ret;
	}
	E
}

# Runs a line of the shell on a terminal with so many columns; prints the bytes that it gets, but for
# the CR that it adds before each LF. $slow is the file of kernels.
on_terminal() {	# COLUMNS LINE
	command -v script >/dev/null || skip "needs bsdutils: no script"
	SHELL=/bin/bash slow=$BATS_FILE_TMPDIR/slow.ptx script -qec "stty cols $1; $2" /dev/null </dev/null |
		sed 's/\r$//'
}

# Prints the lines that were shown and erased, one a line, from what a terminal got.
erased() {	# TEXT
	python3 -I -S -c 'import sys
for piece in sys.argv[1].split("\r\033[K")[1:]:
    line = piece.split("\n")[0]
    if line.startswith("gpurun: running") or line.startswith("gpurun: scanning") or line.startswith("gpurun: loading"):
        print(line)' "$1"
}

# Prints what is to be seen in the end.
screen() {	# TEXT
	python3 -I -S -c 'import sys
text = sys.argv[1]
while (at := text.find("\r\033[K")) >= 0:
    text = text[:text.rfind("\n", 0, at) + 1] + text[at + 4:]
print(text)' "$1"
}

# Runs a line on terminals that can erase and that cannot, at the same time: the same is to be seen, and
# $output has the bytes that the first one got.
same_screen() {	# COLUMNS LINE
	TERM=dumb on_terminal "$1" "$2" >plain &
	output=$(TERM=xterm on_terminal "$1" "$2")
	wait $!
	[[ $(<plain) != *[$'\r\e']* ]]
	same "$(screen "$output")" "$(<plain)"
}

kernel='gpurun $slow -d cpu:threads=1 -b 1 -a 100000000 -g 15'

# promise: A run that lasts longer than a second
@test "a kernel that runs: its name, its blocks, and the seconds, after one second, four times in each" {
	local line count=0 blocks last=0

	same_screen 80 "$kernel -l slow"
	while IFS= read -r line; do
		[[ $line =~ ^gpurun:\ running\ slow:\ ([0-9]+)\ of\ 15\ blocks,\ ([0-9]+)\ s$ ]]
		blocks=${BASH_REMATCH[1]}
		((blocks >= last && blocks < 15))
		last=$blocks
		count=$((count + 1))
		((count > 1 || BASH_REMATCH[2] == 1))
	done < <(erased "$output")
	((count >= 1 && count <= 4 * BASH_REMATCH[2] && last > 9))
	[[ $output == *$'\r\e[Kgpurun: slow done on '* ]]
}

# promise: That line is rewritten in its place
@test "a line is no longer than the terminal, at 30, 70 and 200 columns; a name loses its middle" {
	local columns line
	local -A want=(
		[30]='gpurun: running : *'
		[70]='gpurun: running a_kernel_whose*…*_than_a_line: *'
		[200]='gpurun: running a_kernel_whose_name_is_longer_than_a_line: *'
	)

	for columns in 30 70 200; do
		LC_ALL=C.UTF-8 TERM=xterm on_terminal $columns "$kernel -l a_kernel_whose_name_is_longer_than_a_line" \
			>of$columns &
	done
	wait
	for columns in 30 70 200; do
		line=$(erased "$(<of$columns)" | head -n 1)
		[[ $line == ${want[$columns]} ]] || { echo "$columns: $line"; return 1; }
		LC_ALL=C.UTF-8
		((${#line} < columns))
	done
}

# promise: It is erased before anything else
# promise: What standard output gets is never
@test "what a kernel prints is in lines of its own, and those that have not ended are left alone" {
	local term

	same_screen 80 "$kernel -l whole_lines"
	[[ $(erased "$output") == *"gpurun: running whole_lines: "* ]]
	same_screen 80 "$kernel -l parts"
	same_screen 80 "$kernel -l parts >parts.\$TERM"
	[[ $(erased "$output") == *"gpurun: running parts: "* ]]
	for term in dumb xterm; do
		same "$(<parts.$term)" hi!hi!hi!hi!hi!hi!hi!hi!hi!hi!hi!hi!hi!hi!hi!
	done
}

# promise: It is erased before anything else
@test "errors, faults, notes of -v, lists and reports begin lines of their own" {
	same_screen 200 "$kernel -l faults"
	[[ $output == *$' s\r\e[Kgpurun: illegal address: '*$'\ngpurun: error: launch 1, faults on stream s0, '* ]]
	TERM=xterm on_terminal 80 "$kernel -l slow -v" >verbose &
	TERM=xterm on_terminal 80 "$kernel -l slow --json" >report &
	wait
	[[ $(<verbose) == *$' s\r\e[Kgpurun: await ends: stream s0'* ]]
	[[ $(<report) == *$' s\r\e[K{"schema":'*'}' ]]
}

# promise: A run that lasts longer than a second
@test "a file that is read from a pipe" {
	same_screen 80 'gpurun --list <(sleep 2; cat $slow) | sed -n 1p'
	[[ $(erased "$output") == "gpurun: scanning /dev/fd/"*": 1 s"* ]]
}

# promise: No such line is written
@test "there is no line where stderr is no terminal, with TERM=dumb, --quiet, in the background, and of a program of --exec" {
	export TERM=xterm

	on_terminal 80 "$kernel -l slow 2>messages" >file &
	on_terminal 80 "$kernel -l slow --quiet" >quiet &
	on_terminal 80 'gpurun --exec sh -c "sleep 1.5; echo over"' >exec &
	on_terminal 80 "set -m; $kernel -l slow & wait" >background &
	TERM=dumb on_terminal 80 "$kernel -l slow" >dumb &
	wait
	same "$(<file)" ""
	[[ $(<messages) == *"gpurun: slow done on "* && $(<messages) != *[$'\r\e']* ]]
	same "$(<quiet)" ""
	same "$(<exec)" over
	[[ $(<background) == *"gpurun: slow done on "* && $(<background) != *[$'\r\e']* ]]
	[[ $(<dumb) == *"gpurun: slow done on "* && $(<dumb) != *[$'\r\e']* ]]
}

@test "where there is no terminal each byte is the same, whatever TERM and COLUMNS say" {
	local columns slow=$BATS_FILE_TMPDIR/slow.ptx

	eval "$kernel -l slow -v" 2>&1 | sed 's/[0-9.]* [mu]\?s$//' >want &
	for columns in 1 80 200 x; do
		COLUMNS=$columns LINES=5 TERM=xterm eval "$kernel -l slow -v" 2>&1 |
			sed 's/[0-9.]* [mu]\?s$//' >of$columns &
	done
	wait
	for columns in 1 80 200 x; do
		cmp want of$columns
	done
	[[ $(<want) == *"slow done on "* && $(<want) != *[$'\r\e']* ]]
}

# promise: It is erased before anything else
@test "a signal, or the time of --timeout: the line is erased, and does not return" {
	export TERM=xterm

	on_terminal 80 "$kernel -g 100 -l slow & sleep 2.5; kill \$!; wait" >stopped &
	on_terminal 80 "$kernel -g 100 -l slow -t 2500ms" >timed &
	wait
	output=$(<stopped)
	[[ $output == *$' s\r\e[Kgpurun: error: stopped by signal 15 (Terminated) while awaiting launch 1, slow '* ]]
	[[ ${output##*error:} != *$'\e'* ]]
	output=$(<timed)
	[[ $output == *$' s\r\e[Kgpurun: error: timed out after 2.5 s while awaiting launch 1, slow '* ]]
	[[ ${output##*error:} != *$'\e'* ]]
}
