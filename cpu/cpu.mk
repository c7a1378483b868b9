# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The CPU device, lib/gpurun/cpu/libcuda.so.1. `make CPU=0' does not read this file.

# What compiles kernels is for x86-64, and can be left out: make JIT=0. It is a part of the tests
# then all the same.
JIT ?= 1
jit := $(if $(filter-out 0,$(JIT)),$(x86))
src_jit := $(wildcard cpu/x86/*.c cpu/ir/*.c cpu/emit/*.c)
src_cpu := $(filter-out cpu/simd/% $(if $(jit),,$(src_jit)),$(call sources,cpu))
obj_jit := $(patsubst %.c,$(BUILD)/%.o,$(sort $(src_jit)))
# Compiled once per instruction set (cpu/base/isas.def).
# All of it, always: what a handler of one set stores in 32 bytes, a handler of another one that
# loads 64 has to wait for.
src_simd := $(sort $(wildcard cpu/simd/*.c))
# On x86 the first set is for processors of before 2013: it is right, and quick to compile.
# 16 bytes are exchanged by an instruction that only the oldest x86-64 lack.
isa_baseline := $(if $(x86),-mcx16 $(if $(SAN)$(COV),,-O1 -foptimize-sibling-calls))
isa_v3 := -march=x86-64-v3
isa_v4 := -march=x86-64-v4 -mprefer-vector-width=512

obj_cpu := $(src_cpu:%.c=$(BUILD)/%.o) $(obj_traced) \
	$(foreach isa,$(ISAS),$(src_simd:%.c=$(BUILD)/%.$(isa).o))

# The few bytes of thread-local data are reached directly, not through the loader.
$(BUILD)/cpu/%.o: extra := -ftls-model=initial-exec
$(BUILD)/cpu/exec/compiled.o: private extra += -DJIT=$(if $(jit),1,0)
$(BUILD)/cpu/code/handler.o: private extra += -DBUILT_ISAS='$(foreach isa,$(ISAS),ISA($(isa)))'

# No -frounding-math: gcc then vectorises neither fma nor sqrt. What it would keep in
# order, fp_set() does. No contraction: fma only where the instruction is one.
# A loop that clang does not vectorise is slower, not wrong: no warning.
# A handler is entered for each instruction of the guest and leaves by a jump: it has no
# guard on its stack, and no landing mark. Shadow stacks cost it nothing.
simd_flags := -g1 -fno-stack-protector $(if $(x86),-fcf-protection=return) \
	$(optimise_simd) -fno-math-errno -fno-trapping-math -ffp-contract=off \
	-fno-strict-aliasing \
	$(if $(filter clang,$(compiler)),-Wno-pass-failed)
define simd_rule
$(BUILD)/%.$(1).o: %.c $(BUILD)/flags
	$$(compile)
	$$(Q)$$(cc) $$(simd_flags) $$(isa_$(1)) -DSIMD_SUFFIX=$(1) \
		$(if $(filter $(1),$(firstword $(ISAS))),-DSIMD_FIRST) -c $$< -o $$@
endef
$(foreach isa,$(ISAS),$(eval $(call simd_rule,$(isa))))

link_cpu = $(call link_shared,$(1),cpu/libcuda.map) $(obj_cpu) \
	$(BUILD)/libgpurun-lib.a $(libs) -lm -ldl $(2) $(LDFLAGS)

$(cpu): $(obj_cpu) $(BUILD)/libgpurun-lib.a cpu/libcuda.map
	@mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
	$(Q)$(call link_cpu,$@)

$(cpu:.1=): $(cpu)
	$(Q)ln -sf libcuda.so.1 $@
