# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/check-layers: what leads from a room of cpu/ to one above it, in a small tree.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	local here=$BATS_TEST_DIRNAME/../..

	mkdir -p "$BATS_TEST_TMPDIR/tree/"{scripts,include/cuda,lib,cpu/{base,code,state,simd}}
	cd "$BATS_TEST_TMPDIR/tree" || return 1
	cp "$here/scripts/check-layers" scripts
	cp "$here/cpu/cpu.mk" cpu
	echo 'int below(void);' >cpu/base/below.h
	echo 'int above(void);' >cpu/state/above.h
	write base/below '#include "below.h"' 'int below(void) { return 1; }'
	write state/above '#include "above.h"' '#include "below.h"' 'int above(void) { return below(); }'
	# The one call that may lead up.
	write code/handler 'int handlers_v3(void); int handler(void) { return handlers_v3(); }'
	write simd/table 'int handlers_v3(void) { return 3; }'
	git init -q
}

write() {	# ROOM/NAME LINE...
	printf '%s\n' "${@:2}" >"cpu/$1.c"
}

check() {	# STATUS: what check-layers says of the tree as it is
	local file

	for file in cpu/*/*.c; do
		mkdir -p "build/${file%/*}"
		${CC:-cc} -Icpu/base -Icpu/code -Icpu/state -c "$file" -o "build/${file%.c}.o"
	done
	git add cpu lib
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
	check 0
	[[ $output != *"not ok"* ]]
}

@test "a call that leads up" {
	write base/below '#include "below.h"' 'int above(void);' 'int below(void) { return above(); }'
	check 1
	has '#   base uses above of state' \
		'not ok - cpu/: no room uses one above it, but for the list in scripts/check-layers' \
		'ok - cpu/: no file includes a header of a room above it'
}

@test "an exception that nothing needs" {
	write code/handler 'int handler(void) { return 0; }'
	check 1
	has '#   nothing needs: code handlers_* the tables of handlers, one for each set of instructions: handler.c chooses one'
}

@test "an include that leads up" {
	write base/below '#include "../state/above.h"' 'int below(void) { return 1; }'
	check 1
	has 'ok - cpu/: no room can include a header of one above it' \
		'#   cpu/base/below.c includes above.h of state' \
		'not ok - cpu/: no file includes a header of a room above it'
}

@test "a header that a room below can include" {
	cp cpu/state/above.h lib
	check 1
	has '#   cpu/base can include cpu/state/above.h' '#   above.h: two headers have this name' \
		'not ok - cpu/: no room can include a header of one above it'
}

@test "a file outside of the rooms" {
	mkdir cpu/attic
	echo 'int old(void) { return 0; }' >cpu/attic/old.c
	check 1
	has '#   cpu/attic/old.c: in no room'
}
