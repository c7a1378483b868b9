# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Nothing that a terminal obeys comes from a name: of a file, in a file, of a kernel's source, on the
# command line or in the environment, in any output: messages, lists, reports, JSON, JUnit, annotations.

load helpers

setup_file() {
	mkdir "$BATS_FILE_TMPDIR/names"
	cd "$BATS_FILE_TMPDIR/names"
	"$BATS_TEST_DIRNAME/unclean" make "$BATS_TEST_DIRNAME/../data/images"
}

names_here() {
	[[ -e text.ptx ]] || cp "$BATS_FILE_TMPDIR/names"/* .
}

# Runs the words of each line from stdin as a command ("gpurun" is added), with {evil} for a name that
# has everything that a terminal obeys. The outputs of all are clean, and each shows a name, but
# those of lines that begin with "~".
clean_output() {
	local line failed=0
	local -a words

	names_here
	while IFS= read -r line; do
		eval "words=(${line#\~})"
		HIDES=${line::1} "$root/test/cli/unclean" run gpurun "${words[@]}" </dev/null ||
			{ echo "of: gpurun $line"; failed=1; }
	done
	return $failed
}

# The same, of each line as it is and with each kind of report.
clean_reports() {
	local line

	while IFS= read -r line; do
		printf '%s\n' "$line" "$line -v" "$line --json" "$line --json=report.json -v" \
			"$line --junit=report.xml" "$line --annotate" \
			"$line --json --junit=report.xml --annotate"
	done | clean_output
}

# promise: A character of a name that a terminal obeys
@test "lists, of what kernels, variables, members and offload binaries are called" {
	clean_output <<-'E'
	names.cubin --list
	names.cubin --list=kernels
	names.cubin --list=names
	names.cubin --list=vars
	names.cubin --list='*[2J'
	names.cubin --list={evil}
	names.cubin --info
	names.cubin --info --device cpu
	names.cubin --info=$'\e[2J'
	names.cubin --info={evil}
	strings.offload --list=images
	producer.offload --list=images
	members.a --list=images
	members.a --info
	{evil}.ptx --extract={evil} -f
	names.cubin --extract={evil} -f
	names.cubin --load {evil}=names.cubin --list
	E
}

# promise: A character of a name that a terminal obeys
@test "the same as JSON, which has names unchanged for who reads it" {
	clean_output <<-'E'
	names.cubin --list --json
	names.cubin --list=names --json
	names.cubin --list=vars --json
	names.cubin --list={evil} --json
	names.cubin --info --json
	names.cubin --info --device cpu --json
	strings.offload --list=images --json
	producer.offload --list=images --json
	members.a --list=images --json
	members.a --info --json
	members.a --extract=out -f --json
	{evil}.ptx --extract={evil} -f --json
	E
	gpurun names.cubin --list --json >list.json
	same "$(json list.json kernels 0 mangled)" $'\e[2J'
	same "$(json list.json kernels 1 mangled)" $'\u202e''\xff'
	gpurun names.cubin --list=vars --json >list.json
	same "$(json list.json variables 0 name)" $'c\nFAKE''\x9b'
}

# promise: A kernel is launched by its name as it is
@test "a kernel is launched by its name, and by what is shown of it" {
	names_here
	for name in $'\e[2J' '\x1b[2J' $'\u202e\xff' '\u202e\xff'; do
		run -0 --separate-stderr gpurun names.cubin -d gpu --dry-run -l "$name" -a null
		[[ $output == *"launch  \\"[xu]*"  grid "* ]] || { echo "$output"; return 1; }
	done
	while read -r name; do
		gpurun names.cubin -d gpu --dry-run -l "$name" -a null
	done < <(gpurun names.cubin --list=names)
	run -113 --separate-stderr gpurun names.cubin -d gpu --dry-run -l '\x1b[2K' -a null
	[[ $stderr == "gpurun: error: no kernel '\\x1b[2K'; there is \\x1b[2J, \\u202e\\xff"* ]]
}

# promise: A character of a name that a terminal obeys
@test "plans, with buffers, streams, events and files of any name" {
	clean_output <<-'E'
	names.cubin -d gpu --dry-run -l $'\e[2J' -a null
	names.cubin -d gpu --dry-run -l '\x1b[2J' -a null --json
	names.cubin -d gpu --dry-run -l {evil} -a null
	names.cubin -d gpu --dry-run -l {evil} -a null --json
	{evil}.ptx --dry-run -l k -a null
	{evil}.ptx --dry-run -l k -a null --json
	{evil} --dry-run -l k
	{evil} --list --json
	text.ptx --dry-run -l fine -a {evil}=u32:4
	text.ptx --dry-run -l fine -a {evil}
	text.ptx --dry-run -l fine -a a=u32:4:{evil}
	text.ptx --dry-run -l fine -a a=u32:4:@{evil}
	text.ptx --dry-run -l fine -a a=u32:{evil}
	text.ptx --dry-run -l fine -a a={evil}:4
	text.ptx --dry-run -l fine -a null --grid {evil}
	text.ptx --dry-run -l fine -a null --stream {evil}
	text.ptx --dry-run -l fine -a null --stream {evil} --json
	text.ptx --dry-run -l fine -a null --event {evil} --await {evil}
	text.ptx --dry-run -l fine -a null --after {evil}
	text.ptx --dry-run -l fine -a null --wait {evil}
	text.ptx --dry-run -l fine -a null --load {evil}=text.ptx
	text.ptx --dry-run -l fine -a null --load b={evil}
	text.ptx --dry-run -l fine -a null --link {evil}
	text.ptx --dry-run -l fine -a a=u32:4 --out a={evil}
	text.ptx --dry-run -l fine -a a=u32:4 --out a={evil} --json
	text.ptx --dry-run -l fine -a a=u32:4 --out {evil}=x
	text.ptx --dry-run -l fine -a a=u32:4 --expect a={evil}
	text.ptx --dry-run -l fine -a a=u32:4 --expect a=@{evil}
	text.ptx --dry-run -l fine -a a=u32:4 --print {evil}
	text.ptx --dry-run -l fine -a a=u32:4 --set a={evil}
	text.ptx --dry-run -l fine -a a=u32:4 --copy a={evil}
	text.ptx --dry-run -l fine -a a=u32:4 --get {evil}
	text.ptx --dry-run -l fine -a null --unload {evil}
	text.ptx --dry-run -l fine -a null --image {evil}
	text.ptx --dry-run -l fine -a null --device {evil}
	E
}

# promise: A character of a name that a terminal obeys
@test "command lines that are refused" {
	clean_output <<-'E'
	text.ptx --{evil}
	text.ptx -{evil}
	text.ptx --json={evil}/x --list -q
	text.ptx --list {evil}
	text.ptx --timeout {evil} -l k
	text.ptx --seed {evil} -l k
	text.ptx --check={evil} -l fine -a a=u32:4
	text.ptx -l fine -a a=u32:4 --expect a=1 --rtol {evil}
	text.ptx --threads {evil} -l k
	text.ptx --shared {evil} -l k
	text.ptx --device {evil} -l k -a null
	text.ptx --check=all,exitcode={evil} -l k
	text.ptx --check={evil}=1 -l k
	text.ptx --check=all --error-exitcode {evil} -l k
	text.ptx --no-device-exit {evil} -l k
	text.ptx --junit={evil}/x -l fine -a a=u32:4
	--exec {evil}
	--exec {evil} --json
	--exec true {evil} --require-launch={evil}
	--exec {evil} --junit=report.xml
	--devices {evil}
	@response text.ptx
	@{evil}
	E
}

# promise: A character of a name that a terminal obeys
@test "the environment" {
	local key

	GPURUN_DEVICE='{evil}' clean_output <<-'E'
	text.ptx -l leak
	text.ptx -l leak --json
	text.ptx -l leak --dry-run
	E
	GPURUN_DRIVER='{evil}' clean_output <<-'E'
	text.ptx -d gpu -l leak
	text.ptx -d gpu -l leak --json --junit=report.xml --annotate
	--devices
	E
	for key in threads cc mem sched check error-exitcode isa printf bounds dump trace '{evil}'; do
		echo "text.ptx -d cpu:$key={evil} -l leak -v"
		echo "text.ptx -d cpu:$key={evil} -l leak --json"
	done | clean_output
	GPURUN_LOG='{evil}' GPURUN_CPU='{evil}' clean_output <<<'~text.ptx -l leak'
	GPURUN_EXEC=cudart GPURUN_CPU='{evil}={evil}' clean_output <<<'~--exec true'
}

# promise: A character of a name that a terminal obeys
@test "text that is no PTX, and files that are damaged" {
	local file

	names_here
	for file in bad??.ptx target.ptx; do
		cp "$file" "$BATS_TEST_TMPDIR/$(printf 'n\e')$file"
		printf '~%s\n' "\$'n\\e$file' --list" "\$'n\\e$file' --list --json" "\$'n\\e$file' -l k" \
			"\$'n\\e$file' -l k --json --junit=report.xml --annotate"
	done | clean_output
	clean_output <<-'E'
	text.ptx -l fine -a a=u32:@{evil}
	text.ptx -l fine -a a=@header.npy
	E
}

# promise: A character of a name that a terminal obeys
@test "runs: faults, assertions and findings, in each report" {
	clean_reports <<-'E'
	text.ptx -l k -a a=u32:4
	text.ptx -l fails -a null
	text.ptx -l leak --block 64 --check=all
	text.ptx -l fine -a {evil}=u32:4 --expect {evil}=2
	~lines.cubin -l first -a null -a 5 -g 1 -b 32
	--check=all --exec gpurun text.ptx -l leak -b 64
	--check=all --exec gpurun text.ptx -l k -a a=u32:4
	E
	clean_output <<-'E'
	text.ptx -l fine -a a=u32:4 --out a={evil} -v
	text.ptx -l fine -a a=u32:4 --out a=/{evil}/x
	E
	clean_output <<-'E'
	text.ptx -d cpu:trace=* -l leak
	text.ptx -d cpu:dump=* -l leak
	text.ptx -d cpu:check-log=report.log,check=all -l leak -b 64
	E
}

# promise: What a kernel prints itself is never changed
@test "what a kernel prints itself is the program's own, byte for byte" {
	{
		sed '/^.visible .entry k/,$d' "$BATS_FILE_TMPDIR/names/text.ptx"
		cat <<-'E'
		.visible .entry says()
		{
			.reg .b64 %rd<4>;
			.reg .b32 %r<2>;
			mov.u64 %rd1, m;
			cvta.global.u64 %rd1, %rd1;
			{
				.param .b64 a;
				.param .b64 b;
				.param .b32 c;
				st.param.b64 [a], %rd1;
				st.param.b64 [b], 0;
				call (c), vprintf, (a, b);
				ld.param.b32 %r1, [c];
			}
			ret;
		}
		E
	} >says.ptx
	gpurun says.ptx -l says >printed
	[[ $(<printed) == *$'\e]0;pwn\a\x7f\xc2\x9b31m\u202e'* ]]
	run ! "$root/test/cli/unclean" run gpurun says.ptx -l says
	[[ $output == *"stdout: line 1: "*U+001B* ]]
}
