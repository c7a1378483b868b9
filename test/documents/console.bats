# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The commands that README.md, docs/tour.md and docs/debugging.md show, and what they show them print: a block
# marked "console" has commands behind "$ " (longer ones go on after \ and |), and below each
# its output. Each test has a copy of the files that they name, and no GPU. The program of
# libgpurun(3) prints what that page shows, too.

bats_require_minimum_version 1.5.0

load documents

# The blocks of a document share a folder, as their reader's do.
setup() {
	document_folder=$BATS_FILE_TMPDIR/documents
	with_examples "$document_folder"
}

# The block's commands as a script that prints each as the block has it, and then runs it; $?
# is that of the command before.
script() {
	local line in_command=

	while IFS= read -r line; do
		if [[ $line == '$ '* ]]; then
			printf '{ was=$?; printf "%%s\\n" %q; (exit $was); } 2>&1\n%s\n' "$line" "${line#'$ '}"
		elif [[ $in_command ]]; then
			printf '%s\n' "$line"
		else
			continue
		fi
		in_command=
		[[ $line != *[\\\|] ]] || in_command=1
	done
}

# Where a buffer lies, and the folder, are no part of what is promised.
comparable() {
	sed -E "s/0x7[0-9a-f]{7,}/0x…/g; s|$PWD/|…/|g"
}

# Runs the block that holds a text, which has to be there once: it prints what it shows.
console() {	# DOCUMENT TEXT
	block_with "$1" console "$2" >shown
	script <shown >script.sh
	alone GPURUN_DEVICE=cpu bash script.sh >printed 2>&1 </dev/null || true
	# Of a command of several lines, its first one was printed.
	awk '{ if (!within) print; within = (within || /^\$ /) && /[\\|]$/ }' shown >wanted
	diff <(comparable <wanted) <(comparable <printed)
}

@test "every block is run by a test here" {
	local document

	for document in README.md docs/tour.md docs/debugging.md; do
		[[ $(blocks $document console) == $(grep -c "^	console $document " "$BATS_TEST_FILENAME") ]]
	done
}

@test "a block whose output differs, or whose command fails to print it, is found" {
	cd "$BATS_TEST_TMPDIR"
	mkdir fake
	documents=$PWD/fake
	printf '%s\n' '```console' '$ echo a \' '    b' 'a b' '$ false' '$ echo $?' 1 '```' >fake/good
	console good a
	sed 's/^a b/a c/' fake/good >fake/bad
	run -1 console bad a
	sed 's/^1$/0/' fake/good >fake/bad
	run -1 console bad a
}

# The targets of links and the words that begin with a directory of the tree.
named() {	# DOCUMENT
	local from=$root/$1 word

	grep -oE '\]\([^)]+\)' "$from" | sed 's/^](//; s/)$//' | while read -r word; do
		[[ $word != \#* ]] && echo "$(dirname "$1")/$word" || echo "$1$word"
	done
	grep -oE '(^|[^A-Za-z0-9_./$-])(examples|test|docs|scripts|man|include|lib|cmd)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' "$from" |
		grep -oE '[a-z]+/.*' | grep -vE '^lib/(lib|gpurun/)'
}

@test "the tour lists its tasks" {
	local task tour=$documents/docs/tour.md n=0

	while IFS= read -r task; do
		n=$((n + 1))
		grep -qF -- "$n. [$task](#" "$tour" || { echo "$n: $task"; return 1; }
	done < <(sed -n 's/^## I want //p' "$tour")
	((n >= 20))
}

# met: README named files that are not in the tree
# bats test_tags=tree
@test "the documents name no file that is not in the tree" {
	local document name file

	for document in README.md docs/tour.md docs/debugging.md; do
		while read -r name; do
			file=$root/${name%%#*}
			[[ -e $file ]] || { echo "$document: $name"; return 1; }
			[[ $name == *#* ]] || continue
			sed -n 's/^## *//p' "$file" | tr 'A-Z ' 'a-z-' | tr -d ',.' |
				grep -qxF -- "${name#*#}" || { echo "$document: $name"; return 1; }
		done < <(named "$document")
	done
	[[ $(named README.md | grep -c .) -gt 10 ]]
}

@test "README: a CUDA program that fails, the line of its race, and the program mended" {
	needs nvcc
	console README.md "--check race"
}

@test "README: a launch with --expect" {
	console README.md "--expect y="
}

@test "README: from MLIR to a result" {
	needs mlir-opt-22 llc-22
	console README.md "mlir-opt-22"
}

@test "tour: to see which kernels a file has" {
	console docs/tour.md "*float*"
}

@test "tour: to pick one of several images" {
	console docs/tour.md "--image sm_80"
}

@test "tour: to launch a kernel from whatever I have" {
	console docs/tour.md "--launch . <"
}

@test "tour: to give a kernel its arguments" {
	console docs/tour.md "v+2"
}

@test "tour: to read and write .npy files" {
	console docs/tour.md "@y.npy"
}

@test "tour: to pass a structure, or an array of pointers" {
	console docs/tour.md "struct:x"
}

@test "tour: to set and read variables of the device" {
	console docs/tour.md "--set weights"
}

@test "tour: to overlap launches on two streams" {
	console docs/tour.md "--after ready"
}

@test "tour: to run kernels of several files together" {
	console docs/tour.md "--unload sum"
}

@test "tour: to check a result" {
	console docs/tour.md "y=list=1.1"
}

# promise: It executes the PTX
@test "tour: to know where a kernel faults" {
	console docs/tour.md "outofbounds"
}

@test "tour: to find bugs that do not fault" {
	console docs/tour.md "unset_bad"
}

@test "tour: CI to end when a kernel hangs, and to skip without a GPU" {
	console docs/tour.md "--no-device-exit"
}

@test "tour: a report that a program reads" {
	needs jq
	console docs/tour.md "jq -r"
}

@test "tour: to know how long a kernel takes" {
	needs jq
	console docs/tour.md "--bench"
}

@test "tour: to try a command line without a device" {
	console docs/tour.md "--dry-run"
}

@test "tour: to keep a long command line in a file" {
	console docs/tour.md "vadd.args"
}

@test "tour: to run a host program as it is" {
	console docs/tour.md "./driver"
}

@test "tour: to run what MLIR makes" {
	needs mlir-opt-22 llc-22
	console docs/tour.md "mlir-opt-22"
}

@test "tour: to launch kernels from C" {
	console docs/tour.md "--libs gpurun"
}

@test "tour: to run a CUDA program" {
	needs nvcc
	console docs/tour.md "nvcc"
}

@test "debugging: the result" {
	console docs/debugging.md "--expect"
}

@test "debugging: the thread" {
	console docs/debugging.md "line 74"
}

@test "debugging: the line" {
	console docs/debugging.md "grep -A1"
}

@test "debugging: the instructions that it executes most" {
	console docs/debugging.md "uniq -c"
}

@test "debugging: the line of the source" {
	console docs/debugging.md "sed -n 13p"
}

@test "debugging: the row and the function of an op" {
	ln -sfn "$root/cpu" cpu # this part is for those who have the sources
	console docs/debugging.md "grep -n 'mul_lo"
}

@test "debugging: the ops" {
	console docs/debugging.md "grep -F -A2"
}

# Prints display number N of a section of libgpurun(3).
display() {	# SECTION N
	zcat -f "$documents"/../../man/man3/libgpurun.3* |
		awk -v section=".Sh $1" -v wanted="$2" '/^\.Sh / { here = $0 == section }
			/^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); print } here && /^\.Bd/ { on = ++n == wanted }'
}

@test "libgpurun(3): the short program" {
	display "A SHORT PROGRAM" 1 >program.c
	display "A SHORT PROGRAM" 2 >wanted
	# shellcheck disable=SC2016 # the inner shell's
	alone sh -c 'cc -Wall -Wextra -Werror program.c -o program $(pkg-config --cflags --libs gpurun)'
	alone GPURUN_DEVICE=cpu GPURUN_LOG=leaks ./program >printed 2>leaks
	diff wanted printed
	[[ -s wanted ]] && ! grep leak: leaks
}
