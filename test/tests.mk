# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the tests are built and run. A test finds its sources by where they are:
#
#	test/unit/NAME.c         a C test of lib/ or driver/ or runtime/ internals
#	test/conformance/NAME.c  a program that knows only an ABI
#	test/fuzz/NAME.c         LLVMFuzzerTestOneInput, replayed over test/fuzz/corpus/NAME/
#	test/stub/               the stub driver
#	test/cli/NAME.bats       the command
