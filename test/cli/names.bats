# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/check-names: static functions of one name in several files, in a small tree.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	local here=$BATS_TEST_DIRNAME/../..

	mkdir -p "$BATS_TEST_TMPDIR/tree/"{scripts,lib/base,cpu/exec,cmd/run,runtime/core,test}
	cd "$BATS_TEST_TMPDIR/tree" || return 1
	cp "$here/scripts/check-names" scripts
	echo '# NAME FILES' >scripts/names-allow
	echo 'static int find(int x)' | tee lib/base/a.c cpu/exec/a.c >test/a.c
	git init -q
}

check() {	# STATUS [PROBLEM...]: what check-names says of the tree
	local want

	want=$(printf '%s\n' "${@:2}" "$([[ $1 == 0 ]] || echo "not ")ok - names of static functions" | sed '/^$/d')
	git add .
	run "-$1" --separate-stderr scripts/check-names
	[[ $output == "$want" && -z $stderr ]] || { echo "$output$stderr"; return 1; }
}

@test "a name in two files, in tests, in calls and of variables" {
	printf 'int find(int x)\nstatic int find;\nstatic int y = find(1);\n\tfind(x);\n' >cmd/run/a.c
	check 0
}

@test "a name in three files, declared, with results of any type" {
	printf 'static int find(int x);\nstatic int find(int x)\n' >cmd/run/a.c
	check 1 "# static find() in 3 files: give it a longer name, VERB_NOUN"
	echo 'static const struct name *find(const struct names *names,' >cmd/run/a.c
	echo 'static uint64_t **find(void)' >runtime/core/a.c
	check 1 "# static find() in 4 files: give it a longer name, VERB_NOUN"
}

@test "the list: what it allows, what is more, and rows that are too much" {
	echo 'static int find(int x)' | tee cmd/run/a.c >runtime/core/a.c
	echo 'find 4' >scripts/names-allow
	check 0
	echo 'find 3' >scripts/names-allow
	check 1 "# static find() in 4 files, 3 allowed"
	echo 'find 5' >scripts/names-allow
	check 1 "# static find() in 4 files: lower its row of 5 in names-allow"
	printf 'add 3\nfind 4\n' >scripts/names-allow
	check 1 "# static add(): take its row out of names-allow"
	printf 'find 4\nadd 3\n' >scripts/names-allow
	run -1 scripts/check-names
	[[ ${lines[0]} == "# names-allow is not sorted: "* ]]
}
