/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program without GPU code; its symbol only looks like an image's. */
const char some_binary[] = "not an image";

int main(void)
{
	return some_binary[0] == 'x';
}
