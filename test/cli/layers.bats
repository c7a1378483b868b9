# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/check-layers: what leads from a room to one above it, in a small tree of each kind.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

# Of each tree: a room, and one above it.
trees=(lib:base:ptx runtime:core:code cpu:base:state cmd:plan:show)

setup() {
	local here=$BATS_TEST_DIRNAME/../.. tree below above

	mkdir -p "$BATS_TEST_TMPDIR/tree/"{scripts,include/cuda}
	cd "$BATS_TEST_TMPDIR/tree" || return 1
	cp "$here/scripts/check-layers" scripts
	cp "$here/rooms.mk" .
	for tree in "${trees[@]}"; do
		IFS=: read -r tree below above <<<"$tree"
		mkdir -p "$tree/$below" "$tree/$above"
		echo "int ${tree}_below(void);" >"$tree/$below/${tree}_below.h"
		echo "int ${tree}_above(void);" >"$tree/$above/${tree}_above.h"
		write "$tree/$below/below" "#include \"${tree}_below.h\"" "int ${tree}_below(void) { return 1; }"
		write "$tree/$above/above" "#include \"${tree}_above.h\"" "#include \"${tree}_below.h\"" \
			"int ${tree}_above(void) { return ${tree}_below(); }"
	done
	# The calls that may lead up.
	mkdir -p cpu/code cpu/simd runtime/data
	write cpu/code/handler 'int handlers_v3(void); int handler(void) { return handlers_v3(); }'
	write cpu/simd/table 'int handlers_v3(void) { return 3; }'
	write runtime/data/memory 'int reclaim(void); int alloc(void) { return reclaim(); }'
	write runtime/code/module 'int reclaim(void) { return 3; }'
	git init -q
}

write() {	# TREE/ROOM/NAME LINE...
	printf '%s\n' "${@:2}" >"$1.c"
}

check() {	# STATUS: what check-layers says of the tree as it is
	local file

	rm -rf build
	for file in */*/*.c; do
		mkdir -p "build/${file%/*}"
		# shellcheck disable=SC2046 # a list of options
		${CC:-cc} $(printf -- '-I%s ' {lib,runtime,cpu,cmd}/*/) -c "$file" -o "build/${file%.c}.o"
	done
	git add -A lib runtime cpu cmd
	BUILD=build run "-$1" scripts/check-layers
}

has() {	# LINE...: among those of the output, in this order
	local line

	for line in "$@"; do
		[[ $'\n'$output$'\n' == *$'\n'"$line"$'\n'* ]] || {
			echo "no line '$line' in:"$'\n'"$output"
			return 1
		}
		output=${output#*"$line"}
	done
}


@test "nothing leads up" {
	# The long circles that the script names are not in this tree.
	check 1
	[[ $(grep '^not ok' <<<"$output") == "not ok - cpu/: no circle of calls of more than 5 files, but"* ]]
	[[ $output != *"#   "[^n]* ]]
}

@test "a call that leads up, in each tree" {
	local tree below above

	for tree in "${trees[@]}"; do
		IFS=: read -r tree below above <<<"$tree"
		write "$tree/$below/below" "int ${tree}_above(void);" \
			"int ${tree}_below(void) { return ${tree}_above(); }"
	done
	check 1
	for tree in "${trees[@]}"; do
		IFS=: read -r tree below above <<<"$tree"
		has "#   $below uses ${tree}_above of $above" \
			"not ok - $tree/: no room uses one above it, but for the list in scripts/check-layers" \
			"ok - $tree/: no file includes a header of a room above it"
	done
}

@test "an exception that nothing needs" {
	write cpu/code/handler 'int handler(void) { return 0; }'
	check 1
	has '#   nothing needs: code handlers_* the tables of handlers, one for each set of instructions: handler.c chooses one'
}

@test "an include that leads up, in each tree" {
	local tree below above

	for tree in "${trees[@]}"; do
		IFS=: read -r tree below above <<<"$tree"
		write "$tree/$below/below" "#include \"../$above/${tree}_above.h\"" \
			"int ${tree}_below(void) { return 1; }"
	done
	check 1
	for tree in "${trees[@]}"; do
		IFS=: read -r tree below above <<<"$tree"
		has "ok - $tree/: no room can include a header of one above it" \
			"#   $tree/$below/below.c includes ${tree}_above.h of $above" \
			"not ok - $tree/: no file includes a header of a room above it"
	done
}

@test "a header of a room above does not compile from a room below, in each tree" {
	local tree below above list

	for tree in "${trees[@]}"; do
		IFS=: read -r tree below above <<<"$tree"
		list=$(make -sf rooms.mk include-lists | sed -n "s|^$tree/$below ||p")
		# shellcheck disable=SC2086 # a list of options
		! ${CC:-cc} $list -E -x c - <<<"#include \"${tree}_above.h\"" >/dev/null 2>&1
		list=$(make -sf rooms.mk include-lists | sed -n "s|^$tree/$above ||p")
		# shellcheck disable=SC2086 # likewise
		${CC:-cc} $list -E -x c - <<<"#include \"${tree}_below.h\"" >/dev/null
	done
}

@test "a header that a room below can include" {
	cp cpu/state/cpu_above.h lib/base
	check 1
	has '#   cpu/base can include cpu/state/cpu_above.h' '#   cpu_above.h: two headers have this name' \
		'not ok - cpu/: no room can include a header of one above it'
}

@test "six files that call each other in a circle" {
	local -a names=(a b c d e f)
	local i

	for i in "${!names[@]}"; do
		write "cmd/plan/${names[i]}" "int ${names[(i + 1) % 6]}(void);" \
			"int ${names[i]}(void) { return ${names[(i + 1) % 6]}(); }"
	done
	check 1
	has '#   6 files: cmd/plan/a.c cmd/plan/b.c cmd/plan/c.c cmd/plan/d.c cmd/plan/e.c cmd/plan/f.c' \
		'not ok - cmd/: no circle of calls of more than 5 files, but for those in scripts/check-layers'
	write cmd/plan/f 'int f(void) { return 1; }'
	check 1
	has 'ok - cmd/: no circle of calls of more than 5 files, but for those in scripts/check-layers'
}

@test "a file outside of the rooms" {
	mkdir cpu/attic
	echo 'int old(void) { return 0; }' >cpu/attic/old.c
	check 1
	has '#   cpu/attic/old.c: in no room'
}

@test "more files outside of the rooms than there may be" {
	touch cmd/{1..17}.in
	check 1
	has '#   17 files' 'not ok - cmd/: at most 16 files outside of the rooms'
}
