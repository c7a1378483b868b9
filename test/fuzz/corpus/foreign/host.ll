; ModuleID
target triple = "x86_64-pc-linux-gnu"
@kmod_binary = constant i8 0
