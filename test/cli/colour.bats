# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Colours of messages, findings and faults: on a terminal (script(1)), by --color, by the environment.

load helpers

race=(--check race --launch barrier_bad -b 64 -a i32:64:iota -a i32:64)

# Prints what gpurun says on stderr, with ESC as ^[.
said() {	# WORD...
	gpurun "$@" 2>&1 >/dev/null | sed 's/\x1b/^[/g'
}

on_terminal() {	# WORD...
	command -v script >/dev/null || skip "needs bsdutils: no script"
	SHELL=/bin/sh script -qec "gpurun $(printf '%q ' "$@")" /dev/null </dev/null | sed 's/\x1b/^[/g; s/\r//g'
}

# promise: Colour words of messages
@test "--color: errors, kinds of findings and faults, and places in sources" {
	run said "$root/examples/check/checks.ptx" --color always "${race[@]}"
	[[ ${lines[0]} == "gpurun: ^[[1;33mcheck: race:^[[0m write of 4 bytes at "* ]]
	[[ ${lines[3]} == "  source ^[[1mcheck/checks.cu:163^[[0m" ]]
	run said --color=always "$cuda/outofbounds.fatbin" --launch fill -b 64 -a i32:4
	[[ ${lines[0]} == "gpurun: ^[[1;33millegal address:^[[0m write of 4 bytes at "* ]]
	[[ ${lines[-1]} == "gpurun: ^[[1;31merror:^[[0m launch 1, "* ]]
	run said --color=never "$cuda/outofbounds.fatbin" --launch fill -b 64 -a i32:4
	[[ $output == "gpurun: illegal address: write of 4 bytes at "* && $output != *'^['* ]]
	unset NO_COLOR
	run said --color=auto "$cuda/outofbounds.fatbin" --launch fill -b 64 -a i32:4
	[[ $output != *'^['* ]]
	fails 110 "gpurun: error: --color blue: expected auto, always or never" gpurun --color blue
}

# promise: Nothing is coloured.
# promise: With anything but 0
@test "a terminal has colours, but for NO_COLOR and TERM=dumb; CLICOLOR_FORCE has them everywhere" {
	unset NO_COLOR
	export TERM=xterm
	run on_terminal nosuch
	[[ $output == "gpurun: ^[[1;31merror:^[[0m nosuch: "* ]]
	TERM=dumb run on_terminal nosuch
	[[ $output == "gpurun: error: nosuch: "* ]]
	NO_COLOR=1 run on_terminal nosuch
	[[ $output == "gpurun: error: nosuch: "* ]]
	NO_COLOR='' run on_terminal nosuch
	[[ $output == "gpurun: ^[[1;31merror:^[[0m nosuch: "* ]]
	CLICOLOR_FORCE=1 run said nosuch
	[[ $output == "gpurun: ^[[1;31merror:^[[0m nosuch: "* ]]
	CLICOLOR_FORCE=0 run said nosuch
	[[ $output == "gpurun: error: nosuch: "* ]]
	NO_COLOR=1 CLICOLOR_FORCE=1 run said nosuch
	[[ $output == "gpurun: error: nosuch: "* ]]
}

# promise: The programs of
@test "the program of --exec has --color in its environment, and so has the CPU device there" {
	printf '#!/bin/sh\necho "[$NO_COLOR][$CLICOLOR_FORCE]"\n' >prog
	chmod +x prog
	prints "[][1]" gpurun --color always --exec ./prog
	prints "[1][]" gpurun --color never --exec ./prog
}
