# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What reports can be of: lib/base/report_kinds.def, the JSON Schema and the manuals have the same rows.

load helpers

# The names of the rows of MACRO, one a line, in their order.
names() {	# MACRO
	sed -n "s/^$1([A-Z_]*, *\"\([a-z-]*\)\".*/\1/p" "$root/lib/base/report_kinds.def"
}

# What KEY of a fault or finding can be, one a line; null is left out.
allowed() {	# KEY
	python3 -c 'import json, sys
for name in json.load(open(sys.argv[1]))["definitions"]["fault"]["properties"][sys.argv[2]]["enum"]:
    if name is not None: print(name)' "$root/cmd/gpurun.schema.json" "$1"
}

# The lines between the one that is BEGIN and the next one that is END.
between() {	# FILE BEGIN END
	sed -n "/^$2\$/,/^$3\$/p" "$1"
}

@test "the schema has each kind of the table, in its order, and no other" {
	# The counts of launches are an object of their own.
	same "$(allowed kind)" "$(names REPORT_KIND | grep -vx launches)"
}

@test "gpurun-json(5) has each kind of the table with its meaning, and no other" {
	between "$root/man/gpurun-json.5" 'The kinds:' '\.El' |
		awk '/^\.(Bl|El|Pp)/ || /^The kinds:/ { next }
			/^\.It Ql/ { if (line) print line; line = $3 ":"; next }
			{ sub(/^\.(Ql|Fn) /, ""); line = line " " $0 }
			END { print line }' >manual
	[ -s manual ]
	sed -n 's/^REPORT_KIND([A-Z_]*, *"\([a-z-]*\)", *[0-9]*, "\(.*\)")$/\1: \2./p' "$root/lib/base/report_kinds.def" |
		grep -v ^launches: >wanted
	# Marks of functions, a blank before a comma, and the case of the first letter are the manual's.
	for file in manual wanted; do
		tr -d '()' <$file | sed 's/ ,/,/g; s/^[^:]*: ./\L&/' >$file.plain
	done
	# A GPU's own word for a trap is more than the table says.
	sed -i 's/, which say so of a trap, too//' manual.plain
	same "$(<manual.plain)" "$(<wanted.plain)"
}

@test "the schema has each check of the table, in its order, and no other" {
	same "$(allowed check)" "$(names REPORT_CHECK)"
}

# Runs saxpy, without a mistake in it.
saxpy() {	# STATUS OPTION...
	run "-$1" --separate-stderr gpurun "$cuda/saxpy.ptx" --launch saxpy -b 32 -a 2.0 -a x=f32:32:iota \
		-a y=f32:32:fill=1 -a len:x -e y=iota=1,2 "${@:2}"
}

@test "manuals, --help, messages and completions have each check, and no other" {
	local all list

	all=$(names REPORT_CHECK | tr '\n' ' ')
	# gpurun-json(5), and the items of gpurun(1) and gpurun-cpu(7).
	same "$(between "$root/man/gpurun-json.5" '\.It Cm check' 'null in' |
		sed -n 's/^\.Ql \([a-z]*\).*/\1/p' | tr '\n' ' ')" "$all"
	same "$(between "$root/man/gpurun.1" '\.It Fl -check .*' '\.It .*' |
		sed -n '/^\.Cm all/q; s/^\.Cm \([a-z]*\)$/\1/p' | tr '\n' ' ')" "$all"
	same "$(between "$root/man/gpurun-cpu.7" '\.Sh CHECKS' '\.El' |
		sed -n 's/^\.It Cm //p' | tr '\n' ' ')" "$all"
	run -0 gpurun --help=options
	[[ $output == *"find bugs on the CPU device: ${all// /, }all"* ]]
	saxpy 110 --check bugs
	[[ $stderr == *"one or more of ${all// /, }or all or none"* ]]
	for shell in bash fish zsh; do
		list=$(grep -o "${all}all" "$root/cmd/completion.$shell.in")
		same "$shell: $list" "$shell: ${all}all"
	done
}

# promise: A name with '-' before it
@test "every check is accepted alone, with others, and taken out of all" {
	for check in $(names REPORT_CHECK); do
		saxpy 0 --check "$check"
		saxpy 0 --check "all,-$check"
		saxpy 0 --check "mem,$check"
	done
	saxpy 110 --check=-api
	[[ $stderr == *"check=-api is not one or more of "* ]]
}

@test "gpurun-cpu(7) lists what check=api does not report, as the device has it" {
	sed -n '/^\.It Cm api$/,/^\.Ss\|^\.Pp What/p' "$root/man/gpurun-cpu.7" |
		awk '/^\.El/ { exit } /^\.It [0-9]/ { error = $2 } error && /^\.Ql / { print error, $2 }' |
		sort >manual
	[ -s manual ]
	same "$(<manual)" "$(sed -n 's/^HARMLESS("\([^"]*\)", *\([0-9]*\),.*/\2 \1/p' \
		"$root/cpu/base/harmless_calls.def" | sort)"
}
