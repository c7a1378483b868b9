# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Links of the documents that are installed lead to what is installed.

bats_require_minimum_version 1.5.0

load documents

# Prints each link of the documents below a folder that leads to nothing.
dead_links() {	# FOLDER
	local document link

	while IFS=: read -r document link; do
		link=${link#*'('}
		link=${link%')'}
		[[ -e ${document%/*}/${link%%#*} ]] || echo "$document: $link"
	done < <(grep -roE --include='*.md' '\]\([^)#:[:space:]]+(#[^)]*)?\)' "$1")
}

# met: the installed README.md and docs linked to manuals, tests and scripts of the sources
@test "no link of an installed document is dead" {
	[[ -s $documents/README.md && -s $documents/docs/tour.md ]]
	run -0 dead_links "$documents"
	[[ ! $output ]]
	grep -qF '](docs/tour.md)' "$documents/README.md" # those that lead somewhere stay
	grep -qF 'the manual in gpurun(1), ' "$documents/README.md"
}

@test "a dead link is found" {
	mkdir "$BATS_TEST_TMPDIR/some"
	printf '%s\n' '[a](b.md#c), [d](e.md), [f](https://g)' >"$BATS_TEST_TMPDIR/some/b.md"
	run -0 dead_links "$BATS_TEST_TMPDIR/some"
	[[ $output == *"/some/b.md: e.md" && ${#lines[@]} == 1 ]]
}
