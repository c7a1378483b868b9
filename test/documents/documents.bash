# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For the tests of documents: $documents is the folder of those that are installed, $root the
# tree that this file is in, which need not have more than what tests name.

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
PATH=$RECIPES_PATH documents=$RECIPES_DOCUMENTS
release=$RECIPES_RELEASE

# A folder with a copy of the examples, as documents ask for.
with_examples() {	# FOLDER
	mkdir -p "$1"
	cd "$1" || return 1
	[[ -e examples ]] || cp -r "$documents/examples" .
}

# Runs a command as one whose system has gpurun installed, and nothing else of it.
alone() {	# NAME=VALUE... COMMAND...
	env -i HOME="$HOME" PATH="$PATH" ${PKG_CONFIG_PATH:+PKG_CONFIG_PATH="$PKG_CONFIG_PATH"} "$@"
}

# Skips where a tool is missing, with the package that has it.
needs() {	# TOOL...
	local tool package

	for tool in "$@"; do
		case $tool in
		nvcc) package="NVIDIA's toolkit" ;;
		mlir-*) package=mlir-22-tools ;;
		lit-22 | FileCheck-22) package=llvm-22-tools ;;
		*device-info-22) package=liboffload-22-dev ;;
		clang*-22) package=clang-22 ;;
		llc-22 | llvm-*-22) package=llvm-22 ;;
		mpirun) package=openmpi-bin ;;
		python:*) package=python3-${tool#*:} ;;
		*) package=$tool ;;
		esac
		if [[ $tool == python:* ]]; then
			python3 -c "import ${tool#*:}" 2>/dev/null
		else
			command -v "$tool" >/dev/null
		fi || skip "needs $package: no $tool"
	done
}

# Prints block number N of a document that is marked KIND.
block() {	# DOCUMENT KIND N
	awk -v mark="\`\`\`$2" -v wanted="$3" '$0 == mark { n++; on = n == wanted; next } /^```/ { on = 0 } on' \
		"$documents/$1"
}

blocks() {	# DOCUMENT KIND: how many there are
	grep -c "^\`\`\`$2\$" "$documents/$1"
}

# Prints the block that holds a text, which has to be there once.
block_with() {	# DOCUMENT KIND TEXT
	local n found='' total

	total=$(blocks "$1" "$2")
	for ((n = 1; n <= total; n++)); do
		[[ $(block "$1" "$2" "$n") == *"$3"* ]] || continue
		[[ ! $found ]] || { echo "$1: two blocks hold: $3" >&2; return 1; }
		found=$n
	done
	[[ $found ]] || { echo "$1: no block holds: $3" >&2; return 1; }
	block "$1" "$2" "$found"
}

# Runs a command that has to succeed; where it does not, its errors are shown.
succeeds() {
	run --separate-stderr "$@"
	((!status)) || { echo "status $status: $stderr"; return 1; }
}

# Runs the block that is marked sh and holds a text; it has to succeed.
recipe() {	# DOCUMENT TEXT [NAME=VALUE]...
	block_with "$1" sh "$2" >recipe.sh
	shift 2
	succeeds alone "$@" bash -euo pipefail recipe.sh
}
