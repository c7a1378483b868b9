# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# complete.zsh FOLDER LINE...: what an interactive zsh makes of each LINE when it completes its end,
# with the functions in FOLDER. The key begins no other: zsh would wait for more.
zmodload zsh/zpty
zpty z "PS1='> ' TERM=dumb COLUMNS=500 zsh -f -i"
zpty -w z "fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D"
zpty -w z "show() { zle complete-word; print -r -- \"<\$BUFFER>\"; zle send-break; }"
zpty -w z "zle -N show; bindkey '^T' show; print rea''dy"
zpty -r -m z line '*ready*' || exit 1
for word in "${@:2}"; do
	zpty -n -w z "$word"$'\C-T'
	zpty -r -m z line '*<*>*' || exit 1
	print -r -- "${${line##*<}%%>*}"
done
zpty -d z
