# c
	.text
	.amdgcn_target "gfx90a"
