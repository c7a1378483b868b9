# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What bash, zsh and fish complete.
load helpers

completes() {	# WORD... : prints what the last word could become
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_gpurun
	printf '%s\n' "${COMPREPLY[@]}"
}

# bats test_tags=plain
@test "each option whose value is a name, or a word of a list, is in the completion of every shell" {
	local option shell count=0

	while read -r option; do
		((++count))
		for shell in bash zsh fish; do
			grep -Eq -- "(--|[(|])$option([ |)]|\$)" "$root/cmd/completion.$shell.in" ||
				{ echo "cmd/completion.$shell.in has no --$option"; return 1; }
		done
	done < <(sed -nE 's/^OPTION\([A-Z_]*, *"([a-z-]*)",.*, +"(BUF|EV|NAME"|S"|SEL"|TOPIC|WHAT|\[NAME:\]).*/\1/p' \
		"$root/cmd/line/options.def")
	((count >= 15))
}

@test "completion offers options, and the kernels of the file" {
	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	same "$(completes gpurun "$cuda/pipeline.fatbin" --launch co)" consume
	same "$(completes gpurun k --devi)" "--device
--devices"
	same "$(completes gpurun k -d c)" cpu
	same "$(completes gpurun k --list = i)" images
	same "$(completes gpurun k --list =)" "kernels
images
names
vars"
	same "$(completes gpurun --help = a)" "args
all"
	same "$(completes gpurun "$cuda/vadd.fatbin" --load p = "$cuda/pipeline.fatbin" --launch p:c)" \
		p:consume
	same "$(completes gpurun --load p = "$cuda/pipeline.fatbin" --launch p : c)" consume
	same "$(completes gpurun --load p = "$cuda/pipeline.fatbin" --launch p :)" "produce
consume"
	same "$(completes gpurun --load = p = "$cuda/pipeline.fatbin" --launch '')" "p:produce
p:consume"
	same "$(completes gpurun --load p = "$cuda/pipeline.fatbin" --unload '')" p
	touch -- --exec-file
	same "$(completes gpurun --exec prin | grep -x printf | sort -u)" printf
	same "$(completes gpurun --exec cat --exec)" --exec-file
}

@test "completion runs nothing that a name holds" {
	printf '#!/bin/sh\necho "\$(touch touched)"\n' >fake
	chmod +x fake
	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	completes ./fake fake --launch ''
	[[ ! -e touched ]]
}

@test "bash: values of options, and what was named further left" {
	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	same "$(completes gpurun k --check r)" race
	same "$(completes gpurun k --color ne)" never
	same "$(completes gpurun k --check mem,r)" mem,race
	same "$(completes gpurun k --check = mem,i)" mem,init
	same "$(completes gpurun "$cuda/pipeline.fatbin" --launch = co)" consume
	same "$(completes gpurun k --stream t1 --stream '')" "s0
t1"
	same "$(completes gpurun k --event e1 --record = e2@s1 --await '')" "all
e1
e2"
	same "$(completes gpurun k --event e1 --record e2 --after e1,)" "e1,e1
e1,e2"
	same "$(completes gpurun k --buf xx = f32 : 4 -a i32 = 4 -a yy = f32 : 1 -e '')" "xx
yy"
	same "$(completes gpurun k --buf xx = f32 : 4 --print x)" xx
	same "$(completes gpurun "$root/test/data/images/parts.1.o" \
		--link "$root/test/data/images/parts.2.o" --launch '')" "apply
zero"
	touch gfile
	same "$(completes gpurun k -o xx = gf)" gfile
	same "$(completes gpurun gf)" gfile
}

zsh_completes() {	# LINE : prints the line as zsh completes it
	command -v zsh >/dev/null || skip "needs zsh"
	mkdir -p functions
	sed s/@NAME@/gpurun/g "$root/cmd/completion.zsh.in" >functions/_gpurun
	sed s/@NAME@/fake/g "$root/cmd/completion.zsh.in" >functions/_fake
	timeout 60 zsh -f "$root/test/cli/complete.zsh" functions "$1"
}

@test "zsh: kernels, values, names further left, files" {
	same "$(zsh_completes "gpurun $cuda/pipeline.fatbin --launch co")" \
		"gpurun $cuda/pipeline.fatbin --launch consume "
	same "$(zsh_completes "gpurun $cuda/pipeline.fatbin --launch=co")" \
		"gpurun $cuda/pipeline.fatbin --launch=consume "
	same "$(zsh_completes "gpurun --load p=$cuda/vadd.fatbin -l p:v")" \
		"gpurun --load p=$cuda/vadd.fatbin -l p:vadd "
	same "$(zsh_completes "gpurun k --color al")" "gpurun k --color always "
	same "$(zsh_completes "gpurun k --check mem,ra")" "gpurun k --check mem,race "
	same "$(zsh_completes "gpurun k --coop")" "gpurun k --cooperative "
	same "$(zsh_completes "gpurun k --event ready --await r")" "gpurun k --event ready --await ready "
	same "$(zsh_completes "gpurun k -a i32=1 --buf xy=f32:4 -o x")" \
		"gpurun k -a i32=1 --buf xy=f32:4 -o xy="
	touch gfile
	same "$(zsh_completes "gpurun k --buf xy=f32:4 -o xy=gf")" "gpurun k --buf xy=f32:4 -o xy=gfile "
}

@test "zsh: completion runs nothing that a name holds" {
	printf '#!/bin/sh\necho "\$(touch touched)"\n' >fake
	chmod +x fake
	same "$(zsh_completes "./fake fake --launch ")" './fake fake --launch \$\(touch\ touched\) '
	[[ ! -e touched ]]
}

fish_completes() {	# NAME LINE : prints what the last word of LINE could become
	command -v fish >/dev/null || skip "needs fish"
	sed "s/@NAME@/$1/g" "$root/cmd/completion.fish.in" >"$1.fish"
	HOME=$PWD fish --no-config -c 'source $argv[1].fish; complete -C $argv[2]' "$1" "$2"
}

@test "fish: kernels, values, names further left, files" {
	same "$(fish_completes gpurun "gpurun $cuda/pipeline.fatbin --launch co")" consume
	same "$(fish_completes gpurun "gpurun $cuda/pipeline.fatbin --launch=co")" --launch=consume
	same "$(fish_completes gpurun "gpurun --load p=$cuda/vadd.fatbin -l p:")" p:vadd
	same "$(fish_completes gpurun "gpurun k --check mem,r")" mem,race
	same "$(fish_completes gpurun "gpurun k --color ne")" never
	same "$(fish_completes gpurun "gpurun k --devi")" "--device
--devices"
	same "$(fish_completes gpurun "gpurun k --list=i")" --list=images
	same "$(fish_completes gpurun "gpurun k --event e1 --record e2@s1 --await e")" "e1
e2"
	same "$(fish_completes gpurun "gpurun k -a i32=1 --buf xy=f32:4 -o ")" "xy="
	touch gfile
	same "$(fish_completes gpurun "gpurun k --buf xy=f32:4 -o xy=gf")" xy=gfile
	same "$(fish_completes gpurun "gpurun --exec printen" | cut -f1)" printenv
}

@test "fish: completion runs nothing that a name holds" {
	printf '#!/bin/sh\necho "\$(touch touched)"\necho "(touch touched)"\n' >fake
	chmod +x fake
	same "$(fish_completes fake "./fake fake --launch ")" '$(touch touched)
(touch touched)'
	[[ ! -e touched ]]
}
