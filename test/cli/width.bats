# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What --list prints on a terminal of some width, by script(1), and where there is none.

load helpers

# Runs gpurun on a terminal with so many columns; prints what it shows there.
on_terminal() {	# COLUMNS WORD...
	local columns=$1

	shift
	command -v script >/dev/null || skip "needs bsdutils: no script"
	SHELL=/bin/sh script -qec "stty cols $columns; gpurun $(printf '%q ' "$@")" /dev/null </dev/null |
		tr -d '\r'
}

# Tells whether no line has more than so many characters.
fits() {	# COLUMNS TEXT
	local line

	while IFS= read -r line; do
		((${#line} <= $1)) || { echo "${#line} characters, not $1: $line"; return 1; }
	done <<<"$2"
}

# promise: On a terminal columns
@test "--list on a terminal: columns are aligned, and cells lose their middle so that rows fit" {
	local LC_ALL=C.UTF-8

	run -0 on_terminal 80 "$cuda/reduce.so" --list
	same "$output" 'reduce<float…loat*, int)  (u64@0, …u32@16)  12 regis…B shared  0: sm_75…_90 SASS
reduce<int>(… int*, int)  (u64@0, …u32@16)  12 regis…B shared  0: sm_75…_90 SASS'
	run -0 on_terminal 200 "$cuda/reduce.so" --list
	same "$output" 'reduce<float>(float const*, float*, int)  (u64@0, u64@8, u32@16)  12 registers, 1024 B shared  0: sm_75 PTX 9.0, 1: sm_90 SASS
reduce<int>(int const*, int*, int)        (u64@0, u64@8, u32@16)  12 registers, 1024 B shared  0: sm_75 PTX 9.0, 1: sm_90 SASS'
	for columns in 80 81 100 120 200; do
		for file in "$data/images/many.fatbin" "$mlir/scale.o" "$root/examples/check/checks.ptx"; do
			run -0 on_terminal $columns "$file" --list
			fits $columns "$output"
		done
	done
}

@test "--list on a terminal that is too narrow keeps a part of each cell" {
	local LC_ALL=C.UTF-8

	run -0 on_terminal 20 "$cuda/vadd.fatbin" --list
	same "$output" "vadd  (u64…24)  12 r…ers  0: s…ASS"
}

@test "--list on a terminal: what a file names cannot command it, and rows end in no blank" {
	"$BATS_TEST_DIRNAME/unclean" make "$data/images"
	for file in *; do
		gpurun "$file" --list >/dev/null 2>&1 || continue
		run on_terminal 80 "$file" --list
		[[ $output != *[$'\e\a\b\t']* && $output != *' '$'\n'* ]]
	done
}

@test "--list of more rows than are printed together" {
	local LC_ALL=C.UTF-8 i

	printf '.version 7.0\n.target sm_50\n.address_size 64\n' >many.ptx
	for ((i = 0; i < 2001; i++)); do
		printf '.visible .entry k%d() { ret; }\n' $i
	done >>many.ptx
	run -0 on_terminal 80 many.ptx --list
	[[ ${#lines[@]} == 2001 && ${lines[0]} == "k0    ()  0: "* && ${lines[2000]} == "k2000  ()  0: "* ]]
}

@test "--list where there is no terminal has rows whole" {
	prints '_Z6reduceIfEvPKT_PS0_i  reduce<float>(float const*, float*, int)  (u64@0, u64@8, u32@16)  12 registers, 1024 B shared  0: sm_75 PTX 9.0, 1: sm_90 SASS
_Z6reduceIiEvPKT_PS0_i  reduce<int>(int const*, int*, int)  (u64@0, u64@8, u32@16)  12 registers, 1024 B shared  0: sm_75 PTX 9.0, 1: sm_90 SASS' \
		gpurun "$cuda/reduce.so" --list
}

# What people see most, by the words after "gpurun": a list, help, information, a fault, a finding.
seen() {
	printf '%s\n' "--help" "--help=all" "$cuda/vadd.fatbin --info" \
		"$cuda/outofbounds.fatbin -l fill -b 64 -a i32:4" \
		"$root/examples/check/checks.ptx --check race -l barrier_bad -b 64 -a i32:64:iota -a i32:64"
}

# Addresses are others in each process.
masked() {
	sed 's/0x[0-9a-f]*/0x/g'
}

@test "help, information, a fault and a finding are the same at 80 and 200 columns as where there is no terminal" {
	local words

	export TERM=xterm
	while read -r words; do
		gpurun $words 2>&1 </dev/null | masked >plain
		for columns in 80 200; do
			same "$(on_terminal $columns $words | masked)" "$(<plain)"
		done
	done < <(seen)
}

# promise: No such line is written
@test "where there is no terminal names are whole, nothing is coloured, and COLUMNS changes no byte" {
	local words columns

	unset NO_COLOR
	export TERM=xterm
	while read -r words; do
		gpurun $words 2>&1 </dev/null | masked >want
		[[ -s want && $(<want) != *[$'\e\r…']* ]]
		for columns in 1 20 80 200 x ''; do
			COLUMNS=$columns gpurun $words 2>&1 </dev/null | masked >got
			cmp want got
		done
	done < <(seen; echo "$cuda/reduce.so --list")
}
