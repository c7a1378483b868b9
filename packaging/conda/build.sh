#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What conda-build runs in the tree of the sources. Its compiler's CPPFLAGS and LDFLAGS name
# $PREFIX, and it makes run paths relative afterwards.
set -euo pipefail
export CCACHE=${CCACHE-}
make -j"${CPU_COUNT:-1}" PREFIX="$PREFIX" all
make PREFIX="$PREFIX" install-strip
