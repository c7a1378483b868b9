# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the tests are built and run. A test finds its rules by where it is:
#
#	test/unit/NAME.c          a C test of lib/
#	test/unit/cpu/NAME.c      of cpu/ internals (likewise runtime/, cmd/, start/, and bench/, of test/bench/)
#	test/conformance/KIND/NAME.c    a program, KIND_NAME, that knows only ...
#		cuda/       include/cuda/: opens a driver (cuda.h there)
#		gpurun/     gpurun.h: linked with -lgpurun
#		mgpu/       mgpu_abi.h, and the driver under it
#		ol/         ol_abi.h: runs on LLVM's own library too; ol23_NAME is the same with
#		            the form that 23.1 has
#		ol23/       that, for what came with 23.1
#		cudart/     cudart_abi.h and the names of cudart_api.def
#	test/fuzz/NAME.c          LLVMFuzzerTestOneInput over lib/ (fuzz/cpu/, fuzz/cmd/, fuzz/start/),
#	                          replayed over test/fuzz/corpus/NAME/
#	test/unguarded/*.c        in the place of runtime/*.c: what tests have to notice
#	test/stub/*.c             the stub driver, libcuda-stub.so
#	test/nvml/nvml.c          a library of clocks
#	test/driver-failures/     fault injection: inject.c runs the scenarios, program.c is some
#	test/upstream-defects/    what LLVM's libLLVMOffload does wrong, row by row
#	test/host-programs/NAME.c host programs that test/cli/exec.bats runs
#	test/host-programs/start/ what test/cli/start.bats builds: programs with a static CUDA runtime
#	test/host-programs/statuses/ programs that fail in every way: table has the rows of test/cli/trust.bats
#	test/documents/           the commands of documents, from the tarball of a release; the program of libgpurun(3)
#	test/bench/               what calls and processes cost, not part of check
#	test/abi/cuda_h           our driver declarations against a real cuda.h
#	test/abi/cuda_names       every name of the real headers, called on the CPU device
#	test/abi/cudart           our libcudart against NVIDIA's and its headers
#	test/abi/ol               ol_abi.h and its library against LLVM's own
#	test/abi/mgpu             the MLIR library linked, preloaded, by other names
#	test/abi/device_info      llvm-offload-device-info on both libraries
#	test/abi/upstream         LLVM's libLLVMOffload on the CPU device and on the stub
#	test/abi/nvrtc            a program that compiles its kernel by NVIDIA's runtime compiler
#	test/abi/profile          counters of device code, by compiler-rt's profile runtime
#	test/abi/gcc_offload      programs of GCC's OpenMP and OpenACC
#	test/mlir/                programs made by MLIR
#	test/third-party/run      real programs, of GCC's offload compiler, Numba, hashcat, Halide
#	test/ptx/runner/          runs the cases in PTX on a driver: test/ptx/cases/*.ptx, kernels/*.ptx
#	                          and those that test/ptx/generator/ makes, build/ptx/*.ptx; the
#	                          kernels for other targets, build/ptx/kernels/*.ptx
#	test/ptx/generated.bats   what the generator makes, and the evidence of a GPU
#	test/kinds/               the same kernels on a device that compares registers with kinds
#	test/ptx/runner/same      their results, however they are run
#	test/ptx/runner/jit       their memory and faults, compiled and interpreted
#	test/ptx/random/          random programs likewise
#	test/ptx/mpfr/            floating-point instructions against MPFR
#	test/growth/              files with n, 4n and 16n of one construct each: docs/hostile.md
#	test/cli/NAME.bats        the command
#
# Every suite prints TAP into test/tally, which ends with "N passed, N failed,
# N skipped". Tests run in the repository's root with BUILD in the environment.

# Where python3 is a script that looks for it, as pyenv's is, each start takes most of a second:
# tests find it itself. Asked once, where it is needed.
python_folder = $(eval python_folder := $(addsuffix :,$(patsubst %/,%,$(dir $(shell \
	python3 -c 'import sys; print(sys.executable)' 2>/dev/null)))))$(python_folder)

TEST_ENV = BUILD=$(abspath $(BUILD)) V=$(V) GPURUN_TEST_STRICT=$(GPURUN_TEST_STRICT) \
	TEST_SLOWER=$(if $(findstring thread,$(SAN)),8,$(if $(SAN),4)) TEST_TIMEOUT=$(if $(SAN),2400) CC="$(CC)" ISAS="$(ISAS)" \
	PATH="$(abspath $(BUILD))/bin:$(python_folder)$$PATH" \
	UBSAN_OPTIONS=print_stacktrace=1 \
	TSAN_OPTIONS=suppressions=$(abspath test/tsan.supp):detect_deadlocks=1:second_deadlock_stack=1:history_size=4:atexit_sleep_ms=0
tally = $(TEST_ENV) test/tally

# Those that take longest come first: they run side by side.
suites := check-cli check-conformance check-forms check-ptx check-jit check-mlir check-faults check-abi \
	check-recipes check-growth check-generated check-unit check-fuzz check-cudart
SUITES ?= $(if $(GPURUN_TEST_STRICT),$(if $(filter 0,$(CPU)),,check-valgrind check-programs)) $(suites)
CHECK_JOBS ?= $(shell nproc)

# Those that run kernels: a build without the CPU device (CPU=0) leaves them out.
run_kernels := check-cli check-forms check-ptx check-mlir check-recipes check-same check-jit check-mpfr check-programs check-cudart check-growth
left_out := $(if $(cpu),,$(run_kernels))
$(if $(filter $(left_out),$(MAKECMDGOALS)),$(error $(filter $(left_out),$(MAKECMDGOALS)): needs the CPU device, \
	which CPU=0 leaves out))

.PHONY: check $(suites)
check: all $(if $(filter-out $(SUITES),$(suites)),,tests)
	$(if $(left_out),@echo "check: left out$(comma) for they need the CPU device: $(left_out) and parts of others")
	$(Q)$(MAKE) --no-print-directory -k -j$(CHECK_JOBS) --output-sync=target \
		$(filter-out $(left_out),$(SUITES))

# ---- One test by its name; the suites that concern what changed ------------------

.PHONY: check-one check-changed built-cli built-mlir built-recipes built-faults built-abi built-ptx
built-cli: all $$(stub) $$(nvml) $$(bin_exec) $$(bin_trust) $$(bin_preload) $$(bench_cpu)/gate $$(cases)/made
built-mlir: all $$(bin_mlir) $$(stub)
built-recipes: all
built-faults: all $$(bin_faults) $$(bin_mlir) $$(stub)
built-abi: all $$(stub_driver)
built-ptx: $$(cases)/made
check-one: $$(cases)/made
	+$(Q)$(TEST_ENV) MAKE="$(MAKE)" BATS="$(BATS)" scripts/check-one '$(T)'

BASE ?= main
check-changed:
	+$(Q)$(TEST_ENV) MAKE="$(MAKE)" scripts/check-changed '$(BASE)'

# ---- C units: the internals of one directory, against its objects --------------

unit_dirs := lib $(if $(cpu),cpu) runtime cudart cmd bench $(if $(start),start)
# These execute code of x86-64.
unit_on_x86 := $(addprefix test/unit/cpu/,x86_run.c select_strip.c select_value.c region.c region_masked.c region_atomic.c region_access.c tiers.c)
unit_lib := $(sort $(wildcard test/unit/*.c))
$(foreach d,cpu runtime cudart cmd bench start,$(eval unit_$(d) := $(sort $(wildcard test/unit/$(d)/*.c))))
unit_cpu := $(if $(x86),$(unit_cpu),$(filter-out $(unit_on_x86),$(unit_cpu)))
# These run a plan on the CPU device.
unit_on_cpu := test/unit/cmd/again.c test/unit/cmd/count.c
unit_cmd := $(if $(cpu),$(unit_cmd),$(filter-out $(unit_on_cpu),$(unit_cmd)))
$(unit_on_cpu:%.c=$(BUILD)/%): | $(cpu)
$(BUILD)/test/unit/cmd/count: | $(command)
bin_unit := $(foreach d,$(unit_dirs),$(unit_$(d):%.c=$(BUILD)/%))

$(BUILD)/test/libcpu.a: $(sort $(obj_cpu) $(obj_jit))
$(BUILD)/test/libruntime.a: $(obj_runtime)
$(BUILD)/test/libcudart.a: $(obj_cudart)
$(BUILD)/test/libcmd.a: $(filter-out $(BUILD)/cmd/process/main.o,$(obj_cmd))
# The product's own are built without instrumentation and without a C library: here as all others are.
# Not audit.c, which the loader alone can call, and not memory.c, which the C library has.
obj_start_test := $(patsubst %.c,$(BUILD)/test/%.o,$(filter-out start/audit.c start/memory.c,$(src_start)))
$(obj_start_test): inc := $(inc_start)
$(obj_start_test): $(BUILD)/test/%.o: %.c $(BUILD)/flags
	$(compile)
	$(Q)$(cc) -c $< -o $@
$(addprefix $(BUILD)/test/,start/debug_file.o unit/start/debug_file.o): extra += -DFOLDER='"$(abspath $(BUILD))/test/debug"'
$(BUILD)/test/libstart.a: $(obj_start_test)
$(BUILD)/test/lib%.a:
	@mkdir -p $(@D)
	$(Q)rm -f $@; $(AR) qcs $@ $^

# What a test of each directory links besides libgpurun-lib.a.
with_lib :=
with_cpu := $(BUILD)/test/libcpu.a
with_runtime := $(BUILD)/test/libruntime.a
with_cudart := $(BUILD)/test/libcudart.a
with_cmd := $(BUILD)/test/libcmd.a $(runtime) $(BUILD)/lib/libgpurun.so
with_start := $(BUILD)/test/libstart.a
# What the benchmarks have that is not measuring.
with_bench := $(BUILD)/test/bench/cpu/ratio.o
inc_bench := -Itest/bench/cpu

test_link = @mkdir -p $(@D)$(if $(V),,; echo "  LD    $@")
rpath = -Wl,-rpath,'$$ORIGIN/$(1)'

# $(1): directory under test; $(2): test/unit or test/fuzz, with its subdirectory
define test_rules
$(BUILD)/$(2)/%.o: inc := $(inc_$(1)) -Itest
$(patsubst %.c,$(BUILD)/%,$(3)): $(BUILD)/%: $(BUILD)/%.o $(4) $(with_$(1)) $(BUILD)/libgpurun-lib.a
	$$(test_link)
	$$(Q)$$(CC) $$(link) -o $$@ $$(filter %.o %.a,$$^) $(if $(filter cmd,$(1)),-L$(BUILD)/lib \
		-lgpurun $$(call rpath,../../../lib)) $$(libs) -lm -ldl \
		$(if $(filter test/fuzz%,$(2)),$$(fuzzer)) $$(LDFLAGS)
endef
$(eval $(call test_rules,lib,test/unit,$(unit_lib)))
$(foreach d,cpu runtime cudart cmd bench start,\
	$(eval $(call test_rules,$(d),test/unit/$(d),$(unit_$(d)))))

# What its programs print, and thousands of findings, are of no interest.
$(BUILD)/test/fuzz/cpu/whole: LDFLAGS += -Wl,--wrap=finding_print,--wrap=output_printf

# It computes as handlers do.
$(BUILD)/test/unit/cpu/select_value.o: extra := $(simd_flags)

# What compiles, and what the system gives for it, does as the test says.
$(BUILD)/test/unit/cpu/tiers: private override LDFLAGS += -Wl,--wrap=region_compile \
	-Wl,--wrap=thread_start,--wrap=mmap,--wrap=mprotect,--wrap=kernel_time_add

# Allocations of the device fail when the test says so.
$(BUILD)/test/unit/cpu/exhausted: private override LDFLAGS += \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=reallocarray
# So do those of the command.
$(BUILD)/test/unit/cmd/exhausted: private override LDFLAGS += \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=reallocarray,--wrap=realloc,--wrap=strdup

# The thread sanitizer runs no program that starts no thread and takes long: there is nothing in
# it that another thread could read, and the locks of the device that region and unlimited acquire
# are acquired by every kernel of check-ptx, too.
unit_alone := bench/ratio cmd/bench demangle ptx ptx_expr value $(addprefix cpu/,blanks lane_values op_approx op_cvt \
	op_float op_half region region_access region_atomic region_masked select_strip select_value unlimited x86_encoding)
unit_left_out := $(if $(findstring thread,$(SAN)),$(unit_alone))
unit_run := $(filter-out $(addprefix $(BUILD)/test/unit/,$(unit_left_out)),$(bin_unit))
check-unit: $(unit_run)
	$(if $(unit_left_out),@echo "$@: with SAN=$(SAN) not those of $(words $(unit_left_out)) programs that start no thread: $(unit_left_out)")
	$(Q)$(tally) $@ $(foreach t,$(unit_run),$(t) ++)

# ---- Fuzz targets: replayed here, fuzzed by `make fuzz' -------------------------

fuzz_lib := $(filter-out test/fuzz/replay.c,$(sort $(wildcard test/fuzz/*.c)))
$(foreach d,cpu runtime cmd start,$(eval fuzz_$(d) := $(sort $(wildcard test/fuzz/$(d)/*.c))))
src_fuzz := $(foreach d,$(unit_dirs),$(fuzz_$(d)))
bin_fuzz := $(src_fuzz:%.c=$(BUILD)/%)

# The fuzzer brings its own main: `make fuzz' builds with FUZZER=1, and .clusterfuzzlite/build.sh with
# the option, or the library, that links another one.
FUZZER ?=
fuzzer := $(if $(FUZZER),$(if $(filter 1,$(FUZZER)),-fsanitize=fuzzer,$(FUZZER)))
replay := $(if $(FUZZER),,$(BUILD)/test/replay.o)
$(BUILD)/test/replay.o: inc := -Itest
$(eval $(call test_rules,lib,test/fuzz,$(fuzz_lib),$(replay)))
$(foreach d,cpu runtime cmd start,\
	$(eval $(call test_rules,$(d),test/fuzz/$(d),$(fuzz_$(d)),$(replay))))

check-fuzz: $(bin_fuzz)
	$(Q)$(tally) $@ $(foreach t,$(bin_fuzz),$(t) test/fuzz/corpus/$(notdir $(t)) ++)

# make fuzz [FUZZ_TIME=60] [FUZZ="fatbin ptx"]: findings land in fuzz-corpus/.
FUZZ_TIME ?= 60
FUZZ ?= $(basename $(notdir $(src_fuzz)))
FUZZ_CC ?= clang
.PHONY: fuzz fuzz-bins print-fuzz
print-fuzz:
	@printf '%s\n' $(src_fuzz)
fuzz:
	$(Q)$(MAKE) --no-print-directory FUZZER=1 CC=$(FUZZ_CC) BUILD=build/fuzz \
		SAN=address,undefined CFLAGS="$(CFLAGS) -fsanitize=fuzzer-no-link" fuzz-bins
	$(Q)$(TEST_ENV) FUZZ_TIME=$(FUZZ_TIME) BUILD=build/fuzz scripts/fuzz $(FUZZ)
fuzz-bins: $(bin_fuzz)

# ---- The stub driver and the conformance programs ------------------------------

src_stub := $(sort $(wildcard test/stub/*.c))
stub := $(if $(src_stub),$(BUILD)/test/libcuda-stub.so)
$(BUILD)/test/stub/%.o: inc := -Iinclude -Iinclude/cuda -Itest/stub -Itest
$(BUILD)/test/libcuda-stub.so: $(src_stub:%.c=$(BUILD)/%.o) test/stub/stub.map
	$(test_link)
	$(Q)$(CC) $(link) -shared -Wl,--version-script=test/stub/stub.map -o $@ $(filter %.o,$^) \
		-ldl -lm $(LDFLAGS)

# Where LLVM's libLLVMOffload finds it, which opens libcuda.so: LD_LIBRARY_PATH names the directory.
stub_driver := $(if $(stub),$(BUILD)/test/stub-driver/libcuda.so)
$(stub_driver): $(stub)
	@mkdir -p $(@D)
	$(Q)ln -sf ../libcuda-stub.so $@

# Where --bench finds it: LD_LIBRARY_PATH names the directory.
nvml := $(BUILD)/test/nvml/libnvidia-ml.so.1
$(nvml): $(BUILD)/test/nvml/nvml.o
	$(test_link)
	$(Q)$(CC) $(link) -shared -o $@ $< $(LDFLAGS)

in_conformance := $(BUILD)/test/conformance
names_in = $(notdir $(basename $(wildcard test/conformance/$(1)/*.c)))

# Each about LLVM Offload is built in both forms, but for those of which ol23/ has its own.
names_twice := $(filter-out $(call names_in,ol23),$(call names_in,ol))
$(names_twice:%=$(in_conformance)/ol23/%.o): $(in_conformance)/ol23/%.o: test/conformance/ol/%.c $(BUILD)/flags
	$(compile)
	$(Q)$(cc) -c $< -o $@
$(in_conformance)/ol23/%.o: extra := -DOL_ABI=23

# $(1): the kind; $(2): its names; $(3): what they include; $(4): what they are linked with, $(5): and need
define conformance
bin_conformance += $(2:%=$(in_conformance)/$(1)_%)
$(in_conformance)/$(1)/%.o: inc := $(3) -Itest/conformance -Itest
$(2:%=$(in_conformance)/$(1)_%): $(in_conformance)/$(1)_%: $(in_conformance)/$(1)/%.o $(5)
	$$(test_link)
	$$(Q)$$(CC) $$(link) -o $$@ $$< $(4) -lm -ldl $$(LDFLAGS)
endef

# Those of mgpu open the driver beside the library as the programs do that mix. LD_LIBRARY_PATH comes
# before where those of ol and cudart look for the library: so they run on LLVM's and NVIDIA's own, unchanged.
link_gpurun = -L$(BUILD)/lib -lgpurun $(call rpath,../../lib)
link_mgpu_test = -L$(BUILD)/lib -lmlir_cuda_runtime $(call rpath,../../lib) -Wl,-rpath-link,$(BUILD)/lib
link_ol = -L$(dir $(ol)) -lLLVMOffload $(call rpath,../../lib/gpurun/offload) \
	-Wl,--enable-new-dtags -Wl,-rpath-link,$(BUILD)/lib
link_ol23 = $(subst -lLLVMOffload,-l:$(notdir $(call ol_of,23)),$(link_ol))
link_cudart_test = -L$(dir $(cudart)) -lcudart $(call rpath,../../lib/gpurun/cudart) -Wl,--enable-new-dtags

$(eval $(call conformance,cuda,$(call names_in,cuda),-Iinclude/cuda))
$(eval $(call conformance,gpurun,$(call names_in,gpurun),-Iinclude,$$(link_gpurun),$(runtime) $(BUILD)/lib/libgpurun.so))
$(eval $(call conformance,mgpu,$(call names_in,mgpu),-Iruntime/abi/mgpu -Iinclude/cuda -Itest/conformance/cuda \
	-Itest/stub,$$(link_mgpu_test),$(mgpu) $(BUILD)/lib/libmlir_cuda_runtime.so))
$(eval $(call conformance,ol,$(call names_in,ol),-Iruntime/abi/ol,$$(link_ol),$(ol) $(ol_link)))
$(eval $(call conformance,ol23,$(names_twice) $(call names_in,ol23),-Itest/conformance/ol -Iruntime/abi/ol,\
	$$(link_ol23),$(call ol_of,23)))
$(eval $(call conformance,cudart,$(call names_in,cudart),-Iruntime/abi/cudart -Iinclude/cuda,$$(link_cudart_test),\
	$(cudart) $(cudart_link)))

# What LLVM's library does wrong: docs/offload.md.
bin_offload := $(BUILD)/test/upstream-defects/rows
$(bin_offload): $(bin_offload).o $(ol) $(ol_link)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $< $(link_ol) $(LDFLAGS)
$(bin_offload).o: inc := -Iruntime/abi/ol

# Libraries that use ours, for programs that open them.
in_library := $(in_conformance)/library
$(in_library)/user.o: inc := -Iinclude -Itest/conformance/gpurun -Itest/conformance -Itest
$(in_library)/object.o: inc := -Itest/conformance/mgpu -Itest/conformance/cuda -Itest/conformance -Iruntime/abi/mgpu \
	-Iinclude/cuda -Itest/stub -Itest
$(in_library)/libuser.so: uses := -lgpurun
$(in_library)/libobject.so: uses := -lmlir_cuda_runtime
$(in_library)/starter.o $(in_library)/starter23.o: inc := -Iruntime/abi/ol -Itest/conformance/ol
$(in_library)/starter23.o: extra := -DOL_ABI=23
$(in_library)/starter23.o: test/conformance/library/starter.c $(BUILD)/flags
	$(compile)
	$(Q)$(cc) -c $< -o $@
$(in_library)/libstarter.so: uses := -L$(dir $(ol)) -lLLVMOffload \
	$(call rpath,../../../lib/gpurun/offload)
$(in_library)/kernels.o: inc := -Iruntime/abi/cudart -Iinclude/cuda -Itest/conformance/cudart -Itest/conformance -Itest
$(in_library)/libkernels.so: uses := -L$(dir $(cudart)) -lcudart \
	$(call rpath,../../../lib/gpurun/cudart)
$(in_library)/libstarter23.so: uses := -L$(dir $(ol)) -l:$(notdir $(call ol_of,23)) \
	$(call rpath,../../../lib/gpurun/offload)
libraries := $(addprefix $(in_library)/,libuser.so libobject.so libstarter.so libstarter23.so libkernels.so)
$(in_library)/libstarter.so: $(ol) $(ol_link)
$(in_library)/libstarter23.so: $(call ol_of,23)
$(in_library)/libkernels.so: $(cudart) $(cudart_link)
$(libraries): $(in_library)/lib%.so: $(in_library)/%.o $(BUILD)/lib/libgpurun.so \
		$(BUILD)/lib/libmlir_cuda_runtime.so
	$(test_link)
	$(Q)$(CC) $(link) -shared -o $@ $< -L$(BUILD)/lib $(uses) $(call rpath,../../../lib) \
		-Wl,-rpath-link,$(BUILD)/lib $(LDFLAGS)
$(addprefix $(in_conformance)/,gpurun_dlclose mgpu_end ol_library ol23_library cudart_unload): | $(libraries)
# It is not linked with what it opens.
$(in_conformance)/gpurun_dlclose: private link += -Wl,--as-needed

# libgpurun with the guards of runtime/core/reuse_rules.h taken away; it finds the CPU device as the
# real one does.
unguarded := $(BUILD)/test/unguarded/libgpurun.so.$(ABI)
obj_unguarded := $(BUILD)/test/unguarded/reuse_rules.o $(filter-out $(BUILD)/runtime/core/reuse_rules.o,$(obj_runtime))
$(BUILD)/test/unguarded/reuse_rules.o: inc := $(inc_runtime)
$(unguarded): $(obj_unguarded) $(BUILD)/libgpurun-lib.a runtime/libgpurun.map
	$(test_link)
	$(Q)ln -sfn ../../lib/gpurun $(@D)/gpurun
	$(Q)$(CC) $(link) $(shared) -Wl,-soname,libgpurun.so.$(ABI) \
		-Wl,--version-script=runtime/libgpurun.map -o $@ $(obj_unguarded) \
		$(BUILD)/libgpurun-lib.a $(libs) -ldl $(LDFLAGS)

# LLVM's own library is built without the sanitizer.
check-conformance: all $(bin_conformance) $(stub) $(stub_driver) $(bin_offload) $(unguarded)
	$(if $(SAN),@echo "$@: test/conformance/upstream only in plain builds: LLVM's libLLVMOffload is built without the sanitizer")
	$(Q)$(tally) $@ test/conformance/run stub \
		$(if $(cpu),++ test/conformance/run cpu ++ test/conformance/unguarded cpu) \
		$(if $(SAN),,$(if $(cpu),++ env GPURUN_CPU=check=race$(comma)sync test/conformance/run cpu)) \
		$(if $(SAN),,++ test/conformance/upstream stub) \
		$(if $(cpu),++ test/upstream-defects/defects $(if $(SAN),ours)) \
		$(if $(GPURUN_TEST_GPU),++ test/conformance/run gpu ++ test/conformance/unguarded gpu)

# The whole counts of the stress programs, by driver: make check-stress [GPURUN_TEST_GPU=1]
.PHONY: check-stress
bin_stress := $(addprefix $(in_conformance)/,gpurun_stress ol_stress)
check-stress: $(bin_stress) $(cpu) $(stub)
	$(Q)GPURUN_TEST_STRESS=100 $(tally) $@ $(foreach t,$(bin_stress),env GPURUN_DEVICE=cpu $(t) ++ \
		env GPURUN_DEVICE=gpu GPURUN_DRIVER=$(abspath $(stub)) $(t) ++ \
		$(if $(GPURUN_TEST_GPU),env GPURUN_DEVICE=gpu $(t) ++))

# ---- Fault injection: scenarios on the stub, with each call failing once ---------

src_inject := $(addprefix test/driver-failures/,inject.c list.c judge.c)
src_ol_calls := $(sort $(wildcard test/driver-failures/ol_*.c))
src_ol23_calls := $(src_ol_calls) $(wildcard test/driver-failures/ol23_*.c)
src_cudart_calls := $(sort $(wildcard test/driver-failures/cudart_*.c))
src_program := $(filter-out $(src_inject) $(src_ol23_calls) $(src_cudart_calls) test/driver-failures/mlir_calls.c,\
	$(sort $(wildcard test/driver-failures/*.c)))
bin_faults := $(addprefix $(BUILD)/test/driver-failures/,inject program mlir_calls ol_calls ol23_calls cudart_calls)
$(BUILD)/test/driver-failures/mlir_calls.o: inc := -Iruntime/abi/mgpu
$(BUILD)/test/driver-failures/mlir_calls: $(BUILD)/test/driver-failures/mlir_calls.o $(mgpu) \
		$(BUILD)/lib/libmlir_cuda_runtime.so
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $< -L$(BUILD)/lib -lmlir_cuda_runtime $(call rpath,../../lib) \
		-Wl,-rpath-link,$(BUILD)/lib $(LDFLAGS)
inc_ol_calls := -Iinclude -Iruntime/abi/ol -Itest/driver-failures -Itest/conformance/ol
$(src_ol_calls:%.c=$(BUILD)/%.o): inc := $(inc_ol_calls)
obj_ol23_calls := $(src_ol23_calls:%.c=$(BUILD)/%.abi23.o)
$(obj_ol23_calls): $(BUILD)/%.abi23.o: %.c $(BUILD)/flags
	$(compile)
	$(Q)$(cc) $(inc_ol_calls) -DOL_ABI=23 -c $< -o $@
$(BUILD)/test/driver-failures/ol23_calls: $(obj_ol23_calls) $(call ol_of,23)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $(filter %.o,$^) -L$(dir $(ol)) -l:libLLVMOffload.so.23.1 -L$(BUILD)/lib \
		-lgpurun $(call rpath,../../lib/gpurun/offload:$$ORIGIN/../../lib) $(LDFLAGS)
$(BUILD)/test/driver-failures/ol_calls: $(src_ol_calls:%.c=$(BUILD)/%.o) $(ol) $(ol_link)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $(filter %.o,$^) -L$(dir $(ol)) -lLLVMOffload -L$(BUILD)/lib -lgpurun \
		$(call rpath,../../lib/gpurun/offload:$$ORIGIN/../../lib) $(LDFLAGS)
$(src_cudart_calls:%.c=$(BUILD)/%.o): inc := -Iruntime/abi/cudart -Iinclude/cuda -Itest/driver-failures \
	-Itest/conformance/cudart -Itest/conformance -Itest
$(BUILD)/test/driver-failures/cudart_calls: $(src_cudart_calls:%.c=$(BUILD)/%.o) $(cudart) $(cudart_link)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $(filter %.o,$^) -L$(dir $(cudart)) -lcudart \
		$(call rpath,../../lib/gpurun/cudart) -Wl,--enable-new-dtags $(LDFLAGS)
$(src_inject:%.c=$(BUILD)/%.o): inc := -Iinclude/cuda -Itest/driver-failures
$(src_program:%.c=$(BUILD)/%.o): inc := -Iinclude -Itest/driver-failures
$(BUILD)/test/driver-failures/inject: $(src_inject:%.c=$(BUILD)/%.o)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $^ $(LDFLAGS)
$(BUILD)/test/driver-failures/program: $(src_program:%.c=$(BUILD)/%.o) $(runtime) $(BUILD)/lib/libgpurun.so
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $(filter %.o,$^) -L$(BUILD)/lib -lgpurun $(call rpath,../../lib) \
		-ldl $(LDFLAGS)

check-faults: built-faults
	$(Q)FAULTS_EVERY=$(if $(SAN)$(filter 0,$(CPU)),10,$(if $(GPURUN_TEST_STRICT),1,10)) $(tally) $@ test/driver-failures/run

# ---- Our declarations against the real cuda.h and OffloadAPI.h; the MLIR library
# as programs find it, which a library of a sanitizer cannot be -------------------

check-abi: built-abi
	$(if $(SAN),@echo "$@: only in plain builds: test/abi/{mgpu$(comma)upstream$(comma)device_info$(comma)profile$(comma)driver_program$(comma)cuda_names$(comma)cudart$(comma)nvrtc$(comma)nvptx_run$(comma)gcc_offload}: programs that are built without the sanitizer")
	$(Q)$(tally) $@ test/abi/cuda_h ++ test/abi/ol \
		$(if $(SAN),,++ test/abi/device_info stub ++ test/abi/device_info none) \
		$(if $(SAN)$(if $(cpu),,CPU=0),,++ test/abi/mgpu ++ test/abi/upstream \
			++ test/abi/cuda_names ++ test/abi/cudart \
			++ test/abi/device_info cpu ++ test/abi/profile \
			++ test/abi/driver_program ++ test/abi/nvrtc ++ test/abi/nvptx_run \
			++ test/abi/gcc_offload)

# ---- PTX instructions: one case per file, on the CPU device or a real driver ---

# make ptx-cases makes build/ptx/*.ptx: one folder, whatever the build. It is replaced as a
# whole, so that a file goes that is no longer made, and a run that is interrupted changes nothing.
cases := build/ptx
cases_from := $(sort $(wildcard test/ptx/generator/*.py test/ptx/generator/*/*.py)) \
	test/ptx/forms/table.txt test/ptx/forms/products.py $(sort $(wildcard test/ptx/kernels/*.ptx))
# Nothing is left beside the sources.
export PYTHONDONTWRITEBYTECODE := 1

# The list of the files: one that is gone makes the cases anew, too.
$(cases).from: FORCE
	$(shell mkdir -p $(@D))$(file >$@.new,$(cases_from))
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(cases)/made: $(cases_from) $(cases).from
	$(if $(V),,@echo "  PTX   $(cases)")
	$(Q)test/ptx/generator/generate.py -o $(cases)
	$(Q)touch $@
.PHONY: ptx-cases
ptx-cases: $(cases)/made

.PHONY: check-generated
check-generated: built-ptx
	$(Q)$(tally) $@ $(BATS) --formatter tap test/ptx/generated.bats

src_ptx := $(sort $(wildcard test/ptx/runner/*.c))
bin_ptx := $(BUILD)/test/ptx/run
$(BUILD)/test/ptx/%.o: inc := -Iinclude/cuda -Itest -Itest/conformance/cuda
$(BUILD)/test/ptx/run: $(src_ptx:%.c=$(BUILD)/%.o)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $^ -lm -ldl $(LDFLAGS)

# The made cases have one instruction each, most of them in one block: the thread sanitizer does
# without them.
ptx_dirs := test/ptx/cases $(if $(findstring thread,$(SAN)),,$(cases)) $(wildcard test/ptx/kernels)

# Further runs take the other handlers and another order of warps and blocks: their results
# are what is looked at, so that sanitizers leave them out. The checker finds nothing in the
# kernels of compilers: the last run would end with 119.
run_ptx := $(bin_ptx) -x test/ptx/runner/xfail.cpu $(ptx_dirs)
# The same kernels for another target. No handler and no check depends on the target, so they are
# in one run alone, and in none of a sanitizer.
twins := $(if $(SAN),,$(cases)/kernels)
# What an sm_90 has not, on a device that has it.
run_newer := $(bin_ptx) $(cases)/sm_100
# Whatever reaches more than a word of global memory, with buffers over the seams of mappings.
run_seams := $(bin_ptx) -s $(foreach f,atom bulk bulk_all call cp_async cp_async_all fence_all multicast red st \
	tensor tensor_all tensormap wmma wmma_all wmma_int,$(cases)/$(f).ptx) $(cases)/sm_100 test/ptx/kernels
# The same files again, in which leaks were looked for before: to look at the end of each of a
# thousand processes takes longer than what they do.
again := $(if $(SAN),env ASAN_OPTIONS=detect_leaks=0)
check-ptx: $(bin_ptx) $(cpu) $(cases)/made $$(if $$(SAN),,$$(observed) $$(bench_cpu)/driver)
	$(Q)GPURUN_DRIVER=$(abspath $(cpu)) $(tally) $@ $(run_ptx) $(twins) \
		$(if $(findstring thread,$(SAN)),,++ env GPURUN_CPU=cc=10.0 $(run_newer)) \
		$(if $(SAN),,++ env GPURUN_CPU=cc=10.0$(comma)scalar=0 $(run_newer) \
			$(foreach isa,$(ISAS),++ env GPURUN_CPU=cc=10.0$(comma)isa=$(isa) $(run_newer))) \
		$(if $(SAN),,++ env GPURUN_CPU=scalar=0 $(run_ptx) \
			$(foreach isa,$(ISAS),++ env GPURUN_CPU=isa=$(isa)$(comma)sched=rand$(comma)sched-seed=7 $(run_ptx))) \
		$(if $(findstring thread,$(SAN)),,++ $(again) env GPURUN_CPU=cc=10.0 $(run_seams)) \
		++ $(again) env GPURUN_CPU=check=all,-api $(bin_ptx) -x test/ptx/runner/xfail.cpu test/ptx/kernels \
		$(if $(SAN),,++ test/kinds/run)

# The kernels of compilers leave the same bits under every way to run them, all cases with checks.
.PHONY: check-same
check-same: $(bin_ptx) $(cpu) $(cases)/made
	$(Q)$(tally) $@ test/ptx/runner/same test/ptx/kernels test/ptx/cases $(cases)

# All cases, and the random programs of some seeds, leave the same memory and report the same faults,
# compiled and interpreted. make check-jit SEEDS="1001 5000": 5000 others.
SEEDS ?= 1 1000
.PHONY: check-jit
check-jit: $(bin_ptx) $(cpu) $(cases)/made
	$(Q)$(tally) $@ test/ptx/runner/jit test/ptx/kernels test/ptx/cases $(cases) \
		++ test/ptx/random/run $(SEEDS)

# A CPU device that compares what registers hold with their kinds: test/kinds/observe.c.
observed := $(BUILD)/test/kinds/libcuda.so.1
$(BUILD)/test/kinds/observe.o: inc := $(inc_cpu) -Itest/kinds
$(observed): $(BUILD)/test/kinds/observe.o $(obj_cpu) $(BUILD)/libgpurun-lib.a cpu/libcuda.map
	$(test_link)
	$(Q)$(call link_cpu,$@,$< $(patsubst %,-Wl$(comma)--wrap=%,trace_before trace_after \
		trace_step trace_free lower_reach reached_release))

# The CPU device compiles for another processor too: nothing is run there.
.PHONY: cpu-objects check-aarch64
cpu-objects: $(obj_cpu)
check-aarch64:
	$(Q)$(MAKE) --no-print-directory CC=aarch64-linux-gnu-gcc CFLAGS=-Werror \
		optimise=-O1 optimise_simd=-O1 BUILD=build/aarch64 cpu-objects && \
		echo "$@: $(words $(src_cpu) $(src_simd)) passed, 0 failed, 0 skipped"

# ---- Forms of instructions: what ptxas accepts, and the CPU device -----------------
#
# make forms PTXAS=ptxas    asks ptxas again, and then
# make forms-report         says where the CPU device differs, what is tested, and what an H100
#                           agrees with: commit what changes. Needs libmpfr-dev
# make forms-h100 RESULTS=  notes what an H100 said, to the cases of KIT: forms/h100.py tells how
# make h100-check           names the cases that have been changed since, as lint does
# make h100-prune           takes them out of forms/h100.txt

bin_forms := $(BUILD)/test/ptx/forms/forms
$(bin_forms): $(BUILD)/test/ptx/forms/forms.o
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $^ -ldl $(LDFLAGS)

forms := test/ptx/forms
check-forms: $(bin_forms) $(cpu)
	$(if $(SAN),@echo "$@: only in plain builds: no form is executed")
	$(Q)GPURUN_DRIVER=$(abspath $(cpu)) $(tally) $@ $(if $(SAN),,$(bin_forms) \
		-x $(forms)/refused.txt -x $(forms)/lenient.txt $(forms)/table.txt ++ $(forms)/fresh)

# Floating point against MPFR: every form in that table.
bin_mpfr := $(BUILD)/test/ptx/mpfr/mpfr
mpfr_libs := -lmpfr -lgmp
obj_mpfr := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard test/ptx/mpfr/*.c)))
$(obj_mpfr): inc := -Iinclude/cuda -Itest -Itest/conformance/cuda -Itest/ptx/mpfr
$(bin_mpfr): $(obj_mpfr)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $^ $(mpfr_libs) -lm -ldl $(LDFLAGS)

.PHONY: check-mpfr
check-mpfr: $(bin_mpfr) $(cpu)
	$(Q)GPURUN_DRIVER=$(abspath $(cpu)) $(tally) $@ $(bin_mpfr) test/ptx/forms/table.txt

PTXAS ?= ptxas
KIT ?= $(kit)
# make blanks PTXAS=ptxas   asks ptxas again which tokens may be neighbours
.PHONY: blanks
blanks:
	$(Q)test/ptx/blanks/ask.py $(PTXAS) >test/ptx/blanks/table.new
	$(Q)mv test/ptx/blanks/table.new test/ptx/blanks/table.txt

.PHONY: forms forms-report forms-h100 h100-check h100-prune
forms:
	$(Q)$(forms)/forms.py $(PTXAS) >$(forms)/table.new
	$(Q)mv $(forms)/table.new $(forms)/table.txt

forms-report: $(bin_forms) $(bin_mpfr) $(cpu) $(cases)/made
	$(Q)GPURUN_DRIVER=$(abspath $(cpu)) $(bin_forms) -v $(forms)/table.txt >$(bin_forms).txt; \
		$(bin_mpfr) -l $(forms)/table.txt >$(bin_mpfr).txt && \
		$(forms)/report.py $(bin_forms).txt $(bin_mpfr).txt

forms-h100: $(cases)/made
	$(Q)$(forms)/h100.py note $(KIT) $(RESULTS)
h100-check h100-prune: h100-%: $(cases)/made
	$(Q)$(forms)/h100.py $*

BATS ?= bats

# ---- Programs made by MLIR: test/mlir/build makes the committed objects ----------

# What stands in for LLVM's runner libraries is linked: these run where no LLVM is.
bin_mlir := $(patsubst test/mlir/objects/%.o,$(BUILD)/test/mlir/%,\
	$(sort $(wildcard test/mlir/objects/*.o)))
$(bin_mlir): $(BUILD)/test/mlir/%: test/mlir/objects/%.o $(BUILD)/test/mlir/runner.o \
		$(mgpu) $(BUILD)/lib/libmlir_cuda_runtime.so
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $(filter %.o,$^) -L$(BUILD)/lib -lmlir_cuda_runtime \
		$(call rpath,../../lib) $(LDFLAGS)

# LLVM's own tools load no library with a sanitizer in it.
check-mlir: built-mlir
	$(if $(SAN),@echo "$@: only in plain builds: test/mlir/llvm.bats uses programs of LLVM that are built without the sanitizer")
	$(Q)RACE_TIMES=$(if $(GPURUN_TEST_STRICT),$(if $(SAN),20,40),10) $(tally) $@ test/mlir/run cpu ++ \
		$(BATS) --formatter tap test/mlir/programs.bats $(if $(SAN),,test/mlir/llvm.bats)

# ---- Host programs for --exec: they know the driver's functions alone -------------

bin_exec := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard test/host-programs/*.c)))
$(BUILD)/test/host-programs/%.o: inc :=
$(BUILD)/test/host-programs/timed_library.o: inc := -Iinclude
$(BUILD)/test/host-programs/confined.o: inc := -Itest/unit/cpu
$(BUILD)/test/host-programs/linked: link_driver := -L$(BUILD)/lib/gpurun/cpu -lcuda
$(bin_exec): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/lib/gpurun/cpu/libcuda.so
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $< $(link_driver) -ldl $(LDFLAGS)

# Programs of each interface, for the rows of test/host-programs/statuses/table.
in_trust := $(BUILD)/test/host-programs/statuses
bin_trust := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard test/host-programs/statuses/*.c)))
$(in_trust)/%.o: inc := -Iinclude -Iinclude/cuda -Iruntime/abi/cudart -Iruntime/abi/mgpu -Iruntime/abi/ol \
	-Itest/conformance/cudart -Itest/conformance -Itest
link_trust = $($(addprefix link_trust_,$(notdir $@)))
link_trust_runtime = -L$(dir $(cudart)) -lcudart $(call rpath,../../../lib/gpurun/cudart)
link_trust_library = -L$(BUILD)/lib -lgpurun $(call rpath,../../../lib)
link_trust_mgpu = -L$(BUILD)/lib -lmlir_cuda_runtime $(call rpath,../../../lib) -Wl,-rpath-link,$(BUILD)/lib
link_trust_offload = -L$(dir $(ol)) -lLLVMOffload $(call rpath,../../../lib/gpurun/offload) \
	-Wl,-rpath-link,$(BUILD)/lib
$(bin_trust): $(BUILD)/%: $(BUILD)/%.o $(cudart) $(cudart_link) $(mgpu) $(BUILD)/lib/libmlir_cuda_runtime.so \
		$(ol) $(ol_link)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $< $(link_trust) -ldl $(LDFLAGS)

# What is loaded before a program of ours, to spoil something in it.
bin_preload := $(patsubst %.c,$(BUILD)/%.so,$(sort $(wildcard test/host-programs/preload/*.c)))
$(bin_preload:.so=.o): inc := -Iinclude
$(bin_preload): $(BUILD)/%.so: $(BUILD)/%.o
	$(test_link)
	$(Q)$(CC) $(link) -shared -o $@ $< -ldl $(LDFLAGS)

# ---- The command --------------------------------------------------------------

# The thread sanitizer keeps a signal back until a call of the system returns. It looks at the
# tests of what the command does in several threads.
cli_tests := test/cli
ifneq ($(SAN),)
without_tags := --filter-tags !plain
without_why := no tests tagged plain: of scripts, or of programs that are built without the sanitizer
endif
ifneq ($(findstring thread,$(SAN)),)
without_tags := --filter-tags !blocked,!plain
without_why := only $(notdir $(patsubst %,test/cli/%.bats,examples exec print signals together trace)); of signals.bats \
	no tests tagged blocked: it keeps signals back
cli_tests := $(patsubst %,test/cli/%.bats,examples exec print signals together trace)
endif
# These are about kernels and other programs more than about the command: where a sanitizer runs
# them, no leaks are looked for at the end of each process, which takes a third of its time.
about_kernels := $(wildcard test/cli/check*.bats) test/cli/trust.bats
bats_cli = $(BATS) --formatter tap $(without_tags)
run_cli = $(bats_cli) $(cli_tests)
ifneq ($(findstring address,$(SAN)),)
run_cli = $(bats_cli) $(filter-out $(about_kernels),$(wildcard test/cli/*.bats)) \
	++ $(again) $(bats_cli) $(about_kernels)
endif
check-cli: built-cli
	$(if $(without_tags),@echo "$@: with SAN=$(SAN) $(without_why)")
	$(Q)$(tally) $@ $(run_cli) \
		$(if $(SAN),,++ env GPURUN_CPU=check=all $(BATS) --formatter tap test/cli/examples.bats)

# ---- The documented recipes; they link plain programs, which sanitizers refuse ------

check-recipes: all
	$(if $(SAN),@echo "$@: only in plain builds: test/documents links as the documents say: without the sanitizer")
	$(Q)$(tally) $@ $(if $(SAN),,$(BATS) --formatter tap test/documents)

# ---- What files take that grow ----------------------------------------------------

# make growth-table puts what this machine takes into docs/hostile.md
.PHONY: check-growth growth-table
check-growth: all
	$(if $(SAN),@echo "$@: only in plain builds: a sanitizer takes time and memory of its own")
	$(Q)$(tally) $@ $(if $(SAN),,test/growth/run)
growth-table: all
	$(Q)$(TEST_ENV) test/growth/run --write docs/hostile.md

# ---- Real programs: the quick ones; scripts/programs runs all ---------------------

.PHONY: check-cudart
check-cudart: all
	$(if $(SAN),@echo "$@: only in plain builds: programs that are built without the sanitizer")
	$(Q)$(tally) $@ $(if $(SAN),,test/cudart/run built $(if $(GPURUN_TEST_STRICT),++ test/cudart/run new \
		++ test/cudart/run clang))

.PHONY: check-programs
check-programs: all
	$(if $(SAN),@echo "$@: only in plain builds: programs that are built without the sanitizer")
	$(Q)$(tally) $@ $(if $(SAN),,test/third-party/run gcc ++ test/third-party/run numba ++ test/third-party/run hashcat:MD5 ++ test/third-party/run halide)

.PHONY: tests
tests: $(bin_unit) $(bin_fuzz) $(bin_conformance) $(unguarded) $(stub) $(stub_driver) $(nvml) $(bin_offload) $(bin_faults) $(bin_mlir) \
	$(if $(cpu),$(bin_exec) $(bin_trust) $(bin_preload) $(bin_ptx) $(bin_forms) $(cases)/made)

.PHONY: print-build
print-build:
	@echo $(BUILD)

# ---- Process times, against a bare driver-API program in the same run ------------

bin_bench := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard test/bench/*.c)))
# Those that are compared with ours know nothing but the driver.
bench_gpurun := $(BUILD)/test/bench/launches $(BUILD)/test/bench/calls
bin_bench += $(BUILD)/test/bench/calls
bin_bench += $(BUILD)/test/bench/ol
$(BUILD)/test/bench/%.o: inc := -Iinclude -Iinclude/cuda -Itest/bench/api -Itest/bench
$(BUILD)/test/bench/offload/%.o: inc := -Iinclude/cuda -Iruntime/abi/ol -Itest/bench/offload -Itest/bench
$(BUILD)/test/bench/ol: $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard test/bench/offload/*.c)))
$(BUILD)/test/bench/calls: $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard test/bench/api/*.c)))
$(bench_gpurun): $(runtime) $(BUILD)/lib/libgpurun.so
$(bench_gpurun): with := -L$(BUILD)/lib -lgpurun $(call rpath,../../lib)
$(filter-out %/calls %/ol,$(bin_bench)): $(BUILD)/%: $(BUILD)/%.o
$(bin_bench):
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $(filter %.o,$^) $(with) -ldl $(LDFLAGS)

# What a launch costs, counted: not under a sanitizer, which adds its own.
.PHONY: check-instructions
check-instructions: $(BUILD)/test/bench/launches $(stub)
	$(Q)$(tally) $@ scripts/check-instructions

# The CPU device beside those of OpenCL, where its headers are, beside native code, and beside
# another build of its own.
bench_cpu := $(BUILD)/test/bench/cpu
cpu_sides := driver native_side gate $(if $(wildcard /usr/include/CL/cl.h),opencl)
bin_bench_cpu := $(bench_cpu)/compare $(cpu_sides:%=$(bench_cpu)/%)
$(bench_cpu)/opencl: with := -lOpenCL
$(bench_cpu)/gate.o: inc += -Icpu/base
$(bench_cpu)/driver $(bench_cpu)/gate: $(bench_cpu)/device.o
$(bench_cpu)/gate: $(bench_cpu)/ratio.o
tests: $(if $(cpu),$(bench_cpu)/gate)
$(bench_cpu)/native_side $(bench_cpu)/gate: $(bench_cpu)/native_fast.o
$(bench_cpu)/native_fast.o: extra := -DNATIVE=native_fast -O3 -march=native -ffast-math
$(bench_cpu)/native_fast.o: test/bench/cpu/native.c $(BUILD)/flags
	$(compile)
	$(Q)$(cc) -c $< -o $@
$(bin_bench_cpu): %: %.o $(addprefix $(bench_cpu)/,work.o works.o native.o)
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $^ $(with) -lm -ldl $(LDFLAGS)

# How fast PTX is loaded is asked of the driver's own parts.
bench_load := $(BUILD)/test/bench/cpu/load
$(bench_load).o: inc := $(inc_cpu)
$(bench_load): $(bench_load).o $(with_cpu) $(BUILD)/libgpurun-lib.a
	$(test_link)
	$(Q)$(CC) $(link) -o $@ $(filter %.o %.a,$^) $(libs) -lm -ldl $(LDFLAGS)

.PHONY: bench bench-cpu bench-gate
bench: all $(bin_bench) bench-cpu
	$(Q)$(TEST_ENV) scripts/bench
bench-cpu: all $(bin_bench_cpu) $(bench_load)
	$(Q)$(TEST_ENV) scripts/bench-cpu

# make bench-gate OLD=BUILD: this build beside another; without OLD it is only made ready.
bench-gate: all $(bench_cpu)/gate
	$(if $(OLD),$(Q)$(TEST_ENV) scripts/bench-gate '$(OLD)' '$(BUILD)')

# ---- What scripts/gpu-check needs on a machine without bats and headers -----------

# GATE_OLD="NAME=FILE ...": builds of the CPU device, a libcuda.so.1 each, that its stage "gate"
# compares this one with.
kit := build/gpu-kit
GATE_OLD ?=
gate_name = $(firstword $(subst =, ,$(old)))
gate_file = $(or $(word 2,$(subst =, ,$(old))),$(error GATE_OLD: $(old): expected NAME=FILE))
.PHONY: gpu-kit
gpu-kit: all tests $(bin_bench) $(bench_cpu)/gate $(cases)/made
	$(Q)rm -rf $(kit)
	$(Q)mkdir -p $(kit)/test/conformance $(kit)/test/bench $(kit)/test/host-programs $(kit)/test/ptx \
		$(kit)/test/mlir $(kit)/kit $(kit)/bats/bin $(kit)/bats/libexec $(kit)/bats/lib
	$(Q)cp -a $(BUILD)/bin $(BUILD)/lib $(kit)/
	$(Q)find $(kit)/lib -name '*.[od]' -delete && find $(kit)/lib -type d -empty -delete
	$(Q)cp $(bin_conformance) $(kit)/test/conformance/
	$(Q)install -D -t $(kit)/test/conformance/library $(libraries)
	$(Q)install -D -t $(kit)/test/unguarded $(unguarded)
	$(Q)cp $(bin_bench) $(kit)/test/bench/
	$(Q)install -D -t $(kit)/test/bench/cpu $(bench_cpu)/gate
	$(Q)$(foreach old,$(GATE_OLD),install -D $(gate_file) $(kit)/gate/$(gate_name)/libcuda.so.1 &&) true
	$(Q)cp $(bin_exec) $(kit)/test/host-programs/
	$(Q)install -D -t $(kit)/test/host-programs/statuses $(bin_trust)
	$(Q)cp $(bin_ptx) $(kit)/test/ptx/
	$(Q)install -m 644 -D -t $(kit)/ptx $(cases)/*.ptx
	$(Q)install -m 644 -D -t $(kit)/ptx/kernels $(cases)/kernels/*.ptx
	-$(Q)$(MAKE) --no-print-directory mpfr_libs="-l:libmpfr.a -l:libgmp.a" \
		bin_mpfr=$(kit)/test/ptx/mpfr $(kit)/test/ptx/mpfr
	$(Q)cp $(bin_mlir) $(kit)/test/mlir/
	$(Q)cp $(stub) $(kit)/test/
	$(Q)install -D -t $(kit)/test/upstream-defects $(bin_offload)
	$(Q)mkdir $(kit)/test/stub-driver
	$(Q)cp -a $(stub_driver) $(kit)/test/stub-driver/
	$(Q)find $(kit)/bin $(kit)/lib $(kit)/test $(if $(GATE_OLD),$(kit)/gate) -type f -exec strip -g {} +
	$(Q)cp $$(command -v bats) $(kit)/bats/bin/
	$(Q)cp -r /usr/libexec/bats-core $(kit)/bats/libexec/
	$(Q)cp -r /usr/lib/bats-core $(kit)/bats/lib/
	$(Q)cp -L $(needed) $(kit)/kit/
	$(Q)echo "$$(git rev-parse HEAD 2>/dev/null || echo unknown)$$(\
		git status --porcelain 2>/dev/null | sed 's/.*/-dirty/;q')" >$(kit)/kit/commit
	$(Q)$(forms)/h100.py digests >$(kit)/kit/digests
	@echo "take the tree with $(kit) to a machine with a GPU: scripts/gpu-check $(kit)"

# LLVM's own libLLVMOffload, for a machine without LLVM: gpu-check looks for it there.
.PHONY: gpu-kit-upstream
gpu-kit-upstream: $(kit)-upstream.tar.xz
$(kit)-upstream.tar.xz: scripts/upstream-kit
	@mkdir -p $(@D)
	$(Q)scripts/upstream-kit $@

# ---- Coverage of each parser by its corpus; the units under valgrind -------------

.PHONY: cov cov-run check-valgrind
cov:
	$(Q)$(MAKE) --no-print-directory COV=1 CC=gcc BUILD=build/gcc-cov cov-run
cov-run: $(bin_fuzz)
	$(Q)$(tally) check-coverage scripts/check-coverage

valgrind := env TEST_SLOWER=100 valgrind -q --error-exitcode=99 --leak-check=full \
	--errors-for-leak-kinds=definite,indirect
# Not the op_ tests, nor select_*: valgrind computes without the rounding modes and the flushing that
# they set, and they hold no memory. Nor lane_values and ratio, which only compute. Nor race: its cells take more addresses than valgrind has.
# Nor those that take a minute each: memory of their own that valgrind knows nothing of (arena,
# shadow), threads that wait for each other (stop), what region has compiled before (region_masked,
# region_atomic, region_access), what is not compiled there (tiers). Nor start/patch: it has the kernel read where nothing
# is. Nor cmd/count, which starts /proc/self/exe: that is valgrind's own program there.
valgrind_unit := $(filter-out %/cpu/op_float %/cpu/op_half %/cpu/op_cvt \
	%/cpu/op_approx %/cpu/op_compare %/cpu/select_value %/cpu/select_strip %/start/patch %/cmd/count %/bench/ratio \
	$(addprefix %/cpu/,lane_values race arena shadow stop region_masked region_atomic region_access tiers),$(bin_unit))
check-valgrind: all $(bin_unit)
	$(Q)$(tally) $@ $(foreach t,$(valgrind_unit),$(valgrind) $(t) ++)

# ---- The whole suite under sanitizers -------------------------------------------

# What has no second thread, or runs nothing that the sanitizer was built into, is left out.
.PHONY: check-asan check-tsan
check-asan: sanitized := $(filter-out check-forms check-jit check-recipes check-generated check-cudart check-growth,$(suites))
check-tsan: sanitized := check-cli check-conformance check-ptx check-mlir check-faults check-unit
check-asan:
	$(Q)$(MAKE) --no-print-directory SAN=address,undefined SUITES="$(sanitized)" check
check-tsan:
	$(Q)$(MAKE) --no-print-directory SAN=thread SUITES="$(sanitized)" check
