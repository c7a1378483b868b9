# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For the tests of examples/README.md, here and in test/cli.

# The lines of a document that begin with "Exit status N,": N, a tab, the command.
lines() {	# FILE
	awk '/^Exit status [0-9]+,/ { status = $3 + 0 }
		/^```$/ { shown = 0 }
		shown { line = line $0; if (!sub(/\\$/, "", line)) { print status "\t" line; line = "" } }
		/^```sh$/ { shown = 1 }' "$1"
}
