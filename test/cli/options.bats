# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The options themselves: documented everywhere, parsed as they say.

load helpers

options() {	# prints "NAME LETTER" of every option
	sed -n 's/^OPTION([A-Z_]*, *"\([a-z-]*\)", *\(0\|'\''\(.\)'\''\),.*/\1 \3/p' \
		"$root/cmd/line/options.def"
}

@test "every option is in --help=options and in the man page, with its letter" {
	local name letter help old

	old=$(old_spellings)
	help=$(gpurun --help=options)
	[[ $(options | wc -l) -ge 30 ]]
	while read -r name letter; do
		! grep -qx -- "$name" <<<"$old" || continue
		[[ $help == *"--$name"* ]] || { echo "--help lacks --$name"; return 1; }
		grep -Eq "^\.It Fl (. , Fl )?-$name( |\$)" "$root/man/gpurun.1" ||
			{ echo "gpurun.1 lacks --$name"; return 1; }
		[[ -n $letter ]] || continue
		[[ $help == *"-$letter, --$name"* ]] || { echo "--help lacks -$letter"; return 1; }
		grep -Eq "^\.It Fl $letter , Fl -$name( |\$)" "$root/man/gpurun.1" ||
			{ echo "gpurun.1 lacks -$letter"; return 1; }
	done < <(options)
}

old_spellings() {	# prints their names
	sed -n 's/^OPTION([A-Z_]*, *"\([a-z-]*\)".* OLD,.*/\1/p' "$root/cmd/line/options.def"
}

# promise: It is taken by one MINOR
@test "an old spelling is in its section of the manual and in docs/stability.md, and in no --help" {
	local name count=0

	while read -r name; do
		((++count))
		sed -n '/^\.Ss Old spellings/,/^\.S/p' "$root/man/gpurun.1" |
			grep -q "^\.It Fl -$name " || { echo "gpurun.1: --$name"; return 1; }
		grep -q -- "--$name" "$root/docs/stability.md" || { echo "stability.md: --$name"; return 1; }
		! gpurun --help=all | grep -- "--$name"
	done < <(old_spellings)
	((count))
}

# A new option has to say by which rule it is one.
# bats test_tags=plain
@test "docs/cli.md has each option once, and no other" {
	same "$(grep -oE '^\| .* \|$' "$root/docs/cli.md" | grep -oE '`--[a-z-]+`' | tr -d '\`-' | sort)" \
		"$(options | cut -d ' ' -f 1 | tr -d - | sort)"
	(($(options | wc -l) <= 60))
}

@test "the variables that stand for options are those of the man page" {
	local rows page

	rows=$(sed -n 's/^OPTION([A-Z_]*, *"\([a-z-]*\)",.* "\(GPURUN_[A-Z_]*\)",.*/\2 \1/p' \
		"$root/cmd/line/options.def" | sort)
	page=$(sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh SIGNALS/p' "$root/man/gpurun.1" |
		sed -n '/^\.It Ev /{N;N;s/^\.It Ev \(.*\)\nAs\n\.Fl -\([a-z-]*\) \.$/\1 \2/p}' | sort)
	[[ $(wc -l <<<"$rows") -ge 5 ]]
	same "$page" "$rows"
}

@test "no option of the man page is unknown" {
	local name known

	known=$(options | cut -d ' ' -f 1)
	while read -r name; do
		grep -qx -- "$name" <<<"$known" || { echo "gpurun.1: --$name"; return 1; }
	done < <(sed -n 's/^\.It Fl \(. , Fl \)\{0,1\}-\([a-z-]*\).*/\2/p' "$root/man/gpurun.1")
}

# promise: Besides -d only
# met: gpurun(1) left --junit and --annotate out of what goes with --exec
@test "gpurun(1) has each option that goes with --exec, and no other" {
	local names page

	names=$(sed -n 's/^OPTION([A-Z_]*, *"\([a-z-]*\)", *\(0\|'\''\(.\)'\''\),.*\(WITH_EXEC\|WITH_ALL\).*/& \1 \3/p' \
		"$root/cmd/line/options.def" | grep -v ' OLD,' | sed 's/.*) //' |
		while read -r name letter; do echo "${letter:--$name}"; done | grep -vx d | sort)
	[[ $(wc -l <<<"$names") -ge 10 ]]
	page=$(sed -n '/^Besides$/,/^go with it;$/p' "$root/man/gpurun.1" |
		sed -n 's/^\.Fl \([a-z-]*\).*/\1/p' | grep -vx d | sort)
	same "$page" "$names"
}

# promise: Its keys, in
@test "the keys of the CPU device are those of gpurun-cpu(7), and gpurun(1) names no others" {
	local keys

	keys=$(sed -n 's/^CPU_KEY("\([a-z_-]*\)".*/\1/p' "$root/lib/base/cpu_keys.def")
	[[ $(wc -l <<<"$keys") -ge 10 ]]
	same "$(sed -n '/^\.Sh KEYS/,/^\.Sh WHAT/s/^\.It Cm \([a-z_-]*\) .*/\1/p' \
		"$root/man/gpurun-cpu.7" | sort)" "$(sort <<<"$keys")"
	while read -r name; do
		grep -qx -- "$name" <<<"$keys" || { echo "gpurun.1: $name"; return 1; }
	done < <(sed -n '/^Its keys/,/^says), and others/s/^\.Cm \([a-z-]*\).*/\1/p' "$root/man/gpurun.1")
}

# promise: Print a summary
# met: --help was longer than a screen; keys of a report were not documented
@test "--help fits on a screen, and each topic answers" {
	run -0 --separate-stderr gpurun --help
	((${#lines[@]} <= 24))
	! grep -E '.{101}' <<<"$output"
	same "$stderr" ""
	for option in launch arg block threads expect out print device check timeout json; do
		grep -q -- "^  .* --$option[ =[]" <<<"$output" || { echo "--help lacks $option"; return 1; }
	done
	for topic in all options args cpu bench exit json; do
		run -0 --separate-stderr gpurun --help=$topic
		[[ -n $output ]]
	done
	fails 110 "gpurun: error: --help: no topic 'x'; topics are options, args, cpu, bench, exit, json and all" \
		gpurun --help=x
}

@test "--help=exit is the table of gpurun-exit(7)" {
	local code

	for code in 110 111 112 113 114 115 116 117 118 119 124 125; do
		gpurun --help=exit | grep -q "^$code "
		grep -q "$code" "$root/man/gpurun-exit.7" || { echo "gpurun-exit.7: $code"; return 1; }
	done
}

# promise: Print what this program is
@test "--version says what it is" {
	run -0 gpurun --version
	[[ ${lines[0]} == "gpurun $(<"$root/VERSION")" ]]
	[[ $output == *ROCm* ]]
	run -0 gpurun -V
}

# promise: Options are never abbreviated
@test "unknown options, and abbreviated ones, are refused" {
	fails 110 "gpurun: error: unknown option --nonsense
gpurun: hint: gpurun --help lists the options" gpurun k --nonsense
	fails 110 "gpurun: error: unknown option --devi
gpurun: hint: did you mean --device? options are not abbreviated" gpurun k --devi cpu
	fails 110 "gpurun: error: unknown option -x
gpurun: hint: gpurun --help lists the options" gpurun k -x
}

# promise: A value follows as the next word
@test "what was meant as the value of a letter that takes none there is told so" {
	local word hint

	while read -r word hint; do
		run -110 --separate-stderr gpurun k "$word"
		same "${stderr_lines[1]}" "gpurun: hint: $hint"
	done <<-'E'
		-j=r.json -j takes no value: --json=FILE
		-jr.json -j takes no value: --json=FILE
		-qj=r.json -j takes no value: --json=FILE
		-h=all -h takes no value: --help=TOPIC
		-q=1 -q takes no value
		-f=1 -f takes no value
		-v=1 -v takes no value
		-qr gpurun --help lists the options
	E
}

@test "options that come later are refused as unknown until then" {
	for option in --emit-c --write-out; do
		run -110 --separate-stderr gpurun "$llvm/main.ptx" $option
		[[ ${stderr_lines[0]} == "gpurun: error: unknown option $option" ]]
	done
	fails 113 "gpurun: error: no kernel matches 'sections'
gpurun: hint: a pattern is a shell's: '*gemm*'; --list has all kernels, --list=images and --list=vars the images and variables" \
		gpurun "$llvm/main.ptx" --list=sections
}

# promise: A value follows as the next word
@test "values: the next word, or behind =; letters together" {
	prints vadd gpurun "$cuda/vadd.fatbin" --list=names -qv
	run -0 gpurun "$cuda/vadd.fatbin" --dry-run --launch=vadd -g4 -b8 --arg=null -anull \
		-a null -ai32=1
	fails 110 "gpurun: error: --force takes no value" gpurun --force=1
	fails 110 "gpurun: error: --launch needs a value: [NAME:]KERNEL" gpurun k --launch
	fails 110 "gpurun: error: --device needs a value: SEL" gpurun k -qd
}

@test "one file, and words where none belong" {
	fails 110 "gpurun: error: a second file: 'b' after 'a'
gpurun: hint: a kernel is named by --launch, its arguments are given with --arg" gpurun a b
	fails 110 "gpurun: error: no file given
gpurun: hint: gpurun FILE --list shows what is in FILE; see gpurun --help" gpurun
	fails 110 "gpurun: error: an empty word where a file or option belongs" gpurun ""
	fails 110 "gpurun: error: only one of --list, --info, --extract, --devices, --doctor, --dry-run and --exec can be given" \
		gpurun a --list --dry-run
	fails 110 "gpurun: error: 'x' after --: a kernel takes no program arguments" \
		gpurun "$llvm/main.ptx" --launch main -- x
}

# promise: Read further words
@test "a response file stands for its words" {
	printf '%s\n' '# what to run' "$cuda/vadd.fatbin" '' '  --list=names' >words
	prints vadd gpurun @words
	printf -- '--list=names' >tail
	prints vadd gpurun "$cuda/vadd.fatbin" @tail
	echo @self >self
	fails 110 "gpurun: error: @self:1: @self: more than 64 response files; does one name itself?" \
		gpurun @self
	fails 111 "gpurun: error: nosuch: cannot open: No such file or directory" gpurun @nosuch
	printf 'a\0b' >binary
	fails 110 "gpurun: error: @binary: not a text file" gpurun @binary
	echo --print=y | gpurun "$cuda/vadd.fatbin" -t 30 --launch vadd -b 2 -a f32:2 -a f32:2:fill=2 \
		-a y=f32:2 -a 2 @/dev/stdin >out
	same "$(<out)" "y: 2 2"
	cp "$cuda/vadd.fatbin" @odd
	prints vadd gpurun ./@odd --list=names
}

# promise: A line is a word
# promise: '#' begins a comment
# met: a response file took neither a comment behind a word nor an option with its value; errors had no line
@test "a line of a response file is a word, or an option and its value; # begins a comment" {
	printf '%s\n' '-d cpu' '  --launch vadd	# the only kernel' '-b   2' '-a f32:2 #x' \
		'-a f32:2:fill=2' '-ay=f32:2' '--arg=2' '--print' 'y' >words
	prints "y: 2 2" gpurun "$cuda/vadd.fatbin" @words
	printf '%s\n' '# two options' '-d cpu' '' '--bogus' >wrong
	run -110 --separate-stderr gpurun k.ptx @wrong
	same "${stderr_lines[0]}" "gpurun: error: @wrong:4: unknown option --bogus"
	printf '%s\n' '-d cpu' 'second file' >wrong
	run -110 --separate-stderr gpurun k.ptx @wrong
	same "${stderr_lines[0]}" "gpurun: error: @wrong:2: a second file: 'second file' after 'k.ptx'"
}

# promise: An option that modifies a launch
@test "modifiers need something to modify" {
	fails 110 "gpurun: error: --stream: there is nothing before it to apply to
gpurun: hint: it belongs after a --launch, --record or --wait" gpurun k --stream s1 --launch k
	fails 110 "gpurun: error: --after: there is nothing before it to apply to
gpurun: hint: it belongs after a --launch, --record or --wait" gpurun k --after e
	fails 110 "gpurun: error: --event: there is nothing before it to apply to
gpurun: hint: it belongs after a --launch, --record or --wait" gpurun k --event e
}

@test "wrong values of global options" {
	fails 110 "gpurun: error: --timeout 5x: not a time
gpurun: hint: a time is a number of seconds, or as in 500ms, 90s, 5m, 1.5h" gpurun k -t 5x
	fails 110 "gpurun: error: --timeout 500us: not a time
gpurun: hint: a time is a number of seconds, or as in 500ms, 90s, 5m, 1.5h" gpurun k -t 500us
	fails 110 "gpurun: error: --timeout 0: not a time
gpurun: hint: a time is a number of seconds, or as in 500ms, 90s, 5m, 1.5h" gpurun k -t 0
	fails 110 "gpurun: error: --no-device-exit 300: not an exit status, 0 to 255" \
		gpurun k --no-device-exit 300
	fails 110 "gpurun: error: --seed x: not a whole number" \
		gpurun "$llvm/main.ptx" -l main --seed x --dry-run
	fails 110 "gpurun: error: --image x: not a number, sm_90 or ptx
gpurun: hint: --list=images shows the images" gpurun "$llvm/main.ptx" --image x --list
}

@test "colour only on a terminal that wants it" {
	unset NO_COLOR
	run -110 --separate-stderr gpurun
	[[ $stderr != *$'\033'* ]]
}
