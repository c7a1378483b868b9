# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make [all]        build into build/<variant>/
# make check [SUITES="check-unit check-ptx"]  every test but the slow ones; check-asan, check-tsan: under sanitizers
# make check-one T=NAME     the tests of that name or pattern, in whatever suite
# make check-changed [BASE=main]  the suites that concern what changed since BASE
# make check-instructions   what a launch adds to the driver's own (valgrind)
# make fuzz         fuzz every parser for FUZZ_TIME seconds each (clang)
# make bench lint install install-strip uninstall clean
#
# make compile_commands.json  for editors
#
# CC=clang-14 SAN=address,undefined|thread UBSAN=print COV=1 V=1 PREFIX= DESTDIR= PROGRAM_PREFIX=
# ISAS=v3   the CPU device for this machine's instruction set alone: a third of the time
# CCACHE=   compile without ccache, which is used where it is installed
# CPU=0     without the CPU device: for GPUs alone

VERSION := $(shell cat VERSION)
ABI := 0

PREFIX ?= /usr/local
PROGRAM_PREFIX ?=
CC ?= cc
AR ?= ar
SAN ?=
UBSAN ?=
COV ?=
CCACHE ?= $(shell command -v ccache)
CPU ?= 1

empty :=
space := $(empty) $(empty)
define newline


endef
comma := ,
compiler := $(if $(findstring clang,$(CC)),clang,gcc)
x86 := $(filter x86_64-%,$(shell $(CC) -dumpmachine))
# Sanitizers and coverage see the same source in each set of handlers: one is enough.
one_isa := $(if $(x86),$(shell grep -qsw avx2 /proc/cpuinfo && echo v3))
built_isas := $(if $(SAN)$(COV),$(or $(one_isa),baseline),baseline $(if $(x86),v3 v4))
ISAS ?= $(built_isas)
variant := $(compiler)$(if $(filter-out $(ISAS),$(built_isas)),-$(subst $(space),-,$(ISAS)))
variant := $(variant)$(if $(filter 0,$(CPU)),-nocpu)$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(COV),-cov)
BUILD ?= build/$(variant)

Q := $(if $(V),,@)

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	$(if $(filter gcc,$(compiler)),-Wno-format-truncation)
base := -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -ffile-prefix-map=$(CURDIR)=. -pthread $(warnings)
optimise := $(if $(SAN)$(COV),-O1 -g,-O2 -g)
optimise_simd := $(if $(SAN)$(COV),-O1,-O3)
# Not under a sanitizer, which checks more itself. Control-flow protection is x86's; what
# another processor has under another name stays the packager's choice (CFLAGS).
harden := $(if $(SAN),,-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	$(if $(x86),-fcf-protection))
# gcc says that the thread sanitizer does not see fences; those here order the
# accesses of guest kernels, which it is not to judge.
no_tsan_fence := $(if $(findstring thread,$(SAN)),$(if $(filter gcc,$(compiler)),-Wno-tsan))
# gcc's library that says what was undefined doubles what a process costs at its start and end:
# without UBSAN=print the process ends by SIGILL there, and a debugger has the line.
trap := $(if $(FUZZER)$(filter print,$(UBSAN)),,$(if $(filter gcc,$(compiler)),-fsanitize-undefined-trap-on-error,-fsanitize-trap=undefined))
# What lib/base/asserts.h checks.
asserts := $(if $(SAN)$(COV),-DASSERTS=1)
instrument := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined) \
	$(if $(findstring undefined,$(SAN)),$(trap)) $(if $(COV),--coverage) $(no_tsan_fence) $(asserts)
link := $(instrument) -pthread -Wl,-z,relro -Wl,-z,now
shared := -shared -Wl,-z,nodelete $(if $(SAN),,-Wl,-z,defs)

# Which directories and rooms there are, and what each may include.
include rooms.mk
.DEFAULT_GOAL := all
$(foreach place,$(places),$(eval $(BUILD)/$(place)/%.o: inc := $(inc_$(place))))

# $(1): the tree
sources = $(sort $(wildcard $($(1)_rooms:%=$(1)/%/*.c)))
src_lib := $(call sources,lib)
src_runtime := $(call sources,runtime)
src_cmd := $(call sources,cmd)
src_mgpu := $(sort $(wildcard runtime/abi/mgpu/*.c))
# One library for each ABI, of the same objects but for what the ABI's declarations make.
ol_abis := 22 23
src_ol_each := runtime/abi/ol/ol_entry.c runtime/abi/ol/ol_trace.c
src_ol := $(filter-out $(src_ol_each) runtime/abi/ol/ol_abi%.c,$(sort $(wildcard runtime/abi/ol/*.c)))
src_cudart := $(sort $(wildcard runtime/abi/cudart/*.c))
src_start := $(sort $(wildcard start/*.c))
# Of calls of the driver: the CPU device has it, and what stands before a GPU's.
src_pass_on := trace/pass_on.c trace/times.c
src_traced := $(filter-out $(src_pass_on),$(sort $(wildcard trace/*.c)))

obj_lib := $(src_lib:%.c=$(BUILD)/%.o)
obj_runtime := $(src_runtime:%.c=$(BUILD)/%.o)
obj_mgpu := $(src_mgpu:%.c=$(BUILD)/%.o)
obj_ol := $(src_ol:%.c=$(BUILD)/%.o)
obj_ol_of = $(obj_ol) $(patsubst %.c,$(BUILD)/%.abi$(1).o,$(src_ol_each) runtime/abi/ol/ol_abi$(1).c)
obj_cudart := $(src_cudart:%.c=$(BUILD)/%.o)
obj_start := $(src_start:%.c=$(BUILD)/%.o)
obj_traced := $(src_traced:%.c=$(BUILD)/%.o)
obj_pass_on := $(src_pass_on:%.c=$(BUILD)/%.o)
obj_cmd := $(src_cmd:%.c=$(BUILD)/%.o)

libs := -lelf -llz4 -lzstd -lz

command := $(BUILD)/bin/gpurun
runtime := $(BUILD)/lib/libgpurun.so.$(ABI)
# Empty in a build without the CPU device.
cpu := $(if $(filter 0,$(CPU)),,$(BUILD)/lib/gpurun/cpu/libcuda.so.1)

# One for each LLVM whose programs look for it by its SONAME; they are the same but for that.
mgpu_abis := 22 23
mgpu_of = $(BUILD)/lib/libmlir_cuda_runtime.so.$(1).1
mgpu := $(call mgpu_of,22)
mgpus := $(foreach abi,$(mgpu_abis),$(call mgpu_of,$(abi)))
mgpu_link := $(BUILD)/lib/libmlir_cuda_runtime.so

# In a folder of its own: no program gets it unasked in the place of LLVM's.
ol_of = $(BUILD)/lib/gpurun/offload/libLLVMOffload.so.$(1).1
ol := $(call ol_of,22)
ols := $(foreach abi,$(ol_abis),$(call ol_of,$(abi)))
ol_link := $(BUILD)/lib/gpurun/offload/libLLVMOffload.so

# Likewise: never in the place of NVIDIA's by accident.
cudart := $(BUILD)/lib/gpurun/cudart/libcudart.so.13
cudart_link := $(BUILD)/lib/gpurun/cudart/libcudart.so

# What the loader calls in programs on the CPU device: it knows the machine code of x86-64.
start_name := start/libgpurun-start.so
start := $(if $(and $(cpu),$(x86)),$(BUILD)/lib/gpurun/$(start_name))

# What stands before a GPU's driver when its calls are traced.
pass_on_name := trace/libcuda.so.1
pass_on := $(BUILD)/lib/gpurun/$(pass_on_name)

products := $(command) $(runtime) $(BUILD)/lib/libgpurun.so $(cpu) $(cpu:.1=) $(mgpus) $(mgpu_link) \
	$(ols) $(ol_link) $(cudart) $(cudart_link) $(start) $(pass_on)

.PHONY: all
all: $(products)

.DELETE_ON_ERROR:
.SECONDEXPANSION:

# The few bytes of thread-local data are reached directly, not through the loader.
$(BUILD)/runtime/abi/%.o $(BUILD)/trace/%.o: extra := -ftls-model=initial-exec
version := -DGPURUN_VERSION_STRING='"$(VERSION)"'
$(obj_cmd) $(BUILD)/runtime/entry/exports_error.o: extra := $(version)
$(obj_cmd) $(BUILD)/runtime/entry/exports_error.o: VERSION

# Nothing may call the C library, which belongs to another namespace of the loader: also not
# what a compiler adds to code.
no_calls := $(if $(filter gcc,$(compiler)),-fno-tree-loop-distribute-patterns,-fno-builtin)
$(obj_start): private flags := $(filter-out -pthread,$(base)) -O2 -g $(no_calls) $(if $(x86),-fcf-protection)
$(obj_start): private override CFLAGS += -fno-stack-protector -U_FORTIFY_SOURCE
$(obj_start) $(BUILD)/cmd/process/environment.o $(BUILD)/cmd/show/doctor_system.o: extra += -DSTART_NAME='"$(start_name)"'

# Implementations know the newest of what there is.
$(obj_ol): extra += -DOL_ABI=$(lastword $(ol_abis))

compile = @mkdir -p $(@D)$(if $(V),,; echo "  CC    $@")
flags := $(base) $(optimise) $(harden) $(instrument)
cc = $(CCACHE) $(CC) $(flags) $(inc) $(extra) $(CPPFLAGS) $(CFLAGS) -MMD -MP

# How objects are compiled. It is written when it changes: an edit of this file compiles
# nothing again but what the edit concerns.
$(BUILD)/flags: FORCE
	$(shell mkdir -p $(@D))$(file >$@.new,$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(simd_flags) $(isa_baseline) $(isa_v3) $(isa_v4))
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE
FORCE:

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(compile)
	$(Q)$(cc) -c $< -o $@

define ol_rule
$(BUILD)/runtime/abi/ol/%.abi$(1).o: runtime/abi/ol/%.c $(BUILD)/flags
	$$(compile)
	$$(Q)$$(cc) -DOL_ABI=$(1) -c $$< -o $$@
endef
$(foreach abi,$(ol_abis),$(eval $(call ol_rule,$(abi))))

ifneq ($(cpu),)
include cpu/cpu.mk
endif

$(BUILD)/libgpurun-lib.a: $(obj_lib)
	@mkdir -p $(@D)
	$(Q)rm -f $@; $(AR) rcs $@ $^

# $(1): the file, $(2): where it looks for libraries. All is linked again when it is installed,
# where others may be at another place, seen from there.
beside = -Wl,-rpath,'$$ORIGIN/$(1)'
link_shared = $(CC) $(link) $(shared) -Wl,-soname,$(notdir $(1)) -Wl,--version-script=$(2) -o $(1)
link_runtime = $(call link_shared,$(1),runtime/libgpurun.map) $(obj_runtime) \
	$(BUILD)/libgpurun-lib.a $(libs) -ldl $(2) $(LDFLAGS)
link_mgpu = $(call link_shared,$(1),runtime/abi/mgpu/libmlir_cuda_runtime.map) $(obj_mgpu) \
	-L$(BUILD)/lib -lgpurun $(2) $(LDFLAGS)
# Two of them have the same names: each calls its own. $(3): the ABI
link_offload = $(call link_shared,$(1),runtime/abi/ol/libLLVMOffload.map) -Wl,-Bsymbolic $(call obj_ol_of,$(3)) \
	-L$(BUILD)/lib -lgpurun $(2) $(LDFLAGS)
link_cudart = $(call link_shared,$(1),runtime/abi/cudart/libcudart.map) $(obj_cudart) \
	$(BUILD)/libgpurun-lib.a -ldl $(2) $(LDFLAGS)
link_start = $(CC) -shared -nostdlib -Wl,-z,relro,-z,now,-z,defs,-z,noexecstack -Wl,-soname,$(notdir $(1)) \
	-o $(1) $(obj_start) $(LDFLAGS)
link_pass_on = $(call link_shared,$(1),trace/libcuda.map) $(obj_pass_on) $(obj_traced) \
	$(BUILD)/libgpurun-lib.a -ldl $(LDFLAGS)
link_command = $(CC) $(link) -o $(1) $(obj_cmd) $(BUILD)/libgpurun-lib.a -L$(BUILD)/lib \
	-lgpurun $(2) $(libs) -lm -ldl $(LDFLAGS)

$(runtime): $(obj_runtime) $(BUILD)/libgpurun-lib.a runtime/libgpurun.map
	@mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
	$(Q)$(call link_runtime,$@)

$(BUILD)/lib/libgpurun.so: $(runtime)
	$(Q)ln -sf libgpurun.so.$(ABI) $@

$(mgpus): $(obj_mgpu) $(runtime) $(BUILD)/lib/libgpurun.so runtime/abi/mgpu/libmlir_cuda_runtime.map Makefile
	@mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
	$(Q)$(call link_mgpu,$@,$(call beside,.))

$(mgpu_link): $(mgpu)
	$(Q)ln -sf $(<F) $@

define ol_library
$(call ol_of,$(1)): $(call obj_ol_of,$(1)) $(runtime) $(BUILD)/lib/libgpurun.so runtime/abi/ol/libLLVMOffload.map
	@mkdir -p $$(@D)$(if $(V),,; echo "  LD    $$@")
	$$(Q)$$(call link_offload,$$@,$$(call beside,../..),$(1))
endef
$(foreach abi,$(ol_abis),$(eval $(call ol_library,$(abi))))

$(ol_link): $(ol)
	$(Q)ln -sf $(<F) $@

$(cudart): $(obj_cudart) $(BUILD)/libgpurun-lib.a runtime/abi/cudart/libcudart.map
	@mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
	$(Q)$(call link_cudart,$@)

$(start): $(obj_start)
	@mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
	$(Q)$(call link_start,$@)

$(pass_on): $(obj_pass_on) $(obj_traced) $(BUILD)/libgpurun-lib.a trace/libcuda.map
	@mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
	$(Q)$(call link_pass_on,$@)

$(cudart_link): $(cudart)
	$(Q)ln -sf $(<F) $@

$(command): $(obj_cmd) $(BUILD)/libgpurun-lib.a $(runtime) $(BUILD)/lib/libgpurun.so
	@mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
	$(Q)$(call link_command,$@,$(call beside,../lib))

# What compiles each file, for clangd and the like.
.PHONY: compile_commands.json
compile_commands.json:
	$(Q)$(MAKE) --no-print-directory -nB V=1 CCACHE= all tests | scripts/compile-commands >$@

.PHONY: lint
lint: all built-ptx
	$(Q)$(tally) $@ scripts/lint

# ---- make install PREFIX=DIR [DESTDIR=] [PROGRAM_PREFIX=] -------------------------
#
# The installed tree works where it stands: the command finds its library, and the
# library the CPU device, by their own places. For packagers:
#
# BINDIR= LIBDIR= INCLUDEDIR= MANDIR= PKGCONFIGDIR= COMPLETIONDIR= (of bash) ZSHDIR= FISHDIR=
# MLIRDIR=    where libmlir_cuda_runtime goes: LIBDIR
# RUNPATH=no  LIBDIR is where the loader looks: neither the files nor pkg-config's need say it
# BUNDLE=yes  libelf, liblz4, libzstd and libz come along, for machines that have none
# BUILT=yes   of what BUILD has: nothing is compiled
# STRIP=strip without symbols, as `make install-strip' does

BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
MLIRDIR ?= $(LIBDIR)
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
SCHEMADIR ?= $(PREFIX)/share/gpurun
RUNPATH ?= yes
BUNDLE ?=
BUILT ?=
STRIP ?=

bindir := $(DESTDIR)$(BINDIR)
libdir := $(DESTDIR)$(LIBDIR)
mlirdir := $(DESTDIR)$(MLIRDIR)
ourdir := $(libdir)/gpurun
includedir := $(DESTDIR)$(INCLUDEDIR)
pkgconfigdir := $(DESTDIR)$(PKGCONFIGDIR)
mandir := $(DESTDIR)$(MANDIR)
completiondir := $(DESTDIR)$(COMPLETIONDIR)
zshdir := $(DESTDIR)$(ZSHDIR)
fishdir := $(DESTDIR)$(FISHDIR)
schemadir := $(DESTDIR)$(SCHEMADIR)
name := $(PROGRAM_PREFIX)gpurun

from = $(shell realpath -ms --relative-to='$(1)' '$(2)')
# $(1): a folder, $(2): LIBDIR, for what looks for libgpurun there
run_path = $(if $(filter no,$(RUNPATH)),,$(foreach folder,$(2) $(if $(BUNDLE),$(LIBDIR)/gpurun/needed),\
	$(call beside,$(call from,$(1),$(folder)))))
needed = $$(ldd $(command) $(cpu) | sed -n \
	's/.*=> \(.*lib\(elf\|lz4\|zstd\|z\)\.so[^ ]*\).*/\1/p' | sort -u)
# pkg-config's files name places relative to their own, so that the tree may be moved. Not so with
# RUNPATH=no: pkg-config leaves out -I/usr/include and -L/usr/lib only where they are spelled so.
named = $(if $(filter no,$(RUNPATH)),$(1),$${pcfiledir}/$(call from,$(PKGCONFIGDIR),$(1)))
fill_in = sed -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBDIR@|$(call named,$(LIBDIR))|' \
	-e 's|@MLIRDIR@|$(call named,$(MLIRDIR))|' -e 's|@INCLUDEDIR@|$(call named,$(INCLUDEDIR))|' \
	$(if $(filter no,$(RUNPATH)),-e 's|@RUNPATH@ ||',-e 's|@RUNPATH@|-Wl,-rpath,$${libdir}|')

binaries := $(bindir)/$(name) $(libdir)/$(notdir $(runtime)) $(addprefix $(mlirdir)/,$(notdir $(mgpus))) \
	$(addprefix $(ourdir)/offload/,$(notdir $(ols))) $(ourdir)/cudart/$(notdir $(cudart)) \
	$(if $(cpu),$(ourdir)/cpu/libcuda.so.1) $(if $(start),$(ourdir)/$(start_name)) $(ourdir)/$(pass_on_name)

.PHONY: install install-strip uninstall
install: $(if $(BUILT),,all)
	$(Q)install -d $(bindir) $(mlirdir) $(ourdir)/offload $(ourdir)/cudart $(if $(cpu),$(ourdir)/cpu) \
		$(if $(start),$(dir $(ourdir)/$(start_name))) $(dir $(ourdir)/$(pass_on_name)) \
		$(pkgconfigdir) $(includedir) $(mandir)/man1 $(mandir)/man3 $(mandir)/man5 $(mandir)/man7 \
		$(completiondir) $(zshdir) $(fishdir) $(schemadir)
	$(Q)$(call link_runtime,$(libdir)/$(notdir $(runtime)),$(call run_path,$(LIBDIR)))
	$(Q)ln -sf libgpurun.so.$(ABI) $(libdir)/libgpurun.so
	$(Q)$(call link_command,$(bindir)/$(name),$(call run_path,$(BINDIR),$(LIBDIR)))
	$(foreach file,$(notdir $(mgpus)),$(Q)$(call link_mgpu,$(mlirdir)/$(file),$(call \
		run_path,$(MLIRDIR),$(LIBDIR)))$(newline))
	$(Q)ln -sf $(notdir $(mgpu)) $(mlirdir)/$(notdir $(mgpu_link))
	$(foreach abi,$(ol_abis),$(Q)$(call link_offload,$(ourdir)/offload/$(notdir $(call ol_of,$(abi))),$(call \
		run_path,$(LIBDIR)/gpurun/offload,$(LIBDIR)),$(abi))$(newline))
	$(Q)ln -sf $(notdir $(ol)) $(ourdir)/offload/$(notdir $(ol_link))
	$(Q)$(call link_cudart,$(ourdir)/cudart/$(notdir $(cudart)))
	$(Q)ln -sf $(notdir $(cudart)) $(ourdir)/cudart/$(notdir $(cudart_link))
	$(if $(cpu),$(Q)$(call link_cpu,$(ourdir)/cpu/libcuda.so.1,$(call run_path,$(LIBDIR)/gpurun/cpu)))
	$(if $(cpu),$(Q)ln -sf libcuda.so.1 $(ourdir)/cpu/libcuda.so)
	$(if $(start),$(Q)$(call link_start,$(ourdir)/$(start_name)))
	$(Q)$(call link_pass_on,$(ourdir)/$(pass_on_name))
	$(Q)chmod 755 $(binaries)
	$(if $(BUNDLE),$(Q)install -D -m 644 -t $(ourdir)/needed $(needed))
	$(if $(STRIP),$(Q)$(STRIP) --strip-unneeded $(binaries))
	$(Q)install -m 644 include/gpurun.h $(includedir)/gpurun.h
	$(Q)$(fill_in) runtime/gpurun.pc.in >$(pkgconfigdir)/gpurun.pc
	$(Q)$(fill_in) runtime/abi/mgpu/mlir_cuda_runtime.pc.in >$(pkgconfigdir)/mlir_cuda_runtime.pc
	$(Q)$(fill_in) runtime/abi/ol/LLVMOffload.pc.in >$(pkgconfigdir)/LLVMOffload.pc
	$(Q)$(fill_in) runtime/abi/ol/LLVMOffload23.pc.in >$(pkgconfigdir)/LLVMOffload23.pc
	$(Q)install -m 644 man/gpurun.1 $(mandir)/man1/$(name).1
	$(Q)install -m 644 man/libgpurun.3 $(mandir)/man3/libgpurun.3
	$(Q)install -m 644 man/libmlir_cuda_runtime.3 $(mandir)/man3/libmlir_cuda_runtime.3
	$(Q)install -m 644 man/libLLVMOffload.3 $(mandir)/man3/libLLVMOffload.3
	$(Q)install -m 644 man/libcudart.3 $(mandir)/man3/libcudart.3
	$(Q)install -m 644 man/gpurun-json.5 $(mandir)/man5/$(name)-json.5
	$(if $(cpu),$(Q)install -m 644 man/gpurun-cpu.7 $(mandir)/man7/$(name)-cpu.7)
	$(Q)install -m 644 man/gpurun-exit.7 $(mandir)/man7/$(name)-exit.7
	$(Q)sed 's/@NAME@/$(name)/g' cmd/completion.bash.in >$(completiondir)/$(name)
	$(Q)sed 's/@NAME@/$(name)/g' cmd/completion.zsh.in >$(zshdir)/_$(name)
	$(Q)sed 's/@NAME@/$(name)/g' cmd/completion.fish.in >$(fishdir)/$(name).fish
	$(Q)install -m 644 cmd/gpurun.schema.json $(schemadir)/gpurun.schema.json
	@echo "installed $(name) $(VERSION) into $(DESTDIR)$(PREFIX)"

install-strip:
	$(Q)$(MAKE) --no-print-directory install STRIP=strip

# Takes away what install brought, and of the directories those that are ours alone.
uninstall:
	$(Q)rm -f $(bindir)/$(name) $(libdir)/libgpurun.so $(libdir)/libgpurun.so.$(ABI) \
		$(addprefix $(mlirdir)/,$(notdir $(mgpus) $(mgpu_link))) $(includedir)/gpurun.h \
		$(addprefix $(pkgconfigdir)/,gpurun.pc mlir_cuda_runtime.pc LLVMOffload.pc LLVMOffload23.pc) \
		$(mandir)/man1/$(name).1 $(mandir)/man5/$(name)-json.5 $(mandir)/man7/$(name)-cpu.7 \
		$(mandir)/man7/$(name)-exit.7 $(addprefix \
		$(mandir)/man3/,libgpurun.3 libmlir_cuda_runtime.3 libLLVMOffload.3 libcudart.3) \
		$(completiondir)/$(name) $(zshdir)/_$(name) $(fishdir)/$(name).fish \
		$(schemadir)/gpurun.schema.json
	$(Q)rm -rf $(ourdir)
	-$(Q)rmdir $(schemadir) 2>/dev/null || :
	@echo "removed $(name) from $(DESTDIR)$(PREFIX)"

.PHONY: clean
clean:
	rm -rf build

include test/tests.mk

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
