# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each line on stderr begins with "gpurun: ", or with blanks below one that does: so a log of several
# programs has ours by a search for that word.

load helpers

# Runs the words of each line from stdin as a command ("gpurun" is added), and wants each line of its stderr
# to be ours, and that there is one; prints those that are not.
ours() {
	local line failed=0
	local -a words

	while IFS= read -r line; do
		eval "words=($line)"
		timeout 60 gpurun "${words[@]}" </dev/null 2>messages >/dev/null || : # of any status
		[ -s messages ] || { echo "of: gpurun $line: nothing on stderr"; failed=1; }
		awk '/^gpurun: ./ { below = 1; next } below && /^[ \t]+[^ \t]/ { next } { print; bad = 1 }
			END { exit bad }' messages || { echo "of: gpurun $line"; failed=1; }
	done
	return $failed
}

# promise: Each line that
@test "command lines that are refused, with their hints" {
	local vadd=$cuda/vadd.fatbin

	ours <<-'E'
	--nosuch
	nosuch
	.
	/dev/null
	/bin/true --list
	/bin/true -l k
	"$BATS_TEST_FILENAME"
	$vadd
	$vadd -l
	$vadd -l nosuch
	$vadd -l vad -q
	$vadd -l vadd
	$vadd -l vadd -a 1
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 5 -a 6
	$vadd -l vadd -a f32:4:@nosuch -a f32:4 -a f32:4 -a 4
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 -g 0
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 -b 5000
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 -d gpu:99
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 -d cpu:nosuch=1
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 --out nosuch=x
	$vadd -l vadd -a x=f32:4 -a f32:4 -a f32:4 -a 4 --out x=/nosuch/x
	$vadd -l vadd -a x=f32:4:1 -a y=f32:4:2 -a z=f32:4 -a 4 --expect z=1
	$vadd --list=nosuch
	$vadd --info=nosuch
	$vadd --list --launch vadd
	--exec nosuch
	--exec .
	--devices -d nosuch
	E
}

# promise: Each line that
@test "texts that are no PTX, and files that are damaged" {
	local vadd=$cuda/vadd.fatbin

	head -c 2000 "$vadd" >short.fatbin
	printf '.version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { nonsense; }\n' >bad.ptx
	printf '.version 7.0\n.target sm_50\n.extern .func f();\n.visible .entry k() { call f, (); }\n' >extern.ptx
	printf 'not\nPTX\n' >text
	ours <<-'E'
	short.fatbin -l vadd
	short.fatbin --list
	bad.ptx -l k
	bad.ptx -l k -v
	extern.ptx -l k
	text -l k
	E
}

# promise: Each line that
@test "runs: faults, mismatches, findings, notes of -v" {
	local checks=$root/examples/check/checks.ptx outofbounds=$cuda/outofbounds.fatbin vadd=$cuda/vadd.fatbin

	ours <<-'E'
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 -v
	$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 --json -v
	$vadd -l vadd -a x=f32:400:1 -a f32:400:1 -a y=f32:400 -a 400 --expect x=7 --expect y=8
	$outofbounds -l fill -b 64 -a i32:4
	$outofbounds -l fill -b 64 -a i32:4 -v
	$outofbounds -l fill -b 64 -a i32:4 --check all
	$outofbounds -l fill -b 64 -a i32:4 --json --junit=report.xml
	$outofbounds -l fill -b 64 -a i32:4 -t 10s
	$checks --check race -l barrier_bad -b 64 -a i32:64:iota -a i32:64
	$checks --check all -l barrier_bad -b 64 -a i32:64:iota -a i32:64 -v
	--check all --exec gpurun $checks -l barrier_bad -b 64 -a i32:64:iota -a i32:64
	--exec gpurun $outofbounds -l fill -b 64 -a i32:4
	--json --exec gpurun $outofbounds -l fill -b 64 -a i32:4
	$vadd -t 10ms -l vadd -a f32:100000000 -a f32:100000000 -a f32:100000000 -a 100000000
	E
}

# promise: Each line that
@test "what the CPU device is asked to write: what a kernel was lowered to, counts" {
	local vadd=$cuda/vadd.fatbin

	ours <<-'E'
	$vadd -d cpu:dump=vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4
	$vadd -d cpu:dump=nosuch,trace=nosuch -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4
	E
	GPURUN_LOG=device,cudart,driver ours <<<'$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4'
	GPURUN_LOG=nosuch ours <<<'$vadd -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4'
}

# promise: Others are only the lines
@test "lines that are others': annotations, what an instruction computes, an assertion" {
	local words=("$cuda/vadd.fatbin" -l vadd -a f32:4 -a f32:4 -a f32:4 -a 4 -q)

	gpurun "${words[@]}" -d cpu:trace=vadd:0:0 2>messages
	[[ $(sed 's/^\(trace: \).*/\1/' messages | sort -u) == "trace: " ]]
	run -117 gpurun "$cuda/outofbounds.fatbin" -l fill -b 64 -a i32:4 --annotate 2>&1
	[[ $(grep -v '^gpurun: ' <<<"$output" | grep -v '^ ') == "::error "* ]]
	printf '%s\n' .version\ 7.0 .target\ sm_50 .address_size\ 64 \
		'.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);' \
		'.global .align 1 .b8 x[2] = { 120, 0 };' \
		'.visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, x; cvta.global.u64 %rd1, %rd1;' \
		'{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;' \
		'st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 1; st.param.b64 [d], %rd1;' \
		'st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); } ret; }' >assert.ptx
	run gpurun assert.ptx -l k 2>&1
	same "$(grep -v '^gpurun: ' <<<"$output" | grep -v '^ ')" \
		"x:1: x: block: [0,0,0], thread: [0,0,0] Assertion \`x\` failed."
}
