# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What generate.py is made of: writing of files (emit), values (values), exact
floating point (fp), and one module per group of instructions."""
