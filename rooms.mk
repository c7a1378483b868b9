# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What each directory may include: its -I list, and nothing else. `make -sf rooms.mk include-lists'
# prints them.

# The rooms of a tree, ground first: a room may include itself and those before it.
# scripts/check-layers holds the calls to the same order.
lib_rooms := base value elf ptx image
runtime_rooms := driver core data code entry
cpu_rooms := base x86 mcode ptx flow lane code lower ir memory state emit check exec simd queue api
cmd_rooms := base trace line plan run bench report show process

# $(1): the tree, $(2): what all of it may include besides. inc_TREE/ROOM is the list of a room,
# inc_TREE that of the last one.
in_rooms = $(eval inc_$(1) := $(2))$(foreach room,$($(1)_rooms),$(eval inc_$(1) += -I$(1)/$(room))\
	$(eval inc_$(1)/$(room) := $(inc_$(1)))$(eval places += $(1)/$(room)))
# A directory without rooms.
alone = $(eval inc_$(notdir $(1)) := $(2) -I$(1))$(eval inc_$(1) := $(2) -I$(1))$(eval places += $(1))

places :=
$(call in_rooms,lib,-Iinclude)
$(call in_rooms,runtime,-Iinclude/cuda $(inc_lib))
$(call alone,runtime/abi/mgpu,-Iinclude)
$(call alone,runtime/abi/ol,-Iinclude)
$(call alone,runtime/abi/cudart,-Iinclude/cuda $(inc_lib))
$(call alone,trace,-Iinclude/cuda $(inc_lib))
$(call in_rooms,cpu,$(inc_trace))
# Without a C library: of lib/ the headers alone, of cudart the list of its functions.
$(call alone,start,-Ilib/base -Iruntime/abi/cudart)
$(call in_rooms,cmd,$(inc_lib))

.PHONY: include-lists
include-lists:
	@:$(foreach place,$(places),$(info $(place) $(inc_$(place))))
