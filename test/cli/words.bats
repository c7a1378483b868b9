# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/check-words: phrases of a list in what people read, in a small tree.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	local here=$BATS_TEST_DIRNAME/../..

	mkdir -p "$BATS_TEST_TMPDIR/tree/"{scripts,docs,test/data}
	cd "$BATS_TEST_TMPDIR/tree" || return 1
	cp "$here/scripts/check-words" "$here/scripts/words" scripts
	printf '# A list.\n\npurple (cow|cows)\tbovine\nquux(?! =)\tname it\n' >list
	export WORDS=$PWD/list
	git init -q
}

words() {	# STATUS OUTPUT: what check-words says of the tree
	git add .
	run "-$1" --separate-stderr scripts/check-words
	[[ $output == "$2" && -z $stderr ]] || { echo "$output$stderr"; return 1; }
}

@test "comments and literals of C, at the line where they begin" {
	cat >a.c <<-'END'
	/* A purple
	 * cow. */
	int purple(int cow); // Purple cows
	const char *text = "no \"purple "
		"cow\" here\n";
	END
	words 1 $'a.c:1: purple * cow: bovine\na.c:3: Purple cows: bovine\na.c:4: purple " "cow: bovine'
}

@test "code, names and other words are no phrases" {
	cat >a.c <<-'END'
	int quux, cow; /* quuxes, a quux_2, $quux, unpurple cow */
	char q = '"'; int purple(cow); char r = '"'; /* "purple" and cow */
	const char *name = "pre-quux";
	END
	words 0 ""
}

@test "scripts, manuals and documents, whole" {
	printf '#!/bin/sh\n# a purple\n# cow\necho "quux"; quux = 1\n' >scripts/run
	printf '.Dd today\nquux\n' >a.1
	printf '# Title\n\nA `quux`.\n' >docs/a.md
	printf '# quux\n' >test/a.bats
	words 1 'a.1:2: quux: name it
docs/a.md:3: quux: name it
scripts/run:2: purple # cow: bovine
scripts/run:4: quux: name it
test/a.bats:1: quux: name it'
}

@test "data of tests, binary files and docs/style.md's table of words are left out" {
	printf 'quux' | tee test/data/a.md >a.o
	printf '# Words\n\nquux\n\n## Words\n\n| quux | x |\n\nWords of art, quux:\n' >docs/style.md
	words 1 $'docs/style.md:3: quux: name it\ndocs/style.md:9: quux: name it'
}

@test "the list itself: what it has is found, and what is like it is not" {
	unset WORDS
	printf '%s\n' "Who""ever calls." "It is give""n back." "TAP says: Bail out!" "A GPU is given." >docs/a.md
	words 1 "docs/a.md:1: Who""ever: name it: the caller, the thread, the program
docs/a.md:2: give""n back: return, release, free"
}
